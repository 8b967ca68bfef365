"""Versions of CaReBench parts: the writer's text that a merged part contains, and current versions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Correction
from annotation.records.ids import Json
from annotation.store.store import Current, Store
from backends.text.rouge_l_and_shared_words import rouge_l

EDITED_FROM = 0.5
"""Minimum ROUGE-L to a used writer's text at which a merged part counts as that text, edited."""

OWN_WORDS = "own words"
"""Reason recorded by the page for the save with which the merger starts their own words."""


@dataclass(frozen=True, slots=True)
class Part:
    """The current state of one of a person's four texts."""

    text: Text
    now: Current

    @property
    def value(self) -> str:
        return str(self.now.value)


@dataclass(frozen=True, slots=True)
class Version:
    """A text at one revision."""

    text_id: str
    revision: int
    value: str


def versions_at(store: Store, part: Part, moments: Iterable[float]) -> list[Version]:
    """The text's values at these times (seconds since 1970) and now, newest first, without duplicates."""
    history = store.history("text", part.text.id, "value")
    found = {part.now.revision: Version(part.text.id, part.now.revision, part.value)}
    for moment in moments:
        before = [change for change in history if change.created_at <= moment]
        version = _version(part.text, before)
        found.setdefault(version.revision, version)
    return [found[revision] for revision in sorted(found, reverse=True)]


def _version(text: Text, changes: Sequence[Correction]) -> Version:
    """The version after these changes."""
    if not changes:
        return Version(text.id, 0, text.value)
    last = changes[-1]
    return Version(text.id, last.revision, text.value if last.cleared else str(last.value))


def values_since_empty(store: Store, part: Part) -> list[str]:
    """Values of a merged part since its field was last empty, or since `OWN_WORDS`; newest first."""
    history = store.history("text", part.text.id, "value")
    values: list[str] = []
    for end in range(len(history), -1, -1):
        value = _version(part.text, history[:end]).value
        if not value.strip():
            break
        values.append(value)
        if end and history[end - 1].reason == OWN_WORDS:
            break
    return values


def came_from(values: Sequence[str], theirs: Mapping[str, Sequence[Version]]) -> dict[str, Json]:
    """Origin of a merged part: `taken` unchanged, `edited`, or the merger's `own`.

    `values` as from `values_since_empty`. A text is edited only if it was in the field: words typed into an
    empty field are the merger's own, even if they resemble a writer's.
    `theirs`: versions that the merger may have seen, by person id, newest first.
    """
    held = {
        (who, version.revision): (_likeness(values[0], version.value), version)
        for who, versions in theirs.items()
        for version in versions
        if any(version.value.strip() == value.strip() for value in values)
    }
    closest = max(held, key=lambda key: (held[key][0], key[1]), default=None)
    if closest is None or held[closest][0] < EDITED_FROM:
        return {"how": "own"}
    version = held[closest][1]
    how = "taken" if values[0].strip() == version.value.strip() else "edited"
    return {"how": how, "by": closest[0], "from_id": version.text_id, "from_revision": version.revision}


def _likeness(one: str, other: str) -> float:
    return 2.0 if one.strip() == other.strip() else rouge_l(one, other) or 0.0


def rewritten(store: Store, source: Mapping[str, Any], now: Part | None) -> str | None:
    """The merged words, if their writer has rewritten them since; None if they are unchanged.

    `source` as from `came_from`; `now` is that writer's part.
    """
    if now is None or now.text.id != source.get("from_id"):
        return None
    changes = [
        c for c in store.history("text", now.text.id, "value") if c.revision <= source["from_revision"]
    ]
    was = _version(now.text, changes).value
    return was if was.strip() != now.value.strip() else None

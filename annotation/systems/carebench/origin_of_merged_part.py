"""Versions of CaReBench parts: which words of whom a merged part holds, and which versions stand now."""

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
"""ROUGE-L to a writer's text that was taken, from which a merged part counts as that text, edited."""

OWN_WORDS = "own words"
"""The reason that the page gives for the save with which the merger begins words of their own."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of a person's four texts as it stands."""

    text: Text
    now: Current

    @property
    def value(self) -> str:
        return str(self.now.value)


@dataclass(frozen=True, slots=True)
class Version:
    """What a text said at one revision."""

    text_id: str
    revision: int
    value: str


def versions_at(store: Store, part: Part, moments: Iterable[float]) -> list[Version]:
    """What the text said at these times (seconds since 1970) and says now, newest first, each once."""
    history = store.history("text", part.text.id, "value")
    found = {part.now.revision: Version(part.text.id, part.now.revision, part.value)}
    for moment in moments:
        before = [change for change in history if change.created_at <= moment]
        version = _said(part.text, before)
        found.setdefault(version.revision, version)
    return [found[revision] for revision in sorted(found, reverse=True)]


def _said(text: Text, changes: Sequence[Correction]) -> Version:
    """After these changes."""
    if not changes:
        return Version(text.id, 0, text.value)
    last = changes[-1]
    return Version(text.id, last.revision, text.value if last.cleared else str(last.value))


def values_since_empty(store: Store, part: Part) -> list[str]:
    """What a merged part has said since its field was empty last, or since `OWN_WORDS`; newest first."""
    history = store.history("text", part.text.id, "value")
    values: list[str] = []
    for end in range(len(history), -1, -1):
        value = _said(part.text, history[:end]).value
        if not value.strip():
            break
        values.append(value)
        if end and history[end - 1].reason == OWN_WORDS:
            break
    return values


def came_from(values: Sequence[str], theirs: Mapping[str, Sequence[Version]]) -> dict[str, Json]:
    """Whose text a merged part is: `taken` as it stood, `edited`, or the merger's `own`.

    `values` as of `values_since_empty`. A text is edited only if it was in the field: words that were typed
    into an empty one are the merger's own, however much they are like a writer's.
    `theirs`: by person id the versions that the merger may have seen, newest first.
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
    """The words that were merged, where their writer has written others since; None where these stand.

    `source` as `came_from` gives it; `now` is that writer's part.
    """
    if now is None or now.text.id != source.get("from_id"):
        return None
    changes = [
        c for c in store.history("text", now.text.id, "value") if c.revision <= source["from_revision"]
    ]
    was = _said(now.text, changes).value
    return was if was.strip() != now.value.strip() else None

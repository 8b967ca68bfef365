"""The three texts of a split on the Split page: a full caption, and the sides made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from annotation.people.hidden_texts import AspectSight
from annotation.records.captions_to_verdicts import Text
from annotation.records.system_facts import text_facts
from annotation.store.store import Current, Store
from annotation.systems.carebench.split_checks.finding import Side, Texts
from annotation.texts.which_text_counts import CountingText, Subject, texts_by_subject

CAPTIONS_TO_SPLIT = text_facts()["carebench:spatial"].made_from
"""A split is made from the first of these kinds that a video has."""

KINDS: Mapping[Side, tuple[str, ...]] = {
    "full": CAPTIONS_TO_SPLIT,
    "spatial": ("carebench:spatial",),
    "temporal": ("carebench:temporal",),
}
"""Kinds of texts in a column; the detailed VDC caption is shown if there is no full caption."""


@dataclass(frozen=True, slots=True)
class Column:
    """One of the three columns."""

    written: tuple[tuple[Text, Current], ...]
    """The latest text of each author, oldest first."""
    shown: Text | None
    """The displayed text; None if the split of this caption does not have it yet."""
    of_other: bool = False
    """Whether the displayed text was made from a full caption other than the one beside it."""

    @property
    def now(self) -> Current | None:
        return next((now for text, now in self.written if text is self.shown), None)

    @property
    def value(self) -> str:
        return str(self.now.value) if self.now else ""


@dataclass(frozen=True, slots=True)
class SplitTexts:
    """The three columns."""

    full: Column
    spatial: Column
    temporal: Column

    def of(self, side: Side) -> Column:
        return {"full": self.full, "spatial": self.spatial, "temporal": self.temporal}[side]

    @property
    def values(self) -> Texts:
        return Texts(self.full.value, self.spatial.value, self.temporal.value)


def caption_to_split(found: Mapping[str, CountingText]) -> CountingText | None:
    """Return the full caption from which a split is made, given a video's texts by kind."""
    return next((found[kind] for kind in CAPTIONS_TO_SPLIT if kind in found), None)


def texts_of_split(
    store: Store, video_id: str, wanted: Mapping[Side, str] | None = None, sight: AspectSight | None = None
) -> SplitTexts:
    """The current texts; beside a full caption only sides that were made from it.

    `wanted` names a text per column, which may be made from another caption. `sight` limits the texts
    visible to the requester; None shows all.
    """
    chosen = wanted or {}
    seen = partial(sight.shown, store) if sight else None

    def column(side: Side, caption: str = "") -> Column:
        written = _written(store, video_id, side, sight)
        found = texts_by_subject(store, KINDS[side], video_ids=[video_id], seen=seen, beside=caption)
        groups = [group for kind in KINDS[side] if (group := found.get(Subject(video_id, kind, video_id)))]
        counting = next((group[0].text for group in groups if group[0].has_words), None)
        first = counting or (groups[0][0].text if groups else None)
        shown = _named(written, chosen.get(side, "")) or _named(written, first.id if first else "")
        own = any(shown.id == one.text.id for group in groups for one in group) if shown else True
        return Column(tuple(written), shown, not own)

    full = column("full")
    caption = full.shown.id if full.shown else ""
    return SplitTexts(full, column("spatial", caption), column("temporal", caption))


def _written(
    store: Store, video_id: str, side: Side, sight: AspectSight | None
) -> list[tuple[Text, Current]]:
    found = store.find(Text, video_id=video_id, kind=KINDS[side], order_by=["created_at", "id"])
    return store.not_superseded(sight.shown(store, found) if sight else found)


def _named(found: Sequence[tuple[Text, Current]], text_id: str) -> Text | None:
    return next((text for text, _ in found if text.id == text_id), None)

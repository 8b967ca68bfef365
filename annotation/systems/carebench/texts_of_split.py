"""The three texts of a split as the Split page shows them: a full caption, and the sides made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.people.carebench_text_access import AspectSight
from annotation.records.captions_to_verdicts import Text
from annotation.store.store import Current, Store
from annotation.systems.carebench.split_checks.finding import Side, Texts
from annotation.systems.carebench.split_stage import text_to_split
from annotation.systems.carebench.text_that_counts import rank, standing

KINDS: Mapping[Side, tuple[str, ...]] = {
    "full": ("carebench:full", "vdc:detailed"),
    "spatial": ("carebench:spatial",),
    "temporal": ("carebench:temporal",),
}
"""Kinds of texts that a column shows; the detailed VDC caption is shown where there is no full one."""


@dataclass(frozen=True, slots=True)
class Column:
    """One of the three columns."""

    written: tuple[tuple[Text, Current], ...]
    """The newest text of each author, oldest first."""
    shown: Text | None
    """One of them; None where the split of this caption has no such text yet."""
    of_other: bool = False
    """Whether the shown text was made from another full caption than the one beside it."""

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


def texts_of_split(
    store: Store, video_id: str, wanted: Mapping[Side, str] | None = None, sight: AspectSight | None = None
) -> SplitTexts:
    """The texts that count, and beside a full caption only sides that were made from it.

    `wanted` names a text per column, also one that was made from another caption. `sight` is what the asker
    may see; None: everything.
    """
    chosen = wanted or {}
    found = {side: _written(store, video_id, side, sight) for side in KINDS}
    full = _named(found["full"], chosen.get("full", "")) or _full(store, video_id, found["full"])
    origins = _origins(store, full)
    now = standing(store, video_id)

    def column(side: Side) -> Column:
        own = [x for x, _ in found[side] if not (full and x.source_text_id) or x.source_text_id in origins]
        counting = max(reversed(own), key=lambda text: rank(text, now), default=None)
        shown = _named(found[side], chosen.get(side, "")) or counting
        return Column(tuple(found[side]), shown, shown is not None and shown not in own)

    return SplitTexts(Column(tuple(found["full"]), full), column("spatial"), column("temporal"))


def _written(
    store: Store, video_id: str, side: Side, sight: AspectSight | None
) -> list[tuple[Text, Current]]:
    found = store.find(Text, video_id=video_id, kind=KINDS[side], order_by=["created_at", "id"])
    return store.not_superseded(sight.shown(store, found) if sight else found)


def _named(found: Sequence[tuple[Text, Current]], text_id: str) -> Text | None:
    return next((text for text, _ in found if text.id == text_id), None)


def _full(store: Store, video_id: str, found: Sequence[tuple[Text, Current]]) -> Text | None:
    first = text_to_split(store, video_id)
    done = [text for text, _ in found if text.state == "done"]
    return _named(found, first.id if first else "") or (done[-1] if done else None)


def _origins(store: Store, full: Text | None) -> list[str]:
    """Ids of the full caption and of the texts that it was kept from: a split of one is a split of it."""
    found: list[str] = []
    while full and full.id not in found:
        found.append(full.id)
        full = next(iter(store.find(Text, id=full.source_text_id)), None) if full.source_text_id else None
    return found

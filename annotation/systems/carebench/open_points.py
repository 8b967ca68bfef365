"""Open points of CaReBench work before it is marked done or approved, worded for the person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from annotation.editing.assignments import Place
from annotation.editing.dismissed_findings import dismissals
from annotation.people.hidden_texts import ASPECTS, MERGE, WRITE, AspectSight
from annotation.records.decisions import Person
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.systems.carebench import write_merge_approve
from annotation.systems.carebench.findings_of_split import findings_of_split
from annotation.systems.carebench.origin_of_merged_part import rewritten
from annotation.systems.carebench.split_checks.length_and_script import word_range_missed
from annotation.systems.carebench.texts_of_split import Column, texts_of_split
from annotation.systems.carebench.write_merge_approve import HEADS

ENDS_WORK = ("done", "approved")
"""States in which work is complete."""


def open_points(store: Store, place: Place, state: str, sight: AspectSight | None = None) -> list[str]:
    """One line per open point; empty if there is none, for other tasks, and for states that do not end work.

    `sight` limits the texts visible to the requester. Raises NotFound.
    """
    points = _POINTS.get(place.task)
    return points(store, place, sight) if points and state in ENDS_WORK else []


def _of_parts(store: Store, place: Place, _sight: AspectSight | None) -> list[str]:
    parts = write_merge_approve.parts_of(store, place.video_id, place.person_id)
    values = {name: parts[name].value.strip() if name in parts else "" for name in ASPECTS}
    return [*_empty(values), *_length(" ".join(filter(None, values.values())))]


def _empty(values: Mapping[str, str]) -> list[str]:
    empty = [HEADS[name] for name, value in values.items() if not value]
    if not empty:
        return []
    return [f"{', '.join(empty)} {'is' if len(empty) == 1 else 'are'} empty"]


def _length(words: str) -> list[str]:
    missed = word_range_missed(words)
    return [missed] if missed else []


def _of_merge(store: Store, place: Place, _sight: AspectSight | None) -> list[str]:
    full = write_merge_approve.full_of(store, place.video_id, place.person_id)
    if full is None:
        return ["the parts are not joined to a full caption yet"]
    made = write_merge_approve.merge_of(store, full)
    changed = [] if made else ["the full caption was changed after it was joined from its parts"]
    return [*changed, *_rewritten(store, place), *_length(full.value)]


def _rewritten(store: Store, place: Place) -> Iterable[str]:
    """Merged words that their writers have rewritten since."""
    mine = write_merge_approve.parts_of(store, place.video_id, place.person_id)
    for name, source in write_merge_approve.sources_of(store, place.video_id, mine).items():
        by = str(source.get("by", ""))
        theirs = write_merge_approve.parts_of(store, place.video_id, by) if by else {}
        if rewritten(store, source, theirs.get(name)) is not None:
            writer = store.get(Person, by).name
            yield f"{HEADS[name]}: {writer} has rewritten it since; the caption has the earlier text"


def _of_split(store: Store, place: Place, sight: AspectSight | None) -> list[str]:
    video = store.get(Video, place.video_id)
    texts = texts_of_split(store, video.id, sight=sight)
    if texts.full.shown is None:
        return ["no full caption yet"]
    found = findings_of_split(store, video, texts.values, sight)
    held = dismissals(store, [one.found.id for one in found])
    return [
        *_side("spatial", texts.spatial),
        *_side("temporal", texts.temporal),
        *_findings(one.found.check for one in found if one.found.id not in held),
    ]


def _side(name: str, column: Column) -> list[str]:
    if not column.value.strip():
        return [f"the {name} text is empty"]
    if column.now and column.now.stale:
        return [f"the full caption has changed since the {name} text was made from it"]
    return []


def _findings(checks: Iterable[str]) -> list[str]:
    counts = Counter(check.replace("_", " ") for check in checks)
    if not counts:
        return []
    of = ", ".join(f"{check} {n}" for check, n in counts.most_common())
    return [f"{counts.total()} finding{'s' if counts.total() > 1 else ''} to settle: {of}"]


_POINTS: Mapping[str, Callable[[Store, Place, AspectSight | None], list[str]]] = {
    WRITE: _of_parts,
    MERGE: _of_merge,
    "split": _of_split,
}

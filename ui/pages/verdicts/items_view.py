"""Items of any system as a list: the sources, paging, filters and sorting (`item_sources.py`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

from annotation.people.who_labels_blind import Sight
from annotation.records.decisions import Person
from annotation.records.errors import NotFound
from annotation.records.runs import Evaluation
from annotation.store.benchmark_of_evaluation import evaluations_of, systems_of_evaluations
from annotation.store.cache_parts import LastUsed, Renewed
from annotation.store.opinion_rules import own_labels
from annotation.store.store import Store
from annotation.store.videos.library_index import videos_of
from backends.errors import UsageError
from ui.lib.item_sources import Detail, ItemChange, ItemOpinions, ItemSource, evaluation_of
from ui.lib.item_wire_types import ItemFacts, ItemHead, ItemRow
from ui.lib.view_parts import people_by_id
from ui.pages.verdicts.item_wire_types import ItemKind, ItemList, NextItem
from ui.systems.system_list import QUESTION_SYSTEMS, SYSTEMS

VIEW_OF = {source: view for view in SYSTEMS for source in view.items}
ITEMS: Mapping[str, ItemSource] = {s.name: s for s in sorted(VIEW_OF, key=lambda source: source.place)}
"""By the name in `?of=`, in the order of the switch."""

Sort = Literal["verdict", "mean", "title"]
KEPT = 8
SETTLED = ("corrected", "confirmed", "open", "stale", "flagged")
"""States in addition to the verdict itself."""


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Filter and order of an evaluation's items. Empty means all."""

    evaluation_id: str
    video_id: str = ""
    state: str = ""
    words: str = ""
    sort: Sort = "verdict"
    facets: tuple[tuple[str, str], ...] = ()


def source_of(name: str) -> ItemSource:
    """The source with this name. Raises NotFound."""
    if name not in ITEMS:
        raise NotFound(f"unknown kind of items {name!r}; choose from {', '.join(ITEMS)}")
    return ITEMS[name]


def pick_items(store: Store, source: ItemSource, wanted: str) -> str:
    """The evaluation to show: the requested one, else the newest. Empty if there is none."""
    found = [evaluation.id for evaluation in evaluations_of(store, *source.systems)]
    return wanted if wanted in found else found[0] if found else ""


def item_kinds_json(store: Store) -> list[ItemKind]:
    """The switch: questions, then all kinds of items. An address may name one without evaluations."""
    counts = Counter(systems_of_evaluations(store).values())
    titles = " and ".join(system.title for system in QUESTION_SYSTEMS)
    questions: ItemKind = {
        "name": "",
        "label": "Questions",
        "title": f"{titles}: questions",
        "script": "",
        "done": "",
        "evaluations": store.count(Evaluation) - counts.total(),
    }
    return [
        questions,
        *(_kind_json(source, counts) for source in ITEMS.values()),
    ]


def _kind_json(source: ItemSource, counts: Mapping[str, int]) -> ItemKind:
    return {
        "name": source.name,
        "label": source.label,
        "title": source.title,
        "script": VIEW_OF[source].script_of(source),
        "done": source.done,
        "evaluations": sum(counts.get(system, 0) for system in source.systems),
    }


class KeptRows(Renewed):
    """Cached rows of the most recent evaluations, until something changes. Thread-safe."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._rows: LastUsed[tuple[str, str], Sequence[ItemRow]] = LastUsed(KEPT)

    def rows(self, source: ItemSource, evaluation_id: str) -> Sequence[ItemRow]:
        with self.changes() as changes:
            if changes:
                self._rows.clear()
            return self._rows.made(
                (source.name, evaluation_id), lambda: tuple(source.rows(self.store, evaluation_id))
            )


def items_page(
    store: Store,
    of: str,
    wanted: ItemFilter,
    sight: Sight,
    *,
    at: str = "",
    offset: int = 0,
    limit: int = 100,
) -> ItemList:
    """A page of the list as this person may see it; `at` selects the page that contains this item."""
    rows, everything = _chosen(store, of, wanted, sight)
    position = next((n for n, row in enumerate(rows) if row.id == at), None) if at else None
    start = (position or 0) // limit * limit if at else offset
    return {
        "rows": list(rows[start : start + limit]),
        "total": len(rows),
        "offset": start,
        "position": position,
        "counts": _counts(everything),
        "blind": sight.blind,
        "evaluation": wanted.evaluation_id,
        "facets": _facets(everything),
        "groups": _groups(rows, _sort(wanted, sight)),
        "sort": _sort(wanted, sight),
        "what": source_of(of).what,
        "evaluations": [
            {"id": e.id, "name": e.name, "baseline": e.baseline}
            for e in evaluations_of(store, *source_of(of).systems)
        ],
    }


def next_item(store: Store, of: str, wanted: ItemFilter, sight: Sight, after: str) -> NextItem:
    """The next open item; after the last one the search continues from the first."""
    rows, _ = _chosen(store, of, wanted, sight)
    at = next((n for n, row in enumerate(rows) if row.id == after), -1)
    places = [n for n, row in enumerate(rows) if row.open and n != at]
    if not places:
        return {"position": None}
    position = next((n for n in places if n > at), places[0])
    return {"position": position, "id": rows[position].id, "video_id": rows[position].video_id}


def _chosen(
    store: Store, of: str, wanted: ItemFilter, sight: Sight
) -> tuple[Sequence[ItemRow], Sequence[ItemRow]]:
    """Rows that match the filter in their order, and all rows before state and words are applied."""
    if not wanted.evaluation_id:
        return (), ()
    kept = store.kept(KeptRows, lambda: KeptRows(store))
    rows = [_hidden(row, sight) for row in kept.rows(source_of(of), wanted.evaluation_id)]
    base = [row for row in rows if not wanted.video_id or row.video_id == wanted.video_id]
    shown = [row for row in base if _fits(row, wanted)]
    return _ordered(store, shown, _sort(wanted, sight)), base


def _sort(wanted: ItemFilter, sight: Sight) -> Sort:
    """The order; for people who label blind, the one that does not depend on verdicts."""
    return "title" if sight.blind else wanted.sort


def _ordered(store: Store, rows: Sequence[ItemRow], sort: Sort) -> list[ItemRow]:
    """Sort the rows; ties between videos are sorted by title, as in the Library."""
    if sort == "verdict":
        return sorted(rows, key=lambda row: row.rank)
    places, means = videos_of(store).places(), _means(rows) if sort == "mean" else {}
    return sorted(rows, key=lambda row: (means.get(row.video_id, inf), places.get(row.video_id, len(places))))


def _means(rows: Sequence[ItemRow]) -> dict[str, float]:
    """Per video the mean score of the rows that have one."""
    scores: dict[str, list[float]] = {}
    for row in rows:
        if row.score is not None:
            scores.setdefault(row.video_id, []).append(row.score)
    return {video_id: sum(found) / len(found) for video_id, found in scores.items()}


def _hidden(row: ItemRow, sight: Sight) -> ItemRow:
    if sight.sees(row.id):
        return row
    return replace(
        row,
        state="hidden",
        label="",
        rank=0.0,
        score=None,
        corrected=False,
        confirmed=False,
        stale=False,
        flag="",
        facets={},
        hidden=True,
    )


def _fits(row: ItemRow, wanted: ItemFilter) -> bool:
    words = wanted.words.lower()
    if words and words not in f"{row.text} {row.title} {row.note} {row.label}".lower():
        return False
    if any(row.facets.get(name) != value for name, value in wanted.facets):
        return False
    return not wanted.state or in_state(row, wanted.state)


def in_state(row: ItemRow, state: str) -> bool:
    """Whether the row is in this state, or is `corrected`, `confirmed`, `open`, `stale` or `flagged`."""
    marks = {
        "corrected": row.corrected,
        "confirmed": row.confirmed,
        "open": row.open,
        "stale": row.stale,
        "flagged": bool(row.flag),
    }
    return marks.get(state, row.state == state)


def _counts(rows: Sequence[ItemRow]) -> dict[str, int]:
    states = Counter(row.state for row in rows)
    settled = {name: sum(in_state(row, name) for row in rows) for name in SETTLED}
    return {"all": len(rows), **states, **settled}


def _facets(rows: Sequence[ItemRow]) -> dict[str, list[str]]:
    """The values of each facet; facets with a single value are left out."""
    found: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row.facets.items():
            found.setdefault(name, set()).add(value)
    return {name: sorted(values) for name, values in found.items() if len(values) > 1}


def _groups(rows: Sequence[ItemRow], sort: Sort) -> list[int]:
    """Rows per video, if the list is sorted by videos and most of them have several rows."""
    sizes = list(Counter(row.video_id for row in rows).values())
    return sizes if sort != "verdict" and len(sizes) * 2 <= len(rows) else []


def item_json(store: Store, of: str, item_id: str, sight: Sight, person: Person) -> ItemFacts:
    """Everything about one item that this person may see. Raises NotFound."""
    detail = source_of(of).detail(store, item_id)
    seen = sight.sees(item_id)
    head: ItemHead = {
        "id": item_id,
        "evaluation": evaluation_of(store, item_id),
        "hidden": not seen,
        "state": detail.state if seen else "hidden",
        "base_revision": detail.base_revision if seen else 0,
    }
    return detail.item(head, _opinions_of(store, item_id, detail, person, sight) if seen else None)


def _opinions_of(store: Store, item_id: str, detail: Detail, person: Person, sight: Sight) -> ItemOpinions:
    """The person's own opinion, of each word too, and whose opinion counts."""
    with store.reading() as conn:
        own = own_labels(conn, person.id, [item_id, *(word["id"] for word in detail.words)])
    now = store.currents("verdict", [item_id], "verdict").get(item_id)
    by = people_by_id(store)[now.by].name if now and now.by else ""
    return ItemOpinions(own, by, sight.blind)


def correct_item(store: Store, of: str, person: Person | None, item_id: str, change: ItemChange) -> None:
    """Correct an item. Raises UsageError for a value that is not a choice, NotFound, StaleEdit."""
    source = source_of(of)
    if not change.cleared and not change.target:
        values = [choice["value"] for choice in source.detail(store, item_id).shown["choices"]]
        if change.value not in values:
            raise UsageError(f"choose one of {', '.join(values)}")
    source.correct(store, person, item_id, change)

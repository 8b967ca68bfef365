"""The list of the Verdicts page as data: pages of rows, the position of a verdict, and the filter choices."""

from __future__ import annotations

from dataclasses import dataclass, replace

from annotation.people.who_labels_blind import Sight
from annotation.replies.verdict_reply import contradicts_itself
from annotation.reports.flagged_questions import suspect_questions, suspects_if_known
from annotation.reports.points_by_cause import proposed_verdicts
from annotation.store.exclusions import exclusions
from annotation.store.store import Store
from annotation.store.verdicts.figures_per_video import facets
from annotation.store.verdicts.filter_and_order import (
    NO_ERROR_SOURCE,
    PAGE,
    FlaggedQuestions,
    VerdictFilter,
    VerdictRow,
    View,
)
from ui.pages.verdicts.wire_types import NextVerdict, VerdictLine, VerdictList

MOST_GROUPS = 20_000
"""From this many videos on, a list has no headings: their positions would make the response too long."""


PROPOSED = "proposed"


@dataclass(frozen=True, slots=True)
class Place:
    """Selects a page of a list."""

    offset: int = 0
    limit: int = PAGE
    at: str = ""
    """A verdict: selects the page that contains it."""


def list_json(store: Store, asked: VerdictFilter, place: Place, sight: Sight) -> VerdictList:
    """A page of the list as this person may see it.

    The first page, and the one found by `at`, also have `facets`, and `groups`: rows per video, which give
    the position of every row without the rows themselves.
    """
    wanted = _with_proposed(store, sight.narrowed(asked))
    view = View(store, wanted, _flagged(store, wanted))
    position = view.position(place.at) if place.at else None
    offset = (position or 0) // place.limit * place.limit if place.at else place.offset
    rows = [sight.row(view.row(int(n))) for n in view.rows[offset : offset + place.limit]]
    page: VerdictList = {
        "rows": [row_json(row) for row in rows],
        "total": len(view.rows),
        "offset": offset,
        "counts": sight.counts(view.counts()),
        "position": position,
        "sort": wanted.sort,
        "blind": sight.blind,
    }
    if offset and not place.at:
        return page
    groups = view.groups()
    return {
        **page,
        "groups": groups if len(groups) <= MOST_GROUPS else (),
        "facets": facets(store, wanted.evaluation_id),
    }


def row_json(row: VerdictRow) -> VerdictLine:
    found: VerdictLine = {
        "verdict_id": row.verdict_id,
        "video_id": row.video_id,
        "video_title": row.video_title,
        "question_id": row.question_id,
        "kind": row.kind,
        "question": row.question,
        "state": row.state,
        "label": row.label,
        "score": row.score,
        "corrected": row.corrected,
        "stale": row.stale,
        "error_source": row.error_source,
        "baseline": row.baseline,
        "confirmed": row.confirmed,
        "disputed": row.disputed,
        "flag": row.flag,
        "hidden": row.hidden,
        "contradicts": contradicts_itself(row.label, row.score),
    }
    if row.beside:
        found["beside"] = row.beside
    return found


def next_json(store: Store, asked: VerdictFilter, after: str, sight: Sight) -> NextVerdict:
    """The next open verdict in the list; `position` is None if there is none."""
    wanted = _with_proposed(store, sight.narrowed(asked))
    view = View(store, wanted, _flagged(store, wanted))
    position = view.next_open(after)
    if position is None:
        return {"position": None}
    row = view.row(int(view.rows[position]))
    return {"position": position, "verdict_id": row.verdict_id, "video_id": row.video_id}


def _with_proposed(store: Store, wanted: VerdictFilter) -> VerdictFilter:
    """Resolve `proposed:judge`: verdicts without a named error source for which this one is proposed."""
    word, _, kind = wanted.error_source.partition(":")
    if word != PROPOSED:
        return wanted
    found = proposed_verdicts(store, wanted.evaluation_id, kind)
    return replace(wanted, error_source=NO_ERROR_SOURCE, among=found)


def _flagged(store: Store, wanted: VerdictFilter) -> FlaggedQuestions:
    """Flagged questions; a list that does not filter by them does not wait for the checks."""
    needed = wanted.flag in ("suspect", "sound")
    return FlaggedQuestions(
        suspect_questions(store) if needed else suspects_if_known(store), frozenset(exclusions(store))
    )

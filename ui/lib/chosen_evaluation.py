"""Choose the evaluation that a page shows."""

from __future__ import annotations

from sqlalchemy import and_, exists, select

from annotation.store import tables as t
from annotation.store.benchmark_of_evaluation import plain_evaluations
from annotation.store.find_ceiling_evaluations import ceiling_evaluations
from annotation.store.store import Store


def pick_evaluation(store: Store, wanted: str = "", video_id: str = "") -> str:
    """The evaluation to show: the requested one, else the newest that is not a baseline, else the newest.

    With a video, an evaluation with verdicts on that video is preferred. Empty if there is none.
    """
    found = plain_evaluations(store)  # items of other benchmarks have separate lists
    if wanted in {evaluation.id for evaluation in found}:
        return wanted
    with_verdicts = _with_verdicts(store)
    if video_id:
        about = _with_verdicts(store, video_id)
        found = [e for e in found if e.id in about] or found
    apart = {e.id for e in ceiling_evaluations(store)}  # reference captions: never opened by default
    ranked = sorted(
        found, key=lambda e: (e.id in apart, e.baseline, e.id not in with_verdicts, -e.created_at)
    )
    return ranked[0].id if ranked else ""


def _with_verdicts(store: Store, video_id: str = "") -> set[str]:
    """Evaluations with verdicts, or with verdicts on this video."""
    link, verdict = t.evaluation_run.c, t.verdict.c
    about = verdict.run_id == link.run_id
    if video_id:
        about = and_(about, verdict.video_id == video_id)
    query = select(link.evaluation_id).where(link.role == "verdicts", exists().where(about))
    with store.reading() as conn:
        return set(conn.scalars(query))

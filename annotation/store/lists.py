"""Long lists, paged, filtered and sorted by the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, and_, case, func, or_, select

from annotation.errors import NotFound
from annotation.records import Evaluation, EvaluationRun
from annotation.store import tables as t
from annotation.store.store import Store

Sort = Literal["worst", "worst_video", "order", "newest"]
PAGE = 200


@dataclass(frozen=True, slots=True)
class VerdictFilter:
    """What to show of an evaluation's verdicts. Empty means all."""

    evaluation_id: str
    video_id: str = ""
    kind: str = ""
    """An aspect, `vdc:camera`."""
    states: tuple[str, ...] = ()
    """Any of `yes`, `no`, `unparsed`, `failed`, `missing`, `stale`, `corrected`, `blamed`, `open`."""
    words: str = ""
    """Text found in question or reference answer, case ignored."""
    sort: Sort = "worst"


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One line of the list."""

    judgement_id: str
    video_id: str
    video_title: str
    question_id: str | None
    """None for a verdict on a video's aspect as a whole, where a log holds no more."""
    kind: str
    question: str
    state: str
    label: str
    score: float | None
    corrected: bool
    stale: bool
    blame: str
    baseline: bool


@dataclass(frozen=True, slots=True)
class VerdictPage:
    rows: tuple[VerdictRow, ...]
    total: int
    """Rows that the filter lets through."""
    counts: dict[str, int]
    """Over the whole evaluation (or its video), before states and words narrow it."""


C = t.current.c


def verdicts(store: Store, wanted: VerdictFilter, offset: int = 0, limit: int = PAGE) -> VerdictPage:
    """A page of verdicts, worst first unless asked otherwise."""
    runs = [
        link.run_id for link in store.find(EvaluationRun, evaluation_id=wanted.evaluation_id, role="verdicts")
    ]
    base = _base(runs, wanted)
    narrow = _narrow(wanted)
    with store.reading() as conn:
        joined = _joined().where(*base, *narrow)
        total = conn.scalar(select(func.count()).select_from(joined.subquery())) or 0
        query = joined.order_by(*_order(wanted)).offset(offset).limit(limit)
        rows = tuple(VerdictRow(**row) for row in conn.execute(query).mappings())
        return VerdictPage(rows, int(total), _counts(conn, base))


def _base(runs: Sequence[str], wanted: VerdictFilter) -> list[Any]:
    where = [C.subject_type == "judgement", C.superseded.is_(False), C.run_id.in_(runs)]
    if wanted.video_id:
        where.append(C.video_id == wanted.video_id)
    if wanted.kind:
        where.append(C.kind == wanted.kind)
    return where


_STATES: dict[str, Any] = {
    "yes": and_(C.state == "done", C.label == "yes"),
    "no": and_(C.state == "done", C.label == "no"),
    "unparsed": C.state == "unparsed",
    "failed": C.state == "failed",
    "missing": C.state == "missing",
    "stale": C.stale.is_(True),
    "corrected": C.corrected.is_(True),
    "blamed": C.blame != "",
    "open": and_(C.corrected.is_(False), C.blame == "", or_(C.state != "done", C.label != "yes")),
}


def _narrow(wanted: VerdictFilter) -> list[Any]:
    where: list[Any] = []
    chosen = [_STATES[state] for state in wanted.states if state in _STATES]
    if chosen:
        where.append(or_(*chosen))
    if wanted.words:
        escaped = wanted.words.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
        like = f"%{escaped}%"
        where.append(
            or_(t.question.c.text.ilike(like, escape="\\"), t.question.c.reference.ilike(like, escape="\\"))
        )
    return where


def _joined() -> Any:
    columns = (
        C.subject_id.label("judgement_id"), C.video_id, t.video.c.title.label("video_title"), C.question_id,
        C.kind, func.coalesce(t.question.c.text, "").label("question"), C.state, C.label, C.score,
        C.corrected, C.stale, C.blame, C.baseline,
    )  # fmt: skip
    return (
        select(*columns)
        .outerjoin(t.question, t.question.c.id == C.question_id)
        .join(t.video, t.video.c.id == C.video_id)
    )


def _order(wanted: VerdictFilter) -> tuple[Any, ...]:
    # Unreadable is not wrong: verdicts come first, then what needs a look, "yes" last.
    rank = case(
        (and_(C.state == "done", C.label == "no"), 0), (C.state != "done", 1), else_=2
    )  # fmt: skip
    worst = (rank, C.score.asc().nulls_last(), C.kind, t.question.c.index, C.subject_id)
    if wanted.sort == "order":
        return (t.video.c.title, C.video_id, C.kind, t.question.c.index, C.subject_id)
    if wanted.sort == "newest":
        return (C.updated_at.desc(), C.subject_id)
    if wanted.sort == "worst_video":
        return (_mean_of_video().asc().nulls_last(), C.video_id, *worst)
    return worst


def _mean_of_video() -> Any:
    other = t.current.alias("other")
    return (
        select(func.avg(other.c.score))
        .where(
            other.c.video_id == C.video_id, other.c.subject_type == "judgement",
            other.c.superseded.is_(False), other.c.state == "done", other.c.run_id == C.run_id,
        )
        .correlate(t.current)
        .scalar_subquery()
    )  # fmt: skip


def _counts(conn: Connection, base: Sequence[Any]) -> dict[str, int]:
    columns = [func.sum(case((clause, 1), else_=0)).label(name) for name, clause in _STATES.items()]
    row = conn.execute(select(func.count().label("all"), *columns).where(*base)).mappings().one()
    return {name: int(value or 0) for name, value in row.items()}


@dataclass(frozen=True, slots=True)
class AspectScore:
    """Mean score of one aspect of one video in one evaluation, over readable verdicts."""

    video_id: str
    kind: str
    score: float
    accuracy: float | None
    """None where a log holds nothing but a mean score."""
    n: int
    """Verdicts with a score."""
    of: int
    """All verdicts of the aspect."""


def aspect_scores(store: Store, evaluation_id: str) -> list[AspectScore]:
    """Per video and aspect: parsed only, with its denominator."""
    runs = [link.run_id for link in store.find(EvaluationRun, evaluation_id=evaluation_id, role="verdicts")]
    readable = and_(C.state == "done", C.score.is_not(None))
    said = and_(readable, C.label != "")  # a log's mean of a video has a score and no label
    query = (
        select(
            C.video_id, C.kind,
            func.avg(case((readable, C.score))).label("score"),
            func.avg(case((said, case((C.label == "yes", 1.0), else_=0.0)))).label("accuracy"),
            func.sum(case((readable, 1), else_=0)).label("n"), func.count().label("of"),
        )
        .where(C.subject_type == "judgement", C.superseded.is_(False), C.run_id.in_(runs))
        .group_by(C.video_id, C.kind)
    )  # fmt: skip
    with store.reading() as conn:
        return [
            AspectScore(row.video_id, row.kind or "", float(row.score), _float(row.accuracy), row.n, row.of)
            for row in conn.execute(query)
            if row.score is not None
        ]


def _float(value: Any) -> float | None:
    return None if value is None else float(value)


def find_evaluation(store: Store, name_or_id: str) -> str:
    """The id of the evaluation with this name or id. Raises NotFound naming those there are."""
    found = store.find(Evaluation)
    for evaluation in found:
        if name_or_id in (evaluation.id, evaluation.name):
            return evaluation.id
    names = ", ".join(repr(e.name) for e in found) or "none yet"
    raise NotFound(f"no evaluation {name_or_id!r}; there are: {names}")


def newest_evaluation(store: Store) -> str:
    """The id of the newest evaluation that no baseline made, else of the newest; empty when there is none."""
    found = sorted(store.find(Evaluation), key=lambda e: (not e.baseline, e.created_at))
    return found[-1].id if found else ""

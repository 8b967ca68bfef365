"""Read the verdicts of one evaluation as items to score, with few queries of one table each.

A hundred thousand verdicts are read in a second, because no records are built.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, select

from annotation.records.allowed_values import ResultState
from annotation.records.decisions import Correction
from annotation.records.runs import EvaluationRun, Run
from annotation.scores.scored_item import Item
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks, one_of, plain_rows
from annotation.store.exclusions import exclusions_in
from annotation.store.opinion_rules import verdicts_as_given
from annotation.store.store import Store
from annotation.store.verdicts.exact_match_column import exact_matches

C = t.current.c
J = t.verdict.c


def score_items(store: Store, evaluation_id: str, video_ids: Collection[str] = ()) -> list[Item]:
    """Return every current verdict, and a `missing` item for every answer without one.

    `video_ids` limits the result to these videos. Questions that a person names as the error source or
    excludes are suspect.
    """
    runs = _runs(store, evaluation_id)
    with store.reading() as conn:
        answers = _answers(conn, runs.get("answers", []), video_ids)
        rows, judged = _judged(conn, runs.get("verdicts", []), answers, video_ids)
        missing = _unjudged(conn, answers.question_of.keys() - judged)
        words = _caption_words(conn, {row.text_id for row in rows if row.text_id})
        sources, disciplines = _sources(conn, video_ids), _disciplines(conn, video_ids)
        exact = exact_matches(conn, runs.get("answers", []), video_ids)
        excluded = exclusions_in(conn).keys()
        repeats = _repeats(conn, store.find(Run, id=runs.get("repeats", [])), video_ids)
        blind = _blind(conn, [row.id for row in rows], video_ids)
    # If a log contains only a mean, its answers are part of that mean and not missing.
    summed_up = {(row.video_id, row.kind) for row in rows if row.value_type == "score_only"}
    known = _Known(words, sources, disciplines, exact, excluded, repeats, blind)
    items = [_item(row, known) for row in rows]
    items += [
        Item(
            video=row.video_id,
            aspect=_aspect(row.kind),
            state="missing",
            question=row.question_id,
            category=row.category,
            source=sources.get(row.video_id, ""),
            suspect=row.question_id in excluded,
            excluded=row.question_id in excluded,
            discipline=disciplines.get(row.video_id, ""),
            exact=exact.get(row.question_id),
        )
        for row in missing
        if (row.video_id, row.kind) not in summed_up
    ]
    return items


def evaluations_on(store: Store, kinds: Collection[str]) -> set[str]:
    """Return the ids of the evaluations with verdicts on questions of these kinds."""
    link, evaluation = t.evaluation_run.c, t.evaluation.c
    query = (
        select(evaluation.id)
        .join(t.evaluation_run, and_(link.evaluation_id == evaluation.id, link.role == "verdicts"))
        .where(
            select(C.subject_id)
            .where(C.run_id == link.run_id, C.subject_type == "verdict", C.kind.in_(sorted(kinds)))
            .exists()
        )
    )
    with store.reading() as conn:
        return set(conn.scalars(query))


def _runs(store: Store, evaluation_id: str) -> dict[str, list[str]]:
    runs: dict[str, list[str]] = {}
    for link in store.find(EvaluationRun, evaluation_id=evaluation_id):
        runs.setdefault(link.role, []).append(link.run_id)
    return runs


class _Judged(NamedTuple):
    """A verdict with its current values and its subject."""

    id: str
    subject_id: str
    video_id: str
    state: ResultState
    label: str
    score: float | None
    raw: str
    extra: Any
    value_type: str
    kind: str | None
    question_id: str | None
    corrected: bool
    now_label: str
    now_score: float | None
    error_source: str
    text_id: str | None
    category: str | None


class _Answers(NamedTuple):
    """Answers, and the categories of the questions."""

    text_of: dict[str, str]
    """Caption id by answer id, for answers extracted from a caption."""
    question_of: dict[str, str]
    """Question id by answer id, for the runs of the evaluation."""
    category_of: Mapping[str, str]
    """Category by question id."""


def _answers(conn: Connection, runs: Sequence[str], videos: Collection[str]) -> _Answers:
    a, q = t.answer.c, t.question.c
    own = plain_rows(
        conn, _of_videos(select(a.id, a.question_id, a.text_id), a.video_id, videos).where(a.run_id.in_(runs))
    )
    categories = plain_rows(conn, _of_videos(select(q.id, q.category), q.video_id, videos))
    texts = {row[0]: row[2] for row in own if row[2]}
    return _Answers(texts, {row[0]: row[1] for row in own}, dict(categories))


def _judged(
    conn: Connection, runs: Sequence[str], known: _Answers, videos: Collection[str]
) -> tuple[list[_Judged], set[str]]:
    """Return the current verdicts, and the subjects of all verdicts of the runs.

    Each table is read separately, in its own order. A join would look up every row of the other tables by
    id, which takes three times as long.
    """
    columns = (J.id, J.subject_id, J.video_id, J.state, J.label, J.score, J.raw, J.extra, J.value_type)
    rows = plain_rows(conn, _of_videos(select(*columns), J.video_id, videos).where(J.run_id.in_(runs)))
    on = {row[1] for row in rows}
    texts = known.text_of | _texts_elsewhere(conn, on - known.question_of.keys())
    now = _now(conn, runs, videos)
    found = []
    # Sort by video, so that values that are used together are close in memory.
    for row in sorted(rows, key=itemgetter(2)):
        if (current := now.get(row[0])) is not None:
            category = known.category_of.get(current[1] or "")
            found.append(_Judged._make((*row, *current, texts.get(row[1]), category)))
    return found, on


def _now(conn: Connection, runs: Sequence[str], videos: Collection[str]) -> dict[str, tuple[Any, ...]]:
    """Return by verdict id the columns of `_Judged` that come from `current`."""
    columns = (C.subject_id, C.kind, C.question_id, C.corrected, C.label, C.score, C.error_source)
    if not videos:
        wanted = (C.subject_type == "verdict", C.run_id.in_(runs), C.superseded.is_(False))
        query: Select[Any] = select(*columns).where(*wanted)
        return {row[0]: row[1:] for row in plain_rows(conn, query)}
    # Filter by video only: with a condition on the run, the database would scan the whole run.
    query = _of_videos(select(*columns, C.subject_type, C.run_id, C.superseded), C.video_id, videos)
    rows = plain_rows(conn, query)
    return {row[0]: row[1:7] for row in rows if row[7] == "verdict" and row[8] in runs and not row[9]}


def _texts_elsewhere(conn: Connection, subjects: Collection[str]) -> dict[str, str]:
    """Return the caption id by answer id for answers of other runs. Other subjects are left out."""
    found: dict[str, str] = {}
    a = t.answer.c
    for group in chunks(subjects):
        query = select(a.id, a.text_id).where(among(a.id, group), a.text_id.is_not(None))
        found |= {row[0]: row[1] for row in conn.execute(query)}
    return found


def _of_videos(query: Select[Any], column: ColumnElement[str], videos: Collection[str]) -> Select[Any]:
    return query.where(one_of(column, sorted(videos))) if videos else query


def _unjudged(conn: Connection, answers: Iterable[str]) -> list[Any]:
    """Return the given answers that are not superseded."""
    a, q = t.answer.c, t.question.c
    query = (
        select(a.video_id, a.question_id, q.kind, q.category)
        .join(t.question, q.id == a.question_id)
        .join(t.current, and_(C.subject_type == "answer", C.subject_id == a.id, C.superseded.is_(False)))
    )
    return [row for group in chunks(answers) for row in conn.execute(query.where(among(a.id, group)))]


def _caption_words(conn: Connection, text_ids: Collection[str]) -> dict[str, int]:
    """Return the number of words of each caption's current text."""
    if not text_ids:
        return {}
    query = select(C.subject_id, C.value).where(C.subject_type == "text", C.field == "value")
    if len(text_ids) < 500:
        query = query.where(C.subject_id.in_(sorted(text_ids)))
    return {row[0]: len(str(row[1]).split()) for row in conn.execute(query) if row[0] in text_ids}


def _sources(conn: Connection, videos: Collection[str]) -> dict[str, str]:
    """Return the source of each video, as given by its dataset."""
    found = {}
    query = _of_videos(select(t.video.c.id, t.video.c.extra), t.video.c.id, videos)
    for video_id, extra in conn.execute(query):
        source = (extra or {}).get("video_source")
        if isinstance(source, str):
            found[video_id] = source
    return found


def _disciplines(conn: Connection, videos: Collection[str]) -> dict[str, str]:
    query = select(t.video.c.id, t.video.c.discipline).where(t.video.c.discipline != "")
    return {row[0]: row[1] for row in conn.execute(_of_videos(query, t.video.c.id, videos))}


@dataclass(frozen=True, slots=True)
class _Known:
    """Data that is joined to the rows."""

    words: Mapping[str, int]
    sources: Mapping[str, str]
    disciplines: Mapping[str, str]
    exact: Mapping[str, float]
    excluded: Collection[str]
    repeats: _Repeats
    blind: Mapping[str, Correction | None]


@dataclass(frozen=True, slots=True)
class _Repeats:
    """Further verdicts of the judge on the same answers."""

    verdicts: Mapping[str, Sequence[tuple[float, float | None]]]
    """(accuracy, score) pairs by answer id."""
    first_too: bool
    """Whether the evaluation's own verdict was made at the same temperature."""

    def of(self, row: Any) -> tuple[tuple[float, float | None], ...]:
        further = self.verdicts.get(row.subject_id, ())
        own = [(_yes(row), row.score)] if further and self.first_too and _is_word(row) else []
        return (*own, *further)


def _repeats(conn: Connection, runs: Sequence[Run], videos: Collection[str]) -> _Repeats:
    """Return the repeated verdicts of the temperature chosen by `repeat_temperature`."""
    if not runs:
        return _Repeats({}, first_too=False)
    heat = repeat_temperature(runs)
    alike = [run.id for run in runs if run.params.get("temperature", 0.0) == heat]
    query = (
        select(J.subject_id, J.state, J.label, J.score)
        .join(t.current, and_(C.subject_type == "verdict", C.subject_id == J.id, C.superseded.is_(False)))
        .join(t.run, t.run.c.id == J.run_id)
        .where(J.run_id.in_(alike), J.subject_type == "answer")
        .order_by(t.run.c.seed)
    )
    query = _of_videos(query, J.video_id, videos)
    found: dict[str, list[tuple[float, float | None]]] = {}
    for row in conn.execute(query):
        if _is_word(row):
            found.setdefault(row.subject_id, []).append((_yes(row), row.score))
    return _Repeats(found, first_too=heat == 0)


def repeat_temperature(runs: Sequence[Run]) -> float:
    """Return the temperature whose repeats are used: that of the run that was started last."""
    last = max(runs, key=lambda run: (run.created_at, run.seed))
    return float(last.params.get("temperature", 0.0))


def _is_word(row: Any) -> bool:
    return bool(row.state == "done" and row.label in ("yes", "no"))


def _yes(row: Any) -> float:
    return float(row.label == "yes")


def _item(row: Any, known: _Known) -> Item:
    done = row.state == "done"
    mean = row.value_type == "score_only"
    changed = row.corrected and row.now_label in ("yes", "no") and not mean
    question, video = row.question_id or "", row.video_id
    return Item(
        video=video,
        aspect=_aspect(row.kind),
        state=row.state,
        accuracy=_accuracy(row) if done else None,
        score=row.score if done else None,
        raw=row.raw or None,
        human_accuracy=float(row.now_label == "yes") if changed else None,
        human_score=row.now_score if changed else None,
        given_blind=_given(known.blind[row.id]) if row.id in known.blind and not mean else None,
        question=question,
        verdict=row.id,
        category=row.category or "",
        source=known.sources.get(video, ""),
        discipline=known.disciplines.get(video, ""),
        exact=known.exact.get(question),
        caption_words=known.words.get(row.text_id) if row.text_id else None,
        suspect=row.error_source == "question" or question in known.excluded,
        excluded=question in known.excluded,
        repeats=known.repeats.of(row),
        is_mean=mean,
        weight_of=int(_extra(row).get("questions", 1)) if mean else 1,
    )


def _blind(conn: Connection, ids: Sequence[str], videos: Collection[str]) -> dict[str, Correction | None]:
    """Return `verdicts_as_given` for those of these verdicts that have a blind label."""
    c = t.correction.c
    labelled = select(c.subject_id).where(c.subject_type == "verdict", c.blind.is_(True)).distinct()
    groups = chunks(ids) if videos else ()
    found = {key for group in groups for key in conn.scalars(labelled.where(among(c.subject_id, group)))}
    found = found if videos else set(conn.scalars(labelled)) & set(ids)
    return verdicts_as_given(conn, sorted(found))


def _given(opinion: Correction | None) -> tuple[float | None, float | None]:
    value = opinion.value if opinion else {}
    label = value.get("label")
    return (float(label == "yes"), value.get("score")) if label in ("yes", "no") else (None, None)


def _accuracy(row: Any) -> float | None:
    if row.value_type == "score_only":
        found = _extra(row).get("accuracy")
        return float(found) if isinstance(found, int | float) else None
    return float(row.label == "yes")


def _extra(row: Any) -> dict[str, Any]:
    """Parse `extra`. Called only for means from logs: parsing 100,000 empty values takes half a second."""
    read: dict[str, Any] = json.loads(row.extra) if isinstance(row.extra, str) else (row.extra or {})
    return read


def _aspect(kind: str | None) -> str:
    return (kind or "").partition(":")[2] or (kind or "none")

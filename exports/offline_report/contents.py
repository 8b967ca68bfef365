"""Contents of an offline report: the scores, and every question with its results.

Left out, with counts: questions that a person excluded, and questions whose current verdict or error source
comes from a person who labels blind now. The report contains no names of people.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.people.who_labels_blind import mode_of
from annotation.pipeline.question_chains import chain_of_all
from annotation.records.decisions import Person
from annotation.records.videos import Video
from annotation.reports.evaluation_report import report
from annotation.store.exclusions import exclusions
from annotation.store.store import Store
from annotation.systems.vdc.supporting_spans import supporting_span
from annotation.texts.which_text_counts import Values
from exports.files.evaluations_and_corrections import load_evaluation
from exports.files.format_types import Wanted
from exports.logs.evaluation_rows import Chain, Row, load_chain


@dataclass(frozen=True, slots=True)
class ReportedQuestion:
    """One question, with values as shown."""

    row: Row
    title: str
    """Title of the video."""
    question: str
    reference: str
    answer: str
    caption: str
    span: tuple[int, int] | None
    """Range of the caption that supports the answer."""
    state: str
    """Current state: `yes`, `no`, `unparsed`, `failed` or `missing`."""
    score: float | None
    machine_state: str
    machine_score: float | None
    corrected: bool
    correction_reason: str
    judge_reason: str
    error_source: str
    stale: bool
    baseline: bool


@dataclass(frozen=True, slots=True)
class Contents:
    """An evaluation, ready for writing."""

    name: str
    scores: dict[str, Any]
    """Result of `annotation.reports.evaluation_report.report`."""
    asked: tuple[ReportedQuestion, ...]
    """In the order of the evaluation."""
    excluded: int
    blind: int
    whole: int
    """Number of a log's verdicts on a whole video and aspect, which appear only in the scores."""


def contents_of(wanted: Wanted) -> Contents | None:
    """Return the contents; None if the evaluation has no verdicts. Raises UsageError or NotFound."""
    store = wanted.store
    evaluation = load_evaluation(store, wanted.evaluation_id)
    chain = load_chain(store, evaluation)
    if not chain.rows and not chain.aspect_verdicts:
        return None
    excluded = exclusions(store, [row.question.id for row in chain.rows]).keys()
    blind = blind_people(store)
    kept = [row for row in chain.rows if row.question.id not in excluded]
    shown = [row for row in kept if not _labelled_by(row, blind)]
    of_system = chain_of_all([row.question for row in chain.rows])
    return Contents(
        name=evaluation.name,
        scores={"system": of_system.benchmark} | report(store, evaluation.id, by=(of_system.group,)),
        asked=tuple(_asked(store, chain, shown, wanted.values)),
        excluded=len(chain.rows) - len(kept),
        blind=len(kept) - len(shown),
        whole=len(chain.aspect_verdicts),
    )


def blind_people(store: Store) -> frozenset[str]:
    """Return ids of people who label blind now."""
    return frozenset(person.id for person in store.find(Person) if mode_of(store, person.id).on)


def _labelled_by(row: Row, people: Collection[str]) -> bool:
    opinions = (row.correction, row.error_source)
    return any(opinion is not None and opinion.person_id in people for opinion in opinions)


def _asked(store: Store, chain: Chain, rows: Sequence[Row], values: Values) -> list[ReportedQuestion]:
    titles = {video.id: video.title for video in store.find(Video)}
    return [_one(chain, row, titles[row.question.video_id], values) for row in rows]


def _one(chain: Chain, row: Row, title: str, values: Values) -> ReportedQuestion:
    current = values == "current"
    texts = chain.captions.get(row.question.video_id, {})
    shown = texts.get(row.question.kind)
    caption = shown.of(values) if shown else ""
    question, answer = str(row.asked.value), str((row.said.value if current else row.said.machine) or "")
    correction = row.correction if current else None
    return ReportedQuestion(
        row=row,
        title=title,
        question=question,
        reference=str(row.reference.value),
        answer=answer,
        caption=caption,
        span=supporting_span(caption, question, answer),
        state=_word(row, values),
        score=row.score(values),
        machine_state=_word(row, "machine"),
        machine_score=row.score("machine"),
        corrected=current and row.current is not None and row.current.changed,
        correction_reason=correction.reason if correction else "",
        judge_reason=row.verdict.reason if row.verdict else "",
        error_source=row.error_source.kind if row.error_source and current else "",
        stale=row.current is not None and row.current.stale,
        baseline=row.verdict is not None and row.verdict.baseline,
    )


def _word(row: Row, values: Values) -> str:
    state = row.state(values)
    return row.label(values) if state == "done" else state

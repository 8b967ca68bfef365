"""An evaluation as rows: question, answer and verdict, with corrections."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.pipeline.question_chains import CHAINS, kinds_of
from annotation.records.captions_to_verdicts import Answer, Question, Verdict
from annotation.records.decisions import Correction, ErrorSource
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.store.opinion_rules import counting_error_sources
from annotation.store.store import Current, Store
from annotation.texts.which_text_counts import CountingText, Values, Whose, texts_by_subject
from exports.files.evaluations_and_corrections import by_ids, last_corrections, load_evaluation, pick
from exports.files.format_types import Wanted
from exports.logs.aspect_verdicts import AspectVerdict, aspect_verdicts

KIND_ORDER = {kind: n for n, kind in enumerate(kind for chain in CHAINS for kind in kinds_of(chain))}
"""Kinds of questions and of the captions that they are about, in their order."""


@dataclass(frozen=True, slots=True)
class Row:
    """One question of an evaluation."""

    question: Question
    asked: Current
    reference: Current
    answer: Answer
    said: Current
    answer_correction: Correction | None
    verdict: Verdict | None
    """None if the answer has no verdict yet."""
    current: Current | None
    """The verdict that counts now."""
    correction: Correction | None
    error_source: ErrorSource | None

    @property
    def aspect(self) -> str:
        return self.question.kind.removeprefix("vdc:")

    def state(self, values: Values) -> str:
        """`done`, `unparsed`, `failed` or `missing`."""
        if self.verdict is None or self.current is None:
            return "missing"
        return self.current.state if values == "current" else self.verdict.state

    def label(self, values: Values) -> str:
        return str(pick(self.current, values)["label"]) if self.current else ""

    def score(self, values: Values) -> float | None:
        found = pick(self.current, values)["score"] if self.current else None
        return None if found is None else float(found)


@dataclass(frozen=True, slots=True)
class Chain:
    """An evaluation: runs by role, captions, and rows ordered by video, aspect and question."""

    evaluation: Evaluation
    runs: Mapping[str, tuple[Run, ...]]
    captions: Mapping[str, Mapping[str, CountingText]]
    """`{video id: {kind: caption}}`."""
    rows: tuple[Row, ...]
    aspect_verdicts: tuple[AspectVerdict, ...]
    """Values that a log has per video and aspect only, without rows."""


def load_chain(store: Store, evaluation: Evaluation) -> Chain:
    """Load the current results of an evaluation, without superseded ones."""
    links = store.find(EvaluationRun, evaluation_id=evaluation.id)
    known = by_ids(store, Run, (link.run_id for link in links))
    runs = {
        role: tuple(known[link.run_id] for link in links if link.role == role)
        for role in ("captions", "questions", "answers", "verdicts")
    }
    verdicts = store.find(Verdict, run_id=[run.id for run in runs["verdicts"]])
    currents = store.currents("verdict", [j.id for j in verdicts], "verdict")
    live = [j for j in verdicts if not currents[j.id].superseded]
    on_answers = {j.subject_id: j for j in live if j.subject_type == "answer"}
    captions = _captions(store, evaluation)
    corrected = last_corrections(store, "verdict")
    rows = _rows(store, [run.id for run in runs["answers"]], on_answers, currents, corrected)
    whole = aspect_verdicts(live, currents, corrected)
    return Chain(evaluation, runs, captions, tuple(rows), whole)


COUNTED = ("captions", "failed captions", "questions", "verdicts", "unparsed", "failed", "missing")
"""What is counted per video. The last three are verdicts without a value."""


def evaluation_counts(wanted: Wanted) -> dict[str, dict[str, int]]:
    """Return `{video id: {what: n}}`, with `what` from `COUNTED`. Raises UsageError, NotFound."""
    chain = load_chain(wanted.store, load_evaluation(wanted.store, wanted.evaluation_id))
    states = [(row.question.video_id, row.state(wanted.values)) for row in chain.rows]
    states += [(whole.place[0], whole.state(wanted.values)) for whole in chain.aspect_verdicts]
    captions = [(video, one) for video, texts in chain.captions.items() for one in texts.values()]
    found = Counter((video, "captions" if one.has_words else "failed captions") for video, one in captions)
    found.update((row.question.video_id, "questions") for row in chain.rows)
    found.update((video, "verdicts" if state == "done" else state) for video, state in states)
    return {
        video: {what: found[video, what] for what in COUNTED} for video in dict.fromkeys(v for v, _ in found)
    }


def _captions(store: Store, evaluation: Evaluation) -> dict[str, dict[str, CountingText]]:
    """Return the captions by video and kind, including failed ones."""
    found: dict[str, dict[str, CountingText]] = defaultdict(dict)
    for subject, group in texts_by_subject(store, None, Whose("evaluation", evaluation.id)).items():
        if subject.subject_id == subject.video_id:
            found[subject.video_id][subject.kind] = group[0]
    return dict(found)


def _rows(
    store: Store,
    answer_runs: Sequence[str],
    verdicts: Mapping[str, Verdict],
    currents: Mapping[str, Current],
    corrected: Mapping[tuple[str, str], Correction],
) -> list[Row]:
    found = store.find(Answer, run_id=list(answer_runs)) or by_ids(store, Answer, verdicts).values()
    answers = store.not_superseded(found)
    questions = by_ids(store, Question, (answer.question_id for answer, _ in answers))
    asked, references = (store.currents("question", questions, field) for field in ("text", "reference"))
    answers_corrected = last_corrections(store, "answer")
    with store.reading() as conn:
        error_sources = counting_error_sources(conn, [verdict.id for verdict in verdicts.values()])
    rows = []
    for answer, said in answers:
        question, verdict = questions[answer.question_id], verdicts.get(answer.id)
        key = verdict.id if verdict else ""
        rows.append(
            Row(
                question=question,
                asked=asked[question.id],
                reference=references[question.id],
                answer=answer,
                said=said,
                answer_correction=answers_corrected.get((answer.id, "value")),
                verdict=verdict,
                current=currents.get(key),
                correction=corrected.get((key, "verdict")),
                error_source=error_sources.get(key),
            )
        )
    return sorted(rows, key=_place)


def _place(row: Row) -> tuple[str, int, int, str]:
    q = row.question
    return q.video_id, KIND_ORDER.get(q.kind, len(KIND_ORDER)), q.index, q.id

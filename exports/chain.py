"""An evaluation as rows: question, answer and verdict side by side, with who changed what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.records import (
    VDC_ASPECTS,
    Answer,
    Blame,
    Correction,
    Evaluation,
    EvaluationRun,
    Judgement,
    Question,
    Run,
)
from annotation.store.store import Current, Store
from annotation.video_mmlu import NOTES, REASONING
from exports.batch import Values
from exports.values import Shown, by_ids, last_corrections, pick, run_texts

_KINDS = (*(f"vdc:{aspect}" for aspect in VDC_ASPECTS), NOTES, REASONING)
KIND_ORDER = {kind: number for number, kind in enumerate(_KINDS)}


@dataclass(frozen=True, slots=True)
class Row:
    """One question of an evaluation."""

    question: Question
    asked: Current
    reference: Current
    answer: Answer
    said: Current
    answer_correction: Correction | None
    judgement: Judgement | None
    """None where the answer has no verdict yet."""
    verdict: Current | None
    correction: Correction | None
    blame: Blame | None

    @property
    def aspect(self) -> str:
        return self.question.kind.removeprefix("vdc:")

    def state(self, values: Values) -> str:
        """`done`, `unparsed`, `failed` or `missing`."""
        if self.judgement is None or self.verdict is None:
            return "missing"
        return self.verdict.state if values == "current" else self.judgement.state

    def label(self, values: Values) -> str:
        return str(pick(self.verdict, values)["label"]) if self.verdict else ""

    def score(self, values: Values) -> float | None:
        found = pick(self.verdict, values)["score"] if self.verdict else None
        return None if found is None else float(found)


@dataclass(frozen=True, slots=True)
class Chain:
    """An evaluation: its runs by role, its captions, its rows in order of video, aspect and question."""

    evaluation: Evaluation
    runs: Mapping[str, tuple[Run, ...]]
    captions: Mapping[str, Mapping[str, Shown]]
    """`{video id: {kind: caption}}`."""
    rows: tuple[Row, ...]
    without_answer: int
    """Verdicts that a log holds per video and aspect only, so that they have no row."""


def load_chain(store: Store, evaluation: Evaluation) -> Chain:
    """Everything that counts now; what newer results replaced is left out."""
    links = store.find(EvaluationRun, evaluation_id=evaluation.id)
    known = by_ids(store, Run, (link.run_id for link in links))
    runs = {
        role: tuple(known[link.run_id] for link in links if link.role == role)
        for role in ("captions", "questions", "answers", "verdicts")
    }
    judgements = store.find(Judgement, run_id=[run.id for run in runs["verdicts"]])
    verdicts = store.currents("judgement", [j.id for j in judgements], "verdict")
    live = [j for j in judgements if not verdicts[j.id].superseded]
    on_answers = {j.subject_id: j for j in live if j.subject_type == "answer"}
    captions = run_texts(store, [run.id for run in runs["captions"]])
    rows = _rows(store, [run.id for run in runs["answers"]], on_answers, verdicts)
    return Chain(evaluation, runs, captions, tuple(rows), len(live) - len(on_answers))


def _rows(
    store: Store,
    answer_runs: Sequence[str],
    judgements: Mapping[str, Judgement],
    verdicts: Mapping[str, Current],
) -> list[Row]:
    answers = {a.id: a for a in store.find(Answer, run_id=list(answer_runs))}
    if not answers:
        answers = by_ids(store, Answer, judgements)
    said = store.currents("answer", answers, "value")
    answers = {key: answer for key, answer in answers.items() if not said[key].superseded}
    questions = by_ids(store, Question, (a.question_id for a in answers.values()))
    asked, references = (store.currents("question", questions, field) for field in ("text", "reference"))
    corrected = last_corrections(store, "judgement")
    answers_corrected = last_corrections(store, "answer")
    blames = {b.judgement_id: b for b in store.find(Blame, order_by=["created_at", "id"])}
    rows = []
    for answer in answers.values():
        question, judgement = questions[answer.question_id], judgements.get(answer.id)
        key = judgement.id if judgement else ""
        blame = blames.get(key)
        rows.append(
            Row(
                question=question, asked=asked[question.id], reference=references[question.id], answer=answer,
                said=said[answer.id], answer_correction=answers_corrected.get((answer.id, "value")),
                judgement=judgement, verdict=verdicts.get(key), correction=corrected.get((key, "verdict")),
                blame=blame if blame and blame.kind else None,
            )
        )  # fmt: skip
    return sorted(rows, key=_place)


def _place(row: Row) -> tuple[str, int, int, str]:
    q = row.question
    return q.video_id, KIND_ORDER.get(q.kind, len(KIND_ORDER)), q.index, q.id

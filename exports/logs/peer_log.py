"""What every peer's log becomes: an evaluation of runs that were elsewhere.

A log holds as much as its writer kept: captions always, answers and verdicts sometimes, and sometimes
only a mean per video and aspect. Each kind has its record, and what is not there is not invented.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, cast

from annotation.records import fingerprints
from annotation.records.allowed_values import ResultState, TextKind
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.errors import FormatError
from annotation.records.ids import Json, record_id
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Dataset
from annotation.replies.verdict_reply import read_verdict
from exports.files.import_intake import Intake
from exports.files.question_lookup import QuestionPool
from exports.logs.evaluation_names import LONGEST_NAME, free_name
from exports.logs.roundtrip_fields import Own, OwnVerdict

DATASET = "VDC"

Role = Literal["captions", "questions", "answers", "verdicts"]
_UPSTREAM: Mapping[Role, tuple[Role, ...]] = {
    "captions": (),
    "questions": (),
    "answers": ("captions", "questions"),
    "verdicts": ("answers",),
}
NOT_RECORDED = "not recorded"


class PeerLog:
    """Builds the records of one log; the reader of a format calls it line by line."""

    def __init__(
        self,
        intake: Intake,
        path: Path,
        mark: str,
        models: Mapping[Role, str],
        params: Mapping[str, Json],
        dataset: str = DATASET,
        own: Own | None = None,
    ) -> None:
        """`mark` is a fingerprint of the log's content: the same log gives the same records.

        `own` is what an export of ours says of the evaluation.
        """
        self.intake, self.path, self.mark = intake, path, mark
        self._params, self._dataset = params, dataset
        self._own = own or Own()
        self.ours = bool(self._own.name)
        self._models: dict[str, str] = {**dict(models.items()), **self._own.models}
        if self._own.created is not None:
            intake.now = self._own.created
        self._runs: dict[Role, Run] = {}
        self._pool = QuestionPool(intake.source.store, self._run_id("answers"))

    # --- what the lines hold ----------------------------------------------------------

    def video(self, name: str, where: str, **about: Json) -> tuple[str, Dataset]:
        """The video that the log calls `name`, one of the workspace where it is known."""
        dataset = self.intake.dataset_of(name, self._dataset)
        return self.intake.video(dataset, name, where, **about), dataset

    def reference(self, video_id: str, dataset: Dataset, kind: str, value: str) -> None:
        """The reference caption, as the dataset's own."""
        if not value.strip():
            return
        self.intake.add(
            Text(
                id=record_id("txt", dataset.id, video_id, kind),
                video_id=video_id,
                kind=cast(TextKind, kind),
                subject_type="video",
                subject_id=video_id,
                value=value,
                created_at=self.intake.now,
                dataset_id=dataset.id,
            )
        )

    def caption(self, video_id: str, kind: str, value: str, *, reason: str = "") -> Text:
        """The model's caption; with a `reason`, one that failed."""
        run = self.run("captions")
        state: ResultState = "failed" if reason else "done" if value.strip() else "missing"
        text = Text(
            id=record_id("txt", run.id, video_id, kind),
            video_id=video_id,
            kind=cast(TextKind, kind),
            subject_type="video",
            subject_id=video_id,
            value=value,
            created_at=self.intake.now,
            state=state,
            reason=reason,
            run_id=run.id,
            baseline=run.baseline,
        )
        self.intake.add(text)
        return text

    def known_question(self, video_id: str, kind: str, words: tuple[str, str], index: int) -> Question | None:
        """One of the workspace with these words; each is given once."""
        return self._pool.take(video_id, kind, words, index)

    def knows(self, video_id: str, kind: str, words: tuple[str, str]) -> bool:
        """Whether the workspace asks this; nothing is given away by asking."""
        return self._pool.has(video_id, kind, words)

    def question(
        self, video_id: str, kind: str, words: tuple[str, str], index: int, where: str, category: str = ""
    ) -> Question:
        """One of the workspace with these words, else a new one of this log."""
        if not all(part.strip() for part in words):
            self.intake.problem(where, f"question {index + 1}: the question or its reference answer is empty")
        found = self.known_question(video_id, kind, words, index)
        if found is not None:
            return found
        run = self.run("questions")
        made = Question(
            id=record_id("qst", run.id, video_id, kind, index, *words),
            video_id=video_id,
            kind=cast(TextKind, kind),
            index=index,
            text=words[0],
            reference=words[1],
            created_at=self.intake.now,
            category=category,
            run_id=run.id,
        )
        self.intake.add(made)
        return made

    def answer(self, question: Question, value: str, caption: Text | None) -> Answer:
        run = self.run("answers")
        written = caption.value if caption else ""
        answer = Answer(
            id=record_id("ans", run.id, question.id),
            video_id=question.video_id,
            question_id=question.id,
            run_id=run.id,
            source="imported",
            value=value,
            created_at=self.intake.now,
            state="done" if value.strip() else "missing",
            text_id=caption.id if caption else None,
            source_hash=fingerprints.of_answer(written, question.text),
            baseline=run.baseline,
        )
        self.intake.add(answer)
        return answer

    def verdict(self, question: Question, answer: Answer, raw: str, *, failed: bool = False) -> Verdict:
        """The judge's reply, read by our own reader; the raw text stays."""
        read = read_verdict(raw)
        if failed:
            return self.given(question, answer, OwnVerdict("failed", "", None, "the log holds no reply", raw))
        return self.given(question, answer, OwnVerdict(read.state, read.pred, read.score, read.reason, raw))

    def given(self, question: Question, answer: Answer, given: OwnVerdict) -> Verdict:
        """A verdict that was read before, on a question."""
        run = self.run("verdicts")
        verdict = Verdict(
            id=record_id("jdg", run.id, answer.id),
            video_id=question.video_id,
            run_id=run.id,
            subject_type="answer",
            subject_id=answer.id,
            value_type="yes_no_score",
            created_at=self.intake.now,
            state=given.state,
            label=given.pred,
            score=given.score,
            reason=given.reason,
            raw=given.raw,
            baseline=run.baseline,
            source_hash=fingerprints.of_verdict(question.text, question.reference, answer.value),
        )
        self.intake.add(verdict)
        return verdict

    def mean(
        self,
        video_id: str,
        kind: str,
        accuracy: float | None,
        score: float | None,
        questions: int | None,
        rest: Mapping[str, Json] | None = None,
    ) -> None:
        """A video's mean over its questions, where the log keeps no more; `rest` is all else."""
        run = self.run("verdicts")
        extra: dict[str, Json] = {"questions": questions} if questions else {}
        extra |= {"log": dict(rest)} if rest else {}
        self.intake.add(
            Verdict(
                id=record_id("jdg", run.id, video_id, kind),
                video_id=video_id,
                run_id=run.id,
                subject_type="video_aspect",
                subject_id=video_id,
                value_type="score_only",
                created_at=self.intake.now,
                state="done" if score is not None else "missing",
                label="",
                score=score,
                kind=cast(TextKind, kind),
                extra=extra | ({"accuracy": accuracy} if accuracy is not None else {}),
            )
        )

    # --- what holds it together -------------------------------------------------------

    def run(self, role: Role) -> Run:
        """The run of a stage, made when it is first needed."""
        if role not in self._runs:
            upstream = tuple(self._runs[name].id for name in _UPSTREAM[role] if name in self._runs)
            self._runs[role] = Run(
                id=self._run_id(role),
                stage=role,
                backend=f"import:{self._params.get('peer', self.path.name)}"[:200],
                model=self._models.get(role, NOT_RECORDED),
                created_at=self.intake.now,
                params=self._params,
                upstream=upstream,
                baseline=role in self._own.baseline,
            )
            self.intake.add(self._runs[role])
        return self._runs[role]

    def _run_id(self, role: Role) -> str:
        return record_id("run", "import", role, self.mark)

    def finish(self, name: str, note: str = "", time: str = "") -> None:
        """The evaluation over the runs; `time` is when they began. Raises FormatError when they are none."""
        if not self._runs:
            raise FormatError(f"{self.path.name}: no captions, answers or scores in this log")
        name, note = self._own.name or name, self._own.note if self._own.name else note
        evaluation_id = record_id("evl", "import", self.mark)
        self.intake.add(
            Evaluation(
                id=evaluation_id,
                name=free_name(self.intake, name[:LONGEST_NAME], evaluation_id, time),
                created_at=self.intake.now,
                note=note,
                baseline=bool(self._own.baseline),
            )
        )
        for role, run in self._runs.items():
            link = record_id("evr", evaluation_id, role, run.id)
            self.intake.add(EvaluationRun(id=link, evaluation_id=evaluation_id, role=role, run_id=run.id))

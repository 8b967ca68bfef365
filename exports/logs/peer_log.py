"""Common form of other tools' logs: an evaluation with runs made elsewhere.

A log has captions, sometimes answers and verdicts, and sometimes only a mean per video and aspect. Each kind
becomes a record; missing values are not made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.records import fingerprints
from annotation.records.allowed_values import ResultState, ValueType
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.errors import FormatError
from annotation.records.ids import Json, record_id
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Dataset
from exports.files.import_intake import Intake
from exports.files.question_lookup import QuestionPool
from exports.logs.aspect_verdicts import SUBJECT
from exports.logs.evaluation_names import LONGEST_NAME, free_name
from exports.logs.roundtrip_fields import Own, OwnVerdict, Role, verdict_of_reply

DATASET = "VDC"

_UPSTREAM: Mapping[Role, tuple[Role, ...]] = {
    "captions": (),
    "questions": (),
    "answers": ("captions", "questions"),
    "verdicts": ("answers",),
}
NOT_RECORDED = "not recorded"


class PeerLog:
    """Builds the records of one log. A format's reader calls it for each line."""

    def __init__(
        self,
        intake: Intake,
        path: Path,
        mark: str,
        models: Mapping[Role, str],
        params: Mapping[str, Json],
        dataset: str = DATASET,
        own: Own | None = None,
        peer: str = "",
    ) -> None:
        """`mark` is a fingerprint of the log's content: the same log gives the same records.

        `own` holds Dailies' own fields in the log; if it has a name, the log is our export. `peer` names the
        tool that owns the format, unless `params` does.
        """
        self.intake, self.path, self.mark = intake, path, mark
        self._params, self._dataset = params, dataset
        self._own = own or Own()
        self.ours = bool(self._own.name)
        self._models: dict[str, str] = {**dict(models.items()), **self._own.models}
        self.created = intake.now if self._own.created is None else self._own.created
        if self.ours:
            intake.now = self.created
        self._backend = f"import:{peer or params.get('peer', path.name)}"[:200]
        self.runs: dict[Role, Run] = {}
        self._pool = QuestionPool(intake.source.store, self._run_id("answers"))

    # --- contents of lines -------------------------------------------------------------

    def video(self, name: str, where: str, **about: Json) -> tuple[str, Dataset]:
        """Return the video that the log calls `name`, known or new, and its dataset."""
        dataset = self.intake.dataset_of(name, self._dataset)
        return self.intake.video(dataset, name, where, **about), dataset

    def reference(self, video_id: str, dataset: Dataset, kind: str, value: str) -> None:
        """Add the reference caption as a text of the dataset."""
        if not value.strip():
            return
        self.intake.add(
            Text(
                id=record_id("txt", dataset.id, video_id, kind),
                video_id=video_id,
                kind=kind,
                subject_type="video",
                subject_id=video_id,
                value=value,
                created_at=self.created,
                dataset_id=dataset.id,
            )
        )

    def caption(
        self, video_id: str, kind: str, value: str, *, state: ResultState | None = None, reason: str = ""
    ) -> Text:
        """Add the model's caption. With a `reason` and no state it is a failed one."""
        run = self.run("captions")
        text = Text(
            id=record_id("txt", run.id, video_id, kind),
            video_id=video_id,
            kind=kind,
            subject_type="video",
            subject_id=video_id,
            value=value,
            created_at=self.created,
            state=state or ("failed" if reason else "done" if value.strip() else "missing"),
            reason=reason,
            run_id=run.id,
            baseline=run.baseline,
        )
        self.intake.add(text)
        return text

    def known_question(self, video_id: str, kind: str, words: tuple[str, str], index: int) -> Question | None:
        """Return a question of the workspace with these words, or None. Each question is returned once."""
        return self._pool.take(video_id, kind, words, index)

    def knows(self, video_id: str, kind: str, words: tuple[str, str]) -> bool:
        """Return whether the workspace has this question, without taking it."""
        return self._pool.has(video_id, kind, words)

    def question(
        self, video_id: str, kind: str, words: tuple[str, str], index: int, where: str, category: str = ""
    ) -> Question:
        """Return the workspace's question with these words, else a new question of this log.

        Empty words are reported at `where`, unless `where` is empty.
        """
        if where and not all(part.strip() for part in words):
            self.intake.problem(where, f"question {index + 1}: the question or its reference answer is empty")
        found = self.known_question(video_id, kind, words, index)
        if found is not None:
            return found
        run = self.run("questions")
        made = Question(
            id=record_id("qst", run.id, video_id, kind, index, *words),
            video_id=video_id,
            kind=kind,
            index=index,
            text=words[0],
            reference=words[1],
            created_at=self.created,
            category=category,
            run_id=run.id,
        )
        self.intake.add(made)
        return made

    def answer(
        self,
        question: Question,
        value: str,
        caption: Text | None,
        *,
        state: ResultState | None = None,
        reason: str = "",
        source_hash: str = "",
    ) -> Answer:
        """Add an answer. Values missing from the log are derived from the text."""
        run = self.run("answers")
        written = caption.value if caption else ""
        answer = Answer(
            id=record_id("ans", run.id, question.id),
            video_id=question.video_id,
            question_id=question.id,
            run_id=run.id,
            source="imported",
            value=value,
            created_at=self.created,
            state=state or ("done" if value.strip() else "missing"),
            reason=reason,
            text_id=caption.id if caption else None,
            source_hash=source_hash or fingerprints.of_answer(written, question.text),
            baseline=run.baseline,
        )
        self.intake.add(answer)
        return answer

    def verdict(self, question: Question, answer: Answer, raw: str, *, failed: bool = False) -> Verdict:
        """Add the judge's reply, parsed by our reader. The raw text is kept."""
        no_reply = OwnVerdict("failed", "", None, "the log has no reply", raw)
        return self.given(question, answer, no_reply if failed else verdict_of_reply(raw))

    def given(self, question: Question, answer: Answer, given: OwnVerdict, source_hash: str = "") -> Verdict:
        """Add a parsed verdict on a question."""
        return self._add_verdict(
            given,
            answer.id,
            video_id=question.video_id,
            subject_type="answer",
            subject_id=answer.id,
            value_type="yes_no_score",
            source_hash=source_hash
            or fingerprints.of_verdict(question.text, question.reference, answer.value),
        )

    def of_aspect(
        self,
        video_id: str,
        kind: str,
        given: OwnVerdict,
        extra: Mapping[str, Json],
        value_type: ValueType = "yes_no_score",
    ) -> Verdict:
        """Add a verdict on a whole video and aspect, for logs that do not name the question."""
        return self._add_verdict(
            given,
            video_id,
            kind,
            video_id=video_id,
            subject_type=SUBJECT,
            subject_id=video_id,
            value_type=value_type,
            kind=kind,
            extra=extra,
        )

    def _add_verdict(self, given: OwnVerdict, *key: str, **about: Any) -> Verdict:
        run = self.run("verdicts")
        verdict = Verdict(
            id=record_id("jdg", run.id, *key),
            run_id=run.id,
            created_at=self.created,
            state=given.state,
            label=given.pred,
            score=given.score,
            reason=given.reason,
            raw=given.raw,
            baseline=run.baseline,
            **about,
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
        """Add a video's mean over its questions; `rest` holds the other fields of the log."""
        extra: dict[str, Json] = {"questions": questions} if questions else {}
        extra |= {"log": dict(rest)} if rest else {}
        extra |= {"accuracy": accuracy} if accuracy is not None else {}
        given = OwnVerdict("done" if score is not None else "missing", "", score, "", "")
        self.of_aspect(video_id, kind, given, extra, "score_only")

    # --- the evaluation -----------------------------------------------------------------

    def run(self, role: Role) -> Run:
        """Return the run of a stage, created on first use."""
        if role not in self.runs:
            upstream = tuple(self.runs[name].id for name in _UPSTREAM[role] if name in self.runs)
            self.runs[role] = Run(
                id=self._run_id(role),
                stage=role,
                backend=self._backend,
                model=self._models.get(role, NOT_RECORDED),
                created_at=self.created,
                prompt_hash=self._own.prompt_hashes.get(role, ""),
                params=self._params,
                upstream=upstream,
                baseline=role in self._own.baseline,
            )
            self.intake.add(self.runs[role])
        return self.runs[role]

    def _run_id(self, role: Role) -> str:
        return record_id("run", "import", role, self.mark)

    def finish(self, name: str, note: str = "", time: str = "") -> None:
        """Add the evaluation of the runs, which began at `time`. Raises FormatError if there are no runs."""
        if not self.runs:
            raise FormatError(f"{self.path.name}: the log has no captions, answers or scores")
        name, note = self._own.name or name, self._own.note if self._own.name else note
        evaluation_id = record_id("evl", "import", self.mark)
        self.intake.add(
            Evaluation(
                id=evaluation_id,
                name=free_name(self.intake, name[:LONGEST_NAME], evaluation_id, time),
                created_at=self.created,
                note=note,
                baseline=any(run.baseline for run in self.runs.values()),
            )
        )
        for role, run in self.runs.items():
            link = record_id("evr", evaluation_id, role, run.id)
            self.intake.add(EvaluationRun(id=link, evaluation_id=evaluation_id, role=role, run_id=run.id))

"""Reading a `loveu` folder as an evaluation: captions, answers and verdicts of runs that were elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from annotation.records import fingerprints
from annotation.records.allowed_values import VDC_ASPECTS, ResultState, SubjectType
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.constants_of_systems import NOTES, REASONING, is_mmlu
from annotation.records.decisions import Correction, Person
from annotation.records.errors import FormatError
from annotation.records.finite_numbers import finite_float
from annotation.records.ids import Json, record_id
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.replies.verdict_reply import read_verdict
from backends.digest import digest
from exports.files.file_bundles import Bundle, Candidate, by_folder
from exports.files.format_types import Batch, Source
from exports.files.import_intake import Intake
from exports.files.question_lookup import QuestionPool
from exports.files.read_text_and_json import json_lines, look, open_file
from exports.logs.aspect_verdicts import SUBJECT
from exports.logs.evaluation_names import free_name
from exports.logs.peer_log import DATASET
from exports.logs.roundtrip_fields import score_of
from exports.loveu.lines import Key, Line, extra_of, without_marks
from exports.loveu.manifest import Manifest, Role, read_manifest
from exports.loveu.writer import FILES, MANIFEST, NAME
from exports.video_mmlu import video_mmlu_dataset as video_mmlu

ASPECTS: tuple[str, ...] = (*VDC_ASPECTS, NOTES, REASONING)
STATES: Mapping[str, ResultState] = {
    "done": "done",
    "judged": "done",
    "unparsed": "unparsed",
    "failed": "failed",
    "missing": "missing",
}


def bundles(files: Sequence[Candidate]) -> list[Bundle]:
    """A manifest and the lines beside it; also some of them alone, which say what is missing."""
    found = []
    for beside in by_folder(files).values():
        manifest = [file.path for file in beside if file.path.name == MANIFEST and _is_manifest(file)]
        stages = [file.path for file in beside if file.path.name in FILES and (manifest or _is_stage(file))]
        if not stages and not (manifest and len(beside) == 1):
            continue
        missing = []
        if not stages:
            names = ", ".join(sorted(FILES))
            missing = [f"this is the {MANIFEST} of a LOVEU log; there is none of {names} beside it"]
        elif not manifest:
            lacks = f"this is {stages[0].name} of a LOVEU log; its {MANIFEST} is missing"
            missing = [f'{lacks}: put it beside the others, {{"captioner": "...", "judge": "..."}} is enough']
        whole = bool(manifest and stages)
        paths = (*manifest, *stages)
        found.append(Bundle(paths[0].parent, paths, tuple(missing), readable=whole))
    return found


def _is_manifest(file: Candidate) -> bool:
    """Another program's manifest.json says none of this."""
    return isinstance(file.first, dict) and bool({"captioner", "judge", "platform"} & file.first.keys())


def _is_stage(file: Candidate) -> bool:
    return isinstance(file.first, dict) and {"video_id", "aspect"} <= file.first.keys()


def read(source: Source) -> Batch:
    """An evaluation with one run per stage.

    Raises FormatError. What is odd in single lines is reported and read around.
    """
    intake = Intake(source, NAME, system=video_mmlu.SYSTEM if _of_mmlu(source.path) else "vdc")
    reader = _Folder(intake, source.path, read_manifest(source.path))
    for line in reader.lines("captions"):
        reader.add_caption(line)
    for line in reader.lines("answers"):
        reader.add_answer(line)
    for line in reader.lines("verdicts"):
        reader.add_verdict(line)
    reader.add_evaluation()
    return intake.batch()


def _of_mmlu(folder: Path) -> bool:
    """Whether it is a log of Video-MMLU: by its first lines."""
    files = (folder / f"{stage}.jsonl" for stage in ("captions", "answers", "verdicts"))
    firsts = [look(file).first for file in files if file.is_file()]
    return any(isinstance(first, dict) and is_mmlu(str(first.get("aspect"))) for first in firsts)


class _Folder:
    """One log, stage by stage: later stages are matched to earlier ones."""

    def __init__(self, intake: Intake, folder: Path, manifest: Manifest) -> None:
        self.intake, self.folder, self.manifest = intake, folder, manifest
        self.mark = digest(
            [
                _content(folder / name)
                for name in ("captions.jsonl", "answers.jsonl", "verdicts.jsonl", MANIFEST)
            ]
        )
        self.created_at = self._created()
        self.benchmark = video_mmlu.DATASET if _of_mmlu(folder) else DATASET
        self.runs: dict[str, Run] = {}
        self.texts: dict[tuple[str, str], tuple[Text, str]] = {}
        self.answers: dict[Key, tuple[Answer, Question, str]] = {}
        self.pool = QuestionPool(intake.source.store, self._run_id("answers"))

    # --- lines ------------------------------------------------------------------------

    def lines(self, stage: str) -> Iterator[Line]:
        """Lines that name a video and an aspect; one per caption or question."""
        path = self.folder / f"{stage}.jsonl"
        if not path.is_file():
            self.intake.problem(MANIFEST, f"there is no {path.name} beside it; this stage is missing")
            return
        seen: dict[Key, str] = {}
        for item in json_lines(path):
            line = self._line(item.where, item.value)
            if line is None:
                continue
            if seen.setdefault(line.key, line.where) != line.where:
                self.intake.problem(line.where, f"stands at {seen[line.key]} already; the first is kept")
                continue
            yield line

    def _line(self, where: str, value: Json) -> Line | None:
        name = value.get("video_id") if isinstance(value, dict) else None
        if not isinstance(name, str) or not name.strip():
            self.intake.problem(where, "no video_id; left out")
            return None
        aspect = str(value.get("aspect", "")).removeprefix("vdc:")
        if aspect not in ASPECTS:
            self.intake.problem(where, f"aspect {aspect!r} is none of {', '.join(ASPECTS)}; left out")
            return None
        dataset = self.intake.dataset_of(name, video_mmlu.DATASET if is_mmlu(aspect) else DATASET)
        label = value.get("discipline")
        about = label if isinstance(label, str) else ""
        video_id = self.intake.video(dataset, name, where, discipline=about)
        return Line(where, value, video_id, dataset.id, aspect)

    def _state(self, line: Line, otherwise: ResultState) -> ResultState:
        said = line.value.get("state")
        if said is None:
            return otherwise
        if not isinstance(said, str) or said not in STATES:
            self.intake.problem(line.where, f"state {str(said)[:40]!r} is none of {', '.join(STATES)}")
            return "unparsed"
        return STATES[said]

    # --- stages -----------------------------------------------------------------------

    def add_caption(self, line: Line) -> None:
        """A text, with a person's correction where the log marks one."""
        run = self.run("captions")
        machine = line.machine("caption")
        if not isinstance(line.value.get("caption"), str):
            self.intake.problem(line.where, "no caption")
        text = Text(
            id=record_id("txt", run.id, line.video_id, line.kind),
            video_id=line.video_id,
            kind=line.kind,
            subject_type="video",
            subject_id=line.video_id,
            value=machine,
            created_at=self.created_at,
            state=self._state(line, "done" if machine else "missing"),
            reason=line.text("reason"),
            run_id=run.id,
            baseline=run.baseline,
        )
        self.intake.add(text)
        self.texts[line.video_id, line.aspect] = (text, line.text("caption"))
        self._correct(line, ("text", text.id, "value"), "caption", line.text("caption"))

    def add_answer(self, line: Line) -> None:
        """An answer to a question that is here already, else to one that is made."""
        run, question = self.run("answers"), self._question(line)
        now = line.text("pred_answer")
        if not isinstance(line.value.get("pred_answer"), str):
            self.intake.problem(line.where, "no pred_answer")
        text, caption = self.texts.get((line.video_id, line.aspect), (None, ""))
        machine = line.machine("pred_answer")
        answer = Answer(
            id=record_id("ans", run.id, question.id),
            video_id=line.video_id,
            question_id=question.id,
            run_id=run.id,
            source="imported",
            value=machine,
            created_at=self.created_at,
            state=self._state(line, "done" if machine else "missing"),
            reason=line.text("reason"),
            text_id=text.id if text else None,
            source_hash=line.text("source_hash") or fingerprints.of_answer(caption, line.text("question")),
            baseline=run.baseline,
        )
        self.intake.add(answer)
        self.answers[line.key] = (answer, question, now)
        self._correct(line, ("answer", answer.id, "value"), "pred_answer", now)

    def _question(self, line: Line) -> Question:
        index = line.value.get("index")
        place = index if isinstance(index, int) else 0
        words = line.text("question"), line.text("answer")
        if not all(words):
            self.intake.problem(line.where, "the question or its reference answer is empty")
        found = self.pool.take(line.video_id, line.kind, words, place)
        if found is not None:
            return found
        run = self.run("questions")
        made = Question(
            id=record_id("qst", run.id, line.video_id, line.kind, place, *words),
            video_id=line.video_id,
            kind=line.kind,
            index=place,
            text=words[0],
            reference=words[1],
            created_at=self.created_at,
            category=line.text("category"),
            run_id=run.id,
            baseline=False,
        )
        self.intake.add(made)
        return made

    def add_verdict(self, line: Line) -> None:
        """A verdict on the answer of the same video, aspect and index; or on all of the aspect."""
        if line.of_aspect:
            self._judge(line, SUBJECT, line.video_id, extra_of(line))
            return
        if line.key not in self.answers:
            self.intake.problem(line.where, "no such answer in answers.jsonl; taken from this line")
            self.add_answer(without_marks(line))
        answer, _question, said = self.answers[line.key]
        source = line.text("source_hash") or fingerprints.of_verdict(
            line.text("question"), line.text("answer"), said
        )
        self._judge(line, "answer", answer.id, {}, source)

    def _judge(
        self, line: Line, subject: SubjectType, subject_id: str, extra: dict[str, Json], source: str = ""
    ) -> None:
        run, of_aspect = self.run("verdicts"), subject == SUBJECT
        key = (line.kind,) if of_aspect else ()
        state, label, score, reason = self._machine_verdict(line)
        verdict = Verdict(
            id=record_id("jdg", run.id, subject_id, *key),
            video_id=line.video_id,
            run_id=run.id,
            subject_type=subject,
            subject_id=subject_id,
            value_type="score_only" if line.is_mean else "yes_no_score",
            created_at=self.created_at,
            state=state,
            label=label,
            score=score,
            reason=reason,
            raw=line.text("raw"),
            baseline=run.baseline,
            source_hash=source,
            kind=line.kind if of_aspect else None,
            extra=extra,
        )
        self.intake.add(verdict)
        now = {"label": line.text("pred").strip().lower(), "score": score_of(line.value.get("score"))}
        self._correct(line, ("verdict", verdict.id, "verdict"), "pred", now)

    def _machine_verdict(self, line: Line) -> tuple[ResultState, str, float | None, str]:
        """State, label, score and reason as the judge's, whatever a person laid over them."""
        if line.is_mean:
            # A mean of the judge's scores: no peer holds it to 0 to 5.
            score = finite_float(line.value.get("machine_score" if line.corrected else "score"))
            return self._state(line, "missing") if score is None else "done", "", score, line.text("reason")
        if not line.value.keys() & {"pred", "state"} and line.text("raw"):
            read = read_verdict(line.text("raw"))
            return read.state, read.pred, read.score, read.reason
        before = "machine_" if line.corrected and "machine_pred" in line.value else ""
        label = line.text(f"{before}pred").strip().lower()
        given = line.value.get(f"{before}score")
        score, reason = score_of(given), line.text("reason")
        otherwise: ResultState = "done" if label else "unparsed" if line.text("raw") else "missing"
        state = self._state(line, otherwise)
        if before:
            state = STATES.get(line.text("machine_state"), otherwise)
        if state != "done":
            return state, "", None, reason
        if label not in ("yes", "no") or (given is not None and score is None):
            why = f"pred {label[:40]!r} with score {str(given)[:40]} is no verdict"
            self.intake.problem(line.where, f"{why}; read as unparsed")
            return "unparsed", "", None, reason or why
        return state, label, score, reason

    # --- what holds it together -------------------------------------------------------

    def run(self, role: Role) -> Run:
        """The run of a stage, made when it is first needed."""
        if role not in self.runs:
            upstream = {"answers": ("captions", "questions"), "verdicts": ("answers",)}.get(role, ())
            self.runs[role] = Run(
                id=self._run_id(role),
                stage=role,
                backend=f"import:{NAME}",
                model=self.manifest.model(role),
                created_at=self.created_at,
                prompt_hash=self.manifest.prompt_hash(role),
                params={"platform": self.manifest.text("platform"), "manifest": self.manifest.values},
                upstream=tuple(self.runs[name].id for name in upstream if name in self.runs),
                baseline=self.manifest.baseline(role),
            )
            self.intake.add(self.runs[role])
        return self.runs[role]

    def _run_id(self, role: str) -> str:
        return record_id("run", "import", role, self.mark)

    def _correct(self, line: Line, place: tuple[SubjectType, str, str], key: str, value: Json) -> None:
        """A correction by the person that the line names. `key` is what it changes in the line."""
        if not line.corrected:
            return
        subject, record, field = place
        if f"machine_{key}" not in line.value or value == {"label": "", "score": None}:
            what = f"corrected, but without {key} and machine_{key} side by side; taken as it stands"
            self.intake.problem(line.where, what)
            return
        name = line.text("corrected_by").strip()
        if not name:
            self.intake.problem(line.where, "corrected_by is empty; only the machine's value is kept")
            return
        made = Correction(
            id=record_id("cor", record, field, value),
            subject_type=subject,
            subject_id=record,
            field=field,
            value=value,
            cleared=False,
            revision=1,
            person_id=self._person(name),
            reason=line.text("correction_reason"),
            created_at=self.created_at,
        )
        self.intake.corrections[made.id] = made

    def _person(self, name: str) -> str:
        store = self.intake.source.store
        known = store.find(Person, name=name) if store else []
        person = (
            known[0]
            if known
            else Person(
                id=record_id("per", name), name=name[:80], role="annotator", created_at=self.created_at
            )
        )
        self.intake.add(person)
        return person.id

    def add_evaluation(self) -> None:
        """Raises FormatError when there was not one line to read."""
        if not self.runs:
            raise FormatError(f"{self.folder.name}: no captions, answers or verdicts in this folder")
        evaluation_id = record_id("evl", "import", self.mark)
        self.intake.add(
            Evaluation(
                id=evaluation_id,
                name=free_name(self.intake, self.manifest.name(self.benchmark), evaluation_id),
                created_at=self.created_at,
                note=self.manifest.text("note"),
                baseline=any(run.baseline for run in self.runs.values()),
            )
        )
        for role, run in self.runs.items():
            self.intake.add(
                EvaluationRun(
                    id=record_id("evr", evaluation_id, role, run.id),
                    evaluation_id=evaluation_id,
                    role=cast(Role, role),
                    run_id=run.id,
                )
            )

    def _created(self) -> float:
        created = self.manifest.created()
        if created is None and "created" in self.manifest.values:
            self.intake.problem(MANIFEST, "created is no time; taken as now")
        return self.intake.now if created is None else created


def _content(path: Path) -> str:
    if not path.is_file():
        return ""
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

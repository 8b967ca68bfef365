"""Reads a `loveu` folder as an evaluation: captions, answers and verdicts of runs made elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from annotation.records import fingerprints
from annotation.records.allowed_values import VDC_ASPECTS, ResultState, SubjectType, ValueType
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.decisions import Correction
from annotation.records.errors import FormatError
from annotation.records.finite_numbers import finite_float
from annotation.records.ids import Json, record_id
from annotation.systems.video_mmlu.kinds import NOTES, REASONING, is_mmlu
from backends.digest import digest
from exports.files.file_bundles import Bundle, Candidate, by_folder
from exports.files.format_types import Batch, Source
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import content_hash, json_lines, look, text_at
from exports.logs.peer_log import DATASET, PeerLog
from exports.logs.roundtrip_fields import OwnVerdict, score_of, verdict_of_reply
from exports.loveu.lines import Key, Line, extra_of, without_marks
from exports.loveu.manifest import Manifest, read_manifest
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
    """Return bundles of a manifest and its stage files. Incomplete bundles list what is missing."""
    found = []
    for beside in by_folder(files).values():
        manifest = [file.path for file in beside if file.path.name == MANIFEST and _is_manifest(file)]
        stages = [file.path for file in beside if file.path.name in FILES and (manifest or _is_stage(file))]
        if not stages and not (manifest and len(beside) == 1):
            continue
        missing = []
        if not stages:
            names = ", ".join(sorted(FILES))
            missing = [
                f"this is the {MANIFEST} of a LOVEU log; its {names} are missing: put them in the same folder"
            ]
        elif not manifest:
            lacks = f"this is {stages[0].name} of a LOVEU log; its {MANIFEST} is missing"
            missing = [
                f'{lacks}: put it in the same folder, {{"captioner": "...", "judge": "..."}} is enough'
            ]
        whole = bool(manifest and stages)
        paths = (*manifest, *stages)
        found.append(Bundle(paths[0].parent, paths, tuple(missing), readable=whole))
    return found


def _is_manifest(file: Candidate) -> bool:
    """Return whether the file has fields of a LOVEU manifest; other programs use the file name too."""
    return isinstance(file.first, dict) and bool({"captioner", "judge", "platform"} & file.first.keys())


def _is_stage(file: Candidate) -> bool:
    return isinstance(file.first, dict) and {"video_id", "aspect"} <= file.first.keys()


def read(source: Source) -> Batch:
    """Read an evaluation with one run per stage.

    Raises FormatError. Unusual lines are reported as problems and skipped or repaired.
    """
    mmlu = _of_mmlu(source.path)
    intake = Intake(source, NAME, system=video_mmlu.SYSTEM if mmlu else "vdc")
    manifest = read_manifest(source.path)
    if manifest.created() is None and "created" in manifest.values:
        intake.problem(MANIFEST, "created is not a time; the current time is used")
    log = _log(intake, source.path, manifest)
    reader = _Folder(intake, source.path, log)
    for line in reader.lines("captions"):
        reader.add_caption(line)
    for line in reader.lines("answers"):
        reader.add_answer(line)
    for line in reader.lines("verdicts"):
        reader.add_verdict(line)
    if not log.runs:
        raise FormatError(f"{source.path.name}: the folder has no captions, answers or verdicts")
    benchmark = video_mmlu.DATASET if mmlu else DATASET
    log.finish(manifest.name(benchmark), manifest.text("note"))
    return intake.batch()


def _log(intake: Intake, folder: Path, manifest: Manifest) -> PeerLog:
    """Return the log, identified by the content of all its files."""
    files = [folder / name for name in ("captions.jsonl", "answers.jsonl", "verdicts.jsonl", MANIFEST)]
    mark = digest([content_hash(file) if file.is_file() else "" for file in files])
    params = {"platform": manifest.text("platform"), "manifest": manifest.values}
    return PeerLog(intake, folder, mark, {}, params, own=manifest.own(), peer=NAME)


def _of_mmlu(folder: Path) -> bool:
    """Return whether the log is of Video-MMLU, judging by the first lines."""
    files = (folder / f"{stage}.jsonl" for stage in ("captions", "answers", "verdicts"))
    firsts = [look(file).first for file in files if file.is_file()]
    return any(isinstance(first, dict) and is_mmlu(str(first.get("aspect"))) for first in firsts)


class _Folder:
    """One log. Later stages are matched to earlier ones."""

    def __init__(self, intake: Intake, folder: Path, log: PeerLog) -> None:
        self.intake, self.folder, self.log = intake, folder, log
        self.texts: dict[tuple[str, str], tuple[Text, str]] = {}
        self.answers: dict[Key, tuple[Answer, Question, str]] = {}

    # --- lines ------------------------------------------------------------------------

    def lines(self, stage: str) -> Iterator[Line]:
        """Yield lines with a video and an aspect, one per caption or question."""
        path = self.folder / f"{stage}.jsonl"
        if not path.is_file():
            self.intake.problem(MANIFEST, f"{path.name} is missing in its folder; the stage is left out")
            return
        for item in json_lines(path):
            line = self._line(item.where, item.value)
            if line is not None and self.intake.is_first(line.where, "", stage, line.key):
                yield line

    def _line(self, where: str, value: Json) -> Line | None:
        name = value.get("video_id") if isinstance(value, dict) else None
        if not isinstance(name, str) or not name.strip():
            self.intake.problem(where, "no video_id; left out")
            return None
        aspect = str(value.get("aspect", "")).removeprefix("vdc:")
        if aspect not in ASPECTS:
            self.intake.problem(
                where, f"unknown aspect {aspect!r}, not one of {', '.join(ASPECTS)}; left out"
            )
            return None
        dataset = self.intake.dataset_of(name, video_mmlu.DATASET if is_mmlu(aspect) else DATASET)
        video_id = self.intake.video(dataset, name, where, discipline=text_at(value, "discipline"))
        return Line(where, value, video_id, dataset.id, aspect)

    def _state(self, line: Line, otherwise: ResultState) -> ResultState:
        said = line.value.get("state")
        if said is None:
            return otherwise
        if not isinstance(said, str) or said not in STATES:
            self.intake.problem(
                line.where, f"unknown state {str(said)[:40]!r}, not one of {', '.join(STATES)}"
            )
            return "unparsed"
        return STATES[said]

    # --- stages -----------------------------------------------------------------------

    def add_caption(self, line: Line) -> None:
        """Add a caption, and a person's correction if the line has one."""
        machine = line.machine("caption")
        if not isinstance(line.value.get("caption"), str):
            self.intake.problem(line.where, "no caption")
        state = self._state(line, "done" if machine else "missing")
        text = self.log.caption(line.video_id, line.kind, machine, state=state, reason=line.text("reason"))
        self.texts[line.video_id, line.aspect] = (text, line.text("caption"))
        self._correct(line, ("text", text.id, "value"), "caption", line.text("caption"))

    def add_answer(self, line: Line) -> None:
        """Add an answer to a known question, else to a new one."""
        self.log.run("answers")  # created before the run of new questions, which has no file in the log
        index, words = line.value.get("index"), (line.text("question"), line.text("answer"))
        if not all(words):
            self.intake.problem(line.where, "the question or its reference answer is empty")
        place = index if isinstance(index, int) else 0
        question = self.log.question(line.video_id, line.kind, words, place, "", line.text("category"))
        now, machine = line.text("pred_answer"), line.machine("pred_answer")
        if not isinstance(line.value.get("pred_answer"), str):
            self.intake.problem(line.where, "no pred_answer")
        text, caption = self.texts.get((line.video_id, line.aspect), (None, ""))
        answer = self.log.answer(
            question,
            machine,
            text,
            state=self._state(line, "done" if machine else "missing"),
            reason=line.text("reason"),
            source_hash=line.text("source_hash") or fingerprints.of_answer(caption, words[0]),
        )
        self.answers[line.key] = (answer, question, now)
        self._correct(line, ("answer", answer.id, "value"), "pred_answer", now)

    def add_verdict(self, line: Line) -> None:
        """Add a verdict on the answer with the same video, aspect and index, or on the whole aspect."""
        made = self._whole(line) if line.of_aspect else self._on_answer(line)
        now = {"label": line.text("pred").strip().lower(), "score": score_of(line.value.get("score"))}
        self._correct(line, ("verdict", made.id, "verdict"), "pred", now)

    def _whole(self, line: Line) -> Verdict:
        value_type: ValueType = "score_only" if line.is_mean else "yes_no_score"
        given = self._machine_verdict(line)
        return self.log.of_aspect(line.video_id, line.kind, given, extra_of(line), value_type)

    def _on_answer(self, line: Line) -> Verdict:
        if line.key not in self.answers:
            self.intake.problem(line.where, "the answer is not in answers.jsonl; taken from this line")
            self.add_answer(without_marks(line))
        answer, question, said = self.answers[line.key]
        source = line.text("source_hash") or fingerprints.of_verdict(
            line.text("question"), line.text("answer"), said
        )
        return self.log.given(question, answer, self._machine_verdict(line), source)

    def _machine_verdict(self, line: Line) -> OwnVerdict:
        """Return the judge's verdict, without a person's correction."""
        raw, reason = line.text("raw"), line.text("reason")
        if line.is_mean:
            # A mean of the judge's scores: other tools do not limit it to 0 to 5.
            score = finite_float(line.value.get("machine_score" if line.corrected else "score"))
            state = self._state(line, "missing") if score is None else "done"
            return OwnVerdict(state, "", score, reason, raw)
        if raw and not line.value.keys() & {"pred", "state"}:
            return verdict_of_reply(raw)
        before = "machine_" if line.corrected and "machine_pred" in line.value else ""
        label = line.text(f"{before}pred").strip().lower()
        given = line.value.get(f"{before}score")
        score = score_of(given)
        otherwise: ResultState = "done" if label else "unparsed" if raw else "missing"
        state = self._state(line, otherwise)
        if before:
            state = STATES.get(line.text("machine_state"), otherwise)
        if state != "done":
            return OwnVerdict(state, "", None, reason, raw)
        if label not in ("yes", "no") or (given is not None and score is None):
            why = f"pred {label[:40]!r} with score {str(given)[:40]} is not a verdict"
            self.intake.problem(line.where, f"{why}; read as unparsed")
            return OwnVerdict("unparsed", "", None, reason or why, raw)
        return OwnVerdict(state, label, score, reason, raw)

    # --- corrections --------------------------------------------------------------------

    def _correct(self, line: Line, place: tuple[SubjectType, str, str], key: str, value: Json) -> None:
        """Add a correction by the person named in the line. `key` is the field that it changes."""
        if not line.corrected:
            return
        subject, record, field = place
        if f"machine_{key}" not in line.value or value == {"label": "", "score": None}:
            what = f"corrected, but without both {key} and machine_{key}; imported as the machine's value"
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
            person_id=self.intake.person(name, self.log.created),
            reason=line.text("correction_reason"),
            created_at=self.log.created,
        )
        self.intake.corrections[made.id] = made

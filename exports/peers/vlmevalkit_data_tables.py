"""`vlmevalkit-data`: question tables of VLMEvalKit: `VDC.tsv`, `Video_MMLU_CAP.tsv`, `Video_MMLU_QA.tsv`.

One row per video and aspect with a list of questions in a cell, or (`Video_MMLU_QA`) one row per question.
The questions get the same records as those of the dataset's own files.
Source: `vlmeval/dataset/vdc.py` and `video_mmlu.py` of VLMEvalKit e8e78f0.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from annotation.records.allowed_values import VDC_ASPECTS, TextKind
from annotation.systems.video_mmlu.kinds import NOTES, REASONING
from exports.files.format_types import Batch, Source
from exports.files.import_intake import Intake
from exports.files.read_tables import TableRow, table_rows
from exports.files.read_text_and_json import Head, look
from exports.logs.peer_log import DATASET
from exports.peers.vlmevalkit_question_lists import question_pairs
from exports.vdc import vdc_qa
from exports.video_mmlu import video_mmlu_dataset as video_mmlu

NAME = "vlmevalkit-data"
_KNOWN = {"index", "video", "caption_type", "discipline", "question", "answer"}


def recognise(head: Head) -> bool:
    if head.folder or head.path.suffix.lower() != ".tsv":
        return False
    names = _header(head)
    return (
        {"video", "question"} <= names
        and bool({"caption_type", "discipline"} & names)
        and ("prediction" not in names)
    )


def _header(head: Head) -> set[str]:
    first = head.text.lstrip("\ufeff").split("\n", 1)[0].rstrip("\r").split("\t")
    return {name.strip('"') for name in first}


def read(source: Source) -> Batch:
    """Read the questions of every row. Raises FormatError; unusual rows are reported."""
    names = _header(look(source.path))
    of_vdc = "caption_type" in names
    intake = Intake(source, NAME, system="vdc" if of_vdc else video_mmlu.SYSTEM)
    for name in sorted(names - _KNOWN):
        intake.problem(source.path.name, f"the column {name!r} is not kept")
    reader = _Vdc(intake) if of_vdc else _Mmlu(intake, one="answer" in names)
    for row in table_rows(source.path):
        if not row.text("video").strip() or not row.text("question").strip():
            intake.problem(row.where, "the video or the question is missing; left out")
        else:
            reader.row(row)
    return intake.batch()


def _stem(row: TableRow) -> str:
    return Path(row.text("video").replace("\\", "/")).stem


class _Table:
    """Rows of one table. Equal rows are added once."""

    def __init__(self, intake: Intake) -> None:
        self.intake = intake
        self.times: Counter[tuple[str, str, tuple[str, str]]] = Counter()

    def row(self, row: TableRow) -> None:
        raise NotImplementedError

    def is_first(self, row: TableRow, *key: str) -> bool:
        return self.intake.is_first(row.where, f"video {_stem(row)!r}", *key)

    def pairs(self, row: TableRow) -> list[tuple[str, str]]:
        return question_pairs(row.text("question"), lambda what: self.intake.problem(row.where, what))

    def time(self, video_id: str, kind: str, words: tuple[str, str]) -> int:
        """Return the number of this occurrence among a video's equal questions, from 1."""
        self.times[video_id, kind, words] += 1
        return self.times[video_id, kind, words]


class _Vdc(_Table):
    def row(self, row: TableRow) -> None:
        aspect = row.text("caption_type").lower()
        if aspect not in VDC_ASPECTS:
            known = ", ".join(VDC_ASPECTS)
            self.intake.problem(row.where, f"unknown caption_type {aspect!r}, not one of {known}; left out")
            return
        if not self.is_first(row, _stem(row), aspect):
            return
        dataset = self.intake.dataset_of(_stem(row), DATASET)
        video_id = self.intake.video(dataset, _stem(row), row.where, file_name=row.text("video"))
        for index, words in enumerate(self.pairs(row)):
            time = self.time(video_id, aspect, words)
            self.intake.add(
                vdc_qa.question_record(self.intake, dataset, video_id, aspect, index, {}, words, time)
            )


class _Mmlu(_Table):
    def __init__(self, intake: Intake, *, one: bool) -> None:
        """`one`: a row is one question about the video with its answer; else a list about the notes."""
        super().__init__(intake)
        self.one = one
        self.numbers: Counter[str] = Counter()

    def row(self, row: TableRow) -> None:
        words = video_mmlu.unescape(row.text("question")), video_mmlu.unescape(row.text("answer"))
        if not self.is_first(row, _stem(row), *(words if self.one else ())):
            return
        label = row.text("discipline").strip()
        dataset = self.intake.dataset_of(_stem(row), video_mmlu.DATASET)
        known = video_mmlu.check_discipline(self.intake, dataset, _stem(row), row.where, label)
        video_id = self.intake.video(
            dataset, _stem(row), row.where, file_name=row.text("video"), discipline=known
        )
        kind: TextKind = REASONING if self.one else NOTES
        if self.one and not words[1].strip():
            self.intake.problem(row.where, "the answer is empty")
        for pair in [words] if self.one else self.pairs(row):
            plain = video_mmlu.unescape(pair[0]), video_mmlu.unescape(pair[1])
            index = self.numbers[video_id]
            self.numbers[video_id] += 1
            time = self.time(video_id, kind, plain)
            self.intake.add(
                video_mmlu.question_record(self.intake, dataset, video_id, kind, index, plain, time)
            )

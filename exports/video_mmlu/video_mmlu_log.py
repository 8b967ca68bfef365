"""`video-mmlu-log`: output of Video-MMLU's scripts: answers, verdicts, and one summary.

Extraction lines `{video_id, discipline, question, answer, pred_answer}`, direct answers with `pred_qa`,
judged lines `{video_id, discipline, judgement: {pred, score}, question, answer, pred}` and a summary
`{category_results, overall_results}`. Only one of the scripts writes the discipline. No file states whether
verdicts are about the notes or the video, and no file contains the notes. Source: `post_eval` of Video-MMLU
45b41bf.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from annotation.records.allowed_values import TextKind
from annotation.records.captions_to_verdicts import Answer, Question
from annotation.records.disciplines import discipline
from annotation.records.errors import FormatError
from annotation.records.ids import Json
from annotation.systems.video_mmlu.kinds import NOTES, REASONING
from backends.digest import digest
from exports.files.file_bundles import Bundle, Candidate
from exports.files.format_types import Batch, Source
from exports.files.import_intake import Intake
from exports.files.read_tables import CELL
from exports.files.read_text_and_json import (
    Head,
    Item,
    content_hash,
    json_lines,
    look,
    parse_document,
    text_at,
)
from exports.logs.evaluation_names import evaluation_name
from exports.logs.peer_log import PeerLog
from exports.video_mmlu.summary import Figures, compare_summary, is_summary
from exports.video_mmlu.video_mmlu_dataset import DATASET, SYSTEM, unescape

NAME = "video-mmlu-log"
_BASE = {"video_id", "discipline", "question", "answer"}
_SAID = ("pred_answer", "pred_qa", "pred")
_MOST_FILES = 400


def recognise(head: Head) -> bool:
    if head.folder:
        return any(True for _ in _parts(head.path))
    return _role(head.first) != ""


def _role(first: Json) -> str:
    """Return `answers`, `verdicts` or `summary`; empty for other files."""
    if not isinstance(first, dict):
        return ""
    if is_summary(first):
        return "summary"
    if not {"video_id", "question"} <= first.keys():
        return ""
    if "judgement" in first:
        return "verdicts"
    return "answers" if {"pred_answer", "pred_qa"} & first.keys() else ""


def bundles(files: Sequence[Candidate]) -> list[Bundle]:
    """Return one bundle of all files. The reader separates models by file name, whatever the folders are."""
    found = [file.path for file in files if _role(file.first)]
    if not found:
        return []
    home = Path(os.path.commonpath([path.parent for path in found]))
    return [Bundle(found[0] if len(found) == 1 else home, tuple(found))]


@dataclass(frozen=True, slots=True)
class _Part:
    """One file of the log."""

    path: Path
    role: str
    direct: bool
    """Whether the answers were given from the video."""


def _parts(path: Path, files: Sequence[Path] = ()) -> Iterator[_Part]:
    if not files:
        files = sorted(p for p in path.rglob("*") if p.is_file())[:_MOST_FILES] if path.is_dir() else [path]
    for file in files:
        if path.is_dir() and file.suffix.lower() not in (".jsonl", ".json"):
            continue
        try:
            first = look(file).first
        except FormatError:
            continue  # binary files in the same folder
        if role := _role(first):
            yield _Part(file, role, "pred_qa" in first)


def read(source: Source) -> Batch:
    """Read one evaluation, or one per model if a folder has several. Raises FormatError."""
    intake = Intake(source, NAME, system=SYSTEM)
    parts = list(_parts(source.path, source.files))
    if not source.files:
        _report_other_files(intake, source.path, parts)
    groups = _groups(parts)
    for stem, group in groups.items():
        content = sorted(content_hash(part.path) for part in group)
        mark = digest(content) if len(groups) == 1 else digest(stem, content)
        summaries = {p.path.name: parse_document(p.path) for p in group if p.role == "summary"}
        log = PeerLog(
            intake, source.path, mark, {"answers": stem}, {"peer": NAME, "summaries": summaries}, DATASET
        )
        reader = _Reader(intake, log, source.path)
        for part in sorted(group, key=lambda p: p.role):  # answers before verdicts
            if part.role != "summary":
                reader.file(part)
        if not reader.rows:
            intake.problem(stem, "the log has only a summary and no lines: no results per question")
            log.run("verdicts")
        reader.finish()
        log.finish(evaluation_name(stem, DATASET), compare_summary(intake, summaries, reader.figures))
    return intake.batch()


def _report_other_files(intake: Intake, path: Path, parts: Sequence[_Part]) -> None:
    if path.is_dir():
        taken = {part.path for part in parts}
        for file in sorted(p for p in path.rglob("*.json*") if p.is_file() and p not in taken):
            intake.problem(file.name, "not read: not a known part of a log")


def _groups(parts: Sequence[_Part]) -> dict[str, list[_Part]]:
    """Return all files as one group, or groups by file name if several models have the same kind of file."""
    kinds = [(part.role, _words_of(part.path)) for part in parts]
    if len(set(kinds)) == len(kinds):
        stems = [p.path.stem for p in parts if p.role == "verdicts"] or [p.path.stem for p in parts]
        return {_shared(stems): list(parts)} if parts else {}
    groups: dict[str, list[_Part]] = defaultdict(list)
    for part in parts:
        groups[part.path.stem].append(part)
    return groups


def _shared(stems: Sequence[str]) -> str:
    """Return the common prefix, such as `model` of `model_cap` and `model_qa`, else the first name."""
    letters = takewhile(lambda chars: len(set(chars)) == 1, zip(*stems, strict=False))
    return "".join(chars[0] for chars in letters).rstrip("_-. ") or stems[0]


def _words_of(path: Path) -> TextKind | None:
    """Return the kind by name: `cap_judge/model.jsonl` is about notes, `reason_qa.jsonl` about the video."""
    for words in (path.stem.lower(), path.parent.name.lower()):
        if any(word in words for word in ("cap", "note", "surface")):
            return NOTES
        if any(word in words for word in ("qa", "quiz", "reason")):
            return REASONING
    return None


Key = tuple[str, tuple[str, str]]
"""Video, and the text of question and reference answer."""


@dataclass(slots=True)
class _Asked:
    """One question of the log with its answer."""

    question: Question
    answer: Answer
    where: str
    judged: bool = False
    more: dict[str, Json] = field(default_factory=dict)
    """Unknown fields of the line."""


class _Reader:
    """Reads the lines of one evaluation, file by file."""

    def __init__(self, intake: Intake, log: PeerLog, root: Path) -> None:
        self.intake, self.log, self.root = intake, log, root
        self.rows = 0
        self.figures: dict[str, Figures] = {}
        """Figures per judged file, as the tool's summary counts them."""
        self._asked: dict[tuple[str, Key], list[_Asked]] = defaultdict(list)
        self._labels: dict[str, str] = {}
        self._without: set[str] = set()
        self._said: set[tuple[str, str]] = set()
        """Different disciplines that were already reported."""

    def file(self, part: _Part) -> None:
        lines = [line for item in json_lines(part.path) if (line := self._line(item)) is not None]
        kind = self._kind(part, lines)
        figures = Figures()
        for line in lines:
            self.rows += 1
            if part.role == "answers":
                self._answer(kind, line)
            else:
                figures.add(line.text("discipline"), line.value.get("judgement"))
                self._verdict(kind, line)
        if part.role == "verdicts":
            self.figures[part.path.name] = figures

    def finish(self) -> None:
        if self._without:
            some = ", ".join(sorted(self._without)[:3])
            self.intake.problem(
                self.root.name,
                f"the discipline of {len(self._without)} videos is unknown ({some} ...): also import "
                "video_mmlu.jsonl or video_sources.jsonl",
            )
        kept = [a for group in self._asked.values() for a in group if a.more and not a.judged]
        for name in sorted({key for asked in kept for key in asked.more}):
            self.intake.problem(self.root.name, f"the field {name!r} of lines without a verdict is not kept")

    def _line(self, item: Item) -> _Line | None:
        value = item.value
        if not isinstance(value, dict):
            self.intake.problem(item.where, "not an object; left out")
            return None
        line = _Line(item.where, value)
        missing = [key for key in ("video_id", "question", "answer") if not isinstance(value.get(key), str)]
        missing = missing or ([] if line.text("video_id").strip() else ["video_id"])
        if missing:
            self.intake.problem(item.where, f"{', '.join(missing)} missing; left out")
            return None
        if line.said is None:
            self.intake.problem(item.where, "the predicted answer (pred_answer, pred_qa or pred) is missing")
        elif len(line.said) >= CELL:
            self.intake.problem(
                item.where,
                f"the answer was cut at the length of a spreadsheet cell ({CELL:,} characters)",
            )
        return line

    # --- questions --------------------------------------------------------------------

    def _kind(self, part: _Part, lines: Sequence[_Line]) -> TextKind:
        """Return the kind by known questions, else by file name."""
        if part.role == "answers":
            return REASONING if part.direct else NOTES
        votes = {kind: sum(self._is(kind, line) for line in lines) for kind in (NOTES, REASONING)}
        if votes[NOTES] != votes[REASONING]:
            return NOTES if votes[NOTES] > votes[REASONING] else REASONING
        named = _words_of(part.path)
        if named is None:
            self.intake.problem(
                part.path.name,
                "cannot tell whether these verdicts are about the notes or the video; assumed the notes. "
                "Import video_mmlu.jsonl first, or put cap or qa into the file name",
            )
        return named or NOTES

    def _is(self, kind: TextKind, line: _Line) -> bool:
        video = self._video_id(line)
        return (kind, (video, line.words)) in self._asked or self.log.knows(video, kind, line.words)

    def _video_id(self, line: _Line) -> str:
        name, label = line.text("video_id"), line.text("discipline")
        video_id, _ = self.log.video(name, line.where, discipline=label)
        known = self.intake.matcher.videos.get(video_id)
        here = self._labels.setdefault(video_id, (known.discipline if known else "") or label)
        if not here:
            self._without.add(name)
        elif label and discipline(label) != discipline(here) and (name, label) not in self._said:
            self._said.add((name, label))
            self.intake.problem(
                line.where,
                f"video {name!r} has the discipline {here!r}, but {label!r} here; {here!r} is kept",
            )
        return video_id

    # --- answers and verdicts ---------------------------------------------------------

    def _answer(self, kind: TextKind, line: _Line) -> _Asked | None:
        video_id = self._video_id(line)
        group = self._asked[kind, (video_id, line.words)]
        question = self.log.known_question(video_id, kind, line.words, len(group))
        if question is None and group:
            self.intake.problem(
                line.where,
                f"this question of {line.text('video_id')!r} already appears at {group[0].where}; "
                "the first is kept",
            )
            return None
        if question is None:
            question = self.log.question(video_id, kind, line.words, self.rows, line.where)
        asked = _Asked(question, self.log.answer(question, line.said or "", None), line.where, more=line.more)
        group.append(asked)
        return asked

    def _verdict(self, kind: TextKind, line: _Line) -> None:
        group = self._asked[kind, (self._video_id(line), line.words)]
        asked = next((a for a in group if not a.judged), None) or self._answer(kind, line)
        if asked is None:
            return
        said = line.said or ""
        if asked.answer.value != said:
            self.intake.problem(
                line.where, f"the judged answer differs from the answer at {asked.where}, which is kept"
            )
        judged = self.log.verdict(asked.question, asked.answer, line.raw, failed=not line.raw)
        asked.judged = True
        if more := asked.more | line.more:
            self.intake.add(replace(judged, extra=more))


@dataclass(frozen=True, slots=True)
class _Line:
    where: str
    value: Mapping[str, Any]

    def text(self, key: str) -> str:
        return text_at(self.value, key)

    @property
    def words(self) -> tuple[str, str]:
        return unescape(self.text("question")), unescape(self.text("answer"))

    @property
    def said(self) -> str | None:
        return next((self.value[k] for k in _SAID if isinstance(self.value.get(k), str)), None)

    @property
    def raw(self) -> str:
        """Return the verdict as a Python literal; the scripts keep the parsed reply, not the raw one."""
        found = self.value.get("judgement")
        return found if isinstance(found, str) else repr(found) if isinstance(found, dict) else ""

    @property
    def more(self) -> dict[str, Json]:
        return {k: v for k, v in self.value.items() if k not in _BASE and k not in (*_SAID, "judgement")}

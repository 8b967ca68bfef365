"""`vlmevalkit`: a run of VLMEvalKit on VDC, a folder of tables, pickles and one rating.

VLMEvalKit judges every question but keeps only one verdict per video and aspect, the last to arrive, without
its question. It is therefore imported as a verdict on the video's aspect, with its answer.
Source: `vlmeval/dataset/vdc.py` and `utils/vdc.py` of VLMEvalKit e8e78f0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.captions_to_verdicts import Question, Text
from annotation.records.errors import FormatError
from annotation.records.ids import Json
from annotation.scores.replies_as_peers_read_them import as_float, vlmevalkit_rating
from backends.digest import digest
from exports.files.file_bundles import Bundle, Candidate, by_folder, of_files
from exports.files.format_types import Batch, Source
from exports.files.import_intake import Intake
from exports.files.read_tables import CELL, TableRow, table_rows
from exports.files.read_text_and_json import Head, content_hash, parse_document
from exports.files.safe_pickle import read_pickle
from exports.logs.aspect_verdicts import SUBJECT
from exports.logs.evaluation_names import evaluation_name
from exports.logs.peer_log import PeerLog
from exports.logs.roundtrip_fields import own_verdict, roundtrip_fields_of, verdict_of_reply
from exports.peers.vlmevalkit_question_lists import question_pairs

NAME = "vlmevalkit"
_PREDICTIONS = re.compile(r"(?P<model>.+)_(?P<data>VDC_[^_]+)\.(?:xlsx|tsv|json)", re.IGNORECASE)
_BESIDE = re.compile(
    r"(?P<model>.+)_(?P<data>VDC_[^_]+)_(?:(?P<judge>.+)_)?"
    r"(?P<what>response\.pkl|tmp\.pkl|score\.(?:xlsx|tsv|json)|rating\.json)",
    re.IGNORECASE,
)
"""A file of answers, replies, verdicts or figures that belongs to a table of predictions."""
_START = re.compile(r"T(?P<day>\d{8})")
"""Name of a start's folder."""
_NEEDED = frozenset(("video", "question", "prediction"))
_READ = _NEEDED | {"index", "caption_type", "category"}
_FAILED = "Failed to obtain answer"
_CLOSE = 0.006
"""Tolerance of comparisons, because the figures have two decimals."""


def recognise(head: Head) -> bool:
    if not head.folder:
        return False
    return _folder_of(head.path) is not None


def bundles(files: Sequence[Candidate]) -> list[Bundle]:
    """Return one bundle per table of predictions, with the judge's files.

    VLMEvalKit links the newest start's files into the model's folder; these are the same run.
    """
    found: dict[tuple[Path, ...], Bundle] = {}
    for beside in by_folder(files).values():
        runs: dict[tuple[str, str], list[Path]] = {}
        for file in beside:
            name = _PREDICTIONS.fullmatch(file.path.name) or _BESIDE.fullmatch(file.path.name)
            if name:
                runs.setdefault((name["model"], name["data"]), []).append(file.path)
        for (model, data), paths in runs.items():
            same = tuple(sorted(path.resolve() for path in paths))
            found.setdefault(same, _bundle(f"{model}_{data}", sorted(paths)))
    return list(found.values())


def _bundle(stem: str, files: Sequence[Path]) -> Bundle:
    if not any(_PREDICTIONS.fullmatch(file.name) for file in files):
        why = f"this is {files[0].name}; its table of predictions {stem}.xlsx is missing"
        return of_files(files, [why], readable=False)
    judged = any("_score." in file.name or "_tmp." in file.name for file in files)
    missing = [] if judged else [f"no verdicts: {stem}_JUDGE_score.xlsx is missing"]
    return Bundle(files[0].parent, tuple(files), tuple(missing))


def _folder_of(path: Path) -> Path | None:
    """Return the folder with the tables: this one, or the newest run below."""
    folders = [path, *sorted((p for p in path.rglob("*") if p.is_dir()), reverse=True)]
    for folder in folders[:200]:
        if any(_PREDICTIONS.fullmatch(p.name) for p in folder.iterdir() if p.is_file()):
            return folder
    return None


@dataclass(slots=True)
class _Run:
    """Files of one run."""

    model: str
    data: str
    predictions: Path
    judge: str = ""
    answers: dict[str, str] = field(default_factory=dict)
    """By index."""
    replies: dict[str, str] = field(default_factory=dict)
    judged: dict[str, list[TableRow]] = field(default_factory=dict)
    """Rows of a verdict table written by Dailies, one per question, by index."""
    whole: dict[str, dict[str, Json]] = field(default_factory=dict)
    """Values of a video and aspect written by Dailies, by index."""
    rating: dict[str, Json] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)


def read(source: Source) -> Batch:
    """Read one evaluation. Raises FormatError; unusual rows are reported."""
    intake = Intake(source, NAME, system="vdc")
    folder = source.path if source.files else _folder_of(source.path)
    if folder is None:
        raise FormatError(
            f"{source.path.name}: the folder has no table of predictions (MODEL_VDC_8frame.xlsx)"
        )
    run = _run(intake, source.files or sorted(p for p in folder.iterdir() if p.is_file()))
    log = PeerLog(
        intake,
        source.path,
        digest(sorted(content_hash(path) for path in run.files)),
        {"captions": run.model, **({"answers": run.judge, "verdicts": run.judge} if run.judge else {})},
        {"peer": NAME, "data": run.data, "rating": run.rating},
        own=roundtrip_fields_of(run.rating),
    )
    reader = _Reader(intake, log, run)
    for number, row in enumerate(table_rows(run.predictions)):
        reader.row(row, number)
    where = "kept with the verdicts" if run.replies else "not kept, because there are no verdicts"
    for column in sorted(reader.unknown):
        intake.problem(run.predictions.name, f"unknown column {column!r}; {where}")
    note = _compare(intake, run, reader.verdicts)
    start = _START.match(run.predictions.parent.name)
    day = f"{datetime.fromisoformat(start['day']):%Y-%m-%d}" if start else ""
    log.finish(evaluation_name(run.model, run.data.replace("_", " "), day), note)
    return intake.batch()


def _run(intake: Intake, files: Sequence[Path]) -> _Run:
    names = {path.name: path for path in files}
    found = [m for m in map(_PREDICTIONS.fullmatch, names) if m and not m["data"].endswith("score")]
    first = found[0]
    for other in found[1:]:
        intake.problem(other.string, f"a second table; {first.string} is used")
    run = _Run(first["model"], first["data"], names[first.string], files=[names[first.string]])
    prefix = f"{run.model}_{run.data}_"
    for name, path in names.items():
        if name.startswith(prefix):
            _take(intake, run, name.removeprefix(prefix), path)
    return run


def _take(intake: Intake, run: _Run, rest: str, path: Path) -> None:
    """Read a file that accompanies the predictions. Pickles go through the safe reader."""
    judge, _, what = rest.rpartition("_")
    if what == "response.pkl":
        run.answers = _by_index(intake, path)
    elif what == "tmp.pkl":
        run.replies = _by_index(intake, path) | run.replies
    elif what.partition(".")[0] == "score" and path.suffix in (".xlsx", ".tsv", ".json"):
        _take_verdicts(run, path)
    elif what == "rating.json":
        value = parse_document(path)
        run.rating = value if isinstance(value, dict) else {}
    else:
        intake.problem(path.name, "not read: not a known part of a run")
        return
    run.judge = run.judge or judge
    run.files.append(path)


def _take_verdicts(run: _Run, path: Path) -> None:
    """Read one reply per video and aspect, or one row per question if Dailies wrote the table."""
    for number, row in enumerate(table_rows(path)):
        index = row.text("index") or str(number)
        beside = _literal(row.text("verdict"))
        if isinstance(beside, dict) and beside.get("of") == SUBJECT:
            run.whole[index] = beside
            run.replies |= {index: row.text("score")} if row.text("score") else {}
            run.answers[index] = row.text("pred_response")
        elif "verdict" in row.cells or "pred_response" in row.cells:
            run.judged.setdefault(index, []).append(row)
        elif row.text("score"):
            run.replies[index] = row.text("score")


def _by_index(intake: Intake, path: Path) -> dict[str, str]:
    value = read_pickle(path)
    if not isinstance(value, dict):
        raise FormatError(f"{path.name}: not a dictionary of index and text")
    for key, text in value.items():
        if not isinstance(text, str):
            intake.problem(f"{path.name} index {key}", f"not a text but {type(text).__name__}")
    return {str(key): text for key, text in value.items() if isinstance(text, str)}


class _Reader:
    def __init__(self, intake: Intake, log: PeerLog, run: _Run) -> None:
        self.intake, self.log, self.run = intake, log, run
        self.verdicts: dict[str, list[str]] = {}
        """Raw replies per aspect, for the tool's own mean."""
        self.unknown: set[str] = set()
        """Columns that are not read."""

    def row(self, row: TableRow, number: int) -> None:
        missing = sorted(_NEEDED - row.cells.keys())
        if "video" in missing or "question" in missing:
            self.intake.problem(row.where, f"{', '.join(missing)} missing; left out")
            return
        name, aspect = row.text("video"), row.text("caption_type").lower()
        if aspect not in VDC_ASPECTS:
            self.intake.problem(
                row.where, f"unknown caption_type {aspect!r}, not one of {', '.join(VDC_ASPECTS)}; left out"
            )
            return
        if not self.intake.is_first(row.where, f"video {name!r}", name, aspect):
            return
        stem = Path(name.replace("\\", "/")).stem
        video_id, _ = self.log.video(stem, row.where, file_name=name)
        kind = f"vdc:{aspect}"
        caption, index = self._caption(row, video_id, kind), row.text("index") or str(number)
        asked, judged = self._questions(row), self.run.judged.get(index, [])
        if judged and len(judged) != len(asked):
            self.intake.problem(row.where, f"{len(asked)} questions, but {len(judged)} rows of verdicts")
        for place, words in enumerate(asked):
            beside = judged[place] if place < len(judged) else None
            category = beside.text("category") if beside else ""
            question = self.log.question(video_id, kind, words, place, row.where, category)
            if beside:
                self._own_verdict(question, beside, caption)
        rest = {column: cell for column, cell in row.cells.items() if column not in _READ}
        self.unknown |= rest.keys()
        self._verdict(index, video_id, kind, row.where, rest)

    def _own_verdict(self, question: Question, row: TableRow, caption: Text) -> None:
        """Add answer and verdict of one question, from a table written by Dailies."""
        answer = self.log.answer(question, row.text("pred_response"), caption)
        value = _literal(row.text("verdict"))
        if isinstance(value, dict):
            self.log.given(question, answer, own_verdict(value))
            self.verdicts.setdefault(question.kind.removeprefix("vdc:"), []).append(row.text("score"))
        elif row.text("verdict"):
            self.intake.problem(row.where, "the verdict cannot be read; left out")

    def _caption(self, row: TableRow, video_id: str, kind: str) -> Text:
        written = row.text("prediction")
        failed = _FAILED in written
        if len(written) >= CELL and self.run.predictions.suffix.lower() != ".json":
            self.intake.problem(
                row.where, f"the caption was cut at the length of a cell ({CELL:,} characters)"
            )
        if not written or failed:
            self.intake.problem(row.where, "no caption of the model")
        reason = "the log says: failed to obtain answer" if failed else ""
        return self.log.caption(video_id, kind, "" if failed else written, reason=reason)

    def _questions(self, row: TableRow) -> list[tuple[str, str]]:
        return question_pairs(row.text("question"), lambda what: self.intake.problem(row.where, what))

    def _verdict(self, index: str, video_id: str, kind: str, where: str, rest: Mapping[str, Json]) -> None:
        """Add the only verdict of a video and aspect; `rest` are the other cells of the row."""
        raw, whole = self.run.replies.get(index), self.run.whole.get(index)
        if whole and "accuracy" in whole:
            accuracy, score = as_float(whole.get("accuracy")), as_float(whole.get("score"))
            questions = whole.get("questions")
            self.log.mean(video_id, kind, accuracy, score, questions if isinstance(questions, int) else None)
            return
        if raw is None:
            if self.run.replies:
                self.intake.problem(where, f"no verdict for index {index}")
            return
        self.verdicts.setdefault(kind.removeprefix("vdc:"), []).append(raw)
        extra = {
            "answer": self.run.answers.get(index, ""),
            "about": "one question of this aspect; which one is not recorded",
            **({"log": dict(rest)} if rest else {}),
        }
        self.log.of_aspect(video_id, kind, verdict_of_reply(raw), extra)


def _literal(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


# --- the tool's own figures ---------------------------------------------------------


def _compare(intake: Intake, run: _Run, verdicts: Mapping[str, Sequence[str]]) -> str:
    """Return the rating in words. Figures that differ from the verdicts are reported."""
    parts = []
    for name, key, place in (("accuracy", "coarse_accuracy", 0), ("score", "coarse_valid", 1)):
        said = run.rating.get(key)
        if not isinstance(said, dict):
            continue
        parts.append(f"{name} " + ", ".join(f"{aspect} {value}" for aspect, value in said.items()))
        for aspect, value in said.items():
            replies = [r for a, each in verdicts.items() for r in each if aspect in (a, "overall")]
            found = vlmevalkit_rating(replies)[place]
            stated = as_float(value)
            if found is not None and stated is not None and abs(found - stated) > _CLOSE:
                what = f"{aspect} {name} {value}, but its {len(replies)} verdicts give {found:.2f}"
                intake.problem("rating", what)
    return "VLMEvalKit's own figures: " + "; ".join(parts) if parts else ""

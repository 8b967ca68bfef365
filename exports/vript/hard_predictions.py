"""`vript-predictions`: a model's replies to Vript-Hard, a table `id,pred[,gt][,meta]`.

`gt` and `meta` are Python values; they are parsed and never evaluated. `meta`, the whole annotation, replaces
annotations that were not imported. Columns of the released scorers (`f1_score`, `correct`, `top1` ...) are
left out, because the figures are computed again. Source: Vript (NeurIPS 2024),
vript-hard/evaluation_output_examples.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from annotation.records.allowed_values import ResultState, SubjectType, ValueType
from annotation.records.captions_to_verdicts import BenchmarkItem, Text, Verdict
from annotation.records.errors import FormatError
from annotation.records.ids import Json, record_id
from annotation.records.runs import Evaluation, EvaluationRun
from annotation.store.benchmark_of_evaluation import evaluations_of
from annotation.systems.vript.hard_replies import (
    SETTING_WORDS,
    TASKS,
    HardTask,
    Kind,
    answer_letter,
    read_option,
    reading,
)
from backends.digest import digest
from backends.errors import UsageError
from exports.files.evaluations_and_corrections import BY_FLAG, load_evaluation
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.python_literal import read_literal
from exports.files.read_tables import TableRow, csv_rows
from exports.files.read_text_and_json import Head
from exports.files.write_files import csv_lines
from exports.logs.peer_log import PeerLog
from exports.vript.hard_annotations import DATASETS, SYSTEM, KnownItems, item_id, make_item, name_of, task_of

NAME = "vript-predictions"
COLUMNS = {"id", "pred", "gt", "meta"}
SCORED = {"f1_score", "precision", "recall", "correct", "top1", "top2", "top3"}
RULE = "the released rule"
TASK_OF: Mapping[Kind, HardTask] = {
    "vript:hal": "hal",
    "vript:rr": "rr",
    "vript:rr_open": "rr",
    "vript:ero": "ero",
}
WORDS: Mapping[Kind, str] = {
    "vript:hal": "Vript-HAL",
    "vript:rr": "Vript-RR, multiple choice",
    "vript:rr_open": "Vript-RR, open",
    "vript:ero": "Vript-ERO",
}
VALUE_TYPES: Mapping[Kind, ValueType] = {
    "vript:hal": "score_only",
    "vript:rr": "letter",
    "vript:rr_open": "yes_no_score",
    "vript:ero": "order",
}
_EMPTY = {"nan", "null", "none", "n/a", "na", "<na>", "#n/a", "-nan"}
"""Values that the released scorers, which read tables with pandas, treat as no reply."""
_NOT_A_MODEL = re.compile(
    "(?i)scores|hal|rr|ero|cap|clip|scene|video|whole|multiple|choice|multiplechoice|open|ended|openended|mc|"
    "outputs?|pred(?:iction)?s?|results?"
)


def recognise(head: Head) -> bool:
    return not head.folder and {"id", "pred"} <= set(header(head.text))


def header(text: str) -> list[str]:
    """Return the names of a table's columns."""
    first = text.split("\n", 1)[0].strip("\r\ufeff")
    return next(csv.reader([first]), []) if len(first) < 2000 else []


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table."""

    where: str
    name: str
    pred: str
    gt: str
    meta: Mapping[str, Json] | None
    columns: tuple[str, ...]

    @property
    def state(self) -> ResultState:
        return "missing" if self.pred.strip().lower() in {"", *_EMPTY} else "done"


def read(source: Source) -> Batch:
    """Read one evaluation. Raises FormatError."""
    intake = Intake(source, NAME, system=SYSTEM)
    lines = [_line(intake, row) for row in csv_rows(source.path)]
    if not lines:
        raise FormatError(f"{source.path.name}: the table has no predictions")
    _report_columns(intake, lines)
    known = KnownItems(source.store)
    kind = _kind(source.path.stem, lines, known)
    placed = _placed(intake, kind, lines, known)
    setting = _setting(kind, lines, placed)
    log = _log(intake, source, kind, setting, lines)
    annotated = known.ids
    for number, (line, (subject, video_id)) in enumerate(zip(lines, placed, strict=True)):
        if subject:
            _add(
                intake,
                log,
                kind,
                setting,
                line,
                subject,
                video_id,
                alone=None if subject in annotated else number,
            )
    words = ", ".join(part for part in (WORDS[kind], SETTING_WORDS.get(setting, "")) if part)
    log.finish(f"{model_name(source.path.stem)} · {words}")
    return intake.batch()


def _line(intake: Intake, row: TableRow) -> Line:
    meta: Mapping[str, Json] | None = None
    if row.cells.get("meta"):
        try:
            value = read_literal(row.text("meta"), row.where)
            meta = value if isinstance(value, dict) else None
        except FormatError as error:
            intake.problem(row.where, f"meta: {error}; left out")
    # A NUL cannot be stored; the csv module does not reject it.
    pred, name = (row.text(column).replace("\0", "") for column in ("pred", "id"))
    return Line(row.where, name.strip(), pred, row.text("gt"), meta, tuple(row.cells))


def _report_columns(intake: Intake, lines: Iterable[Line]) -> None:
    names = dict.fromkeys(name for line in lines for name in line.columns)
    for name in names:
        if name in SCORED:
            intake.problem(
                intake.source.path.name, f"the scorer's column {name} is not read, but computed again"
            )
        elif name not in COLUMNS:
            intake.problem(intake.source.path.name, f"the column {name} is not kept")


def model_name(stem: str) -> str:
    """Return the model from a file name: `RR_clip_videochat2_multiplechoice_output` is from videochat2."""
    words = [word for word in stem.split("_") if word and not _NOT_A_MODEL.fullmatch(word)]
    return "_".join(words).strip(" -.") or stem


# --- task and items -----------------------------------------------------------------


def _kind(stem: str, lines: list[Line], known: KnownItems) -> Kind:
    """Return the kind from the annotations in the table, the workspace's items, or the file name."""
    found = Counter(task for line in lines if line.meta and (task := task_of(line.meta)))
    task = found.most_common(1)[0][0] if found else _task_of_ids(stem, lines, known)
    if task is None:
        raise FormatError(
            f"{stem}: the task of these replies (HAL, RR or ERO) is unknown; put it into the file "
            "name, or import the annotations first"
        )
    if task != "rr":
        return "vript:hal" if task == "hal" else "vript:ero"
    return "vript:rr" if _is_choice(stem, lines) else "vript:rr_open"


def _task_of_ids(stem: str, lines: list[Line], known: KnownItems) -> HardTask | None:
    """Return the only task with all these ids, else the task in the file name."""
    having = [
        task
        for task in TASKS
        if all(known.named(task, line.name) or known.of_video(task, line.name) for line in lines)
    ]
    named = _task_of_name(stem)
    return having[0] if len(having) == 1 and named not in having else named


def _task_of_name(stem: str) -> HardTask | None:
    words = re.split(r"[^a-z]+", stem.lower())
    return next((task for task in TASKS if task in words), "hal" if "cap" in words else None)


def _is_choice(stem: str, lines: list[Line]) -> bool:
    given = [line.gt for line in lines if line.gt]
    if given:
        return all(re.match(r"\([A-Z]\)", gt) for gt in given)
    if "open" in stem.lower():
        return False
    return "choice" in stem.lower() or sum(
        read_option(line.pred).state == "done" for line in lines
    ) * 2 >= len(lines)


def _placed(intake: Intake, kind: Kind, lines: list[Line], known: KnownItems) -> list[tuple[str, str]]:
    """Return the id of each line's item and of its video; empty if they are unknown."""
    task, times = TASK_OF[kind], Counter[str]()
    found = []
    for index, line in enumerate(lines):
        subject, video = _item(intake, task, line, index, times[line.name], known)
        times[line.name] += 1
        if subject and not intake.is_first(line.where, repr(line.name), subject):
            subject = ""
        found.append((subject, video))
    return found


def _item(
    intake: Intake, task: HardTask, line: Line, index: int, time: int, known: KnownItems
) -> tuple[str, str]:
    if not line.name:
        intake.problem(line.where, "the id is missing; left out")
        return "", ""
    item = _by_meta(intake, task, line, index, known) or known.named(task, line.name)
    if item is None and task == "rr":  # for the whole video, its id is repeated for each question
        item = next(iter(known.of_video(task, line.name)[time : time + 1]), None)
    if item is not None:
        return item.id, item.video_id
    if task == "rr" and time:
        intake.problem(line.where, f"{line.name!r} has several questions; import RR_annotations.jsonl first")
        return "", ""
    dataset = intake.dataset_of(line.name, DATASETS[task])
    return item_id(task, dataset.id, line.name), intake.video(dataset, line.name, line.where)


def _by_meta(
    intake: Intake, task: HardTask, line: Line, index: int, known: KnownItems
) -> BenchmarkItem | None:
    if line.meta is None or task_of(line.meta) != task:
        return None
    here = known.named(task, name_of(task, line.meta))
    if here is not None:
        return here
    made = make_item(intake, task, line.meta, index, line.where)
    if made is None:
        return None
    intake.add(made)
    known.add(made)
    return made


def _setting(kind: Kind, lines: list[Line], placed: list[tuple[str, str]]) -> str:
    """Return `whole` for ids of videos, `scene` for ids of clips; empty for tasks with one setting."""
    if TASK_OF[kind] != "rr":
        return ""
    names = [line.name for line, (subject, _) in zip(lines, placed, strict=True) if subject]
    of_video = [line.meta is not None and line.meta.get("video_id") == line.name for line in lines]
    return "whole" if sum(of_video) * 2 > len(lines) or len(set(names)) < len(names) else "scene"


# --- records --------------------------------------------------------------------------


def _log(intake: Intake, source: Source, kind: Kind, setting: str, lines: list[Line]) -> PeerLog:
    mark = digest(NAME, source.path.stem, [[line.name, line.pred, line.gt] for line in lines])
    params: dict[str, Json] = {
        "system": f"vript-{TASK_OF[kind]}",
        "kind": kind,
        "setting": setting,
        "file": source.path.name,
    }
    judge = RULE if kind in ("vript:rr", "vript:ero") else "not judged yet"
    log = PeerLog(
        intake, source.path, mark, {"captions": model_name(source.path.stem), "verdicts": judge}, params
    )
    log.run("captions")
    return log


def _add(
    intake: Intake,
    log: PeerLog,
    kind: Kind,
    setting: str,
    line: Line,
    subject: str,
    video_id: str,
    *,
    alone: int | None,
) -> None:
    """Add one reply. `alone` is the number of a line without an annotation; its place and answer are kept."""
    replies, verdicts = log.run("captions"), log.run("verdicts")
    about = cast(SubjectType, f"{TASK_OF[kind]}_item")
    intake.add(
        Text(
            id=record_id("txt", replies.id, subject),
            video_id=video_id,
            kind=kind,
            subject_type=about,
            subject_id=subject,
            value=line.pred,
            created_at=intake.now,
            state=line.state,
            run_id=replies.id,
        )
    )
    state, label, reason = reading(kind, line.pred) if line.state == "done" else ("missing", "", "")
    extra: dict[str, Json] = {
        "setting": setting,
        "id": line.name,
        "columns": [c for c in ("gt", "meta") if c in line.columns],
    }
    if alone is not None:
        extra |= {"line": alone} | ({"gt": line.gt} if line.gt else {})
    intake.add(
        Verdict(
            id=record_id("jdg", verdicts.id, subject),
            video_id=video_id,
            run_id=verdicts.id,
            subject_type=about,
            subject_id=subject,
            value_type=VALUE_TYPES[kind],
            created_at=intake.now,
            state=state,
            label=label,
            reason=reason,
            kind=kind,
            extra=extra,
        )
    )


# --- writing --------------------------------------------------------------------------


def write(wanted: Wanted) -> Iterator[Output]:
    """Write the replies of an evaluation. Raises UsageError or NotFound."""
    evaluation = _evaluation(wanted)
    found = list(_written(wanted, evaluation))
    if found:
        columns = ["id", "pred", *(c for c in ("gt", "meta") if any(c in row for row in found))]
        yield "", csv_lines(columns, found)


def _evaluation(wanted: Wanted) -> Evaluation:
    """Return the named evaluation, else the only one of Vript-Hard. Raises UsageError, NotFound."""
    if wanted.evaluation_id is not None:
        return load_evaluation(wanted.store, wanted.evaluation_id)
    found = evaluations_of(wanted.store, *(f"vript-{task}" for task in TASKS))
    if len(found) != 1:
        names = ", ".join(repr(e.name) for e in found) or "none yet"
        raise UsageError(f"name the evaluation with {BY_FLAG}; evaluations of Vript-Hard: {names}")
    return found[0]


def _written(wanted: Wanted, evaluation: Evaluation) -> Iterator[dict[str, str]]:
    store = wanted.store
    links = store.find(EvaluationRun, evaluation_id=evaluation.id)
    runs = {role: [link.run_id for link in links if link.role == role] for role in ("captions", "verdicts")}
    texts = {text.subject_id: text for text in store.find(Text, run_id=runs["captions"], order_by=["id"])}
    judged = store.find(Verdict, run_id=runs["verdicts"], order_by=["created_at", "id"])
    items = {item.id: item for item in store.find(BenchmarkItem, id=[j.subject_id for j in judged])}
    replies = [(j, texts[j.subject_id]) for j in judged if "columns" in j.extra and j.subject_id in texts]
    now = store.currents("text", [text.id for _, text in replies], "value")
    order = sorted(replies, key=lambda pair: _place(items.get(pair[0].subject_id), pair[0]))
    for verdict, text in order:
        item = items.get(verdict.subject_id)
        value = now[text.id].value if wanted.values == "current" else text.value
        yield _row(verdict, str(value), item)


def _place(item: BenchmarkItem | None, verdict: Verdict) -> tuple[bool, int, str]:
    """Sort as in the annotations; items without one follow in the order of their table."""
    return (False, item.index, item.name) if item else (True, int(verdict.extra.get("line", 0)), "")


def _row(verdict: Verdict, pred: str, item: BenchmarkItem | None) -> dict[str, str]:
    row = {"id": str(verdict.extra.get("id", "")), "pred": pred}
    asked = verdict.extra.get("columns") or ()
    if "gt" in asked:
        stated = str(verdict.extra.get("gt", ""))
        row["gt"] = _gt(verdict.kind or "", item.value) if item else stated
    if item and "meta" in asked:
        row["meta"] = repr(dict(item.value))
    return row


def _gt(kind: str, value: Mapping[str, Json]) -> str:
    if kind == "vript:hal":
        return repr(value.get("content"))
    if kind == "vript:rr":
        right = value.get("multiple_choice_answer")
        return f"({answer_letter(value.get('multiple_choice') or (), right)}) {right}"
    return str(value.get("open_answer" if kind == "vript:rr_open" else "answer", ""))

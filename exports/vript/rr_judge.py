"""`vript-rr-judge`: a judge's ratings of open answers to Vript-RR, a table `id,judge,model,response`.

`id` is the clip, `judge` True or False, `model` the name of the table of predictions, `response` the model's
answer. Ratings are added to the evaluation of that table, or to a new evaluation if it was not imported.
Source: Vript (NeurIPS 2024), vript-hard, open-ended verification.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from annotation.records.allowed_values import ResultState
from annotation.records.captions_to_verdicts import BenchmarkItem, Text, Verdict
from annotation.records.errors import FormatError
from annotation.records.ids import record_id
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.store.benchmark_of_evaluation import evaluations_of
from annotation.store.store import Store
from annotation.systems.vript.hard_items import OPEN, hard_rows
from annotation.systems.vript.hard_replies import Rating, read_rating
from backends.digest import digest
from backends.errors import UsageError
from exports.files.evaluations_and_corrections import BY_FLAG, load_evaluation
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_tables import TableRow, csv_rows
from exports.files.read_text_and_json import Head
from exports.files.write_files import csv_lines
from exports.logs.peer_log import PeerLog
from exports.vript.hard_annotations import DATASETS, SYSTEM, KnownItems, item_id
from exports.vript.hard_predictions import header, model_name

NAME = "vript-rr-judge"
COLUMNS = ["id", "judge", "model", "response"]


def recognise(head: Head) -> bool:
    return not head.folder and set(COLUMNS) <= set(header(head.text))


def read(source: Source) -> Batch:
    """Read ratings by table of predictions. Raises FormatError."""
    intake = Intake(source, NAME, system=SYSTEM)
    groups: dict[str, list[TableRow]] = defaultdict(list)
    for row in csv_rows(source.path):
        groups[row.text("model")].append(row)
    if not groups:
        raise FormatError(f"{source.path.name}: the table has no ratings")
    for model, rows in groups.items():
        _Ratings(intake, source, model, rows).read()
    return intake.batch()


def rating_of(cell: str) -> Rating:
    """Read a cell with True or False, or with a judge's whole reply."""
    plain = {"true": "yes", "false": "no"}.get(cell.strip().lower())
    return Rating("done", plain) if plain else read_rating(cell)


class _Ratings:
    """Rows about one table of predictions."""

    def __init__(self, intake: Intake, source: Source, model: str, rows: Sequence[TableRow]) -> None:
        self.intake, self.source, self.model, self.rows = intake, source, model, rows
        self.mark = digest(NAME, model, [[row.text(c) for c in COLUMNS] for row in rows])
        self.known = KnownItems(source.store)
        self.evaluation, self.texts = _evaluation_of(source.store, model)

    def read(self) -> None:
        words = set(PurePosixPath(self.model).stem.lower().split("_"))
        setting = "whole" if words & {"video", "whole"} else "scene" if words & {"clip", "scene"} else ""
        params = {"system": "vript-rr", "kind": OPEN, "setting": setting, "file": self.model}
        name = model_name(PurePosixPath(self.model).stem)
        log = PeerLog(self.intake, self.source.path, self.mark, {"captions": name}, params)
        run = log.run("verdicts")
        seen: set[str] = set()
        for row in self.rows:
            self._row(log, run, row, setting, seen)
        if self.evaluation:
            link = record_id("evr", self.evaluation, "verdicts", run.id)
            self.intake.add(
                EvaluationRun(id=link, evaluation_id=self.evaluation, role="verdicts", run_id=run.id)
            )
        else:
            log.finish(f"{name} · Vript-RR, open, rated")

    def _row(self, log: PeerLog, run: Run, row: TableRow, setting: str, seen: set[str]) -> None:
        name = row.text("id").strip()
        if not name or name in seen:
            self.intake.problem(
                row.where,
                f"{name!r} is already rated; the first rating is kept" if name else "the id is missing",
            )
            return
        seen.add(name)
        subject, video = self._subject(name, row)
        if self.evaluation is None:
            self._reply(log, subject, video, row.text("response"))
        elif self.texts.get(subject, row.text("response")) != row.text("response"):
            self.intake.problem(
                row.where, "the rated answer differs from the workspace's answer, which is kept"
            )
        rating = rating_of(row.text("judge"))
        state: ResultState = rating.state if row.text("judge") else "failed"
        self.intake.add(
            Verdict(
                id=record_id("jdg", run.id, subject),
                video_id=video,
                run_id=run.id,
                subject_type="rr_item",
                subject_id=subject,
                value_type="yes_no_score",
                created_at=self.intake.now,
                state=state,
                label=rating.label,
                reason=rating.reason,
                raw=row.text("judge"),
                kind=OPEN,
                extra={"setting": setting, "id": name},
            )
        )

    def _subject(self, name: str, row: TableRow) -> tuple[str, str]:
        """Return ids of the item and its video, also of an item that is imported later."""
        item = self.known.named("rr", name)
        if item is not None:
            return item.id, item.video_id
        video_name = name.rsplit("-Scene-", 1)[0]
        dataset = self.intake.dataset_of(video_name, DATASETS["rr"])
        video = self.intake.video(dataset, video_name, row.where)
        return item_id("rr", dataset.id, name), video

    def _reply(self, log: PeerLog, subject: str, video: str, value: str) -> None:
        run = log.run("captions")
        self.intake.add(
            Text(
                id=record_id("txt", run.id, subject),
                video_id=video,
                kind=OPEN,
                subject_type="rr_item",
                subject_id=subject,
                value=value,
                created_at=self.intake.now,
                run_id=run.id,
                state="done" if value.strip() else "missing",
            )
        )


def _evaluation_of(store: Store | None, model: str) -> tuple[str | None, Mapping[str, str]]:
    """Return the latest evaluation of a table of predictions, and its answers by item."""
    wanted = PurePosixPath(model).stem
    for evaluation in evaluations_of(store, "vript-rr") if store else ():
        links = store.find(EvaluationRun, evaluation_id=evaluation.id, role="captions")  # type: ignore[union-attr]
        runs = store.find(Run, id=[link.run_id for link in links])  # type: ignore[union-attr]
        names = {PurePosixPath(str(run.params.get("file", ""))).stem for run in runs}
        if wanted in names and all(run.params.get("kind") == OPEN for run in runs):
            texts = store.find(Text, run_id=[run.id for run in runs], order_by=["id"])  # type: ignore[union-attr]
            return evaluation.id, {text.subject_id: text.value for text in texts}
    return None, {}


def write(wanted: Wanted) -> Iterator[Output]:
    """Write the ratings of one evaluation of open answers. Raises UsageError, NotFound."""
    store = wanted.store
    found = (
        [load_evaluation(store, wanted.evaluation_id)]
        if wanted.evaluation_id
        else [e for e in evaluations_of(store, "vript-rr") if _rows(wanted, e)]
    )
    if len(found) > 1:
        raise UsageError(
            f"name the evaluation with {BY_FLAG}; existing evaluations: {', '.join(e.name for e in found)}"
        )
    rows = _rows(wanted, found[0]) if found else []
    if rows:
        yield "", csv_lines(COLUMNS, rows)


def _rows(wanted: Wanted, evaluation: Evaluation) -> list[dict[str, str]]:
    links = wanted.store.find(EvaluationRun, evaluation_id=evaluation.id, role="captions", order_by=["id"])
    file = str(wanted.store.get(Run, links[0].run_id).params.get("file", "")) if links else ""
    out = []
    for row in hard_rows(wanted.store, evaluation.id):
        machine = str(row.now.machine["label"]) if row.verdict.state == "done" else ""
        label = row.label if wanted.values == "current" else machine
        if row.verdict.kind == OPEN and label in ("yes", "no"):
            name = _name(row.item, str(row.verdict.extra.get("id", "")))
            response = row.text.value if row.text else ""
            out.append({"id": name, "judge": str(label == "yes"), "model": file, "response": response})
    return out


def _name(item: BenchmarkItem | None, otherwise: str) -> str:
    return item.name if item else otherwise

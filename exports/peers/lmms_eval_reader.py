"""`lmms-eval`: the logs of lmms-eval and of the aurora fork, of every generation.

Sample files are JSON lines (`{date}_samples_{task}.jsonl`, `samples_{task}_{iso}.jsonl`), the fork's are
one document `{"args", "model_configs", "logs"}`; means stand in `*results*.json`. No generation keeps
the verdict on a question: per video and aspect there are two means, and up to v0.3.5 the extracted
answers in `doc.qa_list`.
Source: the writers of aurora 2bf68d5 and of lmms-eval v0.2.3, v0.3.5, v0.4 and 75571cf.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.ids import Json
from annotation.records.texts import Text
from backends.digest import digest
from exports.files.batch import Batch, Source
from exports.files.intake import Intake
from exports.files.reading import Head, Item, json_lines, open_file, parse_document
from exports.logs.peer_log import PeerLog
from exports.logs.roundtrip_fields import own_verdict, roundtrip_fields_of

NAME = "lmms-eval"
METRICS = ("llmms_eval", "gpt_eval", "llm_eval")
"""Prefixes of `_score` and `_acc`, newest first."""
_TASK_FILE = re.compile(
    r"(?:\d{8}_\d{6}_)?samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl", re.IGNORECASE
)
_RESULTS = re.compile(r"(?:\d{8}_\d{6}_)?results(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?\.json", re.IGNORECASE)
_READ = frozenset(
    ("doc", "target", "resps", "filtered_resps", *(f"{m}_{k}" for m in METRICS for k in ("score", "acc")))
)
"""Fields of a line whose content becomes captions, answers and means; the others are kept with the mean."""
_ITS_OWN = frozenset(
    ("doc_id", "arguments", "doc_hash", "prompt_hash", "target_hash", "token_counts", "input", "input_media")
)
"""What the known generations write beside those."""
_CLOSE = 5e-4
"""Means that are further apart than this are not the same figure."""


# --- recognising ----------------------------------------------------------------------


def recognise(head: Head) -> bool:
    if head.folder:
        return any(_TASK_FILE.fullmatch(name) or _RESULTS.fullmatch(name) for name in _below(head.path))
    first = head.first
    if not isinstance(first, dict):
        return head.text.lstrip().startswith("{") and '"model_configs"' in head.text and '"logs"' in head.text
    return _is_sample(first) or _is_aurora(first) or _is_results(first)


def _is_sample(value: Mapping[str, Json]) -> bool:
    return "doc_id" in value and ("filtered_resps" in value or "resps" in value)


def _is_aurora(value: Mapping[str, Json]) -> bool:
    return isinstance(value.get("logs"), list) and ("model_configs" in value or "args" in value)


def _is_results(value: Mapping[str, Json]) -> bool:
    return isinstance(value.get("results"), dict) and ("n-samples" in value or "configs" in value)


def _below(folder: Path) -> Iterator[str]:
    """Names of files here and one folder down, where a model's folder was not entered."""
    for path in sorted(folder.iterdir()):
        if path.is_file():
            yield path.name
        elif path.is_dir() and not path.name.startswith("."):
            yield from sorted(p.name for p in path.iterdir() if p.is_file())


# --- reading --------------------------------------------------------------------------


@dataclass(slots=True)
class _Files:
    samples: list[tuple[str, Path]] = field(default_factory=list)
    """(task, file)."""
    aurora: list[tuple[str, Path]] = field(default_factory=list)
    results: list[Path] = field(default_factory=list)


def read(source: Source) -> Batch:
    """One evaluation of all tasks of the log. Raises FormatError; what is odd in a line is reported."""
    intake = Intake(source, NAME, system="vdc")
    files = _files(source.path)
    results = _results(intake, files.results)
    everything = [path for _, path in [*files.samples, *files.aurora]] + files.results
    model = str(
        results.get("model_name") or results.get("model_source") or _aurora_model(files) or "not recorded"
    )
    log = PeerLog(
        intake,
        source.path,
        digest(sorted(_content(path) for path in everything)),
        {"captions": model},
        {"peer": NAME, "results": results.get("results", {}), "config": results.get("config", {})},
        own=roundtrip_fields_of(results),
    )
    reader = _Reader(intake, log)
    for task, path in files.samples:
        reader.task(task, json_lines(path), path.name)
    for task, path in files.aurora:
        reader.task(task, _aurora_items(path), path.name)
    if not reader.means:
        intake.problem(
            source.path.name, "only means over all videos, no samples: nothing can be shown per video"
        )
        log.run("verdicts")
    note = _compare(intake, results, reader.means)
    date = f" · {results['date']}" if results.get("date") else ""
    log.finish(f"{model} · lmms-eval{date}", note)
    return intake.batch()


def _files(path: Path) -> _Files:
    found = _Files()
    paths = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    for file in paths:
        task = _TASK_FILE.fullmatch(file.name)
        if task:
            found.samples.append((task["task"], file))
        elif file.suffix == ".jsonl" and not path.is_dir():
            found.samples.append((file.stem, file))
        elif file.suffix == ".json":
            _sort_document(found, file)
    return found


def _sort_document(found: _Files, file: Path) -> None:
    value = parse_document(file)
    if isinstance(value, dict) and _is_results(value):
        found.results.append(file)
    elif isinstance(value, dict) and _is_aurora(value):
        found.aurora.append((file.stem, file))


def _results(intake: Intake, files: Sequence[Path]) -> dict[str, Any]:
    """The newest results file, which holds every task of a run; others are named."""
    if not files:
        return {}
    for older in files[:-1]:
        intake.problem(older.name, f"there is a newer {files[-1].name}; its figures are taken")
    value = parse_document(files[-1])
    return value if isinstance(value, dict) else {}


def _aurora_items(path: Path) -> Iterator[Item]:
    for number, value in enumerate(parse_document(path)["logs"], 1):
        yield Item(f"{path.name} log {number}", value)


def _aurora_model(files: _Files) -> str:
    for _, path in files.aurora:
        arguments = parse_document(path).get("args")
        found = (
            re.search(r"(?:pretrained|model)=([^,\s\"'}\]]+)", json.dumps(arguments)) if arguments else None
        )
        if found:
            return found[1]
    return ""


class _Reader:
    """Samples of any generation, task by task."""

    def __init__(self, intake: Intake, log: PeerLog) -> None:
        self.intake, self.log = intake, log
        self.means: dict[str, list[tuple[float | None, float | None]]] = {}
        """Per task: accuracy and score of every sample."""
        self._seen: dict[tuple[str, str], str] = {}

    def task(self, task: str, items: Iterator[Item], name: str) -> None:
        aspect = aspect_of(task)
        if aspect is None:
            self.intake.problem(name, f"task {task!r} is no part of VDC; left out")
            return
        unknown: set[str] = set()
        for item in items:
            if isinstance(item.value, dict):
                unknown |= item.value.keys() - _READ - _ITS_OWN
                self._sample(task, aspect, item.where, item.value)
            else:
                self.intake.problem(item.where, "not an object; left out")
        for key in sorted(unknown):
            self.intake.problem(name, f"the field {key!r} is unknown; kept as it is")

    def _sample(self, task: str, aspect: str, where: str, value: dict[str, Any]) -> None:
        doc = value["doc"] if isinstance(value.get("doc"), dict) else {}
        score, accuracy = _metric(value, "score"), _metric(value, "acc")
        video = (
            _text(doc, "video_name")
            or _text(doc, "video_id")
            or _text(score, "video_name")
            or _text(accuracy, "video_name")
        )
        if not video:
            self.intake.problem(where, "no video_name; left out")
            return
        aspect = self._true_aspect(video, aspect, where, value)
        if self._again(video, aspect, where):
            return
        kind = f"vdc:{aspect}"
        video_id, dataset = self.log.video(video, where)
        self.log.reference(video_id, dataset, kind, _reference(value, doc, score))
        caption = self.log.caption(video_id, kind, _prediction(value, doc, score))
        if caption.state != "done":
            self.intake.problem(where, f"video {video!r}: no caption of the model")
        asked, judged = self._answers(video_id, kind, where, doc, caption)
        means = _number(accuracy, "acc"), _number(score, "score")
        if judged or (self.log.ours and means == (None, None)):  # the means are those of its verdicts
            self.means.setdefault(task, []).append(means)
            return
        if means == (None, None):
            self.intake.problem(where, f"video {video!r}: neither score nor accuracy")
        rest = {key: field for key, field in value.items() if key not in _READ}
        self.log.mean(video_id, kind, *means, asked or None, rest)
        self.means.setdefault(task, []).append(means)

    def _answers(
        self, video_id: str, kind: str, where: str, doc: Mapping[str, Any], caption: Text
    ) -> tuple[int, int]:
        """The extracted answers, where the log has them; returns the questions and verdicts there."""
        asked, judged = doc.get("qa_list"), 0
        if not isinstance(asked, list):
            return 0, 0
        for index, entry in enumerate(asked):
            if not isinstance(entry, dict):
                self.intake.problem(where, f"question {index + 1}: not an object; left out")
                continue
            words = _text(entry, "question"), _text(entry, "answer")
            question = self.log.question(video_id, kind, words, index, where, _text(entry, "category"))
            if isinstance(entry.get("pred_answer"), str):
                answer = self.log.answer(question, entry["pred_answer"], caption)
                if isinstance(entry.get("verdict"), dict):
                    self.log.given(question, answer, own_verdict(entry["verdict"]))
                    judged += 1
        return len(asked), judged

    def _again(self, video: str, aspect: str, where: str) -> bool:
        first = self._seen.setdefault((video, aspect), where)
        if first != where:
            what = f"video {video!r} stands at {first} already; the first is kept"
            self.intake.problem(where, f"{what} (import the reference captions before, to tell its aspect)")
        return first != where

    def _true_aspect(self, video: str, aspect: str, where: str, value: Mapping[str, Any]) -> str:
        """The task files load all five aspects' rows: the reference caption tells which one this is."""
        references = self._references(video)
        target = str(value.get("target") or "").strip()
        if not target or references.get(aspect) == target:
            return aspect
        others = [name for name, text in references.items() if text == target]
        if len(others) == 1:
            self.intake.problem(
                where, f"its reference is the {others[0]} caption of {video!r}; taken as that"
            )
            return others[0]
        return aspect

    def _references(self, video: str) -> dict[str, str]:
        store = self.intake.source.store
        ids = self.intake.matcher.find("", [video]) if store else set()
        if store is None or len(ids) != 1:
            return {}
        texts = [t for t in store.find(Text, video_id=next(iter(ids))) if t.dataset_id]
        return {t.kind.removeprefix("vdc:"): t.value.strip() for t in texts}


# --- fields ---------------------------------------------------------------------------


def aspect_of(task: str) -> str | None:
    """`camera` of `camera_test`, `vdc_camera`, `VDC_camera_test`."""
    plain = task.lower().replace("-", "_")
    found = [a for a in VDC_ASPECTS if re.search(rf"(?:^|_){a}(?:_|$)", plain)]
    return found[0] if len(found) == 1 else None


def _metric(value: Mapping[str, Any], which: str) -> dict[str, Any]:
    for prefix in METRICS:
        found = value.get(f"{prefix}_{which}")
        if isinstance(found, dict):
            return found
        if isinstance(found, int | float) and not isinstance(found, bool):
            return {which: found}
    return {}


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _number(value: Mapping[str, Any], key: str) -> float | None:
    found = value.get(key)
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def _reference(value: Mapping[str, Any], doc: Mapping[str, Any], metric: Mapping[str, Any]) -> str:
    return _text(value, "target") or _text(doc, "caption") or _text(metric, "caption")


def _prediction(value: Mapping[str, Any], doc: Mapping[str, Any], metric: Mapping[str, Any]) -> str:
    """The model's caption, wherever this generation keeps it."""
    found: Any = (
        _text(metric, "pred") or value.get("filtered_resps") or value.get("resps") or _text(doc, "pred")
    )
    while isinstance(found, list) and found:
        found = found[0]
    return found if isinstance(found, str) else ""


def _content(path: Path) -> str:
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# --- the peer's own figures -----------------------------------------------------------


def _compare(
    intake: Intake,
    results: Mapping[str, Any],
    means: Mapping[str, Sequence[tuple[float | None, float | None]]],
) -> str:
    """The log's own score in words; a problem where its samples do not give it."""
    said = results.get("results")
    parts = []
    for task, figures in sorted(said.items()) if isinstance(said, dict) else ():
        own = {which: _figure(figures, which) for which in ("acc", "score")}
        if own == {"acc": None, "score": None}:
            continue
        shown = ", ".join(f"{which} {value:.4f}" for which, value in own.items() if value is not None)
        parts.append(f"{task}: {shown}")
        for place, which in enumerate(("acc", "score")):
            values = [m for m in (pair[place] for pair in means.get(task, ())) if m is not None]
            value = own[which]
            if values and value is not None and abs(fmean(values) - value) > _CLOSE:
                found = f"its {len(values)} samples give {fmean(values):.4f}"
                intake.problem("results", f"{task}: {which} {value:.4f}, but {found}")
    return "lmms-eval's own figures: " + "; ".join(parts) if parts else ""


def _figure(figures: Json, which: str) -> float | None:
    if not isinstance(figures, dict):
        return None
    for prefix in METRICS:
        for key in (f"{prefix}_{which},none", f"{prefix}_{which}"):
            found = _number(figures, key)
            if found is not None:
                return found
    return None

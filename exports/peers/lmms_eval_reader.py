"""`lmms-eval`: logs of lmms-eval and of the aurora fork, of every version.

Sample files are JSON lines (`{date}_samples_{task}.jsonl`, `samples_{task}_{iso}.jsonl`), the fork writes one
document `{"args", "model_configs", "logs"}`; means are in `*results*.json`. No version keeps the verdict on a
question: per video and aspect there are two means, and up to v0.3.5 the extracted answers in `doc.qa_list`.
Source: the writers of aurora 2bf68d5 and of lmms-eval v0.2.3, v0.3.5, v0.4 and 75571cf.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.captions_to_verdicts import Text
from annotation.records.finite_numbers import finite_float
from annotation.records.ids import Json
from backends.digest import digest
from exports.files.format_types import Batch, Source
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Item, content_hash, json_lines, text_at
from exports.logs.evaluation_names import evaluation_name
from exports.logs.peer_log import DATASET, NOT_RECORDED, PeerLog
from exports.logs.roundtrip_fields import own_verdict, roundtrip_fields_of
from exports.peers.lmms_eval_log_files import (
    NAME,
    aurora_items,
    aurora_model,
    began,
    files_of,
    folder_model,
    results_of,
)

METRICS = ("llmms_eval", "gpt_eval", "llm_eval")
"""Prefixes of `_score` and `_acc`, newest first."""
_READ = frozenset(
    ("doc", "target", "resps", "filtered_resps", *(f"{m}_{k}" for m in METRICS for k in ("score", "acc")))
)
"""Fields of a line that become captions, answers and means; other fields are kept with the mean."""
_ITS_OWN = frozenset(
    ("doc_id", "arguments", "doc_hash", "prompt_hash", "target_hash", "token_counts", "input", "input_media")
)
"""Other fields that the known versions write."""
_OTHER_ASPECT = " (to identify its aspect, import the reference captions first)"
_CLOSE = 5e-4
"""Means that differ by more than this are different figures."""


# --- reading --------------------------------------------------------------------------


def read(source: Source) -> Batch:
    """Read all tasks of the log as one evaluation. Raises FormatError; unusual lines are reported."""
    intake = Intake(source, NAME, system="vdc")
    files = files_of(source)
    results = results_of(intake, files.results)
    everything = [path for _, path in [*files.samples, *files.aurora]] + files.results
    model = str(
        results.get("model_name") or results.get("model_source") or aurora_model(files) or folder_model(files)
    )
    log = PeerLog(
        intake,
        source.path,
        digest(sorted(content_hash(path) for path in everything)),
        {"captions": model or NOT_RECORDED},
        {"peer": NAME, "results": results.get("results", {}), "config": results.get("config", {})},
        own=roundtrip_fields_of(results),
    )
    reader = _Reader(intake, log)
    for task, path in files.samples:
        reader.task(_named_task(source, task, results), json_lines(path), path.name)
    for task, path in files.aurora:
        reader.task(task, aurora_items(path), path.name)
    if not reader.means:
        intake.problem(
            source.path.name, "the log has only means over all videos and no samples: no results per video"
        )
        log.run("verdicts")
    note = _compare(intake, results, reader.means)
    day, time = began(results, everything)
    log.finish(evaluation_name(model or "lmms-eval log", DATASET, day), note, time)
    return intake.batch()


def _named_task(source: Source, task: str, results: Mapping[str, Any]) -> str:
    """Return the task of a samples file: its name, the requested aspect, or the only task of the results."""
    if aspect_of(task):
        return task
    tasks = [name for name in results.get("results", {}) if aspect_of(name)]
    return source.aspect or (tasks[0] if len(tasks) == 1 else task)


class _Reader:
    """Reads samples of any version, task by task."""

    def __init__(self, intake: Intake, log: PeerLog) -> None:
        self.intake, self.log = intake, log
        self.means: dict[str, list[tuple[float | None, float | None]]] = {}
        """Per task: accuracy and score of every sample."""

    def task(self, task: str, items: Iterator[Item], name: str) -> None:
        aspect = aspect_of(task)
        if aspect is None:
            self.intake.problem(name, f"task {task!r} is not part of VDC; left out")
            return
        unknown: set[str] = set()
        for item in items:
            if isinstance(item.value, dict):
                unknown |= item.value.keys() - _READ - _ITS_OWN
                self._sample(task, aspect, item.where, item.value)
            else:
                self.intake.problem(item.where, "not an object; left out")
        for key in sorted(unknown):
            self.intake.problem(name, f"unknown field {key!r}; kept unchanged")

    def _sample(self, task: str, aspect: str, where: str, value: dict[str, Any]) -> None:
        doc = value["doc"] if isinstance(value.get("doc"), dict) else {}
        score, accuracy = _metric(value, "score"), _metric(value, "acc")
        video = (
            text_at(doc, "video_name")
            or text_at(doc, "video_id")
            or text_at(score, "video_name")
            or text_at(accuracy, "video_name")
        )
        if not video:
            self.intake.problem(where, "no video_name; left out")
            return
        aspect = self._true_aspect(video, aspect, where, value)
        if not self.intake.is_first(where, f"video {video!r}", video, aspect, hint=_OTHER_ASPECT):
            return
        kind = f"vdc:{aspect}"
        video_id, dataset = self.log.video(video, where)
        self.log.reference(video_id, dataset, kind, _reference(value, doc, score))
        caption = self.log.caption(video_id, kind, _prediction(value, doc, score))
        if caption.state != "done":
            self.intake.problem(where, f"video {video!r}: no caption of the model")
        asked, judged = self._answers(video_id, kind, where, doc, caption)
        means = finite_float(accuracy.get("acc")), finite_float(score.get("score"))
        if judged or (self.log.ours and means == (None, None)):  # the means follow from the verdicts
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
        """Add the log's extracted answers, if any. Returns the numbers of questions and of verdicts."""
        asked, judged = doc.get("qa_list"), 0
        if not isinstance(asked, list):
            return 0, 0
        for index, entry in enumerate(asked):
            if not isinstance(entry, dict):
                self.intake.problem(where, f"question {index + 1}: not an object; left out")
                continue
            words = text_at(entry, "question"), text_at(entry, "answer")
            question = self.log.question(video_id, kind, words, index, where, text_at(entry, "category"))
            if isinstance(entry.get("pred_answer"), str):
                answer = self.log.answer(question, entry["pred_answer"], caption)
                if isinstance(entry.get("verdict"), dict):
                    self.log.given(question, answer, own_verdict(entry["verdict"]))
                    judged += 1
        return len(asked), judged

    def _true_aspect(self, video: str, aspect: str, where: str, value: Mapping[str, Any]) -> str:
        """Return the aspect of the reference caption. Task files load the rows of all five aspects."""
        references = self._references(video)
        target = str(value.get("target") or "").strip()
        if not target or references.get(aspect) == target:
            return aspect
        others = [name for name, text in references.items() if text == target]
        if len(others) == 1:
            self.intake.problem(
                where, f"its reference is the {others[0]} caption of {video!r}; imported as that aspect"
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
    """Return `camera` for `camera_test`, `vdc_camera` and `VDC_camera_test`."""
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


def _reference(value: Mapping[str, Any], doc: Mapping[str, Any], metric: Mapping[str, Any]) -> str:
    return text_at(value, "target") or text_at(doc, "caption") or text_at(metric, "caption")


def _prediction(value: Mapping[str, Any], doc: Mapping[str, Any], metric: Mapping[str, Any]) -> str:
    """Return the model's caption from the field that this version uses."""
    found: Any = (
        text_at(metric, "pred") or value.get("filtered_resps") or value.get("resps") or text_at(doc, "pred")
    )
    while isinstance(found, list) and found:
        found = found[0]
    return found if isinstance(found, str) else ""


# --- the tool's own figures ---------------------------------------------------------


def _compare(
    intake: Intake,
    results: Mapping[str, Any],
    means: Mapping[str, Sequence[tuple[float | None, float | None]]],
) -> str:
    """Return the log's own scores in words. Scores that differ from its samples are reported."""
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
            found = finite_float(figures.get(key))
            if found is not None:
                return found
    return None

"""Writes `lmms-eval`: sample lines in the form of v0.3 (the last with `doc`), and `results.json`.

Questions in `doc.qa_list` have an additional `verdict` (and `category`), which lmms-eval ignores and our
reader restores. Means follow lmms-eval's rule: per video over the readable verdicts, then over videos. For an
imported log that has only a video's mean, that mean is written. Source: `evaluation_tracker` and
`tasks/vdc/utils.py` of v0.3.5.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.ids import Json
from exports.files.evaluations_and_corrections import load_evaluation, pick
from exports.files.format_types import Output, Wanted
from exports.files.write_files import json_line
from exports.logs.evaluation_rows import Chain, Row, load_chain
from exports.logs.samples_for_writers import Sample, about, model_of, samples, stamp, verdict_of

VERSION = "0.3.5"


def write(wanted: Wanted) -> Iterator[Output]:
    """Write a sample file per aspect and the means. Raises UsageError or NotFound."""
    chain = load_chain(wanted.store, load_evaluation(wanted.store, wanted.evaluation_id))
    date = stamp(chain)
    results: dict[str, list[dict[str, Json]]] = {}
    found = list(samples(wanted, chain))
    for aspect in VDC_ASPECTS:
        lines = [_line(wanted, n, s) for n, s in enumerate(s for s in found if s.aspect == aspect)]
        if lines:
            results[f"{aspect}_test"] = lines
            yield f"{date}_samples_{aspect}_test.jsonl", [json_line(line) for line in lines]
    document = _results(wanted, chain, results)
    yield f"{date}_results.json", [json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False), "\n"]


def _line(wanted: Wanted, number: int, sample: Sample) -> dict[str, Json]:
    doc = {
        "video_name": sample.video,
        "caption": sample.reference,
        "qa_list": [_entry(wanted, row, asked) for row, asked in zip(sample.rows, sample.asked, strict=True)]
        if sample.rows
        else list(sample.asked),
        "pred": sample.caption,
    }
    return {
        "doc_id": number,
        "doc": doc,
        "target": sample.reference,
        "arguments": {},
        "resps": [[sample.caption]],
        "filtered_resps": [sample.caption],
        "doc_hash": _hash(json.dumps(doc, ensure_ascii=False)),
        "prompt_hash": _hash(""),
        "target_hash": _hash(sample.reference),
        **_metrics(wanted, sample),
        "input": "",
    }


def _entry(wanted: Wanted, row: Row, asked: Mapping[str, str]) -> dict[str, Json]:
    entry: dict[str, Json] = {**asked, "pred_answer": str(pick(row.said, wanted.values))}
    verdict = verdict_of(wanted, row)
    entry |= {"category": row.question.category} if row.question.category else {}
    return entry | ({"verdict": verdict} if verdict else {})


def _metrics(wanted: Wanted, sample: Sample) -> dict[str, Json]:
    """Return the means of readable verdicts, else those of the imported log.

    If both are missing, there are none; lmms-eval itself would stop.
    """
    values, whole = wanted.values, sample.whole
    read = [r for r in sample.rows if r.state(values) == "done" and r.score(values) is not None]
    score = accuracy = None
    if read:
        score = fmean(float(row.score(values) or 0) for row in read)
        accuracy = fmean(float(row.label(values) == "yes") for row in read)
    elif whole and (whole.is_mean or whole.state(values) == "done"):
        score, accuracy = whole.score(values), whole.accuracy(values)
    about = {"video_name": sample.video, "caption": sample.reference, "pred": sample.caption}
    found: dict[str, Json] = {} if score is None else {"llmms_eval_score": {**about, "score": score}}
    return found if accuracy is None else {**found, "llmms_eval_acc": {**about, "acc": accuracy}}


def note(wanted: Wanted) -> str:
    """Return a note on a log's verdicts on whole videos that the file cannot hold."""
    chain = load_chain(wanted.store, load_evaluation(wanted.store, wanted.evaluation_id))
    whole = [sample.whole for sample in samples(wanted, chain) if sample.whole]
    unread = sum(one.state(wanted.values) != "done" and not one.is_mean for one in whole)
    single = sum(not one.is_mean for one in whole) - unread
    parts = [f"{single} verdicts on a video and aspect become its score and accuracy"] if single else []
    parts += [f"{unread} unreadable ones are left out"] if unread else []
    return ", ".join(parts)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _results(wanted: Wanted, chain: Chain, tasks: Mapping[str, Sequence[dict[str, Json]]]) -> dict[str, Json]:
    model = model_of(chain, "captions")
    return {
        "results": {task: _figures(task, lines) for task, lines in tasks.items()},
        "group_subtasks": {task: [] for task in tasks},
        "configs": {task: {} for task in tasks},
        "versions": {task: "Yaml" for task in tasks},
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {task: {"llmms_eval_score": True, "llmms_eval_acc": True} for task in tasks},
        "n-samples": {t: {"original": len(lines), "effective": len(lines)} for t, lines in tasks.items()},
        "config": {"model": model},
        "lmms_eval_version": VERSION,
        "date": stamp(chain),
        "model_name": model,
        "dailies": about(wanted, chain),
    }


def _figures(task: str, lines: Sequence[dict[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {"alias": task, "samples": len(lines)}
    for name, key in (("llmms_eval_score", "score"), ("llmms_eval_acc", "acc")):
        values = [line[name][key] for line in lines if name in line]
        found |= {f"{name},none": fmean(values), f"{name}_stderr,none": "N/A"} if values else {}
    return found

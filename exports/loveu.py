"""`loveu`: the complete log of an evaluation, the three stages each in a file of its own.

LOVEU track 1A asks for the captions, the answers that were extracted from them and the
verdicts, "each submitted explicitly", with platform and score (submission checklist).
`captions.jsonl` {video_id, aspect, caption}; `answers.jsonl` {..., index, question, answer,
pred_answer}; `verdicts.jsonl` {..., raw, state, pred, score, reason}; `manifest.json`.
`exports.loveu_reader` reads the same folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from annotation.records import Correction, Json, Run
from annotation.store.store import Current
from annotation.video_mmlu import is_mmlu
from exports.batch import Output, Wanted
from exports.chain import KIND_ORDER, Chain, Row, load_chain
from exports.reading import Head
from exports.scores import POLICY, mmlu_scores, scores
from exports.values import Shown, find_evaluation, last_corrections, people, pick
from exports.videos import VideoNames
from exports.writing import json_line

NAME = "loveu"
MANIFEST = "manifest.json"
STAGES = ("captions", "answers", "verdicts")
FILES = {f"{stage}.jsonl" for stage in STAGES}


def recognise(head: Head) -> bool:
    return head.folder and MANIFEST in head.names and bool(FILES & head.names)


def write(wanted: Wanted) -> Iterator[Output]:
    """Raises UsageError or NotFound when it is not clear which evaluation is meant."""
    chain = load_chain(wanted.store, find_evaluation(wanted.store, wanted.evaluation_id))
    log = _Log(wanted, chain)
    yield "captions.jsonl", [json_line(line) for line in log.captions()]
    yield "answers.jsonl", [json_line(log.answer(row)) for row in chain.rows]
    yield "verdicts.jsonl", [json_line(log.verdict(row)) for row in chain.rows]
    manifest = _manifest(wanted, chain)
    if any(is_mmlu(row.question.kind) for row in chain.rows):
        manifest["video_mmlu"] = mmlu_scores(wanted.store, chain.evaluation.id, wanted.values)
    yield MANIFEST, [json.dumps(manifest, ensure_ascii=False, indent=2, allow_nan=False), "\n"]


class _Log:
    """Lines of one evaluation."""

    def __init__(self, wanted: Wanted, chain: Chain) -> None:
        self.values, self.chain = wanted.values, chain
        mmlu = any(is_mmlu(row.question.kind) for row in chain.rows)
        self.names = VideoNames(wanted.store, "mmlu" if mmlu else "vdc")
        self.people = people(wanted.store)
        self.text_corrections = last_corrections(wanted.store, "text")

    def captions(self) -> Iterator[dict[str, Json]]:
        for video_id, texts in sorted(self.chain.captions.items()):
            for kind in sorted(texts.keys() & KIND_ORDER.keys(), key=KIND_ORDER.__getitem__):
                yield self._caption(video_id, kind, texts[kind])

    def _caption(self, video_id: str, kind: str, shown: Shown) -> dict[str, Json]:
        text = shown.text
        line: dict[str, Json] = {
            "video_id": self.names.name(video_id), "aspect": kind.removeprefix("vdc:"),
            "caption": shown.value(self.values), **self._discipline(video_id, kind),
        }  # fmt: skip
        line |= _not_done(text.state, text.reason)
        line |= self._marks(
            shown.now, self.text_corrections.get((text.id, "value")), {"machine_caption": shown.now.machine}
        )
        return line

    def _discipline(self, video_id: str, kind: str) -> dict[str, Json]:
        """What Video-MMLU is averaged over."""
        found = self.names.video(video_id).discipline if is_mmlu(kind) else ""
        return {"discipline": found} if found else {}

    def _asked(self, row: Row) -> dict[str, Json]:
        return {
            "video_id": self.names.name(row.question.video_id, row.question.dataset_id), "aspect": row.aspect,
            **self._discipline(row.question.video_id, row.question.kind),
            "index": row.question.index, "question": pick(row.asked, self.values),
            "answer": pick(row.reference, self.values), "pred_answer": pick(row.said, self.values),
        }  # fmt: skip

    def answer(self, row: Row) -> dict[str, Json]:
        line = self._asked(row) | {"category": row.question.category}
        line |= _not_done(row.answer.state, row.answer.reason)
        if row.answer.source_hash:
            line["source_hash"] = row.answer.source_hash
        marks = {"machine_pred_answer": row.said.machine}
        return line | self._marks(row.said, row.answer_correction, marks)

    def verdict(self, row: Row) -> dict[str, Json]:
        judgement, now = row.judgement, row.verdict
        line = self._asked(row) | {
            "raw": judgement.raw if judgement else "", "state": row.state(self.values),
            "pred": row.label(self.values), "score": row.score(self.values),
        }  # fmt: skip
        if judgement is None or now is None:
            return line | {"reason": "not judged yet"}
        line |= {"reason": judgement.reason} if judgement.reason else {}
        if judgement.source_hash:
            line["source_hash"] = judgement.source_hash
        marks = {
            "machine_pred": judgement.label, "machine_score": judgement.score,
            "machine_state": judgement.state,
        }  # fmt: skip
        return line | self._marks(now, row.correction, marks)

    def _marks(
        self, now: Current, correction: Correction | None, machine: Mapping[str, Json]
    ) -> dict[str, Json]:
        """What says that a person changed the value, and that what it was made from has changed."""
        if self.values == "machine":
            return {}
        stale = {"stale": True} if now.stale else {}
        if not now.corrected or correction is None:
            return stale
        return {
            **stale, "corrected": True, **machine, "corrected_by": self.people[correction.person_id],
            "correction_reason": correction.reason,
        }  # fmt: skip


def _not_done(state: str, reason: str) -> dict[str, Json]:
    return {} if state == "done" else {"state": state, "reason": reason}


def _manifest(wanted: Wanted, chain: Chain) -> dict[str, Any]:
    evaluation = chain.evaluation
    baseline = evaluation.baseline or any(run.baseline for runs in chain.runs.values() for run in runs)
    verdict_runs = chain.runs["verdicts"]
    found = scores(chain.rows, wanted.values)
    return {
        "format": "loveu", "version": 1, "name": evaluation.name,
        "platform": _said(verdict_runs, "platform") or "Dailies",
        "captioner": _models(chain.runs["captions"]), "judge": _models(verdict_runs),
        "extractor": _models(chain.runs["answers"]), "note": evaluation.note,
        "prompt_hash": "+".join(run.prompt_hash for run in verdict_runs if run.prompt_hash),
        "prompt_hashes": {
            role: [run.prompt_hash for run in runs if run.prompt_hash] for role, runs in chain.runs.items()
        },
        "created": _iso(evaluation.created_at),
        "values": wanted.values, "baseline": baseline,
        "baseline_stages": [role for role, runs in chain.runs.items() if any(run.baseline for run in runs)],
        "metric": "baseline score, not a VDCscore" if baseline else "VDCscore",
        "policy": POLICY, "scores": found["aspects"], "overall": found["overall"],
        "verdicts_without_question": chain.without_answer,
    }  # fmt: skip


def _iso(seconds: float) -> str:
    """Empty for what no calendar holds."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _models(runs: tuple[Run, ...]) -> str:
    return "+".join(dict.fromkeys(run.model for run in runs))


def _said(runs: tuple[Run, ...], key: str) -> str:
    return next((str(run.params[key]) for run in runs if run.params.get(key)), "")

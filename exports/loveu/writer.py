"""`loveu`: the complete log of an evaluation, with one file per stage.

LOVEU track 1A requires the captions, the answers extracted from them and the verdicts, "each submitted
explicitly", with platform and score (submission checklist). Files: `captions.jsonl` {video_id, aspect,
caption}; `answers.jsonl` {..., index, question, answer, pred_answer}; `verdicts.jsonl` {..., raw, state,
pred, score, reason}; `manifest.json`. An imported log's value for a whole video and aspect is a line of
`verdicts.jsonl` with `of` and without a question.
`exports.loveu.reader` reads the same folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from annotation.intake.names_of_videos import VideoNames
from annotation.records.decisions import Correction
from annotation.records.ids import Json
from annotation.records.runs import Evaluation, Run
from annotation.store.store import Current, Store
from annotation.store.verdicts.score_items import score_items
from annotation.systems.video_mmlu.kinds import is_mmlu
from annotation.texts.which_text_counts import CountingText
from annotation.workspace.prompts_in_use import other_prompts
from exports.files.evaluations_and_corrections import last_corrections, load_evaluation, people, pick
from exports.files.format_types import Output, Wanted
from exports.files.read_text_and_json import Head
from exports.files.write_files import json_line
from exports.logs.aspect_verdicts import AspectVerdict, json_of
from exports.logs.evaluation_rows import KIND_ORDER, Chain, Row, load_chain
from exports.loveu.scores import POLICY, mmlu_scores, scores

NAME = "loveu"
MANIFEST = "manifest.json"
STAGES = ("captions", "answers", "verdicts")
FILES = {f"{stage}.jsonl" for stage in STAGES}


def recognise(head: Head) -> bool:
    return head.folder and MANIFEST in head.names and bool(FILES & head.names)


def write(wanted: Wanted) -> Iterator[Output]:
    """Write the log. Raises UsageError or NotFound if the evaluation is not clear."""
    chain = load_chain(wanted.store, load_evaluation(wanted.store, wanted.evaluation_id))
    log = _Log(wanted, chain)
    yield "captions.jsonl", [json_line(line) for line in log.captions()]
    yield "answers.jsonl", [json_line(log.answer(row)) for row in chain.rows]
    yield "verdicts.jsonl", [json_line(line) for line in log.verdicts()]
    items = score_items(wanted.store, chain.evaluation.id)
    manifest = _manifest(wanted, chain, scores(items, wanted.values))
    if any(is_mmlu(row.question.kind) for row in chain.rows):
        manifest["video_mmlu"] = mmlu_scores(items, wanted.values)
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

    def _caption(self, video_id: str, kind: str, shown: CountingText) -> dict[str, Json]:
        text = shown.text
        line: dict[str, Json] = {
            "video_id": self.names.name(video_id),
            "aspect": kind.removeprefix("vdc:"),
            "caption": shown.of(self.values),
            **self._discipline(video_id, kind),
        }
        line |= _not_done(text.state, text.reason)
        line |= self._marks(
            shown.now, self.text_corrections.get((text.id, "value")), {"machine_caption": shown.now.machine}
        )
        return line

    def _discipline(self, video_id: str, kind: str) -> dict[str, Json]:
        """Return the discipline, by which Video-MMLU groups its means."""
        found = self.names.video(video_id).discipline if is_mmlu(kind) else ""
        return {"discipline": found} if found else {}

    def _asked(self, row: Row) -> dict[str, Json]:
        return {
            "video_id": self.names.name(row.question.video_id, row.question.dataset_id),
            "aspect": row.aspect,
            **self._discipline(row.question.video_id, row.question.kind),
            "index": row.question.index,
            "question": pick(row.asked, self.values),
            "answer": pick(row.reference, self.values),
            "pred_answer": pick(row.said, self.values),
        }

    def answer(self, row: Row) -> dict[str, Json]:
        line = self._asked(row) | {"category": row.question.category}
        line |= _not_done(row.answer.state, row.answer.reason)
        if row.answer.source_hash:
            line["source_hash"] = row.answer.source_hash
        marks = {"machine_pred_answer": row.said.machine}
        return line | self._marks(row.said, row.answer_correction, marks)

    def verdicts(self) -> Iterator[dict[str, Json]]:
        """Yield a line per question and per verdict on a video and aspect, which may replace questions."""
        means = {one.place for one in self.chain.aspect_verdicts}
        for row in self.chain.rows:
            if row.verdict or (row.question.video_id, row.question.kind) not in means:
                yield self.verdict(row)
        yield from map(self.whole, self.chain.aspect_verdicts)

    def verdict(self, row: Row) -> dict[str, Json]:
        verdict, now = row.verdict, row.current
        line = self._asked(row) | {
            "raw": verdict.raw if verdict else "",
            "state": row.state(self.values),
            "pred": row.label(self.values),
            "score": row.score(self.values),
        }
        if verdict is None or now is None:
            return line | {"reason": "not judged yet"}
        line |= {"reason": verdict.reason} if verdict.reason else {}
        if verdict.source_hash:
            line["source_hash"] = verdict.source_hash
        marks = {
            "machine_pred": verdict.label,
            "machine_score": verdict.score,
            "machine_state": verdict.state,
        }
        return line | self._marks(now, row.correction, marks)

    def whole(self, mean: AspectVerdict) -> dict[str, Json]:
        """Return the mean or the verdict on a video and aspect."""
        video_id, kind = mean.place
        line: dict[str, Json] = {
            "video_id": self.names.name(video_id),
            "aspect": mean.aspect,
            **self._discipline(video_id, kind),
            **json_of(mean, self.values),
        }
        verdict = mean.verdict
        marks: dict[str, Json] = {
            "machine_pred": verdict.label,
            "machine_score": verdict.score,
            "machine_state": verdict.state,
            "machine_accuracy": mean.accuracy("machine"),
        }
        return line | self._marks(mean.now, mean.correction, marks)

    def _marks(
        self, now: Current, correction: Correction | None, machine: Mapping[str, Json]
    ) -> dict[str, Json]:
        """Return marks for values that a person changed or confirmed, and for stale values."""
        if self.values == "machine":
            return {}
        stale = {"stale": True} if now.stale else {}
        if not now.corrected or correction is None:
            return stale
        who = {"corrected_by": self.people[correction.person_id], "correction_reason": correction.reason}
        return {**stale, "confirmed" if now.confirmed else "corrected": True, **machine, **who}


def _not_done(state: str, reason: str) -> dict[str, Json]:
    return {} if state == "done" else {"state": state, "reason": reason}


def _manifest(wanted: Wanted, chain: Chain, found: Mapping[str, Any]) -> dict[str, Any]:
    evaluation = chain.evaluation
    baseline = evaluation.baseline or any(run.baseline for runs in chain.runs.values() for run in runs)
    verdict_runs = chain.runs["verdicts"]
    return {
        "format": "loveu",
        "version": 1,
        "name": evaluation.name,
        "platform": _said(verdict_runs, "platform") or "Dailies",
        "captioner": _models(chain.runs["captions"]),
        "judge": _models(verdict_runs),
        "extractor": _models(chain.runs["answers"]),
        "note": evaluation.note,
        "prompt_hash": "+".join(run.prompt_hash for run in verdict_runs if run.prompt_hash),
        "prompt_hashes": {
            role: [run.prompt_hash for run in runs if run.prompt_hash] for role, runs in chain.runs.items()
        },
        "created": _iso(evaluation.created_at),
        "values": wanted.values,
        "baseline": baseline,
        "baseline_stages": [role for role, runs in chain.runs.items() if any(run.baseline for run in runs)],
        "metric": _metric(wanted.store, evaluation, baseline),
        "policy": POLICY,
        "scores": found["aspects"],
        "overall": found["overall"],
        "verdicts_without_question": len(chain.aspect_verdicts),
    }


def _metric(store: Store, evaluation: Evaluation, baseline: bool) -> str:
    """Return VDCscore only for results of its own prompts."""
    if baseline:
        return "baseline score, not a VDCscore"
    others = other_prompts(store, evaluation.id)
    return f"not a VDCscore: {', '.join(map(str, others))}" if others else "VDCscore"


def _iso(seconds: float) -> str:
    """Return the ISO time; empty for seconds outside the calendar."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _models(runs: tuple[Run, ...]) -> str:
    return "+".join(dict.fromkeys(run.model for run in runs))


def _said(runs: tuple[Run, ...], key: str) -> str:
    return next((str(run.params[key]) for run in runs if run.params.get(key)), "")

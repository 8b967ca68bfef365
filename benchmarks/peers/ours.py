"""Files into a workspace of ours, figures and files out of it; as the commands import, export and score."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from annotation.records.captions_to_verdicts import Question
from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from annotation.scores.score_table import table
from annotation.store.store import Store
from annotation.store.verdicts.score_items import score_items
from benchmarks.peers.made import Work
from exports.catalogue import format_registry as formats
from exports.files.evaluations_and_corrections import load_evaluation


def store_in(folder: Path) -> Store:
    folder.mkdir(parents=True, exist_ok=True)
    return Store(f"sqlite:///{folder}/dailies.db")


def brought(store: Store, path: Path, format: str | None = None) -> None:
    formats.commit(store, formats.read(path, store, format))


def write_lines(path: Path, lines: Iterable[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def question_file(folder: Path, work: Work) -> Path:
    """As VDCscore publishes it, with ids that stand twice."""
    lines = [
        {video: [{"question": a.question, "answer": a.answer} for a in asked]} for video, asked in work.lines
    ]
    return write_lines(folder / f"{work.aspect}.jsonl", lines)


def judged(store: Store, folder: Path, work: Work) -> Evaluation:
    """The questions that are in the store, each with the judge's reply, as an evaluation."""
    names = {video.id: video.title for video in store.find(Video)}
    questions = [q for q in store.find(Question) if q.kind == f"vdc:{work.aspect}"]
    about = [
        {
            "video_id": names[q.video_id],
            "aspect": work.aspect,
            "index": q.index,
            "question": q.text,
            "answer": q.reference,
            "pred_answer": f"answer to {q.text}",
        }
        for q in questions
    ]
    log = folder / "log"
    captions = ({"video_id": v, "aspect": work.aspect, "caption": c} for v, c in work.captions.items())
    write_lines(log / "captions.jsonl", captions)
    write_lines(log / "answers.jsonl", about)
    write_lines(log / "verdicts.jsonl", (one | {"raw": work.replies[str(one["question"])]} for one in about))
    (log / "manifest.json").write_text(json.dumps({"format": "loveu", "name": "made"}), encoding="utf-8")
    brought(store, log)
    return load_evaluation(store, None)


def figures(store: Store, policy: str, evaluation: str | None = None) -> dict[tuple[str, str], float | None]:
    """`{(aspect, metric): value}`; the aspect "" is over all."""
    items = score_items(store, load_evaluation(store, evaluation).id)
    return {(row.group.get("aspect", ""), row.metric): row.value for row in table(items, [policy])}


def through(store: Store, folder: Path, format: str) -> Path:
    """Written as a format. Returns the folder or file."""
    known: Mapping[str, Any] = formats.FORMATS
    out = folder / f"out-{format}{known[format].suffix}"
    formats.write(store, format, out)
    return out

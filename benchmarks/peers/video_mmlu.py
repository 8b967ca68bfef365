"""Video-MMLU: the judging script with a judge of ours, then `calculate_scores.py`, both whole."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from annotation.store.verdicts.score_items import score_items
from annotation.systems.video_mmlu.scores import mmlu_table
from benchmarks.peers import made, ours
from benchmarks.peers.figures import Figure
from benchmarks.peers.loading import file_of, load, run_main, stub
from exports.files.evaluations_and_corrections import load_evaluation

PEER = "video-mmlu"
DISCIPLINES = ("Math", "Physics", "Chemistry")


def video_mmlu(checkout: Path, folder: Path, seed: int) -> Iterator[Figure]:
    """Unreadable replies vanish in the first script; a missing discipline counts as 0 in the second."""
    judging = file_of(checkout, "post_eval/eval_cap_qa.py")
    scoring = file_of(checkout, "post_eval/calculate_scores.py")
    odd = made.PLAIN * 4 + made.BELOW + made.BROKEN[:3] + ("", "I cannot tell.")
    kinds = {
        "plain": (made.PLAIN, DISCIPLINES),
        "odd": (odd, DISCIPLINES),
        "one discipline missing": (odd, ("Math", "Physics", "biology")),
    }
    for name, (replies, disciplines) in kinds.items():
        here = folder / f"mmlu-{name.split()[0]}"
        said = _answers(seed, replies, disciplines, here)
        pipe = _pipeline(said)
        lmdeploy = stub(
            "lmdeploy",
            pipeline=lambda *_a, _pipe=pipe, **_m: _pipe,
            GenerationConfig=dict,
            TurbomindEngineConfig=dict,
        )
        judged = here / "judged_cap.jsonl"
        paths = ["--eval_path", "extracted.jsonl", "--save_file_path", str(judged)]
        run_main(load(judging, "mmlu_judge", {"lmdeploy": lmdeploy}), here, paths)
        out = here / "summary.json"
        run_main(
            load(scoring, "mmlu_scores", {}), here, ["--results_file", str(judged), "--output_file", str(out)]
        )
        yield from _figures(name, json.loads(out.read_text(encoding="utf-8")), judged, here)


def _answers(
    seed: int, replies: tuple[str, ...], disciplines: tuple[str, ...], folder: Path
) -> dict[str, str]:
    """`extracted.jsonl`, and the judge's reply to each question."""
    draw, said = random.Random(f"mmlu {seed}"), {}
    lines = []
    for number in range(60):
        discipline = draw.choice(disciplines)
        for n in range(draw.randint(1, 5)):
            question = f"What is {n} in lecture {number}?"
            said[question] = draw.choice(replies)
            lines.append(
                {
                    "video_id": f"lecture{number:04}",
                    "discipline": discipline,
                    "question": question,
                    "answer": draw.choice(made.NOUNS),
                    "pred_answer": "a kite",
                }
            )
    ours.write_lines(folder / "extracted.jsonl", lines)
    return said


def _pipeline(said: dict[str, str]) -> Any:
    def pipe(prompts: list[list[dict[str, str]]], **_more: Any) -> list[SimpleNamespace]:
        question = prompts[-1][0]["content"].partition("Question: ")[2].partition("\n")[0]
        return [SimpleNamespace(text=said[question])]

    return pipe


def _figures(name: str, summary: dict[str, Any], judged: Path, folder: Path) -> Iterator[Figure]:
    store = ours.store_in(folder)
    ours.brought(store, judged)
    rows = mmlu_table(score_items(store, load_evaluation(store, None).id), [PEER])
    found = {
        (row.group.get("discipline", ""), row.metric): row.value
        for row in rows
        if row.group.get("task") == "caption"
    }
    for discipline, theirs in summary["category_results"].items():
        accuracy, score = found[discipline, "accuracy_micro"], found[discipline, "score_micro"]
        here = theirs["total_samples"] > 0
        yield Figure(
            PEER, name, f"accuracy {discipline}", theirs["accuracy"] / 100 if here else None, accuracy
        )
        yield Figure(PEER, name, f"score {discipline}", theirs["average_score"] if here else None, score)
    overall = summary["overall_results"]
    yield Figure(
        PEER, name, "overall accuracy", overall["overall_accuracy"] / 100, found["", "accuracy_micro"]
    )
    yield Figure(PEER, name, "final score", overall["final_score"], found["", "score_micro"])

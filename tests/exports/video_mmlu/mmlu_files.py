"""Logs in the shapes that the scripts of Video-MMLU write, made from a small dataset."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

VIDEOS = {"-math000001": "Math", "phys0000002": "Physics", "chem0000003": "Chemistry"}
ASKED = ("Which formula is shown?", "Which colour is it?")
REFERENCES = ("It's 2x", "red")
VERDICTS = (("yes", 5), ("no", 1))


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def dataset(path: Path) -> Path:
    """`video_mmlu.jsonl`: two questions of either kind per video."""
    pairs = [{"question": q, "answer": a.replace("'", "\\'")} for q, a in zip(ASKED, REFERENCES, strict=True)]
    why = [{"question": f"Why? {q}", "answer": a} for q, a in zip(ASKED, REFERENCES, strict=True)]
    return write_lines(
        path,
        (
            {"video_id": v, "discipline": d, "caption": "Notes.", "captions_qa": pairs, "reasoning_qa": why}
            for v, d in VIDEOS.items()
        ),
    )


def extracted() -> list[dict[str, Any]]:
    return [
        {"video_id": v, "discipline": d, "question": q, "answer": a, "pred_answer": f"said {q}"}
        for v, d in VIDEOS.items()
        for q, a in zip(ASKED, REFERENCES, strict=True)
    ]


def judged(prefix: str = "") -> list[dict[str, Any]]:
    """Per video one yes with 5 and one no with 1."""
    return [
        {
            "video_id": v,
            "discipline": d,
            "judgement": {"pred": pred, "score": score},
            "question": prefix + q,
            "answer": a,
            "pred": f"said {q}",
        }
        for v, d in VIDEOS.items()
        for q, a, (pred, score) in zip(ASKED, REFERENCES, VERDICTS, strict=True)
    ]


def summary(samples: int = 2, yes: int = 1) -> dict[str, Any]:
    one = {
        "total_samples": samples,
        "correct_predictions": yes,
        "accuracy": 100 * yes / samples,
        "average_score": 3.0,
    }
    overall = {
        "total_samples": 3 * samples,
        "overall_accuracy": 100 * yes / samples,
        "overall_average_score": 3.0,
        "final_score": 3.0,
    }
    return {"category_results": dict.fromkeys(VIDEOS.values(), one), "overall_results": overall}


def mmlu_log(folder: Path) -> Path:
    """Extraction, both judged files and the summary of one of them."""
    write_lines(folder / "extracted.jsonl", extracted())
    write_lines(folder / "judged_cap.jsonl", judged())
    write_lines(folder / "judged_qa.jsonl", judged("Why? "))
    (folder / "summary.json").write_text(json.dumps(summary(), indent=4))
    return folder

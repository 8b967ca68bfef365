"""Small logs in the shapes that each peer's writer gives, for tests that need no file from elsewhere."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import openpyxl

VIDEOS = ("clip-a", "-clip_b", "clip-c")
QUESTIONS = [
    {"question": "How does the camera move?", "answer": "it pans left"},
    {"question": "Is it shaky?", "answer": "no"},
]


def sample(number: int, generation: str, *, pred: str = "The camera pans left.") -> dict[str, Any]:
    """One line of a sample file. Generations: `v0.2`, `v0.3`, `v0.4`, `head`, `aurora`."""
    video, caption = VIDEOS[number], f"Reference {number}."
    prefix = {"aurora": "llm_eval", "v0.2": "gpt_eval"}.get(generation, "llmms_eval")
    metric = {"video_name": video, "caption": caption, "pred": pred}
    line: dict[str, Any] = {"doc_id": number}
    if generation in ("aurora", "v0.2", "v0.3"):
        answers = [q | {"pred_answer": "it pans"} for q in QUESTIONS]
        line["doc"] = {"video_name": video, "caption": caption, "qa_list": answers, "pred": pred}
        line["arguments"] = {"0": "max_new_tokens"}
        line["resps"] = [[pred]]
    line |= {"target": caption, "filtered_resps": pred if generation == "head" else [pred], "doc_hash": "0"}
    line |= {
        f"{prefix}_score": metric | {"score": 2.0 + number},
        f"{prefix}_acc": metric | {"acc": number / 2},
    }
    return line | {"input": "Describe the camera."}


def lmms_log(folder: Path, generation: str) -> Path:
    """A folder (or the fork's one file) with three videos of one aspect and the means over them."""
    folder.mkdir(parents=True)
    lines = [sample(number, generation) for number in range(3)]
    if generation == "aurora":
        document = {
            "args": {"model_args": "pretrained=some/model"},
            "model_configs": {},
            "logs": lines,
            "time": "x",
        }
        file = folder / "vdc_camera.json"
        file.write_text(json.dumps(document, indent=4))
        return file
    name = (
        "samples_camera_test_2024-11-02T10-00-00.000001"
        if generation == "v0.2"
        else "20260101_120000_samples_camera_test"
    )
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    prefix = "gpt_eval" if generation == "v0.2" else "llmms_eval"
    results = {
        "results": {"camera_test": {f"{prefix}_score,none": 3.0, f"{prefix}_acc,none": 0.5}},
        "configs": {},
        "n-samples": {"camera_test": {"original": 3, "effective": 3}},
        "model_name": "some/model",
        "date": "20260101_120000",
    }
    (folder / "20260101_120000_results.json").write_text(json.dumps(results))
    return folder


def vlmevalkit_log(folder: Path) -> Path:
    """A run with three videos of one aspect."""
    folder.mkdir(parents=True)
    prefix = "SomeModel_VDC_8frame"
    rows = [
        [number, f"{video}.mp4", "camera", str(QUESTIONS), f"The camera pans in {video}."]
        for number, video in enumerate(VIDEOS)
    ]
    header = ["index", "video", "caption_type", "question", "prediction"]
    replies = ["{'pred': 'yes', 'score': 4}", "{'pred': 'no', 'score': 1}", "it depends"]
    write_xlsx(folder / f"{prefix}.xlsx", [header, *rows])
    judged = [[*row, reply] for row, reply in zip(rows, replies, strict=True)]
    write_xlsx(folder / f"{prefix}_llama31-8b_score.xlsx", [[*header, "score"], *judged])
    (folder / f"{prefix}_llama31-8b_response.pkl").write_bytes(
        pickle.dumps({0: "a pan", 1: "still", 2: "no"})
    )
    (folder / f"{prefix}_llama31-8b_tmp.pkl").write_bytes(pickle.dumps(dict(enumerate(replies))))
    rating = {
        "coarse_valid": {"camera": "2.50", "overall": "2.50"},
        "coarse_accuracy": {"camera": "0.50", "overall": "0.50"},
    }
    (folder / f"{prefix}_llama31-8b_rating.json").write_text(json.dumps(rating))
    return folder


def write_xlsx(path: Path, rows: list[list[Any]]) -> None:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)


def loveu_log(folder: Path, model: str = "some-captioner") -> Path:
    """A whole log: a manifest, captions, answers and verdicts of two videos."""
    folder.mkdir(parents=True)
    asked = [
        {"video_id": video, "aspect": "camera", "index": index, **question, "category": "motion"}
        for video in VIDEOS[:2]
        for index, question in enumerate(QUESTIONS)
    ]
    captions = [
        {"video_id": video, "aspect": "camera", "caption": f"The camera of {video} pans."}
        for video in VIDEOS[:2]
    ]
    answers = [line | {"pred_answer": f"answer {n}"} for n, line in enumerate(asked)]
    verdicts = [
        line | {"pred": "no" if n == 0 else "yes", "score": 0 if n == 0 else 4, "raw": "{}", "state": "done"}
        for n, line in enumerate(answers)
    ]
    for name, lines in (("captions", captions), ("answers", answers), ("verdicts", verdicts)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text)
    manifest = {
        "platform": "test",
        "captioner": model,
        "judge": "some-judge",
        "created": "2026-02-03",
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder

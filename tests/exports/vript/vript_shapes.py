"""Files of Vript in the shapes in which the dataset is published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

BAG = "0J7UPHL08fU"
TITLE = "WHAT'S IN MY TECH TRAVEL BAG - Ep. 18"
FIELDS = {
    "shot_type": "Medium shot, subject centered, slight low-angle perspective.",
    "camera_movement": "Static camera, no movement, subject is slightly moving hands.",
    "content": "The scene features a male presenter in a rural setting, with trees behind him.",
    "scene_title": "Introducing Tech Travel Pack Episode",
}
SAID = "Hey guys, what's going on? It's Carl here back with another episode."


def clip_id(video: str, number: int) -> str:
    return f"{video}-Scene-{number:03d}"


def caption_row(video: str, number: int, **more: Any) -> dict[str, Any]:
    return {
        "video_id": video,
        "clip_id": clip_id(video, number),
        "video_title": TITLE,
        "caption": {**FIELDS, "content": f"{number}: {FIELDS['content']}"},
        "voiceover": [f"{SAID} {number}"],
    } | more


def captions(video: str, count: int, **meta: Any) -> dict[str, Any]:
    about = {"video_id": video, "video_title": TITLE, "num_clips": count, "integrity": True} | meta
    return {"meta": about, "data": {clip_id(video, n): caption_row(video, n) for n in range(1, count + 1)}}


def asr_row(video: str, number: int, duration: Any = 10.5, **more: Any) -> dict[str, Any]:
    """Times are relative to the clip; the text begins with Whisper's space, and each has one after it."""
    text = f" {SAID} {number}"
    return {
        "clip_id": clip_id(video, number),
        "duration": duration,
        "lang": "en",
        "scene_text": [{"span": [1.58, 6.02], "text": text}],
        "full_text": f"{text} ",
    } | more


def cuts(video: str, count: int, length: float = 10.5) -> dict[str, Any]:
    rows = [
        {"clip_id": f"{clip_id(video, n + 1)}.mp4", "start": n * length, "end": (n + 1) * length}
        for n in range(count)
    ]
    return {"video_id": video, "clips": rows}


def put(folder: Path, name: str, value: Any) -> Path:
    """A document, or lines where the name says so. Rows of a transcript come last first, as published."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    if name.endswith(".jsonl"):
        path.write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in value), encoding="utf-8"
        )
    else:
        path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def dataset(folder: Path, video: str = BAG, count: int = 3) -> Path:
    """The three files of one video, captions apart from clips, as in the dataset's folders."""
    put(folder / "vript_captions", f"{video}_caption.json", captions(video, count))
    clips = folder / "vript_long_videos_clips" / video
    put(clips, f"{video}_asr.jsonl", [asr_row(video, n) for n in range(count, 0, -1)])
    put(clips, f"{video}_cut_meta.json", cuts(video, count))
    return folder

"""`srt`, `vtt`: speech as subtitles; `scenes-srt`, `scenes-vtt`: scenes with their titles.

One file per video, named after it. WebVTT: https://www.w3.org/TR/webvtt1/. SubRip has no standard; the
files use the subset that all players support.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from annotation.records.videos import Video
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.store.current_speech import heard, spoken
from annotation.store.store import Store
from annotation.texts.which_text_counts import Values, texts_by_subject
from exports.files.format_types import Output, Wanted, Writer
from exports.files.read_text_and_json import Head
from exports.files.write_files import safe_names

Syntax = Literal["srt", "vtt"]
TITLE = "script:scene_title"
"""Kind of text."""
_TIMING = re.compile(r"\d+\s*\n\d\d+:\d\d:\d\d,\d{3} --> \d\d+:\d\d:\d\d,\d{3}")


@dataclass(frozen=True, slots=True)
class Cue:
    """One subtitle. Times are seconds from the start of the presentation."""

    start_s: float
    end_s: float
    text: str


def recognise(syntax: Syntax, head: Head) -> bool:
    """Recognise a subtitle file, or a folder of subtitle files only."""
    if head.folder:
        return bool(head.names) and all(recognise(syntax, head.inside(name)) for name in head.names)
    if syntax == "vtt":
        return re.match(r"WEBVTT[ \t\r\n]", head.text + "\n") is not None
    return _TIMING.match(head.text.replace("\r\n", "\n").lstrip()) is not None


def writer(syntax: Syntax, cues_of: Callable[[Store, Video, Values], list[Cue]]) -> Writer:
    """Return a writer of one file per video that has cues."""
    return partial(_write, syntax, cues_of)


def _write(
    syntax: Syntax, cues_of: Callable[[Store, Video, Values], list[Cue]], wanted: Wanted
) -> Iterator[Output]:
    store = wanted.store
    videos = store.find(Video, order_by=["title", "id"])
    found = [(video, cues_of(store, video, wanted.values)) for video in videos]
    found = [(video, cues) for video, cues in found if cues]
    names = safe_names([video.title for video, _ in found], f".{syntax}")
    for name, (_, cues) in zip(names, found, strict=True):
        yield name, (to_srt if syntax == "srt" else to_vtt)(cues)


def speech(store: Store, video: Video, values: Values) -> list[Cue]:
    """Return the latest transcription, corrected and split by people, or as transcribed."""
    lines = spoken(store, video.id) if values == "current" else heard(store, video.id)
    return [Cue(line.start_s, line.end_s, line.text) for line in lines]


def scenes(store: Store, video: Video, values: Values) -> list[Cue]:
    """Return the current scenes. A scene without a title is called by its number."""
    found = texts_by_subject(store, [TITLE], values=values, video_ids=[video.id])
    titles = {about.subject_id: group[0].value for about, group in found.items() if group[0].value.strip()}
    return [
        Cue(scene.start_s, scene.end_s, titles.get(scene.key, f"Scene {scene.index + 1}").strip())
        for scene in current_scenes(store, video.id)
    ]


def to_srt(cues: Sequence[Cue]) -> Iterator[str]:
    """Format as SubRip. An arrow in the text becomes a Unicode arrow, because SubRip has no escapes."""
    for number, cue in enumerate(cues, 1):
        start, end = _span(cue)
        text = _one_block(cue.text).replace("-->", "→")
        yield f"{number}\n{_clock(start, ',')} --> {_clock(end, ',')}\n{text}\n\n"


def to_vtt(cues: Sequence[Cue]) -> Iterator[str]:
    """Format as WebVTT. `&`, `<` and `>` are escaped, including those of arrows."""
    yield "WEBVTT\n\n"
    for cue in cues:
        start, end = _span(cue)
        text = _one_block(cue.text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        yield f"{_clock(start, '.')} --> {_clock(end, '.')}\n{text}\n\n"


def _one_block(text: str) -> str:
    """Remove blank lines, which would end the cue."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _span(cue: Cue) -> tuple[int, int]:
    """Return start and end in milliseconds. A cue is at least 1 ms long."""
    start = max(0, round(cue.start_s * 1000))
    return start, max(start + 1, round(cue.end_s * 1000))


def _clock(ms: int, point: str) -> str:
    seconds, ms = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}{point}{ms:03d}"

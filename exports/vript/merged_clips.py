"""Merges the data of Vript's files on a video: one entry per clip.

Source: Vript (NeurIPS 2024) and the dataset's own description of its files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.records.allowed_values import SCRIPT_FIELDS
from annotation.records.clip_names import MOST_CLIPS
from annotation.records.finite_numbers import finite_float
from annotation.records.ids import Json
from backends.text.text_length import is_unspaced
from exports.files.read_text_and_json import text_at

LONGEST_S = 7 * 24 * 3600.0
NAMES_OF_START = ("start_time", "start", "start_s", "start_sec", "start_seconds", "begin", "from")
NAMES_OF_END = ("end_time", "end", "end_s", "end_sec", "end_seconds", "stop", "to")
NAMES_OF_DURATION = ("duration", "duration_s", "duration_sec", "length", "clip_duration")
NAMES_OF_SPAN = ("span", "time", "interval", "timestamp", "timestamps")
_CLOCK = re.compile(r"(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2}(?:[.,]\d+)?)")

Say = Callable[[str, str], None]
"""Callback for problems: where and what."""


@dataclass(frozen=True, slots=True)
class Said:
    """One segment of speech, seconds from the start of its clip."""

    start_s: float
    end_s: float
    text: str
    given: tuple[float, float] | None = None
    """The span in the file, if it exceeds the clip."""


@dataclass(slots=True)
class Clip:
    """Data of all files on one clip."""

    number: int
    where: str = ""
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """One text per field, or several annotations of it."""
    voice_over: str | None = None
    said: tuple[Said, ...] | None = None
    """None without a transcript; empty if the clip is silent."""
    language: str = ""
    start_s: float | None = None
    end_s: float | None = None
    duration_s: float | None = None
    baseline: bool = False
    heard_at: str = ""
    """Location of its transcript."""
    more: dict[str, Json] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        return all(self.fields.get(name) for name in SCRIPT_FIELDS)

    @property
    def beyond(self) -> int:
        """Number of segments of speech that exceed the clip."""
        return sum(said.given is not None for said in self.said or ())


@dataclass(slots=True)
class Given:
    """Data of all files on one video."""

    video_id: str
    where: str
    title: str = ""
    num_clips: int | None = None
    integrity: bool | None = None
    clips: dict[int, Clip] = field(default_factory=dict)
    more: dict[str, Json] = field(default_factory=dict)
    partial: bool = False
    """Whether the files lack fields by design; then no script counts as missing."""
    about: dict[str, Json] = field(default_factory=dict)
    """Fields of a meta file: title, categories, URL."""

    def clip(self, number: int, where: str) -> Clip:
        return self.clips.setdefault(number, Clip(number, where))

    @property
    def size(self) -> int:
        """Number of clips that the video has, as far as known."""
        stated = self.num_clips if self.num_clips is not None and self.clips else 0
        return max([stated, *self.clips])

    def missing(self) -> list[int]:
        """Numbers of clips without a complete script."""
        return [n for n in range(1, self.size + 1) if n not in self.clips or not self.clips[n].complete]


# --- values ---------------------------------------------------------------------------


def number_of(value: Json) -> float | None:
    """Return a finite number, also from a text; None for anything else."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return finite_float(value)


def seconds_of(value: Json) -> float | None:
    """Return seconds from a number, a number as text, or a time such as `00:01:02.500`, else None."""
    clock = _CLOCK.fullmatch(value.strip()) if isinstance(value, str) else None
    if clock:
        found: float | None = (
            int(clock[1] or 0) * 3600 + int(clock[2]) * 60 + float(clock[3].replace(",", "."))
        )
    else:
        found = number_of(value)
    return round(found, 6) if found is not None and 0 <= found <= LONGEST_S else None


def text_of(value: Json) -> str | None:
    """Return a text, or a list of texts joined; None for anything else."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return " ".join(part.strip() for part in value if part.strip())
    return None


def texts_of(value: Json) -> tuple[str, ...] | None:
    """Return the annotations of a field, one for a text or several for a list; None for anything else."""
    if isinstance(value, str):
        return (value,) if value.strip() else ()
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(part for part in value if part.strip())
    return None


def first_of(row: Mapping[str, Json], names: tuple[str, ...]) -> Json:
    return next((row[name] for name in names if row.get(name) is not None), None)


def times_of(row: Mapping[str, Json]) -> tuple[float | None, float | None, float | None]:
    """Return (start, end, duration) of a clip in seconds, from any known field name; None if missing."""
    span = first_of(row, NAMES_OF_SPAN)
    pair = span if isinstance(span, list) and len(span) == 2 else (None, None)
    start = seconds_of(
        first_of(row, NAMES_OF_START) if first_of(row, NAMES_OF_START) is not None else pair[0]
    )
    end = seconds_of(first_of(row, NAMES_OF_END) if first_of(row, NAMES_OF_END) is not None else pair[1])
    duration = seconds_of(first_of(row, NAMES_OF_DURATION))
    if start is not None and end is None and duration is not None:
        end = round(start + duration, 6)
    if start is None and end is not None and duration is not None:
        start = round(max(0.0, end - duration), 6)
    return start, end, duration


# --- rows -----------------------------------------------------------------------------

CAPTION_KEYS = {"video_id", "clip_id", "video_title", "caption", "voiceover", "baseline", "meta"}
META_KEYS = {"video_id", "video_title", "num_clips", "integrity"}
ASR_KEYS = {"clip_id", "duration", "lang", "scene_text", "full_text", "video_id"}


def take_meta(given: Given, meta: Mapping[str, Json], where: str, say: Say) -> None:
    """Read `video_title`, `num_clips`, `integrity` of a caption file; other fields are kept."""
    title, count, whole = meta.get("video_title"), meta.get("num_clips"), meta.get("integrity")
    if isinstance(title, str) and title.strip():
        given.title = given.title or title
    found = number_of(count)
    if found is not None and found == int(found) and 0 <= found <= MOST_CLIPS:
        given.num_clips = int(found)
    elif count is not None:
        say(where, f"num_clips {str(count)[:40]!r} is not a number of clips; left out")
    if isinstance(whole, bool):
        given.integrity = whole
    elif whole is not None:
        say(where, f"integrity {str(whole)[:40]!r} is neither true nor false; left out")
    given.more |= {key: value for key, value in meta.items() if key not in META_KEYS}


def take_caption(given: Given, number: int, row: Mapping[str, Json], where: str, say: Say) -> None:
    """Read the four fields and the voice-over of one clip. The first entry of a clip is kept."""
    caption = row.get("caption")
    fields = caption if isinstance(caption, dict) else {k: row[k] for k in SCRIPT_FIELDS if k in row}
    clip = given.clip(number, where)
    read = {name: _field(fields, name, where, say) for name in SCRIPT_FIELDS}
    found = {name: texts for name, texts in read.items() if texts}
    if clip.fields:
        same = "is identical" if clip.fields == found else "differs"
        say(where, f"clip {number:03d} already appears at {clip.where}; this one {same}, the first is kept")
        return
    clip.fields, clip.where = found, where
    voice = text_of(row["voiceover"]) if row.get("voiceover") is not None else None
    if voice is None and row.get("voiceover") is not None:
        say(where, "voiceover is neither a text nor a list of texts; left out")
    clip.voice_over = voice if voice is not None else clip.voice_over
    clip.baseline = row.get("baseline") is True
    given.title = given.title or text_at(row, "video_title")
    clip.more |= {k: v for k, v in row.items() if k not in CAPTION_KEYS and k not in SCRIPT_FIELDS}
    if isinstance(caption, dict):
        odd = {k: v for k, v in caption.items() if k not in SCRIPT_FIELDS}
        clip.more |= {"caption": odd} if odd else {}


def _field(fields: Mapping[str, Json], name: str, where: str, say: Say) -> tuple[str, ...]:
    value = fields.get(name)
    found = texts_of(value)
    if found is None and value is not None:
        say(where, f"{name} is neither a text nor a list of texts; left out")
    elif not found:
        say(where, f"no {name}")
    return found or ()


def take_asr(given: Given, number: int, row: Mapping[str, Json], where: str, say: Say) -> None:
    """Read the transcript of one clip. Spans that exceed the clip are clamped and counted."""
    clip = given.clip(number, where)
    if clip.said is not None:
        say(where, f"clip {number:03d} already has a transcript; the first is kept")
        return
    duration = seconds_of(row.get("duration"))
    if duration is None and row.get("duration") is not None:
        say(where, f"duration {str(row['duration'])[:40]!r} is not a time; left out")
    clip.duration_s = duration if clip.duration_s is None else clip.duration_s
    language = row.get("lang")
    clip.language = language[:32] if isinstance(language, str) else ""
    clip.heard_at = where
    clip.said = _said(clip, row, where, say)
    clip.more |= {key: value for key, value in row.items() if key not in ASR_KEYS}


def _said(clip: Clip, row: Mapping[str, Json], where: str, say: Say) -> tuple[Said, ...]:
    rows = row.get("scene_text")
    if not isinstance(rows, list):
        whole = row.get("full_text")
        rows = (
            [{"span": [0, clip.duration_s], "text": whole}]
            if isinstance(whole, str) and whole.strip()
            else []
        )
    found: list[Said] = []
    for part in rows:
        one = _one_said(part, clip)
        if one is None:
            say(where, f"{str(part)[:80]} in scene_text has no text or no span; left out")
        elif one.text:
            found.append(one)
    return tuple(sorted(found, key=lambda said: said.start_s))


SHORTEST_S = 0.01
"""Length of clamped speech that lies entirely after its clip."""


def _one_said(part: Any, clip: Clip) -> Said | None:
    span = part.get("span") if isinstance(part, dict) else None
    text = part.get("text") if isinstance(part, dict) else None
    if not isinstance(text, str) or not isinstance(span, list) or len(span) != 2:
        return None
    start, end = (number_of(edge) for edge in span)
    if start is None or end is None:
        return None
    last = clip.duration_s if clip.duration_s is not None else LONGEST_S
    within = min(max(0.0, start), max(0.0, last - SHORTEST_S))
    given = (start, end) if end > last else None
    return Said(round(within, 6), round(min(max(within, end), last), 6), text.strip(), given)


def spaced(text: str) -> str:
    """Return text in Whisper's form: a space before each segment, unless the script has no spaces."""
    return text if is_unspaced(text) else f" {text}"


def take_cut(given: Given, number: int, row: Mapping[str, Json], where: str, say: Say) -> None:
    """Read the position of one clip in its video."""
    clip = given.clip(number, where)
    start, end, duration = times_of(row)
    if start is None and duration is None:
        say(where, f"clip {number:03d} has no readable time")
        return
    if start is not None and end is not None and end <= start:
        say(where, f"clip {number:03d} ends at {end} s before it starts at {start} s; its end is left out")
        end = None
    if clip.start_s is not None and (clip.start_s, clip.end_s) != (start, end):
        say(where, f"clip {number:03d} already has other times; the first are kept")
        return
    clip.start_s, clip.end_s = start, end
    if start is not None and end is not None:
        duration = round(end - start, 6)
    clip.duration_s = clip.duration_s if duration is None else duration

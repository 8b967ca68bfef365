"""Script text of Vriptor: scenes under headings with their times, written and read.

    [Scene 2/9: A dragonfly lands](Duration: [5.0, 10.0]/50.0s)
    What the scene shows ...

Source: Vript (NeurIPS 2024), section 3. Training records are drawn in `vriptor_training.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_HEAD = re.compile(
    r"^\[Scene (\d{1,6})(?:/(\d{1,6}))?: (.*?)\]"
    r"\(Duration: \[([\d.]+), ([\d.]+)\](?:/([\d.]+)s)?\)",
    re.MULTILINE,
)
_VOICE = re.compile(r'Voice-?over:\s?"(.*)"\. Based on the video and voiceover', re.DOTALL | re.IGNORECASE)
_LINE = re.compile(r"\[([\d.]+), ([\d.]+)\] ?(.*)")
_DURATION = re.compile(r"\(Duration: \[[\d.]+, ([\d.]+)\]")
_LAST_S = 10_000_000.0


@dataclass(frozen=True, slots=True)
class Spoken:
    """One line of voice-over; times in seconds from the start of its scene or script."""

    start_s: float
    end_s: float
    text: str


@dataclass(frozen=True, slots=True)
class ScriptScene:
    """One scene of a script."""

    title: str
    content: str
    duration_s: float


@dataclass(frozen=True, slots=True)
class ReadScene:
    """One scene parsed from a script text. Times are seconds from the start of the script."""

    number: int
    title: str
    start_s: float
    end_s: float
    content: str


@dataclass(frozen=True, slots=True)
class ReadScript:
    """A parsed script text."""

    scenes: tuple[ReadScene, ...]
    problems: tuple[str, ...] = ()


# --- writing --------------------------------------------------------------------------


def script_text(scenes: Sequence[ScriptScene]) -> str:
    """All scenes under their headings; times are rounded to a tenth of a second."""
    total = _tenth(sum(scene.duration_s for scene in scenes))
    return "".join(
        f"{_heading(number, len(scenes), scene.title, a, b, total)}\n{scene.content.strip()}\n\n"
        for number, (scene, (a, b)) in enumerate(zip(scenes, spans(scenes), strict=True), 1)
    )


def _heading(number: int, of: int, title: str, a: str, b: str, total: str) -> str:
    name = " ".join(title.split())
    return f"[Scene {number}/{of}: {name}](Duration: [{a}, {b}]/{total}s)"


def spans(scenes: Sequence[ScriptScene]) -> list[tuple[str, str]]:
    """Start and end of every scene in seconds from the start of the first, formatted as in the script."""
    found, at = [], 0.0
    for scene in scenes:
        found.append((_tenth(at), _tenth(at + scene.duration_s)))
        at += scene.duration_s
    return found


def _tenth(seconds: float) -> str:
    return f"{round(seconds, 1):.1f}"


# --- reading --------------------------------------------------------------------------


def read_script_text(text: str) -> ReadScript:
    """Parse scenes in text order; irregularities are reported and skipped.

    Without headings the result has no scenes.
    """
    heads = list(_HEAD.finditer(text))
    if not heads:
        return ReadScript((), ("no heading like [Scene 1/2: title](Duration: [0.0, 5.0]/10.0s)",))
    problems = ["words before the first heading are left out"] if text[: heads[0].start()].strip() else []
    ends = [*(head.start() for head in heads[1:]), len(text)]
    scenes: list[ReadScene] = []
    for head, end in zip(heads, ends, strict=True):
        a, b = _seconds(head[4]), _seconds(head[5])
        if a is None or b is None:
            problems.append(f"scene {head[1]}: {head[4]}, {head[5]} are not valid times; left out")
            continue
        scenes.append(ReadScene(int(head[1]), head[3].strip(), a, b, text[head.end() : end].strip()))
    return ReadScript(tuple(scenes), (*problems, *_oddities(scenes, heads)))


def _oddities(scenes: Sequence[ReadScene], heads: Sequence[re.Match[str]]) -> Iterator[str]:
    numbers = [scene.number for scene in scenes]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"the scenes are numbered {', '.join(map(str, numbers[:20]))}"
    totals = {head[2] for head in heads if head[2]}
    if totals and totals != {str(len(heads))}:
        yield f"{len(heads)} scenes, and the headings say {', '.join(sorted(totals))}"
    at = 0.0
    for scene in scenes:
        if scene.end_s < scene.start_s:
            yield f"scene {scene.number} ends before it starts"
        elif scene.start_s < at - 0.11:
            yield f"scene {scene.number} starts before the scene before it ends"
        at = max(at, scene.end_s)


def read_voice(text: str) -> list[Spoken]:
    """The voice-over lines of an instruction, seconds from the start of its scenes."""
    found = _VOICE.search(text)
    lines = [_LINE.fullmatch(line.strip()) for line in found[1].splitlines()] if found else []
    return [
        Spoken(a, b, text.strip())
        for a, b, text in ((_seconds(m[1]), _seconds(m[2]), m[3]) for m in lines if m)
        if a is not None and b is not None and text.strip()
    ]


def read_duration(text: str) -> float | None:
    """The whole duration that an instruction names, in seconds."""
    found = _DURATION.search(text)
    return _seconds(found[1]) if found else None


def lines_of_scenes(lines: Sequence[Spoken], edges: Sequence[tuple[float, float]]) -> list[list[Spoken]]:
    """Split the voice-over of a script by scene, in seconds from the start of each scene.

    A line belongs to the scene that contains its middle; the last scene includes lines beyond the end.
    """
    found: list[list[Spoken]] = [[] for _ in edges]
    for line in lines if edges else ():
        middle = (line.start_s + line.end_s) / 2
        at = next((n for n, (a, b) in enumerate(edges) if a <= middle < b), len(edges) - 1)
        start, end = (round(s - edges[at][0], 6) for s in (line.start_s, line.end_s))
        found[at].append(Spoken(max(0.0, start), max(0.0, end), line.text))
    return found


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value < _LAST_S else None

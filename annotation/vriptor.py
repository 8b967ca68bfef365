"""Script text of Vriptor: scenes under headings with their times, and the instructions that ask for it.

    [Scene 2/9: A dragonfly lands](Duration: [5.0, 10.0]/50.0s)
    What is to be seen ...

Source: Vript (NeurIPS 2024), section 3, and the authors' training scripts. Two differences, on purpose:
times of the voice-over are counted from the start of the first scene right across all of them (theirs
drift: each scene is offset by the end of the last words before it), and a text is never cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from annotation.text_length import is_unspaced, text_length

Stage = Literal[1, 2]
FRAMES = 64
"""What the sampling rate is reckoned from."""
LINE_WORDS = 15
"""Voice-over lines are joined until they have more words than this."""
LONGEST_VOICE = 2048
"""Words of voice-over from which on stage 2 leaves it out."""
VOICE_SHARE = 0.3
"""Of the samples of stage 2 that may have voice-over, how many get it."""
SHORT_SHARE = 0.1
"""Of the samples of stage 2 with short scenes or short in all, how many are kept."""
SHORT_MEAN_S, SHORT_ALL_S = 50.0, 600.0
WEIGHTS: dict[Stage, Sequence[int]] = {
    1: (1, 2, 3, 4, 3, 2),
    2: (*(1,) * 7, 2, 3, 4, 5, 6, 7, 6, 5, 4, 3, 2, 1),
}
"""Of samples with so many scenes: stage 1 one to six, stage 2 two to twenty."""
FEWEST: dict[Stage, int] = {1: 1, 2: 2}
MOST_DRAWS: dict[Stage, tuple[int, float]] = {1: (30, 1.5), 2: (120, 1.2)}
"""At most so many samples of a video, and at most its scenes divided by the second."""

_HEAD = re.compile(
    r"^\[Scene (\d{1,6})(?:/(\d{1,6}))?: (.*?)\]"
    r"\(Duration: \[([\d.]+), ([\d.]+)\](?:/([\d.]+)s)?\)",
    re.MULTILINE,
)
_VOICE = re.compile(r'Voice-?over:\s?"(.*)"\. Based on the video and voiceover', re.DOTALL | re.IGNORECASE)
_LINE = re.compile(r"\[([\d.]+), ([\d.]+)\] ?(.*)")
_DURATION = re.compile(r"\(Duration: \[[\d.]+, ([\d.]+)\]")
_SPOKEN = ("voicing", "narrat", "speak", "talk", "say")
_LAST_S = 10_000_000.0


@dataclass(frozen=True, slots=True)
class Spoken:
    """One line of voice-over; seconds from the start of what it belongs to."""

    start_s: float
    end_s: float
    text: str


@dataclass(frozen=True, slots=True)
class ScriptScene:
    """One scene of a script."""

    title: str
    content: str
    duration_s: float
    lines: tuple[Spoken, ...] = ()
    """Voice-over, seconds from the start of the scene."""


@dataclass(frozen=True, slots=True)
class ReadScene:
    """One scene as a script text gives it. Times are seconds from the start of the script."""

    number: int
    title: str
    start_s: float
    end_s: float
    content: str


@dataclass(frozen=True, slots=True)
class ReadScript:
    """What a script text was read as."""

    scenes: tuple[ReadScene, ...]
    problems: tuple[str, ...] = ()


# --- writing --------------------------------------------------------------------------


def script_text(scenes: Sequence[ScriptScene], stage: Stage = 2) -> str:
    """All scenes under their headings; times are rounded to a tenth of a second."""
    total = _tenth(sum(scene.duration_s for scene in scenes))
    return "".join(
        f"{_heading(number, len(scenes), scene.title, a, b, total, stage)}\n{scene.content.strip()}\n\n"
        for number, (scene, (a, b)) in enumerate(zip(scenes, spans(scenes), strict=True), 1)
    )


def _heading(number: int, of: int, title: str, a: str, b: str, total: str, stage: Stage) -> str:
    name = " ".join(title.split())
    if stage == 1:
        return f"[Scene {number}: {name}](Duration: [{a}, {b}])"
    return f"[Scene {number}/{of}: {name}](Duration: [{a}, {b}]/{total}s)"


def spans(scenes: Sequence[ScriptScene]) -> list[tuple[str, str]]:
    """Start and end of every scene in seconds from the start of the first, as they are written."""
    found, at = [], 0.0
    for scene in scenes:
        found.append((_tenth(at), _tenth(at + scene.duration_s)))
        at += scene.duration_s
    return found


def _tenth(seconds: float) -> str:
    return f"{round(seconds, 1):.1f}"


def instruction(scenes: Sequence[ScriptScene], stage: Stage, *, by_scene: bool, voice: bool) -> str:
    """What the model is asked, with the voice-over before it where there is some."""
    total = round(sum(scene.duration_s for scene in scenes), 1)
    rate = round(total / FRAMES, 2)
    unit = "second" if stage == 1 else "s"
    scene_by_scene = " scene by scene" if by_scene else ""
    about = f"in detail (Duration: [0.0, {total}]{unit}, Sampling Rate: {rate}{unit}/frame)."
    lines = voice_lines(scenes) if voice else ""
    if not lines:
        return f"Describe the video{scene_by_scene} {about}"
    asked = f"Based on the video and voiceover, describe the video{scene_by_scene} {about}"
    return f'Voiceover:"{lines}". {asked}'


def voice_lines(scenes: Sequence[ScriptScene]) -> str:
    """`[start, end] text` per line, seconds from the start of the first scene."""
    found, at = "", 0.0
    for scene in scenes:
        for line in joined(scene.lines):
            found += f"[{_tenth(at + line.start_s)}, {_tenth(at + line.end_s)}] {line.text}\n"
        at += scene.duration_s
    return found


def joined(lines: Sequence[Spoken]) -> list[Spoken]:
    """Lines of one scene, joined until each has more than fifteen words; the last may have fewer."""
    found: list[Spoken] = []
    for line in lines:
        text = " ".join(line.text.split())
        if not text:
            continue
        before = found[-1] if found else None
        if before and text_length(before.text).n <= LINE_WORDS:
            space = "" if is_unspaced(before.text) and is_unspaced(text) else " "
            found[-1] = Spoken(before.start_s, max(before.end_s, line.end_s), before.text + space + text)
        else:
            found.append(replace(line, text=text))
    return found


# --- which scenes go together ---------------------------------------------------------


def windows(scenes: Sequence[ScriptScene | None], stage: Stage, dice: Random) -> list[tuple[int, int]]:
    """[first, first after) of the samples of one video, drawn as the authors draw them.

    None stands for a scene that has no script: no sample runs across it. A sample that was drawn
    before is not given again.
    """
    most, share = MOST_DRAWS[stage]
    sizes = range(FEWEST[stage], FEWEST[stage] + len(WEIGHTS[stage]))
    found: dict[tuple[int, int], None] = {}
    for _ in range(min(most, int(sum(s is not None for s in scenes) // share))):
        size = dice.choices(sizes, WEIGHTS[stage])[0]
        places = [at for at in range(len(scenes) - size + 1) if all(scenes[at : at + size])]
        if places and _kept(scenes, at := dice.choice(places), size, stage, dice):
            found[at, at + size] = None
    return list(found)


def _kept(scenes: Sequence[ScriptScene | None], at: int, size: int, stage: Stage, dice: Random) -> bool:
    if stage == 1:
        return True
    total = sum(scene.duration_s for scene in scenes[at : at + size] if scene)
    short = total / size < SHORT_MEAN_S or total < SHORT_ALL_S
    return not short or dice.random() < SHORT_SHARE


def takes_voice(scenes: Sequence[ScriptScene], stage: Stage, dice: Random) -> bool:
    """Whether a sample gets its voice-over: only where the description speaks of somebody who speaks."""
    words = " ".join(scene.content for scene in scenes).lower()
    if not (("voice" in words and "over" in words) or any(word in words for word in _SPOKEN)):
        return False
    if stage == 1:
        return True
    return dice.random() < VOICE_SHARE and text_length(voice_lines(scenes)).n <= LONGEST_VOICE


# --- reading --------------------------------------------------------------------------


def read_script_text(text: str) -> ReadScript:
    """Scenes in the order in which they stand; what is odd is said and read around.

    Without any heading there are no scenes.
    """
    heads = list(_HEAD.finditer(text))
    if not heads:
        return ReadScript((), ("no heading [Scene 1/2: title](Duration: [0.0, 5.0]/10.0s)",))
    problems = ["words before the first heading are left out"] if text[: heads[0].start()].strip() else []
    ends = [*(head.start() for head in heads[1:]), len(text)]
    scenes: list[ReadScene] = []
    for head, end in zip(heads, ends, strict=True):
        a, b = _seconds(head[4]), _seconds(head[5])
        if a is None or b is None:
            problems.append(f"scene {head[1]}: {head[4]}, {head[5]} are no times; left out")
            continue
        scenes.append(ReadScene(int(head[1]), head[3].strip(), a, b, text[head.end() : end].strip()))
    return ReadScript(tuple(scenes), (*problems, *_oddities(scenes, heads)))


def _oddities(scenes: Sequence[ReadScene], heads: Sequence[re.Match[str]]) -> Iterator[str]:
    numbers = [scene.number for scene in scenes]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"the scenes are numbered {', '.join(map(str, numbers[:20]))}"
    said = {head[2] for head in heads if head[2]}
    if said and said != {str(len(heads))}:
        yield f"{len(heads)} scenes, and the headings say {', '.join(sorted(said))}"
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
    """Voice-over of a script cut into its scenes, seconds from the start of each.

    A line belongs to the scene that holds its middle; the last scene takes what lies beyond the end.
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

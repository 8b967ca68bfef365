"""Training records of Vriptor, drawn as the authors' four scripts draw them.

A record is `{"video": path or paths of clips, "QA": [{"i": instruction, "q": "", "a": target}]}`. For the
two public videos, in the order of their ids, the records equal those of the four published files, in
order. This requires two quirks of the scripts: in successive scenes, voice-over times are counted from
the end of the previous line, not from the start of the scene; and a sample whose first scenes are silent
is dropped until the first line of the file has occurred.
Source: github.com/mutonix/Vript, vriptor/build_vript_training_data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from annotation.systems.vript.vriptor_script import Spoken

Stage = Literal[1, 2]
Way = Literal["single", "concat"]
Record = dict[str, Any]

SEED = 42
FRAMES = 64
"""Base of the sampling rate."""
LINE_WORDS = 15
"""In successive scenes of stage 2, lines are joined until they exceed this number of words."""
LONGEST_VOICE = 2048
"""Number of words of voice-over from which stage 2 omits it."""
VOICE_SHARE = 0.3
"""Share of successive scenes in stage 2 that include voice-over, of those that may have it."""
SHORT_SHARE = 0.1
"""Share of short stage 2 samples that are kept."""
SHORTEST_S = 9.0
"""Minimum duration of a single scene in stage 2."""
DENSE_S = 2.0
"""A single scene of stage 2 is short if its frames are closer together than this."""
SHORT_MEAN_S, SHORT_ALL_S = 50.0, 600.0
"""Successive scenes of stage 2 are short if either value is below its limit."""
WEIGHTS: dict[Stage, Sequence[int]] = {
    1: (1, 2, 3, 4, 3, 2),
    2: (*(1,) * 7, 2, 3, 4, 5, 6, 7, 6, 5, 4, 3, 2, 1),
}
"""Number of scenes per sample: one to six in stage 1, two to twenty in stage 2."""
FEWEST: dict[Stage, int] = {1: 1, 2: 2}
MOST_DRAWS: dict[Stage, tuple[int, float]] = {1: (30, 1.5), 2: (120, 1.2)}
"""Maximum number of samples per video, and divisor of its scene count for a second limit."""
_SPEECH_WORDS = ("voicing", "narrat", "speak", "talk", "say")


@dataclass(frozen=True, slots=True)
class TrainingClip:
    """One clip with a description."""

    number: int
    path: str
    title: str
    content: str
    duration_s: float
    lines: tuple[Spoken, ...] = ()
    """Voice-over from the transcript: seconds from the start of the clip, also beyond its end."""
    speech_known: bool = True
    """Whether the clip has a transcript."""


class Drawing:
    """The records of one file. Videos are added in sequence and share one random generator."""

    def __init__(self, stage: Stage, way: Way) -> None:
        self.name = f"vript_stage{stage}_{way}.json"
        self._stage: Stage = stage
        self._way = way
        self._dice = Random(SEED)  # noqa: S311  # not used for secrets
        self._records: list[Record] = []
        self._last_end: float | None = None
        """End of the last voice-over line of successive scenes, in seconds; None before the first."""

    def add(self, clips: Sequence[TrainingClip]) -> None:
        """Add the described clips of one video, by number.

        Clips without a transcript are dropped. A video without any transcript counts as silent: the authors'
        data have no such video.
        """
        self._records += self._single(clips) if self._way == "single" else self._successive(clips)

    def records(self) -> list[Record]:
        """Return all records, shuffled; call it once, after the last video."""
        self._dice.shuffle(self._records)
        return self._records

    # --- single clips ---

    def _single(self, clips: Sequence[TrainingClip]) -> Iterator[Record]:
        transcribed = any(clip.speech_known for clip in clips)
        for clip in clips:
            if transcribed and not clip.speech_known:
                continue
            total = round(max(clip.duration_s, *(line.end_s for line in clip.lines), 0.0), 1)
            if self._stage == 2 and (total < SHORTEST_S or self._left_out(short=_rate(total) < DENSE_S)):
                continue
            voice = _written(clip.lines) if _speaks(clip.content) else ""
            yield _record(clip.path, self._instruction(total, voice), clip.content)

    def _left_out(self, *, short: bool) -> bool:
        return short and self._dice.random() < 1 - SHORT_SHARE

    # --- successive clips ---

    def _successive(self, clips: Sequence[TrainingClip]) -> Iterator[Record]:
        transcribed = any(clip.speech_known for clip in clips)
        for group in list(self._windows(clips)):
            lines = self._voice(group) if transcribed else []
            if lines is None:
                continue
            spans, total = _spans(group)
            target = self._target(group, spans, total)
            voice = _written(lines)
            if self._stage == 2:
                voice = "" if len(voice.split(" ")) > LONGEST_VOICE else voice
                if self._left_out(short=total / len(group) < SHORT_MEAN_S or total < SHORT_ALL_S):
                    continue
            takes = bool(voice) and _speaks(target)
            if takes and self._stage == 2:
                takes = self._dice.random() < VOICE_SHARE
            yield _record(
                [clip.path for clip in group], self._instruction(total, voice if takes else ""), target
            )

    def _windows(self, clips: Sequence[TrainingClip]) -> Iterator[Sequence[TrainingClip]]:
        """Runs of clips with consecutive numbers; a run may be drawn twice."""
        most, share = MOST_DRAWS[self._stage]
        sizes = range(FEWEST[self._stage], FEWEST[self._stage] + len(WEIGHTS[self._stage]))
        for _ in range(min(most, int(len(clips) // share))):
            first = self._dice.randint(0, len(clips) - 2)
            size = self._dice.choices(sizes, WEIGHTS[self._stage])[0]
            group = clips[first : first + size]
            if len(group) == size and group[-1].number - group[0].number + 1 == size:
                yield group

    def _voice(self, group: Sequence[TrainingClip]) -> list[Spoken] | None:
        """Lines of all clips, timed as in the scripts; None if the scripts drop the sample."""
        found: list[Spoken] = []
        offset = 0.0
        for clip in group:
            if not clip.speech_known:
                return None
            for line in joined(clip.lines) if self._stage == 2 else clip.lines:
                found.append(Spoken(line.start_s + offset, line.end_s + offset, line.text))
                self._last_end = found[-1].end_s
            if self._last_end is None:
                return None
            offset = self._last_end
        return found

    def _target(self, group: Sequence[TrainingClip], spans: Sequence[str], total: float) -> str:
        """The script of the group, each scene with its heading."""
        whole = self._stage == 2
        return "".join(
            f"[Scene {n}{f'/{len(group)}' if whole else ''}: {clip.title}]"
            f"(Duration: {span}{f'/{total}s' if whole else ''})\n{clip.content}\n\n"
            for n, (clip, span) in enumerate(zip(group, spans, strict=True), 1)
        ).strip()

    def _instruction(self, total: float, voice: str) -> str:
        unit = "second" if self._stage == 1 else "s"
        scenes = " scene by scene" if self._way == "concat" else ""
        about = f"in detail (Duration: [0.0, {total}]{unit}, Sampling Rate: {_rate(total)}{unit}/frame)."
        if not voice:
            return f"Describe the video{scenes} {about}"
        return f'Voiceover:"{voice}". Based on the video and voiceover, describe the video{scenes} {about}'


def joined(lines: Sequence[Spoken]) -> list[Spoken]:
    """Lines of one scene, joined until each has more than fifteen words; the last may have fewer."""
    found: list[Spoken] = []
    for line in lines:
        before = found[-1] if found else None
        if before and len(before.text.split()) <= LINE_WORDS:
            found[-1] = Spoken(before.start_s, line.end_s, f"{before.text} {line.text}")
        else:
            found.append(line)
    return found


def _spans(group: Sequence[TrainingClip]) -> tuple[list[str], float]:
    """`[start, end]` of every clip in seconds from the start of the first, and the end of the last."""
    found: list[str] = []
    at = 0.0
    for clip in group:
        found.append(f"[{round(at, 1)}, {round(at + clip.duration_s, 1)}]")
        at += clip.duration_s
    return found, round(at, 1)


def _written(lines: Sequence[Spoken]) -> str:
    """`[start, end] text` per line, in tenths of a second."""
    return "".join(f"[{round(s.start_s, 1)}, {round(s.end_s, 1)}] {s.text.strip()}\n" for s in lines)


def _rate(total: float) -> float:
    return round(total / FRAMES, 2)


def _speaks(text: str) -> bool:
    """Whether a description mentions speech: only then voice-over is included."""
    words = text.lower()
    return ("voice" in words and "over" in words) or any(word in words for word in _SPEECH_WORDS)


def _record(video: str | list[str], asked: str, target: str) -> Record:
    return {"video": video, "QA": [{"i": asked, "q": "", "a": target}]}

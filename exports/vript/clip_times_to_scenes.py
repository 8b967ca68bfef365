"""Positions of a video's scenes, from the times in Vript's files.

Scenes of a video without a file have a nominal time base, one frame per millisecond, and their list is marked
(`scenes_without_file` moves them to real frames when a file is attached).
"""

from __future__ import annotations

from dataclasses import dataclass

from annotation.records.ids import record_id
from annotation.records.videos import Dataset, Scene, SceneList
from annotation.store.scenes_without_file import FRAMES_PER_S, NOMINAL, UNTIMED
from exports.vript.merged_clips import Given, Say

UNKNOWN_S = 1.0
"""Length of a scene if no scene of the video has a time."""
NEAR_S = 0.05
"""Gaps and overlaps between clips below this are rounding errors."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Consecutive scenes from the start of the video; clip n is number n - 1."""

    edges: tuple[tuple[float, float], ...]
    """(start, end) in seconds."""
    origins: tuple[float, ...]
    """Real start of each clip, the origin of times within it."""
    timed: bool
    """Whether any time is known."""


def lay_out(given: Given, say: Say) -> Layout:
    """Lay out scenes 1 to the last. Missing times, overlaps and gaps are reported with `say`."""
    known = [clip.duration_s for clip in given.clips.values() if clip.duration_s]
    timed = bool(known) or any(clip.start_s is not None for clip in given.clips.values())
    typical = round(sum(known) / len(known), 3) if known else UNKNOWN_S
    starts, guessed = _starts(given, typical)
    if timed and guessed:
        say(
            given.where,
            f"{len(guessed)} of {given.size} clips of {given.video_id!r} have no time (first: "
            f"{guessed[0]:03d}); {typical:g} s are assumed for each",
        )
    return Layout(_closed(given, starts, typical, say), tuple(starts), timed)


def _starts(given: Given, typical: float) -> tuple[list[float], list[int]]:
    """Return the start of every clip in seconds, and the numbers of clips with an assumed length."""
    starts: list[float] = []
    guessed: list[int] = []
    at = 0.0
    for number in range(1, given.size + 1):
        clip = given.clips.get(number)
        if clip is None or (clip.duration_s is None and clip.end_s is None):
            following = given.clips.get(number + 1)
            if clip is None or clip.start_s is None or following is None or following.start_s is None:
                guessed.append(number)
        start = clip.start_s if clip and clip.start_s is not None else at
        starts.append(start)
        at = round(start + ((clip.duration_s if clip else None) or typical), 6)
    return starts, guessed


def _closed(given: Given, starts: list[float], typical: float, say: Say) -> tuple[tuple[float, float], ...]:
    """Return scenes that end where the next one starts. Gaps and overlaps are reported."""
    step = 1 / FRAMES_PER_S
    firsts = [0.0]
    for start in starts[1:]:
        firsts.append(round(max(start, firsts[-1] + step), 6))
    gaps: list[int] = []
    for number, start in enumerate(starts, 1):
        clip = given.clips.get(number)
        end = round(start + (clip.duration_s if clip and clip.duration_s else typical), 6)
        following = starts[number] if number < len(starts) else end
        if abs(following - end) > NEAR_S and clip and clip.duration_s and number < len(starts):
            gaps.append(number)
    if gaps or (starts and starts[0] > NEAR_S):
        first = gaps[0] if gaps else 1
        say(
            given.where,
            f"clips of {given.video_id!r} leave gaps or overlap (first: {first:03d}); each "
            "scene ends where the next one starts",
        )
    last = given.clips.get(len(starts))
    length = (last.duration_s if last and last.duration_s else None) or typical
    ends = [*firsts[1:], round(max(firsts[-1] + step, starts[-1] + length), 6)] if starts else []
    return tuple(zip(firsts, ends, strict=False)) if starts else ()


def scene_key(dataset: Dataset, video_id: str, number: int) -> str:
    """Return the key of a clip's scene, the same in every import of the dataset. Texts refer to it."""
    return record_id("sck", "vript", dataset.id, video_id, number)


def scene_records(
    dataset: Dataset, video_id: str, layout: Layout, made: float
) -> tuple[SceneList, list[Scene]]:
    """Return the dataset's scenes as a version of the video's scene list."""
    list_id = record_id("scl", "vript", dataset.id, video_id, [list(edge) for edge in layout.edges])
    header = SceneList(
        id=list_id,
        video_id=video_id,
        created_at=made,
        note=NOMINAL if layout.timed else UNTIMED,
        detector={"name": dataset.name, "version": "", "params": {"frames_per_s": FRAMES_PER_S}},
    )
    frames = _frames(layout)
    return header, [
        Scene(
            id=record_id("scn", list_id, index),
            scene_list_id=list_id,
            video_id=video_id,
            key=scene_key(dataset, video_id, index + 1),
            index=index,
            start_frame=frames[index],
            end_frame=frames[index + 1],
            start_pts=frames[index],
            end_pts=frames[index + 1],
            start_s=start,
            end_s=end,
        )
        for index, (start, end) in enumerate(layout.edges)
    ]


def _frames(layout: Layout) -> list[int]:
    """Return the nominal first frames of the scenes and the end of the last one, in ascending order."""
    frames: list[int] = []
    for second in (*(start for start, _ in layout.edges), layout.edges[-1][1]):
        frame = round(second * FRAMES_PER_S)
        frames.append(max(frame, frames[-1] + 1) if frames else 0)
    return frames

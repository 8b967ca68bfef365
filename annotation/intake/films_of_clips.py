"""Joins the clips of a dataset into one film per video, with a scene for each clip.

In place of a missing clip, the film has a slate: one frame that models do not see. The film is in the
workspace's media. The clips' files are unchanged and listed in `Video.clips`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from annotation.intake.add_video import add_video
from annotation.records.clip_names import split_clip_id
from annotation.records.videos import ClipPart, Scene, Video
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.store.scenes_without_file import UNTIMED, is_nominal
from annotation.store.store import Store
from backends.video.joined_clips import Clip, Part, join_clips

FILM = "clips.mp4"
UNKNOWN_S = 1.0
"""Assumed length of a missing clip in seconds, if no dataset states it."""


def clips_by_video(
    store: Store, names: Mapping[str, set[str]], files: Iterable[Path]
) -> dict[str, dict[int, Path]]:
    """Return `{video id: {number: file}}` for files whose names mark them as clips of one of these videos.

    Only for videos whose scenes are known from a dataset. Single clips, as in Vript-Hard, do not form a film.
    """
    found: dict[str, dict[int, Path]] = {}
    for file in files:
        named = split_clip_id(file.stem)
        ids = names.get(named[0], set()) if named else set()
        if named and len(ids) == 1:
            found.setdefault(next(iter(ids)), {}).setdefault(named[1], file)
    return {video: parts for video, parts in found.items() if is_nominal(store.scene_list(video))}


def attach_clips(store: Store, media: Path, video: Video, files: Mapping[int, Path]) -> Video:
    """Join the clips, by number, into the film of a video, and set its scenes to them.

    Raises MediaError.
    """
    scenes = current_scenes(store, video.id)
    scene_list = store.scene_list(video.id)
    timed = scene_list is not None and scene_list.note != UNTIMED
    film = media / video.id / FILM
    parts = join_clips(_asked(files, scenes, timed), film)
    starts = [part.first_frame for part in parts]
    return add_video(store, media, film, waiting=video, clips=_records(parts), starts=starts)


def _asked(files: Mapping[int, Path], scenes: Sequence[Scene], timed: bool) -> list[Clip]:
    """Return one part for every scene; clips after the last scene are parts too."""
    asked = []
    for number in range(1, max([*files, len(scenes)]) + 1):
        scene = scenes[number - 1] if timed and number <= len(scenes) else None
        path = files.get(number)
        start, length = (scene.start_s, scene.end_s - scene.start_s) if scene else (0.0, UNKNOWN_S)
        asked.append(Clip(f"Scene {number:03d}", path, start, length))
    return asked


def _records(parts: Sequence[Part]) -> tuple[ClipPart, ...]:
    return tuple(
        ClipPart(
            name=part.clip.name,
            path=str(part.clip.path.resolve()) if part.clip.path and part.table else None,
            start_frame=part.first_frame,
            end_frame=part.after_frame,
        )
        for part in parts
    )


def missing_clips(video: Video) -> list[str]:
    """Return the names of the parts without a clip."""
    return [clip.name for clip in video.clips if clip.path is None]

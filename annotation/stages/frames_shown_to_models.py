"""Selects the frames and scenes of a video that models see: evenly spaced, no slates of missing clips."""

from __future__ import annotations

from itertools import chain

from annotation.records.videos import Scene, Video
from annotation.stages.media_library import spread
from annotation.stages.probe_scenes_speech import current_scenes, facts_of
from annotation.store.store import Store

NO_SCENES = "no scenes; run the stage scenes first"
"""Reason for skipping a stage that needs scenes."""


def slates(video: Video) -> frozenset[int]:
    """Return the frames of the film that replace missing clips."""
    missing = (clip for clip in video.clips if clip.path is None)
    return frozenset(chain.from_iterable(range(clip.start_frame, clip.end_frame) for clip in missing))


def is_missing(scene: Scene, without: frozenset[int]) -> bool:
    """Return whether the slate is the scene's only picture."""
    return bool(without) and all(frame in without for frame in range(scene.start_frame, scene.end_frame))


def shown_scenes(store: Store, video: Video) -> list[Scene]:
    """Return the current scenes that have pictures, in order."""
    without = slates(video)
    return [scene for scene in current_scenes(store, video.id) if not is_missing(scene, without)]


def shown_frames(video: Video, most: int) -> tuple[int, ...]:
    """Return at most `most` evenly spaced frames without slates. Raises MediaError if the file is missing."""
    count, without = facts_of(video).frames, slates(video)
    if not without:
        return spread(count, most)
    kept = [frame for frame in range(count) if frame not in without]
    return tuple(kept[at] for at in spread(len(kept), most))

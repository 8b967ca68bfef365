"""Which frames and scenes of a video are shown to a model: evenly spread, and no slates of missing clips."""

from __future__ import annotations

from itertools import chain

from annotation.records.videos import Scene, Video
from annotation.stages.media_library import spread
from annotation.stages.probe_scenes_speech import current_scenes, facts_of
from annotation.store.store import Store

NO_SCENES = "no scenes; run the stage scenes first"
"""Why a stage that looks at scenes has nothing to do."""


def slates(video: Video) -> frozenset[int]:
    """Frames of the film that stand for missing clips."""
    missing = (clip for clip in video.clips if clip.path is None)
    return frozenset(chain.from_iterable(range(clip.start_frame, clip.end_frame) for clip in missing))


def is_missing(scene: Scene, without: frozenset[int]) -> bool:
    """Whether a scene has no picture but a slate."""
    return bool(without) and all(frame in without for frame in range(scene.start_frame, scene.end_frame))


def shown_scenes(store: Store, video: Video) -> list[Scene]:
    """The scenes that count and have pictures, in order."""
    without = slates(video)
    return [scene for scene in current_scenes(store, video.id) if not is_missing(scene, without)]


def shown_frames(video: Video, most: int) -> tuple[int, ...]:
    """At most `most` frames, evenly spread, and no slates. Raises MediaError without a file."""
    count, without = facts_of(video).frames, slates(video)
    if not without:
        return spread(count, most)
    kept = [frame for frame in range(count) if frame not in without]
    return tuple(kept[at] for at in spread(len(kept), most))

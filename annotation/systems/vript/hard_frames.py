"""Frames that a model receives for an item of Vript-Hard: of the whole video, or of the item's scene.

In the second setting of RR the released scripts open `RR_scenes/<clip id>.mp4` and take as many frames
of it as of a whole video. Here that clip is used if it is a video of the workspace, else the same range
of the whole video: the scene with the clip's number in the cuts of the dataset, a person, or a detector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation.records.captions_to_verdicts import BenchmarkItem
from annotation.records.current_cuts import CANDIDATE
from annotation.records.ids import Json
from annotation.records.videos import Alias, Scene, SceneList, Video
from annotation.stages.frames_shown_to_models import shown_frames
from annotation.stages.media_library import spread
from annotation.stages.probe_scenes_speech import current_scenes, facts_of
from annotation.store.store import Store
from annotation.systems.vript.hard_replies import scene_number
from backends.errors import UsageError

FRAMES = 16
"""Number of frames of a video or a scene: Vript-Hard's number for video models."""
REMEDY = "add the clips of RR_scenes as videos, or import the cuts (<video id>_cut_meta.json)"


@dataclass(frozen=True, slots=True)
class Given:
    """Frames of one file."""

    video: Video
    """The video that the frames come from: the whole video, or the file of the scene."""
    frames: tuple[int, ...]
    about: Mapping[str, Json] = field(default_factory=dict)
    """Of a scene: `number`, `source` (`file`, `dataset`, `person` or `detector`), `cuts` in words, and
    `start_frame` and `end_frame`, the first frame and the one after the last."""


def whole_given(video: Video) -> Given:
    """Frames of the whole video. Raises MediaError for a video without a file."""
    return Given(video, shown_frames(video, FRAMES))


def scene_given(store: Store, video: Video, item: BenchmarkItem) -> Given:
    """Frames of the scene alone. Raises UsageError, with the reason, if the scene cannot be located."""
    number = scene_number(item.name)
    clip = video if video.id != item.video_id else _clip_file(store, item)
    if clip is not None:
        count = facts_of(clip).frames
        return Given(clip, spread(count, FRAMES), _about(number, "file", "its own file", 0, count))
    facts_of(video)
    if number < 1:
        raise UsageError(f"{item.name}: the name does not end in a scene number")
    scene, source, cuts = _by_number(store, video.id, number, item.name)
    length = scene.end_frame - scene.start_frame
    if length < 1:
        raise UsageError(f"{item.name}: scene {number} of {cuts} has no frames")
    frames = tuple(scene.start_frame + at for at in spread(length, FRAMES))
    return Given(video, frames, _about(number, source, cuts, scene.start_frame, scene.end_frame))


def items_shown_by(store: Store, video: Video) -> list[BenchmarkItem]:
    """RR items whose scene is this file: a file of RR_scenes, named after the clip."""
    aliases = store.find(Alias, video_id=video.id)
    names = {video.title, *(alias.alias for alias in aliases)}
    found = store.find(BenchmarkItem, name=sorted(names), task="rr", order_by=["index", "id"])
    return [item for item in found if item.video_id != video.id]


def _about(number: int, source: str, cuts: str, start: int, end: int) -> dict[str, Json]:
    return {"number": number, "source": source, "cuts": cuts, "start_frame": start, "end_frame": end}


def _clip_file(store: Store, item: BenchmarkItem) -> Video | None:
    """The workspace video of the item's scene; None if there is none with a file."""
    ids = [alias.video_id for alias in store.find(Alias, alias=item.name)]
    found = store.find(Video, title=item.name) + (store.find(Video, id=ids) if ids else [])
    return next((v for v in found if v.facts is not None and v.id != item.video_id), None)


def _by_number(store: Store, video_id: str, number: int, name: str) -> tuple[Scene, str, str]:
    """The scene, the source of its cuts, and the cuts in words. Numbers follow the dataset's own cuts."""
    now, imported = store.scene_list(video_id), _imported_cuts(store, video_id)
    if now is None:
        raise UsageError(f"{name}: the video has no scenes yet; run its stage scenes, or {REMEDY}")
    scenes = current_scenes(store, video_id)
    numbered = _scenes(store, imported) if imported else scenes
    source, cuts = _source(imported or now)
    if number > len(numbered):
        raise UsageError(f"{name}: {cuts} have {len(numbered)} scenes; {REMEDY}")
    wanted = numbered[number - 1]
    # A person may have moved its boundaries since: the scene keeps its key.
    return next((scene for scene in scenes if scene.key == wanted.key), wanted), source, cuts


def _imported_cuts(store: Store, video_id: str) -> SceneList | None:
    """The newest cuts that came with a dataset."""
    lists: Sequence[SceneList] = store.find(SceneList, video_id=video_id, order_by=["created_at", "id"])
    imported = [one for one in lists if not one.run_id and not one.person_id and one.note != CANDIDATE]
    return imported[-1] if imported else None


def _scenes(store: Store, scenes: SceneList) -> list[Scene]:
    return store.find(Scene, scene_list_id=scenes.id, order_by=["index"])


def _source(scenes: SceneList) -> tuple[str, str]:
    if scenes.person_id:
        return "person", "the cuts of a person"
    name = str(scenes.detector.get("name") or "a dataset")
    return ("detector", f"the cuts by {name}") if scenes.run_id else ("dataset", f"the cuts of {name}")

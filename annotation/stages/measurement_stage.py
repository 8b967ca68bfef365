"""Measures scenes, and reads the measurements of the current scenes.

Each measurement stores the frames that it covers (`frames`: [first, first after)), because people move cuts.
A measurement between other cuts is kept, but no longer counts for the scene.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from annotation.records.ids import record_id
from annotation.records.runs import Run
from annotation.records.videos import Measurement, Scene, SceneList, Video
from annotation.stages.frames_shown_to_models import NO_SCENES, shown_scenes
from annotation.stages.media_library import MediaLibrary
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.stages.stage_context import Context, make_run
from annotation.stages.stage_results import StageResults, skipped
from annotation.stages.stage_spec import StageSpec
from annotation.store.store import Store
from backends.protocols import SceneMeasurer

Stretch = tuple[str, int, int]
"""Key of a scene, its first frame, and the first frame after it."""


def run_measurements(context: Context, video: Video) -> StageResults | None:
    """Measure camera motion, shot scale, brightness and so on for each current scene."""
    measurer = context.engines.measurer()
    run = context.start_run(measuring_run(measurer))
    scenes = shown_scenes(context.store, video)
    # An earlier version did not look for clear frames, so its scenes are measured again.
    known = stretches(context.store, video.id, run.id, kind="clear_frames")
    for number, scene in enumerate(scenes):
        if stretch(scene) not in known:
            measure_scene(context.store, context.media, measurer, run, video, scene)
        context.progress(video, "measurements", number + 1, len(scenes))
    return None if scenes else skipped(NO_SCENES)


def measuring_run(measurer: SceneMeasurer) -> Run:
    return make_run("measurements", backend=measurer.name, model=measurer.name)


def measure_scene(
    store: Store, media: MediaLibrary, measurer: SceneMeasurer, run: Run, video: Video, scene: Scene
) -> None:
    """Measure one scene and store the results. Raises MediaError."""
    with media.reader(video) as reader:
        found = measurer.measure(reader, scene.start_frame, scene.end_frame)
    frames = [scene.start_frame, scene.end_frame]
    store.add(
        Measurement(
            id=record_id("msr", run.id, scene.key, m.kind, *frames),
            video_id=video.id,
            run_id=run.id,
            subject_type="scene",
            subject_id=scene.key,
            kind=m.kind,
            value={**m.value, "frames": frames},
        )
        for m in found
    )


def stretch(scene: Scene) -> Stretch:
    return scene.key, scene.start_frame, scene.end_frame


def stretches(store: Store, video_id: str, run_id: str, kind: str) -> set[Stretch]:
    """Return the stretches for which one run has a measurement of this kind."""
    found = store.find(Measurement, video_id=video_id, run_id=run_id, subject_type="scene", kind=kind)
    return {where for where, _ in _placed(store, video_id, found)}


def measured(store: Store, video_id: str) -> dict[str, dict[str, Any]]:
    """Return `{scene key: {kind: value}}` for the current scenes that have measurements."""
    now = {stretch(scene) for scene in current_scenes(store, video_id)}
    found: dict[str, dict[str, Any]] = {}
    measurements = store.find(Measurement, video_id=video_id, subject_type="scene")
    for where, m in _placed(store, video_id, measurements):
        if where in now:
            value = {name: part for name, part in m.value.items() if name != "frames"}
            found.setdefault(m.subject_id, {})[m.kind] = value
    return found


def _placed(
    store: Store, video_id: str, measurements: Sequence[Measurement]
) -> Iterator[tuple[Stretch, Measurement]]:
    """Yield each measurement with the stretch that it covers."""
    plain = any("frames" not in m.value for m in measurements)
    first = _first_stretches(store, video_id) if plain else {}
    for m in measurements:
        start, end = m.value.get("frames") or first.get(m.subject_id, (0, 0))
        yield (m.subject_id, start, end), m


def _first_stretches(store: Store, video_id: str) -> dict[str, tuple[int, int]]:
    """Return the detected frames of each scene, for measurements made before people moved cuts."""
    lists = store.find(SceneList, video_id=video_id, order_by=["created_at", "id"])
    found: dict[str, tuple[int, int]] = {}
    for one in lists:
        if one.person_id is None:
            for scene in store.find(Scene, scene_list_id=one.id):
                found.setdefault(scene.key, (scene.start_frame, scene.end_frame))
    return found


MEASUREMENTS = StageSpec(
    "measurements",
    "camera, light, colours, per scene",
    run_measurements,
    doing="measuring light and movement",
    engines=("measurer",),
    apart=True,
)

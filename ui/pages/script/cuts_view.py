"""The cuts of a video as data: their authors, texts to check again, and the changes of another detection."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.editing.texts_to_review import Mark, open_marks
from annotation.pipeline.cut_jobs import CutWork, Detection, detectors
from annotation.records.current_cuts import CANDIDATE
from annotation.records.errors import NotFound
from annotation.records.scene_ranges_and_keys import difference
from annotation.records.videos import Scene, SceneList, Video
from annotation.stages.media_library import MediaLibrary
from annotation.store.cut_versions import CutBy, CutHistory, LostScene, lost_scenes
from annotation.store.store import Store
from ui.lib.view_parts import people_by_id
from ui.pages.script.wire_types import (
    CutEdits,
    CutMark,
    CutPlace,
    CutsDifference,
    CutsMade,
    CutWorkNow,
    DetectionFacts,
    DetectionWork,
    DetectorFacts,
    LostSceneRow,
)

NEAR_S = 0.5
"""Largest distance in seconds of a moved cut; a cut farther away counts as a new one."""
DETECTIONS = 4
"""Number of detections offered for comparison, newest first."""


def edits_json(store: Store, video_id: str) -> CutEdits:
    """The facts about cuts that the Script page shows in addition to the scenes. Raises NotFound."""
    video = store.get(Video, video_id)
    history = CutHistory(store, video.id)
    whose = [history.cut_by(scene) for scene in history.scenes]
    return {
        "base": history.now.id if history.now else "",
        "by": {scene.key: by for scene, by in zip(history.scenes, whose, strict=True)},
        "recut": [scene.key for scene in history.scenes if history.recut(scene)],
        "given_up": history.given_up(),
        "made": _made(store, history),
        "counts": {
            "detector": whose.count("detector"),
            "person": whose.count("person"),
            "given_up": len(history.given_up()),
        },
        "marks": {text_id: mark_json(mark) for text_id, mark in open_marks(history).items()},
        "lost": _lost_json(lost_scenes(history)),
        "detections": [_detection_json(one) for one in _comparable(history)[:DETECTIONS]],
    }


def _made(store: Store, history: CutHistory) -> CutsMade:
    """The author of the version that counts, and the detection it is based on."""
    now, origin = history.now, history.origin
    person = people_by_id(store).get(now.person_id or "") if now else None
    return {
        "person": person.name if person else "",
        "what": now.note if now and person else "",
        "at": now.created_at if now else 0.0,
        "detection": _detection_json(origin) if origin else None,
    }


def _detection_json(found: SceneList) -> DetectionFacts:
    about = found.detector
    return {
        "id": found.id,
        "detector": about.get("name", ""),
        "params": about.get("params", {}),
        "version": about.get("version", ""),
        "at": found.created_at,
        "asked": found.note == CANDIDATE,
    }


def mark_json(mark: Mark) -> CutMark:
    return {"scene": mark.key, "was": list(mark.was), "now": list(mark.now), "why": mark.why}


def _lost_json(lost: Sequence[LostScene]) -> dict[str, list[LostSceneRow]]:
    """By the key of the scene that has their frames now."""
    found: dict[str, list[LostSceneRow]] = {}
    for one in lost:
        row: LostSceneRow = {
            "key": one.key,
            "start": one.start_frame,
            "end": one.end_frame,
            "start_s": one.start_s,
            "end_s": one.end_s,
            "merged": one.merged,
        }
        found.setdefault(one.now_in, []).append(row)
    return found


def _comparable(history: CutHistory) -> list[SceneList]:
    """Versions found by detectors, other than the current one and its origin, newest first."""
    counts = {one.id for one in (history.now, history.origin) if one}
    found = [one for one in (*history.lists, *history.candidates) if one.run_id and not one.person_id]
    found = [one for one in found if one.id not in counts and one.note != "proposal"]
    return sorted(found, key=lambda one: one.created_at, reverse=True)


def difference_json(store: Store, media: MediaLibrary, video_id: str, scene_list_id: str) -> CutsDifference:
    """The changes if a detection replaced the current cuts. Raises NotFound."""
    video, found = store.get(Video, video_id), store.get(SceneList, scene_list_id)
    if found.video_id != video.id or found.run_id is None:
        raise NotFound(f"{video.title}: detection not found; run the detector again")
    history = CutHistory(store, video.id)
    now, then = _starts(history.scenes), _starts(store.find(Scene, scene_list_id=found.id))
    rate = video.facts.fps_avg if video.facts else 25.0
    change = difference(now, then, max(1, round(rate * NEAR_S)))
    seconds = media.table(video).seconds

    def cut(frame: int) -> CutPlace:
        whose = (history.cut_by(s) for s in history.scenes if s.start_frame == frame)
        by: CutBy = next(whose, "")
        return {"frame": frame, "at_s": max(0.0, float(seconds[frame])), "by": by}

    return {
        "detection": _detection_json(found),
        "base": history.now.id if history.now else "",
        "scenes": len(then),
        "scenes_now": len(now),
        "same": len(change.same),
        "added": [cut(frame) for frame in change.added],
        "removed": [cut(frame) for frame in change.removed],
        "moved": [{**cut(old), "to": new, "to_s": float(seconds[new])} for old, new in change.moved],
    }


def _starts(scenes: Sequence[Scene]) -> list[int]:
    return sorted(scene.start_frame for scene in scenes)


def work_json(work: CutWork, video_id: str) -> CutWorkNow:
    """Background work on the cuts of a video."""
    found = work.detection(video_id)
    return {"measuring": work.measures(video_id), "detection": _work(found) if found else None}


def _work(found: Detection) -> DetectionWork:
    return {
        "detector": found.detector,
        "state": found.state,
        "done": found.done,
        "total": found.total,
        "list": found.scene_list_id,
        "why": found.why,
    }


def detectors_json() -> list[DetectorFacts]:
    return [{"name": name, "params": params} for name, params in detectors().items()]

"""The versions of a video's cuts: the current one, the author of each cut, and the scenes that were lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sqlalchemy import select

from annotation.records.current_cuts import CANDIDATE, counting
from annotation.records.scene_ranges_and_keys import Span, Spans, holder
from annotation.records.videos import Scene, SceneList
from annotation.store import tables as t
from annotation.store.bulk_rows import chunks
from annotation.store.scenes_without_file import SPREAD, UNTIMED
from annotation.store.store import Store

CutBy = Literal["", "detector", "person"]


def spans_of(scenes: Iterable[Scene]) -> Spans:
    return tuple(Span(scene.key, scene.start_frame, scene.end_frame) for scene in scenes)


def is_found(one: SceneList) -> bool:
    """Whether a version comes from a detector or a dataset, even if a person adopted it."""
    return bool(one.run_id) or not one.person_id


class CutHistory:
    """All versions of one video's cuts, oldest first, read when the object is created."""

    def __init__(self, store: Store, video_id: str) -> None:
        self.store = store
        self.video_id = video_id
        found = store.find(SceneList, video_id=video_id, order_by=["created_at", "id"])
        listed = [one for one in found if one.note != CANDIDATE]
        # If some version has times, versions without them carry no information about the cuts.
        self.lists = [one for one in listed if one.note not in (UNTIMED, SPREAD)] or listed
        self.candidates = [one for one in found if one.note == CANDIDATE]
        self.now = counting(self.lists)
        self._spans: dict[str, Spans] = {}

    @cached_property
    def scenes(self) -> list[Scene]:
        """The current scenes, in order."""
        return self.store.find(Scene, scene_list_id=self.now.id, order_by=["index"]) if self.now else []

    @cached_property
    def lineage(self) -> list[SceneList]:
        """The current version and its ancestors, newest first, down to one by a detector or a dataset."""
        by_id = {one.id: one for one in self.lists}
        line: list[SceneList] = []
        one = self.now
        while one and one not in line:
            line.append(one)
            one = None if is_found(one) else by_id.get(one.parent_id or "")
        return line

    @property
    def origin(self) -> SceneList | None:
        """The version by a detector or a dataset from which people's changes started, if any."""
        last = self.lineage[-1] if self.lineage else None
        return last if last and is_found(last) else None

    def spans(self, scene_list_id: str) -> Spans:
        """Return the spans of the scenes of one version."""
        if scene_list_id not in self._spans:
            found = self.store.find(Scene, scene_list_id=scene_list_id, order_by=["index"])
            self._spans[scene_list_id] = spans_of(found)
        return self._spans[scene_list_id]

    def at(self, moment: float) -> SceneList | None:
        """Return the version that was current at `moment` (UTC seconds), or the first one if none was."""
        return counting([one for one in self.lists if one.created_at <= moment]) or counting(self.lists[:1])

    # --- authors of cuts --------------------------------------------------------------

    @cached_property
    def _found(self) -> Spans:
        return self.spans(self.origin.id) if self.origin else ()

    @cached_property
    def _found_starts(self) -> frozenset[int]:
        return frozenset(span.start for span in self._found)

    @cached_property
    def _found_stretches(self) -> frozenset[tuple[int, int]]:
        return frozenset((span.start, span.end) for span in self._found)

    def cut_by(self, scene: Scene) -> CutBy:
        """Return the author of the cut at the scene's start; an empty string at the start of the video."""
        if scene.start_frame == 0:
            return ""
        return "detector" if scene.start_frame in self._found_starts else "person"

    def recut(self, scene: Scene) -> bool:
        """Whether people moved the start or the end of the scene."""
        return (scene.start_frame, scene.end_frame) not in self._found_stretches

    def given_up(self) -> list[int]:
        """Return the detector's cuts that people removed or moved, as the first frames after the cuts."""
        return sorted(self._found_starts - {scene.start_frame for scene in self.scenes})


# --- scenes that no longer exist ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LostScene:
    """A scene of an earlier version that has texts."""

    key: str
    start_frame: int
    end_frame: int
    start_s: float
    end_s: float
    now_in: str
    """Key of the current scene that contains most of its frames."""
    merged: bool
    """Whether that scene contains all of its frames."""


def lost_scenes(history: CutHistory) -> list[LostScene]:
    """Return the lost scenes that have texts, in the order of the video.

    Scenes of an earlier detection are included only if people wrote or corrected a text of theirs.
    """
    spans = spans_of(history.scenes)
    here = {span.key for span in spans}
    line = {one.id for one in history.lineage}
    keys = {key: by_person for key, by_person in _written(history).items() if key not in here}
    lost: list[LostScene] = []
    for scene in _last_seen(history, keys):
        held = holder(spans, scene.start_frame, scene.end_frame)
        if held and (keys[scene.key] or scene.scene_list_id in line):
            merged = held.start <= scene.start_frame and scene.end_frame <= held.end
            lost.append(
                LostScene(
                    scene.key,
                    scene.start_frame,
                    scene.end_frame,
                    scene.start_s,
                    scene.end_s,
                    held.key,
                    merged,
                )
            )
    return sorted(lost, key=lambda one: (one.start_frame, one.key))


def _written(history: CutHistory) -> dict[str, bool]:
    """Return the keys of scenes with texts, and whether a person wrote or corrected one of the texts."""
    c, text = t.current.c, t.text.c
    query = (
        select(text.subject_id, text.person_id, c.corrected)
        .join(t.current, (c.subject_id == text.id) & (c.subject_type == "text"))
        .where(text.video_id == history.video_id, text.subject_type == "scene", c.superseded.is_(False))
    )
    found: dict[str, bool] = {}
    with history.store.reading() as conn:
        for key, person_id, corrected in conn.execute(query):
            found[key] = found.get(key, False) or bool(person_id) or bool(corrected)
    return found


def _last_seen(history: CutHistory, keys: Iterable[str]) -> Sequence[Scene]:
    """Return the scene of each key in the newest version that has it."""
    order = {one.id: place for place, one in enumerate(history.lists)}
    newest: dict[str, Scene] = {}
    for group in chunks(keys):
        for scene in history.store.find(Scene, video_id=history.video_id, key=group):
            place = order.get(scene.scene_list_id, -1)
            before = newest.get(scene.key)
            if place >= 0 and (before is None or place > order[before.scene_list_id]):
                newest[scene.key] = scene
    return list(newest.values())

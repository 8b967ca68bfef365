"""Current scene scripts: for every field the text that is shown first, and the findings of the checks.

Reads many videos in one query: lists request hundreds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.editing.dismissed_findings import Found, dismissals
from annotation.records.allowed_values import SCRIPT_FIELDS
from annotation.records.current_cuts import counting
from annotation.records.videos import Measurement, Scene, SceneList
from annotation.stages.newest_screen_texts import (
    FRAMES_READ,
    screen_texts,
    shown_between,
)
from annotation.store.store import Store
from annotation.systems.vript.script_checks import CheckedScene, Label, ScriptFinding, check_script
from annotation.texts.which_text_counts import COUNTING, CountingText, Values, Whose, texts_by_subject
from backends.digest import digest

KINDS = tuple(f"script:{name}" for name in SCRIPT_FIELDS)
CLIP_SPEECH = "clip_speech"
"""Measurement of a scene: language, duration and overrun of the transcript of its clip."""
MEASURED = ("camera_motion", "shot_scale", CLIP_SPEECH)


Fields = Mapping[str, Mapping[str, Sequence[CountingText]]]
"""`{scene key: {field: current texts, the one shown first leading}}`."""


@dataclass(frozen=True, slots=True)
class SceneFound:
    """A finding with its place."""

    key: str
    """Id of the scene."""
    number: int
    """Number of the scene, from 1."""
    aspect: str
    """The field, or `speech`."""
    found: Found


# --- texts ----------------------------------------------------------------------------


def script_fields(
    store: Store, video_ids: Sequence[str], whose: Whose = COUNTING, values: Values = "current"
) -> dict[str, Fields]:
    """By video. A field that is empty, or has no text, is left out."""
    found: dict[str, dict[str, dict[str, list[CountingText]]]] = defaultdict(lambda: defaultdict(dict))
    for subject, group in texts_by_subject(store, KINDS, whose, values, video_ids).items():
        if kept := [one for one in _counting(group) if one.value.strip()]:
            found[subject.video_id][subject.subject_id][subject.kind.partition(":")[2]] = kept
    return dict(found)


PAIR_S = 0.01
"""Maximum gap between annotations of one field from one import; separate imports are further apart."""


def _counting(group: Sequence[CountingText]) -> list[CountingText]:
    """The first text; if a dataset provides several at once, all of them."""
    first = group[0]
    if not first.text.dataset_id:
        return [first]
    made = first.text.created_at
    pair = [one for one in group if one.text.dataset_id and abs(one.text.created_at - made) < PAIR_S]
    return sorted(pair, key=lambda one: -one.text.created_at)


# --- findings -------------------------------------------------------------------------


def script_findings(store: Store, video_ids: Sequence[str]) -> dict[str, list[SceneFound]]:
    """Findings by video, in the order of scenes, including dismissed ones."""
    fields = script_fields(store, video_ids)
    scenes = _scenes(store, video_ids)
    measured, frames = _measured(store, video_ids), _frames_read(store, video_ids)
    found: dict[str, list[SceneFound]] = {}
    for video_id in video_ids:
        of_video = scenes.get(video_id, [])
        shown = _on_screen(store, video_id, of_video, frames.get(video_id, []))
        checked = [
            replace(_checked(scene, fields.get(video_id, {}), measured), on_screen=shown.get(scene.key))
            for scene in of_video
        ]
        found[video_id] = [
            _found(video_id, of_video[one.number - 1], fields.get(video_id, {}), one)
            for one in check_script(checked)
        ]
    return found


def open_counts(store: Store, video_ids: Sequence[str]) -> dict[str, int]:
    """Number of findings of each video that are not dismissed."""
    found = script_findings(store, video_ids)
    held = dismissals(store, [one.found.id for every in found.values() for one in every])
    return {video_id: sum(one.found.id not in held for one in every) for video_id, every in found.items()}


def _scenes(store: Store, video_ids: Sequence[str]) -> dict[str, list[Scene]]:
    lists: dict[str, list[SceneList]] = defaultdict(list)
    for one in store.find(SceneList, video_id=list(video_ids), order_by=["created_at", "id"]):
        lists[one.video_id].append(one)
    now = [chosen.id for group in lists.values() if (chosen := counting(group))]
    found: dict[str, list[Scene]] = defaultdict(list)
    for scene in store.find(Scene, scene_list_id=now, order_by=["index"]):
        found[scene.video_id].append(scene)
    return found


def _measured(store: Store, video_ids: Sequence[str]) -> dict[tuple[str, str, str], Measurement]:
    """`{(scene key, kind, measured frames): measurement}`; the frames are empty for measurements of clips."""
    found = store.find(Measurement, video_id=list(video_ids), kind=list(MEASURED), order_by=["id"])
    return {(m.subject_id, m.kind, _frames(m)): m for m in found}


def _frames_read(store: Store, video_ids: Sequence[str]) -> dict[str, list[int]]:
    """Frames in which on-screen text was detected, by video."""
    found: dict[str, list[int]] = defaultdict(list)
    for m in store.find(Measurement, video_id=list(video_ids), kind=FRAMES_READ):
        found[m.video_id] += [*m.value["read"], *m.value["same_as_before"]]
    return found


def _on_screen(
    store: Store, video_id: str, scenes: Sequence[Scene], frames: Sequence[int]
) -> dict[str, tuple[str, ...]]:
    """Lines of on-screen text by scene key, for scenes with at least one frame read for text."""
    texts = screen_texts(store, video_id) if frames else []
    return {
        scene.key: tuple(text.text for text in shown_between(texts, scene.start_s, scene.end_s))
        for scene in scenes
        if any(scene.start_frame <= frame < scene.end_frame for frame in frames)
    }


def _frames(m: Measurement) -> str:
    return "" if m.kind == CLIP_SPEECH else str(m.value.get("frames") or "")


def _checked(
    scene: Scene, fields: Fields, measured: Mapping[tuple[str, str, str], Measurement]
) -> CheckedScene:
    texts = {name: found[0].value.strip() for name, found in fields.get(scene.key, {}).items() if found}
    speech = measured.get((scene.key, CLIP_SPEECH, ""))
    return CheckedScene(
        number=scene.index + 1,
        texts={name: texts[name] for name in SCRIPT_FIELDS if name in texts},
        camera=_label(scene, "camera_motion", measured),
        scale=_label(scene, "shot_scale", measured),
        language=str(speech.value.get("language", "")) if speech else "",
        beyond=int(speech.value.get("beyond", 0)) if speech else 0,
    )


def _label(scene: Scene, kind: str, measured: Mapping[tuple[str, str, str], Measurement]) -> Label:
    """The label for the scene's current frames; a measurement that names no frames applies to all."""
    now = str([scene.start_frame, scene.end_frame])
    found = measured.get((scene.key, kind, now)) or measured.get((scene.key, kind, ""))
    if found is None:
        return Label()
    return Label(str(found.value.get("label", "")), float(found.value.get("confidence", 0.0)))


def _found(video_id: str, scene: Scene, fields: Fields, one: ScriptFinding) -> SceneFound:
    """Convert to a finding that can be dismissed, on the text or on the scene's speech."""
    texts = fields.get(scene.key, {}).get(one.aspect, ())
    if not texts:
        found = Found(
            video_id=video_id,
            check=one.check,
            subject_type="video",
            subject_id=video_id,
            key=f"{scene.key} {one.why}",
            why=one.why,
        )
        return SceneFound(scene.key, one.number, one.aspect, found)
    value = texts[0].value.strip()
    words = value[one.start : one.end] if one.start is not None else ""
    found = Found(
        video_id=video_id,
        check=one.check,
        subject_type="text",
        subject_id=texts[0].text.id,
        text=words,
        key="" if words else digest(value),
        start=one.start,
        end=one.end,
        why=one.why,
    )
    return SceneFound(scene.key, one.number, one.aspect, found)

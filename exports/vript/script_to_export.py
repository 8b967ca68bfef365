"""The current script of a video: scenes, texts per field, and speech divided by scene."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.intake.names_of_videos import VideoNames
from annotation.records.allowed_values import SCRIPT_FIELDS
from annotation.records.split_merge_move_speech import Piece, timed_words
from annotation.records.videos import Alias, Dataset, Measurement, Scene, Segment, Video
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.store.current_speech import (
    Line,
    SpeechState,
    lines_of,
    newest_speech_run,
    speech_states,
    words_of,
)
from annotation.store.scenes_without_file import UNTIMED
from annotation.store.store import Store
from annotation.systems.vript.current_scripts import CLIP_SPEECH, script_fields
from annotation.texts.which_text_counts import COUNTING, CountingText, Values, Whose
from backends.video_and_word_types import Word
from exports.files.format_types import Wanted
from exports.vript.clip_times_to_scenes import NEAR_S
from exports.vript.clips_to_records import SYSTEM
from exports.vript.merged_clips import Said


@dataclass(frozen=True, slots=True)
class SceneNow:
    """One scene with its texts and speech."""

    number: int
    start_s: float
    end_s: float
    fields: Mapping[str, tuple[str, ...]]
    """Non-empty fields with one text each, or with all annotations of a dataset."""
    said: tuple[Said, ...]
    """Seconds from the start of the scene. Clamped lines have their original span."""
    heard: bool
    """Whether the speech is known, also if there is none."""
    language: str
    baseline: bool
    duration_s: float
    """The dataset's duration if the scene is still its clip, because frames are less exact."""

    @property
    def complete(self) -> bool:
        return all(self.fields.get(name) for name in SCRIPT_FIELDS)


@dataclass(frozen=True, slots=True)
class ScriptNow:
    """The script of one video."""

    video: Video
    name: str
    """The dataset's name of the video, else its title."""
    scenes: tuple[SceneNow, ...]
    timed: bool
    """Whether its scenes have times."""

    @property
    def written(self) -> bool:
        return any(scene.fields for scene in self.scenes)


def scripts(wanted: Wanted) -> Iterator[ScriptNow]:
    """Yield the scripts of videos that have one or come from this dataset, by name."""
    store = wanted.store
    names = VideoNames(store, SYSTEM)
    ours = {d.id for d in store.find(Dataset) if d.format == SYSTEM}
    named = {alias.video_id for alias in store.find(Alias) if alias.dataset_id in ours}
    found = [(names.name(video.id), video) for video in store.find(Video, order_by=["title", "id"])]
    for name, video in sorted(found, key=lambda pair: (pair[0], pair[1].id)):
        script = script_now(store, video, name, wanted.values, wanted.texts_of)
        if script.written or (script.scenes and video.id in named):
            yield script


def script_now(store: Store, video: Video, name: str, values: Values, whose: Whose = COUNTING) -> ScriptNow:
    """Return the current script; `values` selects current or machine values."""
    scenes, scene_list = current_scenes(store, video.id), store.scene_list(video.id)
    fields = script_fields(store, [video.id], whose, values).get(video.id, {})
    said = _said(store, video.id, scenes, values)
    run = newest_speech_run(store, video.id)
    clips, whole = _clip_data(store, video.id, run) if run else ({}, "")
    own = scene_list is not None and scene_list.person_id is None

    def now(scene: Scene) -> SceneNow:
        texts, clip = fields.get(scene.key, {}), clips.get(scene.key, {})
        length = clip.get("duration_s") if own else None
        return SceneNow(
            number=scene.index + 1,
            start_s=scene.start_s,
            end_s=scene.end_s,
            fields={f: tuple(one.value.strip() for one in texts[f]) for f in SCRIPT_FIELDS if texts.get(f)},
            said=_unclamped(said.get(scene.index, ()), clip.get("clamped")),
            heard=bool(run) and (not clips or scene.key in clips),
            language=str(clip.get("language", whole)),
            duration_s=float(length or round(scene.end_s - scene.start_s, 6)),
            baseline=any(one.by_baseline for found in texts.values() for one in found),
        )

    timed = scene_list is not None and scene_list.note != UNTIMED
    return ScriptNow(video, name, tuple(now(scene) for scene in scenes), timed)


FIELDS = {name: f"script:{name}" for name in SCRIPT_FIELDS}


def texts_to_write(wanted: Wanted) -> dict[str, dict[str, list[CountingText]]]:
    """Return `{video id: {field: its texts, scene by scene}}` of the videos that have a script."""
    store = wanted.store
    ids = [video.id for video in store.find(Video)]
    found: dict[str, dict[str, list[CountingText]]] = {}
    for video_id, fields in script_fields(store, ids, wanted.texts_of, wanted.values).items():
        keys = [scene.key for scene in current_scenes(store, video_id)]
        here = {name: [one for key in keys for one in fields.get(key, {}).get(name, ())] for name in FIELDS}
        if any(here.values()):
            found[video_id] = here
    return found


# --- speech ---------------------------------------------------------------------------


def _clip_data(store: Store, video_id: str, run_id: str) -> tuple[dict[str, Mapping[str, Any]], str]:
    """Return the transcripts' data of clips by scene key, and the language of the whole video."""
    found = store.find(Measurement, video_id=video_id, run_id=run_id)
    clips = {m.subject_id: m.value for m in found if m.kind == CLIP_SPEECH}
    whole = (str(m.value.get("language", "")) for m in found if m.kind == "speech_gaps")
    return clips, next(whole, "")


def _unclamped(said: Sequence[Said], clamped: Sequence[Sequence[float]] | None) -> tuple[Said, ...]:
    """Restore original spans. `clamped`: stored start and end, and the dataset's, of each clamped line."""
    given = [(Said(a, b, ""), (start, end)) for a, b, start, end in clamped or ()]

    def own(one: Said) -> Said:
        spans = (
            span
            for held, span in given
            if abs(held.start_s - one.start_s) <= NEAR_S and abs(held.end_s - one.end_s) <= NEAR_S
        )
        start, end = next(spans, (one.start_s, one.end_s))
        return Said(start, end, one.text)

    return tuple(map(own, said))


def _said(
    store: Store, video_id: str, scenes: Sequence[Scene], values: Values
) -> dict[int, tuple[Said, ...]]:
    """Return speech by scene index. A line across a cut is divided by the times of its words."""
    states = speech_states(store, video_id)
    state_of = {state.segment.id: state for state in states}
    found: dict[int, list[Said]] = defaultdict(list)
    for line in _lines(states, values):
        words = _words(line, state_of[line.segment_id], states, values)
        for scene, (start, end, text) in _parts(line, words, scenes):
            a, b = (
                round(min(max(0.0, s - scene.start_s), scene.end_s - scene.start_s), 6) for s in (start, end)
            )
            found[scene.index].append(Said(a, b, text))
    return {index: tuple(sorted(said, key=lambda s: s.start_s)) for index, said in found.items()}


def _lines(states: Sequence[SpeechState], values: Values) -> list[Line]:
    if values == "current":
        return [line for line in lines_of(states) if line.text.strip()]
    segments: list[Segment] = [state.segment for state in states]
    return [Line(s.id, 0, s.start_s, s.end_s, s.text) for s in segments if s.text.strip()]


def _words(line: Line, state: SpeechState, states: Sequence[SpeechState], values: Values) -> tuple[Word, ...]:
    if values == "current":
        return words_of(line, state, states)
    return timed_words(Piece(line.start_s, line.end_s, line.text), state.segment.words)


def _parts(
    line: Line, words: Sequence[Word], scenes: Sequence[Scene]
) -> Iterator[tuple[Scene, tuple[float, float, str]]]:
    """Yield (scene, (start, end, text)). A line in one scene or without timed words is not divided."""
    if not scenes:
        return
    touched = [s for s in scenes if s.start_s < line.end_s and s.end_s > line.start_s]
    if len(touched) < 2 or not any(word.probability for word in words):
        yield _holder(scenes, (line.start_s + line.end_s) / 2), line.timed
        return
    parts: dict[int, list[Word]] = defaultdict(list)
    for word in words:
        parts[_holder(scenes, (word.start_s + word.end_s) / 2).index].append(word)
    for index, group in parts.items():
        text = " ".join(word.text.strip() for word in group)
        whole = len(parts) == 1
        yield scenes[index], line.timed if whole else (group[0].start_s, group[-1].end_s, text)


def _holder(scenes: Sequence[Scene], second: float) -> Scene:
    return next((s for s in scenes if second < s.end_s), scenes[-1])

"""JSON values that several pages show. Plain Python, without Gradio and HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from annotation.pipeline.evidence.frame_of_moment import opening_frame
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Correction, Person
from annotation.records.runs import Run
from annotation.records.videos import Measurement, Scene, ScreenText, Video
from annotation.stages.frames_shown_to_models import is_missing, slates
from annotation.stages.measurement_stage import measured
from annotation.stages.media_library import MediaLibrary, strip_of
from annotation.stages.newest_screen_texts import screen_texts
from annotation.stages.probe_scenes_speech import current_scenes, is_proposal
from annotation.store.current_speech import (
    Line,
    SpeechState,
    lines_of,
    newest_speech_run,
    speech_states,
    words_of,
)
from annotation.store.scenes_without_file import UNTIMED
from annotation.store.store import Current, Store
from annotation.texts.writers import Writer, author, written_by
from backends.errors import MediaError
from ui.lib.shared_wire_types import (
    EditableText,
    EditableValue,
    HistoryEntry,
    Place,
    PlayerData,
    RunFacts,
    SceneRow,
    ScreenLine,
    Speech,
    SpeechLine,
)


def value_json(current: Current, subject_type: str, subject_id: str, field: str) -> EditableValue:
    """One value that can be edited, with everything an editor needs."""
    return {
        "subject": [subject_type, subject_id, field],
        "value": current.value,
        "machine": current.machine,
        "revision": current.revision,
        "corrected": current.changed,
        "confirmed": current.confirmed,
        "stale": current.stale,
        "state": current.state,
    }


def text_json(text: Text, current: Current, people: Mapping[str, Person], writer: Writer) -> EditableText:
    """A caption with its author and state. An author's own changes are not corrections."""
    corrected = current.corrected and writer != author(text)
    return {
        **value_json(current, "text", text.id, "value"),
        "id": text.id,
        "kind": text.kind,
        "state": text.state,
        "reason": text.reason,
        "author": author_word(text, people),
        "baseline": text.baseline,
        "frames": list(text.frames),
        "created_at": text.created_at,
        "person": text.person_id or "",
        "place": place_json(text),
        "model": "",
        "corrected": corrected,
        "corrected_by": people[writer.id].name if corrected and writer.id in people else "",
    }


def place_json(text: Text) -> Place | None:
    """The place of a person's own text, which identifies it before it exists. None for other texts."""
    if text.person_id is None:
        return None
    scene = text.subject_id if text.subject_type == "scene" else ""
    return {"video_id": text.video_id, "kind": text.kind, "scene": scene}


def author_word(text: Text, people: Mapping[str, Person]) -> str:
    """The author's name in a word or two."""
    if text.person_id:
        return people[text.person_id].name if text.person_id in people else "a person"
    if text.dataset_id:
        return "reference"
    return "baseline" if text.baseline else "model"


def people_by_id(store: Store) -> dict[str, Person]:
    return {person.id: person for person in store.find(Person)}


def history_json(corrections: Sequence[Correction], people: dict[str, Person]) -> list[HistoryEntry]:
    """All changes of a field, newest first."""
    return [
        {
            "revision": c.revision,
            "value": c.value,
            "cleared": c.cleared,
            "reason": c.reason,
            "by": people[c.person_id].name if c.person_id in people else c.person_id,
            "at": c.created_at,
            "blind": c.blind,
        }
        for c in reversed(corrections)
    ]


@contextmanager
def one_snapshot(store: Store, media: MediaLibrary, video_id: str) -> Iterator[Video]:
    """Yield a video within a snapshot of the store, for a page that shows its player. Raises NotFound.

    The frames of its file are read before: for a long film that takes seconds, which no transaction may.
    """
    video = store.get(Video, video_id)
    if video.facts is not None and video.path:
        with suppress(MediaError):  # `player_json` reports it
            media.table(video)
    with store.snapshot():
        yield store.get(Video, video_id)


def player_json(store: Store, media: MediaLibrary, video: Video) -> PlayerData:
    """Data for the player: stream facts, scenes, speech, camera lane, strip."""
    facts = video.facts
    if facts is None or not video.path:
        return _without_file(store, video)
    try:
        frames = len(media.table(video).pts)
    except MediaError as error:
        return {"id": video.id, "title": video.title, "file": False, "why": str(error)}
    copy = media.has_copy(video)
    scenes = current_scenes(store, video.id)
    found, without = measured(store, video.id), slates(video)
    return {
        "id": video.id,
        "title": video.title,
        "file": True,
        "playable": facts.browser_playable or copy,
        "copy": copy,
        "needs_copy": media.needs_copy(video),
        "why": facts.unplayable_why,
        "problems": list(facts.problems),
        "frames": frames,
        "duration_s": facts.duration_s,
        "width": facts.width,
        "height": facts.height,
        "fps": facts.fps_avg,
        "vfr": facts.vfr,
        "codec": facts.codec,
        "strip": list(strip_of(frames)),
        "opens": opening_frame(found.get(scenes[0].key, {})) if scenes else 0,
        "slates": sorted(without),
        "scenes": [
            {**scene_json(scene, found.get(scene.key, {})), "missing": is_missing(scene, without)}
            for scene in scenes
        ],
        "proposal": is_proposal(store.scene_list(video.id)),
        "speech": speech_json(store, video.id),
        "screen_texts": [screen_line_json(text) for text in screen_texts(store, video.id)],
    }


def _without_file(store: Store, video: Video) -> PlayerData:
    """Scenes and speech from a dataset; the frames of such scenes are nominal."""
    data: PlayerData = {
        "id": video.id,
        "title": video.title,
        "file": False,
        "why": "no video file yet; add it in the Library, or with python app.py run FILE",
    }
    if scenes := current_scenes(store, video.id):
        data["scenes"] = [scene_json(scene, {}) for scene in scenes]
        data["speech"] = speech_json(store, video.id)
        data["untimed"] = getattr(store.scene_list(video.id), "note", "") == UNTIMED
    return data


def scene_json(scene: Scene, measurements: dict[str, Any]) -> SceneRow:
    return {
        "key": scene.key,
        "index": scene.index,
        "start": scene.start_frame,
        "end": scene.end_frame,
        "start_s": scene.start_s,
        "end_s": scene.end_s,
        "measurements": measurements,
    }


def speech_json(store: Store, video_id: str) -> Speech:
    """The lines that count now, and the stretches that voice detection left out."""
    run = newest_speech_run(store, video_id)
    if run is None:
        return {"heard": False, "segments": [], "gaps": []}
    states = speech_states(store, video_id)
    state_of = {state.segment.id: state for state in states}
    found = store.find(Measurement, run_id=run, video_id=video_id, kind="speech_gaps")
    about = found[0].value if found else {}
    return {
        "heard": True,
        "language": about.get("language", ""),
        "language_probability": about.get("language_probability", 0.0),
        "model": about.get("model", ""),
        "gaps": about.get("gaps", []),
        "segments": [line_json(line, state_of[line.segment_id], states) for line in lines_of(states)],
    }


def screen_line_json(text: ScreenText) -> ScreenLine:
    return {
        "text": text.text,
        "score": text.score,
        "start_s": text.start_s,
        "end_s": text.end_s,
        "frame": text.frame,
        "first": text.first_frame,
        "last": text.last_frame,
    }


def line_json(line: Line, state: SpeechState, states: Sequence[SpeechState]) -> SpeechLine:
    """A line of speech. In a segment that was cut, `text` is edited as a part of the list `pieces`."""
    segment, cut = state.segment, state.pieces.value is not None
    text = value_json(state.text, "segment", segment.id, "text")
    if cut:
        text = value_json(state.pieces, "segment", segment.id, "pieces")
        text["value"], text["machine"] = line.text, segment.text
    return {
        "id": f"{segment.id}.{line.piece}",
        "segment": segment.id,
        "piece": line.piece,
        "cut": cut,
        "pieces": state.pieces.value,
        "revisions": [state.text.revision, state.pieces.revision],
        "start_s": line.start_s,
        "end_s": line.end_s,
        "avg_logprob": segment.avg_logprob,
        "no_speech_prob": segment.no_speech_prob,
        "words": [(w.text, w.start_s, w.end_s, w.probability) for w in words_of(line, state, states)],
        "text": text,
    }


def run_json(run: Run | None) -> RunFacts | None:
    """A run as pages show it."""
    if run is None:
        return None
    return {
        "id": run.id,
        "stage": run.stage,
        "model": run.model,
        "backend": run.backend,
        "endpoint": run.endpoint,
        "prompt_hash": run.prompt_hash,
        "params": dict(run.params),
        "software": dict(run.software),
        "baseline": run.baseline,
        "created_at": run.created_at,
    }


def texts_json(store: Store, texts: Iterable[Text]) -> list[EditableText]:
    """Captions that have not been replaced by newer ones, newest last."""
    people, pairs = people_by_id(store), store.not_superseded(texts)
    writers = written_by(store, pairs)
    return [text_json(text, now, people, writers[text.id][0]) for text, now in pairs]

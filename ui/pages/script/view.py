"""The Script page as data: scenes with their four fields, five captions, speech."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from annotation.editing.texts_to_review import frames_then
from annotation.pipeline.jobs_across_processes import Job
from annotation.records.allowed_values import SCRIPT_FIELDS, VDC_ASPECTS
from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.measurement_stage import measured
from annotation.stages.media_library import MediaLibrary
from annotation.stages.newest_screen_texts import screen_texts
from annotation.stages.probe_scenes_speech import current_scenes, is_proposal
from annotation.store.current_speech import spoken
from annotation.store.cut_versions import CutHistory
from annotation.store.run_names import run_names
from annotation.store.store import Store
from annotation.systems.vript.camera_claims import SURE_FROM, camera_claim
from annotation.systems.vript.current_scripts import script_findings
from annotation.systems.vript.script_requests import WORD_LIMITS
from annotation.systems.vript.script_stage import scene_words, script_inputs
from annotation.texts.which_text_counts import texts_by_subject
from ui.lib.findings_as_json import findings_json
from ui.lib.shared_wire_types import EditableText
from ui.lib.view_parts import player_json, texts_json
from ui.pages.script.cuts_view import edits_json
from ui.pages.script.wire_types import Claims, CutsNow, FieldText, SceneFinding, ScriptPage

LIMITS = {f"script:{name}": limit for name, limit in WORD_LIMITS.items()}
"""The limits in the Vript prompt."""


def script_json(store: Store, media: MediaLibrary, video_id: str, jobs: Sequence[Job] = ()) -> ScriptPage:
    """The Script page. `script` has per scene and field the text to show, with other authors' under `others`.

    Raises NotFound.
    """
    video = store.get(Video, video_id)
    fields = fields_json(store, video.id)
    return {
        "video": {"id": video.id, "title": video.title, "category": video.category or video.discipline},
        "player": player_json(store, media, video),
        "script": fields,
        "limits": LIMITS,
        "claims": _claims(store, video.id, fields),
        "captions": captions_json(store, video.id),
        "edits": edits_json(store, video.id),
        "cuts": cuts_json(store, video.id, jobs),
    }


def cuts_json(store: Store, video_id: str, jobs: Sequence[Job] = ()) -> CutsNow:
    """The version of the scenes that counts, and jobs that may change it; open pages poll this.

    `working`: a job will process this video. `detection` is `running`, `waiting` or empty; `share` is its
    progress, 0 to 1.
    """
    scenes = store.scene_list(video_id)
    waiting = [job for job in jobs if not job.finished and video_id in _still_to_do(job)]
    states = [_detection(job, video_id) for job in waiting]
    running = next((job for job, state in zip(waiting, states, strict=True) if state == "running"), None)
    return {
        "id": scenes.id if scenes else "",
        "proposal": is_proposal(scenes),
        "working": bool(waiting),
        "detection": "running" if running else next((state for state in states if state), ""),
        "share": running.done / running.total if running and running.total else 0.0,
    }


def _still_to_do(job: Job) -> list[str]:
    return [video.id for video in job.videos[job.videos_done :]]


def _detection(job: Job, video_id: str) -> Literal["running", "waiting", ""]:
    """Whether the job is before (`waiting`), in (`running`) or past the cuts of this video, or skips them."""
    stages = [str(stage) for stage in job.stages]
    if "scenes" not in stages:
        return ""
    here = job.video_id == video_id and job.stage in stages
    ahead = stages.index("scenes") - stages.index(job.stage) if here else 1
    return "waiting" if ahead > 0 else "running" if ahead == 0 else ""


def fields_json(store: Store, video_id: str) -> dict[str, dict[str, FieldText]]:
    """`{scene key: {"script:content": the text that counts, ...}}`, each with `others`, the next first."""
    kinds = [f"script:{name}" for name in SCRIPT_FIELDS]
    ordered = texts_by_subject(store, kinds, video_ids=[video_id])
    texts = [one.text for group in ordered.values() for one in group]
    rows = {row["id"]: row for row in _with_models(store, texts)}
    outdated = _outdated(store, video_id, texts)
    fields: dict[str, dict[str, FieldText]] = {}
    for (_, kind, scene), group in ordered.items():
        first, *others = [rows[one.text.id] for one in group]
        stale = first["stale"] or first["id"] in outdated
        fields.setdefault(scene, {})[kind] = {**first, "stale": stale, "others": others}
    return fields


def _outdated(store: Store, video_id: str, texts: Sequence[Text]) -> set[str]:
    """Texts whose inputs have changed since.

    Texts of scenes with moved cuts are left out: they have another mark.
    """
    inputs, history = _inputs_now(store, video_id), CutHistory(store, video_id)
    frames = {scene.key: (scene.start_frame, scene.end_frame) for scene in history.scenes}
    return {
        text.id
        for text in texts
        if text.source_hash
        and inputs.get(text.subject_id, text.source_hash) != text.source_hash
        and frames_then(history, text.subject_id, text.created_at) == frames[text.subject_id]
    }


def _inputs_now(store: Store, video_id: str) -> dict[str, str]:
    """Per scene key, the hash of the inputs of a script written now."""
    speech = [line.timed for line in spoken(store, video_id)]
    texts = screen_texts(store, video_id)
    return {
        scene.key: script_inputs(scene, scene_words(speech, texts, scene))
        for scene in current_scenes(store, video_id)
    }


def script_findings_json(store: Store, video_id: str) -> dict[str, list[SceneFinding]]:
    """Per scene key the findings of checks, dismissed or not; `aspect` is the field, or `speech`."""
    places = script_findings(store, [video_id]).get(video_id, [])
    found: dict[str, list[SceneFinding]] = {}
    for place, row in zip(places, findings_json(store, [place.found for place in places]), strict=True):
        found.setdefault(place.key, []).append({**row, "aspect": place.aspect})
    return found


def claims_json(store: Store, video_id: str) -> Claims:
    """Per scene key: does the text about camera movement match the measurement? Raises NotFound."""
    video = store.get(Video, video_id)
    return _claims(store, video.id, fields_json(store, video.id))


def _claims(store: Store, video_id: str, fields: Mapping[str, Mapping[str, FieldText]]) -> Claims:
    found = measured(store, video_id)
    claims: Claims = {}
    for scene in current_scenes(store, video_id):
        motion = found.get(scene.key, {}).get("camera_motion", {})
        sure = float(motion.get("confidence", 0.0)) >= SURE_FROM
        text = fields.get(scene.key, {}).get("script:camera_movement")
        label = str(motion.get("label", "")) if sure else ""
        claims[scene.key] = camera_claim(str(text["value"]) if text else "", label)
    return claims


def captions_json(store: Store, video_id: str) -> dict[str, list[EditableText]]:
    """`{"vdc:camera": [texts of every author], ...}`: the text that counts, then the next."""
    kinds = [f"vdc:{aspect}" for aspect in VDC_ASPECTS]
    ordered = texts_by_subject(store, kinds, video_ids=[video_id])
    rows = {
        row["id"]: row for row in _with_models(store, [o.text for group in ordered.values() for o in group])
    }
    found: dict[str, list[EditableText]] = {kind: [] for kind in kinds}
    return found | {s.kind: [rows[one.text.id] for one in group] for s, group in ordered.items()}


def _with_models(store: Store, texts: Sequence[Text]) -> list[EditableText]:
    """Captions that have not been replaced by newer ones, with the name of the model that wrote each."""
    names = run_names(store.find(Run, id=sorted({t.run_id for t in texts if t.run_id})))
    by_id = {text.id: text for text in texts}
    rows = texts_json(store, texts)
    for row in rows:
        text = by_id[row["id"]]
        row["model"] = names.get(text.run_id or "", "")
    return rows

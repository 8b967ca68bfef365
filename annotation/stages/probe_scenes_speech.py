"""Stages that read the video file: probe, scenes, speech."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from annotation.records.captions_to_verdicts import Text
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.videos import Measurement, Scene, SceneList, Segment, Video
from annotation.stages.media_library import (
    STRIP_FRAMES,
    THUMBNAIL_WIDTH,
    path_of,
    strip_of,
)
from annotation.stages.run_speech_options import SpeechOptions
from annotation.stages.stage_context import Context, make_run
from annotation.stages.stage_results import StageResults, skipped
from annotation.stages.stage_spec import StageSpec
from annotation.store.current_speech import newest_speech_run
from annotation.store.store import Store
from backends.errors import MediaError
from backends.protocols import Progress, PtsTable, SceneCuts, Transcript
from backends.scenes.keyframe_proposal import propose
from backends.video_and_word_types import VideoFacts

PROPOSAL = "proposal"
"""Note of a scene list that the detector's list will replace."""
PROPOSE_FROM_S = 120.0
"""Longer videos get a provisional scene list from their keyframes. In seconds."""


def facts_of(video: Video) -> VideoFacts:
    """Return the facts of the file. Raises MediaError if the video's file is not on this machine."""
    if video.facts is None:
        raise MediaError(f"{video.title}: no file; add it with: python app.py run FILE")
    return video.facts


def probe_run() -> Run:
    return make_run("probe", backend="pyav", model="pyav", params={"strip": STRIP_FRAMES})


def run_probe(context: Context, video: Video) -> None:
    """Make thumbnails for the strip, and a copy of videos that browsers cannot play."""
    context.start_run(probe_run())
    facts = facts_of(video)
    indices = strip_of(facts.frames)
    copying = context.media.needs_copy(video)
    total = len(indices) + facts.frames * copying
    for start in range(0, len(indices), 16):
        context.media.thumbnails(video, indices[start : start + 16], THUMBNAIL_WIDTH)
        context.progress(video, "probe", min(start + 16, len(indices)), total)
    if copying:
        context.media.make_copy(
            video, lambda done, _: context.progress(video, "probe", len(indices) + done, total)
        )


def run_scenes(context: Context, video: Video) -> None:
    """Detect the cuts. A long video first gets a provisional scene list, so that pages show scenes early."""
    detector = context.engines.detector()
    run = context.start_run(
        make_run("scenes", backend=detector.name, model=detector.name, params=dict(detector.params))
    )
    list_id = record_id("scl", run.id, video.id)
    if not context.store.find(SceneList, id=list_id):
        cuts, table = _detected(context, video, list_id)
        with context.store.writing():  # texts written meanwhile on earlier scenes keep their scene
            keys = kept_keys(context.store, video.id, list_id, (*cuts.starts, len(table.pts)))
            context.store.add(scene_records(list_id, run, video, cuts, table, keys=keys))
    context.media.finished(video, list_id)


def _detected(context: Context, video: Video, list_id: str) -> tuple[SceneCuts, PtsTable]:
    """Run the detector. Continues from saved work after a stop."""
    table = context.media.table(video)

    def on_progress(done: int, total: int) -> None:
        context.progress(video, "scenes", done, total)

    if facts_of(video).duration_s > PROPOSE_FROM_S:
        _propose(context, video, table, lambda _, total: on_progress(0, total))
    notes = context.media.unfinished(video, list_id)
    return context.engines.detector().detect(
        path_of(video), table, facts_of(video), on_progress, notes
    ), table


def _propose(context: Context, video: Video, table: PtsTable, on_progress: Progress) -> None:
    """Store scenes from keyframes if the video has no scenes yet. The detector's list replaces them."""
    if context.store.scene_list(video.id) is not None:
        return
    cuts = propose(path_of(video), table, facts_of(video), on_progress)
    name = str(cuts.detector["name"])
    run = make_run("scenes", backend=name, model=name, params=dict(cuts.detector["params"]))
    list_id = record_id("scl", run.id, video.id)
    with context.store.writing():
        # Another process may have stored the detector's cuts meanwhile, which are more accurate.
        if context.store.scene_list(video.id) is None:
            context.store.add([run, *scene_records(list_id, run, video, cuts, table, note=PROPOSAL)])


def kept_keys(store: Store, video_id: str, list_id: str, edges: Sequence[int]) -> list[str]:
    """Return keys for the scenes between `edges`. A key goes to the new scene with most of its frames.

    Without it, texts that people wrote on earlier scenes would not be shown.
    """
    keys = [record_id("sck", list_id, index) for index in range(len(edges) - 1)]
    earlier = current_scenes(store, video_id)
    texts = store.find(Text, subject_type="scene", subject_id=[scene.key for scene in earlier])
    written = {text.subject_id for text in texts}
    taken: set[int] = set()
    for scene in (scene for scene in earlier if scene.key in written):
        shared = [min(end, scene.end_frame) - max(start, scene.start_frame) for start, end in pairwise(edges)]
        best = shared.index(max(shared))
        if best not in taken:
            taken.add(best)
            keys[best] = scene.key
    return keys


def is_proposal(scenes: SceneList | None) -> bool:
    return scenes is not None and scenes.note == PROPOSAL


def scene_records(
    list_id: str,
    run: Run,
    video: Video,
    cuts: SceneCuts,
    table: PtsTable,
    note: str = "",
    keys: Sequence[str] = (),
) -> list[Record]:
    """Return a scene list and its scenes. The last scene ends with the last frame."""
    header = SceneList(
        id=list_id,
        video_id=video.id,
        created_at=time.time(),
        detector=dict(cuts.detector),
        run_id=run.id,
        note=note,
    )
    return [header, *scenes_from_starts(list_id, video, cuts.starts, table, keys)]


def scenes_from_starts(
    list_id: str, video: Video, starts: Sequence[int], table: PtsTable, keys: Sequence[str] = ()
) -> list[Scene]:
    """Return scenes [start, next start). Texts refer to scenes by `keys`."""
    seconds, frames = table.seconds, len(table.pts)
    last_pts = int(table.pts[-1]) + (int(table.pts[-1] - table.pts[-2]) if frames > 1 else 1)
    ends = [*starts[1:], frames]
    return [
        Scene(
            id=record_id("scn", list_id, index),
            scene_list_id=list_id,
            video_id=video.id,
            key=keys[index] if keys else record_id("sck", list_id, index),
            index=index,
            start_frame=start,
            end_frame=end,
            start_pts=int(table.pts[start]),
            end_pts=int(table.pts[end]) if end < frames else last_pts,
            start_s=max(0.0, float(seconds[start])),
            end_s=float(seconds[end]) if end < frames else float(table.end_s),
        )
        for index, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def run_speech(context: Context, video: Video) -> StageResults | None:
    """Transcribe speech; skipped if it is turned off.

    A transcription with options chosen for this video stays current until other options are chosen.
    """
    options = context.option(SpeechOptions)
    if not options.chosen and (kept := _chosen_run(context, video)):
        context.start_run(kept)
        return None
    engine = context.engines.speech(options.size, options.language)
    if engine is None:
        return skipped("turned off")
    params: dict[str, Any] = {"language": engine.language} if engine.language else {}
    params |= {"chosen_for": video.id} if options.chosen else {}
    made = make_run("speech", backend=engine.name, model=engine.name, params=params)
    run = context.start_run(made)
    gaps_id = _gaps_id(run, video)
    if context.store.find(Measurement, id=gaps_id):
        if options.chosen and newest_speech_run(context.store, video.id) != run.id:
            context.store.put(made)  # Chosen again, so this run becomes the newest.
    else:
        transcript = engine.transcribe(
            path_of(video),
            lambda done, total: context.progress(video, "speech", done, total),
            context.media.unfinished(video, gaps_id),
        )
        context.store.add(speech_records(run, video, transcript))
    context.media.finished(video, gaps_id)
    return None


def _chosen_run(context: Context, video: Video) -> Run | None:
    """Return the run with the speech options chosen for the video, if any."""
    newest = newest_speech_run(context.store, video.id)
    run = context.store.get(Run, newest) if newest else None
    return run if run and run.params.get("chosen_for") else None


def _gaps_id(run: Run, video: Video) -> str:
    return record_id("msr", run.id, video.id, "speech_gaps")


def speech_records(run: Run, video: Video, transcript: Transcript) -> list[Record]:
    """Return segments, and one measurement with the language and the stretches skipped by VAD."""
    segments: list[Record] = [
        Segment(
            id=record_id("seg", run.id, video.id, index),
            video_id=video.id,
            run_id=run.id,
            index=index,
            start_s=s.start_s,
            end_s=s.end_s,
            text=s.text.strip(),
            language=transcript.language,
            avg_logprob=s.avg_logprob,
            no_speech_prob=s.no_speech_prob,
            words=s.words,
        )
        for index, s in enumerate(transcript.segments)
    ]
    about = Measurement(
        id=_gaps_id(run, video),
        video_id=video.id,
        run_id=run.id,
        subject_type="video",
        subject_id=video.id,
        kind="speech_gaps",
        value={
            "gaps": [list(gap) for gap in transcript.gaps],
            "language": transcript.language,
            "language_probability": transcript.language_probability,
            "duration_s": transcript.duration_s,
            "model": transcript.model,
            "params": dict(transcript.params),
        },
    )
    return [*segments, about]


def current_scenes(store: Store, video_id: str) -> list[Scene]:
    """Return the current scenes in order; empty if there are none."""
    scene_list = store.scene_list(video_id)
    if scene_list is None:
        return []
    return store.find(Scene, scene_list_id=scene_list.id, order_by=["index"])


# --- the stages -------------------------------------------------------------------------

PROBE = StageSpec("probe", "thumbnails for the strip", run_probe, doing="reading the file", apart=True)
SCENES = StageSpec(
    "scenes", "find the cuts", run_scenes, doing="finding the scenes", engines=("detector",), apart=True
)
SPEECH = StageSpec(
    "speech",
    "speech to text",
    run_speech,
    doing="transcribing speech",
    engines=("speech",),
    apart=True,
    optional=True,
)

"""Vript's videos as records: scenes, four texts per scene, speech."""

from __future__ import annotations

from collections import Counter

from annotation.records.allowed_values import SCRIPT_FIELDS
from annotation.records.captions_to_verdicts import Text
from annotation.records.clip_names import clip_id
from annotation.records.ids import Json, record_id
from annotation.records.runs import Run
from annotation.records.videos import Dataset, Measurement, Scene, Segment
from annotation.systems.vript.current_scripts import CLIP_SPEECH
from backends.digest import digest
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import text_at
from exports.vript.clip_times_to_scenes import Layout, lay_out, scene_records
from exports.vript.merged_clips import Clip, Given, Said

DATASET = "Vript"
SYSTEM = "vript"
IMPORTED = "import:vript"
"""Backend of the run with the dataset's speech."""
LATER_S = 0.001
"""Difference in time between annotations of one field: the first annotation is the newest."""


def add_video(intake: Intake, given: Given) -> None:
    """Add all records of one video."""
    dataset = intake.dataset_of(given.video_id, DATASET)
    video_id = intake.video(
        dataset,
        given.video_id,
        given.where,
        title=given.title,
        category=_category(given),
        extra=_extra(given),
    )
    if not given.size:
        return
    _report_missing(intake, given)
    layout = lay_out(given, intake.problem)
    header, scenes = scene_records(dataset, video_id, layout, intake.now)
    known = intake.scenes_like(video_id, scenes)
    if known:
        scenes = known
    else:
        intake.add(header)
        for scene in scenes:
            intake.add(scene)
    for scene in scenes:
        clip = given.clips.get(scene.index + 1)
        if clip:
            _add_texts(intake, dataset, scene, clip)
    _add_speech(intake, dataset, given, scenes, layout)


def _category(given: Given) -> str:
    found = given.about.get("categories")
    if isinstance(found, list) and found and isinstance(found[0], str):
        return found[0]
    return text_at(given.about, "tname")


def _extra(given: Given) -> dict[str, Json]:
    """Return data that has no other place and does not follow from the scenes.

    `integrity` remains valid while the clips without a complete script are those in `missing`.
    """
    missing = given.missing()
    about: dict[str, Json] = {}
    odd = given.num_clips not in (None, given.size) or given.integrity not in (None, not missing)
    if odd and not given.partial:
        about = {"num_clips": given.num_clips, "integrity": given.integrity, "missing": missing}
    about |= {"meta": given.more} if given.more else {}
    more = {clip_id(given.video_id, n): clip.more for n, clip in sorted(given.clips.items()) if clip.more}
    about |= {"clips": more} if more else {}
    extra: dict[str, Json] = {"vript": about} if about else {}
    return extra | ({"vript_meta": dict(given.about)} if given.about else {})


def _report_missing(intake: Intake, given: Given) -> None:
    if given.partial or not any(clip.fields for clip in given.clips.values()):
        return
    stated, last, missing = given.num_clips, max(given.clips), given.missing()
    if stated is not None and last > stated:
        intake.problem(given.where, f"{given.video_id!r} has a clip {last:03d}, but num_clips is {stated}")
    if missing:
        names = ", ".join(f"{n:03d}" for n in missing[:10]) + (" ..." if len(missing) > 10 else "")
        integrity_note = {True: "; but integrity is true", False: "; integrity is false too", None: ""}
        intake.problem(
            given.where,
            f"{len(missing)} of {given.size} clips of {given.video_id!r} have no "
            f"complete script: {names}{integrity_note[given.integrity]}",
        )
    elif given.integrity is False:
        intake.problem(given.where, f"integrity of {given.video_id!r} is false, but no clip is missing")


def _add_texts(intake: Intake, dataset: Dataset, scene: Scene, clip: Clip) -> None:
    """Add texts. Further annotations of a field get other authors, so that none replaces another."""
    for name in SCRIPT_FIELDS:
        for number, value in enumerate(clip.fields.get(name, ())):
            kind = f"script:{name}"
            author = intake.dataset(f"{dataset.name}, annotation {number + 1}") if number else dataset
            text = Text(
                id=record_id("txt", author.id, scene.key, kind, value),
                video_id=scene.video_id,
                kind=kind,
                subject_type="scene",
                subject_id=scene.key,
                value=value,
                created_at=intake.now - LATER_S * number,
                dataset_id=author.id,
                baseline=clip.baseline,
            )
            intake.add(text)


# --- speech ---------------------------------------------------------------------------


def _add_speech(intake: Intake, dataset: Dataset, given: Given, scenes: list[Scene], layout: Layout) -> None:
    speech = {n: said for n, clip in given.clips.items() if (said := _said(clip, layout, n)) is not None}
    _report_speech(intake, given)
    if not speech:
        return
    rows = [(n, s.start_s, s.end_s, s.text) for n, said in sorted(speech.items()) for s in said]
    video_id = scenes[0].video_id
    run = Run(
        id=record_id("run", "vript-speech", dataset.id, video_id, digest(rows)),
        stage="speech",
        backend=IMPORTED,
        model=f"{dataset.name}'s transcript",
        created_at=intake.now,
    )
    intake.add(run)
    for index, (number, start, end, text) in enumerate(rows):
        origin = layout.origins[number - 1]
        intake.add(
            Segment(
                id=record_id("seg", run.id, index),
                video_id=video_id,
                run_id=run.id,
                index=index,
                start_s=round(origin + start, 6),
                end_s=round(origin + end, 6),
                text=text,
                language=given.clips[number].language,
                avg_logprob=0.0,
                no_speech_prob=0.0,
            )
        )
    for number in speech:
        intake.add(_about_clip(run, scenes[number - 1], given.clips[number]))
    intake.add(_about_all(run, video_id, given, layout))


def _said(clip: Clip, layout: Layout, number: int) -> tuple[Said, ...] | None:
    """Return the speech of the transcript, else the voice-over as one segment of the whole clip."""
    if clip.said is not None or clip.voice_over is None:
        return clip.said
    start, end = layout.edges[number - 1]
    return (Said(0.0, round(end - start, 6), clip.voice_over),) if clip.voice_over else ()


def _report_speech(intake: Intake, given: Given) -> None:
    for number, clip in sorted(given.clips.items()):
        late = [one.given[1] for one in clip.said or () if one.given]
        if late and clip.duration_s is not None:
            spans = "1 span" if len(late) == 1 else f"{len(late)} spans"
            what = f"clip {number:03d} of {given.video_id!r}: {spans} of speech beyond its end"
            by = f"by up to {max(late) - clip.duration_s:.2f} s"
            intake.problem(clip.heard_at, f"{what}, {by}; pages clamp it, exports keep the original times")
    other = [n for n, clip in sorted(given.clips.items()) if _differs(clip)]
    if other:
        intake.problem(
            given.where,
            f"voiceover of {len(other)} clips of {given.video_id!r} differs from the "
            f"transcript (first: {other[0]:03d}); the transcript is kept",
        )


def _differs(clip: Clip) -> bool:
    if clip.said is None or clip.voice_over is None:
        return False
    return "".join(clip.voice_over.split()) != "".join("".join(s.text.split()) for s in clip.said)


def _about_clip(run: Run, scene: Scene, clip: Clip) -> Measurement:
    value: dict[str, Json] = {
        "language": clip.language,
        "duration_s": clip.duration_s,
        "beyond": clip.beyond,
        "frames": [scene.start_frame, scene.end_frame],
        "clamped": [[s.start_s, s.end_s, *s.given] for s in clip.said or () if s.given],
    }
    return Measurement(
        id=record_id("msr", run.id, scene.key, CLIP_SPEECH),
        video_id=scene.video_id,
        run_id=run.id,
        subject_type="scene",
        subject_id=scene.key,
        kind=CLIP_SPEECH,
        value=value,
    )


def _about_all(run: Run, video_id: str, given: Given, layout: Layout) -> Measurement:
    """Return a record of the transcription, also for a video without speech."""
    said = Counter(clip.language for clip in given.clips.values() if clip.language and clip.said)
    return Measurement(
        id=record_id("msr", run.id, video_id, "speech_gaps"),
        video_id=video_id,
        run_id=run.id,
        subject_type="video",
        subject_id=video_id,
        kind="speech_gaps",
        value={
            "gaps": [],
            "language": said.most_common(1)[0][0] if said else "",
            "language_probability": 0.0,
            "duration_s": layout.edges[-1][1],
            "model": run.model,
            "params": {},
        },
    )

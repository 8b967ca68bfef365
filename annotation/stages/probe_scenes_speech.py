"""Stages that look at the video itself: probe, scenes, speech."""

from __future__ import annotations

import hashlib
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Any

from annotation.records.captions_to_verdicts import Text
from annotation.records.constants_of_systems import BY_SECOND
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.videos import Alias, ClipPart, Measurement, Scene, SceneList, Segment, Video
from annotation.stages.media_library import (
    STRIP_FRAMES,
    THUMBNAIL_WIDTH,
    forget_pictures,
    path_of,
    strip_of,
)
from annotation.stages.run_speech_options import SpeechOptions
from annotation.stages.stage_context import Context, make_run
from annotation.stages.stage_results import StageResults, skipped
from annotation.store.current_speech import newest_speech_run
from annotation.store.scenes_without_file import settle
from annotation.store.store import Store
from backends.errors import MediaError
from backends.protocols import Progress, PtsTable, SceneCuts, Transcript
from backends.scenes.keyframe_proposal import propose
from backends.text.storable_text import is_storable, mended
from backends.video.probe import probe
from backends.video.pts_tables import save_table
from backends.video_and_word_types import VideoFacts

PROPOSAL = "proposal"
"""Note of a scene list that the detector's list replaces."""
PROPOSE_FROM_S = 120.0
"""Videos that are longer get a first proposal of scenes from their keyframes."""
VIDEO_SUFFIXES = frozenset((".mp4", ".mkv", ".webm", ".mov", ".m4v", ".avi", ".ts", ".mpg", ".mpeg"))


def video_files(path: Path, *, needed: bool = True) -> list[Path]:
    """The file itself, or the videos in a folder (by suffix, sorted, not hidden).

    Raises MediaError when there is nothing, or no such file where none is `needed`.
    """
    if path.is_dir():
        found = sorted(p for p in path.rglob("*") if p.suffix.lower() in VIDEO_SUFFIXES and p.name[0] != ".")
        if not found and needed:
            raise MediaError(f"{path}: no videos in this folder; give a file or another folder")
        return found
    if not path.is_file():
        raise MediaError(f"{path}: no such file")
    return [path]


def add_video(
    store: Store,
    media_table: Path,
    path: Path,
    title: str = "",
    waiting: Video | None = None,
    clips: tuple[ClipPart, ...] = (),
    starts: Sequence[int] | None = None,
) -> Video:
    """Register a file; a file with the same content is the same video.

    One that has its file already stays as it is. Else it is the file of `waiting`, or of the one video
    without a file that a dataset calls like it. `media_table` is the workspace's media folder; `clips` and
    `starts` are the parts of a film of clips and their first frames. Raises MediaError for what is no video,
    and for a file whose name fits several videos.
    """
    path = path.absolute()  # a snapshot of a Hugging Face cache is links into blobs, which have no names
    if not is_storable(str(path)):
        raise MediaError(f"{mended(str(path))}: the name is not UTF-8 and cannot be stored; rename the file")
    facts, table = probe(path)
    sha256 = sha256_of(path)
    with store.writing():  # several may add the same file, and people may change what is said of the video
        known = _videos_of(store, path, sha256, waiting)
        if waiting and known[0].id != waiting.id and Path(known[0].path or "").is_file():
            return known[0]
        if waiting and not waiting.path and _has_another(known[0], sha256):  # somebody else was quicker
            raise MediaError(f"{known[0].title!r} has {known[0].path} by now; this one is not taken")
        if known:
            if known[0].sha256 != sha256:
                forget_pictures(media_table / known[0].id)
            video = replace(
                known[0],
                path=str(path),
                facts=facts,
                sha256=sha256,
                title=title or known[0].title,
                clips=clips or known[0].clips,
            )
        else:
            video = Video(
                id=f"vid-{sha256[:20]}",
                title=title or path.stem,
                created_at=time.time(),
                path=str(path),
                sha256=sha256,
                facts=facts,
            )
        save_table(table, media_table / video.id / "pts.npz")
        store.put(video)
        settle(store, video.id, table, starts)
    return video


def _has_another(video: Video, sha256: str) -> bool:
    """Whether the video has a file here of other bytes."""
    return bool(video.path) and Path(str(video.path)).is_file() and video.sha256 != sha256


def _videos_of(store: Store, path: Path, sha256: str, waiting: Video | None) -> list[Video]:
    """The video whose file this is, as it is said of it now; none when it is a new one."""
    known = store.find(Video, sha256=sha256)
    if known or waiting is None:
        return known or waiting_for_file(store, path)
    return store.find(Video, id=waiting.id) or [waiting]


def waiting_for_file(store: Store, path: PurePath) -> list[Video]:
    """The video that an imported file named and that has no file yet: known by its file name.

    Raises MediaError for a name that fits several.
    """
    # Frames that are counted by second would be others in a file of another rate: see `attach_videos`.
    found_videos = store.find(Video, path=None)
    videos = {video.id: video for video in found_videos if not video.extra.get(BY_SECOND)}
    names = names_of_waiting(store, videos.values()) if videos else {}
    found = names.get(path.name, set()) | names.get(path.stem, set())
    if len(found) > 1:
        titles = ", ".join(sorted(videos[video_id].title for video_id in found))
        raise MediaError(f"{path.name}: fits {len(found)} videos ({titles}); rename it to the id of one")
    return [videos[video_id] for video_id in found]


def names_of_waiting(store: Store, videos: Iterable[Video]) -> dict[str, set[str]]:
    """What datasets call these videos, or their files: `{name: ids}`."""
    names: dict[str, set[str]] = defaultdict(set)
    ids = set()
    for video in videos:
        ids.add(video.id)
        for name in (video.title, video.extra.get("video_name")):
            if isinstance(name, str) and name:
                names[name].add(video.id)
    for alias in store.find(Alias):
        if alias.video_id in ids:
            names[alias.alias].add(alias.video_id)
    return names


def sha256_of(path: Path) -> str:
    """Of the file's bytes. Raises MediaError for a file that cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise MediaError(f"{path.name}: cannot be read ({error.strerror}); check its permissions") from error


def facts_of(video: Video) -> VideoFacts:
    """Raises MediaError when the video has no file here."""
    if video.facts is None:
        raise MediaError(f"{video.title}: no file; add it with: python app.py run FILE")
    return video.facts


def probe_run() -> Run:
    return make_run("probe", backend="pyav", model="pyav", params={"strip": STRIP_FRAMES})


def run_probe(context: Context, video: Video) -> None:
    """Thumbnails for the strip, so that pages are quick; a copy of what browsers do not play."""
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
    """Cuts by the detector; of a long video a proposal first, so that there is something to look at."""
    detector = context.engines.detector()
    run = context.start_run(
        make_run("scenes", backend=detector.name, model=detector.name, params=dict(detector.params))
    )
    list_id = record_id("scl", run.id, video.id)
    if not context.store.find(SceneList, id=list_id):
        cuts, table = _detected(context, video, list_id)
        with context.store.writing():  # what is written on earlier scenes meanwhile keeps its scene too
            keys = kept_keys(context.store, video.id, list_id, (*cuts.starts, len(table.pts)))
            context.store.add(scene_records(list_id, run, video, cuts, table, keys=keys))
    context.media.finished(video, list_id)


def _detected(context: Context, video: Video, list_id: str) -> tuple[SceneCuts, PtsTable]:
    """The cuts that the detector finds; stopped, it goes on where it was."""
    table = context.media.table(video)

    def tell(done: int, total: int) -> None:
        context.progress(video, "scenes", done, total)

    if facts_of(video).duration_s > PROPOSE_FROM_S:
        _propose(context, video, table, lambda _, total: tell(0, total))
    notes = context.media.unfinished(video, list_id)
    return context.engines.detector().detect(path_of(video), table, facts_of(video), tell, notes), table


def _propose(context: Context, video: Video, table: PtsTable, tell: Progress) -> None:
    """Store scenes from keyframes, where the video has no scenes yet; the detector's list replaces them."""
    if context.store.scene_list(video.id) is not None:
        return
    cuts = propose(path_of(video), table, facts_of(video), tell)
    name = str(cuts.detector["name"])
    run = make_run("scenes", backend=name, model=name, params=dict(cuts.detector["params"]))
    list_id = record_id("scl", run.id, video.id)
    with context.store.writing():
        # Where another process was ahead, its detector's cuts are there by now: they are the better ones.
        if context.store.scene_list(video.id) is None:
            context.store.add([run, *scene_records(list_id, run, video, cuts, table, note=PROPOSAL)])


def kept_keys(store: Store, video_id: str, list_id: str, edges: Sequence[int]) -> list[str]:
    """Keys for the scenes between `edges`; what was written on scenes stays with the one it shows most.

    Otherwise what a person wrote on a proposal, or on the scenes of another detector, would be out of sight.
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
    """A scene list and its scenes; the last scene ends with the last frame."""
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
    """Scenes [start, next start); `keys` keeps the identity of scenes that texts hang on."""
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
    """Speech to text; skipped if it is turned off.

    What was heard as somebody chose it for this video stays until somebody chooses again.
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
            context.store.put(made)  # chosen anew: it is the newest from now on
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
    """The run whose words count, if somebody chose how it hears."""
    newest = newest_speech_run(context.store, video.id)
    run = context.store.get(Run, newest) if newest else None
    return run if run and run.params.get("chosen_for") else None


def _gaps_id(run: Run, video: Video) -> str:
    return record_id("msr", run.id, video.id, "speech_gaps")


def speech_records(run: Run, video: Video, transcript: Transcript) -> list[Record]:
    """Segments, and one measurement with language and the stretches that VAD left out."""
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
    """The scenes that count, in order; empty while there are none."""
    scene_list = store.scene_list(video_id)
    if scene_list is None:
        return []
    return store.find(Scene, scene_list_id=scene_list.id, order_by=["index"])

"""`vriptor`: training records of Vriptor. `vriptor-script`: a video's script as text.

A record is `{"video": path or paths of clips, "QA": [{"i": instruction, "q": "", "a": target}]}`, in
`vript_stage{1,2}_{single,concat}.json`. Records are drawn as in the authors' scripts
(`annotation.systems.vript.vriptor_training`): the same scripts give the same files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import get_args

from annotation.intake.names_of_videos import VideoNames
from annotation.records.clip_names import clip_id, split_clip_id
from annotation.records.ids import Json
from annotation.records.videos import Video
from annotation.systems.vript.vriptor_script import (
    ScriptScene,
    Spoken,
    lines_of_scenes,
    read_duration,
    read_script_text,
    read_voice,
    script_text,
)
from annotation.systems.vript.vriptor_training import Drawing, Stage, TrainingClip, Way
from exports.files.format_types import Batch, Output, Problem, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, Item, json_items, whole_text
from exports.files.several_files import read_files
from exports.files.write_files import safe_names
from exports.vript.clips_to_records import SYSTEM, add_video
from exports.vript.merged_clips import Given, Said, spaced
from exports.vript.script_to_export import SceneNow, ScriptNow, scripts

TRAINING, SCRIPT = "vriptor", "vriptor-script"
SUFFIX = ".txt"
MOST_TEXT = 32 << 20


def recognise_training(head: Head) -> bool:
    if head.folder:
        return any(name.startswith("vript_stage") and name.endswith(".json") for name in head.names)
    first = head.first
    return isinstance(first, dict) and "video" in first and isinstance(first.get("QA"), list)


def recognise_script(head: Head) -> bool:
    if head.folder:
        texts = all(name.endswith(SUFFIX) for name in head.names)
        return texts and any(recognise_script(head.inside(name)) for name in head.names)
    return bool(read_script_text(head.text).scenes) and head.text.lstrip().startswith("[Scene ")


# --- writing --------------------------------------------------------------------------


def write_training(wanted: Wanted) -> Iterator[Output]:
    """Write up to four files; files without records are left out."""
    drawings = [Drawing(stage, way) for stage in get_args(Stage) for way in get_args(Way)]
    for script in scripts(wanted):
        clips = [_clip(script, scene) for scene in script.scenes if _content(scene)]
        for drawing in drawings:
            drawing.add(clips)
    for drawing in sorted(drawings, key=lambda one: one.name):
        if records := drawing.records():
            yield drawing.name, [json.dumps(records, ensure_ascii=False, indent=2, allow_nan=False), "\n"]


def _clip(script: ScriptNow, scene: SceneNow) -> TrainingClip:
    path = f"{script.name}/{clip_id(script.name, scene.number)}.mp4"
    lines = tuple(Spoken(said.start_s, said.end_s, spaced(said.text)) for said in scene.said)
    return TrainingClip(
        scene.number, path, _title(scene), _content(scene), scene.duration_s, lines, scene.heard
    )


def _title(scene: SceneNow) -> str:
    return scene.fields.get("scene_title", ("",))[0]


def _content(scene: SceneNow) -> str:
    """Return the description; empty if there is none, and then no record is made."""
    return scene.fields.get("content", ("",))[0]


def write_scripts(wanted: Wanted) -> Iterator[Output]:
    """Write one text per video: every scene under its heading, also without a description."""
    found = [script for script in scripts(wanted) if script.written and script.timed]
    names = safe_names([script.name for script in found], SUFFIX)
    for name, script in zip(names, found, strict=True):
        scenes = [ScriptScene(_title(s), _content(s), s.duration_s) for s in script.scenes]
        yield name, [script_text(scenes)]


# --- reading --------------------------------------------------------------------------


def read_training(source: Source) -> Batch:
    """Read titles, descriptions, durations and voice-over of the clips in the records.

    Data of a clip in several records is taken from the shortest, which has the most exact times.
    Raises FormatError.
    """
    intake = Intake(source, TRAINING, system=SYSTEM)
    items, unread = _items(source)
    records: list[tuple[int, Item, list[tuple[str, int]], Mapping[str, Json]]] = []
    for item in items:
        clips, qa = _clips(item.value), _qa(item.value)
        if not clips or qa is None:
            intake.problem(item.where, "video has no clips or QA has no text; left out")
        else:
            records.append((len(clips), item, clips, qa))
    videos: dict[str, Given] = {}
    for _, item, clips, qa in sorted(records, key=lambda record: record[0]):
        _take(intake, videos, item.where, clips, qa)
    for given in videos.values():
        _silences(given)
        add_video(intake, given)
    return intake.batch(unread)


def _silences(given: Given) -> None:
    """Mark clips without voice-over as silent, because records are made only of clips with a transcript."""
    clips = given.clips.values()
    if any(clip.said is not None for clip in clips):
        for clip in clips:
            clip.said = clip.said or ()


def _items(source: Source) -> tuple[list[Item], list[Problem]]:
    folder = source.path.is_dir()
    paths = sorted(source.path.glob("vript_stage*.json")) if folder else [source.path]
    begin: Callable[[], list[Item]] = list
    return read_files(paths, begin, lambda items, path: items.extend(json_items(path)))


def _clips(value: Json) -> list[tuple[str, int]]:
    """Return (video id, number) of each clip; empty if a path is not a clip's."""
    video = value.get("video") if isinstance(value, dict) else None
    paths = video if isinstance(video, list) else [video]
    found = [_clip_of(path) for path in paths if isinstance(path, str)]
    clips = [one for one in found if one]
    return clips if len(clips) == len(paths) else []


def _clip_of(path: str) -> tuple[str, int] | None:
    """Split `<id>/<id>-Scene-001.mp4`, also with a slash in the id; else the last part of the path."""
    found = split_clip_id(path)
    middle = len(found[0]) // 2 if found else 0
    if found and found[0][middle] == "/" and found[0][:middle] == found[0][middle + 1 :]:
        return found[0][:middle], found[1]
    return split_clip_id(PurePosixPath(path).name)


def _qa(value: Json) -> Mapping[str, str] | None:
    qa = value.get("QA") if isinstance(value, dict) else None
    first = qa[0] if isinstance(qa, list) and qa else None
    if not isinstance(first, dict) or not isinstance(first.get("a"), str):
        return None
    return {key: text for key in ("i", "a") if isinstance(text := first.get(key, ""), str)}


def _take(
    intake: Intake,
    videos: dict[str, Given],
    where: str,
    clips: Sequence[tuple[str, int]],
    qa: Mapping[str, str],
) -> None:
    asked, target = qa.get("i", ""), qa["a"]
    voice, total = read_voice(asked), read_duration(asked)
    script = read_script_text(target.replace("\r\n", "\n"))
    if not script.scenes and len(clips) == 1:
        parts = [("", target.strip())]
        edges = [(0.0, total)] if total is not None else []
    elif len(script.scenes) == len(clips):
        parts = [(scene.title, scene.content) for scene in script.scenes]
        edges = [(scene.start_s, scene.end_s) for scene in script.scenes]
    else:
        intake.problem(where, f"{len(clips)} clips, but {len(script.scenes)} scenes; left out")
        return
    for problem in script.problems if script.scenes else ():
        intake.problem(where, problem)
    said = lines_of_scenes(voice, edges) if edges else [[] for _ in clips]
    for n, (video_id, number) in enumerate(clips):
        given = videos.setdefault(video_id, Given(video_id, where, partial=True))
        length = round(edges[n][1] - edges[n][0], 1) if edges else None
        _add_clip(intake, given, number, where, parts[n], length, said[n] if voice else None)


def _add_clip(
    intake: Intake,
    given: Given,
    number: int,
    where: str,
    words: tuple[str, str],
    length: float | None,
    lines: Sequence[Spoken] | None,
) -> None:
    """Add a clip, which may be in many records. The first texts are kept, others reported."""
    clip = given.clip(number, where)
    called = f"clip {number:03d} of {given.video_id!r}"
    for name, text in (("scene_title", words[0]), ("content", words[1])):
        kept = clip.fields.setdefault(name, (text,)) if text else clip.fields.get(name, ())
        if text and kept[0].split() != text.split():
            intake.problem(where, f"{called} has a different {name}; the first is kept")
    if not words[1]:
        intake.problem(where, f"{called} has no text")
    clip.duration_s = length if clip.duration_s is None and length and length > 0 else clip.duration_s
    if lines is not None and clip.said is None:
        last = clip.duration_s or 1e9
        clip.said = tuple(Said(min(s.start_s, last), min(s.end_s, last), s.text) for s in lines)


def read_scripts(source: Source) -> Batch:
    """Read scripts. The file name is the video's id. Raises FormatError."""
    names = _names(source)

    def read(intake: Intake, path: Path) -> None:
        script = read_script_text(whole_text(path, MOST_TEXT, "split it").replace("\r\n", "\n"))
        for problem in script.problems:
            intake.problem(path.name, problem)
        given = Given(names.get(path.stem, path.stem), path.name, partial=True)
        for number, scene in enumerate(script.scenes, 1):
            length = round(scene.end_s - scene.start_s, 1)
            _add_clip(intake, given, number, path.name, (scene.title, scene.content), length, None)
        add_video(intake, given)

    paths = sorted(source.path.glob(f"*{SUFFIX}")) if source.path.is_dir() else [source.path]
    intake, unread = read_files(paths, lambda: Intake(source, SCRIPT, system=SYSTEM), read)
    return intake.batch(unread)


def _names(source: Source) -> dict[str, str]:
    """Return names of the store's videos by the file names that exports give them."""
    if source.store is None:
        return {}
    names = VideoNames(source.store, SYSTEM)
    called = [names.name(video.id) for video in source.store.find(Video, order_by=["title", "id"])]
    return dict(zip(safe_names(sorted(called), ""), sorted(called), strict=True))

"""`vript`: the dataset's own files of a video, or a folder with files of several videos.

`<id>_caption.json` (meta, and four fields and the voice-over per clip), `<id>_asr.jsonl` (one transcript per
clip, times from the clip's start), `<id>_cut_meta.json` (positions of clips). The last file's names of times
are not published, so all usual names are accepted. Source: Vript (NeurIPS 2024), the dataset's description.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from annotation.records.allowed_values import SCRIPT_FIELDS
from annotation.records.clip_names import clip_id
from annotation.records.errors import FormatError
from annotation.records.ids import Json
from backends.text.text_length import is_unspaced
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head
from exports.files.several_files import read_files
from exports.files.write_files import json_line, safe_names
from exports.vript.clips_to_records import SYSTEM, add_video
from exports.vript.file_shapes import Reading, files_of, holds_videos, kind_of
from exports.vript.merged_clips import spaced
from exports.vript.script_to_export import SceneNow, ScriptNow, scripts

NAME = "vript"


def recognise(head: Head) -> bool:
    if head.folder:
        return holds_videos(head)
    return kind_of(head) in ("captions", "asr", "cuts")


def read(source: Source) -> Batch:
    """Read scenes, texts and speech of all videos in the file or folder. Raises FormatError."""
    paths = files_of(source.path) if source.path.is_dir() else [source.path]
    if not paths:
        raise FormatError(
            f"{source.path.name}: the folder has no *_caption.json, *_asr.jsonl or *_cut_meta.json"
        )

    def begin() -> tuple[Intake, Reading]:
        intake = Intake(source, NAME, system=SYSTEM)
        return intake, Reading(intake.problem)

    (intake, reading), unread = read_files(paths, begin, lambda begun, path: begun[1].read(path))
    for given in reading.videos.values():
        add_video(intake, given)
    return intake.batch(unread)


# --- writing --------------------------------------------------------------------------


def write(wanted: Wanted) -> Iterator[Output]:
    """Write three files per video. Cuts and transcript need times and are left out without them."""
    found = list(scripts(wanted))
    stems = safe_names([script.name for script in found], "")
    for stem, script in zip(stems, found, strict=True):
        if script.written:
            yield f"{stem}_caption.json", [_json(captions_json(script))]
        heard = [scene for scene in reversed(script.scenes) if scene.heard]
        if heard and script.timed:
            yield f"{stem}_asr.jsonl", [json_line(asr_row(script, scene)) for scene in heard]
        if script.timed:
            yield f"{stem}_cut_meta.json", [_json(cuts_json(script))]


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def captions_json(script: ScriptNow) -> dict[str, Any]:
    """Return the captions. Clips without texts are left out, as the dataset leaves out failed ones."""
    rows = caption_rows(script, transcript=script.timed)
    return {"meta": meta_json(script), "data": {row["clip_id"]: row for row in rows}}


def caption_rows(script: ScriptNow, *, transcript: bool) -> list[dict[str, Any]]:
    """Return rows of captions. With `transcript` the speech has a separate file and may be missing here."""
    return [
        caption_row(script, scene)
        for scene in script.scenes
        if scene.fields
        or (scene.said and not transcript)
        or _more(script, clip_id(script.name, scene.number))
    ]


def meta_json(script: ScriptNow) -> dict[str, Any]:
    """Return `num_clips` and `integrity` as imported if nothing has changed, else the current values."""
    about = script.video.extra.get("vript")
    given = about if isinstance(about, dict) else {}
    missing = [scene.number for scene in script.scenes if not scene.complete]
    same = given.get("missing") == missing
    count = given.get("num_clips") if same else len(script.scenes)
    whole = given.get("integrity") if same else not missing
    found: dict[str, Any] = {"video_id": script.name, "video_title": script.video.title}
    found |= {"num_clips": count} if count is not None else {}
    found |= {"integrity": whole} if whole is not None else {}
    more = given.get("meta")
    return found | (more if isinstance(more, dict) else {})


def caption_row(script: ScriptNow, scene: SceneNow) -> dict[str, Any]:
    """Return one clip. A field with several annotations is a list; a field without text is empty."""
    name = clip_id(script.name, scene.number)
    caption: dict[str, Any] = {field: _one_or_all(scene.fields.get(field, ())) for field in SCRIPT_FIELDS}
    more = _more(script, name)
    odd = more.pop("caption", None)
    row: dict[str, Any] = {
        "video_id": script.name,
        "clip_id": name,
        "video_title": script.video.title,
        "caption": caption | (odd if isinstance(odd, dict) else {}),
    }
    if scene.heard:
        row["voiceover"] = [full_text(scene).strip()]
    if scene.baseline:
        row["baseline"] = True
    return row | more


def _one_or_all(texts: Sequence[str]) -> str | list[str]:
    return list(texts) if len(texts) > 1 else texts[0] if texts else ""


def _more(script: ScriptNow, name: str) -> dict[str, Json]:
    """Return other fields of this clip in its source."""
    about = script.video.extra.get("vript")
    clips = about.get("clips") if isinstance(about, dict) else None
    found = clips.get(name) if isinstance(clips, dict) else None
    return dict(found) if isinstance(found, dict) else {}


def asr_row(script: ScriptNow, scene: SceneNow) -> dict[str, Any]:
    """Return the transcript of one clip, with keys in the dataset's order."""
    return {
        "clip_id": clip_id(script.name, scene.number),
        "duration": scene.duration_s,
        "lang": scene.language,
        "scene_text": [
            {"span": [said.start_s, said.end_s], "text": spaced(said.text)} for said in scene.said
        ],
        "full_text": full_text(scene),
    }


def full_text(scene: SceneNow) -> str:
    """Join segments with a space before and after each, as published, unless the script has no spaces."""
    return "".join(said.text if is_unspaced(said.text) else f"{spaced(said.text)} " for said in scene.said)


def cuts_json(script: ScriptNow) -> dict[str, Any]:
    """Return cuts in seconds from the start of the video; ids end in `.mp4`, as in the dataset."""
    return {
        "video_id": script.name,
        "clips": [
            {
                "clip_id": f"{clip_id(script.name, scene.number)}.mp4",
                "start_time": round(scene.start_s, 6),
                "end_time": round(scene.end_s, 6),
                "duration": scene.duration_s,
            }
            for scene in script.scenes
        ],
    }

"""Reads Vript's files, recognised by content, into one `Given` per video."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from annotation.records.clip_names import split_clip_id
from annotation.records.errors import FormatError
from annotation.records.ids import Json
from exports.files.read_text_and_json import Head, json_items, look, parse_document
from exports.vript.merged_clips import Given, Say, take_asr, take_caption, take_cut, take_meta, times_of

Kind = Literal["captions", "asr", "cuts", "flat", "meta"]
ENDINGS = ("_caption.json", "_captions.json", "_asr.jsonl", "_cut_meta.json")
"""Name endings of the files of one video."""
ABOUT = ("title", "categories", "webpage_url", "original_url", "description", "uploader", "channel", "tname")


def files_of(folder: Path) -> list[Path]:
    """Return the videos' files in a folder and below it, sorted."""
    found = (path for path in folder.rglob("*") if path.name.endswith(ENDINGS) and path.is_file())
    return sorted(path for path in found if not path.name.startswith(".") or "-" in path.name)


def holds_videos(head: Head) -> bool:
    """Return whether a folder, or one below it, contains files of videos."""
    if any(name.endswith(ENDINGS) for name in head.names):
        return True
    return (
        not head.names
        and next((p for p in head.path.rglob("*") if p.name.endswith(ENDINGS)), None) is not None
    )


def kind_of(head: Head) -> Kind | None:
    """Return the kind of file; None for any other file."""
    first = head.first
    if isinstance(first, dict):
        return _kind_of_object(first)
    if first is None and '"data"' in head.text and '"caption"' in head.text and "-Scene-" in head.text:
        return "captions"  # longer than the part that was read
    return None


def _kind_of_object(value: Mapping[str, Json]) -> Kind | None:
    name = value.get("clip_id")
    if isinstance(name, str):
        if isinstance(value.get("caption"), dict) or isinstance(value.get("content"), str):
            return "flat"
        if "scene_text" in value or "full_text" in value:
            return "asr"
        return "cuts" if times_of(value) != (None, None, None) else None
    if isinstance(value.get("data"), dict) and isinstance(value.get("meta"), dict):
        return "captions"
    clips = value.get("clips")
    if isinstance(clips, list | dict):
        rows = clips if isinstance(clips, list) else [{"clip_id": key} for key in clips]
        return (
            "cuts" if any(isinstance(r, dict) and isinstance(r.get("clip_id"), str) for r in rows) else None
        )
    parts = {key: row for key, row in value.items() if isinstance(row, dict)}
    if parts and all(split_clip_id(key) for key in parts):
        return "cuts"
    about = [row for row in parts.values() if row.keys() & set(ABOUT)]
    return "meta" if about and len(about) * 2 > len(value) else None


class Reading:
    """Collects the contents of any number of files by video."""

    def __init__(self, say: Say) -> None:
        self.say = say
        self.videos: dict[str, Given] = {}

    def given(self, video_id: str, where: str) -> Given:
        return self.videos.setdefault(video_id, Given(video_id, where))

    def read(self, path: Path) -> None:
        """Read a file of a kind that `kind_of` recognises. Raises FormatError."""
        kind = kind_of(look(path))
        if kind is None:
            raise FormatError(
                f"{path.name}: not a file of Vript (caption, asr, cut_meta, or lines of captions)"
            )
        if kind == "captions":
            self._captions(path)
        elif kind == "cuts":
            self._cuts(path)
        elif kind == "meta":
            self.meta(path)
        else:
            self._lines(path)

    def _captions(self, path: Path) -> None:
        document = parse_document(path)
        meta = document.get("meta") if isinstance(document, dict) else None
        data = document.get("data") if isinstance(document, dict) else None
        if not isinstance(meta, dict) or not isinstance(data, dict):
            raise FormatError(f'{path.name}: "meta" or "data" is missing')
        video_id = self._video_id(meta.get("video_id"), data, path)
        given = self.given(video_id, path.name)
        take_meta(given, meta, path.name, self.say)
        for key, row in data.items():
            where = f"{path.name} {key[:80]}"
            name = row.get("clip_id", key) if isinstance(row, dict) else None
            found = self._clip(name, where, of=video_id)
            if found:
                take_caption(given, found[1], row, where, self.say)

    def _video_id(self, stated: Json, data: Mapping[str, Json], path: Path) -> str:
        if isinstance(stated, str) and stated.strip():
            return stated
        ids = [found[0] for key in data if (found := split_clip_id(key))]
        if not ids:
            raise FormatError(f"{path.name}: neither meta nor the clips name the video")
        self.say(path.name, f"meta has no video_id; taken from the clips: {ids[0]!r}")
        return ids[0]

    def _lines(self, path: Path) -> None:
        """Read lines of captions, transcripts or cuts; a file may mix them."""
        for item in json_items(path):
            value = item.value if isinstance(item.value, dict) else {}
            kind = _kind_of_object(value)
            found = self._clip(value.get("clip_id"), item.where)
            if not found:
                continue
            stated = value.get("video_id") or _meta(value).get("video_id")
            if isinstance(stated, str) and stated != found[0]:
                self.say(
                    item.where,
                    f"video_id {stated!r} in a line with a clip of {found[0]!r}; the clip's id is used",
                )
            given = self.given(found[0], item.where)
            if kind == "asr":
                take_asr(given, found[1], value, item.where, self.say)
            elif kind == "cuts":
                take_cut(given, found[1], value, item.where, self.say)
            else:
                take_meta(given, _meta(value), item.where, self.say)
                take_caption(given, found[1], value, item.where, self.say)

    def _cuts(self, path: Path) -> None:
        """Read cuts: `clips` is a list of objects or an object by clip id, or the document is one."""
        for item in json_items(path):
            document = item.value if isinstance(item.value, dict) else {}
            clips = document.get("clips", document if "clip_id" not in document else [document])
            rows = (
                clips
                if isinstance(clips, list)
                else [{"clip_id": key, **row} for key, row in clips.items() if isinstance(row, dict)]
            )
            self._cut_rows(rows, item.where)

    def _cut_rows(self, rows: Iterable[Json], where: str) -> None:
        for number, row in enumerate(rows, 1):
            place = f"{where} clip {number}"
            found = self._clip(row.get("clip_id") if isinstance(row, dict) else None, place)
            if found:
                take_cut(self.given(found[0], where), found[1], row, place, self.say)

    def meta(self, path: Path) -> None:
        """Read `vript_*_meta.json`: data of the videos' web pages by video id, or one object per line."""
        for item in json_items(path):
            document = item.value if isinstance(item.value, dict) else {}
            single = document.get("video_id") if isinstance(document.get("video_id"), str) else None
            for video_id, row in {single: document}.items() if single else document.items():
                if not isinstance(row, dict) or not str(video_id).strip():
                    self.say(f"{item.where} {str(video_id)[:80]}", "not an object; left out")
                    continue
                given = self.given(str(video_id), item.where)
                given.about |= {key: value for key, value in row.items() if key != "video_id"}

    def _clip(self, name: Json, where: str, of: str = "") -> tuple[str, int] | None:
        found = split_clip_id(name) if isinstance(name, str) else None
        if found is None:
            self.say(where, f"clip_id {str(name)[:80]!r} is not <video id>-Scene-<number>; left out")
        elif of and found[0] != of:
            self.say(where, f"a clip of {found[0]!r} in a file of {of!r}; left out")
            return None
        return found


def _meta(value: Mapping[str, Json]) -> Mapping[str, Json]:
    meta = value.get("meta")
    return meta if isinstance(meta, dict) else {}

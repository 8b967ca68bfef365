"""Files of a clip to take away: everything as a zip, and the split as CaReBench metadata."""

from __future__ import annotations

import secrets
import shutil
import zipfile
from pathlib import Path

from annotation.editing.edits import Edit, OwnText, apply_edit, write_text
from annotation.records.captions_to_verdicts import Text
from annotation.systems.carebench.split_checks.finding import Side, Texts
from annotation.systems.carebench.texts_of_split import texts_of_split
from backends.errors import UsageError
from exports.catalogue import format_registry as formats
from exports.catalogue.format_registry import FORMATS
from ui.demo.clips.demo_clips import DemoClip
from ui.demo.sections.questions_section import shown_evaluation

READ_ME = "README.txt"
KEPT = 3
"""Most downloads of a clip that are kept."""


def write_zip(clip: DemoClip) -> Path:
    """Everything of the clip, with a list of the files and of what is missing."""
    home = _new_folder(clip)
    files, lines = home / "files", ["Dailies: all results of one clip", ""]
    files.mkdir()
    evaluation = shown_evaluation(clip)
    for known in FORMATS.values():
        if not (place := known.in_clip_zip):
            continue
        chosen = evaluation.id if evaluation and known.evaluation == "needed" else None
        try:
            formats.write(clip.store, known.name, files / place, evaluation_id=chosen, media=clip.media)
        except UsageError as error:
            lines.append(f"{place}: not included ({error})")
        else:
            lines.append(f"{place}: {known.what}")
    (files / READ_ME).write_text("\n".join(lines) + "\n", encoding="utf-8")
    packed = _packed(files, home / f"{_stem(clip)}.zip")
    shutil.rmtree(files)
    return packed


def write_metadata(clip: DemoClip, texts: Texts) -> Path:
    """The split as CaReBench metadata, after its texts were stored. Raises UsageError if they are empty."""
    if not any(text.strip() for text in (texts.full, texts.spatial, texts.temporal)):
        raise UsageError("all three texts are empty; write at least one of them")
    keep_split(clip, texts)
    home = _new_folder(clip)
    (file,) = formats.write(clip.store, "carebench", home / "metadata.json")
    return file


def keep_split(clip: DemoClip, texts: Texts) -> None:
    """Store the three texts as a person's, where they differ from those that count."""
    store, video, owner = clip.store, clip.video, clip.space.owner()
    sides: tuple[Side, ...] = ("full", "spatial", "temporal")
    for side in sides:
        now = texts_of_split(store, video.id)
        shown, value = now.of(side), texts.of(side)
        kind = f"carebench:{side}"
        if shown.value == value and (shown.shown is None or shown.shown.kind == kind):
            continue
        there = store.find(Text, video_id=video.id, kind=kind, person_id=owner.id)
        if there:
            current = store.current("text", there[-1].id, "value")
            apply_edit(store, owner, Edit("text", there[-1].id, "value", value, current.revision))
        elif value.strip():
            source = now.full.shown.id if side != "full" and now.full.shown else None
            write_text(store, owner, OwnText(video.id, kind, value, source_text_id=source))


def _new_folder(clip: DemoClip) -> Path:
    """A folder for a download. Older ones of the clip are removed, except those that may still be fetched."""
    place = clip.home / "downloads"
    place.mkdir(exist_ok=True)
    by_age = sorted(place.iterdir(), key=lambda one: one.stat().st_mtime_ns)
    for old in by_age[: 1 - KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    made = place / secrets.token_hex(16)
    made.mkdir()
    return made


def _stem(clip: DemoClip) -> str:
    kept = "".join(sign if sign.isalnum() else "_" for sign in clip.video.title)[:60].strip("_")
    return kept or "clip"


def _packed(folder: Path, out: Path) -> Path:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                packed.write(file, file.relative_to(folder).as_posix())
    return out

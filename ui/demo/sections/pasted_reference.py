"""A reference that a visitor pastes: five fields, or a JSON file of VDC captions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.editing.edits import Edit, OwnText, apply_edit, write_text
from annotation.records.allowed_values import VDC_ASPECTS, VdcAspect
from annotation.records.captions_to_verdicts import Text
from backends.errors import UsageError
from backends.text.storable_text import check_storable
from exports.vdc.vdc_captions import FIELDS
from ui.demo.clips.demo_clips import DemoClip

LONGEST_FILE = 1 << 20
"""Bytes of a JSON file."""
LONGEST_TEXT = 20_000
"""Characters of a field."""
EXPECTED = "expected an object with short_caption, background_caption, main_object_caption, camera_caption, "
EXPECTED += "detailed_caption"


def read_reference_file(path: Path) -> dict[str, str]:
    """The five texts of the first record of a JSON or JSON-lines file, by aspect. Raises UsageError.

    The layouts are those of `vdc-captions`: the fields in the object or under `captions`.
    """
    if path.stat().st_size > LONGEST_FILE:
        raise UsageError(f"{path.name} is larger than 1 MB; keep only the record of this clip")
    found = _first(path.read_bytes())
    nested = found.get("captions") if isinstance(found, dict) else None
    fields = nested if isinstance(nested, dict) else found
    if not isinstance(fields, dict):
        raise UsageError(f"{path.name}: {EXPECTED}")
    names: dict[str, str] = {**FIELDS, **{aspect: aspect for aspect in VDC_ASPECTS}}
    texts = {names[key]: value for key, value in fields.items() if key in names and isinstance(value, str)}
    if not any(text.strip() for text in texts.values()):
        raise UsageError(f"{path.name}: {EXPECTED}")
    check_storable(texts, path.name)
    return texts


def _first(data: bytes) -> Any:
    """The first record. Raises UsageError."""
    try:
        text = data.decode("utf-8-sig")
        try:
            found = json.loads(text)
        except json.JSONDecodeError:
            found = json.loads(text.strip().partition("\n")[0])
    except (ValueError, RecursionError) as error:
        raise UsageError(f"this file is not JSON: {error}") from None
    return found[0] if isinstance(found, list) and found else found


def keep_reference(clip: DemoClip, texts: Mapping[VdcAspect, str]) -> None:
    """Store the texts as a person's captions, in place of those stored before. Raises UsageError."""
    store, video, owner = clip.store, clip.video, clip.space.owner()
    for aspect, text in texts.items():
        if len(text) > LONGEST_TEXT:
            raise UsageError(f"the {aspect} caption has more than {LONGEST_TEXT:,} characters; shorten it")
        check_storable(text, f"the {aspect} caption")
        kind = f"vdc:{aspect}"
        there = store.find(Text, video_id=video.id, kind=kind, person_id=owner.id)
        if there:
            now = store.current("text", there[-1].id, "value")
            if now.value != text:
                apply_edit(store, owner, Edit("text", there[-1].id, "value", text, now.revision))
        elif text.strip():
            write_text(store, owner, OwnText(video.id, kind, text))

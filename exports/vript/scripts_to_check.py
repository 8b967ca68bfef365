"""Rows of `annotation.reports.script_findings` for the scripts in a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from annotation.records.captions_to_verdicts import Text
from annotation.records.videos import Alias, Measurement, Scene
from annotation.systems.vript.current_scripts import CLIP_SPEECH, KINDS
from annotation.systems.vript.script_checks import CheckedScene, check_script
from exports.files.format_types import Batch


def scripts_to_check(batch: Batch) -> Iterator[dict[str, Any]]:
    """Yield the rows; a file holds no measurements to compare with."""
    names = {r.video_id: r.alias for r in batch.records if isinstance(r, Alias)}
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    speech = {
        r.subject_id: r.value for r in batch.records if isinstance(r, Measurement) and r.kind == CLIP_SPEECH
    }
    scenes: dict[str, list[Scene]] = defaultdict(list)
    for record in batch.records:
        if isinstance(record, Text) and record.kind in KINDS:
            texts[record.subject_id].setdefault(record.kind.partition(":")[2], record.value)
        elif isinstance(record, Scene):
            scenes[record.video_id].append(record)
    for video_id, of_video in scenes.items():
        checked = [
            CheckedScene(
                number=scene.index + 1,
                texts=texts[scene.key],
                language=str(speech.get(scene.key, {}).get("language", "")),
                beyond=int(speech.get(scene.key, {}).get("beyond", 0)),
            )
            for scene in of_video
        ]
        for one in check_script(checked):
            value = texts[of_video[one.number - 1].key].get(one.aspect, "")
            yield {
                "check": one.check,
                "aspect": one.aspect,
                "video": names.get(video_id, video_id),
                "question": "",
                "why": one.why,
                "scene": one.number,
                "text": value[one.start : one.end] if one.start is not None else "",
            }

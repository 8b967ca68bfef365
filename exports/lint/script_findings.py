"""Findings in scene scripts, as `lint` prints them beside those in questions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import select

from annotation.editing.dismissed_findings import dismissals
from annotation.records.captions_to_verdicts import Text
from annotation.records.videos import Alias, Measurement, Scene
from annotation.store import tables as t
from annotation.store.store import Store
from annotation.systems.vript.current_scripts import CLIP_SPEECH, KINDS, script_findings
from annotation.systems.vript.script_checks import SCRIPT_CHECKS, CheckedScene, check_script
from exports.catalogue import format_registry as formats
from exports.files.format_types import Batch
from exports.files.video_ids import VideoNames
from exports.vript.clips_to_records import SYSTEM

SCRIPTS = frozenset(("vript", "vript-captions", "vriptor", "vriptor-script"))
"""Formats whose files are checked as scripts."""
TOGETHER = 50
"""Videos that are read at once."""


def videos_with_scripts(store: Store) -> list[str]:
    """Ids of the videos on whose scenes anything is written, in order."""
    query = select(t.text.c.video_id).where(t.text.c.kind.in_(KINDS)).distinct().order_by(t.text.c.video_id)
    with store.reading() as conn:
        return list(conn.scalars(query))


def script_rows(store: Store) -> list[dict[str, Any]]:
    """One row per finding that nobody has dismissed: `check`, `aspect`, `video`, `scene`, `why`, `text`."""
    names = VideoNames(store, SYSTEM)
    ids = videos_with_scripts(store)
    groups = (ids[at : at + TOGETHER] for at in range(0, len(ids), TOGETHER))
    return [row for group in groups for row in _rows(store, names, group)]


def _rows(store: Store, names: VideoNames, video_ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    found = script_findings(store, video_ids)
    held = dismissals(store, [one.found.id for every in found.values() for one in every])
    for video_id, every in found.items():
        for one in every:
            if one.found.id not in held:
                yield {
                    "check": one.found.check,
                    "aspect": one.aspect,
                    "video": names.name(video_id),
                    "question": "",
                    "why": one.found.why,
                    "scene": one.number,
                    "text": one.found.text,
                    "id": one.found.subject_id,
                }


def rows_of_files(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The same of files of scripts, which need not be in a workspace; nothing was measured there."""
    return [row for path in paths for row in _rows_of_batch(formats.read(path))]


def _rows_of_batch(batch: Batch) -> Iterator[dict[str, Any]]:
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


def add_scripts(report: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The report of questions with the findings in scripts; every check is named, also without any."""
    counts: dict[str, Counter[str]] = {
        check: Counter(report["counts"].get(check, {})) for check in SCRIPT_CHECKS
    }
    for row in rows:
        counts[row["check"]][row["aspect"]] += 1
    more = {check: dict(sorted(each.items())) for check, each in counts.items()}
    return {**report, "counts": report["counts"] | more, "findings": [*report["findings"], *rows]}

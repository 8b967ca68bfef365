"""Checks the questions, captions and scripts in files of any format.

A file of VDCscore questions is taken line by line: an import keeps the first of two lists of one video,
but a check of the file must see both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from annotation.checks.question_checks import Asked
from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.captions_to_verdicts import Question, Text
from annotation.records.videos import Alias, Measurement, Scene, Video
from annotation.reports.lint_report import report
from annotation.reports.script_findings import add_scripts
from annotation.reports.workspace_questions import References, aspect_of
from annotation.systems.vript.current_scripts import CLIP_SPEECH, KINDS
from annotation.systems.vript.script_checks import CheckedScene, check_script
from backends.errors import UsageError
from exports.catalogue import format_registry as formats
from exports.files.format_types import Batch
from exports.files.read_text_and_json import json_lines
from exports.vdc import vdc_qa

SCRIPTS = frozenset(("vript", "vript-captions", "vriptor", "vriptor-script"))
"""Formats whose files are checked as scripts."""


def file_report(paths: Sequence[Path], aspect: str | None = None) -> dict[str, Any]:
    """`lint_report.report` of files of questions, reference captions and scripts.

    Raises FormatError, UsageError.
    """
    scripts = [path for path in paths if formats.detect(path) in SCRIPTS]
    others = [path for path in paths if path not in scripts]
    found = report(*from_files(others, aspect)) if others else report((), {})
    return add_scripts(found, rows_of_scripts(scripts))


def from_files(paths: Sequence[Path], aspect: str | None = None) -> tuple[list[Asked], References]:
    """Everything that the files ask, and the reference captions in them. Raises FormatError, UsageError."""
    asked: list[Asked] = []
    references: References = {}
    for path in paths:
        if formats.detect(path) == vdc_qa.NAME:
            asked += _vdc_lists(path, aspect)
        else:
            found, captions = _from_batch(path)
            asked += found
            references |= captions
    if not asked:
        names = ", ".join(path.name for path in paths)
        raise UsageError(f"no questions in {names}; name files of questions (python app.py export --list)")
    return asked, references


def _vdc_lists(path: Path, aspect: str | None) -> Iterator[Asked]:
    files = [path / f"{name}.jsonl" for name in VDC_ASPECTS] if path.is_dir() else [path]
    for file in files:
        if not file.is_file():
            continue
        about = aspect or (file.stem.lower() if file.stem.lower() in VDC_ASPECTS else file.stem)
        for item in json_lines(file):
            for video, entries in item.value.items() if isinstance(item.value, dict) else ():
                yield from _entries(item.where, video, about, entries)


def _entries(where: str, video: str, aspect: str, entries: object) -> Iterator[Asked]:
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            words = {key: entry.get(key) for key in ("question", "answer", "category")}
            texts = {key: value if isinstance(value, str) else "" for key, value in words.items()}
            yield Asked(video=video, aspect=aspect, group=where, **texts)


def _from_batch(path: Path) -> tuple[list[Asked], References]:
    records = formats.read(path).records
    names = {r.id: r.title for r in records.of_kind(Video)}
    names |= {r.video_id: r.alias for r in records.of_kind(Alias)}
    asked = [_asked(r, names.get(r.video_id, r.video_id)) for r in records.of_kind(Question)]
    captions = {
        (names.get(r.video_id, r.video_id), aspect_of(r.kind)): r.value
        for r in records.of_kind(Text)
        if r.dataset_id and not r.run_id and not r.person_id
    }
    return asked, captions


def _asked(question: Question, video: str) -> Asked:
    return Asked(
        video=video,
        aspect=aspect_of(question.kind),
        question=question.text,
        answer=question.reference,
        category=question.category,
        id=question.id,
    )


def rows_of_scripts(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """`script_findings.script_rows` of files; they hold no measurements to compare with."""
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

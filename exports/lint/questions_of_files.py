"""Questions to check, out of files of any format that holds questions.

A file of VDCscore questions is taken line by line: an import keeps the first of two lists of one video,
but a check of the file must see both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from annotation.checks.question_checks import Asked
from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.captions_to_verdicts import Question, Text
from annotation.records.videos import Alias, Video
from backends.errors import UsageError
from exports.catalogue import format_registry as formats
from exports.files.read_text_and_json import json_lines
from exports.reports.workspace_questions import References, aspect_of
from exports.vdc import vdc_qa


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

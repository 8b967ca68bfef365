"""Every entry of files of VDCscore questions, for the checks.

An import keeps the first of two lists of one video, but a check of the file must see both.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation.checks.question_checks import Asked
from annotation.records.allowed_values import VDC_ASPECTS
from exports.files.read_text_and_json import json_lines


def entries_to_check(path: Path, aspect: str | None) -> Iterator[Asked]:
    """Yield the questions of a file, or of the files of a folder. Raises FormatError."""
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

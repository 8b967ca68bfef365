"""Checks the questions, captions and scripts in files of any format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotation.checks.question_checks import Asked
from annotation.records.captions_to_verdicts import Question, Text
from annotation.records.videos import Alias, Video
from annotation.reports.lint_report import report
from annotation.reports.script_findings import add_scripts
from annotation.reports.workspace_questions import References, aspect_of
from backends.errors import UsageError
from exports.catalogue import format_registry as formats


def file_report(paths: Sequence[Path], aspect: str | None = None) -> dict[str, Any]:
    """`lint_report.report` of files of questions, reference captions and scripts.

    Raises FormatError, UsageError.
    """
    known = {path: formats.FORMATS[formats.detect(path)] for path in paths}
    others = [path for path, one in known.items() if not one.scripts_to_check]
    found = report(*from_files(others, aspect)) if others else report((), {})
    rows = (one.scripts_to_check(formats.read(path)) for path, one in known.items() if one.scripts_to_check)
    return add_scripts(found, [row for of_file in rows for row in of_file])


def from_files(paths: Sequence[Path], aspect: str | None = None) -> tuple[list[Asked], References]:
    """Everything that the files ask, and the reference captions in them. Raises FormatError, UsageError."""
    asked: list[Asked] = []
    references: References = {}
    for path in paths:
        if entries := formats.FORMATS[formats.detect(path)].entries_to_check:
            asked += entries(path, aspect)
        else:
            found, captions = _from_batch(path)
            asked += found
            references |= captions
    if not asked:
        names = ", ".join(path.name for path in paths)
        raise UsageError(f"no questions in {names}; name files of questions (python app.py export --list)")
    return asked, references


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

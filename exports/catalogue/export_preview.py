"""Contents of an export before it is written: texts per video and field, with their authors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from annotation.editing.assignments import all_work
from annotation.intake.names_of_videos import VideoNames
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.texts.which_text_counts import COUNTING, CountingText, task_of
from annotation.texts.writers import Writer, writer_names
from backends.text.plural import plural
from exports.files.evaluations_and_corrections import BY_FLAG
from exports.files.format_types import Format, Wanted

LEAVE_OUT = f"leave out {BY_FLAG}"
WRITERS: Mapping[str, str] = {"person": "people", "dataset": "datasets", "run": "machines"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One field of one video."""

    count: int
    """Number of texts, or of records of an evaluation."""
    by: tuple[str, ...] = ()
    """Names of the authors."""


@dataclass(frozen=True, slots=True)
class Row:
    """One video of the file."""

    video: str
    """Name of the video."""
    cells: Mapping[str, Cell]
    """By field; empty fields are left out."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Contents of the file."""

    fields: tuple[str, ...]
    """Empty for a format whose contents are not counted by video."""
    totals: Mapping[str, str]
    """By field, the number over all videos with authors: `3 (2 by people, 1 by machines)`."""
    rows: tuple[Row, ...]
    """Sorted by name."""
    says: tuple[str, ...]
    """Sentences: the number of videos, and what is left out."""

    def as_json(self) -> dict[str, Any]:
        """Return `{"fields", "totals", "rows": [{"video", "cells": {field: {"count", "by"}}}], "says"}`."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return the lines for a terminal: the summary, then a line per video."""
        return [*self.summary(), *(f"{row.video}: {_in_a_line(row)}" for row in self.rows)]

    def summary(self) -> list[str]:
        """Return the totals and notes, without the videos."""
        return [*(f"{field}: {total}" for field, total in self.totals.items()), *self.says]


def _in_a_line(row: Row) -> str:
    cells = ((field, cell, ", ".join(cell.by)) for field, cell in row.cells.items())
    return "; ".join(f"{field} {cell.count:,}{f' by {by}' if by else ''}" for field, cell, by in cells)


def preview(known: Format, wanted: Wanted) -> Preview:
    """Return the contents of an export. Raises UsageError and NotFound as the writer does."""
    note = known.note(wanted) if known.note else ""
    says = (note,) if note else ()
    if known.texts:
        found = _of_texts(known, wanted, says)
    elif known.counts:
        found = _of_records(known.counts(wanted), VideoNames(wanted.store, known.system), says)
    else:
        return Preview((), {}, (), says)
    return found if found.rows else replace(found, says=(empty_message(known, wanted), *found.says))


def empty_message(known: Format, about: Wanted) -> str:
    """Return why an export is empty, with the alternatives."""
    optional = known.evaluation == "optional"
    if about.evaluation_id:
        way = f"; {LEAVE_OUT} to write the current texts" if optional else ""
        return f"this evaluation has no data for {known.name}{way}"
    if about.whose != COUNTING:
        return f"these authors have no texts for {known.name}; use --whose counting for the current texts"
    way = f"; to export an evaluation, name it with {BY_FLAG}" if optional else ""
    return f"there is no data for {known.name} yet{way}"


# --- texts --------------------------------------------------------------------------------


def _of_texts(known: Format, wanted: Wanted, says: tuple[str, ...]) -> Preview:
    assert known.texts is not None
    found: dict[str, dict[str, Sequence[CountingText]]] = {}
    for video_id, texts in known.texts(wanted).items():
        if fields := {field: texts[field] for field in known.fields if texts.get(field)}:
            found[video_id] = fields
    names, called = VideoNames(wanted.store, known.system), writer_names(wanted.store)
    rows = [
        Row(names.name(video_id), {field: _cell(texts, called) for field, texts in fields.items()})
        for video_id, fields in found.items()
    ]
    totals = {field: _by_writer(field, found) for field in known.fields}
    lines = (plural(len(rows), "video"), *_left_out_notes(known, wanted, found), *says)
    return Preview(tuple(known.fields), totals, _ordered(rows), lines)


def _cell(texts: Sequence[CountingText], called: Mapping[Writer, str]) -> Cell:
    by = dict.fromkeys(called.get(one.writer, one.writer.kind) for one in texts)
    return Cell(len(texts), tuple(by))


Found = Mapping[str, Mapping[str, Sequence[CountingText]]]
"""`{video id: {field: texts}}`."""


def _by_writer(field: str, found: Found) -> str:
    """`3 (2 by people, 1 by machines)`."""
    texts = [one for video in found.values() for one in video.get(field, ())]
    counts = Counter[str](one.writer.kind for one in texts)
    by = ", ".join(f"{counts[kind]:,} by {words}" for kind, words in WRITERS.items() if counts[kind])
    return f"{len(texts):,} ({by})" if texts else "none"


def _left_out_notes(known: Format, wanted: Wanted, found: Found) -> list[str]:
    """Return lines about videos that have no such text or whose assigned work is not approved."""
    others = wanted.store.count(Video) - len(found)
    lines = (
        [f"{plural(others, 'other video')} {'has' if others == 1 else 'have'} no such text"] if others else []
    )
    if known.task and wanted.values == "current":
        lines += _not_approved(known.task, wanted.store, found)
    return lines


def _not_approved(task: str, store: Store, found: Found) -> list[str]:
    """Return how many videos lack approval; [] if no such work was assigned. Later changes need approval."""
    work = [row for row in all_work(store).values() if row.task == task]
    since = {row.video_id: row.created_at for row in work if row.state == "approved"}

    def is_approved(video: str) -> bool:
        texts = [one for group in found[video].values() for one in group if task_of(one.text.kind) == task]
        return all(one.at <= since.get(video, 0.0) for one in texts)

    lacking = sum(not is_approved(video) for video in found)
    return [f"{task} not approved: {lacking:,} of {plural(len(found), 'video')}"] if work and lacking else []


# --- records of an evaluation -------------------------------------------------------------


def _of_records(counts: Mapping[str, Mapping[str, int]], names: VideoNames, says: tuple[str, ...]) -> Preview:
    """`counts`: `{video id: {field: n}}`."""
    fields = tuple(dict.fromkeys(field for row in counts.values() for field, n in row.items() if n))
    rows = [
        Row(names.name(video_id), {field: Cell(n) for field, n in row.items() if n})
        for video_id, row in counts.items()
    ]
    totals = Counter[str]()
    for row in counts.values():
        totals.update(row)
    in_all = {field: f"{totals[field]:,}" for field in fields}
    return Preview(fields, in_all, _ordered(rows), (plural(len(rows), "video"), *says))


def _ordered(rows: Iterable[Row]) -> tuple[Row, ...]:
    return tuple(sorted(rows, key=lambda row: row.video))

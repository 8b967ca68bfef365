"""All file formats, and the four operations on them: detect, read, commit and write.

`read` returns a batch without changing the store; `commit` writes the batch in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast, get_args

from annotation.records.allowed_values import VdcAspect
from annotation.records.errors import FormatError
from annotation.records.gc_pause import collector_paused
from annotation.stages.media_library import MediaLibrary
from annotation.store.import_log import ImportLog
from annotation.store.store import Store
from annotation.texts.which_text_counts import Values
from annotation.texts.whose_texts import read_whose
from backends.errors import UsageError
from backends.text.storable_text import WHAT
from exports.catalogue.export_preview import LEAVE_OUT, empty_message
from exports.catalogue.own_formats import OWN
from exports.catalogue.system_list import SYSTEMS
from exports.catalogue.table_formats import TABLES
from exports.files.evaluations_and_corrections import load_evaluation
from exports.files.format_types import Batch, Format, Output, Problem, Source, Wanted
from exports.files.read_text_and_json import look, replacing
from exports.files.write_files import write_file, write_folder

__all__ = ["FORMATS", "Batch", "Format", "Problem", "Values", "commit", "detect", "read", "write"]


FORMATS: Mapping[str, Format] = {
    f.name: f for f in (*OWN, *(one for system in SYSTEMS for one in system.formats), *TABLES)
}
"""By name. Formats with more specific features come first."""
REPLACED = f"{WHAT} cannot be stored and was replaced by U+FFFD"
EMPTY = ("", "[]", "{}")
"""Contents of a file without entries."""


def detect(path: Path) -> str:
    """Return the format of a file or folder, recognised by content, not by name.

    Raises FormatError.
    """
    head = look(path)
    for known in FORMATS.values():
        if known.recognise(head):
            return known.name
    if not head.folder and path.stat().st_size < 64 and head.text.strip("\ufeff \r\n\t") in EMPTY:
        raise FormatError(f"{path.name}: the file has no entries; check that it was written completely")
    raise FormatError(f"{path.name}: unknown format; docs/formats.md describes how formats are recognised")


def read(
    path: Path,
    store: Store | None = None,
    format: str | None = None,
    *,
    dataset: str | None = None,
    aspect: str | None = None,
    files: Sequence[Path] = (),
    place: str = "",
) -> Batch:
    """Return the contents of a file without writing to the store. Raises FormatError, UsageError.

    `files` are the files of a folder that belong together (`sort_found_files.py`); empty reads all of them.
    `store` is used to find known videos, questions and people. `dataset` names the dataset. `aspect` is the
    aspect of a question file whose name does not contain it. `place` is the path as shown to people.
    """
    known = known_format(format or detect(path))
    if known.reader is None:
        raise UsageError(f"{path.name}: {known.name} can be written but not read")
    if aspect is not None and aspect not in get_args(VdcAspect):
        raise UsageError(f"unknown aspect {aspect!r}; choose from {', '.join(get_args(VdcAspect))}")
    with collector_paused(), replacing() as places:
        batch = known.reader(Source(path, store, dataset, aspect, tuple(files), place))  # type: ignore[arg-type]  # checked above
    problems = [Problem(where, REPLACED) for where in dict.fromkeys(places)]
    batch = replace(batch, problems=(*batch.problems, *problems))
    if not batch.records and not known.recognise(look(path)):
        raise FormatError(f"{path.name}: not a {known.name} file; expected {known.looks_for}")
    return batch


def commit(store: Store, batch: Batch, log: ImportLog | None = None) -> dict[str, int]:
    """Write the whole batch or nothing. Returns the number of new records of each kind.

    `log` records what was written, so that the import can be undone. Raises FormatError if the batch
    conflicts with the store.
    """
    with collector_paused():
        return {
            k: n
            for k, n in store.restore(batch.records, batch.corrections, log, batch.taken_back).items()
            if n
        }


def wanted(
    store: Store,
    format: str,
    *,
    evaluation_id: str | None = None,
    values: str = "current",
    whose: str = "",
    media: MediaLibrary | None = None,
) -> Wanted:
    """Return the input of a writer. Raises UsageError for incompatible choices, or NotFound.

    `evaluation_id` is an id or a name. `whose` selects the texts' authors, in the syntax of `read_whose`.
    """
    known = known_format(format)
    if known.writer is None:
        raise UsageError(f"{format} can be read but not written")
    if evaluation_id and known.evaluation == "none":
        raise UsageError(f"{format} does not use an evaluation; {LEAVE_OUT}")
    if values not in get_args(Values):
        raise UsageError(f"unknown values {values!r}; choose {' or '.join(get_args(Values))}")
    if whose and known.texts is None:
        raise UsageError(f"{format} does not select texts by author; leave out --whose")
    if whose and evaluation_id:
        raise UsageError("choose an evaluation or the authors of texts, not both")
    chosen = load_evaluation(store, evaluation_id).id if evaluation_id else None
    return Wanted(store, chosen, cast(Values, values), media, read_whose(store, whose))


def write(
    store: Store,
    format: str,
    out: Path,
    *,
    evaluation_id: str | None = None,
    values: str = "current",
    whose: str = "",
    media: MediaLibrary | None = None,
) -> list[Path]:
    """Write a file or folder atomically. Returns the paths of the files.

    Arguments are those of `wanted`; without `media` no pictures are written. Raises UsageError, also if
    `out` holds files of another format or if there is nothing to write, and NotFound.
    """
    about = wanted(store, format, evaluation_id=evaluation_id, values=values, whose=whose, media=media)
    return write_wanted(about, known_format(format), out)


def write_wanted(about: Wanted, known: Format, out: Path) -> list[Path]:
    """Write a prepared export, as `write` does. Raises UsageError."""
    outputs = list(known.writer(about)) if known.writer else []
    if not outputs:
        raise UsageError(empty_message(known, about))
    return _to_disk(known, out, outputs)


def _to_disk(known: Format, out: Path, outputs: list[Output]) -> list[Path]:
    def is_ours(path: Path) -> bool:
        try:
            return known.recognise(look(path))
        except FormatError:
            return False

    alone = known.each and out.suffix.lower() == known.each and not out.is_dir()
    if alone and len(outputs) != 1:
        raise UsageError(
            f"{len(outputs)} videos need {len(outputs)} files; name a folder instead of {out.name}"
        )
    if known.suffix or alone:
        write_file(out, outputs[0][1], is_ours)
        return [out]
    return write_folder(out, outputs, is_ours)


def known_format(name: str) -> Format:
    """Return the format of that name. Raises UsageError if there is none."""
    if name not in FORMATS:
        raise UsageError(f"unknown format {name!r}; choose from {', '.join(FORMATS)}")
    return FORMATS[name]

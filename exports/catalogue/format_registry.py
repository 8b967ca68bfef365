"""Every format that files come in and go out by, and the four things to do with them.

Reading changes nothing: `read` gives a batch, `commit` writes it in one transaction.
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
from annotation.texts.which_text_counts import COUNTING, Values
from annotation.texts.whose_texts import read_whose
from backends.errors import UsageError
from backends.text.storable_text import WHAT
from exports.catalogue.carebench_formats import CAREBENCH
from exports.catalogue.frame_formats import FRAMES
from exports.catalogue.own_formats import OWN
from exports.catalogue.table_formats import TABLES
from exports.catalogue.vdc_formats import VDC
from exports.catalogue.vript_formats import VRIPT
from exports.catalogue.vript_hard_formats import VRIPT_HARD
from exports.files.evaluations_and_corrections import BY_FLAG, load_evaluation
from exports.files.format_types import Batch, Format, Output, Problem, Source, Wanted
from exports.files.read_text_and_json import look, replacing
from exports.files.write_files import write_file, write_folder

__all__ = ["FORMATS", "Batch", "Format", "Problem", "Values", "commit", "detect", "read", "write"]


FORMATS: Mapping[str, Format] = {
    f.name: f for f in (*OWN, *VDC, *CAREBENCH, *VRIPT, *VRIPT_HARD, *FRAMES, *TABLES)
}
"""By name, the most particular shapes first."""
REPLACED = f"{WHAT} cannot be stored; U+FFFD stands in its place"
LEAVE_OUT = f"leave out {BY_FLAG}"
EMPTY = ("", "[]", "{}")
"""What a file without a single entry holds."""


def detect(path: Path) -> str:
    """The format of a file or folder, detected by what is in it, not by its name.

    Raises FormatError.
    """
    head = look(path)
    for known in FORMATS.values():
        if known.recognise(head):
            return known.name
    if not head.folder and path.stat().st_size < 64 and head.text.strip("\ufeff \r\n\t") in EMPTY:
        raise FormatError(f"{path.name}: nothing in this file; was it written to the end?")
    raise FormatError(f"{path.name}: no format that is known here; docs/formats.md says how each is detected")


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
    """What the file brings; nothing is written. Raises FormatError, UsageError.

    `files` are those of a folder that belong together (`sort_found_files.py`); else all of it is read.
    `store` is where videos, questions and people are recognised. `dataset` names the dataset,
    `aspect` says what a question file is about when its name does not; `place` is its path as people know it.
    """
    known = _known(format or detect(path))
    if known.reader is None:
        raise UsageError(f"{path.name}: {known.name} can be written but not read")
    if aspect is not None and aspect not in get_args(VdcAspect):
        raise UsageError(f"no aspect {aspect!r}; choose from {', '.join(get_args(VdcAspect))}")
    with collector_paused(), replacing() as places:
        batch = known.reader(Source(path, store, dataset, aspect, tuple(files), place))  # type: ignore[arg-type]  # checked above
    problems = [Problem(where, REPLACED) for where in dict.fromkeys(places)]
    batch = replace(batch, problems=(*batch.problems, *problems))
    if not batch.records and not known.recognise(look(path)):
        raise FormatError(f"{path.name}: this is no {known.name}; looked for {known.looks_for}")
    return batch


def commit(store: Store, batch: Batch, log: ImportLog | None = None) -> dict[str, int]:
    """Write the batch, all of it or nothing. Returns how many of each kind were new.

    `log` keeps what was written, so that it can be taken back. Raises FormatError when it does not fit what
    is in the store.
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
    """What a writer is to write. Raises UsageError for choices that do not go together, NotFound.

    `evaluation_id` may be the evaluation's id or name. `whose`: whose texts, as `read_whose` takes it.
    """
    known = _known(format)
    if known.writer is None:
        raise UsageError(f"{format} can be read but not written")
    if evaluation_id and known.evaluation == "none":
        raise UsageError(f"{format} is not written from an evaluation; {LEAVE_OUT}")
    if values not in get_args(Values):
        raise UsageError(f"no values {values!r}; choose {' or '.join(get_args(Values))}")
    if whose and known.texts is None:
        raise UsageError(f"{format} does not choose among texts; leave out --whose")
    if whose and evaluation_id:
        raise UsageError("name an evaluation or say whose texts, not both")
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
    """Write a file or a folder; it appears whole or not at all. Returns the files.

    Arguments are those of `wanted`; without `media` there are no pictures. Raises UsageError, also when
    `out` holds something else, or when there is nothing to write; NotFound.
    """
    about = wanted(store, format, evaluation_id=evaluation_id, values=values, whose=whose, media=media)
    return write_wanted(about, _known(format), out)


def write_wanted(about: Wanted, known: Format, out: Path) -> list[Path]:
    """As `write`, with the choices made. Raises UsageError."""
    outputs = list(known.writer(about)) if known.writer else []
    if not outputs:
        raise UsageError(_nothing(known, about))
    return _to_disk(known, out, outputs)


def _nothing(known: Format, about: Wanted) -> str:
    """That there is nothing to write, and what else may be written."""
    optional = known.evaluation == "optional"
    if about.evaluation_id:
        way = f"; {LEAVE_OUT} to write the texts that count now" if optional else ""
        return f"this evaluation has nothing to write as {known.name}{way}"
    if about.whose != COUNTING:
        return f"these authors wrote no text for {known.name}; --whose counting writes what counts now"
    way = f"; for an evaluation's own, name it with {BY_FLAG}" if optional else ""
    return f"there is nothing to write as {known.name} yet{way}"


def _to_disk(known: Format, out: Path, outputs: list[Output]) -> list[Path]:
    def is_ours(path: Path) -> bool:
        try:
            return known.recognise(look(path))
        except FormatError:
            return False

    alone = known.each and out.suffix.lower() == known.each and not out.is_dir()
    if alone and len(outputs) != 1:
        raise UsageError(f"{len(outputs)} videos make {len(outputs)} files; name a folder, not {out.name}")
    if known.suffix or alone:
        write_file(out, outputs[0][1], is_ours)
        return [out]
    return write_folder(out, outputs, is_ours)


def _known(name: str) -> Format:
    if name not in FORMATS:
        raise UsageError(f"no format {name!r}; choose from {', '.join(FORMATS)}")
    return FORMATS[name]

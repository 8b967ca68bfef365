"""Previews and imports datasets, logs and videos found in files and folders.

`sort_found_files.py` finds the contents: datasets, logs, and video files for the videos they name. The
command line and the pages share these functions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotation.intake.attach_videos import Attached, Home
from annotation.intake.take_videos import take_videos
from annotation.records.errors import DiskFull, FormatError
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, Run
from annotation.records.videos import Alias, Dataset
from annotation.store.import_log import ImportLog
from annotation.store.import_spool import Row
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from backends.errors import DailiesError, UsageError
from exports.catalogue import format_registry
from exports.catalogue.sort_found_files import Contents, Found
from exports.files.format_types import Batch, Problem
from exports.logs.peer_log import NOT_RECORDED

LONGEST = 180
"""Longest name of an evaluation, in characters."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options chosen for an import."""

    dataset: str | None = None
    aspect: str | None = None
    names: Mapping[str, str] | None = None
    """New names of evaluations, by id; other evaluations keep the name from their log."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What one item would add to the store. Nothing is written yet."""

    found: Found
    what: str
    """Description of the format."""
    benchmarks: tuple[str, ...]
    """Names of the videos' datasets."""
    evaluations: tuple[tuple[str, str], ...]
    """Id and name."""
    known: tuple[str, ...]
    """Names of the evaluations that are already in the workspace."""
    models: Mapping[str, str]
    """By stage."""
    counts: Mapping[str, int]
    """Records by kind."""
    new: Mapping[str, int]
    """Records that are not in the workspace, by kind."""
    ids: frozenset[str]
    """Names of the videos in the files."""
    problems: tuple[Problem, ...]
    missing: tuple[str, ...]
    error: str = ""
    """Why nothing can be imported; empty if it can."""


@dataclass(frozen=True, slots=True)
class Imported:
    """Result of importing one item."""

    found: Found
    version: str
    records: Mapping[str, int]
    """New records by kind."""
    problems: tuple[Problem, ...]
    evaluations: tuple[tuple[str, str], ...]


def in_order(found: Sequence[Found]) -> list[Found]:
    """Return datasets before logs, because a log refers to questions of its dataset."""
    return sorted(found, key=lambda one: format_registry.FORMATS[one.format].bundles is not None)


def preview(store: Store, found: Found, options: Options | None = None) -> Preview:
    """Return what an item would add. If a file cannot be read, `error` holds the reason."""
    empty = Preview(
        found,
        format_registry.FORMATS[found.format].what,
        (),
        (),
        (),
        {},
        {},
        {},
        frozenset(),
        (),
        found.bundle.missing,
    )
    if not found.bundle.readable:
        return replace(empty, error="; ".join(found.bundle.missing))
    try:
        batch = _read(store, found, options or Options())
    except DailiesError as error:
        return replace(empty, error=_message_without_folder(error, found))
    records = batch.records
    evaluations = tuple((e.id, e.name) for e in records.of_kind(Evaluation))
    here = store.known(Evaluation, [key for key, _ in evaluations])
    aliases = list(records.of_kind(Alias))
    datasets = {d.id: d.name for d in records.of_kind(Dataset)}
    return replace(
        empty,
        benchmarks=tuple(sorted(set(datasets.values()))),
        evaluations=evaluations,
        known=tuple(name for key, name in evaluations if key in here),
        models={run.stage: run.model for run in records.of_kind(Run) if run.model != NOT_RECORDED},
        counts=batch.counts(),
        new=_new(store, batch),
        ids=frozenset(alias.alias for alias in aliases),
        problems=batch.problems,
    )


def import_found(store: Store, found: Found, options: Options, log: ImportLog | None = None) -> Imported:
    """Write the item, all or nothing. Raises FormatError, UsageError."""
    if not found.bundle.readable:
        raise FormatError("; ".join(found.bundle.missing))
    batch = _read(store, found, options)
    counts = format_registry.commit(store, batch, log)
    evaluations = tuple((e.id, e.name) for e in batch.records.of_kind(Evaluation))
    return Imported(found, batch.version, counts, batch.problems, evaluations)


def _read(store: Store, found: Found, options: Options) -> Batch:
    files = found.bundle.files if found.bundle.path.is_dir() else ()
    batch = format_registry.read(
        found.bundle.path,
        store,
        found.format,
        dataset=options.dataset,
        aspect=options.aspect,
        files=files,
        place=found.place,
    )
    if options.names:
        batch.records.change = _renamed(store, options.names)
    return batch


def _renamed(store: Store, names: Mapping[str, str]) -> Any:
    """Return a function that renames evaluations. Raises UsageError if a name is already used."""
    for evaluation_id, name in names.items():
        if any(e.id != evaluation_id for e in store.find(Evaluation, name=name.strip())):
            raise UsageError(f"an evaluation named {name.strip()!r} already exists; choose another name")

    def change(kind: type[Record], row: Row) -> Row:
        wanted = names.get(row["id"], "").strip() if kind is Evaluation else ""
        return {**row, "name": wanted[:LONGEST]} if wanted else row

    return change


def _new(store: Store, batch: Batch) -> dict[str, int]:
    found = {}
    for kind in batch.records.kinds():
        ids = [row["id"] for rows in batch.records.blocks(kind) for row in rows]
        if left := len(ids) - len(store.known(kind, ids)):
            found[kind.__name__] = left
    return found


def _message_without_folder(error: DailiesError, found: Found) -> str:
    return str(error).replace(f"{found.bundle.path.parent}/", "")


@dataclass(slots=True)
class Taken:
    """Result of an import."""

    imported: list[Imported] = field(default_factory=list)
    refused: list[Problem] = field(default_factory=list)
    """Files that could not be read, with the reasons."""
    errors: list[DailiesError] = field(default_factory=list)
    """The exceptions behind `refused`."""
    videos: Attached = field(default_factory=Attached)


def take_all(
    space: Workspace,
    contents: Contents,
    options: Options,
    log: ImportLog,
    *,
    leave: Collection[str] = (),
    add_rest: bool = False,
    by_hand: Mapping[Path, str] | None = None,
    home: Home,
) -> Taken:
    """Import the items except those with ids in `leave`. Unreadable files are listed in the result.

    `add_rest` adds files that match no video of the workspace as new videos. `by_hand` assigns files to
    videos, as in `attach_files`.
    """
    taken = Taken()
    with space.importing():
        for found in in_order([one for one in contents.found if one.id not in leave]):
            try:
                taken.imported.append(import_found(space.store, found, options, log))
            except DiskFull:
                raise
            except DailiesError as error:
                taken.errors.append(error)
                taken.refused.append(Problem(found.bundle.path.name, _message_without_folder(error, found)))
        taken.videos = take_videos(
            space, contents.videos, contents.packed, log, home=home, add_rest=add_rest, by_hand=by_hand
        )
    return taken

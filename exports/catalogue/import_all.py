"""Everything that was found, written: datasets, logs, and files for the videos that they name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from annotation.pipeline.attach_videos import Attached, Home, attach_files, settle_scenes
from annotation.records.errors import DiskFull
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.probe_scenes_speech import add_video, sha256_of
from annotation.store import tables as t
from annotation.store.import_rules import ImportLog
from annotation.store.store import Store
from annotation.workspace.archives import Packed
from annotation.workspace.workspace import Workspace
from backends.errors import DailiesError
from exports.catalogue.groups import Contents
from exports.catalogue.import_found import Imported, Options, import_found, in_order
from exports.files.format_types import Problem

Tell = Callable[[int, int], None]


@dataclass(slots=True)
class Taken:
    """What came of it."""

    imported: list[Imported] = field(default_factory=list)
    refused: list[Problem] = field(default_factory=list)
    """What could not be read, with the reason."""
    errors: list[DailiesError] = field(default_factory=list)
    """The same as it was raised."""
    videos: Attached = field(default_factory=Attached)
    added: list[Video] = field(default_factory=list)
    """New videos."""
    again: list[tuple[str, str]] = field(default_factory=list)
    """Files whose content is here already: (file, title of the video)."""


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
    tell: Tell = lambda *_: None,
) -> Taken:
    """Import it, but for what is to be left (ids of `Found`). What cannot be read is told, the rest goes on.

    `add_rest`: files that no video here is named like become videos of their own. `by_hand`: whose file is
    which, as `attach_files` takes it.
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
                why = str(error).replace(f"{found.bundle.path.parent}/", "")
                taken.refused.append(Problem(found.bundle.path.name, why))
        media = MediaLibrary(space.media)
        try:
            settle_scenes(space.store, media)
        finally:
            media.close()
        _videos(space, contents, log, taken, add_rest, home, tell, by_hand or {})
    return taken


def _videos(
    space: Workspace,
    contents: Contents,
    log: ImportLog,
    taken: Taken,
    add_rest: bool,
    home: Home,
    tell: Tell,
    by_hand: Mapping[Path, str],
) -> None:
    packed = {one.archive / one.name: one for one in contents.packed}
    files = [*contents.videos, *packed]
    if not files:
        return
    taken.videos = attach_files(
        space.store, space.media, files, tell, packed=packed, by_hand=by_hand, home=home, log=log
    )
    if not add_rest:
        return
    rest, taken.videos.rest = taken.videos.rest, []
    for file in rest:
        try:
            _add(space.store, space.media, file, packed.get(file), log, taken, home)
        except DiskFull:
            raise
        except DailiesError as error:
            taken.videos.problems.append((file.name, str(error).replace(f"{file.parent}/", "")))


def _add(
    store: Store, media: Path, file: Path, packed: Packed | None, log: ImportLog, taken: Taken, home: Home
) -> None:
    """A new video, or one that is here already under another title."""
    there = packed.unpack(home.passing) if packed else file
    before = store.find(Video, sha256=sha256_of(there))
    if before and before[0].path and Path(before[0].path).is_file():
        taken.again.append((file.name, before[0].title))
        return
    video = home.keep(store, add_video(store, media, there))
    if not before:
        with store.writing() as conn:
            log.added(conn, t.video, [video.id])
    taken.added.append(video)

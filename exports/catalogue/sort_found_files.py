"""Sorts files and folders into logs, datasets, videos and unreadable files.

The command line and the pages share this detection. Files that one program wrote together are read
together, even from several folders. Two runs remain two items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from annotation.intake.archives import Packed, is_archive, unpack
from annotation.intake.places_for_files import is_left_by_system
from annotation.intake.video_files import is_video
from annotation.intake.zip_checks import check_zip, is_zip
from annotation.records.errors import DiskFull, FormatError
from annotation.workspace.limit_settings import Limits
from backends.digest import digest
from backends.errors import DailiesError
from backends.text.storable_text import is_storable, mended
from backends.video.open_and_decode import why_no_video
from exports.catalogue.format_registry import FORMATS, detect
from exports.files.file_bundles import Bundle, Candidate, of_files
from exports.files.format_types import Format, Problem
from exports.files.read_text_and_json import NOT_REGULAR, look

SOUND_SUFFIXES = frozenset((".aac", ".flac", ".m4a", ".mp3", ".oga", ".ogg", ".opus", ".wav", ".wma"))
NOTHING_READABLE = (
    "no readable files; give videos, or captions, questions, annotations and logs in a format of "
    "docs/formats.md"
)
BLOBS, REFS, SNAPSHOTS = "blobs", "refs", "snapshots"
"""Folders of a repository in a Hugging Face cache. Files of a snapshot are links to blobs."""


@dataclass(frozen=True, slots=True)
class Found:
    """One thing to import, such as an evaluation or a dataset."""

    format: str
    bundle: Bundle
    place: str = ""
    """The path of the file or folder as shown to people."""

    @property
    def id(self) -> str:
        """An id that is the same for the same files in the same place."""
        return digest(self.format, sorted(map(str, self.bundle.files)))[:20]


@dataclass(frozen=True, slots=True)
class Contents:
    """Sorted contents of files and folders."""

    found: tuple[Found, ...]
    videos: tuple[Path, ...]
    packed: tuple[Packed, ...]
    """Videos in archives, unpacked only when needed."""
    unread: tuple[Problem, ...]
    """Files that do not belong to any known format, with the reasons."""


@dataclass(slots=True)
class _Heap:
    """Files that are not sorted yet."""

    roots: list[Path] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    """All folders, outer folders first."""
    files: list[Path] = field(default_factory=list)
    packed: list[Packed] = field(default_factory=list)
    unread: list[Problem] = field(default_factory=list)
    _known: set[Path] = field(default_factory=set)

    def add(self, root: Path) -> None:
        """Add a file or a folder tree, without files left by operating systems."""
        self.roots.append(root)
        self._add(root, set())

    def skip(self, file: Path, why: str) -> None:
        """Record why a file is not read."""
        self.unread.append(Problem(_shown(file, self.roots), mended(why)))

    def _add(self, path: Path, visited: set[tuple[int, int]]) -> None:
        if not is_storable(str(path)):
            self.skip(path, "the name is not UTF-8 and cannot be stored; rename it")
            return
        try:
            about = path.stat()
            if S_ISDIR(about.st_mode):
                place = about.st_dev, about.st_ino
                if place not in visited:  # links can lead to the same folder again, or to a parent folder
                    visited.add(place)
                    inside = sorted(_inside(path))
                    self.folders.append(path)
                    for one in inside:
                        self._add(one, visited)
            elif not S_ISREG(about.st_mode):
                self.skip(path, NOT_REGULAR)
            elif path not in self._known:
                self._known.add(path)
                self.files.append(path)
        except OSError as error:
            gone = isinstance(error, FileNotFoundError)
            self.skip(path, NOT_REGULAR if gone else f"{error.strerror}; check the permissions")


def contents(paths: Sequence[Path], limits: Limits, temp_dir: Path, within: Path | None = None) -> Contents:
    """Sort files and folders. Archives are unpacked into folders of `temp_dir`, without their videos.

    `within` is the upload folder, which is removed from the paths that are shown.

    Raises FormatError for a path that is missing or is neither a file nor a folder. Files below these
    paths that cannot be read are listed in `unread` without affecting others.
    """
    heap = _heap(paths)
    for number, file in enumerate(list(heap.files)):
        _open_archive(heap, file, limits, temp_dir / str(number) / file.name.partition(".")[0])
    folders = list(dict.fromkeys(heap.folders))
    for folder in folders:
        _skip_written(heap, folder)
    single = {file: Candidate(file) for file in heap.files if not is_video(file)}
    found = _bundled(single)
    alone = {file: _alone(file) for file in single}
    for folder in folders:
        found += _of_folder(folder, alone)
    for file, kind in alone.items():
        if isinstance(kind, Format):
            found.append(Found(kind.name, of_files([file])))
        else:
            heap.skip(file, kind)
    videos = tuple(file for file in heap.files if is_video(file))
    found = [replace(one, place=_place(one.bundle, temp_dir, within)) for one in found]
    if not (found or videos or heap.packed or heap.unread):
        heap.unread.append(Problem("files" if within else ", ".join(map(str, paths)), NOTHING_READABLE))
    return Contents(tuple(found), videos, tuple(heap.packed), tuple(heap.unread))


def _heap(paths: Sequence[Path]) -> _Heap:
    for path in paths:
        if not path.exists():
            raise FormatError(f"{path.name}: No such file or directory; check the path")
        if not (path.is_file() or path.is_dir()):
            raise FormatError(f"{path.name}: {NOT_REGULAR}")
    heap = _Heap()
    for path in paths:
        heap.add(path)
    return heap


def _place(bundle: Bundle, temp_dir: Path, within: Path | None) -> str:
    """Return the folder as given or within its archive; for single uploaded files, their names."""
    path = bundle.path
    if path == within:
        first = ", ".join(file.name for file in bundle.files[:2])
        return first + (f" and {len(bundle.files) - 2} more" if len(bundle.files) > 2 else "")
    if path.is_relative_to(temp_dir):
        return str(Path(*path.relative_to(temp_dir).parts[1:]))
    return str(path.relative_to(within) if within and path.is_relative_to(within) else path)


def _open_archive(heap: _Heap, file: Path, limits: Limits, home: Path) -> None:
    """Replace an archive by its contents. Archives that are unreadable or too large are listed as unread."""
    try:
        if is_archive(file):
            found = unpack(file, home, limits, lambda name: is_video(Path(name)))
            before = len(heap.files)
            heap.add(home)
            heap.packed += found.left
            shown = _shown(file, heap.roots)
            heap.unread += [
                Problem(f"{shown}/{mended(name)}" if name else shown, why) for name, why in found.unread
            ]
            if not (found.left or found.unread or len(heap.files) > before):
                raise FormatError(NOTHING_READABLE)
        elif not is_video(file) and is_zip(file):  # xlsx and npz files are zip archives
            check_zip(file, limits)
            return
        else:
            return
    except DailiesError as error:
        heap.skip(file, str(error).removeprefix(f"{file.name}: "))
    except OSError as error:
        if DiskFull.of(error):
            raise
        heap.skip(file, f"{error.strerror or error}; check the path")
    heap.files.remove(file)


def _skip_written(heap: _Heap, folder: Path) -> None:
    """List a folder in a write-only format as one unread item. Its videos are kept."""
    inside = [file for file in heap.files if file.parent == folder and not is_video(file)]
    head = look(folder) if inside else None
    for known in FORMATS.values():
        if head and not (known.suffix or known.each or known.reader) and known.recognise(head):
            heap.skip(folder, _only_written(known))
            heap.files = [file for file in heap.files if file not in inside]
            return


def _only_written(known: Format) -> str:
    return f"{known.name} can be written but not read"


def _bundled(single: dict[Path, Candidate]) -> list[Found]:
    """Find files that belong together and remove them from `single`."""
    found = []
    for known in FORMATS.values():
        for bundle in known.bundles(list(single.values())) if known.bundles else ():
            found.append(Found(known.name, bundle))
            for file in bundle.files:
                single.pop(file, None)
    return found


def _inside(folder: Path) -> Iterable[Path]:
    inside = [p for p in folder.iterdir() if not is_left_by_system(p.name)]
    if any(path.name == SNAPSHOTS for path in inside):
        return [path for path in inside if path.name not in (BLOBS, REFS)]
    return inside


def _alone(file: Path) -> Format | str:
    """Return the format of a single file, or the reason why it cannot be read."""
    if file.parent.name == BLOBS and not file.suffix:
        return (
            "a blob of a Hugging Face cache: browsers do not upload the links with the file names; on the "
            "machine with the cache run: python app.py import --videos FOLDER"
        )
    if file.suffix.lower() in SOUND_SUFFIXES and (why := why_no_video(file)):
        return why
    try:
        known = FORMATS[detect(file)]
    except FormatError as error:
        return str(error).removeprefix(f"{file.name}: ")
    return known if known.reader else _only_written(known)


def _of_folder(folder: Path, single: dict[Path, Format | str]) -> Iterator[Found]:
    """Yield the items that whole folders form, and remove their files from `single`."""
    inside = [file for file in single if file.is_relative_to(folder)]
    if not inside:
        return
    head = look(folder)
    for known in FORMATS.values():
        if known.bundles or not known.reader or not known.recognise(head):
            continue
        own = [file for file in inside if single[file] is known]
        taken = own or [file for file in inside if file.parent == folder]
        if not taken:
            continue
        yield Found(known.name, of_files(own) if len(own) == 1 else Bundle(folder, tuple(taken)))
        for file in taken:
            single.pop(file)
        return


def _shown(file: Path, paths: Sequence[Path]) -> str:
    """Return the path below the given folders, with characters that are not UTF-8 replaced for display."""
    for path in paths:
        if path.is_dir() and path in file.parents:
            return mended(str(file.relative_to(path)))
    return mended(file.name)

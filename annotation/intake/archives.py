"""Unpack zip and tar archives within limits. Videos stay packed until they are needed."""

from __future__ import annotations

import errno
import lzma
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from annotation.intake.places_for_files import free_place, is_left_by_system
from annotation.intake.zip_checks import check_sizes, check_zip, is_zip, too_many
from annotation.records.errors import DiskFull, FormatError
from annotation.workspace.limit_settings import Limits
from backends.errors import UsageError
from backends.text.storable_text import mended

ZIPS, TARS = (".zip",), (".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2")
DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    RuntimeError,
    NotImplementedError,
    ValueError,
)
DAMAGED_MEMBER = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError)
"""Errors that affect a single member of a zip archive. In a tar archive they also affect later members."""
UNUSABLE_NAME = (errno.ENAMETOOLONG, errno.EINVAL)
PADDING = 64 << 20
"""Bytes after the end mark of a tar archive that are read to verify its checksum."""


def is_archive(path: Path) -> bool:
    """Whether a file has an archive's name. Excel and NumPy files are zip files, but not archives."""
    return path.name.lower().endswith((*ZIPS, *TARS))


@dataclass(frozen=True, slots=True)
class Packed:
    """A file in an archive that was not unpacked."""

    archive: Path
    name: str
    """The member's name in the archive, with folders."""

    @property
    def place(self) -> Path:
        """The path used while it is not unpacked: below the path of the archive."""
        return self.archive / self.name

    def unpack(self, target: Path) -> Path:
        """Write the file into the folder under its own name and return its path. Raises FormatError."""
        out = target / PurePosixPath(self.name).name
        with (
            _reading(self.archive),
            _undamaged(),
            _opened(self.archive, self.name) as source,
            out.open("wb") as file,
        ):
            shutil.copyfileobj(source, file, 1 << 20)
        return out


@dataclass(slots=True)
class Unpacked:
    """The members of an archive that were not unpacked."""

    left: list[Packed] = field(default_factory=list)
    """Members left in the archive on request."""
    unread: list[tuple[str, str]] = field(default_factory=list)
    """Members that could not be unpacked: (name, why). An empty name: the rest of a damaged tar archive."""


def unpack(path: Path, into: Path, limits: Limits, leave: Callable[[str], bool]) -> Unpacked:
    """Unpack all members except those for which `leave` is true. Members that cannot be unpacked are skipped.

    A tar archive is read to its end to detect damage. Members before the damage are kept.

    Raises FormatError if nothing can be read, UsageError if the archive is too large or has a member with a
    path outside the target folder.
    """
    if path.suffix.lower() in ZIPS:
        check_zip(path, limits, leave)
    elif is_zip(path):
        raise FormatError(f"{path.name}: this is a zip archive; rename it to .zip")
    into.mkdir(parents=True)
    found, size, number = Unpacked(), 0, 0
    with _reading(path):
        try:
            for number, member in enumerate(_members(path), 1):
                if number > limits.archive_files:
                    raise too_many(path, number, int(limits.archive_files))
                if not (into / member.name).resolve().is_relative_to(into.resolve()):
                    raise UsageError(
                        f"{path.name}: the archive has a file outside its folder: {member.name!r}; "
                        "create the archive again"
                    )
                long_name = _long_name(member.name, limits)
                if leave(member.name) and not long_name:
                    found.left.append(Packed(path, member.name))
                    continue
                size += member.size
                check_sizes(path, size, limits)
                if why := long_name or _write(member, into):
                    found.unread.append((member.name, why))
        except DAMAGED_MEMBER as error:
            if not number:
                raise
            found.unread.append(("", f"damaged ({error}); files may be missing: create the archive again"))
    return found


def _long_name(name: str, limits: Limits) -> str:
    """Return the reason not to unpack a member with this name, or an empty string."""
    longest = max(len(part.encode("utf-8", "replace")) for part in name.split("/"))
    if longest <= limits.name_bytes:
        return ""
    most = f"at most {limits.name_bytes:g} are allowed"
    return f"its name has {longest} bytes, {most}; rename it in the archive"


def _write(member: _Member, into: Path) -> str:
    """Write the member into the folder. Returns why it cannot be written, or an empty string."""
    try:
        target = free_place(into, *map(mended, PurePosixPath(member.name).parts))
        target.parent.mkdir(parents=True, exist_ok=True)
        file = target.open("wb")
    except OSError as error:
        return _why_not_written(error)
    try:
        with file:
            shutil.copyfileobj(member.open(), file, 1 << 20)
    except (OSError, *DAMAGED_MEMBER) as error:
        target.unlink()
        return _why_not_written(error)
    return ""


def _why_not_written(error: Exception) -> str:
    """Return the reason in words. Raises the error if a disk is full."""
    if DiskFull.of(error):
        raise error
    if not (isinstance(error, OSError) and error.errno):  # decompressors raise an OSError without a number
        return f"damaged in the archive ({error}); create the archive again"
    return (
        f"{error.strerror}; rename it in the archive" if error.errno in UNUSABLE_NAME else f"{error.strerror}"
    )


def members(path: Path, wanted: Callable[[str], bool]) -> list[Packed]:
    """Return the members for which `wanted` is true, without unpacking them. Raises FormatError."""
    if not is_archive(path):
        raise FormatError(f"{path.name}: not an archive; use a folder, a .zip or a .tar.gz")
    with _reading(path):
        return [Packed(path, member.name) for member in _members(path) if wanted(member.name)]


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    size: int
    open: Callable[[], IO[bytes]]


def _members(path: Path) -> Iterator[_Member]:
    """Yield regular files, without system files. Links are skipped, because they can point anywhere.

    Raises one of `DAMAGED` if the archive cannot be read to its end.
    """
    for member in _plain_files(path):
        if not any(is_left_by_system(part) for part in PurePosixPath(member.name).parts if part != ".."):
            yield member


def _plain_files(path: Path) -> Iterator[_Member]:
    if path.suffix.lower() in ZIPS:
        with zipfile.ZipFile(path) as archive:
            for item in archive.infolist():
                if not item.is_dir():
                    yield _Member(item.filename, item.file_size, partial(archive.open, item))
        return
    with _undamaged(), tarfile.open(path, "r:*") as tar:
        for part in tar:
            if part.isfile():
                yield _Member(part.name, part.size, partial(_of_tar, tar, part))
        _read_to_the_end(tar)


@contextmanager
def _undamaged() -> Iterator[None]:
    """Raise TarError for damage that a decompressor reports as an OSError without a number."""
    try:
        yield
    except OSError as error:
        if error.errno:
            raise
        raise tarfile.ReadError(str(error)) from error


def _read_to_the_end(tar: tarfile.TarFile) -> None:
    """Check that the archive is complete: `tarfile` treats any unreadable header as the end.

    Raises one of `DAMAGED`.
    """
    stream = tar.fileobj
    assert stream is not None
    stream.seek(tar.offset)
    if stream.read(tarfile.BLOCKSIZE) != tarfile.NUL * tarfile.BLOCKSIZE:
        raise tarfile.ReadError("the archive is incomplete")
    for _ in range(PADDING >> 20):  # the checksum follows the padding
        if not stream.read(1 << 20):
            return


def _of_tar(tar: tarfile.TarFile, part: tarfile.TarInfo) -> IO[bytes]:
    found = tar.extractfile(part)
    if found is None:
        raise FormatError(f"{part.name}: not a file")
    return found


@contextmanager
def _opened(path: Path, name: str) -> Iterator[IO[bytes]]:
    for member in _members(path):
        if member.name == name:
            yield member.open()
            return
    raise FormatError(f"{path.name}: {name} is no longer in the archive; import the archive again")


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except DAMAGED as error:
        why = f"{path.name}: cannot be unpacked ({error}); create the archive again without a password"
        raise FormatError(why) from error

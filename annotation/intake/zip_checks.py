"""Check uploaded zip archives before they are unpacked.

The central directory at the end of a zip file lists its entries and their unpacked sizes. `zipfile` never
writes more bytes per entry than listed, so the sum limits what is written.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

from annotation.records.errors import FormatError
from annotation.workspace.limit_settings import SMALL, Limits, size
from backends.errors import UsageError

END = struct.Struct("<4s4H2LH")
"""End record of a zip file: mark, disks, entries, size and offset of the directory, length of the comment."""
END_MARK, LONGEST_COMMENT = b"PK\5\6", 1 << 16
ENTRY = 46
"""Minimum bytes of an entry of the central directory, without its name."""
FULL = 0xFFFF
INSTEAD = "import the folder with: python app.py import"


def is_zip(path: Path) -> bool:
    """Whether a file starts as a zip file, as Excel and NumPy files also do. Raises OSError."""
    with path.open("rb") as file:
        return file.read(4) in (b"PK\3\4", END_MARK)


def check_zip(path: Path, limits: Limits, leave: Callable[[str], bool] = lambda _: False) -> None:
    """Raise FormatError if the archive is incomplete, UsageError if it is larger than the limits.

    Members for which `leave` is true stay packed, and their size is not limited.
    """
    most = int(limits.archive_files)
    count, directory = _end(path)
    # The count may be wrong; the size of the directory limits it.
    if count > most or directory > most * (ENTRY + limits.name_bytes + 100):
        raise too_many(path, count, most)
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise FormatError(
            f"{path.name}: this zip archive cannot be read ({error}); create it again"
        ) from error
    if len(entries) > most:
        raise too_many(path, len(entries), most)
    check_sizes(path, sum(e.file_size for e in entries if not leave(e.filename)), limits)


def check_sizes(path: Path, whole: int, limits: Limits) -> None:
    """Raise UsageError if `whole`, the unpacked size in bytes, is larger than the limits."""
    if whole > limits.archive:
        raise UsageError(
            f"{path.name}: {size(whole)} unpacked, at most {size(limits.archive)} are allowed; {INSTEAD}"
        )
    ratio, most = whole / max(path.stat().st_size, 1), limits.archive_ratio
    if whole > SMALL and ratio > most:
        raise UsageError(
            f"{path.name}: unpacked {ratio:,.0f} times as large, at most {most:g} times is allowed; {INSTEAD}"
        )


def _end(path: Path) -> tuple[int, int]:
    """Return the number of entries and the bytes of the central directory, as stated by the archive.

    Raises FormatError.
    """
    with path.open("rb") as file:
        file.seek(max(file.seek(0, 2) - END.size - LONGEST_COMMENT, 0))
        tail = file.read()
    place = tail.rfind(END_MARK)
    if place < 0 or len(tail) - place < END.size:
        raise FormatError(f"{path.name}: not a zip archive; create it again")
    _mark, _disk, _first, _here, count, directory, _start, _comment = END.unpack_from(tail, place)
    return count, directory


def too_many(path: Path, count: int, most: int) -> UsageError:
    """Return the error for an archive with too many files."""
    # Zip files with 65,535 or more entries store the number elsewhere.
    found = f"{count:,}" if most < count < FULL else f"more than {min(most, FULL):,}"
    return UsageError(
        f"{path.name}: the archive contains {found} files, at most {most:,} are allowed; {INSTEAD}"
    )

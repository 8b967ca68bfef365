"""Archives of others: looked at before anything is unpacked.

What a zip holds stands in its central directory, at the end of the file: how many entries, and how long each
is when it is unpacked. `zipfile` gives no entry more bytes than stand there: the sum bounds what is written.
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
"""Of a zip archive: mark, disks, entries, size and place of the central directory, length of the comment."""
END_MARK, LONGEST_COMMENT = b"PK\5\6", 1 << 16
ENTRY = 46
"""Bytes that an entry of the central directory has at least, beside its name."""
FULL = 0xFFFF
INSTEAD = "import the folder with: python app.py import"


def is_zip(path: Path) -> bool:
    """By its first bytes; workbooks and arrays of NumPy are zip archives too. Raises OSError."""
    with path.open("rb") as file:
        return file.read(4) in (b"PK\3\4", END_MARK)


def check_zip(path: Path, limits: Limits, leave: Callable[[str], bool] = lambda _: False) -> None:
    """Raises FormatError for what is no whole archive, UsageError for one that holds too much.

    Members that are left in it may be as large as they like.
    """
    most = int(limits.archive_files)
    count, directory = _end(path)
    # The count may be wrong, the size of the directory bounds it.
    if count > most or directory > most * (ENTRY + limits.name_bytes + 100):
        raise too_many(path, count, most)
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise FormatError(
            f"{path.name}: not a zip archive that can be read ({error}); make it again"
        ) from error
    if len(entries) > most:
        raise too_many(path, len(entries), most)
    check_sizes(path, sum(e.file_size for e in entries if not leave(e.filename)), limits)
    for entry in entries:
        _check_name(path, entry.filename, limits)


def check_sizes(path: Path, whole: int, limits: Limits) -> None:
    """Raises UsageError for so many bytes, unpacked."""
    if whole > limits.archive:
        raise UsageError(
            f"{path.name}: {size(whole)} unpacked, at most {size(limits.archive)} are taken; {INSTEAD}"
        )
    ratio, most = whole / max(path.stat().st_size, 1), limits.archive_ratio
    if whole > SMALL and ratio > most:
        raise UsageError(
            f"{path.name}: unpacked {ratio:,.0f} times as long, at most {most:g} times is taken; {INSTEAD}"
        )


def _check_name(path: Path, name: str, limits: Limits) -> None:
    longest, most = max(len(part.encode("utf-8", "replace")) for part in name.split("/")), limits.name_bytes
    if longest > most:
        raise UsageError(
            f"{path.name}: a name in it has {longest} bytes, at most {most:g} are taken: {name[:40]}..."
        )


def _end(path: Path) -> tuple[int, int]:
    """Entries and bytes of the central directory, as the archive says. Raises FormatError."""
    with path.open("rb") as file:
        file.seek(max(file.seek(0, 2) - END.size - LONGEST_COMMENT, 0))
        tail = file.read()
    place = tail.rfind(END_MARK)
    if place < 0 or len(tail) - place < END.size:
        raise FormatError(f"{path.name}: not a zip archive; make it again")
    _mark, _disk, _first, _here, count, directory, _start, _comment = END.unpack_from(tail, place)
    return count, directory


def too_many(path: Path, count: int, most: int) -> UsageError:
    """What is said of so many files."""
    # From 65,535 on the number stands elsewhere.
    found = f"{count:,}" if most < count < FULL else f"more than {min(most, FULL):,}"
    return UsageError(f"{path.name}: the archive holds {found} files, at most {most:,} are taken; {INSTEAD}")

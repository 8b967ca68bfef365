"""Frame readers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from backends.errors import UsageError
from backends.protocols import FrameReader, PtsTable
from backends.video_and_word_types import VideoFacts

DEFAULT = "pyav"


def _pyav(path: Path, facts: VideoFacts | None, table: PtsTable | None) -> FrameReader:
    from backends.video.pyav_reader import PyavReader

    return PyavReader(path, facts, table)


def _decord(path: Path, facts: VideoFacts | None, table: PtsTable | None) -> FrameReader:
    from backends.video.decord_reader import DecordReader

    return DecordReader(path, facts, table)


READERS: Mapping[str, Callable[[Path, VideoFacts | None, PtsTable | None], FrameReader]] = {
    "pyav": _pyav,
    "decord": _decord,
}


def frame_reader(
    name: str, path: Path, facts: VideoFacts | None = None, table: PtsTable | None = None
) -> FrameReader:
    """Return a reader of `path`; pass facts and table if they are known.

    Raises UsageError for an unknown name, BackendUnavailable, MediaError.
    """
    if name not in READERS:
        raise UsageError(f"no reader {name!r}; choose from {', '.join(READERS)}")
    return READERS[name](path, facts, table)


def check_reader(name: str) -> str:
    """Describe a reader in one line. Raises UsageError, or BackendUnavailable with the command to type."""
    if name not in READERS:
        raise UsageError(f"no reader {name!r}; choose from {', '.join(READERS)}")
    if name == "decord":
        from backends.video.decord_reader import check

        return check()
    return "PyAV, in this process"

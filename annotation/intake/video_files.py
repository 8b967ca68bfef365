"""Which files are videos, by their suffixes, and what their bytes are known by."""

from __future__ import annotations

import hashlib
from pathlib import Path

from backends.errors import MediaError

VIDEO_SUFFIXES = (".mp4", ".mkv", ".webm", ".mov", ".m4v", ".avi", ".ts", ".mpg", ".mpeg")


def is_video(file: Path) -> bool:
    """By its suffix."""
    return file.suffix.lower() in VIDEO_SUFFIXES


def video_files(path: Path, *, needed: bool = True) -> list[Path]:
    """The file itself, or the videos in a folder (by suffix, sorted, not hidden).

    Raises MediaError when there is nothing, or no such file where none is `needed`.
    """
    if path.is_dir():
        found = sorted(p for p in path.rglob("*") if is_video(p) and p.name[0] != ".")
        if not found and needed:
            raise MediaError(f"{path}: no videos in this folder; give a file or another folder")
        return found
    if not path.is_file():
        raise MediaError(f"{path}: no such file")
    return [path]


def sha256_of(path: Path) -> str:
    """Of the file's bytes. Raises MediaError for a file that cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise MediaError(f"{path.name}: cannot be read ({error.strerror}); check its permissions") from error

"""Finds video files by their suffixes, and computes their hashes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from backends.errors import MediaError

VIDEO_SUFFIXES = (".mp4", ".mkv", ".webm", ".mov", ".m4v", ".avi", ".ts", ".mpg", ".mpeg")


def is_video(file: Path) -> bool:
    """Return whether the file has the suffix of a video."""
    return file.suffix.lower() in VIDEO_SUFFIXES


def video_files(path: Path, *, needed: bool = True) -> list[Path]:
    """Return the file itself, or the videos in a folder (by suffix, sorted, not hidden).

    Raises MediaError if there are none; with `needed=False` only if the path does not exist.
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
    """Return the SHA-256 of the file. Raises MediaError if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise MediaError(f"{path.name}: cannot be read ({error.strerror}); check its permissions") from error

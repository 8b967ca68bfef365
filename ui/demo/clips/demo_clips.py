"""The clips of the Demo page: each has a workspace of its own, which is deleted with its folder."""

from __future__ import annotations

import math
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock

import numpy as np

from annotation.intake.add_video import add_video
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.workspace.workspace import Workspace
from backends.errors import DailiesError, UsageError
from exports.catalogue import format_registry as formats
from exports.sample import JUDGED, SAMPLE, TITLE
from ui.demo.clips.demo_files import OwnFiles
from ui.gradio_parts.frame_player import Film, Range

EXAMPLE = "example"
"""Key of the worked example."""
WIDTH = 480
"""Width of pictures in pixels."""
CLOSED_S = 60.0
"""A browser that has lost its connection returns within these seconds."""
FASTEST = 60
"""Highest frame rate of a clip, in frames per second."""
MOST_PIXELS = 3840 * 2160


class DemoClip:
    """A clip, its results, and the pictures made of it. Thread-safe."""

    def __init__(self, home: Path, file: Path) -> None:
        """`home`: a folder whose files the owner can request; `file`: the clip, in such a folder too."""
        self.home, self.file = home, file
        self.space = Workspace(home / "workspace")
        self.media = MediaLibrary(self.space.media)
        self.store = self.space.store
        self.evaluation = ""
        """Name of the evaluation that is shown; empty: the latest."""
        self._accepted = False
        self._pictures: dict[int, str] = {}
        self._lock = Lock()

    def add(self, longest_s: float = math.inf, title: str = "") -> None:
        """Read the file. Raises MediaError; DailiesError if the clip is too long or too large."""
        _require_short(add_video(self.store, self.space.media, self.file, title=title), longest_s)
        self._accepted = True

    @property
    def video(self) -> Video:
        """Raises UsageError if the file was not read (yet), or not accepted."""
        if not self._accepted:
            raise UsageError("this clip has no results; drop another one")
        return self.store.find(Video)[0]

    def copy(self, home: Path) -> DemoClip:
        """A copy with all results, which can be changed. `home`: an existing empty folder."""
        shutil.copytree(self.home / "workspace", home / "workspace")
        made = DemoClip(home, self.file)
        made.evaluation, made._accepted = self.evaluation, self._accepted
        return made

    def pictures(self, frames: Sequence[int]) -> dict[int, str]:
        """JPEGs of these frames, under random names."""
        with self._lock:
            missing = [frame for frame in dict.fromkeys(frames) if frame not in self._pictures]
            made = self.media.thumbnails(self.video, missing, WIDTH) if missing else []
            for frame, file in zip(missing, made, strict=True):
                self._pictures[frame] = str(self.home / f"{secrets.token_hex(16)}.jpg")
                shutil.copyfile(file, self._pictures[frame])
            return {frame: self._pictures[frame] for frame in frames}

    def film(self, frame: int = 0, ranges: Sequence[Range] = ()) -> Film:
        """The clip for the player: the playable copy, if it was made."""
        table = self.media.table(self.video)
        return Film(
            self.media.copy_of(self.video) or self.file,
            frame,
            ranges,
            (table.seconds - table.seconds[0]).tolist(),
        )

    def frame_at(self, seconds: float) -> int:
        """The frame that is shown at this time; 0 is the first frame."""
        times = self.media.table(self.video).seconds
        index = int(np.searchsorted(times - times[0], seconds + 1e-6, side="right")) - 1
        return min(max(index, 0), len(times) - 1)

    def close(self) -> None:
        self.media.close()
        self.space.close()


def _require_short(video: Video, longest_s: float) -> None:
    if not (facts := video.facts):
        return
    for what, count, most in (
        ("s", facts.duration_s, longest_s),
        ("frames", facts.frames, longest_s * FASTEST),
        ("pixels", facts.width * facts.height, MOST_PIXELS),
    ):
        if count > most:
            raise DailiesError(
                f"this clip has {count:,.0f} {what}, and the demo accepts {most:,.0f}; use a smaller "
                "clip, or install Dailies, which accepts any"
            )


class DemoClips:
    """The clips of all visitors, by a random key that only the server and its session know."""

    def __init__(self, files: OwnFiles) -> None:
        self.files = files
        self._clips: dict[str, DemoClip] = {}
        self._keys: dict[str, list[str]] = {}
        """By session."""
        self._open: Counter[str] = Counter()
        """Connections of open pages, by session."""
        self._closed: dict[str, float] = {}
        """`time.monotonic()` at which the last page of a session was closed."""
        self._lock = Lock()
        if (SAMPLE / "example.jsonl").is_file():  # an installed package may lack the sample
            self._clips[EXAMPLE] = _worked_example(files)

    @property
    def has_example(self) -> bool:
        return EXAMPLE in self._clips

    @property
    def example_file(self) -> Path:
        """The clip of the worked example. Raises UsageError if there is none."""
        if not self.has_example:
            raise UsageError("choose a file first")
        return self._clips[EXAMPLE].file

    def add(self, clip: DemoClip, session: str) -> str:
        """Returns its key. The clip is deleted when the session ends, if not before."""
        key = secrets.token_hex(16)
        with self._lock:
            self._clips[key] = clip
            self._keys.setdefault(session, []).append(key)
        return key

    @contextmanager
    def open_page(self, session: str) -> Iterator[None]:
        """A page is open until the block ends. Its clips are deleted a moment after it was closed."""
        with self._lock:
            self._open[session] += 1
            self._closed.pop(session, None)
        try:
            yield
        finally:
            with self._lock:
                self._open[session] -= 1
                if not self._open[session]:
                    del self._open[session]
                    self._closed[session] = time.monotonic()

    @contextmanager
    def used(self, key: str | None) -> Iterator[DemoClip]:
        """The clip, which is kept until the block ends and for the usual time afterwards.

        Raises UsageError if it was deleted.
        """
        with ExitStack() as held:
            with self._lock:  # `sweep` must not delete it in between
                clip = self._clips.get(key or EXAMPLE)
                if clip is None or not clip.home.is_dir():
                    raise UsageError(self._gone() if key else "drop a clip first")
                held.enter_context(self.files.used(clip.home / "workspace"))
                held.enter_context(self.files.used(clip.file))
            yield clip

    def _gone(self) -> str:
        minutes = self.files.limits.demo_minutes
        return f"the results of this clip were deleted after {minutes:.0f} minutes; run it again"

    def is_own(self, key: str | None) -> bool:
        """Whether the clip is a visitor's, not the example."""
        return bool(key) and key != EXAMPLE

    def own(self, key: str | None, owner: str, session: str) -> str:
        """Key of a clip that may be changed: of a copy, if it is the example. Raises UsageError, DiskFull."""
        if key and self.is_own(key):
            return key
        with self.used("") as example:
            self.files.require_space()
            copy = example.copy(self.files.new(owner))
        return self.add(copy, session)

    def discard(self, key: str | None) -> None:
        """Delete the results of a visitor's clip, unless they are in use. The file stays."""
        with self._lock:
            clip = self._clips.get(key or EXAMPLE)
            if clip is None or key is None or not self.is_own(key) or self.files.is_used(clip.home):
                return
            del self._clips[key]
        clip.close()
        self.files.remove(clip.home)

    def sweep(self) -> None:
        """Delete the clips of closed pages, and all expired files. Clips in use stay until the next call."""
        with self._lock:
            ended = [one for one, at in self._closed.items() if at < time.monotonic() - CLOSED_S]
            left = {key for session in ended for key in self._keys.get(session, ())}
            expired = [
                key
                for key, clip in self._clips.items()
                if self.files.has_expired(clip.home) or (key in left and not self.files.is_used(clip.home))
            ]
            clips = [self._clips.pop(key) for key in expired]
            self._keys = {one: kept for one, keys in self._keys.items() if (kept := self._known(keys))}
            for session in ended:
                if session not in self._keys:
                    del self._closed[session]
            films = {clip.file for clip in self._clips.values()}  # one upload may be run again
        for clip in clips:
            clip.close()
            self.files.remove(clip.home)
            if clip.file not in films:
                self.files.remove(clip.file.parents[1])
        self.files.sweep()

    def _known(self, keys: Sequence[str]) -> list[str]:
        return [key for key in keys if key in self._clips]

    def close(self) -> None:
        with self._lock:
            for clip in self._clips.values():
                clip.close()
            self._clips.clear()


def _worked_example(files: OwnFiles) -> DemoClip:
    """The sample with all its results, which are kept with the release (`python -m sample.make_example`)."""
    clip = DemoClip(files.for_all / "example", Path(shutil.copy(SAMPLE / "clip.mp4", files.for_all)))
    clip.add(title=TITLE)
    formats.commit(clip.store, formats.read(SAMPLE / "example.jsonl", clip.store))
    clip.evaluation = JUDGED
    return clip

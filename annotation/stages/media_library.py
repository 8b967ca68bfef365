"""Pictures by frame index: for pages (thumbnails) and for models (JPEG in memory).

What a model sees and what a page shows come from the same PTS table. The cache in
`media/` can be deleted at any time; it is made anew.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock, RLock

from filelock import FileLock, Timeout

from annotation.records.errors import DiskFull
from annotation.records.videos import Video
from annotation.stages.thumbnail_queue import Made, ThumbnailQueue
from backends.errors import MediaError
from backends.protocols import FrameReader, Picture, Progress, PtsTable
from backends.video.jpeg_files import jpeg, png, write_thumbnail
from backends.video.playable_copy import make_playable
from backends.video.probe import probe
from backends.video.pts_tables import load_table, save_table
from backends.video.pyav_reader import PyavReader
from backends.video.reader_registry import DEFAULT, frame_reader

log = logging.getLogger(__name__)
THUMBNAIL_WIDTH = 192
STRIP_FRAMES = 96
"""Thumbnails that are made ahead of a video."""
PREVIEW_WIDTH = 960
MODEL_WIDTH = 768
STILL_QUALITY = 95
OPEN_READERS = 2
COPY_NAME = "playable.mp4"
LOOK_S = 0.5
"""Between two looks at whether another process is through with a video."""
REMOTE = "remote"
"""In a video's `extra`: from where its file was fetched, `{"url", "key"}`."""


class MediaLibrary:
    """Readers, tables and thumbnails of the videos of one workspace. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._readers: OrderedDict[str, tuple[PyavReader, RLock]] = OrderedDict()
        self._tables: dict[str, PtsTable] = {}
        self._files: dict[str, tuple[str | None, str | None]] = {}
        """Of which file (path, content) the readers and tables are."""
        self._lock = Lock()
        self._others = Lock()
        self._spare: tempfile.TemporaryDirectory[str] | None = None
        self._queue = ThumbnailQueue(self._thumbnails)

    def folder_of(self, video: Video) -> Path:
        folder = self.folder / video.id
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @contextmanager
    def turn(self, video: Video, wait: Callable[[], None]) -> Iterator[None]:
        """Held by the one process, of all on this folder, that works on the video.

        `wait` is called again and again meanwhile; it may raise Stopped. The system ends the turn of a
        process that is killed.
        """
        lock = FileLock(self.folder_of(video) / "turn.lock")
        held = False
        while not held:
            try:
                lock.acquire(timeout=LOOK_S)
                held = True
            except Timeout:
                wait()
            except (OSError, NotImplementedError) as error:
                log.warning("%s: no locks on this disk (%s): run a video in one process", self.folder, error)
                break
        try:
            yield
        finally:
            lock.release()

    def unfinished(self, video: Video, name: str) -> Path:
        """Where the half-done work of a stage is kept, so that the next run goes on from there."""
        return self.folder / video.id / "unfinished" / name

    def finished(self, video: Video, name: str) -> None:
        """The work is kept elsewhere now."""
        shutil.rmtree(self.unfinished(video, name), ignore_errors=True)

    def table(self, video: Video) -> PtsTable:
        """The frames of the video. Raises MediaError when there is no readable file."""
        self._renew(video)
        if (known := self._tables.get(video.id)) is not None:
            return known
        file = self.folder / video.id / "pts.npz"
        if file.exists():
            table = load_table(file)
        else:
            _facts, table = probe(path_of(video))
            with suppress(OSError):  # it is only kept for the next time
                save_table(table, self.folder_of(video) / file.name)
        self._tables[video.id] = table
        return table

    def copy_of(self, video: Video) -> Path | None:
        """The playable copy of a video that browsers do not play; None while there is none."""
        file = self.folder / video.id / COPY_NAME
        return file if file.exists() else None

    def has_copy(self, video: Video) -> bool:
        return self.copy_of(video) is not None

    def needs_copy(self, video: Video) -> bool:
        """Whether a browser cannot play the video, or stops in the middle of it, and has no copy yet."""
        facts = video.facts
        unplayable = facts is not None and (not facts.browser_playable or bool(facts.problems))
        return unplayable and not self.has_copy(video)

    def make_copy(self, video: Video, progress: Progress | None = None) -> Path:
        """Make the playable copy, with the frames and times of the table.

        Raises MediaError when it cannot be the same; `progress` may raise Stopped.
        """
        if video.facts is None:
            raise MediaError(f"{video.title}: no file; add it with: python app.py run FILE")
        file = self.folder_of(video) / COPY_NAME
        make_playable(path_of(video), video.facts, self.table(video), file, progress)
        return file

    @contextmanager
    def reader(self, video: Video) -> Iterator[PyavReader]:
        """A reader of the video, for this thread alone while the block runs."""
        while True:
            reader, lock = self._reader_of(video)
            with lock:
                # While this thread waited for its turn, another may have closed the reader.
                if self._readers.get(video.id) == (reader, lock):
                    yield reader
                    break
        self._close_idle()

    def _renew(self, video: Video) -> None:
        """Close what was opened of another file: an import was taken back, and the video has a new one."""
        file = (video.path, video.sha256)
        with self._lock:
            if self._files.setdefault(video.id, file) == file:
                return
            self._files[video.id] = file
            self._tables.pop(video.id, None)
            reader, lock = self._readers.pop(video.id, (None, RLock()))
        with lock:
            if reader is not None:
                reader.close()

    def _reader_of(self, video: Video) -> tuple[PyavReader, RLock]:
        table = self.table(video)
        with self._lock:
            if video.id not in self._readers:
                self._readers[video.id] = (PyavReader(path_of(video), video.facts, table), RLock())
            self._readers.move_to_end(video.id)
            return self._readers[video.id]

    def _close_idle(self) -> None:
        with self._lock:
            for video_id in list(self._readers)[:-OPEN_READERS]:
                reader, lock = self._readers[video_id]
                if lock.acquire(blocking=False):
                    del self._readers[video_id]
                    reader.close()
                    lock.release()

    def forget(self, video: Video) -> None:
        """Close the video's reader and delete its pictures, table and copy; all can be made again."""
        with self._lock:
            self._tables.pop(video.id, None)
            self._files.pop(video.id, None)
            reader, lock = self._readers.pop(video.id, (None, RLock()))
        with lock:
            if reader is not None:
                reader.close()
            shutil.rmtree(self.folder / video.id, ignore_errors=True)

    def end_waiting(self) -> None:
        """Nobody waits for a thumbnail any more: those that are not made yet end with MediaError."""
        self._queue.end()

    def close(self) -> None:
        self._queue.close()
        with self._lock:
            for reader, lock in self._readers.values():
                with lock:
                    reader.close()
            self._readers.clear()
            if self._spare:
                self._spare.cleanup()

    def thumbnail(self, video: Video, index: int, width: int = THUMBNAIL_WIDTH) -> Future[Path]:
        """The JPEG of frame `index` as soon as it is there; made on first use, with those beside it.

        Raises MediaError, IndexError; the future ends with MediaError where the frame cannot be decoded.
        """
        if not 0 <= index < len(self.table(video).pts):
            raise IndexError(f"frame {index} of {len(self.table(video).pts)}")
        file = self.folder / video.id / f"w{width}" / f"{index}.jpg"
        if file.exists():
            there: Future[Path] = Future()
            there.set_result(file)
            return there
        return self._queue.ask(video, index, width)

    def thumbnails(self, video: Video, indices: Sequence[int], width: int = THUMBNAIL_WIDTH) -> list[Path]:
        """The JPEGs of several frames, decoded in one go. Raises MediaError."""
        files = dict(self._thumbnails(video, sorted(set(indices)), width))
        for made in files.values():
            if isinstance(made, MediaError):
                raise made
        return [file for index in indices if isinstance(file := files[index], Path)]

    def _thumbnails(self, video: Video, indices: Sequence[int], width: int) -> Made:
        """Each as it is ready; a frame that cannot be decoded does not stop the others."""
        folder = self.folder / video.id / f"w{width}"
        missing = []
        for index in indices:
            if (file := folder / f"{index}.jpg").exists():
                yield index, file
            else:
                missing.append(index)
        if not missing:
            return
        with self.reader(video) as reader:
            for index in missing:
                try:
                    file = self._written(reader, index, width, folder / f"{index}.jpg")
                except FileNotFoundError:
                    raise MediaError(f"{video.title}: removed while its pictures were made") from None
                except MediaError as error:
                    yield index, MediaError(f"{video.title}: {error}")
                else:
                    yield index, file

    def _written(self, reader: PyavReader, index: int, width: int, file: Path) -> Path:
        """The thumbnail; where the folder cannot be written it lies elsewhere until the library is closed."""
        try:
            write_thumbnail(reader, index, width=width, file=file)
        except OSError as error:
            if not (isinstance(error, PermissionError) or DiskFull.of(error)):
                raise
            with self._lock:
                self._spare = self._spare or tempfile.TemporaryDirectory(prefix="dailies-pictures-")
            file = Path(self._spare.name) / file.relative_to(self.folder)
            write_thumbnail(reader, index, width=width, file=file)
        return file

    def still(self, video: Video, index: int, kind: str) -> bytes:
        """Frame `index` in its own size, `kind` "png" or "jpg". Raises MediaError, IndexError."""
        with self.reader(video) as reader:
            picture = reader.frame(index)
        return png(picture) if kind == "png" else jpeg(picture, STILL_QUALITY)

    def pictures(
        self, video: Video, indices: Sequence[int], width: int = MODEL_WIDTH, reader: str = DEFAULT
    ) -> list[bytes]:
        """JPEGs of frames for a model, in the order of `indices`, by the reader of that name."""
        facts = video.facts
        width = min(width, facts.width) if facts else width
        with self.reader(video) if reader == DEFAULT else self._other_reader(video, reader) as frames:
            found = {i: jpeg(picture) for i, picture in frames.frames(sorted(set(indices)), width=width)}
        return [found[index] for index in indices]

    def frames(
        self, video: Video, indices: Sequence[int], width: int, reader: str = DEFAULT
    ) -> list[Picture]:
        """Frames as RGB arrays, in the order of `indices`, by the reader of that name. Raises MediaError."""
        with self.reader(video) if reader == DEFAULT else self._other_reader(video, reader) as frames:
            found = dict(frames.frames(sorted(set(indices)), width=width))
        if lost := [index for index in indices if index not in found]:
            raise MediaError(f"{video.title}: frame {lost[0]} cannot be decoded")
        return [found[index] for index in indices]

    @contextmanager
    def _other_reader(self, video: Video, name: str) -> Iterator[FrameReader]:
        """One at a time: such a reader may take a process of its own."""
        with (
            self._others,
            closing(frame_reader(name, path_of(video), video.facts, self.table(video))) as made,
        ):
            yield made


def forget_pictures(folder: Path) -> None:
    """What was made of the file that a video had before: pictures, the playable copy, half-done work."""
    for made in (*folder.glob("w[0-9]*"), folder / "unfinished"):
        shutil.rmtree(made, ignore_errors=True)
    for made in (folder / COPY_NAME, *folder.glob("looks-*.npz")):
        made.unlink(missing_ok=True)


def path_of(video: Video) -> Path:
    """Raises MediaError when the file is not on this machine."""
    url = remote_url(video)
    if not video.path:
        how = f"press Run to fetch {url}" if url else "add it with: python app.py run FILE"
        raise MediaError(f"{video.title}: no file; {how}")
    path = Path(video.path)
    if not path.is_file():
        if url:
            raise MediaError(f"{video.title}: its file is gone from the workspace; press Run to fetch {url}")
        raise MediaError(f"{video.title}: {path} is gone; put it back or add it from where it is now")
    return path


def remote_url(video: Video) -> str:
    """From where the file was or will be fetched, without the query; empty for a file of one's own."""
    source = video.extra.get(REMOTE)
    url = source.get("url") if isinstance(source, Mapping) else None
    return url.partition("?")[0] if isinstance(url, str) else ""


def spread(count: int, most: int) -> tuple[int, ...]:
    """At most `most` indices of `count` frames, in the middle of equal stretches."""
    n = min(count, most)
    return tuple(int((i + 0.5) * count / n) for i in range(n))


def strip_of(frames: int) -> tuple[int, ...]:
    """The frames whose thumbnails are made ahead."""
    return spread(frames, STRIP_FRAMES)


def poster_of(frames: int) -> int:
    """The frame that stands for a video in lists: one a third into it whose thumbnail is made ahead."""
    strip = strip_of(frames)
    return strip[len(strip) // 3]

"""Pictures by frame index: thumbnails for pages, JPEG in memory for models.

Models and pages use the same PTS table. The cache in `media/` can be deleted at any time; it is created again
when needed.
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
"""Number of thumbnails made in advance for a video."""
PREVIEW_WIDTH = 960
MODEL_WIDTH = 768
STILL_QUALITY = 95
OPEN_READERS = 2
COPY_NAME = "playable.mp4"
POLL_S = 0.5
"""Seconds between checks whether another process has finished with a video."""
REMOTE = "remote"
"""Key in a video's `extra` for the source of its file, `{"url", "key"}`."""


class MediaLibrary:
    """Readers, tables and thumbnails of the videos of one workspace. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._readers: OrderedDict[str, tuple[PyavReader, RLock]] = OrderedDict()
        self._tables: dict[str, PtsTable] = {}
        self._files: dict[str, tuple[str | None, str | None]] = {}
        """The file (path, content) from which the readers and tables were made, by video."""
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
        """Lock the video for one process of all those that use this folder.

        `wait` is called repeatedly while another process holds the lock; it may raise Stopped. The system
        releases the lock of a killed process.
        """
        lock = FileLock(self.folder_of(video) / "turn.lock")
        held = False
        while not held:
            try:
                lock.acquire(timeout=POLL_S)
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
        """Return the folder for unfinished work of a stage, from which the next run continues."""
        return self.folder / video.id / "unfinished" / name

    def finished(self, video: Video, name: str) -> None:
        """Delete the unfinished work after its result is stored elsewhere."""
        shutil.rmtree(self.unfinished(video, name), ignore_errors=True)

    def table(self, video: Video) -> PtsTable:
        """Return the frame table of the video. Raises MediaError if there is no readable file."""
        self._renew(video)
        if (known := self._tables.get(video.id)) is not None:
            return known
        file = self.folder / video.id / "pts.npz"
        if file.exists():
            table = load_table(file)
        else:
            _facts, table = probe(path_of(video))
            with suppress(OSError):  # This cache only saves time on the next call.
                save_table(table, self.folder_of(video) / file.name)
        self._tables[video.id] = table
        return table

    def copy_of(self, video: Video) -> Path | None:
        """Return the playable copy of a video that browsers cannot play; None if it does not exist."""
        file = self.folder / video.id / COPY_NAME
        return file if file.exists() else None

    def has_copy(self, video: Video) -> bool:
        return self.copy_of(video) is not None

    def needs_copy(self, video: Video) -> bool:
        """Return whether browsers cannot play the video, or not to its end, and it has no copy yet."""
        facts = video.facts
        unplayable = facts is not None and (not facts.browser_playable or bool(facts.problems))
        return unplayable and not self.has_copy(video)

    def make_copy(self, video: Video, progress: Progress | None = None) -> Path:
        """Make the playable copy, with the frames and times of the table.

        Raises MediaError if the copy would differ; `progress` may raise Stopped.
        """
        if video.facts is None:
            raise MediaError(f"{video.title}: no file; add it with: python app.py run FILE")
        file = self.folder_of(video) / COPY_NAME
        make_playable(path_of(video), video.facts, self.table(video), file, progress)
        return file

    @contextmanager
    def reader(self, video: Video) -> Iterator[PyavReader]:
        """Lend a reader of the video to this thread while the block runs."""
        while True:
            reader, lock = self._reader_of(video)
            with lock:
                # Another thread may have closed the reader while this one waited for the lock.
                if self._readers.get(video.id) == (reader, lock):
                    yield reader
                    break
        self._close_idle()

    def _renew(self, video: Video) -> None:
        """Close readers and tables of another file: after undoing an import, the video can have a new one."""
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
        """Close the video's reader and delete its pictures, table and copy. All can be made again."""
        with self._lock:
            self._tables.pop(video.id, None)
            self._files.pop(video.id, None)
            reader, lock = self._readers.pop(video.id, (None, RLock()))
        with lock:
            if reader is not None:
                reader.close()
            shutil.rmtree(self.folder / video.id, ignore_errors=True)

    def end_waiting(self) -> None:
        """Cancel pending thumbnails: their futures end with MediaError."""
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
        """Return a future with the JPEG of frame `index`; neighbouring thumbnails are made in the same pass.

        Raises MediaError, IndexError. The future ends with MediaError if the frame cannot be decoded.
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
        """Return the JPEGs of several frames, decoded in one pass. Raises MediaError."""
        files = dict(self._thumbnails(video, sorted(set(indices)), width))
        for made in files.values():
            if isinstance(made, MediaError):
                raise made
        return [file for index in indices if isinstance(file := files[index], Path)]

    def _thumbnails(self, video: Video, indices: Sequence[int], width: int) -> Made:
        """Yield each thumbnail when it is ready. Frames that cannot be decoded do not stop the others."""
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
                    raise MediaError(f"{video.title}: removed while its thumbnails were written") from None
                except MediaError as error:
                    yield index, MediaError(f"{video.title}: {error}")
                else:
                    yield index, file

    def _written(self, reader: PyavReader, index: int, width: int, file: Path) -> Path:
        """Write the thumbnail. If its folder is read-only, use a temporary one until the library closes."""
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
        """Return frame `index` in full size; `kind` is "png" or "jpg". Raises MediaError, IndexError."""
        with self.reader(video) as reader:
            picture = reader.frame(index)
        return png(picture) if kind == "png" else jpeg(picture, STILL_QUALITY)

    def pictures(
        self, video: Video, indices: Sequence[int], width: int = MODEL_WIDTH, reader: str = DEFAULT
    ) -> list[bytes]:
        """Return JPEGs of frames for a model, in the order of `indices`, decoded by the named reader."""
        facts = video.facts
        width = min(width, facts.width) if facts else width
        with self.reader(video) if reader == DEFAULT else self._other_reader(video, reader) as frames:
            found = {i: jpeg(picture) for i, picture in frames.frames(sorted(set(indices)), width=width)}
        return [found[index] for index in indices]

    def frames(
        self, video: Video, indices: Sequence[int], width: int, reader: str = DEFAULT
    ) -> list[Picture]:
        """Return frames as RGB arrays, in the order of `indices`, decoded by the named reader. Raises
        MediaError.
        """
        with self.reader(video) if reader == DEFAULT else self._other_reader(video, reader) as frames:
            found = dict(frames.frames(sorted(set(indices)), width=width))
        if lost := [index for index in indices if index not in found]:
            raise MediaError(f"{video.title}: frame {lost[0]} cannot be decoded")
        return [found[index] for index in indices]

    @contextmanager
    def _other_reader(self, video: Video, name: str) -> Iterator[FrameReader]:
        """Open another reader. Only one is open at a time, because it may start a separate process."""
        with (
            self._others,
            closing(frame_reader(name, path_of(video), video.facts, self.table(video))) as made,
        ):
            yield made


def forget_pictures(folder: Path) -> None:
    """Delete what was made from a video's earlier file: pictures, the playable copy, unfinished work."""
    for made in (*folder.glob("w[0-9]*"), folder / "unfinished"):
        shutil.rmtree(made, ignore_errors=True)
    for made in (folder / COPY_NAME, *folder.glob("looks-*.npz")):
        made.unlink(missing_ok=True)


def path_of(video: Video) -> Path:
    """Return the path of the file. Raises MediaError if it is not on this machine."""
    url = remote_url(video)
    if not video.path:
        how = f"press Run to fetch {url}" if url else "add it with: python app.py run FILE"
        raise MediaError(f"{video.title}: no file; {how}")
    path = Path(video.path)
    if not path.is_file():
        if url:
            raise MediaError(
                f"{video.title}: its file is no longer in the workspace; press Run to fetch {url}"
            )
        raise MediaError(f"{video.title}: {path} not found; put it back, or add the file from its new place")
    return path


def remote_url(video: Video) -> str:
    """Return the URL of the source without its query; empty if the file was not fetched from a URL."""
    source = video.extra.get(REMOTE)
    url = source.get("url") if isinstance(source, Mapping) else None
    return url.partition("?")[0] if isinstance(url, str) else ""


def spread(count: int, most: int) -> tuple[int, ...]:
    """Return at most `most` indices of `count` frames: the middles of equal stretches."""
    n = min(count, most)
    return tuple(int((i + 0.5) * count / n) for i in range(n))


def strip_of(frames: int) -> tuple[int, ...]:
    """Return the frames whose thumbnails are made in advance."""
    return spread(frames, STRIP_FRAMES)


def poster_of(frames: int) -> int:
    """Return the frame shown in lists: the one a third into the video whose thumbnail is made in advance."""
    strip = strip_of(frames)
    return strip[len(strip) // 3]

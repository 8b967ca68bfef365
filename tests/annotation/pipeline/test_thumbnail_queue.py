"""Thumbnails that many ask for at once: what is ready goes out first, and decoding is bounded."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import TimeoutError
from pathlib import Path
from threading import Event, Lock

import pytest

from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.thumbnail_queue import BATCH, DECODERS, ThumbnailQueue
from backends.errors import MediaError, Stopped
from backends.video.probe import probe
from tests.backends.clips import numbered, write_clip

PATIENCE_S = 30


def video(key: str) -> Video:
    return Video(id=key, title=key, created_at=1.0)


def test_a_picture_is_given_when_it_is_ready_and_a_broken_frame_costs_itself_alone() -> None:
    first_asked, go_on = Event(), Event()

    def make(_video: Video, indices: Sequence[int], _width: int) -> Iterator[tuple[int, Path | Exception]]:
        for index in indices:
            if index == 7:
                first_asked.set()
                go_on.wait(PATIENCE_S)
            yield index, MediaError("damaged there") if index == 9 else Path(f"{index}.jpg")

    queue = ThumbnailQueue(make)
    queue.ask(video("a"), 7, 10)
    assert first_asked.wait(PATIENCE_S)
    # Those that come while a pass runs are one pass, in the order of the frames.
    later = {index: queue.ask(video("a"), index, 10) for index in (12, 9, 11)}
    assert queue.ask(video("a"), 11, 10) is later[11]
    with pytest.raises(TimeoutError):
        later[9].result(0.05)
    go_on.set()
    assert (later[11].result(PATIENCE_S), later[12].result(PATIENCE_S)) == (Path("11.jpg"), Path("12.jpg"))
    with pytest.raises(MediaError, match="damaged"):
        later[9].result(PATIENCE_S)
    queue.close()


def test_a_pass_goes_on_from_where_it_was() -> None:
    first_asked, go_on = Event(), Event()
    passes: list[list[int]] = []

    def make(_video: Video, indices: Sequence[int], _width: int) -> Iterator[tuple[int, Path | Exception]]:
        passes.append(list(indices))
        first_asked.set()
        go_on.wait(PATIENCE_S)
        yield from ((index, Path(f"{index}.jpg")) for index in indices)

    queue = ThumbnailQueue(make)
    queue.ask(video("a"), 50, 10)
    assert first_asked.wait(PATIENCE_S)
    later = [queue.ask(video("a"), index, 10) for index in (3, 60, 1, 70)]
    go_on.set()
    for future in later:
        future.result(PATIENCE_S)
    assert passes == [[50], [60, 70], [1, 3]]
    queue.close()


def test_what_fails_as_a_whole_is_told_to_all_who_wait_and_the_next_are_served() -> None:
    broken = [True]

    def make(_video: Video, indices: Sequence[int], _width: int) -> Iterator[tuple[int, Path | Exception]]:
        if broken[0]:
            raise MediaError("the file is gone")
        yield from ((index, Path(f"{index}.jpg")) for index in indices)

    queue = ThumbnailQueue(make)
    with pytest.raises(MediaError, match="gone"):
        queue.ask(video("a"), 1, 10).result(PATIENCE_S)
    broken[0] = False
    assert queue.ask(video("a"), 1, 10).result(PATIENCE_S) == Path("1.jpg")
    queue.close()


def test_so_many_videos_are_decoded_at_a_time_and_each_by_one_thread() -> None:
    lock, running, most, passes = Lock(), [], [], []

    def make(asked: Video, indices: Sequence[int], _width: int) -> Iterator[tuple[int, Path | Exception]]:
        with lock:
            assert asked.id not in running
            running.append(asked.id)
            most.append(len(running))
            passes.append((asked.id, tuple(indices)))
        time.sleep(0.005)
        with lock:
            running.remove(asked.id)
        yield from ((index, Path(f"{index}.jpg")) for index in indices)

    queue = ThumbnailQueue(make)
    asked = [queue.ask(video(f"v{n % 12}"), n, 10) for n in range(600)]
    for future in asked:
        future.result(PATIENCE_S)
    assert max(most) <= DECODERS and len(passes) < len(asked)
    assert all(len(p) <= BATCH and list(p) == sorted(p) for _, p in passes)
    queue.close()


def test_pictures_asked_for_at_once_are_those_asked_for_one_by_one(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mp4", [numbered(n) for n in range(60)])
    facts, _ = probe(clip)
    here = Video(id="vid-1", title="clip", created_at=1.0, path=str(clip), facts=facts)
    together, alone = MediaLibrary(tmp_path / "together"), MediaLibrary(tmp_path / "alone")
    asked = [together.thumbnail(here, index, 64) for index in (40, 3, 4, 59, 0, 5, 40)]
    files = [future.result(PATIENCE_S) for future in asked]
    assert [file.name for file in files] == ["40.jpg", "3.jpg", "4.jpg", "59.jpg", "0.jpg", "5.jpg", "40.jpg"]
    for file in files:
        (one,) = alone.thumbnails(here, [int(file.stem)], 64)
        assert one.read_bytes() == file.read_bytes()
    with pytest.raises(IndexError):
        together.thumbnail(here, 60, 64)
    together.close()
    alone.close()


def test_a_server_that_ends_lets_nobody_wait() -> None:
    first_asked, go_on = Event(), Event()

    def make(_video: Video, indices: Sequence[int], _width: int) -> Iterator[tuple[int, Path | Exception]]:
        for index in indices:
            first_asked.set()
            go_on.wait(PATIENCE_S)
            yield index, Path(f"{index}.jpg")

    queue = ThumbnailQueue(make)
    made = queue.ask(video("a"), 1, 10)
    assert first_asked.wait(PATIENCE_S)
    late = [queue.ask(video(key), 2, 10) for key in ("a", "b", "c", "d", "e")]
    queue.end()
    # All are told at once, though a frame is still being decoded, and so is who asks now.
    for future in (made, *late, queue.ask(video("f"), 1, 10)):
        with pytest.raises(Stopped, match="the server is stopping"):
            future.result(timeout=0)
    go_on.set()
    queue.close()

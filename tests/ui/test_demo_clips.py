"""The clips of the Demo page's visitors: whose they are, and when they are deleted."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from annotation.records.errors import DiskFull
from annotation.systems.carebench.split_checks.finding import Texts
from annotation.systems.carebench.texts_of_split import texts_of_split
from annotation.workspace.limit_settings import Limits
from backends.errors import DailiesError, UsageError
from tests.backends.clips import textured, write_clip
from ui.demo.clips import demo_clips
from ui.demo.clips.demo_clips import DemoClip, DemoClips
from ui.demo.clips.demo_files import OwnFiles
from ui.demo.sections.downloads import keep_split

LIMITS = Limits(demo_minutes=10)


@pytest.fixture
def files(tmp_path: Path) -> Iterator[OwnFiles]:
    made = OwnFiles(tmp_path, LIMITS)
    yield made
    made.close()


@pytest.fixture
def clips(files: OwnFiles) -> Iterator[DemoClips]:
    made = DemoClips(files)
    yield made
    made.close()


def uploaded(files: OwnFiles, clip: Path) -> Path:
    place = files.new("ann") / "0"
    place.mkdir()
    return Path(shutil.copy(clip, place))


def added(clips: DemoClips, file: Path, session: str = "s") -> tuple[str, DemoClip]:
    clip = DemoClip(clips.files.new("ann"), file)
    clip.add()
    return clips.add(clip, session), clip


def age(home: Path) -> None:
    """Make a folder as old as one that was not used for long."""
    long_ago = time.time() - 3600
    import os

    os.utime(home, (long_ago, long_ago))


def closed(clips: DemoClips, session: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page was closed long ago."""
    monkeypatch.setattr(demo_clips, "CLOSED_S", 0.0)
    with clips.open_page(session):
        pass
    time.sleep(0.01)


def splits(clip: DemoClip) -> Texts:
    return texts_of_split(clip.store, clip.video.id).values


def test_a_copy_of_the_example_can_be_changed_and_the_example_cannot(clips: DemoClips) -> None:
    with clips.used("") as example:
        before = splits(example)
        rows = example.store.path.read_bytes() if hasattr(example.store, "path") else b""
    first, second = (clips.own("", "ann", name) for name in ("a", "b"))
    assert first != second
    with clips.used(first) as clip:
        assert splits(clip) == before and clip.evaluation == "hand-written"
        keep_split(clip, Texts("A boat.", "A boat.", "It sails."))
        assert splits(clip) == Texts("A boat.", "A boat.", "It sails.")
    with clips.used(second) as other, clips.used(None) as example:
        assert splits(other) == splits(example) == before
        assert rows == (example.store.path.read_bytes() if rows else b"")
    assert clips.own(first, "ann", "a") == first, "a clip that is one's own already is not copied"


def test_two_visitors_copy_the_example_at_once_while_it_is_read(clips: DemoClips) -> None:
    over = threading.Event()

    def read() -> None:
        frame = 0
        while not over.is_set():
            with clips.used("") as example:
                example.pictures([frame % 900])
            frame += 7

    with ThreadPoolExecutor(9) as pool:
        reading = pool.submit(read)
        keys = [one.result() for one in [pool.submit(clips.own, "", "ann", f"{n}") for n in range(8)]]
        over.set()
        reading.result()
    assert len(set(keys)) == 8
    for key in keys:
        with clips.used(key) as clip:
            assert splits(clip).full


def test_without_space_the_example_is_not_copied(clips: DemoClips, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(clips.files.folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=1_000))
    before = sorted(clips.files.folder.iterdir())
    with pytest.raises(DiskFull, match="no space for another clip"):
        clips.own("", "ann", "s")
    assert sorted(clips.files.folder.iterdir()) == before


def test_a_clip_that_was_not_used_for_long_is_deleted(clips: DemoClips, clip: Path) -> None:
    file = uploaded(clips.files, clip)
    key, mine = added(clips, file)
    age(mine.home)
    age(file.parents[1])
    with clips.used(key):
        clips.sweep()
        assert mine.home.is_dir(), "it is in use"
    clips.sweep()
    assert mine.home.is_dir() and file.is_file(), "it was used a moment ago"
    age(mine.home)
    clips.sweep()
    assert not mine.home.exists() and not file.exists()
    with (
        pytest.raises(UsageError, match="deleted after 10 minutes; run it again"),
        clips.used(key),
    ):
        pass
    with clips.used("") as example:
        assert example.file.is_file(), "the example stays"


def test_the_file_stays_while_another_run_of_it_is_kept(clips: DemoClips, clip: Path) -> None:
    """`Run again` after a while: the first results expire, and the second ones need the file."""
    file = uploaded(clips.files, clip)
    _, first = added(clips, file)
    key, second = added(clips, file)
    age(first.home)
    clips.sweep()
    assert not first.home.exists() and second.home.is_dir()
    with clips.used(key) as kept:
        assert kept.file.is_file() and kept.pictures([60])
    age(second.home)
    age(file.parents[1])
    clips.sweep()
    assert not file.exists()


def test_a_closed_page_leaves_nothing_and_another_page_everything(
    clips: DemoClips, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = uploaded(clips.files, clip), uploaded(clips.files, clip)
    key, _ = added(clips, mine, "a")
    kept, _ = added(clips, other, "b")
    closed(clips, "a", monkeypatch)
    with clips.open_page("b"):
        clips.sweep()
    assert not mine.exists() and other.is_file()
    with pytest.raises(UsageError), clips.used(key):
        pass
    with clips.used(kept) as still:
        assert still.pictures([0])


def test_a_page_with_a_second_connection_is_open(
    clips: DemoClips, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if somebody else opens and closes a page of the same name."""
    file = uploaded(clips.files, clip)
    added(clips, file, "a")
    with clips.open_page("a"):
        closed(clips, "a", monkeypatch)
        clips.sweep()
        assert file.is_file()


def test_a_page_that_is_closed_during_a_run(
    clips: DemoClips, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run's stage reads and writes to its end; then everything is deleted."""
    file = uploaded(clips.files, clip)
    key, mine = added(clips, file, "a")
    with clips.used(key):
        closed(clips, "a", monkeypatch)
        clips.sweep()
        assert mine.pictures([80]) and splits(mine) == Texts("", "", "")
    clips.sweep()
    assert not file.exists() and not mine.home.exists()
    assert clips._keys == {} and clips._closed == {}


def test_a_file_that_is_no_clip_has_no_results(clips: DemoClips, tmp_path: Path) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_text("words")
    long = write_clip(tmp_path / "long.mp4", [textured(1)] * 100)
    for file, longest_s in ((broken, 60.0), (long, 3.0)):
        made = DemoClip(clips.files.new("ann"), uploaded(clips.files, file))
        key = clips.add(made, "s")
        with pytest.raises(DailiesError):
            made.add(longest_s)
        with (
            pytest.raises(UsageError, match="this clip has no results; drop another one"),
            clips.used(key) as one,
        ):
            one.pictures([0])


def test_an_installation_without_the_sample(
    files: OwnFiles, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(demo_clips, "SAMPLE", tmp_path / "missing")
    clips = DemoClips(files)
    assert not clips.has_example
    with pytest.raises(UsageError, match="drop a clip first"), clips.used(""):
        pass
    with pytest.raises(UsageError, match="drop a clip first"):
        clips.own("", "ann", "s")

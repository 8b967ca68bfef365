"""Contract of frame readers, on clips whose frames show their number."""

from __future__ import annotations

import os
import re
import sys
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.errors import BackendUnavailable, MediaError, UsageError
from backends.protocols import FrameReader
from backends.video import decord_reader
from backends.video.decord_reader import DecordReader
from backends.video.probe import probe
from backends.video.pyav_reader import PyavReader
from backends.video.reader_registry import READERS, check_reader, frame_reader
from tests.backends.clips import DATA, number_of, numbered, write_clip

COUNT = 40
UNEVEN = np.cumsum([1, 7, 2, 30] * (COUNT // 4)).tolist()
ORDER = [39, 0, 17, 18, 5, 38, 24]
needs_decord = pytest.mark.skipif(
    find_spec("decord") is None, reason="decord has wheels for Linux on x86-64 alone"
)
NAMES = [pytest.param(name, marks=needs_decord if name == "decord" else ()) for name in READERS]


def turned(stream: Any) -> None:
    stream.codec_context.sample_aspect_ratio = Fraction(2, 1)
    stream.set_display_rotation(90)


def closed_groups(stream: Any) -> None:
    stream.options = {"x265-params": "open-gop=0:log-level=error"}


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("clips")
    every = [numbered(i) for i in range(COUNT)]
    return {
        "even": write_clip(folder / "even.mp4", every, bframes=4),
        "uneven": write_clip(folder / "uneven.mp4", every, pts=UNEVEN, time_base=Fraction(1, 100)),
        "late": write_clip(folder / "late.mkv", every, pts=range(50, 50 + COUNT)),
        "hevc": write_clip(folder / "hevc.mp4", every, codec="libx265", prepare=closed_groups),
        "open": write_clip(folder / "open.mp4", every, codec="libx265"),
        "turned": write_clip(folder / "turned.mp4", every[:4], prepare=turned),
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["even", "uneven", "late", "hevc"])
def test_frame_i_is_frame_i(clips: dict[str, Path], name: str, kind: str) -> None:
    reader: FrameReader = frame_reader(name, clips[kind])
    assert len(reader.table.pts) == reader.facts.frames == COUNT
    got = list(reader.frames(ORDER))
    assert [(i, number_of(picture)) for i, picture in got] == [(i, i) for i in sorted(ORDER)]
    assert number_of(reader.frame(11)) == 11
    reader.close()


@pytest.mark.parametrize("name", NAMES)
def test_pictures_are_as_displayed(clips: dict[str, Path], name: str) -> None:
    reader = frame_reader(name, clips["turned"], *probe(clips["turned"]))
    whole, small = reader.frame(0), reader.frame(1, width=48)
    assert whole.shape == (320, 96, 3) and small.shape == (160, 48, 3)
    for picture in (whole, small):
        assert picture.dtype == np.uint8 and picture.flags.c_contiguous and picture.flags.writeable
    with PyavReader(clips["turned"]) as other:
        assert np.abs(whole.astype(int) - other.frame(0)).mean() < 4
    reader.close()


@pytest.mark.parametrize("name", NAMES)
def test_beyond_the_table_and_after_the_end(clips: dict[str, Path], name: str) -> None:
    reader = frame_reader(name, clips["even"])
    for index in (-1, COUNT):
        with pytest.raises(IndexError):
            reader.frame(index)
    with pytest.raises(ValueError, match="wide"):
        reader.frame(0, width=0)
    reader.close()
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        reader.frame(0)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_video_is_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(MediaError, match="no such file") as caught:
        frame_reader(name, tmp_path / "none.mp4")
    assert "\n" not in str(caught.value)


def test_names() -> None:
    assert check_reader("pyav")
    for ask in (check_reader, lambda name: frame_reader(name, Path("a.mp4"))):
        with pytest.raises(UsageError, match="choose from pyav, decord"):
            ask("opencv")


# --- decord alone ---------------------------------------------------------------------


def test_without_decord_the_command_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "decord", None)  # as if it were not installed
    for ask in (check_reader, lambda name: frame_reader(name, tmp_path / "a.mp4")):
        with pytest.raises(BackendUnavailable, match=r"pip install -r requirements\.txt"):
            ask("decord")


@needs_decord
def test_files_whose_frames_it_numbers_otherwise_are_refused(clips: dict[str, Path]) -> None:
    facts, table = probe(clips["even"])
    _, uneven = probe(clips["uneven"])
    short = type(table)(table.pts[:-1], table.keyframes, table.time_base, table.start_s, table.end_s)
    for wrong, words in ((short, "finds 40 frames instead of 39"), (uneven, "reports other frame times")):
        with (
            DecordReader(clips["even"], facts, wrong) as reader,
            pytest.raises(MediaError, match=words) as caught,
        ):
            reader.frame(9)
        assert "use the reader pyav" in str(caught.value) and "\n" not in str(caught.value)


@needs_decord
def test_open_groups_of_pictures_are_refused(clips: dict[str, Path]) -> None:
    # decord returns the picture of frame 26 as frame 24 here, without an error.
    with (
        DecordReader(clips["open"]) as reader,
        pytest.raises(MediaError, match="groups of pictures are open"),
    ):
        reader.frame(24)
    with PyavReader(clips["open"]) as other:
        assert number_of(other.frame(24)) == 24


@needs_decord
def test_a_batch_that_takes_too_long_is_ended(clips: dict[str, Path]) -> None:
    before = children()
    with DecordReader(clips["even"], limit_s=0.01) as reader, pytest.raises(MediaError, match=r"in 0\.01 s"):
        reader.frame(0)
    assert children() == before


@needs_decord
def test_no_process_is_left_after_a_batch(clips: dict[str, Path]) -> None:
    with DecordReader(clips["even"]) as reader:
        reader.frame(3)
        before = children()
        assert [number_of(picture) for _, picture in reader.frames(range(COUNT))] == list(range(COUNT))
        assert children() == before


def children() -> set[str]:
    """Child processes, except those that `multiprocessing` keeps."""
    listed = Path(f"/proc/self/task/{os.getpid()}/children")
    if not listed.exists():
        pytest.skip("no list of processes beside /proc/self/task")
    found = set()
    for process in listed.read_text().split():
        command = Path(f"/proc/{process}/cmdline")
        if command.exists() and b"spawn_main" in command.read_bytes():
            found.add(process)
    return found


@needs_decord
@pytest.mark.skipif(not DATA.is_dir(), reason="the real videos are not beside this checkout")
@pytest.mark.parametrize(
    "name, words",
    [
        ("odd_editlist.mp4", "finds 132 frames instead of 99"),
        ("odd_av1.mp4", "cannot read it"),
        ("nasa_320p.mp4", "finds 390 frames"),
        ("odd_truncated_faststart.mp4", "decord"),
    ],
)
def test_real_files_that_decord_gets_wrong(name: str, words: str) -> None:
    with DecordReader(DATA / name) as reader, pytest.raises(MediaError, match=words) as caught:
        reader.frame(20)
    assert "\n" not in str(caught.value)


def test_the_command_that_is_named_exists() -> None:
    (named,) = re.findall(r"pip install -r ([\w.-]+\.txt)", decord_reader.INSTALL)
    file = Path(__file__).resolve().parents[2] / named
    assert "\ndecord==" in file.read_text(encoding="utf-8")

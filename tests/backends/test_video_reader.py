"""Frame i is frame i: by number, in any order, with the player's rotation and aspect ratio."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.errors import MediaError
from backends.protocols import PtsTable
from backends.video import pyav_reader
from backends.video.open_and_decode import decoded
from backends.video.probe import probe
from backends.video.pyav_reader import PyavReader
from tests.backends.clips import number_of, numbered, real_videos, write_clip

ORDER = [0, 39, 17, 18, 19, 30, 5, 5, 38, 12, 11, 24, 25, 1, 36]


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same 40 numbered frames in files that are difficult in different ways."""
    folder = tmp_path_factory.mktemp("clips")
    uneven = np.cumsum([1, 7, 2, 30] * 10).tolist()
    every = [numbered(i) for i in range(40)]
    return {
        "b_frames": write_clip(folder / "b.mp4", every, bframes=4),
        "one_keyframe": write_clip(folder / "long.mp4", every, keyint=500),
        "only_keyframes": write_clip(folder / "intra.mp4", every, keyint=1, bframes=0),
        "uneven": write_clip(folder / "v.mp4", every, pts=uneven, time_base=Fraction(1, 100)),
        "late": write_clip(folder / "late.mkv", every, pts=range(50, 90)),
        "stream": write_clip(folder / "a.ts", every),
        "vp8": write_clip(folder / "a.webm", every, codec="libvpx"),
        "avi": write_clip(folder / "a.avi", every, codec="mpeg4"),
    }


KINDS = ["b_frames", "one_keyframe", "only_keyframes", "uneven", "late", "stream", "vp8", "avi"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_frame_is_the_one_asked_for(clips: dict[str, Path], kind: str) -> None:
    with PyavReader(clips[kind]) as reader:
        assert len(reader.table.pts) == 40
        in_order = {i: picture for i, picture in reader.frames(range(40))}
        assert [number_of(picture) for picture in in_order.values()] == list(range(40))
        for index in ORDER:
            assert np.array_equal(reader.frame(index), in_order[index]), index
    with PyavReader(clips[kind]) as fresh:
        assert number_of(fresh.frame(29)) == 29


def test_frames_come_ascending_and_once(clips: dict[str, Path]) -> None:
    with PyavReader(clips["b_frames"]) as reader:
        got = [(i, number_of(picture)) for i, picture in reader.frames([30, 2, 30, 11])]
    assert got == [(2, 2), (11, 11), (30, 30)]


def test_what_no_frame_is_made_from_is_left_out_on_the_way(
    clips: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer frames are decoded, and the requested one is identical."""
    came = []

    def counted(*given: Any) -> Iterator[Any]:
        for frame in decoded(*given):
            came.append(frame.pts)
            yield frame

    monkeypatch.setattr(pyav_reader, "decoded", counted)
    with PyavReader(clips["one_keyframe"]) as reader, PyavReader(clips["one_keyframe"]) as whole:
        far = reader.frame(31)
        left_out = set(reader.table.pts[:31].tolist()) - set(came)
        assert len(left_out) > 8
        came.clear()
        assert np.array_equal(far, dict(whole.frames(range(40)))[31])
        assert len(came) == 40


def test_picture_is_plain_and_scales_with_its_aspect(clips: dict[str, Path]) -> None:
    with PyavReader(clips["b_frames"]) as reader:
        picture, small = reader.frame(3), reader.frame(3, width=80)
        assert picture.shape == (96, 160, 3) and picture.dtype == np.uint8
        assert picture.flags.c_contiguous
        assert small.shape == (48, 80, 3) and number_of(small) == 3
        assert np.abs(picture.astype(int) - numbered(3)).mean() < 4
        with pytest.raises(ValueError, match="wide"):
            reader.frame(3, width=0)


def _corner(picture: np.ndarray) -> str:
    """Name of the bright corner."""
    h, w = picture.shape[0] // 4, picture.shape[1] // 4
    corners = {
        "top left": picture[:h, :w],
        "top right": picture[:h, -w:],
        "bottom left": picture[-h:, :w],
        "bottom right": picture[-h:, -w:],
    }
    return max(corners, key=lambda name: corners[name].mean())


@pytest.mark.parametrize(
    "turn, corner", [(0, "top left"), (-90, "top right"), (180, "bottom right"), (90, "bottom left")]
)
def test_rotation_is_applied(tmp_path: Path, turn: int, corner: str) -> None:
    marked = np.full((96, 160, 3), 30, np.uint8)
    marked[:24, :40] = 220
    clip = write_clip(tmp_path / "r.mp4", [marked] * 3, prepare=lambda s: s.set_display_rotation(turn))
    with PyavReader(clip) as reader:
        picture = reader.frame(1)
        assert picture.shape == (reader.facts.height, reader.facts.width, 3)
        assert _corner(picture) == corner
        assert reader.frame(1, width=48).shape[1] == 48


def test_pixels_become_square_and_then_turn(tmp_path: Path) -> None:
    def prepare(stream: object) -> None:
        stream.codec_context.sample_aspect_ratio = Fraction(2, 1)  # type: ignore[attr-defined]
        stream.set_display_rotation(90)  # type: ignore[attr-defined]

    clip = write_clip(tmp_path / "s.mp4", [numbered(0)] * 3, prepare=prepare)
    with PyavReader(clip) as reader:
        assert reader.frame(0).shape == (320, 96, 3)
        assert reader.frame(2, width=48).shape == (160, 48, 3)


RED_601, RED_709 = (81, 90, 240), (63, 102, 240)


def _flat(height: int, colour: tuple[int, int, int]) -> np.ndarray:
    """A 4:2:0 picture with its planes in sequence: (height * 3 / 2, 64)."""
    luma = np.full((height, 64), colour[0], np.uint8)
    chroma = np.concatenate([np.full(height * 16, value, np.uint8) for value in colour[1:]])
    return np.concatenate([luma, chroma.reshape(-1, 64)])


@pytest.mark.parametrize("codec", ["libx264", "libvpx"])
@pytest.mark.parametrize("height, colour", [(96, RED_601), (720, RED_709)])
def test_colours_are_what_a_browser_makes_of_them(
    tmp_path: Path, height: int, colour: tuple[int, int, int], codec: str
) -> None:
    path = tmp_path / ("a.mp4" if codec == "libx264" else "a.webm")
    clip = write_clip(path, [_flat(height, colour)] * 3, codec=codec, pixels="yuv420p")
    with PyavReader(clip) as reader:
        picture = reader.frame(1).astype(int)
    assert np.abs(picture - (255, 0, 0)).max() <= 3


def test_grey_is_not_darkened(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "g.mp4", [_flat(96, (126, 128, 128))] * 3, pixels="yuv420p")
    with PyavReader(clip) as reader:
        assert abs(reader.frame(1).mean() - 128.08) < 0.6
        assert abs(reader.frame(1, width=32).mean() - 128.08) < 0.6


def test_beyond_the_table_is_an_index_error(clips: dict[str, Path]) -> None:
    with PyavReader(clips["b_frames"]) as reader:
        for index in (-1, 40):
            with pytest.raises(IndexError):
                reader.frame(index)


def test_a_frame_that_is_not_there_is_never_replaced(clips: dict[str, Path]) -> None:
    facts, table = probe(clips["b_frames"])
    more = np.sort(np.append(table.pts, table.pts[20] + 1))
    promised = dataclasses.replace(table, pts=more)
    with PyavReader(clips["b_frames"], facts, promised) as reader:
        with pytest.raises(MediaError, match=r"frame 21 .* cannot be decoded") as caught:
            reader.frame(21)
        assert "\n" not in str(caught.value)
        assert number_of(reader.frame(20)) == 20
        assert number_of(reader.frame(22)) == 21


def test_cut_off_file_gives_all_frames_of_its_table(tmp_path: Path) -> None:
    whole = write_clip(tmp_path / "a.mp4", map(numbered, range(60)), muxer={"movflags": "faststart"})
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(whole.read_bytes()[: int(whole.stat().st_size * 0.7)])
    with PyavReader(cut) as reader:
        count = len(reader.table.pts)
        assert [number_of(p) for _, p in reader.frames(range(count))] == list(range(count))


def test_closed_reader_and_changed_file(clips: dict[str, Path], tmp_path: Path) -> None:
    reader = PyavReader(clips["b_frames"])
    reader.close()
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        reader.frame(0)
    empty = tmp_path / "empty.mp4"
    empty.touch()
    with pytest.raises(MediaError, match="empty"):
        PyavReader(empty, reader.facts, reader.table)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no /proc/self/fd on this system")
def test_no_descriptor_is_left_open(clips: dict[str, Path]) -> None:
    facts, table = probe(clips["stream"])
    hopeless = PtsTable(table.pts + 1, table.keyframes, table.time_base, table.start_s, table.end_s)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(10):
        with PyavReader(clips["stream"], facts, hopeless) as reader, pytest.raises(MediaError):
            reader.frame(30)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def readable() -> list[Path]:
    unreadable = {"empty", "text", "no_moov", "truncated_60pct", "audio_only", "jfk"}
    return [path for path in real_videos() if path.stem.removeprefix("odd_") not in unreadable]


@pytest.mark.skipif(not real_videos(), reason="the real videos are not beside this checkout")
@pytest.mark.parametrize("path", readable(), ids=lambda path: path.name)
def test_real_files_random_is_sequential(path: Path) -> None:
    rng = random.Random(path.name)
    with PyavReader(path) as reader:
        count = len(reader.table.pts)
        in_order = dict(reader.frames(range(count), width=64))
        assert len(in_order) == count
        if "corrupt" in path.name:
            return  # after damage, a picture depends on where decoding began
        for index in [rng.randrange(count) for _ in range(8)]:
            assert np.array_equal(reader.frame(index, width=64), in_order[index]), index


def test_real_set_has_readable_files() -> None:
    if not real_videos():
        pytest.skip("the real videos are not beside this checkout")
    assert len(readable()) >= 20

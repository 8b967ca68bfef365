"""A playable copy shows frame i at the table's time, with aligned sound."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from backends.errors import MediaError, Stopped
from backends.protocols import PtsTable
from backends.video.audio import RATE
from backends.video.playable_copy import make_playable
from backends.video.probe import probe
from backends.video.pyav_reader import PyavReader
from tests.backends.clips import DATA, number_of, numbered, write_clip
from tests.backends.sound import read_sound

COUNT = 40
UNEVEN = np.cumsum([1, 7, 2, 30] * 10).tolist()
EVERY = [numbered(i) for i in range(COUNT)]


def ten_bit(stream: Any) -> None:
    stream.pix_fmt = "yuv420p10le"


def hevc(folder: Path, name: str = "a.mp4", **more: Any) -> Path:
    return write_clip(folder / name, EVERY, codec="libx265", **more)


MAKERS = {
    "hevc": lambda folder: hevc(folder),
    "hevc 10 bit": lambda folder: hevc(folder, prepare=ten_bit),
    "hevc, uneven": lambda folder: hevc(folder, pts=UNEVEN, time_base=Fraction(1, 100)),
    "hevc, late": lambda folder: hevc(folder, "a.mkv", pts=range(50, 90)),
    "hevc, thirds": lambda folder: hevc(folder, time_base=Fraction(1001, 30000)),
    "hevc in ts": lambda folder: hevc(folder, "a.ts"),
    "mpeg4 in avi": lambda folder: write_clip(folder / "a.avi", EVERY, codec="mpeg4"),
    "h264 in avi": lambda folder: write_clip(folder / "a.avi", EVERY, bframes=0),
    "h264 in ts": lambda folder: write_clip(folder / "a.ts", EVERY),
    "h264 in flv": lambda folder: write_clip(folder / "a.flv", EVERY, bframes=4),
    "mpeg2 in mpg": lambda folder: write_clip(folder / "a.mpg", EVERY, codec="mpeg2video"),
}


def made(path: Path) -> tuple[Path, PtsTable]:
    facts, table = probe(path)
    out = path.with_name("playable.mp4")
    make_playable(path, facts, table, out)
    assert sorted(file.name for file in path.parent.iterdir()) == sorted([path.name, out.name])
    return out, table


@pytest.mark.parametrize("kind", MAKERS)
def test_frames_and_times_are_those_of_the_table(tmp_path: Path, kind: str) -> None:
    source = MAKERS[kind](tmp_path)
    assert not probe(source)[0].browser_playable
    out, table = made(source)
    facts, times = probe(out)
    assert facts.browser_playable and facts.codec == "h264" and facts.problems == ()
    assert np.abs(times.seconds - table.seconds).max() < 0.002
    assert times.end_s > table.end_s - 0.001
    with PyavReader(out) as reader:
        assert [number_of(picture) for _, picture in reader.frames(range(COUNT))] == list(range(COUNT))


@pytest.mark.parametrize("kind", ["h264 in ts", "h264 in flv"])
def test_packets_are_copied_where_only_the_container_is_wrong(tmp_path: Path, kind: str) -> None:
    source = MAKERS[kind](tmp_path)
    out, _ = made(source)
    with PyavReader(source) as before, PyavReader(out) as after:
        for index in (0, 17, COUNT - 1):
            assert np.array_equal(before.frame(index), after.frame(index))


def turned(stream: Any) -> None:
    stream.codec_context.sample_aspect_ratio = Fraction(2, 1)
    stream.set_display_rotation(90)


def test_copy_is_turned_in_square_pixels_and_narrow_enough(tmp_path: Path) -> None:
    source = hevc(tmp_path, prepare=turned)
    facts, table = probe(source)
    assert (facts.width, facts.height) == (96, 320)
    for width, size in ((1280, (96, 320)), (51, (50, 166))):
        out = tmp_path / f"{width}.mp4"
        make_playable(source, facts, table, out, width=width)
        copy, _ = probe(out)
        assert (copy.width, copy.height, copy.rotation, copy.sample_aspect) == (*size, 0, "1:1")
    with PyavReader(source) as before, PyavReader(tmp_path / "1280.mp4") as after:
        assert np.abs(before.frame(9).astype(int) - after.frame(9)).mean() < 4


@pytest.mark.parametrize("height", [96, 720])
def test_colours_stay(tmp_path: Path, height: int) -> None:
    red = np.zeros((height, 64, 3), np.uint8) + np.array([200, 40, 90], np.uint8)
    source = write_clip(tmp_path / "a.mkv", [red] * 4, codec="libx265")
    out, _ = made(source)
    with PyavReader(source) as before, PyavReader(out) as after:
        assert np.abs(before.frame(1).astype(int) - after.frame(1)).max() <= 4


# --- sound ----------------------------------------------------------------------------


def tone(seconds: float, rate: int) -> Any:
    return (np.sin(np.arange(int(seconds * rate)) * 2 * np.pi * 440 / rate) * 12000).astype(np.int16)


def with_sound(path: Path, video: str, audio: str, *, takes: list[tuple[float, float]], rate: int) -> Path:
    """Numbered frames at 25 fps; sound in `takes` of (start, length) seconds."""
    with av.open(str(path), "w") as out:
        pictures = out.add_stream(video, rate=25)
        pictures.height, pictures.width = EVERY[0].shape[:2]
        pictures.pix_fmt = "yuv420p"
        sound = out.add_stream(audio, rate=rate, layout="mono")
        for index, picture in enumerate(EVERY):
            frame = av.VideoFrame.from_ndarray(picture, "rgb24")
            frame.pts, frame.time_base = index, Fraction(1, 25)
            out.mux(pictures.encode(frame))
        out.mux(pictures.encode(None))
        for start, length in takes:
            samples = tone(length, rate)
            for at in range(0, len(samples) - 1151, 1152):
                piece = av.AudioFrame.from_ndarray(samples[None, at : at + 1152], "s16", "mono")
                piece.sample_rate, piece.time_base = rate, Fraction(1, rate)
                piece.pts = round(start * rate) + at
                out.mux(sound.encode(piece))
        out.mux(sound.encode(None))
    return path


def loud(path: Path, at_s: float) -> bool:
    samples = read_sound(path).samples
    around = samples[round((at_s - 0.02) * RATE) : round((at_s + 0.02) * RATE)]
    return bool(np.abs(around).mean() > 0.05)


@pytest.mark.parametrize(
    "name, video, audio",
    [("a.ts", "libx264", "aac"), ("a.mp4", "libx265", "aac"), ("a.mov", "mpeg4", "pcm_s16le")],
)
def test_sound_stays_where_it_was(tmp_path: Path, name: str, video: str, audio: str) -> None:
    source = with_sound(tmp_path / name, video, audio, takes=[(0.48, 0.96)], rate=48000)
    out, _ = made(source)
    for at in (0.40, 0.58, 1.0, 1.34):
        assert loud(out, at) == loud(source, at) == (0.48 < at < 1.44), at


def test_holes_in_the_sound_become_silence(tmp_path: Path) -> None:
    takes = [(0.0, 0.3), (0.9, 0.4)]
    source = with_sound(tmp_path / "a.mkv", "libx265", "libmp3lame", takes=takes, rate=32000)
    out, _ = made(source)
    assert [loud(out, at) for at in (0.15, 0.5, 0.8, 1.1)] == [True, False, False, True]


def test_sound_that_browsers_lack_is_made_anew_and_the_pictures_kept(tmp_path: Path) -> None:
    source = with_sound(tmp_path / "a.mp4", "libx264", "ac3", takes=[(0.0, 1.2)], rate=48000)
    facts, _ = probe(source)
    assert facts.unplayable_why == "browsers do not play ac3 sound"
    out, _ = made(source)
    copy, _ = probe(out)
    assert copy.browser_playable and copy.audio and loud(out, 0.6)
    with PyavReader(source) as before, PyavReader(out) as after:
        assert np.array_equal(before.frame(7), after.frame(7))


# --- what goes wrong ------------------------------------------------------------------


def test_a_person_stops_and_nothing_is_left(tmp_path: Path) -> None:
    source = hevc(tmp_path)
    seen: list[int] = []

    def stop(done: int, total: int) -> None:
        assert total == COUNT
        seen.append(done)
        if done == 10:
            raise Stopped("stopped")

    with pytest.raises(Stopped):
        make_playable(source, *probe(source), tmp_path / "playable.mp4", stop)
    assert seen == list(range(1, 11))
    assert [file.name for file in tmp_path.iterdir()] == ["a.mp4"]


def test_a_frame_that_is_not_there_is_said(tmp_path: Path) -> None:
    source = MAKERS["h264 in ts"](tmp_path)
    facts, table = probe(source)
    promised = dataclasses.replace(table, pts=np.append(table.pts, table.pts[-1] + 3600))
    with pytest.raises(MediaError, match=r"frame 40 .* cannot be decoded") as caught:
        make_playable(source, facts, promised, tmp_path / "playable.mp4")
    assert "\n" not in str(caught.value)
    assert [file.name for file in tmp_path.iterdir()] == ["a.ts"]


def test_a_copy_at_other_times_is_thrown_away(tmp_path: Path) -> None:
    source = hevc(tmp_path)
    facts, table = probe(source)
    impossible = dataclasses.replace(table, start_s=0.5)
    with pytest.raises(MediaError, match="500 ms off, so it was deleted"):
        make_playable(source, facts, impossible, tmp_path / "playable.mp4")
    assert [file.name for file in tmp_path.iterdir()] == ["a.mp4"]


def test_no_room_is_one_line(tmp_path: Path) -> None:
    source = hevc(tmp_path)
    with pytest.raises(MediaError, match="playable copy could not be written") as caught:
        make_playable(source, *probe(source), tmp_path / "nowhere" / "playable.mp4")
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not DATA.is_dir(), reason="the real videos are not beside this checkout")
def test_real_hevc_clip(tmp_path: Path) -> None:
    facts, table = probe(DATA / "odd_hevc.mp4")
    out = tmp_path / "playable.mp4"
    make_playable(DATA / "odd_hevc.mp4", facts, table, out)
    with PyavReader(DATA / "odd_hevc.mp4") as before, PyavReader(out) as after:
        for index in (0, 60, 131):
            assert np.abs(before.frame(index).astype(int) - after.frame(index)).mean() < 4

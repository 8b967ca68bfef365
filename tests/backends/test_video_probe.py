"""Facts and PTS tables of synthetic clips, of real files, and of files that are not videos."""

from __future__ import annotations

import shutil
import subprocess
import wave
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from backends.errors import MediaError
from backends.video.probe import load_table, probe, save_table
from tests.backends.clips import numbered, real_videos, write_clip

UNEVEN = [0, 3, 5, 20, 21, 22, 40, 45, 46, 80, 90, 91, 92, 100]


def test_even_clip(tmp_path: Path) -> None:
    facts, table = probe(write_clip(tmp_path / "a.mp4", map(numbered, range(30))))
    assert (facts.frames, facts.width, facts.height, facts.rotation) == (30, 160, 96, 0)
    assert (facts.codec, facts.pixel_format, facts.sample_aspect) == ("h264", "yuv420p", "1:1")
    assert facts.duration_s == pytest.approx(1.2)
    assert facts.fps_avg == pytest.approx(25)
    assert facts.browser_playable and not facts.vfr and not facts.audio
    assert facts.problems == ()
    assert table.seconds == pytest.approx(np.arange(30) / 25)
    assert table.end_s == pytest.approx(1.2)
    assert set(table.keyframes) <= set(table.pts) and len(table.keyframes) == 3


def test_variable_rate_keeps_its_times(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "v.mp4", map(numbered, range(14)), pts=UNEVEN, time_base=Fraction(1, 100))
    facts, table = probe(clip)
    assert facts.vfr
    assert table.seconds == pytest.approx(np.array(UNEVEN) / 100)


@pytest.mark.parametrize("name", ["a.mkv", "a.webm"])
def test_milliseconds_are_rounding_not_variable_rate(tmp_path: Path, name: str) -> None:
    codec = "libx264" if name.endswith("mkv") else "libvpx"
    clip = write_clip(tmp_path / name, map(numbered, range(40)), time_base=Fraction(1001, 30000), codec=codec)
    facts, _ = probe(clip)
    assert (facts.frames, facts.vfr) == (40, False)


@pytest.mark.parametrize("turn, clockwise", [(-90, 90), (90, 270), (180, 180)])
def test_rotation(tmp_path: Path, turn: int, clockwise: int) -> None:
    clip = write_clip(
        tmp_path / "r.mp4", map(numbered, range(4)), prepare=lambda s: s.set_display_rotation(turn)
    )
    facts, _ = probe(clip)
    assert facts.rotation == clockwise
    assert (facts.width, facts.height) == ((160, 96) if turn == 180 else (96, 160))


@pytest.mark.parametrize("aspect, size", [((16, 11), (233, 96)), ((1, 2), (160, 192))])
def test_pixel_shape(tmp_path: Path, aspect: tuple[int, int], size: tuple[int, int]) -> None:
    def prepare(stream: object) -> None:
        stream.codec_context.sample_aspect_ratio = Fraction(*aspect)  # type: ignore[attr-defined]

    facts, _ = probe(write_clip(tmp_path / "s.mp4", map(numbered, range(4)), prepare=prepare))
    assert (facts.sample_aspect, facts.width, facts.height) == (f"{aspect[0]}:{aspect[1]}", *size)


def test_late_first_frame_is_where_chromium_shows_it(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "late.mkv", map(numbered, range(10)), pts=range(5, 15))
    facts, table = probe(clip)
    assert facts.start_s == 0.0
    assert table.seconds[0] == pytest.approx(0.2)
    assert facts.duration_s == pytest.approx(0.4)


@pytest.mark.parametrize(
    "name, codec, reason",
    [("a.ts", "libx264", "mpegts"), ("a.mp4", "mpeg4", "mpeg4"), ("a.avi", "mjpeg", "avi")],
)
def test_not_for_browsers(tmp_path: Path, name: str, codec: str, reason: str) -> None:
    def prepare(stream: object) -> None:
        if codec == "mjpeg":
            stream.pix_fmt = "yuvj420p"  # type: ignore[attr-defined]

    facts, table = probe(write_clip(tmp_path / name, map(numbered, range(8)), codec=codec, prepare=prepare))
    assert not facts.browser_playable
    assert reason in facts.unplayable_why
    assert facts.frames == 8
    assert table.seconds[0] == pytest.approx(0.0, abs=0.09)


def test_cut_off_file_holds_what_can_be_decoded(tmp_path: Path) -> None:
    whole = write_clip(tmp_path / "a.mp4", map(numbered, range(60)), muxer={"movflags": "faststart"})
    data = whole.read_bytes()
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(data[: int(len(data) * 0.7)])
    facts, table = probe(cut)
    assert 10 < facts.frames < 60
    assert facts.frames == len(table.pts)
    assert any("60 frames" in problem for problem in facts.problems)


def test_lost_index_says_so(tmp_path: Path) -> None:
    data = write_clip(tmp_path / "a.mp4", map(numbered, range(20))).read_bytes()
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(data[: len(data) // 2])
    with pytest.raises(MediaError, match="index"):
        probe(cut)


def _sound(path: Path) -> None:
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(8000)
        out.writeframes(bytes(8000))


@pytest.mark.parametrize(
    "name, data, words",
    [
        ("none.mp4", None, "no such file"),
        ("empty.mp4", b"", "empty"),
        ("text.mp4", b"once upon a time\n" * 100, "no video"),
        ("text.txt", b"once upon a time\n" * 100, "not a video"),
        ("list.m3u8", b"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n", "."),
    ],
)
def test_unreadable_files_get_one_line(tmp_path: Path, name: str, data: bytes | None, words: str) -> None:
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(MediaError, match=words) as caught:
        probe(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(name)


def test_folder_and_sound_are_no_video(tmp_path: Path) -> None:
    _sound(tmp_path / "a.wav")
    with pytest.raises(MediaError, match="sound but no pictures"):
        probe(tmp_path / "a.wav")
    with pytest.raises(MediaError, match="not a file"):
        probe(tmp_path)


def test_table_on_disk(tmp_path: Path) -> None:
    _, table = probe(write_clip(tmp_path / "a.mp4", map(numbered, range(30))))
    save_table(table, tmp_path / "tables" / "a.npz")
    back = load_table(tmp_path / "tables" / "a.npz")
    assert back.pts.tolist() == table.pts.tolist()
    assert back.keyframes.tolist() == table.keyframes.tolist()
    assert (back.time_base, back.start_s, back.end_s) == (table.time_base, table.start_s, table.end_s)
    assert [path.name for path in (tmp_path / "tables").iterdir()] == ["a.npz"]


def test_damaged_and_pickled_tables_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"PK\x03\x04 nothing")
    pickled = tmp_path / "pickled.npz"
    np.savez(pickled, pts=np.array([{"a": 1}], dtype=object))
    for path in (broken, pickled, tmp_path / "missing.npz"):
        with pytest.raises(MediaError, match="probe the video again"):
            load_table(path)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no /proc/self/fd on this system")
def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    good = write_clip(tmp_path / "a.mp4", map(numbered, range(6)))
    _sound(tmp_path / "a.wav")
    probe(good)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        probe(good)
        with pytest.raises(MediaError):
            probe(tmp_path / "a.wav")
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
def test_cover_picture_is_not_a_video(tmp_path: Path) -> None:
    _sound(tmp_path / "a.wav")
    cover = write_clip(tmp_path / "c.png", [numbered(1, 320, 200)], codec="png", prepare=_rgb)
    both = tmp_path / "album.m4a"
    tags = ["-map", "0", "-map", "1", "-c:a", "aac", "-c:v", "copy", "-disposition:v:0", "attached_pic"]
    sources = ["-i", tmp_path / "a.wav", "-i", cover]
    subprocess.run(["ffmpeg", "-v", "error", *sources, *tags, both], check=True)
    with pytest.raises(MediaError, match="sound but no pictures"):
        probe(both)


def _rgb(stream: object) -> None:
    stream.pix_fmt = "rgb24"  # type: ignore[attr-defined]


UNREADABLE = {"empty", "text", "no_moov", "truncated_60pct", "audio_only", "jfk"}


@pytest.mark.skipif(not real_videos(), reason="the real videos are not beside this checkout")
@pytest.mark.skipif(shutil.which("ffprobe") is None, reason="ffprobe is not installed")
@pytest.mark.parametrize("path", real_videos(), ids=lambda path: path.name)
def test_real_files_have_ffprobes_frame_count(path: Path) -> None:
    if path.stem.removeprefix("odd_") in UNREADABLE:
        with pytest.raises(MediaError) as caught:
            probe(path)
        assert "\n" not in str(caught.value)
        return
    facts, table = probe(path)
    assert facts.frames == len(table.pts) == _ffprobe_count(path)
    assert bool(facts.problems) == ("truncated" in path.name or "corrupt" in path.name)
    assert np.all(np.diff(table.pts) > 0)


def _ffprobe_count(path: Path) -> int:
    flags = ["-v", "error", "-count_frames", "-select_streams", "v:0"]
    wanted = ["-show_entries", "stream=nb_read_frames", "-of", "default=nk=1:nw=1"]
    done = subprocess.run(["ffprobe", *flags, *wanted, path], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0])


SHOWN = {
    "odd_sar.mp4": (512, 288, 0),
    "odd_rot90.mp4": (270, 480, 270),
    "rot90_3frames.mov": (320, 568, 90),
    "nasa_320p.mp4": (320, 180, 0),
}


@pytest.mark.skipif(not real_videos(), reason="the real videos are not beside this checkout")
@pytest.mark.parametrize("name", SHOWN)
def test_sizes_are_those_that_chromium_shows(name: str) -> None:
    facts, _ = probe(real_videos()[0].parent / name)
    assert (facts.width, facts.height, facts.rotation) == SHOWN[name]

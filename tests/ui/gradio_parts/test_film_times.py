"""The player's frame times are those of our own table, and what it sends to the browser holds them all."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from backends.video.probe import probe
from tests.backends.clips import numbered, write_clip
from tests.parts_films import FILMS, make_film
from ui.gradio_parts.film_times import FilmError, FrameTimes, frame_times


def unpacked(times: FrameTimes) -> list[float]:
    """As the script reads it: the time of every frame, and the end of the last one."""
    packed = times.packed()
    tick, ticks = 0, [0]
    for length, count in zip(packed["steps"][::2], packed["steps"][1::2], strict=True):
        for _ in range(count):
            ticks.append(tick := tick + length)
    numerator, denominator = packed["unit"]
    return [tick * numerator / denominator for tick in ticks]


@pytest.mark.parametrize("name", FILMS)
def test_times_are_those_of_our_table(name: str, tmp_path: Path) -> None:
    path = make_film(name, tmp_path)
    facts, table = probe(path)
    times = frame_times(path)
    assert times.seconds == pytest.approx((table.seconds - table.seconds[0]).tolist(), abs=1e-9)
    *seconds, end = unpacked(times)
    assert seconds == pytest.approx(times.seconds, abs=1e-9)
    assert end == pytest.approx(facts.duration_s, abs=2e-6)
    assert times.codec == facts.codec
    assert times.starts[0] == pytest.approx(table.seconds[0] + table.start_s, abs=1e-9)


def test_an_even_film_is_one_run_of_steps(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "a.mp4", map(numbered, range(30)), time_base=Fraction(1001, 30000))
    assert frame_times(clip).packed()["steps"][1::2] == [30]


def test_given_times_are_taken(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "a.mp4", map(numbered, range(3)))
    times = frame_times(clip, [0.0, 0.5, 2.0])
    assert unpacked(times) == [0.0, 0.5, 2.0, 3.5]
    for wrong in ([], [0.1, 0.2], [0.0, 0.5, 0.5]):
        with pytest.raises(FilmError, match="must begin with 0 and ascend"):
            frame_times(clip, wrong)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    for count in (3, 5):
        assert len(frame_times(write_clip(path, map(numbered, range(count)))).ticks) == count


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "cannot be read"), (b"", "not a video file"), (b"plain text\n" * 9, "not a video file|no video")],
)
def test_what_cannot_be_read_is_said(content: bytes | None, words: str, tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FilmError, match=f"^'?clip.mp4: .*({words})") as caught:
        frame_times(path)
    assert isinstance(caught.value, ValueError) and "\n" not in str(caught.value)


def test_sound_alone_is_not_a_film(tmp_path: Path) -> None:
    import av
    import numpy as np

    path = tmp_path / "sound.mp4"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("aac", rate=16000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 16000), np.float32), "fltp", "mono")
        frame.sample_rate = 16000
        out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    with pytest.raises(FilmError, match="no video"):
        frame_times(path)

"""Joined clips: every frame at its place, slates for missing clips, aligned sound."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.errors import MediaError
from backends.video.audio import RATE
from backends.video.joined_clips import Clip, Part, join_clips
from backends.video.probe import probe
from backends.video.pyav_reader import PyavReader
from tests.backends.clips import number_of, numbered, write_clip
from tests.backends.sound import read_sound
from tests.backends.test_speech import tone, write


def clip(folder: Path, first: int, count: int, **more: Any) -> Path:
    folder.mkdir(exist_ok=True)
    size = more.pop("size", (160, 96))
    pictures = [numbered(n, *size) for n in range(first, first + count)]
    return write_clip(folder / f"{first}.mp4", pictures, **more)


def numbers(film: Path, indices: Sequence[int] | None = None) -> list[int]:
    with PyavReader(film) as reader:
        return [number_of(reader.frame(i)) for i in (indices or range(len(reader.table.pts)))]


def joined(tmp_path: Path, *clips: tuple[Path | None, float, float]) -> tuple[Path, list[Part]]:
    asked = [Clip(f"Scene {n:03d}", path, start, length) for n, (path, start, length) in enumerate(clips, 1)]
    film = tmp_path / "film.mp4"
    return film, join_clips(asked, film)


def low_quality(stream: Any) -> None:
    stream.options = {**stream.options, "crf": "35", "refs": "5", "profile": "main"}


def test_frames_are_those_of_the_clips_and_a_slate_stands_for_a_missing_one(tmp_path: Path) -> None:
    """The clips have different encoder settings: each keyframe must include its own."""
    clips = tmp_path / "clips"
    first, third = clip(clips, 0, 30, bframes=0), clip(clips, 100, 40, bframes=3, prepare=low_quality)
    last = clip(clips, 200, 25, keyint=5)
    film, parts = joined(tmp_path, (first, 0, 0), (None, 1.2, 3.0), (third, 4.2, 0), (last, 5.8, 0))
    facts, table = probe(film)
    assert [(p.first_frame, p.after_frame) for p in parts] == [(0, 30), (30, 31), (31, 71), (71, 96)]
    assert facts.frames == 96 and facts.problems == () and facts.browser_playable and not facts.audio
    expected = [n / 25 for n in range(30)] + [1.2] + [4.2 + n / 25 for n in range(65)]
    assert np.allclose(table.seconds, expected, atol=1e-4)
    found = numbers(film)
    assert found[:30] == list(range(30)) and found[31:] == [*range(100, 140), *range(200, 225)]
    # Seek from any frame, also across the slate.
    some = [95, 3, 31, 29, 72, 70]
    assert numbers(film, some) == [found[n] for n in some]
    with PyavReader(film) as reader, PyavReader(third) as alone:
        assert (reader.frame(31 + 17) == alone.frame(17)).all()
        slate = reader.frame(30)
        assert 30 < np.median(slate) < 50 and slate.max() > 150


def test_clips_of_other_kinds_are_encoded_to_the_size_of_the_first(tmp_path: Path) -> None:
    clips = tmp_path / "clips"
    first, second = clip(clips, 0, 12), clip(clips, 40, 12, codec="libx265", size=(320, 192))
    film, parts = joined(tmp_path, (first, 0, 0), (second, 0, 0))
    facts, _ = probe(film)
    assert (facts.width, facts.height, facts.codec, facts.frames) == (160, 96, "h264", 24)
    assert numbers(film) == [*range(12), *range(40, 52)] and parts[1].first_frame == 12


def test_a_clip_that_cannot_be_read_is_missing_and_without_any_there_is_no_film(tmp_path: Path) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"no video")
    film, parts = joined(tmp_path, (broken, 0, 2.0), (clip(tmp_path / "clips", 7, 5), 0, 0))
    assert [p.table is None for p in parts] == [True, False]
    assert numbers(film)[1:] == [7, 8, 9, 10, 11]
    film.unlink()
    with pytest.raises(MediaError, match="none of the 1 clips"):
        joined(tmp_path, (broken, 0, 2.0))
    assert not film.exists()


def test_sound_lies_under_its_clip_and_gaps_are_silent(tmp_path: Path) -> None:
    first, third = (write(tmp_path / f"{n}.mp4", tone(2.0), picture_s=2.0) for n in (1, 3))
    film, _ = joined(tmp_path, (first, 0, 0), (None, 2.0, 3.0), (third, 5.0, 0))
    assert probe(film)[0].audio
    sound = read_sound(film).samples
    spans = ((0.1, 1.9), (2.1, 4.9), (5.1, 6.9))
    loud = [float(np.abs(sound[int(a * RATE) : int(b * RATE)]).mean()) > 0.1 for a, b in spans]
    assert loud == [True, False, True]

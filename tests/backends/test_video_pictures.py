"""JPEG bytes and thumbnail files."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import cv2
import numpy as np
import pytest

from backends.errors import MediaError
from backends.video.jpeg_files import jpeg, write_thumbnail
from backends.video.probe import probe
from backends.video.pyav_reader import PyavReader
from tests.backends.clips import number_of, numbered, write_clip


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clip(tmp_path_factory.mktemp("clip") / "a.mp4", map(numbered, range(30)))


def test_jpeg_keeps_colours_and_size() -> None:
    red = np.zeros((40, 60, 3), np.uint8)
    red[:, :, 0] = 250
    back = cv2.cvtColor(cv2.imdecode(np.frombuffer(jpeg(red), np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
    assert back.shape == red.shape
    assert np.abs(back.astype(int) - red).max() < 12


def test_quality_makes_it_larger() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (64, 64, 3)).astype(np.uint8)
    assert len(jpeg(noise, 95)) > len(jpeg(noise)) > len(jpeg(noise, 20))


@pytest.mark.parametrize("shape, kind", [((4, 4), np.uint8), ((4, 4, 4), np.uint8), ((4, 4, 3), np.float32)])
def test_only_rgb_pictures(shape: tuple[int, ...], kind: type) -> None:
    with pytest.raises(ValueError, match="not an RGB picture"):
        jpeg(np.zeros(shape, kind))


def test_thumbnail_i_shows_frame_i(clip: Path, tmp_path: Path) -> None:
    with PyavReader(clip) as reader:
        for index in (25, 3, 14, 3):
            write_thumbnail(reader, index, width=80, file=tmp_path / "t" / f"{index}.jpg")
    for index in (3, 14, 25):
        picture = cv2.imread(str(tmp_path / "t" / f"{index}.jpg"))
        assert picture.shape == (48, 80, 3)
        assert number_of(picture) == index
    assert sorted(p.name for p in (tmp_path / "t").iterdir()) == ["14.jpg", "25.jpg", "3.jpg"]


def test_existing_files_are_kept(clip: Path, tmp_path: Path) -> None:
    (tmp_path / "4.jpg").write_bytes(b"mine")
    with PyavReader(clip) as reader:
        write_thumbnail(reader, 4, width=80, file=tmp_path / "4.jpg")
    assert (tmp_path / "4.jpg").read_bytes() == b"mine"


def test_one_bad_frame_does_not_stop_the_rest(clip: Path, tmp_path: Path) -> None:
    facts, table = probe(clip)
    promised = dataclasses.replace(table, pts=np.append(table.pts, table.pts[-1] + 1000))
    with PyavReader(clip, facts, promised) as reader:
        with pytest.raises(MediaError, match="frame 30"):
            write_thumbnail(reader, 30, width=80, file=tmp_path / "30.jpg")
        write_thumbnail(reader, 29, width=80, file=tmp_path / "29.jpg")
    assert [path.name for path in tmp_path.iterdir()] == ["29.jpg"]

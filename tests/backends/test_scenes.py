"""Contract of all detectors, then the strengths of each."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scenedetect import AdaptiveDetector, ContentDetector, detect

from backends.errors import MediaError, Stopped, UsageError
from backends.protocols import Picture, SceneCuts
from backends.scenes.scene_detectors import DETECTORS, CutDetector, scene_detector
from backends.video.probe import probe
from tests.backends.clips import real_videos, textured, write_clip

NAMES = [name for name in DETECTORS if name != "transnetv2"]
LENGTHS = (40, 50, 30, 45)
CUTS = [40, 90, 120]


def _shots(lengths: tuple[int, ...] = LENGTHS) -> Iterator[Picture]:
    """Shots of clearly different pictures, each with some noise and movement."""
    rng = np.random.default_rng(0)
    for shot, length in enumerate(lengths):
        base = textured(shot, 90 + 40 * (shot % 2))
        for step in range(length):
            noise = rng.integers(0, 4, base.shape)
            yield np.clip(np.roll(base, step // 6, axis=1) + noise, 0, 255).astype(np.uint8)


def _run(path: Path, spec: str) -> SceneCuts:
    facts, table = probe(path)
    return scene_detector(spec).detect(path, table, facts)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clip(tmp_path_factory.mktemp("film") / "film.mp4", _shots(), keyint=60)


@pytest.mark.parametrize("name", NAMES)
def test_contract(film: Path, name: str) -> None:
    facts, table = probe(film)
    calls: list[tuple[int, int]] = []
    cuts = scene_detector(name).detect(film, table, facts, lambda a, b: calls.append((a, b)))
    assert cuts.starts[0] == 0
    assert list(cuts.starts) == sorted(set(cuts.starts))
    assert cuts.starts[-1] < facts.frames
    assert cuts.detector["name"] == name
    assert cuts.detector["params"] == dict(DETECTORS[name])
    assert cuts.detector["version"].startswith("scenedetect 0.")
    assert calls[-1] == (facts.frames, facts.frames)
    assert [a for a, _ in calls] == sorted(a for a, _ in calls)


@pytest.mark.parametrize("name", ["default", "adaptive", "content", "hash", "histogram"])
def test_hard_cuts(film: Path, name: str) -> None:
    assert list(_run(film, name).starts) == [0, *CUTS]


@pytest.mark.parametrize("name", NAMES)
def test_without_cuts_there_is_one_scene(tmp_path: Path, name: str) -> None:
    clip = write_clip(tmp_path / "still.mp4", _shots((30,)))
    assert _run(clip, name).starts == (0,)
    single = write_clip(tmp_path / "single.mp4", _shots((1,)))
    assert _run(single, name).starts == (0,)


def test_variable_rate_cuts_are_frames_of_the_table(tmp_path: Path) -> None:
    gaps = [40] * 60 + [120] * 40 + [400] * 65
    times = np.cumsum([0, *gaps[:-1]]).tolist()
    clip = write_clip(tmp_path / "v.mp4", _shots(), pts=times, time_base=Fraction(1, 1000))
    assert list(_run(clip, "content").starts) == [0, *CUTS]
    assert list(_run(clip, "default").starts) == [0, *CUTS]


def _faded(black: int) -> Iterator[Picture]:
    """Shot one fades to black over 20 frames, stays black, and shot two fades in."""
    shots = list(_shots((60, 60)))
    for i, picture in enumerate(shots[:60]):
        yield (picture * min(1.0, (60 - i) / 20)).astype(np.uint8)
    for _ in range(black):
        yield np.zeros_like(shots[0])
    for i, picture in enumerate(shots[60:]):
        yield (picture * min(1.0, i / 20)).astype(np.uint8)


@pytest.mark.parametrize("name", ["default", "vript", "threshold"])
@pytest.mark.parametrize("black", [2, 30])
def test_fade_through_black_is_one_cut_in_the_black(tmp_path: Path, name: str, black: int) -> None:
    clip = write_clip(tmp_path / "fade.mp4", _faded(black), keyint=60)
    spec = f"{name}:min_scene_s=1" if name == "vript" else name
    starts = _run(clip, spec).starts
    assert len(starts) == 2
    assert abs(starts[1] - (60 + black / 2)) <= 4


def _black(first: int, black: int, second: int, *, fade_out: int = 0, fade_in: int = 0) -> Iterator[Picture]:
    """A shot, black, another shot; each may fade at the black, else the cut is hard."""
    for i in range(first):
        yield (textured(1, 110.0) * min(1.0, (first - i) / (fade_out + 1))).astype(np.uint8)
    for _ in range(black):
        yield np.zeros_like(textured(1))
    for i in range(second):
        yield (textured(2, 60.0) * min(1.0, (i + 1) / (fade_in + 1))).astype(np.uint8)


@pytest.mark.parametrize("black", [3, 9, 25])
@pytest.mark.parametrize(
    ("fades", "at"),
    [({"fade_out": 15}, "out"), ({"fade_in": 15}, "into"), ({}, "out")],
    ids=["out of black", "into black", "both"],
)
def test_hard_cuts_out_of_and_into_black_are_found_to_the_frame(
    tmp_path: Path, fades: dict[str, int], at: str, black: int
) -> None:
    clip = write_clip(tmp_path / "black.mp4", _black(70, black, 70, **fades), keyint=60)
    starts = _run(clip, "default").starts
    assert len(starts) == 2
    assert abs(starts[1] - (70 if at == "into" else 70 + black)) <= 1


def test_black_leader_is_not_a_scene(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "leader.mp4", list(_faded(30))[62:], keyint=60)
    assert _run(clip, "default").starts == (0,)


def _night() -> Iterator[Picture]:
    """A dark street whose lamps vary its brightness around the fade threshold."""
    rng = np.random.default_rng(4)
    for i in range(120):
        picture = rng.integers(0, 4, (96, 160, 3)).astype(np.uint8)
        picture[30:48, 20:64] = int(215 + 40 * np.sin(i / 3))
        yield picture


def test_dark_scene_is_not_a_fade(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "night.mp4", _night(), keyint=60)
    assert len(_run(clip, "threshold").starts) > 1, "the clip must cross the threshold"
    assert _run(clip, "default").starts == (0,)


def test_scenes_of_vript_are_not_short_and_the_first_of_two_near_cuts_stays(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "film.mp4", _shots((100, 25, 100, 20, 30, 90)), keyint=60)
    starts = scene_detector("vript").detect(clip, *reversed(probe(clip))).starts
    assert starts == (0, 100, 225)


def test_pyscenedetects_detectors_have_its_shortest_scene(tmp_path: Path) -> None:
    """The minimum is fifteen frames: at 30 frames per second less than the program's 0.6 s."""
    clip = write_clip(tmp_path / "film.mp4", _shots((40, 16, 40)), time_base=Fraction(1, 30), keyint=60)
    assert _run(clip, "content").starts == (0, 40, 56)
    assert _run(clip, "content:min_scene_s=0.6").starts == (0, 40)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no /proc/self/fd on this system")
def test_stopping_closes_the_file(film: Path) -> None:
    facts, table = probe(film)

    def stop(done: int, total: int) -> None:
        raise Stopped("stopped")

    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        with pytest.raises(Stopped):
            scene_detector("default").detect(film, table, facts, stop)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_unreadable_file_is_a_media_error(film: Path, tmp_path: Path) -> None:
    facts, table = probe(film)
    (tmp_path / "text.mp4").write_text("not a video " * 50)
    with pytest.raises(MediaError, match="no video"):
        scene_detector("default").detect(tmp_path / "text.mp4", table, facts)


def test_spec_sets_parameters() -> None:
    detector = scene_detector("adaptive: adaptive_threshold=2, luma_only=true, window_width=3")
    assert isinstance(detector, CutDetector)
    assert detector.params == {
        "adaptive_threshold": 2.0,
        "min_content_val": 15.0,
        "window_width": 3,
        "luma_only": True,
        "min_scene_frames": 15,
        "min_scene_s": 0.0,
    }
    assert scene_detector("").name == "default"


@pytest.mark.parametrize(
    "spec, words",
    [
        ("wavelet", "choose from default, adaptive"),
        ("adaptive:speed=3", "use adaptive_threshold"),
        ("content:threshold=high", "a number"),
        ("content:threshold", "key=value"),
        ("content:threshold=-1", "out of range"),
        ("adaptive:window_width=0", "out of range"),
        ("adaptive:luma_only=perhaps", "true or false"),
        ("content:threshold=nan", "out of range"),
    ],
)
def test_wrong_specs_say_what_there_is(spec: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        scene_detector(spec)
    assert "\n" not in str(caught.value)


REAL = pytest.mark.skipif(not real_videos(), reason="the real videos are not beside this checkout")
BIKES = (1.20, 3.04, 5.48, 7.48, 9.68)
KNOWN = {
    "bikes_multishot.mp4": BIKES,
    "odd_av1.mp4": BIKES,
    "odd_vp9.webm": BIKES,
    "odd_longgop.mp4": BIKES,
    "odd_sar.mp4": BIKES,
    "speech_jfk_bikes.mp4": BIKES,
    "bbb_30s_vp8.webm": (11.79, 15.67, 22.96),
    "nasa_320p.mp4": (5.40, 8.01),  # the first is the middle of a dissolve
    "car_30s_12fps.mp4": (),
    "pancake_opus.mkv": (),
    "asl_book.mkv": (),
}


@REAL
@pytest.mark.parametrize("name", KNOWN)
def test_known_cuts_within_two_frames(name: str) -> None:
    path = real_videos()[0].parent / name
    facts, table = probe(path)
    starts = scene_detector("default").detect(path, table, facts).starts
    assert len(starts) == 1 + len(KNOWN[name])
    for start, truth in zip(starts[1:], KNOWN[name], strict=True):
        assert abs(table.seconds[start] - truth) <= 2 / facts.fps_avg + 1e-6


LARGE = pytest.param("bbb_30s_vp8.webm", marks=pytest.mark.long)


@REAL
def test_variable_rate_film() -> None:
    path = real_videos()[0].parent / "odd_vfr.mp4"
    facts, table = probe(path)
    starts = scene_detector("default").detect(path, table, facts).starts
    assert table.seconds[list(starts[1:4])] == pytest.approx([1.20, 3.04, 5.52], abs=0.01)


@REAL
@pytest.mark.parametrize("name, engine", [("content", ContentDetector), ("adaptive", AdaptiveDetector)])
@pytest.mark.parametrize("film", ["bikes_multishot.mp4", "nasa_320p.mp4", LARGE])
def test_same_cuts_as_pyscenedetect_itself(film: str, name: str, engine: type) -> None:
    path = real_videos()[0].parent / film
    _, table = probe(path)
    scenes = detect(str(path), engine(), start_in_scene=True, backend="pyav")
    own = [float(table.seconds[start] - table.seconds[0]) for start in _run(path, name).starts]
    assert own == pytest.approx([start.seconds for start, _ in scenes], abs=0.001)

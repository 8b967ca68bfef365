"""Camera moves, moving objects, colours, fades and sharpness of synthetic pictures."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path as File
from typing import Any

import cv2
import numpy as np
import pytest

from backends.measurements.brightness_and_colour import rises_from_black
from backends.measurements.camera_motion_labels import camera_motion
from backends.measurements.main_colours import colour_name, main_colours
from backends.measurements.motion_of_two_frames import pair_motion
from backends.measurements.opencv import OpencvMeasurer
from backends.measurements.sampling import collect, plan
from tests.backends.moves import HEIGHT, WIDTH, ArrayReader, Path, Thing, film, texture

DATA = File(__file__).resolve().parents[2] / ".." / "shared" / "data" / "videos"
GROUND = texture()
PLAIN = np.full_like(GROUND, 90)
JITTER = np.random.default_rng(5).normal(0, 1, (200, 2))

RUNNER = Thing(lambda t: (0.2 + 0.3 * t, 0.5))
BIG = Thing(lambda t: (0.75 - 0.2 * t, 0.4), (0.45, 0.6), (250, 220, 20))


def still(t: float) -> tuple[float, float, float]:
    return 0.0, 0.0, 1.0


def pan(speed: float) -> Path:
    """Speed in picture widths per second; positive turns right."""
    return lambda t: (speed * (t - 0.8), 0.0, 1.0)


def tilt(speed: float) -> Path:
    """Speed in picture heights per second; positive turns down."""
    return lambda t: (0.0, speed * (t - 0.8), 1.0)


def zoom(growth: float) -> Path:
    return lambda t: (0.0, 0.0, 1.3 * (1 + growth) ** (t - 0.8))


def shake(size: float) -> Path:
    return lambda t: (size * JITTER[round(t * 25) // 2, 0], size * JITTER[round(t * 25) // 2, 1], 1.0)


def camera(reader: ArrayReader) -> dict[str, Any]:
    bursts = collect(reader, plan(reader.table.seconds, 0, len(reader.pictures)))
    motions = [[pair_motion(a, b) for a, b in pairwise(burst)] for burst in bursts]
    return camera_motion(motions, HEIGHT / WIDTH, sum(map(len, bursts)))


def measured(reader: ArrayReader) -> dict[str, Any]:
    values = {m.kind: m.value for m in OpencvMeasurer().measure(reader, 0, len(reader.pictures))}
    assert json.loads(json.dumps(values)) == values
    return values


# --- camera -----------------------------------------------------------------------------


@pytest.mark.parametrize("thing", [None, RUNNER, BIG], ids=["empty", "runner", "big"])
@pytest.mark.parametrize(
    ("label", "path", "key", "value"),
    [
        ("static", still, "dx_per_s", 0.0),
        ("pan_right", pan(0.03), "dx_per_s", -0.03),
        ("pan_right", pan(0.5), "dx_per_s", -0.5),
        ("pan_left", pan(-0.15), "dx_per_s", 0.15),
        ("pan_left", pan(-1.0), "dx_per_s", 1.0),
        ("tilt_down", tilt(0.06), "dy_per_s", -0.06),
        ("tilt_up", tilt(-0.4), "dy_per_s", 0.4),
        ("zoom_in", zoom(0.06), "zoom_per_s", 0.06),
        ("zoom_in", zoom(0.5), "zoom_per_s", 0.5),
        ("zoom_out", zoom(-0.2), "zoom_per_s", -0.2),
        ("shake", shake(0.006), "zoom_per_s", 0.0),
    ],
)
def test_camera_moves(thing: Thing | None, label: str, path: Path, key: str, value: float) -> None:
    found = camera(film(GROUND, path, 1.6, thing=thing))
    assert found["label"] == label
    assert found[key] == pytest.approx(value, abs=0.004 + 0.05 * abs(value))
    # At a picture width per second, few corners agree, and fewer with a large object in front.
    assert (0.15 if abs(value) >= 1 else 0.4) < found["confidence"] <= 1.0
    assert found["sampled_frames"] == 14
    assert (found["shake"] > 0.04) == (label == "shake")


def test_pan_then_tilt_is_mixed() -> None:
    found = camera(film(GROUND, lambda t: (0.2 * min(t, 1.0), 0.35 * max(0.0, t - 1.0), 1.0)))
    assert found["label"] == "mixed"


def test_pan_that_ends_is_still_a_pan() -> None:
    found = camera(film(GROUND, lambda t: (0.2 * min(t, 1.0), 0.0, 1.0), 2.4))
    assert found["label"] == "pan_right" and found["dx_per_s"] == pytest.approx(-0.2, abs=0.03)
    assert found["confidence"] < 0.7, "it holds still for more than half of the time"


@pytest.mark.parametrize("thing", [None, RUNNER, BIG])
def test_plain_ground_says_little(thing: Thing | None) -> None:
    found = camera(film(PLAIN, still, 1.6, thing=thing))
    assert found["label"] == "static" and found["confidence"] <= 0.3


def test_fade_is_no_motion() -> None:
    reader = film(GROUND, still, 1.6)
    faded = [(p * min(1.0, 0.1 + i / 30)).astype(np.uint8) for i, p in enumerate(reader.pictures)]
    assert camera(ArrayReader(faded))["label"] == "static"


def test_noise_is_no_evidence() -> None:
    random = np.random.default_rng(3)
    shots = [random.integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8) for _ in range(20)]
    assert camera(ArrayReader(shots))["confidence"] < 0.2


@pytest.mark.parametrize("fps", [2.5, 8.0, 12.5, 60.0])
def test_any_frame_rate(fps: float) -> None:
    found = camera(film(GROUND, pan(0.12), 1.6, fps=fps))
    assert found["label"] == "pan_right" and found["dx_per_s"] == pytest.approx(-0.12, abs=0.01)


def test_sampling_is_bounded_ascending_and_inside() -> None:
    seconds = np.arange(90_000) / 25
    bursts = plan(seconds, 1_000, 60_000)
    flat = [index for burst in bursts for index in burst]
    assert flat[0] == 1_000 and 59_990 < flat[-1] < 60_000
    assert flat == sorted(set(flat)) and len(flat) < 110
    steps = [seconds[b] - seconds[a] for burst in bursts for a, b in pairwise(burst)]
    assert min(steps) == pytest.approx(0.12) and max(steps) == pytest.approx(0.12)
    assert plan(seconds, 5, 6) == [[5]]
    assert plan(seconds, 0, 50) == [list(range(0, 50, 3))]


# --- moving things ------------------------------------------------------------------------


@pytest.mark.parametrize("ground", [GROUND, PLAIN], ids=["texture", "plain"])
@pytest.mark.parametrize(
    ("thing", "direction", "colour"),
    [
        (RUNNER, "right", "red"),
        (BIG, "left", "yellow"),
        (Thing(lambda t: (0.5, 0.2 + 0.2 * t), (0.06, 0.1), (20, 60, 200)), "down", "blue"),
        (Thing(lambda t: (0.55 - 0.05 * t, 0.5), rgb=(30, 140, 40)), "left", "green"),
        (Thing(lambda t: (0.6, 0.8 - 0.5 * t), (0.1, 0.15), (245, 245, 245)), "up", "white"),
    ],
    ids=["runner", "big", "small", "slow", "fast"],
)
def test_moving_thing(ground: Any, thing: Thing, direction: str, colour: str) -> None:
    value = measured(film(ground, still, 1.6, thing=thing))["moving_object"]
    assert value["present"] is True
    assert (value["direction"], value["colour"]) == (direction, colour)
    assert value["share_of_frame"] == pytest.approx(thing.size[0] * thing.size[1], rel=0.35)
    for key, t in (("start", 0.1), ("end", 1.4)):
        assert value[key] == pytest.approx(thing.path(t), abs=0.07)


def test_thing_before_a_moving_camera() -> None:
    value = measured(film(GROUND, pan(0.1), 1.6, thing=RUNNER))["moving_object"]
    assert value["present"] and value["direction"] == "right" and value["colour"] == "red"


def test_camera_that_follows_a_thing() -> None:
    """The object stays in the middle of the picture, but moves relative to the background."""
    values = measured(film(GROUND, pan(0.3), 1.6, thing=Thing(lambda t: (0.5, 0.5))))
    assert values["camera_motion"]["label"] == "pan_right"
    value = values["moving_object"]
    assert value["present"] and value["direction"] == "right"
    assert value["start"] == pytest.approx(value["end"], abs=0.03)


@pytest.mark.parametrize(
    "path", [still, pan(0.2), zoom(0.3), shake(0.006)], ids=["still", "pan", "zoom", "shake"]
)
def test_nothing_moves(path: Path) -> None:
    assert measured(film(GROUND, path, 1.6))["moving_object"]["present"] is False
    assert (
        measured(film(GROUND, still, 1.0, thing=Thing(lambda t: (0.5, 0.5))))["moving_object"]["present"]
        is False
    )


def test_shot_scale_rests_on_evidence() -> None:
    assert measured(film(PLAIN, still, 1.0))["shot_scale"]["label"] == "unknown"
    near = measured(film(GROUND, still, 1.6, thing=Thing(lambda t: (0.3 + 0.2 * t, 0.5), (0.6, 0.8))))
    assert near["shot_scale"]["label"] == "close-up" and near["shot_scale"]["method"] == "moving_object"
    assert 0 < near["shot_scale"]["confidence"] < 0.5


# --- look -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("ff0000", "red"),
        ("c81e1e", "red"),
        ("7a0000", "dark red"),
        ("ffa500", "orange"),
        ("8b4513", "brown"),
        ("f5deb3", "beige"),
        ("ffff00", "yellow"),
        ("00ff00", "green"),
        ("008000", "green"),
        ("006400", "dark green"),
        ("808000", "olive"),
        ("008080", "teal"),
        ("00ffff", "cyan"),
        ("87ceeb", "light blue"),
        ("0000ff", "blue"),
        ("000080", "dark blue"),
        ("800080", "purple"),
        ("ff00ff", "magenta"),
        ("ffc0cb", "pink"),
        ("000000", "black"),
        ("404040", "dark grey"),
        ("808080", "grey"),
        ("c8c8c8", "light grey"),
        ("fafafa", "white"),
    ],
)
def test_colour_names(code: str, name: str) -> None:
    red, green, blue = bytes.fromhex(code)
    assert colour_name((red, green, blue)) == name


def test_palette_shares() -> None:
    picture = np.zeros((100, 100, 3), np.uint8)
    picture[:, :60], picture[:, 60:90], picture[:, 90:] = (200, 30, 30), (30, 60, 200), (250, 250, 250)
    found = main_colours(picture)
    assert [(c.name, round(c.share, 1)) for c in found] == [("red", 0.6), ("blue", 0.3), ("white", 0.1)]
    assert found[0].hex == "#c81e1e"
    assert main_colours(picture) == found
    value = OpencvMeasurer().colours(picture)
    assert value[0] == {"name": "red", "hex": "#c81e1e", "share": pytest.approx(0.6, abs=0.01)}
    assert [c.name for c in main_colours(np.full((4, 4, 3), 255, np.uint8))] == ["white"]


@pytest.mark.parametrize(("level", "label"), [(0.15, "dark"), (0.45, "normal"), (0.85, "bright")])
def test_brightness_labels(level: float, label: str) -> None:
    shots = [np.full((90, 160, 3), round(255 * level), np.uint8)] * 10
    value = measured(ArrayReader(shots))["brightness"]
    assert value["label"] == label and value["mean"] == pytest.approx(level, abs=0.01)
    assert value["std"] == 0.0 and not value["fade_in"] and not value["fade_out"]


def test_fades() -> None:
    reader = film(GROUND, still, 6.0, noise=0.5)
    gain = np.clip(np.minimum(np.arange(150), np.arange(150)[::-1] - 10) / 25, 0, 1)
    for first, last in ((True, True), (True, False), (False, True), (False, False)):
        gains = np.where(np.arange(150) < 75, gain if first else 1.0, gain if last else 1.0)
        shots = [(p * g).astype(np.uint8) for p, g in zip(reader.pictures, gains, strict=True)]
        value = measured(ArrayReader(shots))["brightness"]
        assert (value["fade_in"], value["fade_out"]) == (first, last)


def test_black_that_ends_at_once_is_no_fade() -> None:
    assert rises_from_black([0.0, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert not rises_from_black([0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5])
    assert not rises_from_black([0.0] * 8)
    assert not rises_from_black([0.3, 0.4, 0.5, 0.6, 0.7])


def test_sharpness() -> None:
    random = np.random.default_rng(2)
    picture = np.full((360, 640, 3), 60, np.uint8)
    for x, y in random.integers(0, 300, (60, 2)):
        cv2.rectangle(picture, (int(x) * 2, int(y)), (int(x) * 2 + 30, int(y) + 25), (220, 200, 190), -1)
    labels = []
    for sigma in (0, 1.8, 9.0):
        shot = cv2.GaussianBlur(picture, (0, 0), sigma) if sigma else picture
        labels.append(measured(ArrayReader([shot] * 3))["sharpness"])
    assert [value["label"] for value in labels] == ["sharp", "soft", "blurred"]
    assert labels[0]["laplacian_variance"] > labels[1]["laplacian_variance"] > labels[2]["laplacian_variance"]


# --- the whole --------------------------------------------------------------------------------


def test_kinds_and_one_frame() -> None:
    values = measured(film(GROUND, still, 0.04))
    assert list(values) == [
        "camera_motion",
        "shot_scale",
        "brightness",
        "palette",
        "sharpness",
        "moving_object",
        "clear_frames",
    ]
    assert values["camera_motion"]["label"] == "static" and values["camera_motion"]["confidence"] == 0.0
    assert values["moving_object"] == {"present": False, "seen": 0.0}


def test_same_again_and_part_of_a_video() -> None:
    reader = film(GROUND, lambda t: (0.0 if t < 1 else 0.3 * (t - 1), 0.0, 1.0))
    measurer = OpencvMeasurer()
    first, second = measurer.measure(reader, 0, 25), measurer.measure(reader, 25, 50)
    assert first[0].value["label"] == "static" and second[0].value["label"] == "pan_right"
    assert measurer.measure(reader, 25, 50) == second


@pytest.mark.parametrize(("start", "end"), [(3, 3), (-1, 2), (0, 11)])
def test_stretch_that_is_none(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="not in a video of 10 frames"):
        OpencvMeasurer().measure(ArrayReader([np.zeros((90, 160, 3), np.uint8)] * 10), start, end)


@pytest.mark.parametrize(
    ("name", "start_s", "end_s", "label"),
    [
        ("bbb_30s_vp8.webm", 3.0, 9.0, "tilt_down"),
        ("bbb_30s_vp8.webm", 16.0, 22.0, "static"),
        ("nasa_320p.mp4", 8.2, 13.0, "zoom_out"),
        ("asl_book.mkv", 0.0, 3.5, "static"),
    ],
)
def test_real_clips(name: str, start_s: float, end_s: float, label: str) -> None:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not beside this checkout")
    from backends.video.pyav_reader import PyavReader

    reader = PyavReader(DATA / name)
    start, end = (int(np.searchsorted(reader.table.seconds, s)) for s in (start_s, end_s))
    values = {m.kind: m.value for m in OpencvMeasurer().measure(reader, start, end)}
    reader.close()
    assert values["camera_motion"]["label"] == label
    assert values["sharpness"]["label"] == "sharp"

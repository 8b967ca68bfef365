"""What was measured in a scene, as words. Missing kinds and odd values give no words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CAMERA_VERBS = {
    "static": "stays still",
    "pan_left": "pans left",
    "pan_right": "pans right",
    "tilt_up": "tilts up",
    "tilt_down": "tilts down",
    "zoom_in": "zooms in",
    "zoom_out": "zooms out",
    "shake": "shakes",
    "mixed": "moves in several ways",
}
SHOTS = {"close-up": "close-up", "medium": "medium shot", "wide": "wide shot"}
LIGHT = {"dark": "dark", "bright": "bright"}
"""Normal brightness goes without a word."""
DIRECTIONS = {
    "left": "to the left",
    "right": "to the right",
    "up": "up",
    "down": "down",
    "up-left": "up and to the left",
    "up-right": "up and to the right",
    "down-left": "down and to the left",
    "down-right": "down and to the right",
    "in place": "in place",
}
NO_EVIDENCE = 0.05
"""A label with less confidence than this counts as not measured."""
UNSURE = 0.4
"""Below this, a label is told as what it seems to be."""
CLEAR_MOTION = 0.6
"""Confidence from which a movement of the camera is asked about."""
CLEAR_LEAD = 0.1
"""Of the largest colour before the next, in shares of the picture."""
OFTEN_SEEN = 0.5
"""Share of the frames looked at in which a shape was there."""
FAR = 0.15
"""Way of a shape that anybody would call a movement, in pictures."""
MAIN_SHARE = 0.12
"""Least share of the picture of a colour that dominates."""
_SENTENCE = re.compile(r"[.!?…。！？]+")


@dataclass(frozen=True, slots=True)
class SceneFacts:
    """One scene's facts as words; an empty string where nothing is known."""

    index: int
    start_s: float
    end_s: float
    camera: str
    """`pans left`, `seems to pan left`."""
    shot: str
    """`wide shot`."""
    light: str
    """`dark` or `bright`."""
    fades: str
    """`fades in and fades out`"""
    colours: tuple[str, ...]
    """At most three that dominate, the largest first."""
    shares: tuple[float, ...]
    """Of the picture, 0 to 1, as `colours`."""
    sharpness: str
    shape: str
    """What moves: `red shape`; empty where nothing was seen to move on its own."""
    way: str
    """Where to: `to the right`."""
    sure: frozenset[str]
    """Of `camera`, `colours` and `shape`: what was measured clearly enough to be asked about."""
    written: tuple[str, ...]
    """The lines of text in the picture."""
    voice: str
    voice_doubted: bool
    """Whether the speech model was unsure of some of it."""

    @property
    def mover(self) -> str:
        """`a red shape moves to the right`."""
        return f"{with_article(self.shape)} moves{' ' + self.way if self.way else ''}" if self.shape else ""

    @property
    def look(self) -> tuple[str, ...]:
        """What two neighbouring scenes must share to be told together."""
        seen = (self.camera, self.shot, self.light, *self.colours, self.sharpness, self.mover)
        return (*seen, *self.written, self.voice)


def scene_facts(scene: Mapping[str, Any]) -> SceneFacts:
    """From `{"index", "start_s", "end_s", "voice_over", "on_screen", "measurements": {kind: value}}`."""
    found = _mapping(scene.get("measurements"))
    values = {kind: _mapping(value) for kind, value in found.items()}
    light = values.get("brightness", {})
    colours = main_colours(found.get("palette"))
    return SceneFacts(
        index=int(number(scene.get("index"))),
        start_s=number(scene.get("start_s")),
        end_s=number(scene.get("end_s")),
        camera=_camera(values.get("camera_motion", {})),
        shot=SHOTS.get(_label(values.get("shot_scale", {})), ""),
        light=LIGHT.get(_label(light), ""),
        fades=_fades(light),
        colours=tuple(name for name, _ in colours),
        shares=tuple(share for _, share in colours),
        sharpness=_sharpness(_label(values.get("sharpness", {}))),
        shape=_shape(values.get("moving_object", {})),
        way=DIRECTIONS.get(str(values.get("moving_object", {}).get("direction") or "").strip().lower(), ""),
        sure=_sure(values, colours),
        written=tuple(line for line in str(scene.get("on_screen") or "").splitlines() if line.strip()),
        voice=_voice(" ".join(str(scene.get("voice_over") or "").split())),
        voice_doubted=bool(scene.get("voice_doubted")),
    )


def main_colours(palette: Any) -> list[tuple[str, float]]:
    """(name, share) of at most three colours, the largest first.

    `palette` is a list of `{"name", "share"}` or a mapping with such a list in `colours`.
    """
    rows = palette.get("colours", palette.get("colors", ())) if isinstance(palette, Mapping) else palette
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        return []
    shares: dict[str, float] = {}
    for row in rows:
        if isinstance(row, Mapping) and row.get("name"):
            name = str(row["name"]).strip().lower()
            shares[name] = shares.get(name, 0.0) + number(row.get("share"))
    ranked = sorted(shares.items(), key=lambda item: -item[1])
    return [item for item in ranked if item[1] >= MAIN_SHARE][:3] or ranked[:1]


def number(value: Any) -> float:
    """A number, 0 where there is none."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def with_article(noun: str) -> str:
    """`a wide shot`, `an orange shape`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _voice(said: str) -> str:
    """Without what repeats itself: speech models write such babble where there is music or noise."""
    words = [word.strip(".,!?").lower() for word in said.split()]
    sentences = [part.strip().lower() for part in _SENTENCE.split(said) if part.strip()]
    repeats = len(set(sentences)) < len(sentences) or 2 * len(set(words)) < len(words)
    return "" if repeats else said


def _camera(value: Mapping[str, Any]) -> str:
    verb = CAMERA_VERBS.get(_label(value), "")
    if verb and number(value.get("confidence", 1.0)) < UNSURE:
        first, _, rest = verb.partition(" ")
        return f"seems to {first.removesuffix('s')}{' ' + rest if rest else ''}"
    return verb


def _label(value: Mapping[str, Any]) -> str:
    if number(value.get("confidence", 1.0)) < NO_EVIDENCE:
        return ""
    return str(value.get("label", "")).strip().lower()


def _fades(value: Mapping[str, Any]) -> str:
    ways = [f"fades {way}" for way in ("in", "out") if value.get(f"fade_{way}")]
    return listed(ways)


def _sharpness(label: str) -> str:
    return {"sharp": "sharp", "soft": "soft", "blurred": "blurred", "blurry": "blurred"}.get(label, "")


def _shape(value: Mapping[str, Any]) -> str:
    """`present` with any of `colour`, `share_of_frame`, `direction`; shapes, never names of things."""
    if not value.get("present"):
        return ""
    colour = value.get("colour") or value.get("color") or ""
    name = colour.get("name", "") if isinstance(colour, Mapping) else str(colour)
    return f"{name} shape".strip()


def _sure(values: Mapping[str, Mapping[str, Any]], colours: Sequence[tuple[str, float]]) -> frozenset[str]:
    camera, mover = values.get("camera_motion", {}), values.get("moving_object", {})
    shares = [share for _, share in colours]
    found = {
        "camera": number(camera.get("confidence", 1.0)) >= CLEAR_MOTION,
        "colours": bool(shares) and shares[0] - (shares[1] if len(shares) > 1 else 0.0) >= CLEAR_LEAD,
        "shape": number(mover.get("seen")) >= OFTEN_SEEN and _distance(mover) >= FAR,
    }
    return frozenset(name for name, clear in found.items() if clear)


def _distance(mover: Mapping[str, Any]) -> float:
    """Between the first and the last place of a shape, in widths and heights of the picture."""
    ends = [mover.get(name) for name in ("start", "end")]
    first, last = ([number(part) for part in end] if isinstance(end, Sequence) else [] for end in ends)
    return math.dist(first, last) if len(first) == len(last) == 2 else 0.0


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

"""Describe the measurements of a scene in words. Missing kinds and invalid values give no words."""

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
"""Normal brightness is not mentioned."""
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
"""A label with a lower confidence counts as not measured."""
UNSURE = 0.4
"""A label with a lower confidence is described with "seems to"."""
CLEAR_MOTION = 0.6
"""Minimum confidence of a camera movement for a question about it."""
CLEAR_LEAD = 0.1
"""Minimum lead of the largest colour over the next, in shares of the picture."""
OFTEN_SEEN = 0.5
"""Minimum share of the sampled frames that contain a shape."""
FAR = 0.15
"""Minimum distance of a clearly moving shape, in picture sizes."""
MAIN_SHARE = 0.12
"""Minimum share of the picture of a dominant colour."""
_SENTENCE = re.compile(r"[.!?…。！？]+")


@dataclass(frozen=True, slots=True)
class SceneFacts:
    """Facts of one scene as words; unknown ones are empty strings."""

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
    """At most three dominant colours, the largest first."""
    shares: tuple[float, ...]
    """Shares of the picture, 0 to 1, in the order of `colours`."""
    sharpness: str
    shape: str
    """The moving object, such as `red shape`; empty if nothing moves on its own."""
    way: str
    """Direction of the movement, such as `to the right`."""
    sure: frozenset[str]
    """Which of `camera`, `colours` and `shape` are clear enough for questions."""
    written: tuple[str, ...]
    """Lines of text on screen."""
    voice: str
    voice_doubted: bool
    """Whether the speech model was unsure of parts of it."""

    @property
    def mover(self) -> str:
        """`a red shape moves to the right`."""
        return f"{with_article(self.shape)} moves{' ' + self.way if self.way else ''}" if self.shape else ""

    @property
    def look(self) -> tuple[str, ...]:
        """Values that are equal in neighbouring scenes that are described together."""
        seen = (self.camera, self.shot, self.light, *self.colours, self.sharpness, self.mover)
        return (*seen, *self.written, self.voice)


def scene_facts(scene: Mapping[str, Any]) -> SceneFacts:
    """Read `{"index", "start_s", "end_s", "voice_over", "on_screen", "measurements": {kind: value}}`."""
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
    """Return (name, share) of at most three colours, the largest first.

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
    """Return the number, or 0 for any other value."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def listed(words: Sequence[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def with_article(noun: str) -> str:
    """Return, for example, `a wide shot` or `an orange shape`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _voice(said: str) -> str:
    """Return the speech, or nothing if it repeats itself: speech models do so for music and noise."""
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
    """Describe the shape from `present`, `colour`, `share_of_frame`, `direction`; objects are never named."""
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
    """Return the distance between a shape's first and last place, in picture widths and heights."""
    ends = [mover.get(name) for name in ("start", "end")]
    first, last = ([number(part) for part in end] if isinstance(end, Sequence) else [] for end in ends)
    return math.dist(first, last) if len(first) == len(last) == 2 else 0.0


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

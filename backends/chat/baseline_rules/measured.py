"""What was measured in a scene, as words. Missing kinds and odd values give no words."""

from __future__ import annotations

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
MAIN_SHARE = 0.12
"""Least share of the picture of a colour that dominates."""


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
    mover: str
    """`A red shape that covers about 12 % of the picture moves to the right`."""
    voice: str

    @property
    def look(self) -> tuple[str, ...]:
        """What two neighbouring scenes must share to be told together."""
        return (self.camera, self.shot, self.light, *self.colours, self.sharpness, self.mover, self.voice)


def scene_facts(scene: Mapping[str, Any]) -> SceneFacts:
    """From `{"index", "start_s", "end_s", "voice_over", "measurements": {kind: value}}`."""
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
        mover=_mover(values.get("moving_object", {})),
        voice=" ".join(str(scene.get("voice_over") or "").split()),
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


def percent(share: float) -> str:
    """`12 %`."""
    return f"{round(100 * share)} %"


def with_article(noun: str) -> str:
    """`a wide shot`, `an orange shape`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


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


def _mover(value: Mapping[str, Any]) -> str:
    """`present` with any of `colour`, `share_of_frame`, `direction`; shapes, never names of things."""
    if not value.get("present"):
        return ""
    colour = value.get("colour") or value.get("color") or ""
    name = colour.get("name", "") if isinstance(colour, Mapping) else str(colour)
    shape = with_article(f"{name} shape".strip())
    share = number(value.get("share_of_frame"))
    size = f" that covers about {percent(share)} of the picture" if share >= 0.005 else ""
    way = DIRECTIONS.get(str(value.get("direction") or "").strip().lower(), "")
    return f"{shape[0].upper()}{shape[1:]}{size} moves{' ' + way if way else ''}"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

"""Whether a text's statement on camera movement is consistent with the measured movement.

The rules are conservative: they report a contradiction only if no plain reading of the text is
consistent with the measurement. All other cases are `cannot tell`.
"""

from __future__ import annotations

import re
from typing import Literal

Claim = Literal["agree", "contradict", "cannot tell"]

SURE_FROM = 0.3
"""Minimum confidence of a measurement that may contradict a text."""

_FILLER = (
    r"(?:slowly|slightly|gently|smoothly|steadily|quickly|rapidly|gradually|briefly|then|it|its|view|way|"
    r"camera|across|along|back|further|to|towards?|the|a|an|bit|little|horizontally|vertically)"
)
_BETWEEN = rf"(?:[\s,]+{_FILLER}){{0,5}}[\s-]+"
_PAN = (
    r"(?:pan(?:s|ned|ning)?|swings?|turns?|trucks?|trucking|tracks?|tracking|slides?|sliding|moves?|moving)"
)
_TILT = r"(?:tilt(?:s|ed|ing)?|pedestals?|cranes?|booms?|rises?|rising|lowers?|moves?|moving)"
_ZOOM = r"(?:zoom(?:s|ed|ing)?|push(?:es|ing)?|doll(?:y|ies|ying)|moves?|moving)"

_MOVES: tuple[tuple[str, str], ...] = (
    (rf"{_PAN}{_BETWEEN}left(?:ward|wards)?\b", "pan_left"),
    (rf"{_PAN}{_BETWEEN}right(?:ward|wards)?\b", "pan_right"),
    (r"(?:left|leftward)[\s-]+pan\b|pan[\s-]left", "pan_left"),
    (r"(?:right|rightward)[\s-]+pan\b|pan[\s-]right", "pan_right"),
    (rf"{_TILT}{_BETWEEN}up(?:ward|wards)?\b|upward tilt", "tilt_up"),
    (rf"{_TILT}{_BETWEEN}down(?:ward|wards)?\b|downward tilt", "tilt_down"),
    (rf"{_ZOOM}{_BETWEEN}(?:in|into|closer|forward|forwards)\b|zoom[\s-]?in\b|push[\s-]?in\b", "zoom_in"),
    (
        rf"(?:{_ZOOM}|pull(?:s|ed|ing)?){_BETWEEN}(?:out|back|backward|backwards|away)\b"
        r"|zoom[\s-]?out\b|pull[\s-]?(?:out|back)\b",
        "zoom_out",
    ),
    (r"\bpan(?:s|ned|ning)?\b", "pan"),
    (r"\btilt(?:s|ed|ing)?\b", "tilt"),
    (r"\bzoom(?:s|ed|ing)?\b", "zoom"),
    (
        r"\b(?:follows?|following|tracking|tracks|trucks|doll(?:y|ies)|orbits?|circles|glides?|sweeps?|crane|"
        r"drone|flies|travel(?:s|ling|ing))\b|\bmov(?:es|ing)\b",
        "move",
    ),
    (r"\bshak(?:es|y|ing)\b|\bhand-?held\b|\bjitter", "shake"),
    (r"\b(?:static|still|fixed|stationary|motionless|unmoving|immobile|locked)\b", "static"),
)
_NOT = re.compile(r"\b(?:no|not|never|without|neither|nor|hardly)\b|n[’']t\b", re.IGNORECASE)
_FROM_TO = re.compile(
    r"\bfrom\s+(?:the\s+)?(?:left|right|top|bottom|up|down)(?:\s+side)?\s+(to\s+(?:the\s+)?)"
    r"(left|right|top|bottom|up|down)",
    re.IGNORECASE,
)
_OPPOSITE = {
    "pan_left": "pan_right",
    "tilt_up": "tilt_down",
    "zoom_in": "zoom_out",
    "pan_right": "pan_left",
    "tilt_down": "tilt_up",
    "zoom_out": "zoom_in",
}


def camera_claims(text: str) -> frozenset[str]:
    """The movements that a text names: measured labels, or `pan`, `tilt`, `zoom`, `move` without a direction.

    A clause with a "no" or "not" about movement claims `static`.
    """
    found: set[str] = set()
    for clause in re.split(r"[.;!?]|,?\s+(?:but|and then|then|while|before|after)\s+", text):
        plain = _FROM_TO.sub(_direction, clause)
        named = _named(plain)
        if _NOT.search(plain) and named - {"static", "shake"}:
            named = {"static"}
        elif _NOT.search(plain):
            named = {"static"} if re.search(r"\bmove(?:ment)?\b|\bmotion\b", plain, re.IGNORECASE) else set()
        found |= named
    return frozenset(found)


def _direction(match: re.Match[str]) -> str:
    word = match[2].lower()
    return f"{match[1]}{ {'top': 'up', 'bottom': 'down'}.get(word, word) }"


def _named(clause: str) -> set[str]:
    """The movements of one clause; a movement with a direction replaces the bare word."""
    named = {label for pattern, label in _MOVES if re.search(pattern, clause, re.IGNORECASE)}
    directed = {label.split("_")[0] for label in named if "_" in label}
    return named - directed - ({"move"} if directed or named & {"pan", "tilt", "zoom"} else set())


def camera_claim(text: str, measured_label: str) -> Claim:
    """Compare a text with a `camera_motion` label (`static`, `pan_left` ... `shake`, `mixed`, or empty)."""
    if not measured_label:
        return "cannot tell"
    claims = camera_claims(text) - {"shake"}
    if measured_label == "shake":
        return "agree" if "shake" in camera_claims(text) else "cannot tell"
    if not claims or measured_label not in {*_OPPOSITE, "static", "mixed"}:
        return "cannot tell"
    moves = claims - {"static"}
    if measured_label == "static":
        return _against_static(moves, "static" in claims)
    if not moves:
        return "contradict"
    if measured_label == "mixed" or "static" in claims:
        return "cannot tell"
    return _against_move(moves, measured_label)


def _against_static(moves: frozenset[str], static: bool) -> Claim:
    if moves and static:
        return "cannot tell"
    return "contradict" if moves else "agree"


def _against_move(moves: frozenset[str], label: str) -> Claim:
    """`label` is a movement with a direction; the text names at least one movement."""
    fitting = {label, label.split("_")[0], "move"}
    if moves <= fitting:
        return "agree"
    # Of several successive movements, the measurement names only the main one.
    return "cannot tell" if moves & fitting else "contradict"

"""Word lists of the rules."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


UNITS = _set("second seconds minute minutes percent frames frame fps s ms meters metres m cm mm km")
BE = _set("is are was were stands stand sits sit lies lie hangs hang rests rest remains remain stays stay")
"""Verbs that may precede the place of an object."""
PLACES = _set(
    """in on at near under behind beside above below inside outside between against across along around over
    beneath within atop"""
)
SEQUENCE = _set(
    "then afterwards afterward next finally meanwhile subsequently suddenly again eventually later"
)
"""Words that order actions in time."""
CONTRASTS: tuple[frozenset[str], ...] = (
    _set("left right"),
    _set("up down"),
    _set("bright dark dim"),
    _set("static moving"),
    _set("indoor outdoor"),
    _set("day night"),
    _set("before after"),
    _set("first last"),
    _set("clockwise counterclockwise anticlockwise"),
    _set("man woman boy girl"),
    _set("wide close medium"),
    _set("pan tilt zoom"),
)
"""Sets of words that exclude each other, as keys of `word_key`."""

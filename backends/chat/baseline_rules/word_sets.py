"""Word lists of the rules."""

from __future__ import annotations

from backends.text.words import word_set

UNITS = word_set("second seconds minute minutes percent frames frame fps s ms meters metres m cm mm km")
BE = word_set(
    "is are was were stands stand sits sit lies lie hangs hang rests rest remains remain stays stay"
)
"""Verbs that may precede the place of an object."""
PLACES = word_set(
    """in on at near under behind beside above below inside outside between against across along around over
    beneath within atop"""
)
SEQUENCE = word_set(
    "then afterwards afterward next finally meanwhile subsequently suddenly again eventually later"
)
"""Words that order actions in time."""
CONTRASTS: tuple[frozenset[str], ...] = (
    word_set("left right"),
    word_set("up down"),
    word_set("bright dark dim"),
    word_set("static moving"),
    word_set("indoor outdoor"),
    word_set("day night"),
    word_set("before after"),
    word_set("first last"),
    word_set("clockwise counterclockwise anticlockwise"),
    word_set("man woman boy girl"),
    word_set("wide close medium"),
    word_set("pan tilt zoom"),
)
"""Sets of words that exclude each other, as keys of `word_key`."""

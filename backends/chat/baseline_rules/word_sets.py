"""Word lists of the rules."""

from __future__ import annotations

from backends.chat.baseline_rules.words_and_sentences import word_key


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


COLOURS = _set(
    """red orange yellow green blue purple violet pink brown black white gray grey beige teal turquoise
    cyan magenta maroon navy olive gold golden silver tan cream crimson scarlet indigo amber
    bronze khaki lavender"""
)
SHADES = _set("light dark pale deep bright")
NUMBERS = _set(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty"
)
UNITS = _set("second seconds minute minutes percent frames frame fps s ms meters metres m cm mm km")
BE = _set("is are was were stands stand sits sit lies lie hangs hang rests rest remains remain stays stay")
"""Verbs that may precede the place of an object."""
PLACES = _set(
    """in on at near under behind beside above below inside outside between against across along around over
    beneath within atop"""
)
MOTIONS = frozenset(
    word_key(word)
    for word in _set(
        """walk run jump move turn pan tilt zoom shake swing throw catch kick hit push pull lift drop raise
    lower pick put place take give hold grab reach bend lean kneel crouch rise climb crawl roll
    slide spin rotate fly swim dive ride drive row dance sing speak say talk laugh smile wave nod
    point clap eat drink cook cut slice chop pour stir mix wash wipe clean open close enter leave
    exit approach follow chase pass cross stop start begin continue finish return shift transition
    appear disappear fade cut attack block deflect fight parry defend play perform practice
    demonstrate write draw paint type read press touch tap shoot aim score win fall land
    float flow drift look glance gaze watch step march stride hop skip stretch shave brush comb
    tie wrap fold pack load carry drag travel sway twist squeeze peel grate roast fry bake spread
    sprinkle gesture adjust attach remove assemble hammer drill saw sew knit dig plant water feed
    pet stroke hug kiss shake greet bow sprint accelerate slow decelerate happen change"""
    )
)
"""Keys of verbs that describe an action or a change."""
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

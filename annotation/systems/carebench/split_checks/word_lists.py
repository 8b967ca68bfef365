"""Lists of words for the checks of a split, as lemmas or as written.

An action is any verb that is not a known state verb. The lists of state verbs are therefore closed, and
a verb in none of the lists is an action.
"""

from __future__ import annotations

import re
from pathlib import Path

from backends.text.common_words import COLOURS as NAMED_COLOURS
from backends.text.lemmas import lemma
from backends.text.word_list_files import headed_lists
from backends.text.words import word_set

_WORDS = headed_lists(Path(__file__).parent / "words" / "vocabulary.txt")


def verbs(words: str) -> frozenset[str]:
    """Words as lemmas."""
    return frozenset(lemma(word) for word in words.split())


COPULA = frozenset(("be",))
LIGHT_VERBS = verbs(_WORDS["light verbs"])

STATES = verbs(_WORDS["states"])
"""Verbs that describe a state, looks or a place with any subject."""

THING_STATES = verbs(_WORDS["thing states"])
"""State verbs if the subject is a thing; actions if it is a person."""

POSTURES = verbs(_WORDS["postures"])
"""Verbs of posture ("sit"): states, but actions if a person handles an object or with "up" or "down"."""

EXTENTS = verbs(_WORDS["extents"])
"""Verbs of roads, walls or stairs that do not express motion."""

SET_DOWN = verbs(_WORDS["set down"])
"""Postures that are actions when a person does them to a thing."""

UPRIGHT = frozenset(("up", "down", "back", "over", "around", "round", "forward", "away", "off", "out"))

PLACED = verbs(_WORDS["placed"]) - verbs(_WORDS["placed, left out"])
"""Participles that, with "is" or "are", describe a state and not an action."""

MOVES = verbs(_WORDS["moves"])
"""Verbs without an object: "sprinted" is not a passive. Their forms in -s are seldom nouns."""
ALSO_NOUNS = verbs(_WORDS["also nouns"])
"""Verbs of these lists whose forms in -s are often nouns."""
HANDLES = verbs(_WORDS["handles"])
"""Action verbs other than verbs of motion."""
DOING = MOVES | HANDLES
SURELY_MOVES, SURELY_DOING = MOVES - ALSO_NOUNS, DOING - ALSO_NOUNS
"""Verbs whose forms in -s are hardly ever nouns."""
WITH = verbs(_WORDS["with"])
"""Verbs that "with" may follow."""
GERUNDS = word_set(_WORDS["gerunds"])
"""Before a noun without an article they state a purpose: "landing mats"."""
PREPOSITIONS = word_set("round past near like opposite beside across along around over under")
RISING = verbs(_WORDS["rising"])
"""Subjects with which "rises" is an action."""
BODY = word_set(_WORDS["body"])

PASSING = verbs(_WORDS["passing"])
"""Verbs whose passive describes an action, not a state: "the dough is kneaded"."""

ORDER = re.compile(
    r"\b(?:at (?:first|last)|after that|after this|in the end|lastly|later on)\b"
    r"|^(?:first|next|later)(?=,|\s+(?:there|we|it|he|she|they|an?|the)\b)",
    re.IGNORECASE,
)
"""Phrases that order events."""

SEQUENCE = word_set("then afterwards afterward subsequently suddenly eventually thereupon meanwhile finally")

COLOURS = NAMED_COLOURS | word_set(_WORDS["colours"]) - word_set("rose rust lime mint peach chocolate ginger")
MATERIALS = word_set(_WORDS["materials"])
PATTERNS = word_set(_WORDS["patterns"])
LOOKS = word_set(_WORDS["looks"])
GARMENTS = verbs(_WORDS["garments"])
APPEARANCE = verbs(_WORDS["appearance"]) | GARMENTS
"""Features of a person or an animal."""

ANIMATE = verbs(_WORDS["animate"])
_AGENT = ("er", "or", "ist", "man", "woman", "men", "women", "ant", "ian")
_THINGS = verbs(_WORDS["things"])


def animate(word: str, key: str) -> bool:
    """Whether a noun names a person, an animal, or a thing that moves by itself (a rough guess)."""
    if word.endswith("ing") and word != "king":  # "training" is not a train
        return False
    if key in ANIMATE:
        return True
    return key not in _THINGS and word.removesuffix("s").endswith(_AGENT) and len(word) > 4


OVERVIEW = (
    r"^(?:overall,?\s+|in (?:this|the|short,?)\s+)?(?:this|the|a|an)?\s*"
    r"(?:is\s+|short\s+|brief\s+|whole\s+|entire\s+)*"
    r"(?:video|clip|footage|film|recording|movie|vlog|excerpt)\b"
    r"|^(?:this|the|an?)\s+(?:[\w-]+,?\s+){0,3}(?:video|clip|footage|film|recording|sequence|episode|programme|program"
    r"|documentary|tutorial|scene|short|animation|montage|report|vlog|advert|commercial|trailer|time-lapse)\s+"
    r"(?:show|captur|depict|present|record|follow|featur|document|portray|demonstrat|trac|explain|introduc|chronicl"
    r"|condens|cover|teach|tell)\w*"
    r"|^(?:this|it|here)\s+(?:is|shows)\s+(?:a|an|the)?\s*(?:[\w-]+\s+){0,2}(?:video|clip|footage|film|recording)\b"
    r"|^[^,.;]+\b(?:is|are)\s+(?:the\s+(?:subject|topic|theme|focus|content)\s+of|(?:what|shown|seen|captured|recorded|filmed)\b"
    r"[^,.;]*\bin)\s+(?:this|the)\s+(?:\w+\s+)?(?:video|clip|footage|film|recording)\b"
)
"""Beginnings of a sentence that summarises the video."""

"""Lists of words that the checks of a split go by, as lemmas or as they are written.

An action is any verb that is not known to tell of a state: so the lists of states are closed, and
a verb that nobody thought of is an action.
"""

from __future__ import annotations

import re
from pathlib import Path

from backends.text.common_words import COLOURS as NAMED_COLOURS
from backends.text.lemmas import lemma
from backends.text.word_list_files import headed_lists

_WORDS = headed_lists(Path(__file__).parent / "words" / "vocabulary.txt")


def verbs(words: str) -> frozenset[str]:
    """Words as lemmas."""
    return frozenset(lemma(word) for word in words.split())


def plain(words: str) -> frozenset[str]:
    """Words as they stand."""
    return frozenset(words.split())


COPULA = frozenset(("be",))
LIGHT_VERBS = verbs(_WORDS["light verbs"])

STATES = verbs(_WORDS["states"])
"""Verbs that tell how something is, looks or where it has its place, whoever does it."""

THING_STATES = verbs(_WORDS["thing states"])
"""The same of things; of people they are actions."""

POSTURES = verbs(_WORDS["postures"])
"""States of a body or a thing; with an object that a person handles, or with "down" or "up", actions."""

EXTENTS = verbs(_WORDS["extents"])
"""What a road, a wall or a stair does without moving."""

SET_DOWN = verbs(_WORDS["set down"])
"""Postures that are actions when somebody does them to a thing."""

UPRIGHT = frozenset(("up", "down", "back", "over", "around", "round", "forward", "away", "off", "out"))

PLACED = verbs(_WORDS["placed"]) - verbs(_WORDS["placed, left out"])
"""Participles that, with "is" or "are", tell how something is and not what is done to it."""

MOVES = verbs(_WORDS["moves"])
"""Verbs that need no object: "sprinted" is no passive. Their forms in -s are seldom nouns."""
ALSO_NOUNS = verbs(_WORDS["also nouns"])
"""Of these the forms in -s often are."""
HANDLES = verbs(_WORDS["handles"])
"""Verbs of doing, beside those of moving."""
DOING = MOVES | HANDLES
SURELY_MOVES, SURELY_DOING = MOVES - ALSO_NOUNS, DOING - ALSO_NOUNS
"""Those whose forms in -s are hardly ever nouns."""
WITH = verbs(_WORDS["with"])
"""Verbs that "with" may follow."""
GERUNDS = plain(_WORDS["gerunds"])
"""Before a noun without an article they say what a thing is for: "landing mats"."""
PREPOSITIONS = plain("round past near like opposite beside across along around over under")
RISING = verbs(_WORDS["rising"])
"""Things of which "rises" tells an action."""
BODY = plain(_WORDS["body"])

PASSING = verbs(_WORDS["passing"])
"""Passives of these tell what is done, not how something is: "the dough is kneaded"."""

ORDER = re.compile(
    r"\b(?:at (?:first|last)|after that|after this|in the end|lastly|later on)\b"
    r"|^(?:first|next|later)(?=,|\s+(?:there|we|it|he|she|they|an?|the)\b)",
    re.IGNORECASE,
)
"""The same in more words."""

SEQUENCE = plain("then afterwards afterward subsequently suddenly eventually thereupon meanwhile finally")

COLOURS = NAMED_COLOURS | plain(_WORDS["colours"]) - plain("rose rust lime mint peach chocolate ginger")
MATERIALS = plain(_WORDS["materials"])
PATTERNS = plain(_WORDS["patterns"])
LOOKS = plain(_WORDS["looks"])
GARMENTS = verbs(_WORDS["garments"])
APPEARANCE = verbs(_WORDS["appearance"]) | GARMENTS
"""What somebody or an animal has about them."""

ANIMATE = verbs(_WORDS["animate"])
_AGENT = ("er", "or", "ist", "man", "woman", "men", "women", "ant", "ian")
_THINGS = verbs(_WORDS["things"])


def animate(word: str, key: str) -> bool:
    """Whether a noun names a person, an animal, or a thing that moves by itself (a rough guess)."""
    if word.endswith("ing") and word != "king":  # "training" is no train
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
"""How a sentence that sums the video up begins."""

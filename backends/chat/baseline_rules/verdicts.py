"""Judge answers by shared content words; words that exclude each other prevent a yes."""

from __future__ import annotations

import re

from backends.chat.baseline_rules.word_sets import CONTRASTS
from backends.text.common_words import COLOURS
from backends.text.words import keys, tokens

MATCH = 0.5
"""Minimum F1 of shared words for a yes."""
RECALL = 0.6
"""Minimum share of the reference's words for a yes."""

_NOTHING = re.compile(
    r"\bnot (?:\w+ )?(?:mention|specif|describ|stat|provid|given|known|clear)|^\W*(?:unknown|none|n/?a)\W*$"
    r"|\bno (?:information|mention)\b",
    re.IGNORECASE,
)
_POLARITY = re.compile(r"^\W*(yes|no)\b", re.IGNORECASE)
_ZOOM = re.compile(r"\bzoom\w*\W+(in|out)\b", re.IGNORECASE)
_FADE = re.compile(r"\bfad\w*\W+(in|out)\b", re.IGNORECASE)
_COLOUR_KEYS = frozenset(keys(" ".join(COLOURS)))


def verdict(question: str, reference: str, answer: str) -> tuple[str, int]:
    """Return (`yes` or `no`, 0 to 5): how well `answer` states what `reference` states."""
    if special := _special(reference, answer):
        return special
    wanted, given = _compared(question, reference, answer)
    if not wanted or not given:
        return "no", 0
    shared = len(wanted & given)
    recall, precision = shared / len(wanted), shared / len(given)
    f1 = 2 * recall * precision / (recall + precision) if shared else 0.0
    if _contradicts(keys(reference), keys(answer), reference, answer):
        return "no", min(1, round(2 * f1))
    if recall == 1.0 or (recall >= RECALL and f1 >= MATCH):
        return "yes", max(3, min(5, round(3 + 2 * f1)))
    return "no", min(2, round(4 * f1))


def _special(reference: str, answer: str) -> tuple[str, int] | None:
    """Handle cases that the number of shared words does not decide."""
    if not answer.strip():
        return "no", 0
    if [token.key for token in tokens(reference)] == [token.key for token in tokens(answer)]:
        return "yes", 5
    nothing = bool(_NOTHING.search(reference)), bool(_NOTHING.search(answer))
    if any(nothing):
        return ("yes", 5) if all(nothing) else ("no", 0)
    says, said = _POLARITY.match(reference), _POLARITY.match(answer)
    if says and said:
        return ("yes", 5) if says[1].lower() == said[1].lower() else ("no", 0)
    return None


def _compared(question: str, reference: str, answer: str) -> tuple[set[str], set[str]]:
    """Return the keys to compare, without those of the question unless no others are left."""
    asked = keys(question)
    wanted, given = keys(reference) or _all(reference), keys(answer) or _all(answer)
    if wanted - asked:
        return wanted - asked, (given - asked) or given
    return wanted, given


def _all(text: str) -> set[str]:
    return {token.key for token in tokens(text)}


def _contradicts(wanted: set[str], given: set[str], reference: str, answer: str) -> bool:
    groups = [*CONTRASTS, _COLOUR_KEYS]
    if any(wanted & group and given & group and not wanted & given & group for group in groups):
        return True
    numbers = [{key for key in side if key[0].isdecimal()} for side in (wanted, given)]
    if all(numbers) and not numbers[0] & numbers[1]:
        return True
    return any(_differs(pattern, reference, answer) for pattern in (_ZOOM, _FADE))


def _differs(pattern: re.Pattern[str], reference: str, answer: str) -> bool:
    ways = [{way.lower() for way in pattern.findall(text)} for text in (reference, answer)]
    return all(ways) and not ways[0] & ways[1]

"""What the split lost, what it made up, and whether the temporal text still has the overview.

Words are compared by their rough stems. A word that the full caption has often counts for less:
that "the man" is on a side says nothing about what he did.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from annotation.split_checks import vocabulary as v
from annotation.split_checks.actions import is_verb
from annotation.split_checks.clauses import clauses
from annotation.split_checks.finding import Finding, Side, Texts, at
from annotation.split_checks.synonyms import SAME
from annotation.split_checks.tagging import Word, tagged
from backends.chat.rules.language import Clause, Token, content, sentences, tokens, word_key

LOST = 0.45
"""A clause of the full caption is lost when the sides hold a smaller share of it (weighted)."""
ALIKE = 0.8
"""What a word of the full caption counts for when a side only has another word for it."""
INVENTED = 0.4
"""A clause of a side is made up when the full caption holds a smaller share of it (weighted)."""
OVERVIEW = 0.5
"""Share of the first sentence's words that a sentence must hold to be the overview in other words."""
_NUMBERS = re.compile(r"\d+")
_SUMS_UP = re.compile(v.OVERVIEW, re.IGNORECASE)
_SIDES: tuple[Side, Side] = ("spatial", "temporal")


def _stems(words: str) -> frozenset[str]:
    return frozenset(word_key(word) for word in words.split())


_NONE: frozenset[str] = frozenset()
_GENERIC = _stems(
    """man woman person people boy girl child someone individual figure thing object item area place
    scene background foreground side top front back middle centre left right view shot camera video
    clip footage setting room part one other another several some visible located next close far
    nearby there position way time moment wide general main whole such certain various different
    same above below kind type small large big shown seen first second last third next former latter
    colour color look male female opponent rival protagonist subject participant character performer
    guy lady gentleman owner partner counterpart animal pet someone somebody else beginning end
    year age final order turn move result effort picture frame image presence appearance action activity
    process event task whole rest number amount set group pair couple"""
)
"""Words that a split may need and that tell nothing new."""
_REFERS = re.compile(r"\b(?:it|them)\b|\b(?:him|her|so|this|that)\b[,.;]*$", re.IGNORECASE)
_DIRECTIONS = frozenset(("left", "right", "up", "down"))


# --- lost -----------------------------------------------------------------------------


def lost(texts: Texts) -> Iterator[Finding]:
    """Clauses of the full caption that neither side tells of; nothing while both sides are empty.

    A colour, number or direction that a side changed is no loss: `invented` tells of it.
    """
    if not (texts.spatial.strip() or texts.temporal.strip()):
        return
    weights = _weights(texts.full)
    held = _keys(texts.spatial) | _keys(texts.temporal)
    overview = overview_of(texts.full)
    for clause in clauses(texts.full):
        if overview and clause.start < overview.end and overview.start < clause.end:
            continue  # `no_overview` tells of that one
        share = _share(clause.text, held, weights, alike=ALIKE)
        if share is not None and share < LOST:
            why = "neither side tells of this"
            yield at("lost", "full", texts.full, clause.start, clause.end, why)


def holds(text: str, words: str) -> float:
    """Share of the words' content that a text holds, from 0 to 1; 1 when they have none."""
    share = _share(words, _keys(text), {})
    return 1.0 if share is None else share


def _weights(text: str) -> Mapping[str, float]:
    counts = Counter(token.key for token in _content(text))
    return {key: 1.0 / n for key, n in counts.items()}


def _share(
    words: str, held: frozenset[str], weights: Mapping[str, float], *, alike: float = 1.0
) -> float | None:
    """Share of the words that is held; one held in another word counts `alike`. None without words."""
    every = _content(words)
    wanted = {t.key for t in every if not _exact(t.text.lower(), t.key)} or {t.key for t in every}
    total = sum(weights.get(key, 1.0) for key in wanted)
    if not wanted:
        return None
    return sum(weights.get(key, 1.0) * _held(key, held, alike) for key in wanted) / total


def _held(key: str, held: frozenset[str], alike: float) -> float:
    if key in held or any(_kin(key, other) for other in held):
        return 1.0
    return alike if _has(key, held) else 0.0


def _content(text: str) -> list[Token]:
    return [t for t in content(text) if t.key not in _LINKS]


_LINKS = _stems("""finally next overall again both all while there upon within once more anew too still
    already now
    meanwhile later afterwards then become get begin initially eventually also another""")


@lru_cache(maxsize=64)
def _keys(text: str) -> frozenset[str]:
    return frozenset(token.key for token in tokens(text))


def _has(key: str, held: frozenset[str]) -> bool:
    if key in held or not SAME.get(key, _NONE).isdisjoint(held):
        return True
    return any(_kin(key, other) for other in held)


@lru_cache(maxsize=50_000)
def _kin(one: str, other: str) -> bool:
    """ "rehearsal" and "rehears", "serve" and "service": the same beginning, and little after it."""
    short = min(len(one), len(other))
    if short < 4 or one[:3] != other[:3]:
        return False
    same = next((i for i in range(short) if one[i] != other[i]), short)
    return (same >= 5 and same >= max(len(one), len(other)) - 4) or (
        same == short >= 4 and abs(len(one) - len(other)) <= 2
    )


# --- invented -------------------------------------------------------------------------


def invented(texts: Texts) -> Iterator[Finding]:
    """Clauses, and colours, numbers, directions, things and looks of a side without a source in the
    full."""
    if not texts.full.strip():
        return
    source = _keys(texts.full)
    weights = _weights(texts.full)
    for side in _SIDES:
        text = texts.of(side)
        spans = [(c.start, c.end) for c in clauses(text) if _is_new(c.text, source, weights)]
        for start, end in spans:
            yield at("invented", side, text, start, end, "the full caption does not tell this")
        for start, end in _new_words(texts, side):
            if not any(left <= start < right for left, right in spans):
                why = f"the full caption has no “{text[start:end]}” here"
                yield at("invented", side, text, start, end, why)


def _is_new(clause: str, source: frozenset[str], weights: Mapping[str, float]) -> bool:
    own = {token.key for token in _content(clause)} - _GENERIC
    if not own:
        return False
    share = _share(clause, source, weights)
    fresh = [key for key in own if not _has(key, source)]
    if len(own) == 1 and _REFERS.search(clause):
        return False  # "inflates it": one verb, said of what was told before, is a verb in other words
    return share is not None and share < INVENTED and len(fresh) * 2 > len(own) and bool(fresh)


def _new_words(texts: Texts, side: Side) -> Iterator[tuple[int, int]]:
    text, source, full = texts.of(side), _keys(texts.full), texts.full.lower()
    for sentence in tagged(text):
        for index, word in enumerate(sentence.words):
            key = word_key(word.low)
            if _exact(word.low, key):
                wrong = _can_contradict(sentence.words, index, key, full) and not _said_of(
                    texts.full, key, sentence.text, _noun_beside(sentence.words, index)
                )
            else:
                wrong = (
                    word.tag in ("JJ", "NN", "NNS", "NNP") and key not in _GENERIC and not _has(key, source)
                )
            known = index > 0 and sentence.words[index - 1].low == "the" and v.animate(word.low, word.lemma)
            verb = word.tag == "NNS" and (word.lemma in _DOING or is_verb(sentence, index))
            wrong = wrong and not verb
            wrong = wrong and not known  # "the mechanic": another name for somebody who was told of
            foreign = not word.text.isascii() and word.low in full  # words of scripts without spaces
            if wrong and word.text[:1].isalnum() and not foreign:
                yield sentence.place(word, word)


def _exact(low: str, key: str) -> bool:
    """Words that contradict the full caption when they stand elsewhere: colours, numbers, directions."""
    number = bool(_NUMBERS.fullmatch(key)) and low not in ("one", "ones")
    return low in v.COLOURS or number or low in _DIRECTIONS


def _can_contradict(words: Sequence[Word], index: int, key: str, full: str) -> bool:
    """Whether a colour, number or direction is one: no verb ("left the room"), no "two" where the full
    caption counts in other words ("another woman"), no "up" of "picks up" where it has no "down"."""
    word, after = words[index], words[index + 1].low if index + 1 < len(words) else ""
    if word.low in _DIRECTIONS:
        if word.tag.startswith("VB") or (word.low == "right" and after in _RIGHT_THERE):
            return False
        return word.low not in _OPPOSITE or _opposed(_OPPOSITE[word.low], words[word.head], full)
    if key.isdigit():
        counted = key == "2" and bool(_TWO.search(full))
        return not (counted or (key in _keys(full) and _noun_beside(words, index) in (_GENERIC | {""})))
    return True


def _opposed(direction: str, verb: Word, full: str) -> bool:
    """Whether the full caption tells the same verb with this direction."""
    kept = [_keys(s.text) for s in sentences(full)]
    return any(direction in keys and _has(word_key(verb.low), keys) for keys in kept)


_DOING = (v.MOVES | v.HANDLES) - v.ALSO_NOUNS
_OPPOSITE = {"up": "down", "down": "up"}
_RIGHT_THERE = frozenset(("next", "behind", "after", "before", "beside", "in", "away", "now", "there", "at"))
_TWO = re.compile(r"\b(?:another|the other|both|pair|couple|each other|second)\b")


def _noun_beside(words: Sequence[Word], index: int) -> str:
    """The key of the noun that the word is said of; empty where none stands by."""
    word, head = words[index], words[words[index].head]
    if word.dep in ("amod", "nummod", "compound") and head.tag.startswith("NN"):
        return word_key(head.low)
    return ""


def _said_of(full: str, key: str, sentence: str, noun: str) -> bool:
    """Whether the full caption has the word where it tells of the same: with the noun, else in the
    sentence that shares most with this one."""
    every = sentences(full)
    if not any(key in _keys(s.text) for s in every):
        return False
    if noun and noun not in _GENERIC:
        about = [s for s in every if noun in _keys(s.text)]
        return not about or any(key in _keys(s.text) for s in about)
    asked = {t.key for t in _content(sentence)} - {key}
    shares = [len(asked & _keys(s.text)) for s in every]
    best = max(shares, default=0)
    near = [s for s, share in zip(every, shares, strict=True) if share == best]
    return best == 0 or any(key in _keys(s.text) for s in near)


# --- the overview ---------------------------------------------------------------------


def no_overview(texts: Texts) -> Iterator[Finding]:
    """The temporal text holds no sentence that sums the video up, as the full caption's first one does."""
    if not texts.temporal.strip() or not texts.full.strip():
        return
    rows = sentences(texts.temporal)
    overview = overview_of(texts.full)
    if overview is None or _SUMS_UP.match(rows[0].text):
        return
    wanted = _weights_of_overview(overview)
    best = max(_share(overview.text, _keys(row.text), wanted) or 0.0 for row in rows)
    if best < OVERVIEW:
        why = "no sentence sums the video up, as the full caption's first one does"
        yield Finding("no_overview", "temporal", 0, 0, "", why)


def overview_of(full: str) -> Clause | None:
    """The sentence of a full caption that sums it up: one about "the video", else the first."""
    rows = sentences(full)
    return next((row for row in rows[:2] if _SUMS_UP.match(row.text)), rows[0] if rows else None)


def _weights_of_overview(overview: Clause) -> Mapping[str, float]:
    """Every word counts the same; those of a place ("in a hallway") stand on the spatial side."""
    return {token.key: 1.0 for token in _content(overview.text)}

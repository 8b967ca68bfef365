"""Details of a side that are not in the full caption: clauses, things, looks, colours, numbers, directions.

A split may use its own words, so only concrete details count: a thing or looks that the full caption does
not mention, or a colour of something that has another colour there. Verbs, and nouns that only name an
action, a place in the picture or a kind of thing, are a matter of wording.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from annotation.systems.carebench.split_checks import word_lists as v
from annotation.systems.carebench.split_checks.clauses import clauses
from annotation.systems.carebench.split_checks.finding import Finding, Side, Texts, at
from annotation.systems.carebench.split_checks.synonyms import SAME
from annotation.systems.carebench.split_checks.tagging import Sentence, Word, tagged
from annotation.systems.carebench.split_checks.which_words_are_verbs import is_verb
from annotation.systems.carebench.split_checks.word_coverage import (
    base,
    content_words,
    exact,
    has,
    keys_of,
    refers,
    share,
    weights_of,
)
from annotation.systems.carebench.split_checks.words_allowed_without_source import (
    GENERIC,
    IMPLIED,
    PARTS_OF_BODY,
    PEOPLE,
)
from backends.text.sentences import Clause, sentences
from backends.text.words import word_key

INVENTED = 0.4
"""A clause is not in the full caption if that contains a smaller (weighted) share of it."""
_SIDES: tuple[Side, Side] = ("spatial", "temporal")
_NOUNS = ("NN", "NNS", "NNP", "NNPS")


def invented(texts: Texts) -> Iterator[Finding]:
    """Clauses, colours, numbers, directions, things and looks of a side without a source in the full
    caption."""
    if not texts.full.strip():
        return
    source = keys_of(texts.full)
    weights = weights_of(texts.full)
    for side in _SIDES:
        text = texts.of(side)
        spans = [(c.start, c.end) for c in clauses(text) if _is_new(c, text, source, weights)]
        for start, end in spans:
            yield at("invented", side, text, start, end, "the full caption does not contain this")
        for start, end in _new_words(texts, side):
            if not any(left <= start < right for left, right in spans):
                why = f"the full caption has no “{text[start:end]}” here"
                yield at("invented", side, text, start, end, why)


def _is_new(clause: Clause, text: str, source: frozenset[str], weights: Mapping[str, float]) -> bool:
    own = {base(token.key) for token in content_words(clause.text)} - GENERIC
    if not own:
        return False
    fresh = [key for key in own if not _has_source(key, source)]
    if len(own) == 1 and (refers(clause.text) or own.isdisjoint(SAME)):
        return False  # "inflates it": a single verb about something mentioned before may be a rewording
    covered = share(clause, text, source, weights)
    return covered is not None and covered < INVENTED and len(fresh) * 2 > len(own) and bool(fresh)


def _has_source(key: str, source: frozenset[str]) -> bool:
    return has(key, source) or f"{key}less" in source or not IMPLIED.get(key, frozenset()).isdisjoint(source)


# --- single words ---------------------------------------------------------------------


def _new_words(texts: Texts, side: Side) -> Iterator[tuple[int, int]]:
    text, source, full = texts.of(side), keys_of(texts.full), texts.full.lower()
    rows = tagged(text)
    for sentence in rows:
        overview = side == "temporal" and sentence is rows[0] and len(rows) > 1
        for index, word in enumerate(sentence.words):
            key = word_key(word.low)
            if exact(word.low, key):
                wrong = _contradicts(sentence, index, key, texts.full)
            else:
                # An overview may name the whole with a new word: "shows a delivery".
                named = overview or _has_source(key, source)
                wrong = not named and _is_concrete(sentence, index, key)
            foreign = not word.text.isascii() and word.low in full  # words of scripts without spaces
            if wrong and word.text[:1].isalnum() and not foreign:
                yield sentence.place(word, word)


def _is_concrete(sentence: Sentence, index: int, key: str) -> bool:
    """Whether a noun names a thing, or an adjective describes looks, that needs a source."""
    word = sentence.words[index]
    if key in GENERIC or key in PARTS_OF_BODY or word.low.endswith(_ABSTRACT):
        return False
    if word.tag in ("JJ", "NNP") and index and word.text[0].isupper():
        return True  # "a Persian carpet": a name
    if word.tag == "JJ":
        return word.low in v.LOOKS | v.MATERIALS | v.PATTERNS
    if word.tag not in ("NN", "NNS", "NNP") or word.dep == "npadvmod":
        return False
    known = index > 0 and sentence.words[index - 1].low == "the" and v.animate(word.low, word.lemma)
    return not known and not _names_an_action(sentence, index)  # "the mechanic": a person mentioned before


_ABSTRACT = (
    "tion",
    "sion",
    "ment",
    "ness",
    "ance",
    "ence",
    "ity",
    "ship",
    "ing",
    "ism",
    "wards",
    "self",
    "selves",
)
_LIGHT = v.verbs("take make give have do let get with in come go break burst")


def _names_an_action(sentence: Sentence, index: int) -> bool:
    """ "takes a break", "one quick turn"; and verbs that the tagger tagged as plural nouns."""
    word = sentence.words[index]
    if word.tag == "NNS" and (word.lemma in v.SURELY_DOING or is_verb(sentence, index)):
        return True
    before = sentence.words[index - 1] if index else word
    if (
        word.tag == "NNS"
        and word.lemma in v.MOVES
        and (before.tag == "NN" or before.low == "and")
        and word.dep in ("ROOT", "conj", "dobj")
    ):
        return True  # "and steam rises"
    head = sentence.words[word.head]
    return word.tag == "NN" and word.lemma in v.DOING and head.lemma in _LIGHT


# --- colours, numbers, directions -----------------------------------------------------

_OPPOSITE = {"up": "down", "down": "up"}
_RIGHT_THERE = frozenset(("next", "behind", "after", "before", "beside", "in", "away", "now", "there", "at"))
_TWO = re.compile(r"\b(?:another|the other|both|pair|couple|each other|second|twins?|double)\b")
_PRONOUN = re.compile(r"(?:he|she|it|they|his|her|its|their|both|one|the)\b", re.IGNORECASE)


def _contradicts(sentence: Sentence, index: int, key: str, full: str) -> bool:
    words = sentence.words
    if not _can_contradict(words, index, key, full.lower()):
        return False
    if words[index].low in ("left", "right", "up", "down"):
        about = {key, *nouns_around(sentence, index)}
        together = len(about) > 1 and any(about <= keys_of(row.text) for row in sentences(full))
        return not together and not _mentioned_nearby(full, key, sentence.text, _adjacent_noun(words, index))
    return not _mentioned_of(full, key, sentence, index)


def _can_contradict(words: Sequence[Word], index: int, key: str, full: str) -> bool:
    """Whether a word is used as colour, number or direction: not a verb ("left the room"), not "two" if the
    full caption counts in other words ("another woman"), not the "up" of "picks up" if it has no "down"."""
    word, after = words[index], words[index + 1].low if index + 1 < len(words) else ""
    if word.low in ("left", "right", "up", "down"):
        if word.tag.startswith("VB") or (word.low == "right" and after in _RIGHT_THERE):
            return False
        return word.low not in _OPPOSITE or _opposed(word.low, words[word.head], full)
    if key.isdigit():
        counted = key == "2" and bool(_TWO.search(full))
        noun = _adjacent_noun(words, index)
        they = not noun and index > 0 and words[index - 1].low == "the"  # "the two unload the crates"
        mentioned = they or ((not noun or noun in GENERIC) and key in keys_of(full))
        return not (counted or mentioned or (noun in PEOPLE and not _counts_people(full)))
    return True


def _counts_people(full: str) -> bool:
    """Whether the full caption counts people or things with a numeral: "two men"."""
    return any(
        word.dep == "nummod" and word_key(row.words[word.head].low) in PEOPLE
        for row in tagged(full)
        for word in row.words
    )


def _opposed(direction: str, verb: Word, full: str) -> bool:
    """Whether the full caption has the same verb with the opposite direction, and never with this one."""
    named = {
        word.low
        for row in tagged(full)
        for word in row.words
        if word.low in _OPPOSITE and row.words[word.head].lemma == verb.lemma
    }
    return named == {_OPPOSITE[direction]}


def _adjacent_noun(words: Sequence[Word], index: int) -> str:
    """The key of the noun that the word modifies; empty if there is none nearby."""
    word, head = words[index], words[words[index].head]
    if word.dep in ("amod", "nummod", "compound") and head.tag.startswith("NN"):
        return word_key(head.low)
    return ""


def nouns_around(sentence: Sentence, index: int) -> list[str]:
    """Keys of the nouns that a colour or number may modify: "stairs carpeted in grey"."""
    words, found, at = sentence.words, list[str](), index
    adjacent = _adjacent_noun(words, index)
    if adjacent:
        return [adjacent]
    for _ in range(4):
        at = words[at].head
        named = [i for i in sentence.children(at, "nsubj", "nsubjpass") if words[i].tag in _NOUNS]
        here = [at] if words[at].tag in _NOUNS and at != index else named
        if here:
            return [word_key(words[i].low) for i in here]
    return found


def _mentioned_of(full: str, key: str, sentence: Sentence, index: int) -> bool:
    """Whether the full caption applies this colour or number to the same thing, or to nothing else."""
    rows = sentences(full)
    if not any(key in keys_of(row.text) for row in rows):
        return False
    nouns = nouns_around(sentence, index)
    known = False
    for noun in nouns:
        about = [i for i, row in enumerate(rows) if has(noun, keys_of(row.text))]
        covered = [i for i in about if key in keys_of(rows[i].text) or _continues(rows, i, key)]
        if covered:
            return True
        known = known or (bool(about) and noun not in GENERIC)
    return not known


def _continues(rows: Sequence[Clause], index: int, key: str) -> bool:
    """Whether the next sentence is about the same subject: "A dog is in a yard. It is brown." """
    after = rows[index + 1].text if index + 1 < len(rows) else ""
    return bool(_PRONOUN.match(after)) and key in keys_of(after)


def _mentioned_nearby(full: str, key: str, sentence: str, noun: str) -> bool:
    """Whether the full caption has the word in the matching place: with the noun, else in the sentence that
    shares most words with this one."""
    every = sentences(full)
    if not any(key in keys_of(s.text) for s in every):
        return False
    if noun and noun not in GENERIC:
        about = [s for s in every if noun in keys_of(s.text)]
        return not about or any(key in keys_of(s.text) for s in about)
    asked = {base(t.key) for t in content_words(sentence)} - {key}
    shares = [len(asked & keys_of(s.text)) for s in every]
    best = max(shares, default=0)
    near = [s for s, held in zip(every, shares, strict=True) if held == best]
    return best == 0 or any(key in keys_of(s.text) for s in near)

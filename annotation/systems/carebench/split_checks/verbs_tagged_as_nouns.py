"""Verbs that the model tagged as nouns, found by agreement rules.

Captions contain "a man in a felt cloak whistles", and the small model parses "a felt cloak whistles" as one
noun phrase. English grammar rules it out: "a" needs a singular noun, a clause needs a verb, and a plural
subject needs a verb without -s.
"""

from __future__ import annotations

from annotation.systems.carebench.split_checks import word_lists as v
from annotation.systems.carebench.split_checks.tagging import Sentence, Word
from backends.text.common_words import MOTIONS
from backends.text.words import word_key

FINITE = ("VBZ", "VBP", "VBD", "MD")
_ONE = ("a", "an", "another", "each", "every", "this", "that")
_INSIDE = ("JJ", "NN", "NNP", "VBN", "VBG", "HYPH", "RB", "CD", "VBD", "POS")
_FOLLOW = ("IN", "RB", "RP", "TO", "DT", "PRP$", ".", ",", "CC")
_COUNTS = frozenset(("few", "dozen", "hundred", "thousand", "couple", "lot", "pair", "many", "million"))


def agrees_as_verb(sentence: Sentence, index: int) -> bool:
    """Whether a word that is tagged as a noun must be a verb."""
    word, words = sentence.words[index], sentence.words
    if not index or not word.low.isalpha() or word.lemma in v.GARMENTS:
        return False
    after = words[index + 1] if index + 1 < len(words) else None
    if after is not None and after.low in ("of", "-", "'s"):
        return False
    if word.tag == "NNS" and word.low.endswith("s"):
        return (
            _singular_article(sentence, index, after)
            or _has_a_subject(sentence, index)
            or _only_verb(sentence, index, after)
            or _replaces_verb(sentence, index, after)
        )
    return word.tag in ("NN", "JJ") and _bare_form(sentence, index, after)


def does_something(word: Word) -> bool:
    """Whether the word can be a verb of motion or action."""
    return word.lemma in v.DOING or word_key(word.low) in MOTIONS


def _singular_article(sentence: Sentence, index: int, after: Word | None) -> bool:
    """ "in a boiler suit hammers at": "a" needs a singular noun; a possessive "guard's" may come between."""
    words, first = sentence.words, index - 1
    while first >= 0 and words[first].tag in _INSIDE and words[first].low not in _COUNTS:
        first -= 1
    if first < 0 or words[first].low not in _ONE or first == index - 1:
        return False
    if not any(w.tag in ("NN", "NNP") for w in words[first + 1 : index]) and index - first < 3:
        return False
    joined = (
        words[index].dep == "compound" and after is not None and after.tag.startswith("NN")
    )  # "a sports car"
    follows = after is None or after.tag in _FOLLOW or after.tag[:2] in ("NN", "JJ", "PR", "VB")
    return does_something(words[index]) and follows and not joined


def _has_a_subject(sentence: Sentence, index: int) -> bool:
    """ "A worker in a vest, whose ..., signals to": the model itself attaches a subject to the noun."""
    named = [sentence.words[i] for i in sentence.children(index, "nsubj") if i < index]
    return sentence.words[index].dep in ("ROOT", "conj", "ccomp") and any(
        w.tag in ("NN", "NNP", "PRP", "CD", "DT") for w in named
    )


def clause_bounds(sentence: Sentence, index: int) -> tuple[int, int]:
    """The range around a word between marks or links that begin another clause."""
    words = sentence.words
    first, last = index, index
    while first > 0 and not _opens_clause(words, first):
        first -= 1
    while last + 1 < len(words) and not _opens_clause(words, last + 1):
        last += 1
    return first, last


def _opens_clause(words: tuple[Word, ...], at: int) -> bool:
    before = words[at - 1]
    if before.low in (";", ":", "while", "whereas", "and", "but") and words[at].tag in (
        "DT",
        "PRP",
        "CD",
        "PRP$",
    ):
        return True
    listed = before.low == "and" and at > 1 and words[at - 2].low == ","
    return before.low == ";" or (listed and v.animate(words[at].low, words[at].lemma))


def _only_verb(sentence: Sentence, index: int, after: Word | None) -> bool:
    """ "the slide on the screen changes to ...": the clause begins with a singular and has no other verb."""
    words, word = sentence.words, sentence.words[index]
    first, last = clause_bounds(sentence, index)
    if any(w.tag in FINITE for i, w in enumerate(words[first : last + 1], first) if i != index):
        return False
    opener = words[first]
    if (
        opener.tag != "DT"
        or opener.low not in ("a", "an", "the", "one", "another")
        or word.lemma in v.ALSO_NOUNS
    ):
        return False
    head = next((w for w in words[first:index] if w.tag in ("NN", "NNP", "NNS")), None)
    follows = after is None or after.tag in ("IN", "RB", "RP", "TO", "DT", "PRP$", "JJ", "NNS", ".")
    apart = any(w.tag == "IN" for w in words[first:index]) and words[index - 1].tag.startswith("NN")
    return head is not None and head.tag != "NNS" and apart and follows and does_something(word)


def _replaces_verb(sentence: Sentence, index: int, after: Word | None) -> bool:
    """ "one of them types", "a photographer kneels down": after a pronoun, or after a person that the model
    tagged as an adjective."""
    before = sentence.words[index - 1]
    if before.low in ("them", "who", "that", "it", "he", "she"):
        return True
    who = before.tag in ("JJ", "VBG") and (v.animate(before.low, before.lemma) or before.low in _ORDINALS)
    follows = after is None or after.tag in (*_FOLLOW, "PRP")
    white = before.low in v.COLOURS and index > 1 and sentence.words[index - 2].low in ("in", "of")
    return (
        (who or (white and after is not None and after.tag in ("IN", "RP")))
        and follows
        and does_something(sentence.words[index])
    )


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "other")


def _bare_form(sentence: Sentence, index: int, after: Word | None) -> bool:
    """ "Two fishermen in oilskins haul nets", "a zebra and its foal drink from": a plural subject."""
    words, word = sentence.words, sentence.words[index]
    if word.lemma not in v.DOING or word.low.endswith(("ing", "ed")) or after is None:
        return False
    first, last = clause_bounds(sentence, index)
    inside = [w for i, w in enumerate(words[first : last + 1], first) if i != index]
    if any(w.tag in FINITE and not _noun_after_all(words, w) for w in inside):
        return False
    several = [w for w in words[:index] if w.tag == "NNS" and v.animate(w.low, w.lemma)]
    before = words[index - 1]
    joined = any(w.low == "and" for w in words[:index]) and v.animate(before.low, before.lemma)
    if not (joined or (several and several[0].start <= words[min(3, index - 1)].start)):
        return False
    if before.tag in ("DT", "PRP$", "IN", "CC", "JJ", ",", "POS", "CD"):
        return False
    return after.tag in ("IN", "RB", "RP", "DT", "PRP$", "NNS", "TO") and after.low != "of"


def _noun_after_all(words: tuple[Word, ...], verb: Word) -> bool:
    at = words.index(verb)
    return verb.tag == "VBZ" and at > 0 and words[at - 1].tag == "IN"


def bare_after_one(sentence: Sentence, index: int) -> bool:
    """ "a colleague behind her labels test tubes": the singular subject needs the -s form as its verb."""
    words, word = sentence.words, sentence.words[index]
    if word.tag not in ("VBP", "VB") or index < 2 or not words[index - 1].low.endswith("s"):
        return False
    named = [words[i] for i in sentence.children(index, "nsubj")]
    one = any(w.tag == "NN" and w.low not in ("crowd", "team", "group", "couple", "pair") for w in named)
    helped = bool(sentence.children(index, "aux"))
    return one and not helped and words[index - 1].tag == "NNS" and does_something(words[index - 1])

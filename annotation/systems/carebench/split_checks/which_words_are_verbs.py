"""Detect the verbs of a sentence, correcting verbs tagged as nouns and nouns tagged as verbs."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.systems.carebench.split_checks import word_lists as v
from annotation.systems.carebench.split_checks.motion_verbs_of_states import (
    in_list,
    is_before_noun,
    opens_list,
)
from annotation.systems.carebench.split_checks.tagging import Sentence, Word
from annotation.systems.carebench.split_checks.verbs_tagged_as_nouns import agrees_as_verb, bare_after_one
from backends.text.common_words import MOTIONS
from backends.text.words import word_key

VERBS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
SUBJECTS = ("nsubj", "nsubjpass", "csubj")
_CAMERA = v.verbs("camera view shot lens")
_CAMERA_MOVES = v.verbs("pan tilt zoom track dolly truck swing rotate orbit circle shake move pull push")
OBJECTS = ("dobj", "dative")


def is_verb(sentence: Sentence, index: int) -> bool:
    """Whether a word is a verb, also if it is tagged as a plural noun."""
    word = sentence.words[index]
    if word.low in v.PREPOSITIONS or is_before_noun(sentence, index) or opens_list(sentence, index):
        return False
    if _hyphenated(sentence, index):
        return False
    counted = neighbours(sentence, index)[0]
    if word.tag == "NNS" and counted is not None and counted.tag == "CD" and counted.low != "one":
        return False  # "two coaches with clipboards"
    if agrees_as_verb(sentence, index) or _before_its_object(sentence, index):
        return True
    if word.tag == "NN" and _verb_of_several(sentence, index):
        return True
    if word.tag in ("NN", "NNS") and _before_article(sentence, index):
        return True
    if word.tag == "NNS":
        return _verb_read_as_plural(sentence, index)
    if word.tag not in VERBS or bare_after_one(sentence, index) or _noun_read_as_verb(sentence, index):
        return False
    if word.tag == "VB":  # a bare form: after "to", an auxiliary, or as the verb of a plural subject
        before = sentence.words[index - 1] if index else None
        from_to = before is not None and before.low == "to" and _mentioned_before(sentence, index)
        from_to = from_to or _to_a_place(sentence, index)
        named = word.dep == "advcl" and bool(sentence.children(index, *SUBJECTS))  # "lies keel up"
        return not from_to and (word.dep in ("ROOT", "conj", "xcomp") or named or _helped(sentence, index))
    return True


def is_participle(sentence: Sentence, index: int) -> bool:
    """ "dark skin, braided hair", "a phone clipped to the vent": tagged as past tense in a sentence in the
    present tense."""
    word = sentence.words[index]
    if word.tag != "VBD" or word.lemma in ("be", "have") or sentence.children(index, "aux"):
        return False
    present = any(w.tag in ("VBZ", "VBP") and w is not word for w in sentence.words)
    return present or word.dep in ("acl", "amod")


def _hyphenated(sentence: Sentence, index: int) -> bool:
    """Part of "rolled-up", "wind-up", "hand-painted"; not "blow-dries"."""
    word = sentence.words[index]
    before, after = neighbours(sentence, index)
    joined = before is not None and before.low == "-" and word.tag not in ("VBZ", "NNS")
    return joined or (after is not None and after.low == "-")


def _before_its_object(sentence: Sentence, index: int) -> bool:
    """ "her labels test tubes": see `bare_after_one`."""
    return index + 1 < len(sentence.words) and bare_after_one(sentence, index + 1)


def _verb_of_several(sentence: Sentence, index: int) -> bool:
    """ "Guests clap and cheer": the bare form is tagged as the noun of the subject."""
    words, word = sentence.words, sentence.words[index]
    before, after = neighbours(sentence, index)
    if word.lemma not in v.SURELY_MOVES or before is None or not _no_verb_yet(words):
        return False
    if word.dep == "conj" and before.low == "and":
        return _verb_of_several(sentence, word.head) if word.head < index else False
    ends = after is None or after.low in (".", "and") or after.tag in ("IN", "RB")
    return word.dep == "ROOT" and before.tag == "NNS" and (is_person(before) or before.low in v.BODY) and ends


def _before_article(sentence: Sentence, index: int) -> bool:
    """ "Four porters shoulder their loads": an article cannot follow a noun before the first verb."""
    words = sentence.words
    before, after = neighbours(sentence, index)
    takes = after is not None and (after.tag in ("DT", "PRP$") or after.low in _OBJECTS)
    if (
        not takes
        or before is None
        or before.tag in ("DT", "PRP$", "IN", "CD", ",")
        or words[index].dep == "dative"
    ):
        return False
    has_verb = not _no_verb_yet(words[:index])
    opens = words[0].tag in ("IN", "RB", "TO", "VBG", "VBN") and not any(w.low == "," for w in words[:index])
    several = words[index].tag == "NNS" or any(w.tag == "NNS" or w.low == "and" for w in words[:index])
    return not has_verb and not opens and several


def _no_verb_yet(words: Sequence[Word]) -> bool:
    return not any(w.tag in ("VBZ", "VBP", "VBD", "MD") for w in words)


def _noun_read_as_verb(sentence: Sentence, index: int) -> bool:
    """Words before a noun that are tagged as verbs: "stacked crates", "landing mats", "knees bent"."""
    word, words = sentence.words[index], sentence.words
    before, after = neighbours(sentence, index)
    bare = after is not None and after.tag in ("NN", "NNS", "NNP")
    if word.tag == "VBZ" and (word.dep == "nsubj" or (before is not None and _follows_verb(sentence, index))):
        return True
    if word.low in v.MATERIALS | v.COLOURS | v.BODY:
        bent = after is not None and after.tag in ("JJ", "VBN", "RB")
        return word.tag != "VBZ" or (word.low in v.BODY and bent)
    if word.tag in ("VBD", "VBN") and word.low.endswith("ed") and _participle(sentence, index, bare):
        return True
    if word.tag == "VBG" and bare and word.low in v.GERUNDS and _begins_a_thing(sentence, index):
        return True
    if word.tag == "VBZ" and after is not None and after.tag == "VBP":
        return True  # "out-of-focus stems form a backdrop"
    if word.tag == "VBZ" and _plural_subject(sentence, index):
        return True
    if word.tag == "VBG" and bare and word.low in v.GERUNDS:
        if before is not None and before.low == ",":  # "stand between the rows, cutting grapes"
            return in_list(sentence, index)
        return before is None or before.tag in ("CC", "DT", "JJ", "IN", "CD", ":")
    if word.tag == "VBZ" and bare and after is not None and after.tag == "NN" and index + 2 < len(words):
        joined = before is None or before.low in (",", "and")
        goes_on = words[index + 2].tag in ("DT", "PRP$", "IN")  # "benches border the floor"
        return joined and goes_on and after.lemma in v.EXTENTS | v.THING_STATES | v.STATES | v.DOING
    return False


def _begins_a_thing(sentence: Sentence, index: int) -> bool:
    """ ", starting blocks are aligned", "stand proving baskets, a scale and a tub": not a separate clause."""
    words, word = sentence.words, sentence.words[index]
    finite = index + 2 < len(words) and words[index + 2].tag in ("VBP", "VBD", "MD")
    stood = word.dep == "xcomp" and words[word.head].lemma in v.POSTURES and word.head == index - 1
    return finite or (stood and not v.animate(words[index + 1].low, words[index + 1].lemma))


def _plural_subject(sentence: Sentence, index: int) -> bool:
    """ "Two hands tear basil leaves": a form in -s whose subject is a counted plural is a noun."""
    named = [i for i in sentence.children(index, "nsubj") if i < index]
    return bool(named) and all(
        sentence.words[i].tag == "NNS" and sentence.children(i, "nummod") for i in named
    )


def _follows_verb(sentence: Sentence, index: int) -> bool:
    """ "ladles lentils into dishes": of two forms in -s the second is the object."""
    before = sentence.words[index - 1]
    return (
        before.tag == "NNS"
        and sentence.words[index].low.endswith("s")
        and agrees_as_verb(sentence, index - 1)
    )


def _participle(sentence: Sentence, index: int, bare: bool) -> bool:
    """ "stacked crates", "a press smeared with ink", "arms locked,": a form in -ed that describes a state."""
    word, words = sentence.words[index], sentence.words
    before, after = neighbours(sentence, index)
    helped = bool(sentence.children(index, "aux", "auxpass"))
    if helped or (word.tag == "VBN" and not bare):
        return False  # `is_action` handles those
    placed = word.lemma in v.PLACED | v.POSTURES
    if placed and (bare or not sentence.children(index, *OBJECTS)):
        return True
    if bare and before is not None and before.tag in (*VERBS, "IN", "CC", "DT", "JJ", ",", "CD"):
        return before.tag not in ("CC", ",") or word.lemma not in v.HANDLES
    if after is not None and after.low in ("with", "by") and word.lemma not in v.MOVES | v.WITH:
        return True
    alone = before is not None and before.tag in ("NN", "NNS") and (index < 2 or words[index - 2].low == ",")
    return alone and (after is None or after.low in (",", ".", ";", "in", "on", "at", "behind"))


def neighbours(sentence: Sentence, index: int) -> tuple[Word | None, Word | None]:
    words = sentence.words
    return (words[index - 1] if index else None), (words[index + 1] if index + 1 < len(words) else None)


def _verb_read_as_plural(sentence: Sentence, index: int) -> bool:
    """ "The camera pans slowly": "pans" is tagged as the noun of the subject."""
    word, words = sentence.words[index], sentence.words
    before, after = neighbours(sentence, index)
    if before is None or not word.low.endswith("s"):
        return False
    if before.lemma in _CAMERA and word.lemma in _CAMERA_MOVES:
        return True  # "the camera pans left"
    moves = word.lemma in v.DOING or word_key(word.low) in MOTIONS
    noun = before.tag in ("NN", "NNP", "NNS", "PRP") or (before.tag == "RB" and before.low.endswith("ly"))
    takes = after is not None and (after.tag in ("DT", "PRP$") or after.low in _OBJECTS)
    if noun and takes and before.dep != "pobj":  # an article cannot follow a noun
        return True
    if noun and before.tag == "NNS" and moves and (after is None or after.low != ","):
        return True
    if noun and word.lemma in v.SURELY_DOING and after is not None and after.low != "of":
        return after.tag in ("IN", "RB", "RP", "TO") and _no_verb_yet(words[:index])
    follows = after is None or after.tag in ("RB", "RP", "IN", "TO", ".", ",", "CC")
    joined = before.low in ("and", "then", ",", "or", "but")
    if joined and word.dep in ("conj", "appos", "dep") and follows:
        head = words[word.head]
        sure = word.lemma in v.SURELY_MOVES
        verbs = word.dep == "conj" and head.tag in VERBS and head.dep != "amod"
        return sure or verbs or _verb_of(sentence, word.head, index)
    if joined and takes and word.dep in ("conj", "dep", "appos"):
        return True
    one = any(w.low in ("a", "an") for w in words[:index]) or is_person(before)
    # "the kitchen cabinets" may not be a sentence.
    return noun and (follows or takes) and word.dep in ("ROOT", "ccomp", "dep") and (one or moves)


_OBJECTS = frozenset(("it", "him", "her", "them", "each", "himself", "herself", "itself", "themselves"))


def _verb_of(sentence: Sentence, index: int, asked: int) -> bool:
    return index < asked and sentence.words[index].tag == "NNS" and _verb_read_as_plural(sentence, index)


def _mentioned_before(sentence: Sentence, index: int) -> bool:
    """ "from side to side": the word already occurs before "to"."""
    return index >= 2 and sentence.words[index - 2].low == sentence.words[index].low


_BEFORE_TO = ("up", "down", "back", "close", "next", "over", "adjacent", "similar", "parallel", "through")


def _to_a_place(sentence: Sentence, index: int) -> bool:
    """ "up to twin towers": a place follows, not an infinitive."""
    words = sentence.words
    return index >= 2 and words[index - 1].low == "to" and words[index - 2].low in _BEFORE_TO


def _helped(sentence: Sentence, index: int) -> bool:
    return any(sentence.words[i].tag in ("TO", "MD") for i in sentence.children(index, "aux"))


def is_person(word: Word) -> bool:
    # Every sentence begins with a capital, and the model tags rare words as names: "the savannah".
    named = word.tag == "PRP" or (word.tag == "NNP" and word.start > 0 and word.text[0].isupper())
    return v.animate(word.low, word.lemma) or (named and word.low != "it")

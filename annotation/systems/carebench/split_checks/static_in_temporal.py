"""Static detail left in the temporal text: looks, materials and positions of things.

A sentence that summarises the video is skipped: the temporal text keeps the overview unchanged.
Sizes alone are not findings: "a large step" describes the action. "Left" and "right" describe
directions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from annotation.systems.carebench.split_checks import word_lists as v
from annotation.systems.carebench.split_checks.action_in_spatial import subject
from annotation.systems.carebench.split_checks.finding import Finding, at
from annotation.systems.carebench.split_checks.tagging import Sentence, Word, tagged
from annotation.systems.carebench.split_checks.which_words_are_verbs import SUBJECTS, VERBS
from backends.text.common_words import SHADES
from backends.text.lemmas import lemma
from backends.text.sentences import Clause
from backends.text.words import word_set

_OVERVIEW = re.compile(v.OVERVIEW, re.IGNORECASE)
_IN_THE_VIDEO = re.compile(r"\bin (?:this|the) (?:video|clip|footage|film|recording)[.!]*$", re.IGNORECASE)
CHANGES = v.verbs(
    """turn become go change fade flush blush paint dye colour color shift switch tint stain bleach
    brown glow flash grow get make"""
)
"""Verbs after which a colour is the result of the action."""
COVERS = v.verbs("""cover coat line frame match house divide separate border flank""")
CARDS = frozenset(("card", "light", "team", "piece", "belt", "medal", "king", "queen", "pawn", "knight"))
"""Nouns that a colour identifies, as in a rule or a game: "shows the yellow card", "the white king"."""
OF_ORANGES = frozenset(("juice", "peel", "slice", "segment", "zest", "tree", "squash", "soda", "wedge"))
MOVING = frozenset(lemma(w) for w in ("rise", "tilt", "float", "gather", "scatter", "spread", "crowd"))
_HANG = v.verbs("hang stand lie lean")
LONG = 3
"""Minimum number of sentences of a text whose first one counts as its overview."""
CLAUSE_LINKS = ("and", "but", "while", "as", "when", "where")


def static_in_temporal(text: str, overview: Clause | None = None) -> Iterator[Finding]:
    """Clauses that describe states rather than actions, clothes, colours and materials.

    `overview` is the sentence that summarises the video in the words of the full caption.
    """
    every = tagged(text)
    for sentence in every:
        of_overview = overview is not None and overview.start <= sentence.start < overview.end
        if of_overview or _sums_up(sentence, every):
            continue
        taken: list[tuple[int, int]] = []
        for first, last, why in [*_clauses(sentence), *_worn(sentence), *_attributes(sentence)]:
            start, end = sentence.place(sentence.words[first], sentence.words[last])
            if any(start < right and left < end for left, right in taken):
                continue
            taken.append((start, end))
            words = text[start:end] if end - start <= 40 else f"{text[start : start + 39]}…"
            yield at("static_in_temporal", "temporal", text, start, end, f"“{words}” {why}")


def _sums_up(sentence: Sentence, every: Sequence[Sentence]) -> bool:
    """Whether it is the overview: by its wording, or as the first of several sentences with an action."""
    if _OVERVIEW.match(sentence.text) or _IN_THE_VIDEO.search(sentence.text):
        return True
    opens = sentence is every[0] and len(every) >= LONG
    return opens and next(_clauses(sentence), None) is None


# --- whole clauses --------------------------------------------------------------------


def _clauses(sentence: Sentence) -> Iterator[tuple[int, int, str]]:
    """(first word, last word, reason) of clauses that only describe a state."""
    for index, word in enumerate(sentence.words):
        if (
            word.tag in VERBS
            and word.dep in ("ROOT", "conj", "ccomp", "advcl", "dep")
            and _describes_state(sentence, index)
        ):
            first, last = _span(sentence, index)
            yield first, last, "describes a state, not an event"


def _describes_state(sentence: Sentence, index: int) -> bool:
    word = sentence.words[index]
    doer = _named(sentence, index)
    if any(sentence.words[i].low == "now" for i in sentence.children(index, "advmod")):
        return False  # "it is his turn now": a change of state
    if word.dep in ("advcl", "ccomp") and _result(sentence, index):
        return False
    if word.lemma == "be" and word.dep not in ("aux", "auxpass"):
        return _is_so(sentence, index, doer)
    if word.tag == "VBN" and _passive(sentence, index):
        return _is_placed(sentence, index)
    if doer is None or (v.animate(doer.low, doer.lemma) and not _about_looks(doer)):
        looks = doer is not None and _has_looks(sentence, index)
        return word.lemma == "wear" or looks or _is_posture(sentence, index)
    if word.lemma == "have":
        return bool(sentence.children(index, "dobj")) and not _helps(sentence, index)
    if not sentence.children(index, *SUBJECTS) or _for_a_while(sentence, index):
        return False
    if word.lemma in CHANGES:
        return False
    above = any(
        sentence.words[i].low in ("above", "behind", "over") for i in sentence.children(index, "prep")
    )
    placed = word.lemma not in MOVING or (above and doer.lemma not in v.RISING)
    posture = word.lemma in v.POSTURES and placed and doer.low != "it"  # "it" is often an animal
    still = word.lemma in v.STATES | COVERS or posture
    hangs = word.tag == "VBG" and word.lemma in _HANG and bool(sentence.children(index, "prep"))
    return still and (word.tag != "VBG" or hangs) and not sentence.children(index, "prt")


def _is_posture(sentence: Sentence, index: int) -> bool:
    """ "He stands in front of a mirror.": a person's place, in a sentence without other content."""
    word, words = sentence.words[index], sentence.words
    if word.lemma != "stand" or word.tag not in ("VBZ", "VBP") or word.dep != "ROOT":
        return False
    alone = sum(w.tag in VERBS for w in words) == 1 and not _for_a_while(sentence, index)
    preps = [i for i in sentence.children(index, "prep")]
    behind = any(words[i].low in ("behind", "beside", "near", "at", "between", "before") for i in preps)
    front = any(words[j].low == "front" for i in preps for j in sentence.children(i, "pobj"))
    return alone and (behind or front)


def _passive(sentence: Sentence, index: int) -> bool:
    word = sentence.words[index]
    head = word.head if word.dep == "conj" else index
    return bool(sentence.children(index, "auxpass") or sentence.children(head, "auxpass"))


def _for_a_while(sentence: Sentence, index: int) -> bool:
    """ "rests for a moment": part of the order of events."""
    after = sentence.words[index + 1 : index + 4]
    return any(w.low in ("moment", "second", "seconds", "while", "instant", "minute") for w in after)


def _named(sentence: Sentence, index: int) -> Word | None:
    found = subject(sentence, index)
    return None if found is not None and found.low == "which" else found


def _about_looks(word: Word) -> bool:
    return word.lemma in v.APPEARANCE


def _result(sentence: Sentence, index: int) -> bool:
    """ "until it is smooth", "once the pan is hot": the result of an action."""
    marks = {sentence.words[i].low for i in sentence.children(index, "mark", "advmod")}
    return bool(marks & {"until", "till", "once", "when", "if", "so", "that", "whether", "after", "before"})


def _helps(sentence: Sentence, index: int) -> bool:
    return any(sentence.words[i].tag == "VBN" for i in sentence.children(index, "ccomp"))


def _is_so(sentence: Sentence, index: int, doer: Word | None) -> bool:
    """A form of "be" as main verb: there is, is in the corner, is beige, is a sunny day."""
    words = sentence.words
    if sentence.children(index, "expl"):
        things = [words[i] for i in sentence.children(index, "attr", "nsubj")]
        return not any(lemma(t.low) in ("pause", "cut", "change", "moment", "cheer", "shout") for t in things)
    if any(words[i].low == "too" for a in sentence.children(index, "acomp") for i in sentence.children(a)):
        return False  # "her gloves are too big, so ...": the reason of an action
    for i in sentence.children(index, "acomp", "oprd"):
        looks = words[i].low in v.LOOKS | v.COLOURS | v.MATERIALS | v.PATTERNS
        person = doer is not None and doer.low in ("he", "she", "they", "we", "i", "you")
        if looks and (not person or words[i].low in _BUILD):
            return True
    if doer is None:  # "on the left is a bookshelf"
        return bool(sentence.children(index, "attr") and words[0].low in _PLACES)
    if v.animate(doer.low, doer.lemma):
        return False
    if sentence.children(index, "attr"):
        return doer.low in ("it", "this") or doer.tag in ("NN", "NNS")
    return any(words[i].low in _PLACES for i in sentence.children(index, "prep"))


_BUILD = word_set("tall slim bald bearded elderly muscular blond blonde brunette slender stocky")
_PLACES = word_set("""in on at near under behind beside above below inside outside between against across""")


def _is_placed(sentence: Sentence, index: int) -> bool:
    word = sentence.words[index]
    if word.lemma == "see":
        return bool(sentence.children(index, "prep", "aux"))
    doer = subject(sentence, index)
    within = [
        sentence.words[j] for i in sentence.children(index, "prep") for j in sentence.children(i, "pobj")
    ]
    if word.lemma == _PAINT and any(w.lemma == _COLOUR or w.low in v.COLOURS for w in within):
        return not sentence.children(index, "agent")
    if doer is not None and doer.lemma in _HAIR and word.lemma in _DONE_UP:
        return True
    moving = any(sentence.words[i].low == "being" for i in sentence.children(index, "aux", "auxpass"))
    parked = word.lemma in _PARKED and not sentence.children(index, "agent")
    return (word.lemma in v.PLACED or parked) and not moving


_PARKED = v.verbs("park dock moor")
_PAINT, _COLOUR = lemma("paint"), lemma("colours")
_HAIR = v.verbs("hair beard braid sleeve plait mane tail fringe collar moustache nail face")
_DONE_UP = v.verbs("tie braid pin plait slick gather dye pull button tuck curl roll paint comb trim crop")


def _has_looks(sentence: Sentence, index: int) -> bool:
    return sentence.words[index].lemma == "have" and any(
        sentence.words[i].lemma in v.APPEARANCE | _BODY for i in sentence.children(index, "dobj")
    )


_BODY = v.verbs(
    "shoulder face neck build figure bandage scar wrinkle mark stain patch horn antler accent voice"
)


def _span(sentence: Sentence, index: int) -> tuple[int, int]:
    """The clause of a verb: its dependents, without the other clauses of the sentence."""
    inside = {index}
    grown = True
    while grown:
        more = {
            i
            for i, w in enumerate(sentence.words)
            if w.head in inside
            and i not in inside
            and w.dep != "punct"
            and not _own_clause(sentence, i, index)
        }
        grown = bool(more)
        inside |= more
    first, last = min(inside), max(inside)
    while first < last and sentence.words[first].low in CLAUSE_LINKS:
        first += 1
    return first, last


def _own_clause(sentence: Sentence, index: int, verb: int) -> bool:
    word = sentence.words[index]
    if word.dep in ("cc", "mark") and word.head == verb:
        return True
    return word.head == verb and word.tag in VERBS and word.dep in ("conj", "advcl", "ccomp", "dep")


# --- what people wear, and how they look ----------------------------------------------


def _worn(sentence: Sentence) -> Iterator[tuple[int, int, str]]:
    for index, word in enumerate(sentence.words):
        if word.lemma in ("wear", "dress", "clothe", "sport", "drape") and word.tag in ("VBG", "VBN"):
            if word.lemma == "dress" and word.tag == "VBG":
                continue
            yield (*_span(sentence, index), "describes clothing")
        elif _describes_looks(sentence, index):
            yield (*_span(sentence, index), "describes appearance")


def _describes_looks(sentence: Sentence, index: int) -> bool:
    word = sentence.words[index]
    if word.dep == "prep":
        return word.low in ("in", "with") and _describes(sentence, index)
    if word.dep == "appos":
        return v.animate(word.low, word.lemma) and _has_looks_before(sentence, index)
    return word.dep == "relcl" and _is_aside(sentence, index)


def _has_looks_before(sentence: Sentence, index: int) -> bool:
    """ ", a stocky man with a shaved head,": a description of a person mentioned before."""
    looks = {sentence.words[i].low for i in sentence.children(index, "amod")}
    return sentence.words[index - 1].low != "," and bool(looks & (v.LOOKS - {"young", "old", "new"}))


def _is_aside(sentence: Sentence, index: int) -> bool:
    """ "..., who has a beard", "..., whose hair is white", "..., which are made of clay"."""
    word = sentence.words[index]
    if _has_looks(sentence, index) or _whose(sentence, index):
        return True
    of_things = any(sentence.words[i].low in ("which", "that") for i in sentence.children(index, *SUBJECTS))
    if word.lemma == "have" and of_things and sentence.children(index, "dobj"):
        return True
    if word.tag == "VBN" and of_things:
        return _is_placed(sentence, index) or word.lemma == _MAKE
    looks = {sentence.words[i].low for i in sentence.children(index, "acomp", "oprd")}
    return word.lemma == "be" and bool(looks & (v.COLOURS | v.LOOKS | v.MATERIALS | v.PATTERNS))


_MAKE = lemma("make")


def _whose(sentence: Sentence, index: int) -> bool:
    """ "whose hair is white"."""
    about = [sentence.words[i] for i in sentence.children(index, *SUBJECTS)]
    looks = [sentence.words[i].low for i in sentence.children(index, "acomp", "attr")]
    whose = any(
        sentence.words[j].low == "whose"
        for i in sentence.children(index, *SUBJECTS)
        for j in sentence.children(i, "poss")
    )
    if whose and sentence.words[index].tag == "VBN" and sentence.children(index, "auxpass"):
        return True  # "whose beard is rimmed with frost"
    return any(_about_looks(w) for w in about) and any(low in v.COLOURS | v.LOOKS for low in looks)


def _describes(sentence: Sentence, index: int) -> bool:
    """ "the girl in the raincoat", "the man with a beard": looks that modify a noun (or follow it)."""
    words = sentence.words
    objects = sentence.children(index, "pobj")
    looks = v.GARMENTS if words[index].low == "in" else v.APPEARANCE
    if not any(words[i].lemma in looks for i in objects):
        return False
    head = words[words[index].head]
    behind = index > 0 and (words[index - 1].tag in ("NN", "NNS", "NNP") or words[index - 1].low == ",")
    noun = head.tag in ("NN", "NNS", "NNP")
    return behind and ((noun and v.animate(head.low, head.lemma)) or head.dep in SUBJECTS)


# --- colours, materials, patterns -----------------------------------------------------


def _attributes(sentence: Sentence) -> Iterator[tuple[int, int, str]]:
    for index, word in enumerate(sentence.words):
        kind = _kind(word)
        if kind and _before_noun(sentence, index) and not _comes_of_it(sentence, index):
            first = index
            while first and sentence.words[first - 1].low in SHADES:
                first -= 1
            yield first, index, f"is {kind}: static detail"


def _kind(word: Word) -> str:
    low = word.low
    if low in v.COLOURS or low.endswith(("-coloured", "-colored")):
        return "a colour"
    if low in v.MATERIALS:
        return "a material"
    if low in v.PATTERNS:
        return "a pattern"
    return (
        "looks"
        if low.endswith(("haired", "bearded", "bald", "moustached", "freckled", "tattooed", "grizzled"))
        else ""
    )


def _before_noun(sentence: Sentence, index: int) -> bool:
    """Whether it modifies the noun after it: "the wooden spoon"; not "peels the orange"."""
    words = sentence.words
    after = index + 1
    behind = words[after + 1] if after + 1 < len(words) else None
    if (
        words[index].tag == "NN"
        and words[index - 1].low == "of"
        and behind is not None
        and behind.tag == "RB"
    ):
        return False  # "ribbons of clay peel away": the noun after it is the verb
    if index == 0 and words[0].low in ("black", "white"):  # the side of a game
        return False
    while after < len(words) and _continues(words, after):
        after += 1
    if after > index + 1 and words[after - 1].tag in ("NN", "NNS") and words[after - 1].low in v.MATERIALS:
        after -= 1  # "the blue square paper": the material is the thing
    if after >= len(words) or words[after].tag not in ("NN", "NNS", "NNP", "NNPS", "VB"):
        return False
    if words[after].lemma in CARDS and words[index].low in v.COLOURS:
        return False
    if words[index].low == "orange" and words[after].lemma in OF_ORANGES:
        return False
    # "The iron hisses": the noun is the subject, and the tagger tagged the verb as a noun.
    return not (
        words[index].tag in ("NN", "NNP") and words[after].tag == "NNS" and words[after].dep == "ROOT"
    )


def _continues(words: Sequence[Word], at: int) -> bool:
    """Whether the sequence of adjectives continues at this word."""
    if words[at].low in (",", "and", "-") and at + 1 < len(words):
        return bool(_kind(words[at + 1])) or words[at + 1].tag == "JJ"
    return bool(_kind(words[at])) or words[at].tag == "JJ"


def _comes_of_it(sentence: Sentence, index: int) -> bool:
    """The colour is the result of a change: "turns golden brown", "paints the fence white"."""
    words = sentence.words
    before = words[max(0, index - 3) : index]
    if any(w.lemma in CHANGES and w.tag in VERBS for w in before[-1:]):
        return True
    return words[index].dep in ("oprd", "acomp")

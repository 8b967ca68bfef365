"""Actions left in the spatial text: verbs that tell what happens, and words that put it in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.split_checks import vocabulary as v
from annotation.split_checks.finding import Finding, at
from annotation.split_checks.scenery import (
    is_before_noun,
    is_changing,
    is_depicted,
    is_describing,
    is_inverted,
    is_purpose,
    is_scenery,
    opens_list,
)
from annotation.split_checks.tagging import Sentence, Word, tagged
from backends.chat.rules.language import word_key
from backends.chat.rules.words import MOTIONS

VERBS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
SUBJECTS = ("nsubj", "nsubjpass", "csubj")
OBJECTS = ("dobj", "dative")


def action_in_spatial(text: str) -> Iterator[Finding]:
    """Every verb of the text that tells an action, with its particle; else the words of order."""
    for sentence in tagged(text):
        found = [i for i, _ in enumerate(sentence.words) if is_action(sentence, i)]
        for index in found:
            yield _finding(text, sentence, index)
        if not found:
            yield from _order(text, sentence)


def is_action(sentence: Sentence, index: int) -> bool:
    """Whether this word is a verb that tells an action or a change."""
    word = sentence.words[index]
    if not is_verb(sentence, index) or word.lemma in v.COPULA | v.LIGHT_VERBS:
        return False
    if word.dep in ("amod", "aux", "auxpass", "compound") and word.tag != "NNS":
        return False
    if any(told(sentence, index) for told in (is_describing, is_depicted, is_inverted, is_purpose)):
        return False
    if word.tag == "VBN" and not _perfect(sentence, index):
        return _done_by_somebody(sentence, index)
    return not _is_state(sentence, index)


def is_verb(sentence: Sentence, index: int) -> bool:
    """Whether a word is a verb, also where the tagger took it for a plural noun."""
    word = sentence.words[index]
    if word.low in v.PREPOSITIONS or is_before_noun(sentence, index) or opens_list(sentence, index):
        return False
    if word.tag == "NN" and _verb_of_several(sentence, index):
        return True
    if word.tag in ("NN", "NNS") and _before_article(sentence, index):
        return True
    if word.tag == "NNS":
        return _verb_read_as_plural(sentence, index)
    if word.tag not in VERBS or _noun_read_as_verb(sentence, index):
        return False
    if word.tag == "VB":  # a bare form: after "to", a helping verb, or as the verb of a plural subject
        before = sentence.words[index - 1] if index else None
        from_to = before is not None and before.low == "to" and _said_before(sentence, index)
        named = word.dep == "advcl" and bool(sentence.children(index, *SUBJECTS))  # "lies keel up"
        return not from_to and (word.dep in ("ROOT", "conj", "xcomp") or named or _helped(sentence, index))
    return True


def _verb_of_several(sentence: Sentence, index: int) -> bool:
    """ "Guests clap and cheer": the tagger takes the bare form for a noun that the sentence is about."""
    words, word = sentence.words, sentence.words[index]
    before, after = _beside(sentence, index)
    if word.lemma not in v.MOVES - v.ALSO_NOUNS or before is None or not _no_verb_yet(words):
        return False
    if word.dep == "conj" and before.low == "and":
        return _verb_of_several(sentence, word.head) if word.head < index else False
    ends = after is None or after.low in (".", "and") or after.tag in ("IN", "RB")
    return word.dep == "ROOT" and before.tag == "NNS" and _somebody(before) and ends


def _before_article(sentence: Sentence, index: int) -> bool:
    """ "Four porters shoulder their loads": no noun is followed by an article, where no verb came yet."""
    words = sentence.words
    before, after = _beside(sentence, index)
    takes = after is not None and (after.tag in ("DT", "PRP$") or after.low in _OBJECTS)
    if (
        not takes
        or before is None
        or before.tag in ("DT", "PRP$", "IN", "CD", ",")
        or words[index].dep == "dative"
    ):
        return False
    said = not _no_verb_yet(words[:index])
    opens = words[0].tag in ("IN", "RB", "TO", "VBG", "VBN") and not any(w.low == "," for w in words[:index])
    several = words[index].tag == "NNS" or any(w.tag == "NNS" or w.low == "and" for w in words[:index])
    return not said and not opens and several


def _no_verb_yet(words: Sequence[Word]) -> bool:
    return not any(w.tag in ("VBZ", "VBP", "VBD", "MD") for w in words)


def _noun_read_as_verb(sentence: Sentence, index: int) -> bool:
    """Words before a noun that the tagger took for a verb: "stacked crates", "landing mats", "knees bent"."""
    word, words = sentence.words[index], sentence.words
    before, after = _beside(sentence, index)
    bare = after is not None and after.tag in ("NN", "NNS", "NNP")
    if word.tag == "VBZ" and word.dep == "nsubj":
        return True
    if word.low in v.MATERIALS | v.COLOURS | v.BODY:
        bent = after is not None and after.tag in ("JJ", "VBN", "RB")
        return word.tag != "VBZ" or (word.low in v.BODY and bent)
    if word.tag in ("VBD", "VBN") and word.low.endswith("ed") and _participle(sentence, index, bare):
        return True
    if word.tag == "VBG" and bare and word.low in v.GERUNDS:
        return before is None or before.tag in (",", "CC", "DT", "JJ", "IN", "CD", ":")
    if word.tag == "VBZ" and bare and after is not None and after.tag == "NN" and index + 2 < len(words):
        joined = before is None or before.low in (",", "and")
        goes_on = words[index + 2].tag in ("DT", "PRP$", "IN")  # "benches border the floor"
        return (
            joined and goes_on and after.lemma in v.EXTENTS | v.THING_STATES | v.STATES | v.MOVES | v.HANDLES
        )
    return False


def _participle(sentence: Sentence, index: int, bare: bool) -> bool:
    """ "stacked crates", "a press smeared with ink", "arms locked,": a form in -ed that tells how it is."""
    word, words = sentence.words[index], sentence.words
    before, after = _beside(sentence, index)
    helped = bool(sentence.children(index, "aux", "auxpass"))
    if helped or (word.tag == "VBN" and not bare):
        return False  # `is_action` looks at those
    placed = word.lemma in v.PLACED | v.POSTURES
    if placed and (bare or not sentence.children(index, *OBJECTS)):
        return True
    if bare and before is not None and before.tag in (*VERBS, "IN", "CC", "DT", "JJ", ",", "CD"):
        return before.tag not in ("CC", ",") or word.lemma not in v.HANDLES
    if after is not None and after.low in ("with", "by") and word.lemma not in v.MOVES | v.WITH:
        return True
    alone = before is not None and before.tag in ("NN", "NNS") and (index < 2 or words[index - 2].low == ",")
    return alone and (after is None or after.low in (",", ".", ";", "in", "on", "at", "behind"))


def _beside(sentence: Sentence, index: int) -> tuple[Word | None, Word | None]:
    words = sentence.words
    return (words[index - 1] if index else None), (words[index + 1] if index + 1 < len(words) else None)


def _verb_read_as_plural(sentence: Sentence, index: int) -> bool:
    """ "The camera pans slowly": the tagger takes "pans" for a noun that the sentence is about."""
    word, words = sentence.words[index], sentence.words
    before, after = _beside(sentence, index)
    if before is None or not word.low.endswith("s"):
        return False
    moves = word.lemma in v.MOVES | v.HANDLES or word_key(word.low) in MOTIONS
    noun = before.tag in ("NN", "NNP", "NNS", "PRP") or (before.tag == "RB" and before.low.endswith("ly"))
    takes = after is not None and (after.tag in ("DT", "PRP$") or after.low in _OBJECTS)
    if noun and takes and before.dep != "pobj":  # no noun is followed by an article
        return True
    if noun and before.tag == "NNS" and moves and (after is None or after.low != ","):
        return True
    if (
        noun
        and word.lemma in (v.MOVES | v.HANDLES) - v.ALSO_NOUNS
        and after is not None
        and after.low != "of"
    ):
        return after.tag in ("IN", "RB", "RP", "TO") and _no_verb_yet(words[:index])
    follows = after is None or after.tag in ("RB", "RP", "IN", "TO", ".", ",", "CC")
    joined = before.low in ("and", "then", ",", "or", "but")
    if joined and word.dep in ("conj", "appos", "dep") and follows:
        head = words[word.head]
        sure = word.lemma in v.MOVES - v.ALSO_NOUNS
        verbs = word.dep == "conj" and head.tag in VERBS and head.dep != "amod"
        return sure or verbs or _verb_of(sentence, word.head, index)
    if joined and takes and word.dep in ("conj", "dep", "appos"):
        return True
    one = any(w.low in ("a", "an") for w in words[:index]) or _somebody(before)
    # "the kitchen cabinets" may be no sentence at all.
    return noun and (follows or takes) and word.dep in ("ROOT", "ccomp", "dep") and (one or moves)


_OBJECTS = frozenset(("it", "him", "her", "them", "each", "himself", "herself", "itself", "themselves"))


def _verb_of(sentence: Sentence, index: int, asked: int) -> bool:
    return index < asked and sentence.words[index].tag == "NNS" and _verb_read_as_plural(sentence, index)


def _said_before(sentence: Sentence, index: int) -> bool:
    """ "from side to side": the word stood before "to" already."""
    return index >= 2 and sentence.words[index - 2].low == sentence.words[index].low


def _helped(sentence: Sentence, index: int) -> bool:
    return any(sentence.words[i].tag in ("TO", "MD") for i in sentence.children(index, "aux"))


def _perfect(sentence: Sentence, index: int) -> bool:
    """ "has opened", "sprinted past": a participle that is no passive."""
    helpers = [sentence.words[i] for i in sentence.children(index, "aux")]
    if sentence.children(index, "auxpass"):
        return False
    word, after = sentence.words[index], _beside(sentence, index)[1]
    if after is not None and after.tag in ("NN", "NNS"):  # "has cropped hair"
        return False
    if word.lemma in v.MOVES - v.POSTURES or any(h.lemma == "have" for h in helpers):
        return True
    named = [sentence.words[i] for i in sentence.children(index, "nsubj")]
    placed = word.lemma in v.PLACED | v.STATES | v.POSTURES
    return word.dep == "ROOT" and any(map(_somebody, named)) and not placed


def _done_by_somebody(sentence: Sentence, index: int) -> bool:
    """A passive is an action when it goes on, when a person does it, or when a word of order says so."""
    words = sentence.words
    going_on = any(words[i].low == "being" for i in sentence.children(index, "auxpass", "aux"))
    by = [j for i in sentence.children(index, "agent") for j in sentence.children(i, "pobj")]
    if going_on or any(_somebody(words[j]) for j in by):
        return words[index].lemma not in v.STATES | v.PLACED
    ordered = any(w.low in v.SEQUENCE for w in words)
    return ordered and bool(sentence.children(index, "auxpass")) and words[index].lemma not in v.PLACED


def _is_state(sentence: Sentence, index: int) -> bool:
    word = sentence.words[index]
    thing = not _somebody_does(sentence, index)
    if is_scenery(sentence, index, subject(sentence, index)):
        return True
    if is_changing(sentence, index):
        return False
    moved = bool(sentence.children(index, *OBJECTS))
    near = [i for i in sentence.children(index, "prt") if i <= index + 2]  # not "with his hand up"
    particle = any(sentence.words[i].low in v.UPRIGHT for i in near)
    if word.lemma in v.STATES or _idiom(sentence, index):
        return True
    if word.lemma == _RISE and thing:
        doer = subject(sentence, index)
        return doer is None or doer.lemma not in v.RISING
    moved = moved and any(_is_thing_moved(sentence.words[i]) for i in sentence.children(index, *OBJECTS))
    if word.lemma in v.POSTURES and not (moved and word.lemma in v.SET_DOWN) and not particle:
        return True
    if word.lemma in v.SET_DOWN and thing and not moved:
        return True
    # Of things most verbs tell a state; those of moving and doing do not.
    doing = word.lemma in v.MOVES | v.HANDLES or word_key(word.low) in MOTIONS or moved
    return thing and (word.lemma in v.EXTENTS | v.THING_STATES or not doing)


_CAMERA = v.verbs("camera view shot frame lens")
_FIND = v.verbs("find notice spot discover")
_RISE, _TAKE = v.lemma("rise"), v.lemma("take")


def _is_thing_moved(word: Word) -> bool:
    return word.tag in ("NN", "NNS", "NNP", "PRP") and not word.low.endswith(("less", "wards"))


def _idiom(sentence: Sentence, index: int) -> bool:
    """ "takes place", "takes up half of the room"."""
    beside = {sentence.words[i].low for i in sentence.children(index, "prt", "dobj")}
    thing = not _somebody_does(sentence, index)
    doer = subject(sentence, index)
    seen = doer is not None and doer.lemma in _CAMERA and "in" in beside
    if sentence.words[index].lemma in _FIND:
        return doer is not None and doer.low in ("we", "you", "one")
    return sentence.words[index].lemma == _TAKE and ("place" in beside or (thing and "up" in beside) or seen)


def _somebody_does(sentence: Sentence, index: int) -> bool:
    """Whether the verb's subject, or the noun that it describes, is one that acts; unknown: yes."""
    doer = subject(sentence, index)
    return doer is None or _somebody(doer)


def subject(sentence: Sentence, index: int) -> Word | None:
    """The noun that the verb is said of, as far as the sentence names one."""
    words, seen = sentence.words, set[int]()
    while index not in seen:
        seen.add(index)
        named = sentence.children(index, *SUBJECTS)
        if named:
            found = words[named[0]]
            return _antecedent(sentence, index) if found.tag in ("WDT", "WP") else found
        if index and words[index - 1].tag in ("NN", "NNP", "NNS"):
            near = words[index - 1]
            joined = near.head == index and near.dep in ("compound", "amod", "dep")
            behind = next((i for i, w in enumerate(words[:index]) if w.tag == "IN"), 0)
            if behind and words[behind - 1].tag in ("NN", "NNS"):  # "a woman in a sari lights a candle"
                return words[behind - 1]
            if joined or (words[index].tag == "NNS" and words[index - 1].tag != "NNS"):
                return words[index - 1]
        if words[index].dep in ("acl", "relcl"):
            return words[words[index].head]
        if words[index].dep not in ("conj", "advcl", "xcomp", "dep", "ccomp", "pcomp", "prep"):
            return None
        index = words[index].head
    return None


def _antecedent(sentence: Sentence, index: int) -> Word | None:
    word = sentence.words[index]
    return sentence.words[word.head] if word.dep in ("relcl", "acl") else None


def _somebody(word: Word) -> bool:
    named = word.tag == "PRP" or (word.tag == "NNP" and word.start > 0)  # every sentence begins in capitals
    return v.animate(word.low, word.lemma) or (named and word.low != "it")


def _finding(text: str, sentence: Sentence, index: int) -> Finding:
    word = sentence.words[index]
    after = sentence.words[index + 1] if index + 1 < len(sentence.words) else word
    last = after if after.dep == "prt" and after.head == index else word
    start, end = sentence.place(word, last)
    why = f"“{text[start:end]}” tells an action; the spatial text keeps what is there"
    return at("action_in_spatial", "spatial", text, start, end, why)


def _order(text: str, sentence: Sentence) -> Iterator[Finding]:
    for word in sentence.words:
        if word.low in v.SEQUENCE and word.tag.startswith("RB"):
            start, end = sentence.place(word, word)
            why = f"“{word.text}” puts actions in order; the spatial text has none"
            yield at("action_in_spatial", "spatial", text, start, end, why)
            return

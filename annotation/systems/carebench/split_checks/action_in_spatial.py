"""Actions left in the spatial text: verbs that express an event, and words that order events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.systems.carebench.split_checks import word_lists as v
from annotation.systems.carebench.split_checks.clauses import clauses
from annotation.systems.carebench.split_checks.finding import Finding, at
from annotation.systems.carebench.split_checks.motion_verbs_of_states import (
    is_changing,
    is_depicted,
    is_describing,
    is_inverted,
    is_purpose,
    is_scenery,
)
from annotation.systems.carebench.split_checks.tagging import Sentence, Word, tagged
from annotation.systems.carebench.split_checks.which_words_are_verbs import (
    OBJECTS,
    SUBJECTS,
    VERBS,
    is_participle,
    is_person,
    is_verb,
    neighbours,
)
from backends.text.common_words import MOTIONS
from backends.text.lemmas import lemma
from backends.text.sentences import Clause
from backends.text.words import word_key


def action_in_spatial(text: str) -> Iterator[Finding]:
    """Every action verb of the text, with its particle; if there is none, the words that order events."""
    for sentence in tagged(text):
        found = [i for i, _ in enumerate(sentence.words) if is_action(sentence, i)]
        for index in found:
            yield _finding(text, sentence, index)
        yield from _order(text, sentence, found)


def is_action(sentence: Sentence, index: int) -> bool:
    """Whether this word is a verb that expresses an action or a change."""
    word = sentence.words[index]
    if not is_verb(sentence, index) or word.lemma in v.COPULA | v.LIGHT_VERBS:
        return False
    if word.dep in ("amod", "aux", "auxpass", "compound") and word.tag in VERBS:
        return False
    if any(told(sentence, index) for told in (is_describing, is_depicted, is_inverted, is_purpose)):
        return False
    if is_participle(sentence, index) or (word.tag == "VBN" and not _perfect(sentence, index)):
        return _done_by_person(sentence, index)
    return not _is_state(sentence, index)


def _perfect(sentence: Sentence, index: int) -> bool:
    """ "has opened", "sprinted past": a participle that is not a passive."""
    helpers = [sentence.words[i] for i in sentence.children(index, "aux")]
    if sentence.children(index, "auxpass"):
        return False
    word, after = sentence.words[index], neighbours(sentence, index)[1]
    if after is not None and after.tag in ("NN", "NNS"):  # "has cropped hair"
        return False
    if word.dep == "acl":  # "a score bound in leather"
        return False
    if word.lemma in v.MOVES - v.POSTURES or any(h.lemma == "have" for h in helpers):
        return True
    named = [sentence.words[i] for i in sentence.children(index, "nsubj")]
    placed = word.lemma in v.PLACED | v.STATES | v.POSTURES
    return word.dep == "ROOT" and any(map(is_person, named)) and not placed


def _done_by_person(sentence: Sentence, index: int) -> bool:
    """A passive is an action if it is progressive, if a person is the agent, or if it has a word of order."""
    words = sentence.words
    going_on = any(words[i].low == "being" for i in sentence.children(index, "auxpass", "aux"))
    by = [j for i in sentence.children(index, "agent") for j in sentence.children(i, "pobj")]
    if going_on or any(is_person(words[j]) for j in by):
        return words[index].lemma not in v.STATES | v.PLACED
    if sentence.children(index, "auxpass") and words[index].lemma in v.PASSING:
        return not sentence.children(index, "prt")  # "the colours are washed out"
    ordered = any(w.low in v.SEQUENCE for w in words)
    return ordered and bool(sentence.children(index, "auxpass")) and words[index].lemma not in v.PLACED


def _is_state(sentence: Sentence, index: int) -> bool:
    word = sentence.words[index]
    thing = not _acts(sentence, index)
    if is_scenery(sentence, index, subject(sentence, index)):
        return True
    if is_changing(sentence, index):
        return False
    moved = bool(sentence.children(index, *OBJECTS))
    near = [i for i in sentence.children(index, "prt") if i <= index + 2]  # not "with his hand up"
    after = neighbours(sentence, index)[1]
    if after is not None and after.tag == "RP" and after.low in ("down", "up"):
        near.append(index + 1)
    particle = any(sentence.words[i].low in v.UPRIGHT for i in near)
    if word.lemma in v.STATES or _idiom(sentence, index):
        return True
    if word.lemma == _RISE and thing:
        doer = subject(sentence, index)
        return doer is None or doer.lemma not in v.RISING
    moved = moved and any(_is_moved(sentence, index, i) for i in sentence.children(index, *OBJECTS))
    if word.lemma in v.POSTURES and not (moved and word.lemma in v.SET_DOWN) and not particle:
        return True
    if word.lemma in v.SET_DOWN and thing and not moved:
        return True
    # With things as subject most verbs express a state, also with an object ("the theatre preserves its
    # cherubs"); verbs of motion and action do not.
    doer = subject(sentence, index)
    unknown = doer is not None and doer.low == "it"  # a person or a thing: the verb decides
    doing = word.lemma in v.DOING or word_key(word.low) in MOTIONS or unknown
    return thing and (word.lemma in v.EXTENTS | v.THING_STATES or not doing)


_CAMERA = v.verbs("camera view shot frame lens")
_FIND = v.verbs("find notice spot discover")
_RISE, _TAKE = lemma("rise"), lemma("take")


def _is_moved(sentence: Sentence, index: int, at: int) -> bool:
    """Whether it is the verb's own object ("lies on a sofa, a book in his hand" has none)."""
    words = sentence.words
    word, apart = words[at], any(w.low == "," for w in words[index:at])
    if apart or (at > index and words[index + 1].low in v.PREPOSITIONS):
        return False
    return word.tag in ("NN", "NNS", "NNP", "PRP") and not word.low.endswith(("less", "wards"))


def _idiom(sentence: Sentence, index: int) -> bool:
    """ "takes place", "takes up half of the room"."""
    neighbours = {sentence.words[i].low for i in sentence.children(index, "prt", "dobj")}
    thing = not _acts(sentence, index)
    doer = subject(sentence, index)
    seen = doer is not None and doer.lemma in _CAMERA and "in" in neighbours
    if sentence.words[index].lemma in _FIND:
        return doer is not None and doer.low in ("we", "you", "one")
    return sentence.words[index].lemma == _TAKE and (
        "place" in neighbours or (thing and "up" in neighbours) or seen
    )


def _acts(sentence: Sentence, index: int) -> bool:
    """Whether the verb's subject, or the noun that it modifies, can act; unknown subjects count as acting."""
    doer = subject(sentence, index)
    return doer is None or is_person(doer)


def subject(sentence: Sentence, index: int) -> Word | None:
    """The subject noun of the verb, if the sentence names one."""
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
        if index and words[index - 1].tag == "VBZ" and words[index].tag == "VBP":
            return words[index - 1]  # "stems form": the first is a noun
        if words[index].dep in ("acl", "relcl"):
            return words[words[index].head]
        if words[index].dep not in ("conj", "advcl", "xcomp", "dep", "ccomp", "pcomp", "prep"):
            return None
        index = words[index].head
    return None


def _antecedent(sentence: Sentence, index: int) -> Word | None:
    word = sentence.words[index]
    return sentence.words[word.head] if word.dep in ("relcl", "acl") else None


def _finding(text: str, sentence: Sentence, index: int) -> Finding:
    word = sentence.words[index]
    after = sentence.words[index + 1] if index + 1 < len(sentence.words) else word
    last = after if after.dep == "prt" and after.head == index else word
    start, end = sentence.place(word, last)
    why = f"“{text[start:end]}” is an action; the spatial text describes only what is visible at rest"
    return at("action_in_spatial", "spatial", text, start, end, why)


def _order(text: str, sentence: Sentence, told: Sequence[int]) -> Iterator[Finding]:
    """Words that order events, in clauses without an action."""
    places = [sentence.start + sentence.words[i].start for i in told]
    for row in clauses(text):
        inside = sentence.start <= row.start < sentence.end
        if not inside or any(row.start <= place < row.end for place in places):
            continue
        for start, end in _order_words(row, sentence):
            why = f"“{text[start:end]}” puts actions in order; the spatial text has no actions"
            yield at("action_in_spatial", "spatial", text, start, end, why)


def _order_words(row: Clause, sentence: Sentence) -> Iterator[tuple[int, int]]:
    for word in sentence.words:
        start, end = sentence.place(word, word)
        if row.start <= start < row.end and word.low in v.SEQUENCE and word.tag.startswith("RB"):
            yield start, end
    for match in v.ORDER.finditer(row.text):
        yield row.start + match.start(), row.start + match.end()

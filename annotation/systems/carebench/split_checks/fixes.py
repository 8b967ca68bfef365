"""Fixes of findings, applied with one key: the new text of one side, or of both if words move.

A fix is a proposal: the person sees its result in the text at once and can undo it. If a simple edit
cannot resolve the finding, there is no fix. Words never move to a side whose check would send them back,
so a sequence of fixes always ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from annotation.systems.carebench.split_checks import word_lists as v
from annotation.systems.carebench.split_checks.action_in_spatial import action_in_spatial, is_action
from annotation.systems.carebench.split_checks.clauses import clauses
from annotation.systems.carebench.split_checks.cut_and_put_words import (
    added,
    cut,
    cut_word,
    put,
    sentence,
    sentence_around,
    with_marks,
)
from annotation.systems.carebench.split_checks.finding import Finding, Fix, Side, Texts
from annotation.systems.carebench.split_checks.lost_details import LOST, holds, overview_of
from annotation.systems.carebench.split_checks.not_in_caption_fixes import not_invented
from annotation.systems.carebench.split_checks.static_in_temporal import static_in_temporal
from annotation.systems.carebench.split_checks.tagging import Sentence, tagged
from annotation.systems.carebench.split_checks.what_a_fix_settles import (
    is_word,
    may_stay,
    settles,
    without_statics,
)
from annotation.systems.carebench.split_checks.which_words_are_verbs import SUBJECTS
from backends.text.sentences import Clause, sentences

_NOUNS = (*SUBJECTS, "dobj", "pobj", "attr", "conj")
_SEEN_AS_TEXT = re.compile(
    r"(?:reads?|says?|words?|letters?|label(?:led|ed)|titled|sign|written|inscription)\s*[:,]?\s*$",
    re.IGNORECASE,
)
_PLAIN_MARKS = {
    "，": ", ",
    "。": ". ",
    "、": ", ",
    "；": "; ",
    "：": ": ",
    "？": "? ",
    "！": "! ",
    "（": " (",
    "）": ") ",
}
_VIEW = {"enter": "comes into view", "leave": "goes out of view"}
_SHOWS = re.compile(
    r"\s+(?:shows?|depicts?|reveals?|captures?|presents?|displays?|features?)\b", re.IGNORECASE
)


def fix_of(finding: Finding, texts: Texts) -> Fix | None:
    """The fix of one finding; None if a person has to rewrite the text."""
    make = _FIXES.get(finding.check)
    fix = make(finding, texts) if make else None
    if fix is None or all(texts.of(side) == text for side, text in fix.texts.items()):
        return None
    return fix if settles(finding, fix, texts) else None


# --- actions and statics --------------------------------------------------------------


def _no_action(finding: Finding, texts: Texts) -> Fix | None:
    """Move the action; what the clause describes stays ("A man in a red coat."). A word that orders events
    is deleted alone."""
    if not _is_verb_of_action(texts.spatial, finding.start):
        spatial = cut(texts.spatial, *with_marks(texts.spatial, finding.start, finding.end))
        return Fix(f"delete “{finding.text}”", {"spatial": spatial})
    clause = _action_at(texts.spatial, finding.start)
    kept = _things(texts.spatial, clause)
    spatial = _instead(texts.spatial, clause, kept)
    covered = holds(texts.temporal, finding.text) >= LOST  # the verb itself
    if covered and holds(texts.temporal, _without_places(clause.text)) >= LOST:
        return Fix(
            "keep the static part, delete the action" if kept else "delete the clause", {"spatial": spatial}
        )
    moved = without_statics(clause.text)
    if any(static_in_temporal(sentence(moved))):
        return None
    temporal = added(texts.temporal, moved)
    return Fix("move the action to temporal", {"spatial": spatial, "temporal": temporal})


def _is_verb_of_action(text: str, place: int) -> bool:
    return any(
        row.start + word.start == place and is_action(row, index)
        for row in tagged(text)
        for index, word in enumerate(row.words)
    )


def _no_static(finding: Finding, texts: Texts) -> Fix | None:
    text = texts.temporal
    if is_word(finding):
        return Fix(f"delete “{finding.text}”", {"temporal": cut_word(text, finding.start, finding.end)})
    temporal = cut(text, *with_marks(text, finding.start, finding.end))
    if holds(texts.spatial, finding.text) >= LOST:
        return Fix("delete it here: it is in spatial", {"temporal": temporal})
    start, _ = sentence_around(text, finding.start)
    named = text[start : finding.start].strip(" ,")
    hung_on = named and re.match(r"(?:in|with|wearing|dressed|clad|who|whose|draped)\b", finding.text)
    words = f"{named}, {finding.text}" if hung_on and len(named.split()) <= 5 else finding.text
    if any(action_in_spatial(sentence(words))):
        return None
    return Fix("move it to spatial", {"temporal": temporal, "spatial": added(texts.spatial, words)})


def _action_at(text: str, place: int) -> Clause:
    """The clause with an action at a place, with adjacent action clauses of the same sentence."""
    start, end = sentence_around(text, place)
    rows = [c for c in clauses(text) if start <= c.start < end]
    here = next((i for i, c in enumerate(rows) if c.start <= place < c.end), None)
    if here is None:
        return Clause(start, end, text[start:end])
    first = last = here
    while first and has_action(rows[first - 1].text):
        first -= 1
    while last + 1 < len(rows) and has_action(rows[last + 1].text):
        last += 1
    left, right = rows[first].start, rows[last].end
    return Clause(left, right, text[left:right])


def _without_places(words: str) -> str:
    """Words that the other side must contain before an action is removed: the clause without its places."""
    return re.split(r"\s(?:past|near|beside|behind|in front of|next to)\s", words)[0]


def _instead(text: str, clause: Clause, kept: str) -> str:
    if not kept:
        return cut(text, clause.start, clause.end)
    before = text[: clause.start].rstrip()
    opens = not before or before[-1] in ".!?"
    rest = text[clause.end :].lstrip()
    end = "" if rest[:1] in (",", ";") else "," if rest[:1].islower() else "."
    words = kept.rstrip(".") + end
    joined = (
        put(text, clause.start, clause.end, words)
        if opens
        else text[: clause.start] + words + text[clause.end :]
    )
    return joined.replace("..", ".")


def _things(text: str, clause: Clause) -> str:
    """The noun phrases of a clause that describe looks, without its verbs."""
    found: list[str] = []
    for row in tagged(text):
        if not row.start <= clause.start < row.end:
            continue
        taken: set[int] = set()
        for index, word in enumerate(row.words):
            inside = clause.start <= row.start + word.start < clause.end
            if not inside or index in taken or word.dep not in _NOUNS or word.tag not in ("NN", "NNS", "NNP"):
                continue
            span = _phrase(row, index)
            if any(is_action(row, i) for i in span) or not _looks_like_something(row, span):
                continue
            taken |= set(span)
            while span and row.words[span[-1]].tag in ("IN", "CC", ",", "RB"):
                span = span[:-1]
            found.append(row.text[row.words[span[0]].start : row.words[span[-1]].end])
    return sentence(" and ".join(found)) if found else ""


def _phrase(row: Sentence, index: int) -> range:
    inside, grown = {index}, True
    while grown:
        more = {
            i for i, w in enumerate(row.words) if w.head in inside and i not in inside and w.dep in _PARTS
        }
        grown, inside = bool(more), inside | more
    return range(min(inside), max(inside) + 1)


_PARTS = (
    "det",
    "amod",
    "compound",
    "poss",
    "nummod",
    "prep",
    "pobj",
    "acl",
    "dobj",
    "case",
    "nmod",
    "advmod",
)


def _looks_like_something(row: Sentence, span: range) -> bool:
    return any(
        row.words[i].dep in ("amod", "compound", "acl", "nummod")
        or row.words[i].low in v.MATERIALS | v.COLOURS
        for i in span
    )


# --- coverage -------------------------------------------------------------------------


def _not_lost(finding: Finding, texts: Texts) -> Fix | None:
    clause = Clause(finding.start, finding.end, finding.text)
    first = side_of(clause.text)
    other: Side = "spatial" if first == "temporal" else "temporal"
    side = next((side for side in (first, other) if may_stay(texts, side, clause)), None)
    return Fix(f"send it to {side}", {side: placed(texts, side, clause.start, clause.text)}) if side else None


def side_of(clause: str) -> Side:
    """The side that a clause belongs to by the rules: temporal if it expresses an action."""
    return "temporal" if has_action(clause) else "spatial"


@lru_cache(maxsize=2_000)
def has_action(clause: str) -> bool:
    """Whether a clause contains an action verb."""
    return any(is_action(row, i) for row in tagged(clause) for i in range(len(row.words)))


def placed(texts: Texts, side: Side, start: int, words: str) -> str:
    """A side's text with a clause of the full caption inserted: after the sentence that covers the preceding
    part of the full caption, else at the end."""
    text = texts.of(side)
    rows = sentences(text)
    for before in reversed([c for c in clauses(texts.full) if c.end <= start]):
        for row in reversed(rows):
            if holds(row.text, before.text) >= 0.6:
                return f"{text[: row.end]} {sentence(words)}{text[row.end :]}"
    return added(text, words)


def _overview(_finding: Finding, texts: Texts) -> Fix | None:
    found = overview_of(texts.full)
    if found is None:
        return None
    return Fix(
        "begin with the full caption’s first sentence",
        {"temporal": added(texts.temporal, found.text, first=True)},
    )


# --- surface --------------------------------------------------------------------------


def _own_script(finding: Finding, texts: Texts) -> Fix:
    text = texts.of(finding.side)
    if finding.text in _PLAIN_MARKS:
        new = put(text, finding.start, finding.end, _PLAIN_MARKS[finding.text]).replace("  ", " ").rstrip()
        return Fix("use the plain punctuation mark", {finding.side: new})
    if _SEEN_AS_TEXT.search(text[: finding.start]):
        return Fix(
            "quote it: it is text in the video",
            {finding.side: put(text, finding.start, finding.end, f"“{finding.text}”")},
        )
    return Fix("delete it", {finding.side: cut_word(text, finding.start, finding.end)})


def _no_frames(finding: Finding, texts: Texts) -> Fix:
    text = texts.of(finding.side)
    low = finding.text.lower()
    for start, words in (("enter", _VIEW["enter"]), ("leave", _VIEW["leave"]), ("exit", _VIEW["leave"])):
        if low.startswith(start):
            return Fix(f"“{words}”", {finding.side: put(text, finding.start, finding.end, words)})
    verb = re.search(
        r"\b(?:show|depict|captur|display|portray|reveal|illustrat|present|featur|contain|focus|highlight)\w*$",
        low,
    )
    if verb or _SHOWS.match(text[finding.end :]):
        words = "the video" + (f" {_one(verb[0])}" if verb else "")
        new = put(text, finding.start, finding.end, words)
        return Fix(f"“{words}”", {finding.side: _agrees(new, finding.start + len(words))})
    return Fix("delete it", {finding.side: cut(text, finding.start, finding.end)})


def _one(verb: str) -> str:
    """The verb after "the video": "depict" becomes "depicts"."""
    return verb if verb.endswith("s") else verb + "s"


def _agrees(text: str, place: int) -> str:
    """ "The video show" is "The video shows"."""
    plural = re.compile(r"\s+(show|depict|reveal|capture|present|display|feature)\b")
    match = plural.match(text, place)
    return f"{text[: match.end()]}s{text[match.end() :]}" if match else text


_FIXES: Mapping[str, Callable[[Finding, Texts], Fix | None]] = {
    "action_in_spatial": _no_action,
    "static_in_temporal": _no_static,
    "lost": _not_lost,
    "invented": not_invented,
    "no_overview": _overview,
    "script": _own_script,
    "meta_wording": _no_frames,
}

"""Fixes for words that are not in the full caption: replace the word, or delete as little as possible."""

from __future__ import annotations

import re

from annotation.systems.carebench.split_checks import word_lists as v
from annotation.systems.carebench.split_checks.clauses import clauses
from annotation.systems.carebench.split_checks.cut_and_put_words import cut, cut_word, put, with_marks
from annotation.systems.carebench.split_checks.finding import Finding, Fix, Texts
from annotation.systems.carebench.split_checks.lost_details import holds
from annotation.systems.carebench.split_checks.not_in_caption import nouns_around
from annotation.systems.carebench.split_checks.tagging import Sentence, tagged
from annotation.systems.carebench.split_checks.which_words_are_verbs import SUBJECTS, VERBS
from annotation.systems.carebench.split_checks.words_allowed_without_source import GENERIC
from backends.text.common_words import NUMBERS
from backends.text.sentences import Clause, sentences

_DIRECTIONS = frozenset(("left", "right", "up", "down"))
SHOWN = 40
"""Maximum length of the deleted words on a button label, in characters."""


def not_invented(finding: Finding, texts: Texts) -> Fix | None:
    text = texts.of(finding.side)
    if " " not in finding.text:
        source = counterpart(finding, texts)
        if source:
            new = put(text, finding.start, finding.end, source)
            return Fix(f"“{source}”, as in the full caption", {finding.side: new})
        if _is_adjective(text, finding.start):
            return Fix(f"delete “{finding.text}”", {finding.side: cut_word(text, finding.start, finding.end)})
        if part := _part_with(text, finding.start):
            words = text[slice(*part)].strip(" ,;")
            return Fix(f"delete “{_short(words)}”", {finding.side: cut(text, *part)})
        clause = next((c for c in clauses(text) if c.start <= finding.start < c.end), None)
        return (
            Fix("delete the clause", {finding.side: cut(text, clause.start, clause.end)}) if clause else None
        )
    return Fix("delete it", {finding.side: cut(text, *with_marks(text, finding.start, finding.end))})


def _part_with(text: str, place: int) -> tuple[int, int] | None:
    """The part of a sentence that can be deleted with a noun: "and a leather bag", "with a vase"."""
    for row in tagged(text):
        index = next((i for i, w in enumerate(row.words) if row.start + w.start == place), None)
        if index is None:
            continue
        word, head = row.words[index], row.words[row.words[index].head]
        if word.dep == "conj" and head.tag.startswith("NN"):
            return _with_link(row, _whole(row, index))
        if word.dep == "pobj" and head.dep == "prep" and head.head < word.head and _can_lose(row, head.head):
            return row.place(*(row.words[i] for i in _ends(_whole(row, word.head))))
    return None


def _whole(row: Sentence, index: int) -> range:
    """A word with its dependency subtree."""
    inside, grown = {index}, True
    while grown:
        more = {
            i for i, w in enumerate(row.words) if w.head in inside and i not in inside and w.dep != "punct"
        }
        grown, inside = bool(more), inside | more
    return range(min(inside), max(inside) + 1)


def _ends(span: range) -> tuple[int, int]:
    return span[0], span[-1]


def _with_link(row: Sentence, span: range) -> tuple[int, int] | None:
    """The last member of a list with the "and" or comma before it; None if more members follow it."""
    first, words = span[0], row.words
    while first and words[first - 1].low in (",", "and", "or"):
        first -= 1
    return row.place(words[first], words[span[-1]]) if first < span[0] else None


def _can_lose(row: Sentence, index: int) -> bool:
    """Whether a noun or verb is still meaningful without a place; "lies." and "is." are not."""
    word = row.words[index]
    if word.tag.startswith("NN"):
        return True
    bare = word.lemma in v.COPULA | v.POSTURES | v.PLACED | v.STATES
    return word.tag in VERBS and not bare and (word.dep == "conj" or bool(row.children(index, *SUBJECTS)))


def _short(words: str) -> str:
    return words if len(words) <= SHOWN else words[: SHOWN - 1].rstrip() + "…"


def _is_adjective(text: str, place: int) -> bool:
    return any(
        word.dep in ("amod", "nummod", "compound", "advmod")
        for row in tagged(text)
        for word in row.words
        if row.start + word.start == place
    )


def counterpart(finding: Finding, texts: Texts) -> str:
    """The full caption's colour, number or direction in place of a changed one; empty if ambiguous."""
    low = finding.text.lower()
    kinds = (v.COLOURS, NUMBERS, frozenset(("left", "right")), frozenset(("up", "down")))
    kind = next((kind for kind in kinds if low in kind), None)
    if kind is None:
        return ""
    row = next((r for r in sentences(texts.of(finding.side)) if r.start <= finding.start < r.end), None)
    if row is None:
        return ""
    nouns = _mentioned_of(texts.of(finding.side), finding.start)
    held = texts.of(finding.side).lower()
    for near in sorted(sentences(texts.full), key=lambda s: holds(s.text, row.text), reverse=True):
        found = [
            match[0]
            for match in re.finditer(r"[\w-]+", near.text)
            if match[0].lower() in kind and (low in _DIRECTIONS or _may_be_meant(texts, near, match, nouns))
        ]
        new = [w for w in found if not re.search(rf"\b{re.escape(w.lower())}\b", held)] or found
        if holds(near.text, row.text) > 0 and new:
            return new[0].lower() if len(set(new)) == 1 else ""
    return ""


def _may_be_meant(texts: Texts, near: Clause, match: re.Match[str], nouns: frozenset[str]) -> bool:
    """Whether a word of the full caption modifies the same thing, or nothing that is named."""
    of = _mentioned_of(texts.full, near.start + match.start()) - GENERIC
    return not of or not nouns or not of.isdisjoint(nouns)


def _mentioned_of(text: str, place: int) -> frozenset[str]:
    """Keys of the nouns that the word at a place modifies."""
    for row in tagged(text):
        for index, word in enumerate(row.words):
            if row.start + word.start == place:
                return frozenset(nouns_around(row, index))
    return frozenset()

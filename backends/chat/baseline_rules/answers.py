"""Answer by retrieval: find the clause that shares most words with the question, and cut out the answer."""

from __future__ import annotations

import re
from collections.abc import Callable

from backends.chat.baseline_rules.questions_from_reference import (
    CAMERA,
    DOMINATE,
    LENGTH,
    QUOTE,
    SHOT,
    WRITTEN,
    colour_runs,
)
from backends.chat.baseline_rules.word_sets import CONTRASTS, PLACES
from backends.text.common_words import NUMBERS
from backends.text.sentences import Clause, clauses, sentences
from backends.text.words import STOPWORDS, keys, tokens

NOT_MENTIONED = "Not mentioned in the description."
MIN_OVERLAP = 0.34
"""Minimum share of the question's content words that a relevant sentence contains."""
LONGEST = 12

_GENERIC = keys(
    "color type kind many much describe description video scene shot use used happen word words complete "
    "sentence begin said say do does there picture shown show depict depicted appear long called "
    "text screen written"
)
_GENERIC -= keys("shot")
_YES_NO = re.compile(r"^\s*(?:is|are|was|were|does|do|did|has|have|can)\b(?!.*\bor\b)", re.IGNORECASE)
_WORD = r"(?!(?:is|are|was|were|and|while|which|that|who)\b)(?:\w|[-'’])+"
_PLACE = re.compile(
    rf"\b(?:{'|'.join(sorted(PLACES))}) (?!scenes? \d){_WORD}(?: {_WORD}){{0,7}}", re.IGNORECASE
)
_DENIAL = re.compile(r"\b(?:no|not|never|without|nothing|none)\b|n['’]t\b", re.IGNORECASE)

Cutter = Callable[[str, set[str]], str]
"""Returns the answer within a clause or sentence, given the keys of the question; empty if there is none."""


def answer(caption: str, question: str) -> str:
    """Return a word or phrase of the caption, `Yes`, `No`, or NOT_MENTIONED."""
    words = keys(question)
    asked = words - _GENERIC
    if _YES_NO.match(question):
        return _yes_no(caption, asked)
    cut = _cutter(question)
    for sentence in _ranked(caption, asked, needs=bool(asked)):
        for place in [*_ranked_clauses(caption, sentence, asked), sentence]:
            if found := cut(place.text, words):
                return found
    return NOT_MENTIONED


def _ranked(caption: str, asked: set[str], *, needs: bool) -> list[Clause]:
    """Return the relevant sentences, best first."""
    rows = [(len(asked & keys(sentence.text)), sentence) for sentence in sentences(caption)]
    if needs:
        rows = [row for row in rows if row[0] >= max(1, MIN_OVERLAP * len(asked))]
    return [sentence for _, sentence in sorted(rows, key=lambda row: (-row[0], row[1].start))]


def _ranked_clauses(caption: str, sentence: Clause, asked: set[str]) -> list[Clause]:
    parts = [part for part in clauses(caption) if sentence.start <= part.start < sentence.end]
    scored = [(len(asked & keys(part.text)), part) for part in parts]
    return [
        part for score, part in sorted(scored, key=lambda row: (-row[0], row[1].start)) if score or not asked
    ]


def _cutter(question: str) -> Cutter:
    text = question.casefold()
    for pattern, cut in _CUTTERS:
        if re.search(pattern, text):
            return cut
    return _phrase


def _first_group(pattern: re.Pattern[str]) -> Cutter:
    def cut(text: str, _: set[str]) -> str:
        match = pattern.search(text)
        return next((group for group in match.groups() if group), match[0]) if match else ""

    return cut


def _colour(text: str, asked: set[str]) -> str:
    if "dominat" in asked:
        return _first_group(DOMINATE)(text, asked)
    runs = list(colour_runs(text))
    named = [(start, end) for start, end, follows in runs if follows is not None and follows.key in asked]
    # "The car is red": the colour follows the noun directly.
    named += [(start, end) for start, end, follows in runs if follows is None or follows.text in STOPWORDS]
    return text[slice(*named[0])] if named else ""


def _count(text: str, asked: set[str]) -> str:
    row = tokens(text)
    for i, word in enumerate(row):
        counted = word.text.lower() in NUMBERS or word.text.isdecimal()
        if counted and any(near.key in asked for near in row[i + 1 : i + 4]):
            return word.text
    return ""


def _where(text: str, asked: set[str]) -> str:
    for match in _PLACE.finditer(text):
        if not keys(match[0]) <= asked:
            return match[0]
    return ""


def _speech(text: str, asked: set[str]) -> str:
    said = "" if WRITTEN.search(text) else _first_group(QUOTE)(text, asked)
    words = said.split()
    return said if len(words) <= LONGEST else " ".join(words[:LONGEST])


def _camera(text: str, asked: set[str]) -> str:
    return _first_group(CAMERA)(text, asked)


def _phrase(text: str, asked: set[str]) -> str:
    """Return the clause without question words at its ends."""
    row = tokens(text)
    new = [i for i, word in enumerate(row) if word.key not in asked and word.text.lower() not in STOPWORDS]
    if not new:
        return ""
    first, last = new[0], min(new[-1] + 1, new[0] + LONGEST)
    return text[row[first].start : row[last - 1].end]


_SCENE = re.compile(
    r"\b(scenes? \d+(?: to \d+)?(?:, from \d+(?:\.\d+)? s to \d+(?:\.\d+)? s)?)\b", re.IGNORECASE
)
_WAY = re.compile(r"\bmoves ((?:to the \w+|up|down)(?: and to the \w+)?)")

_CUTTERS: tuple[tuple[str, Cutter], ...] = (
    (r"\b(?:which|what) scenes?\b", _first_group(_SCENE)),
    (r"\bwhich (?:way|direction)\b", _first_group(_WAY)),
    (r"\btext\b|\bwritten\b", _first_group(WRITTEN)),
    (r"\bcolou?rs?\b", _colour),
    (r"\bhow many\b|\bnumber of\b", _count),
    (r"\bhow long\b", _first_group(LENGTH)),
    (r"\bwhere\b", _where),
    (r"\b(?:is said|say|says|speech|voice)\b", _speech),
    (r"\b(?:type|kind) of shot\b|\bshot (?:type|size)\b|\bwhat shot\b", _first_group(SHOT)),
    (r"\bcamera\b.*\b(?:do|move|moves|movement|motion)\b|\bmovement of the camera\b", _camera),
)


def _yes_no(caption: str, asked: set[str]) -> str:
    """Return `Yes` if a sentence contains nearly all content words, `No` if it denies or contradicts them."""
    for sentence in _ranked(caption, asked, needs=True)[:1]:
        held = keys(sentence.text)
        if any(asked & group and held & group and not asked & held & group for group in CONTRASTS):
            return "No"
        if len(asked & held) >= 0.75 * len(asked):
            return "No" if _DENIAL.search(sentence.text) else "Yes"
    return NOT_MENTIONED

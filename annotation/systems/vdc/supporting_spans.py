"""Words of a caption that support an answer. Offsets refer to the current caption."""

from __future__ import annotations

import re
from collections.abc import Iterable

from backends.text.sentences import Clause, clauses
from backends.text.words import Token, content, keys, tokens

MIN_OVERLAP = 0.5
"""Share of the answer's content words that a clause must contain to count as its support."""

MOST_SPOTS = 50
"""Maximum number of matches considered per answer: "the man" may occur a thousand times in a film script."""

_STATED = r"(?:\w+\s+)?(?:mention|specif|describ|stat|say|said|provid|given|clear|known|availabl|indicat)"
_NOTHING = re.compile(
    rf"\b(?:not|\w+n['’]t)\s+{_STATED}|\bno (?:information|mention|answer|details?)\b"
    r"|\b(?:nothing|no ?(?:one|body)) (?:is|was|has been) (?:mention|specif|describ|stat|said|shown)"
    r"|^\W*(?:unknown|none|nothing|no ?one|nobody|n/?a|unclear|unspecified|not applicable)\W*$"
    r"|\bcannot be (?:determined|answered)\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(r"^\W*(?:yes|no)\b\W*", re.IGNORECASE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def says_nothing(answer: str) -> bool:
    """Whether an answer states that the caption does not contain the information."""
    return bool(_NOTHING.search(answer))


def supporting_span(caption: str, question: str, answer: str) -> tuple[int, int] | None:
    """The (start, end) of the words in `caption` that support `answer`, or None.

    First a literal match of the answer (if there are several, the one that fits the question
    best), then a match that ignores case, plural, number words and articles, then the
    clause with most of the answer's words. For a bare yes or no, the clause that the
    question is about. Returns None if the answer states that the caption has no
    information, or if nothing in the caption supports it.
    """
    if not answer.strip() or says_nothing(answer):
        return None
    stated = _YES_NO.sub("", answer, count=1).strip().rstrip(".!。").strip()
    if not stated:
        return _best_clause(caption, keys(question), set())
    asked = keys(question)
    return (
        _nearest(caption, _literal(caption, stated), asked)
        or _nearest(caption, _by_key(caption, stated), asked)
        or _best_clause(caption, keys(stated), asked)
    )


def _literal(caption: str, stated: str) -> list[tuple[int, int]]:
    """Literal matches of the answer; with the same case if possible."""
    pattern = r"\s+".join(re.escape(word) for word in stated.split())
    pattern = _edge(stated[0], r"(?<!\w)") + pattern + _edge(stated[-1], r"(?!\w)")
    exact = [match.span() for match in re.finditer(pattern, caption)]
    return exact or [match.span() for match in re.finditer(pattern, caption, re.IGNORECASE)]


def _edge(char: str, boundary: str) -> str:
    """A word boundary, except next to scripts written without spaces."""
    return boundary if char.isalnum() and not _CJK.match(char) else ""


def _by_key(caption: str, stated: str) -> list[tuple[int, int]]:
    """Matches of the answer's content words in sequence; stop words between them are ignored."""
    wanted = [token.key for token in content(stated)]
    row = content(caption)
    if not wanted:
        return []
    hits = (row[i : i + len(wanted)] for i in range(len(row) - len(wanted) + 1))
    return [(hit[0].start, hit[-1].end) for hit in hits if [token.key for token in hit] == wanted]


def _nearest(caption: str, spans: list[tuple[int, int]], asked: set[str]) -> tuple[int, int] | None:
    """Of several matches, the one whose clause, then sentence part, shares most words with the question."""
    if len(spans) < 2:
        return spans[0] if spans else None
    places = clauses(caption)
    words = tokens(caption)
    return max(
        spans[:MOST_SPOTS],
        key=lambda span: (_shared(places, span, asked), _closeness(words, span, asked), -span[0]),
    )


def _shared(places: Iterable[Clause], span: tuple[int, int], asked: set[str]) -> int:
    around = [place for place in places if place.start < span[1] and span[0] < place.end]
    return len(asked & set().union(*(keys(place.text) for place in around)))


def _closeness(words: Iterable[Token], span: tuple[int, int], asked: set[str]) -> int:
    """Negative distance in characters from `span` to the nearest word of the question."""
    gaps = [
        max(word.start - span[1], span[0] - word.end)
        for word in words
        if word.key in asked and (word.end <= span[0] or word.start >= span[1])
    ]
    return -min(gaps, default=10**6)


def _best_clause(caption: str, wanted: set[str], asked: set[str]) -> tuple[int, int] | None:
    if not wanted:
        return None
    best, best_rank = None, (0.0, 0, 0)
    for place in clauses(caption):
        held = keys(place.text)
        rank = (len(wanted & held) / len(wanted), len(asked & held), -len(place.text))
        if rank[0] >= MIN_OVERLAP and rank > best_rank:
            best, best_rank = place, rank
    return None if best is None else (best.start, best.end)

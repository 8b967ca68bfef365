"""Finds the moments of a video that a question is about, each with reasons.

Pure. The query is the question, the reference answer, and the words of the answer's caption around the marked
range. It has no verdict, so that people who label blind see the same frames. Each source ranks moments
separately (BM25 over text and speech, places named in the question, colours, camera movements), and the ranks
are fused: a moment gains weight / (`RANK_0` + rank) from each (reciprocal rank fusion, Cormack et al. 2009).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

import bm25s
import numpy as np
from numpy.typing import NDArray

from annotation.pipeline.evidence.moments import Known, Source, Vote, Votes, Words, moment_at
from annotation.pipeline.evidence.time_words import place_votes
from annotation.systems.vript.camera_claims import camera_claims
from backends.text.words import STOPWORDS, Token, tokens

RANK_0 = 5
"""The usual value 60 suits lists of thousands; a video has some dozen moments."""
REFERENCE_TIMES = 2
"""Weight of a word of the reference answer. Words of the question, colours and numbers have weight 1, because
"yellow" alone is in many places."""
LEAST_SHARE = 0.25
"""Words that score less than this share of the source's best do not count as a hit."""
MOST_WORDS = 3
"""Maximum number of words in a reason."""
_STOP = re.compile(r"[.!?;\n]")
COUNTED_WITHIN = 3
"""A number counts one of this many words after it, or the word before it."""
WEIGHTS: Mapping[str, float] = {
    "place": 1.5,
    "frame caption": 1.2,
    "text on screen": 1.2,
    "script": 1.0,
    "speech": 1.0,
    "beside": 1.5,
    "picture": 1.0,
    "edge": 0.8,
    "caption": 0.35,
    "colour": 0.35,
    "camera": 0.5,
}
"""In the order in which reasons are given."""
_PLAIN_WORDS = """
    video scene frame clip footage image picture shot describe description show see seen visible appear
    appearance mention type kind main object overall style color happen feature detail primary
"""
PLAIN = frozenset(_PLAIN_WORDS.split())
"""Words of questions that do not indicate a place."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search for moments."""

    question: str
    reference: str
    caption: str = ""
    """The sentence of the answer's caption that contains the marked range."""
    vector: NDArray[np.float32] | None = None
    """Vector of question and reference, by the model that embedded the pictures."""


@dataclass(frozen=True, slots=True)
class Reason:
    source: str
    words: str
    """"script: “windmill”"."""


@dataclass(slots=True)
class Ranked:
    """A moment that the question is about."""

    moment: int
    score: float = 0.0
    reasons: list[Reason] = field(default_factory=list)
    at_s: float | None = None


def rank(known: Known, query: Query) -> list[Ranked]:
    """Return the moments that a source finds, best first, ties in order of time.

    Moments at a place that the question names explicitly come first.
    """
    found: dict[int, Ranked] = {}
    # Words that name a place are not search words.
    votes, rest = place_votes(known, query.question, lambda words: _best_moment(known, words))
    named = votes.get("place", {})
    query = replace(query, question=rest)
    wanted = _wanted(query)
    votes.update(_lexical(known, wanted))
    votes["colour"] = _colours(known, query)
    votes["camera"] = _camera(known, query)
    votes["picture"] = _pictures(known, query)
    votes["caption"] = _caption(known, query, wanted)
    for source in WEIGHTS:
        _fuse(found, source, votes.get(source, {}))
    return sorted(found.values(), key=lambda one: (one.moment not in named, -one.score, one.moment))


def _fuse(found: dict[int, Ranked], source: str, votes: Votes) -> None:
    scores = sorted({round(vote.score, 6) for vote in votes.values()}, reverse=True)
    place = {score: n for n, score in enumerate(scores, 1)}
    for moment, vote in votes.items():
        one = found.setdefault(moment, Ranked(moment))
        one.score += WEIGHTS[source] / (RANK_0 + place[round(vote.score, 6)])
        one.reasons.append(Reason(source, vote.words))
        one.at_s = vote.at_s if one.at_s is None else one.at_s


# --- words ----------------------------------------------------------------------------


def meaningful(text: str) -> list[Token]:
    """Return the words that can distinguish moments."""
    return [t for t in tokens(text) if t.text.casefold() not in STOPWORDS and t.key not in _PLAIN_KEYS]


_PLAIN_KEYS = {token.key for word in PLAIN for token in tokens(word)}


def _distinctive(text: str, things: frozenset[str]) -> list[Token]:
    """Same as `meaningful`, without numbers under 100 that count none of them, as in "one by one"."""
    every = tokens(text)
    counts = [n for n, token in enumerate(every) if token.key.isdecimal() and len(token.key) <= 2]
    idle = {every[n].start for n in counts if not _counted(text, every, n) & things}
    return [token for token in meaningful(text) if token.start not in idle]


def _counted(text: str, every: Sequence[Token], at: int) -> set[str]:
    """Return keys of the words that the number at `at` may count: its neighbours in the sentence."""
    number, before = every[at], every[max(0, at - 1) : at]
    after = takewhile(lambda token: not token.key.isdecimal(), every[at + 1 : at + 1 + COUNTED_WITHIN])
    return {
        token.key
        for token in (*before, *after)
        if not _STOP.search(text, min(token.end, number.end), max(token.start, number.start))
    }


def _wanted(query: Query) -> list[str]:
    """Return keys of the search words, those of the reference answer repeated."""
    asked = [token.key for token in meaningful(query.question)]
    answer = [token.key for token in meaningful(query.reference)]
    telling = [key for key in answer if key not in _COLOUR_KEYS and not key.isdecimal()]
    return asked + answer + telling * (REFERENCE_TIMES - 1)


def _lexical(known: Known, wanted: Sequence[str]) -> Iterable[tuple[Source, Votes]]:
    by_source: dict[Source, list[Words]] = defaultdict(list)
    for words in known.words:
        by_source[words.source].append(words)
    for source, texts in by_source.items():
        yield source, _word_votes(texts, wanted, source)


def _word_votes(texts: Sequence[Words], wanted: Sequence[str], name: str) -> Votes:
    """Return the BM25 score of each text for the moments that it is about."""
    things = frozenset(key for key in wanted if not key.isdecimal())
    held = [_distinctive(words.text, things) for words in texts]
    if not wanted or not any(held):
        return {}
    scores = _bm25([[token.key for token in row] for row in held], wanted)
    best = max(scores)
    votes: Votes = {}
    for words, row, score in zip(texts, held, scores, strict=True):
        if score <= 0 or score < LEAST_SHARE * best:
            continue
        matched = _matched(row, wanted)
        at = _time_of_word(words, {token.key for token in matched})
        vote = Vote(score, f"{name}: {_quoted(matched)}", at)
        for moment in words.moments:
            if moment not in votes or votes[moment].score < score:
                votes[moment] = vote
    return votes


def _bm25(corpus: list[list[str]], wanted: Sequence[str]) -> list[float]:
    index = bm25s.BM25()
    index.index(corpus, show_progress=False)
    known = [word for word in wanted if word in index.vocab_dict]
    return [float(score) for score in index.get_scores(known)] if known else [0.0] * len(corpus)


def _matched(row: Sequence[Token], wanted: Sequence[str]) -> list[Token]:
    """Return the search words found in a text, without duplicates, those of the reference answer first."""
    times = {key: wanted.count(key) for key in set(wanted)}
    first = {token.key: token for token in reversed(row) if token.key in times}
    return sorted(first.values(), key=lambda token: (-times[token.key], token.start))


def _quoted(matched: Sequence[Token]) -> str:
    return ", ".join(f"“{token.text}”" for token in matched[:MOST_WORDS])


def _time_of_word(words: Words, keys: set[str]) -> float | None:
    """Return the time of the first of these words, in seconds."""
    for text, at_s in words.times:
        if any(token.key in keys for token in tokens(text)):
            return at_s
    return words.at_s


def _best_moment(known: Known, words: str) -> int | None:
    """Return the moment that the words describe best, in any source."""
    found: dict[int, Ranked] = {}
    for source, votes in _lexical(known, [token.key for token in meaningful(words)]):
        _fuse(found, source, votes)
    return min(found.values(), key=lambda one: (-one.score, one.moment)).moment if found else None


def _caption(known: Known, query: Query, wanted: Sequence[str]) -> Votes:
    """Return moments that match the caption around the answer, by words that the question does not have."""
    more = [t.key for t in meaningful(query.caption) if t.key not in set(wanted)]
    return _word_votes(known.words, more, "caption at the marked place") if more else {}


# --- what was measured ----------------------------------------------------------------

_COLOUR_WORDS = (
    "black white gray red orange brown beige yellow olive green teal cyan blue purple magenta pink"
)
COLOURS = frozenset(_COLOUR_WORDS.split())
COLOUR_SHARE = 0.06
"""Minimum share of a scene's pixels for a colour to count."""


def _colours(known: Known, query: Query) -> Votes:
    """Return scenes with a high share of a colour named in the reference answer, else in the question."""
    named = _colour_words(query.reference) or _colour_words(query.question)
    votes: Votes = {}
    for n, moment in enumerate(known.moments) if named else ():
        palette = known.measured.get(moment.scene, {}).get("palette", {}).get("colours", [])
        shares = {colour: _share(palette, colour) for colour in named}
        colour = max(shares, key=lambda name: shares[name])
        if shares[colour] >= COLOUR_SHARE:
            name = _COLOUR_KEYS[colour]
            votes[n] = Vote(shares[colour], f"colour: {name}, {shares[colour]:.0%} of the picture")
    return votes if len(votes) < len(known.moments) else {}


def _colour_words(text: str) -> list[str]:
    return sorted({token.key for token in tokens(text) if token.key in _COLOUR_KEYS})


_COLOUR_KEYS = {token.key: name for name in COLOURS for token in tokens(name)}


def _share(palette: Sequence[Mapping[str, Any]], key: str) -> float:
    return sum(float(c["share"]) for c in palette if key in {token.key for token in tokens(c["name"])})


def _camera(known: Known, query: Query) -> Votes:
    """Return scenes whose measured camera movement is named in the reference answer, else in the question."""
    claims = camera_claims(query.reference) or camera_claims(query.question)
    votes: Votes = {}
    for n, moment in enumerate(known.moments) if claims else ():
        motion = known.measured.get(moment.scene, {}).get("camera_motion", {})
        label, sure = motion.get("label", ""), float(motion.get("confidence", 0))
        if label and {label, label.partition("_")[0]} & claims:
            votes[n] = Vote(round(sure, 1), f"camera: {label.replace('_', ' ')} (measured)")
    return votes if len(votes) < len(known.moments) else {}


def _pictures(known: Known, query: Query) -> Votes:
    """Return moments whose frame is closer to the query than the mean by more than a standard deviation."""
    pictures, vector = known.pictures, query.vector
    if pictures is None or vector is None or pictures.rows.shape[1:] != vector.shape:
        return {}
    near = pictures.rows @ (vector / np.linalg.norm(vector))
    least = near.mean() + near.std()
    votes: Votes = {}
    for frame, score in zip(pictures.frames, near.tolist(), strict=True):
        for n in moment_at(known.moments, frame) if score >= least and score > near.min() else ():
            at_s = known.moments[n].seconds_of(frame)
            if n not in votes or votes[n].score < score:
                votes[n] = Vote(score, f"picture: similar, by {pictures.model}", at_s)
    return votes

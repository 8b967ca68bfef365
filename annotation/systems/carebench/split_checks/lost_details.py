"""Details that the split lost, and whether the temporal text still has the overview."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from annotation.systems.carebench.split_checks import word_lists as v
from annotation.systems.carebench.split_checks.clauses import clauses
from annotation.systems.carebench.split_checks.finding import Finding, Texts, at
from annotation.systems.carebench.split_checks.synonyms import SAME
from annotation.systems.carebench.split_checks.word_coverage import (
    base,
    content_words,
    evenly,
    has,
    keys_of,
    refers,
    share,
    weights_of,
)
from backends.text.sentences import Clause, sentences

LOST = 0.4
"""A clause of the full caption is lost if the sides contain a smaller (weighted) share of it."""
ALIKE = 0.8
"""Weight of a word of the full caption if a side only has a synonym of it."""
OVERVIEW = 0.5
"""Share of the first sentence's words that a sentence must contain to be a reworded overview."""
_SUMS_UP = re.compile(v.OVERVIEW, re.IGNORECASE)


# --- lost -----------------------------------------------------------------------------


def lost(texts: Texts) -> Iterator[Finding]:
    """Clauses of the full caption that neither side covers; none while both sides are empty.

    A colour, number or direction that a side changed is not a loss: `invented` reports it.
    """
    if not (texts.spatial.strip() or texts.temporal.strip()):
        return
    overview, sides = overview_of(texts.full), (texts.spatial, texts.temporal)
    for clause in clauses(texts.full):
        if overview and clause.start < overview.end and overview.start < clause.end:
            continue  # `no_overview` reports that one
        if not is_covered(clause, texts.full, sides):
            why = "neither side contains this"
            yield at("lost", "full", texts.full, clause.start, clause.end, why)


def is_covered(clause: Clause, full: str, sides: Iterable[str]) -> bool:
    """Whether the sides together cover a clause of the full caption."""
    held = frozenset[str]().union(*map(keys_of, sides))
    covered = share(clause, full, held, weights_of(full), alike=ALIKE)
    return covered is None or covered >= LOST or _may_be_reworded(clause, held)


def _may_be_reworded(clause: Clause, held: frozenset[str]) -> bool:
    """ "and grimaces", "and puts it on": a single word about something mentioned before, or one without
    listed synonyms, which a side may express in other words."""
    fresh = {base(t.key) for t in content_words(clause.text) if not has(t.key, held)}
    alone = len(fresh) == 1 and len(content_words(clause.text)) == 1
    return alone and (fresh.isdisjoint(SAME) or refers(clause.text))


def holds(text: str, words: str) -> float:
    """Share of the words' content that a text contains, from 0 to 1; 1 if the words have no content."""
    covered = evenly(words, keys_of(text))
    return 1.0 if covered is None else covered


# --- the overview ---------------------------------------------------------------------


def no_overview(texts: Texts) -> Iterator[Finding]:
    """The temporal text has no sentence that summarises the video, as the full caption's first one does."""
    if texts.temporal.strip() and overview_of(texts.full) and overview_in_temporal(texts) is None:
        why = "no sentence summarises the video, unlike in the full caption"
        yield Finding("no_overview", "temporal", 0, 0, "", why)


def overview_in_temporal(texts: Texts) -> Clause | None:
    """The summary sentence of the temporal text: a sentence about "the video" at its beginning, else the one
    with most of the full caption's summary. `static_in_temporal` skips it."""
    rows, overview = sentences(texts.temporal), overview_of(texts.full)
    if not rows or overview is None or _SUMS_UP.match(rows[0].text):
        return rows[0] if rows and overview else None
    shares = [evenly(overview.text, keys_of(row.text), alike=0.5) or 0.0 for row in rows]
    return rows[shares.index(max(shares))] if max(shares) >= OVERVIEW else None


def overview_of(full: str) -> Clause | None:
    """The summary sentence of a full caption: a sentence about "the video", else the first."""
    rows = sentences(full)
    return next((row for row in rows[:2] if _SUMS_UP.match(row.text)), rows[0] if rows else None)

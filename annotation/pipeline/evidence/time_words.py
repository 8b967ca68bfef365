"""Places in time that a question names: "at the end", "first", "the second scene", "before ...". Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from annotation.pipeline.evidence.moments import Known, Vote, Votes

EDGE = 0.2
"""Share of the video that its beginning and its end are."""
NEAR_S = 15.0
"""What is named to come before or after something comes within this time."""
_END = re.compile(
    r"\b(?:at|by|towards?|near|in)\s+the\s+(?:very\s+)?(?:end|close|conclusion)\b|\bfinal(?:ly)?\b|\blast\b(?!\s+for)"
    r"|\bconclud\w+|\bends?\s+with\b|\bhow\s+does\s+the\s+\w+\s+end\b|\bclosing\b|\beventually\b",
    re.IGNORECASE,
)
_START = re.compile(
    r"\b(?:at|in|from)\s+the\s+(?:very\s+)?(?:beginning|start|outset|opening)\b|\binitial(?:ly)?\b|\bat\s+first\b"
    r"|\bopen(?:s|ing)\s+(?:with|scene|shot|frame)\b|\b(?:starts?|begins?)\s+with\b"
    r"|\bfirst\b(?!\s+(?:person|aid|time|place|floor|name))",
    re.IGNORECASE,
)
_MIDDLE = re.compile(
    r"\bin\s+the\s+middle\s+of\s+the\s+(?:video|clip|film)\b|\bmidway\b|\bhalfway\b", re.IGNORECASE
)
_NUMBERS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NTH = re.compile(rf"\b({'|'.join(_NUMBERS)})\s+(?:scene|shot|clip|segment)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\bscenes?\s+(\d{1,4})(?:\s+to\s+(\d{1,4}))?\b", re.IGNORECASE)
_BESIDE = re.compile(
    r"\b(before|after|following|until)\s+(?!that\b|this\b|all\b)([^,.?!;]{4,80})", re.IGNORECASE
)


def place_votes(known: Known, question: str, find: Callable[[str], int | None]) -> dict[str, Votes]:
    """`place`: a scene or a moment that is named; else `edge`: start, end or middle of the video.

    `find` gives the moment that some words describe best.
    """
    if nth := _NTH.search(question):
        number = _NUMBERS.index(nth[1].lower())
        return {"place": _scenes(known, number, number)}
    if numbered := _NUMBERED.search(question):
        return {"place": _scenes(known, int(numbered[1]) - 1, int(numbered[2] or numbered[1]) - 1)}
    if beside := _BESIDE.search(question):
        votes = _beside(known, beside[1].lower(), beside[2].strip(), find)
        if votes:
            return {"place": votes}
    for pattern, words, share in ((_END, "end", 1.0), (_START, "start", 0.0), (_MIDDLE, "middle", 0.5)):
        if match := pattern.search(question):
            return {"edge": _around(known, share, f"“{match[0]}”: the {words} of the video")}
    return {}


def without_anchor(question: str) -> str:
    """Without "before ..." or "after ..."."""
    return _BESIDE.sub(" ", question)


def _scenes(known: Known, first: int, last: int) -> Votes:
    """Moments of these scenes, by their index."""
    found = [(n, moment.scene) for n, moment in enumerate(known.moments) if first <= moment.scene <= last]
    return {n: Vote(1.0, f"scene {scene + 1}, as the question says") for n, scene in found}


def _beside(known: Known, word: str, what: str, find: Callable[[str], int | None]) -> Votes:
    """The moments just before or after the one that `what` describes, the nearest first; that one last."""
    at = find(what)
    if at is None:
        return {}
    here = known.moments[at]
    after = word in ("after", "following")
    votes: Votes = {at: Vote(0.1, f"“{what}”")}
    for n, moment in enumerate(known.moments):
        gap = moment.start_s - here.end_s if after else here.start_s - moment.end_s
        if n != at and -0.001 <= gap <= NEAR_S:
            votes[n] = Vote(1.0 - gap / (2 * NEAR_S), f"{'after' if after else 'before'} “{what}”")
    return votes


def _around(known: Known, share: float, words: str) -> Votes:
    """Moments near a place of the video, 0 its start and 1 its end; the nearest first."""
    if len(known.moments) < 2:
        return {}
    first, last = known.moments[0].start_s, known.moments[-1].end_s
    at = first + share * (last - first)
    gaps = {
        n: 0.0 if m.start_s <= at <= m.end_s else min(abs(m.start_s - at), abs(m.end_s - at))
        for n, m in enumerate(known.moments)
    }
    return {n: Vote(-gap, words) for n, gap in gaps.items() if gap <= EDGE * (last - first)}

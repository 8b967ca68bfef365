"""Finds times named in a question: "at the end", "the second scene", "at 0:12", "before ...". Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from annotation.pipeline.evidence.moments import Known, Vote, Votes, moments_between

EDGE = 0.2
"""Share of the video that counts as its beginning or end."""
NEAR_S = 15.0
"""Maximum distance of "before ..." and "after ...", in seconds."""

# --- explicit places: a scene, a time, an end of the video -----------------------------

_BEFORE_OR_AFTER_WORDS = "before|after|following|until"
_STEPS = {"after": 1, "following": 1, "before": -1}
_STEP = rf"(?:\b({_BEFORE_OR_AFTER_WORDS}) (?:the )?)?"
_STORY = (
    "(?:video|clip|film|movie|footage|recording|documentary|animation|time-?lapse|episode|vlog|story|tale"
    "|narrative|journey|trip|voyage|adventure|day|lecture|talk|lesson|tutorial|presentation)"
)
"""Words for the video or its whole content."""
_THE = r"(?:(?:the|this|that|his|her|its|their|our|my|such a) (?:[\w'’]+ )?)"
_OF_IT = rf"(?: of {_THE}?{_STORY}\b)"
_ALONE = rf"(?:{_OF_IT}|(?![ -](?:of|line|point|zone|result|goal|product|up)\b))"
"""The phrase refers to the video or to no object: not the end of a street, not a starting line."""
_NUMBERS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_SCENES = {
    **{word: n for n, word in enumerate(_NUMBERS)},
    **dict.fromkeys(("initial", "opening", "starting"), 0),
    **dict.fromkeys(("last", "final", "closing", "ending"), -1),
}
_NTH = re.compile(rf"{_STEP}\b({'|'.join(_SCENES)}) (?:scene|shot|clip|segment)\b{_ALONE}", re.IGNORECASE)
_NUMBERED = re.compile(rf"{_STEP}\bscenes? (\d{{1,4}})(?: to (\d{{1,4}}))?\b", re.IGNORECASE)
_CLOCK = r"\d{1,3}(?::[0-5]\d){1,2}(?:\.\d+)?(?! ?[ap]\.?m\b)"
_SECOND = rf"({_CLOCK}|\d+(?:\.\d+)?[ -]?(?:s|secs?|seconds?)\b(?! intervals?\b))"
_TIME = re.compile(
    rf"\b(?:at|from|between|around) (?:the |about |around )?{_SECOND}(?: ?(?:to|and|until|-|–) ?{_SECOND})?",
    re.IGNORECASE,
)


def _edge(words: str, more_words: str, verbs: str, which: str) -> re.Pattern[str]:
    """Phrases for an end of the video: a noun, a verb with the video as subject or object, its pictures."""
    ways = (
        rf"\b(?:at|by|towards?|near|in|from|until) the (?:very )?(?:{words})\b{_ALONE}",
        rf"\b(?:{words}|{more_words}){_OF_IT}",
        rf"\b{_STORY}(?:['’]s| \w+ its) (?:very )?(?:{words}|{more_words})\b(?!-)",
        rf"(?<!next )\b{_STORY} (?:(?:likely|first|finally|actually|eventually) )?(?:{verbs})\b(?! to\b|-)",
        rf"\b(?:{verbs}) {_THE}{_STORY}\b",
        rf"\b(?:{which}) (?:few )?"
        rf"(?:scenes?|shots?|clips?|segments?|sequences?|frames?|moments?|seconds|minutes)\b{_ALONE}",
    )
    return re.compile("|".join(ways), re.IGNORECASE)


_START = _edge(
    "beginning|start|outset",
    "opening",
    "begin(?:s|ning)?|began|start(?:s|ed|ing)?|open(?:s|ed|ing)?|commences?",
    "first|initial|opening|starting",
)
_END = _edge(
    "end|conclusion",
    "ending|close|finale",
    "end(?:s|ed|ing)?|conclud(?:es?|ed|ing)|clos(?:es|ed|ing)|finish(?:es|ed)?|comes? to an? (?:end|close)",
    "last|final|closing|ending",
)
_MIDDLE = re.compile(
    rf"\b(?:in the middle of|(?:mid|half)way (?:in|through)) {_THE}?{_STORY}\b", re.IGNORECASE
)
_EDGES = ((_START, "start", 0.0), (_END, "end", 1.0), (_MIDDLE, "middle", 0.5))

# --- hints ------------------------------------------------------------------------------

_OF_A_PART = r" of the (?:scene|sequence|shot|dance|routine|performance|game|race|song)\b"
_LATE = re.compile(
    rf"\b(?:end|conclusion){_OF_A_PART}|\bfinal(?:ly)?\b|\blast\b(?! for)|\bconclud(?:es|ing)\b"
    r"|\bends? with\b|\bhow does the \w+ end\b|\bclosing\b|\beventually\b",
    re.IGNORECASE,
)
_EARLY = re.compile(
    rf"\b(?:beginning|start){_OF_A_PART}|\binitial(?:ly)?\b|\b(?:starts?|begins?|opens) with\b"
    r"|\bfirst\b(?![ -](?:person|aid|time|place|floor|name))",
    re.IGNORECASE,
)
_HALFWAY = re.compile(r"\bmidway\b|\bhalfway\b", re.IGNORECASE)
_HINTS = ((_LATE, "end", 1.0), (_EARLY, "start", 0.0), (_HALFWAY, "middle", 0.5))
_BEFORE_OR_AFTER = re.compile(
    rf"\b({_BEFORE_OR_AFTER_WORDS}) (?!that\b|this\b|all\b)([^,.?!;]{{4,80}})", re.IGNORECASE
)


def place_votes(
    known: Known, question: str, find: Callable[[str], int | None]
) -> tuple[dict[str, Votes], str]:
    """Return votes by source, and the question without the words that were used.

    `place` is explicit: scenes, else a time, else start, end or middle of the video. Else `beside`: before or
    after the moment that `find` returns for some words. Else `edge`: a hint at start, end or middle.
    """
    question = " ".join(question.split())
    if not known.moments:
        return {}, question
    for votes, *patterns in (
        (_named_scenes(known, question), _NTH, _NUMBERED),
        (_named_times(known, question), _TIME),
        (_named_edges(known, question), _START, _END, _MIDDLE),
    ):
        if votes:
            return {"place": votes}, _without(question, *patterns)
    direction = _BEFORE_OR_AFTER.search(question)
    if direction and (votes := _before_or_after(known, direction[1].lower(), direction[2].strip(), find)):
        return {"beside": votes}, _without(question, _BEFORE_OR_AFTER)
    return {"edge": _hinted(known, question)}, question


def _without(question: str, *patterns: re.Pattern[str]) -> str:
    for pattern in patterns:
        question = pattern.sub(" ", question)
    return question


def _named_scenes(known: Known, question: str) -> Votes:
    votes: Votes = {}
    for match in _NTH.finditer(question):
        number = _SCENES[match[2].lower()]
        scene = number if number >= 0 else known.moments[-1].scene
        votes |= _scenes(known, scene, scene, match[1])
    if len(votes) == len(known.moments):  # for a single scene, the start or the end is meant
        votes = {}
    for match in _NUMBERED.finditer(question):
        votes |= _scenes(known, int(match[2]) - 1, int(match[3] or match[2]) - 1, match[1])
    return votes


def _scenes(known: Known, first: int, last: int, direction: str | None) -> Votes:
    """Return moments of the scenes with these indices, or of the scene after or before them."""
    step = _STEPS.get((direction or "").lower(), 0)
    if step:
        first = last = last + 1 if step > 0 else first - 1
    found = [(n, moment.scene) for n, moment in enumerate(known.moments) if first <= moment.scene <= last]
    where = f"{direction} " if step else ""
    return {n: Vote(1.0, f"{where}scene {at - step + 1}, named in the question") for n, at in found}


def _named_times(known: Known, question: str) -> Votes:
    votes: Votes = {}
    for match in _TIME.finditer(question):
        start = _seconds(match[1])
        end = _seconds(match[2]) if match[2] else start
        vote = Vote(1.0, f"{match[0]}, named in the question", None if end > start else start)
        votes |= dict.fromkeys(moments_between(known.moments, start, max(end, start + 0.001)), vote)
    return votes


def _seconds(written: str) -> float:
    """Parse "12.5 s", "0:12" or "1:02:03" as seconds."""
    seconds = 0.0
    for part in re.findall(r"[\d.]*\d", written):
        seconds = 60 * seconds + float(part)
    return seconds


def _named_edges(known: Known, question: str) -> Votes:
    votes: Votes = {}
    for pattern, words, share in _EDGES:
        if match := pattern.search(question):
            votes |= _around(known, share, f"“{match[0]}”: the {words} of the video")
    return votes


def _before_or_after(known: Known, word: str, what: str, find: Callable[[str], int | None]) -> Votes:
    """Return the moments just before or after the one that `what` describes, nearest first; that one last."""
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


def _hinted(known: Known, question: str) -> Votes:
    for pattern, words, share in _HINTS:
        if match := pattern.search(question):
            return _around(known, share, f"“{match[0]}”: the {words} of the video")
    return {}


def _around(known: Known, share: float, words: str) -> Votes:
    """Return moments near a place of the video (0 is its start, 1 its end), nearest first."""
    first, last = known.moments[0].start_s, known.moments[-1].end_s
    at = first + share * (last - first)
    votes: Votes = {}
    for n, moment in enumerate(known.moments):
        gap = max(moment.start_s - at, at - moment.end_s, 0.0)
        if gap <= EDGE * (last - first):
            votes[n] = Vote(-gap, words, None if gap else at)
    return votes

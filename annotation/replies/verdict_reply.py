"""Read the judge's verdict from a reply (VDCscore, AuroraCap section 4; LOVEU track 1A, stage 3).

The prompt asks for `{'pred': 'yes' | 'no', 'score': 0..5}`. A reply with exactly one interpretation is read;
any other reply is `unparsed` with a reason, because a guess would affect means like a real verdict. Numbers
are kept as the judge wrote them (4.8).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from annotation.records.allowed_values import ResultState
from annotation.records.ids import Json
from annotation.replies.echoes_and_refusals import REPEATED, is_example, refusal, repeats_prompt
from annotation.replies.loose_json import QUOTES, ReplyObject, Scan, scan

LOWEST, HIGHEST = 0.0, 5.0
HIGH_NO, LOW_YES = 4.0, 1.0
"""A "no" with at least `HIGH_NO`, and a "yes" with at most `LOW_YES`, contradict themselves."""

_WRAPPING = " \t\r\n*_" + QUOTES
_QUOTE = f"[{re.escape(QUOTES)}]"
_NUMBER = r"\d++(?:\.\d*+)?+|\.\d++"
# Not `)?+`: with it, Python 3.11.2 matches the "e" of "5.0e" as a complete exponent.
_score_text = re.compile(rf"[+-]?(?:{_NUMBER})(?:[eE][+-]?\d++)?", re.ASCII)
_label = re.compile(rf"\b(pred|prediction|score)\s*{_QUOTE}?\s*[:：=]", re.IGNORECASE)
_first_piece = re.compile(r"(?:[^,，;\n}|]|[,，](?=\d))*")
_opening = re.compile(r"\W*(yes|no)\s*(?:[,，.;:!(\n]|\Z)", re.IGNORECASE)
_pair = re.compile(
    rf"(yes|no){_QUOTE}?(?:\s*[,;:|]\s*|\.?\s+|\s+[-–—]\s+)(?P<open>\()?(?:score\s+)?(?P<score>{_NUMBER})(?(open)\))\.?",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class VerdictReply:
    """The verdict of a judge's reply."""

    state: ResultState
    """`done` or `unparsed`."""
    pred: Literal["yes", "no", ""]
    """Empty if unparsed."""
    score: float | None
    """0 to 5 as written; None if unparsed."""
    reason: str
    """Why it is unparsed, in one line; empty if done."""


class _Unreadable(Exception):
    """The reply cannot be read; the message is the reason."""


_Verdict = tuple[Literal["yes", "no"], float]


def contradicts_itself(pred: str, score: float | None) -> bool:
    """Whether label and score of a verdict contradict each other. Such a verdict counts, but is marked."""
    if score is None:
        return False
    return score >= HIGH_NO if pred == "no" else pred == "yes" and score <= LOW_YES


def read_verdict(text: str, finish_reason: str = "stop", prompt: str = "") -> VerdictReply:
    """Read `pred` and `score`. Never raises.

    `finish_reason` is the server's: with `length`, only a complete dictionary counts. `prompt` is the
    request, if known: a verdict that only repeats it is ignored.
    """
    try:
        pred, score = _read(text, finish_reason, prompt)
    except _Unreadable as why:
        return VerdictReply("unparsed", "", None, str(why))
    return VerdictReply("done", pred, score, "")


def _read(text: str, finish_reason: str, prompt: str) -> _Verdict:
    if not text.strip():
        raise _Unreadable("the reply is empty")
    found = scan(text)
    places = zip(found.objects, found.spans, strict=True)
    stated = [(o, span) for o, span in places if o.values_of("pred") or o.values_of("score")]
    if stated:
        own = [(o, span) for o, span in stated if not repeats_prompt(found.text, *span, prompt)]
        if not own:
            raise _Unreadable(f"the verdict {REPEATED}")
        verdict = _the_only({_of_object(o) for o, _ in own})
        if all(is_example(found.text, *span) for _, span in own):
            raise _Unreadable("the reply gives the verdict as an example")
        _check_refusal([found.rest, *(v for o, _ in own for v in o.values() if isinstance(v, str))], prompt)
        _check_rest(found.rest, verdict)
        return verdict
    if finish_reason == "length" or (found.cut_off and not found.rest.rstrip(_WRAPPING).endswith(("}", "]"))):
        raise _Unreadable("the reply was cut off before the verdict was complete")
    verdict = _of_prose(found)
    _check_refusal([found.rest], prompt)
    return verdict


def _check_refusal(texts: Iterable[str], prompt: str) -> None:
    for text in texts:
        if words := refusal(text, prompt):
            raise _Unreadable(f"the reply declines to judge: '{words}'")


def _of_object(found: ReplyObject) -> _Verdict:
    preds, scores = found.values_of("pred"), found.values_of("score")
    if not preds:
        raise _Unreadable("the key 'pred' is missing")
    if not scores:
        raise _Unreadable("the key 'score' is missing")
    return _the_only({(_pred(p), _score(s)) for p in preds for s in scores})


def _the_only(verdicts: Iterable[_Verdict]) -> _Verdict:
    several = sorted(set(verdicts))
    if len(several) > 1:
        said = " and ".join(f"{pred} {score:g}" for pred, score in several[:3])
        raise _Unreadable(f"the reply contains different verdicts: {said}")
    return several[0]


def _pred(value: Json) -> Literal["yes", "no"]:
    plain = value.strip(_WRAPPING + ".!").lower() if isinstance(value, str) else None
    if plain == "yes":
        return "yes"
    if plain == "no":
        return "no"
    raise _Unreadable(f"pred is {_shown(value)}, not yes or no")


def _score(value: Json) -> float:
    number = _as_number(value)
    if number is None or math.isnan(number):
        raise _Unreadable(f"score is {_shown(value)}, not a number")
    if not LOWEST <= number <= HIGHEST:
        raise _Unreadable(f"score {number:g} is outside {LOWEST:g} to {HIGHEST:g}")
    return abs(number)  # -0.0 is 0


def _as_number(value: Json) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        plain = value.strip(_WRAPPING)
        return float(plain) if _score_text.fullmatch(plain) else None
    return None


def _shown(value: Json) -> str:
    """Return a value in words for a one-line reason."""
    if value is None or value == "":
        return "empty"
    if isinstance(value, dict | list):
        return "a dictionary" if isinstance(value, dict) else "a list"
    text = " ".join(str(value).split())
    return f"'{text[:40]}'" if isinstance(value, str) else text


# --- text outside a dictionary ----------------------------------------------------------


def _check_rest(rest: str, verdict: _Verdict) -> None:
    """Raise _Unreadable if the text outside the dictionary states a different verdict."""
    preds, scores = _statements(rest)
    for pred in preds:
        _agree(pred, verdict[0])
    for score in scores:
        _agree(score, verdict[1])


def _agree(said: str, verdict: str | float) -> None:
    try:
        value = _pred(said) if isinstance(verdict, str) else _score(said)
    except _Unreadable:
        return  # `pred: the answer is ...` states nothing
    if value != verdict:
        raise _Unreadable(f"the reply says {value}, but its dictionary says {verdict}")


def _of_prose(found: Scan) -> _Verdict:
    """Read `yes, 4` as the whole reply, or `Pred: yes Score: 4` without contradictory labels."""
    if "{" in found.rest:
        raise _Unreadable("the dictionary cannot be read")
    plain = found.rest.replace("*", "").strip(_WRAPPING)
    pair = _pair.fullmatch(plain)
    if pair:
        return _pred(pair[1]), _score(pair["score"])
    preds, scores = _statements(found.rest)
    label = _label.search(found.rest)
    if label and is_example(found.rest, label.start(), len(found.rest)):
        raise _Unreadable("the reply gives the verdict as an example")
    if not plain:
        raise _Unreadable("the reply contains reasoning, but no verdict")
    if not preds and not scores:
        raise _Unreadable("there is no verdict in the reply")
    if not preds:
        raise _Unreadable("pred is missing")
    if not scores:
        raise _Unreadable("score is missing")
    return _the_only({(_pred(p), _score(s)) for p in preds for s in scores})


def _statements(text: str) -> tuple[list[str], list[str]]:
    """Return the statements of `pred` and `score` in prose: the first word, and the text after each label."""
    text = text.replace("*", "")
    preds: list[str] = []
    scores: list[str] = []
    opening = _opening.match(text)
    if opening:
        preds.append(opening[1])
    parts = _label.split(text)
    for label, after in zip(parts[1::2], parts[2::2], strict=True):
        said = _first_piece.match(after.strip(" \t"))
        value = said.group().strip(_WRAPPING + ".)") if said else ""
        (scores if label.lower() == "score" else preds).append(value)
    return preds, scores

"""How the peers' scorers read a judge's reply, so that their figures can be made again.

Each rule is that of the code at the version named. Nothing is evaluated: `ast.literal_eval` reads
literals only. Where a peer evaluates the reply as Python code, what only code would give counts as
unreadable here.
"""

from __future__ import annotations

import ast
import builtins
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Any, Literal

Trouble = Literal["", "unreadable", "missing key", "code"]


@dataclass(frozen=True, slots=True)
class PeerReading:
    """`pred` and `score` as a peer takes them; `trouble` says what stopped it.

    With "missing key" the one that is there stands here; the other is None. "code" is what a peer gets
    by running the reply, and nobody else can read.
    """

    trouble: Trouble
    pred: Any = None
    score: Any = None


# Judges repeat themselves: a hundred thousand replies are some hundred different ones.
@lru_cache(maxsize=1 << 16)
def read_literal(raw: str) -> PeerReading:
    """The whole reply as one Python literal: AuroraCap's post_eval and lmms-eval."""
    try:
        found = ast.literal_eval(raw)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return PeerReading("unreadable")
    return _of(found)


def read_stripped_literal(raw: str) -> PeerReading:
    """As `read_literal`, without the white space around the reply: lmms-eval of October 2024."""
    return read_literal(raw.strip())


@lru_cache(maxsize=1 << 16)
def read_json_or_literal(raw: str) -> PeerReading:
    """JSON, else Python: VLMEvalKit, whose `eval` is replaced by a reader of literals."""
    try:
        return _of(json.loads(raw))
    except (ValueError, RecursionError):
        return PeerReading("code") if _is_code(raw) else read_literal(raw)


def _is_code(raw: str) -> bool:
    """Whether `eval` would compute the reply: an expression of Python's own names that is no literal."""
    try:
        ast.literal_eval(raw)
    except ValueError:
        names = {
            node.id for node in ast.walk(ast.parse(raw.lstrip(), mode="eval")) if isinstance(node, ast.Name)
        }
        return names <= set(dir(builtins))
    except (SyntaxError, MemoryError, RecursionError, TypeError):
        return False
    return False


def _of(found: object) -> PeerReading:
    if not isinstance(found, dict):
        return PeerReading("unreadable")
    complete = "pred" in found and "score" in found
    return PeerReading("" if complete else "missing key", found.get("pred"), found.get("score"))


def vlmevalkit_rating(replies: Iterable[str]) -> tuple[float | None, float | None]:
    """Accuracy and score as `get_dimension_rating` of VLMEvalKit takes them; None where nothing is counted.

    A reply that would end its run is left out of both, a score below 0 of the score alone. A whole number
    too large for a float ends its run: the mean of such scores overflows.
    """
    found = [r for r in map(read_json_or_literal, replies) if not r.trouble and isinstance(r.pred, str)]
    read = [(r.pred, as_float(r.score)) for r in found if not isinstance(r.score, str)]
    numbers = [(pred, score) for pred, score in read if score is not None]
    scores = [score for _, score in numbers if score >= 0]
    yes = [float(pred.lower() == "yes") for pred, _ in numbers]
    return fmean(yes) if yes else None, fmean(scores) if scores else None


def whole_number(value: object) -> float:
    """`int(value)`, 0 where that fails: a number's fraction is cut off, a text of digits is a number."""
    try:
        return float(int(value))  # type: ignore[call-overload]  # anything else is a TypeError
    except (TypeError, ValueError, OverflowError):
        return 0.0


def as_float(value: object) -> float | None:
    """`float(value)` of a number or a text; None where the peer would stop."""
    if isinstance(value, bool | int | float | str):
        try:
            return float(value)
        except (ValueError, OverflowError):
            return None
    return None

"""Read a judge's reply as the peers' scorers do, to reproduce their figures.

Each rule follows the peer's code at the stated version. Some peers run a reply as Python code. Here no reply
is run: `ast.literal_eval` reads literals, and a reply that is an expression (`1 + 1`) counts as unreadable.
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
    """`pred` and `score` as read by a peer; `trouble` is the problem, or empty.

    With "missing key" the existing value is set and the other is None. "code" marks a reply that can only be
    read by executing it.
    """

    trouble: Trouble
    pred: Any = None
    score: Any = None


# Among a hundred thousand replies there are only some hundred distinct ones.
@lru_cache(maxsize=1 << 16)
def read_literal(raw: str) -> PeerReading:
    """Read the whole reply as one Python literal, as AuroraCap's post_eval and lmms-eval do."""
    try:
        found = ast.literal_eval(raw)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return PeerReading("unreadable")
    return _of(found)


def read_stripped_literal(raw: str) -> PeerReading:
    """Same as `read_literal`, after removing surrounding white space: lmms-eval of October 2024."""
    return read_literal(raw.strip())


@lru_cache(maxsize=1 << 16)
def read_json_or_literal(raw: str) -> PeerReading:
    """Read JSON, else Python, as VLMEvalKit does; its `eval` is replaced by `ast.literal_eval`."""
    try:
        return _of(json.loads(raw))
    except (ValueError, RecursionError):
        return PeerReading("code") if _is_code(raw) else read_literal(raw)


def _is_code(raw: str) -> bool:
    """Whether `eval` would accept the reply: an expression that is not a literal and uses only builtins."""
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
    """Return accuracy and score as in `get_dimension_rating` of VLMEvalKit; None if nothing is counted.

    A reply that would end its run is left out of both; a score below 0 is left out of the score only. An
    integer too large for a float ends its run, because the mean of such scores overflows.
    """
    found = [r for r in map(read_json_or_literal, replies) if not r.trouble and isinstance(r.pred, str)]
    read = [(r.pred, as_float(r.score)) for r in found if not isinstance(r.score, str)]
    numbers = [(pred, score) for pred, score in read if score is not None]
    scores = [score for _, score in numbers if score >= 0]
    yes = [float(pred.lower() == "yes") for pred, _ in numbers]
    return fmean(yes) if yes else None, fmean(scores) if scores else None


def whole_number(value: object) -> float:
    """Return `int(value)`, or 0 if that fails. Fractions are cut off, and texts of digits are numbers."""
    try:
        return float(int(value))  # type: ignore[call-overload]  # anything else is a TypeError
    except (TypeError, ValueError, OverflowError):
        return 0.0


def as_float(value: object) -> float | None:
    """Return `float(value)` of a number or a text; None if the peer would stop."""
    if isinstance(value, bool | int | float | str):
        try:
            return float(value)
        except (ValueError, OverflowError):
            return None
    return None

"""How the peers' scorers read a judge's reply, so that their figures can be made again.

Each rule is that of the code at the version named. Nothing is evaluated: `ast.literal_eval` reads
literals only. Where a peer evaluates the reply as Python code, what only code would give counts as
unreadable here.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

Trouble = Literal["", "unreadable", "missing key", "not a number"]


@dataclass(frozen=True, slots=True)
class PeerReading:
    """`pred` and `score` as a peer takes them; `trouble` says what stopped it."""

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


@lru_cache(maxsize=1 << 16)
def read_json_or_literal(raw: str) -> PeerReading:
    """JSON, else Python: VLMEvalKit, whose `eval` is replaced by a reader of literals."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return read_literal(raw)
    return _of(found)


def _of(found: object) -> PeerReading:
    if not isinstance(found, dict):
        return PeerReading("unreadable")
    if "pred" not in found or "score" not in found:
        return PeerReading("missing key")
    return PeerReading("", found["pred"], found["score"])


def as_float(value: object) -> float | None:
    """`float(value)` of a number or a text; None where the peer would stop."""
    if isinstance(value, bool | int | float | str):
        try:
            return float(value)
        except (ValueError, OverflowError):
            return None
    return None

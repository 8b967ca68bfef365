"""The lists of questions that VLMEvalKit keeps in one cell, as Python writes a list of dictionaries.

They are read as literals: nothing in them is run.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from typing import Any

from exports.tables import CELL

LONGEST = 4 << 20
"""Characters of one cell that are parsed; a real list has some thousand."""


def question_pairs(text: str, problem: Callable[[str], None]) -> list[tuple[str, str]]:
    """(question, answer) of each entry; what cannot be read is reported and left out."""
    value = read_literal(text)
    if not isinstance(value, list):
        why = "it fills a cell and was cut there" if len(text) == CELL else "no list of questions"
        problem(f"the questions cannot be read: {why}")
        return []
    found = []
    for number, entry in enumerate(value, 1):
        asked, answer = (entry.get("question"), entry.get("answer")) if isinstance(entry, dict) else (0, 0)
        if isinstance(asked, str) and isinstance(answer, str):
            found.append((asked, answer))
        else:
            problem(f"question {number} has no question and answer; left out")
    return found


def read_literal(text: str) -> Any:
    """The Python literal or JSON value that a cell holds; None where it is neither."""
    if len(text) > LONGEST:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return None

"""Reads lists of questions that VLMEvalKit keeps in a cell as a Python list of dictionaries.

The lists are read as literals and never evaluated.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from annotation.records.errors import FormatError
from annotation.records.ids import Json
from exports.files.python_literal import LONGEST, read_literal
from exports.files.read_tables import CELL


def question_pairs(text: str, problem: Callable[[str], None]) -> list[tuple[str, str]]:
    """Return (question, answer) of each entry. Unreadable entries are reported and left out."""
    value = read_cell(text)
    if not isinstance(value, list):
        why = "the text was cut at the length of a cell" if len(text) == CELL else "not a list of questions"
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


def read_cell(text: str) -> Json:
    """Return the Python literal or JSON value of a cell; None if it is neither."""
    try:
        return read_literal(text, "")
    except FormatError:
        try:
            return json.loads(text) if len(text) <= LONGEST else None
        except (ValueError, RecursionError):
            return None

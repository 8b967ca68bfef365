"""Exact match of an answer and the reference answer (Video-MMLU)."""

from __future__ import annotations

import re

_LOOKALIKES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "−": "-", "–": "-", "\u00a0": " "})


def exact_match(reference: str, answer: str) -> bool:
    """Whether two texts are equal, ignoring case, spaces, outer quotes and final punctuation.

    Curly quotes and long dashes equal their ASCII forms. Characters within are compared: -3 does not equal 3.
    """
    return bool(answer.strip()) and _plain(reference) == _plain(answer)


def _plain(text: str) -> str:
    folded = " ".join(text.translate(_LOOKALIKES).casefold().split())
    unquoted = re.sub(r"^[\"'`]+|[\"'`]+$", "", folded.rstrip(".!?;,: "))
    return unquoted.rstrip(".!?;,: ")

"""Whether an answer is the reference answer itself (Video-MMLU)."""

from __future__ import annotations

import re

_LOOKALIKES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "−": "-", "–": "-", "\u00a0": " "})


def exact_match(reference: str, answer: str) -> bool:
    """Whether the two are the same text but for letter case, spaces, outer quotes and a closing mark.

    Curly quotes and long dashes count as their plain forms. Signs inside stay: -3 is not 3.
    """
    return bool(answer.strip()) and _plain(reference) == _plain(answer)


def _plain(text: str) -> str:
    folded = " ".join(text.translate(_LOOKALIKES).casefold().split())
    unquoted = re.sub(r"^[\"'`]+|[\"'`]+$", "", folded.rstrip(".!?;,: "))
    return unquoted.rstrip(".!?;,: ")

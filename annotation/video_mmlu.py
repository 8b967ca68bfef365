"""Video-MMLU: notes of a lecture, questions about them, and questions answered from the video itself.

Source: LOVEU track 1B, evaluation protocol (judges and scores word for word), Video-MMLU (the suffix of
direct answers). The prompt of the notes is ours (`annotation/prompts/README.md`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from annotation.prompting import Prompts
from annotation.records import TextKind, digest
from annotation.vdc import VerdictPrompt
from backends.protocols import ChatRequest

NOTES: TextKind = "mmlu:notes"
REASONING: TextKind = "mmlu:reasoning"
DISCIPLINES = ("Math", "Physics", "Chemistry")
"""The scores are plain means over these three, however many videos each has."""

NOTES_PROMPT = "mmlu_notes"
DIRECT_PROMPT = "mmlu_answer_video"
VERDICT_PROMPTS: Mapping[str, VerdictPrompt] = {
    NOTES: "mmlu_verdict_notes",
    REASONING: "mmlu_verdict_quiz",
}
"""The judge by what is asked about: strict for text in the picture, strict for reasoning."""

NOTES_TOKENS = 2048
DIRECT_TOKENS = 256
"""Of an answer in one sentence; the authors' 64 cut some off."""

_SAME_DISCIPLINE = {"mathematics": "Math", "maths": "Math"} | {name.lower(): name for name in DISCIPLINES}
_LOOKALIKES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "−": "-", "–": "-", "\u00a0": " "})


def is_mmlu(kind: str) -> bool:
    return kind.startswith("mmlu:")


def discipline(label: str) -> str:
    """`Math`, `Physics` or `Chemistry` however a file spells it; any other label as it stands."""
    plain = label.strip()
    return _SAME_DISCIPLINE.get(plain.lower(), plain)


def notes_request(
    prompts: Prompts,
    pictures: Sequence[bytes],
    frames: tuple[int, ...],
    speech: str,
    facts: Mapping[str, Any],
) -> ChatRequest:
    """The request for the notes. `pictures` are JPEGs of `frames`, `speech` is what was heard, or empty."""
    prompt = prompts[NOTES_PROMPT]
    heard = f"What is said in the lecture:\n{speech}\n\n" if speech else ""
    return ChatRequest(
        stage=NOTES,
        system=prompt.system,
        user=prompt.parts({"speech_lines": heard}, pictures),
        facts=facts,
        max_tokens=NOTES_TOKENS,
        frames=frames,
        prefix=_prefix(frames, pictures),
    )


def direct_request(
    prompts: Prompts,
    pictures: Sequence[bytes],
    frames: tuple[int, ...],
    question: str,
    facts: Mapping[str, Any],
) -> ChatRequest:
    """The request for an answer from the video alone. All questions of a video begin with its frames."""
    prompt = prompts[DIRECT_PROMPT]
    return ChatRequest(
        stage=REASONING,
        system=prompt.system,
        user=prompt.parts({"question": question}, pictures),
        facts={**facts, "question": question},
        max_tokens=DIRECT_TOKENS,
        frames=frames,
        prefix=_prefix(frames, pictures),
    )


def _prefix(frames: tuple[int, ...], pictures: Sequence[bytes]) -> str:
    return digest("mmlu", frames, [blake2b(jpeg, digest_size=8).hexdigest() for jpeg in pictures])


def exact_match(reference: str, answer: str) -> bool:
    """Whether the two are the same text but for letter case, spaces, outer quotes and a closing mark.

    Curly quotes and long dashes count as their plain forms. Signs inside stay: -3 is not 3.
    """
    return bool(answer.strip()) and _plain(reference) == _plain(answer)


def _plain(text: str) -> str:
    folded = " ".join(text.translate(_LOOKALIKES).casefold().split())
    unquoted = re.sub(r"^[\"'`]+|[\"'`]+$", "", folded.rstrip(".!?;,: "))
    return unquoted.rstrip(".!?;,: ")

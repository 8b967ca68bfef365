"""Video-MMLU: notes of a lecture, questions about them, and questions answered from the video itself.

Source: LOVEU track 1B, evaluation protocol (judges and scores word for word), Video-MMLU (the suffix of
direct answers). The prompts of notes and of questions are ours (`annotation/prompts/README.md`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from annotation.prompts.prompt_files import Prompts
from annotation.records.allowed_values import TextKind
from annotation.systems.vdc.requests import QUESTIONS_SCHEMA, QUESTIONS_TOKENS
from annotation.systems.video_mmlu.kinds import NOTES, REASONING
from backends.digest import digest
from backends.protocols import ChatRequest

NOTES_PROMPT = "mmlu_notes"
DIRECT_PROMPT = "mmlu_answer_video"
VERDICT_PROMPTS: Mapping[str, str] = {
    NOTES: "mmlu_verdict_notes",
    REASONING: "mmlu_verdict_quiz",
}
"""The judge prompt by kind of question: strict for on-screen text, strict for reasoning."""


QUESTIONS_PROMPTS: Mapping[TextKind, str] = {
    NOTES: "mmlu_questions_notes",
    REASONING: "mmlu_questions_quiz",
}
QUESTIONS_PER_KIND = 15
"""The benchmark's number of questions for the notes and for the quiz of a lecture."""

NOTES_TOKENS = 2048
DIRECT_TOKENS = 256
"""Token limit of a one-sentence answer; the authors' 64 cuts some answers off."""


def notes_request(
    prompts: Prompts,
    pictures: Sequence[bytes],
    frames: tuple[int, ...],
    speech: str,
    on_screen: str,
    facts: Mapping[str, Any],
) -> ChatRequest:
    """The request for the notes. `pictures` are JPEGs of `frames`, `speech` is the transcript or empty.

    `on_screen` holds lines of text shown in the frames of the video, or is empty.
    """
    prompt = prompts[NOTES_PROMPT]
    spoken = f"What is said in the lecture:\n{speech}\n\n" if speech else ""
    written = f"Text read in the picture, in the order of time:\n{on_screen}\n\n" if on_screen else ""
    return ChatRequest(
        stage=NOTES,
        system=prompt.system,
        user=prompt.parts({"speech_lines": spoken, "screen_lines": written}, pictures),
        facts=facts,
        max_tokens=NOTES_TOKENS,
        frames=frames,
        prefix=_prefix(frames, pictures),
        fewer_frames=True,
    )


def direct_request(
    prompts: Prompts,
    pictures: Sequence[bytes],
    frames: tuple[int, ...],
    question: str,
    facts: Mapping[str, Any],
) -> ChatRequest:
    """The request for an answer from the video alone. All questions of a video share its frames as prefix."""
    prompt = prompts[DIRECT_PROMPT]
    return ChatRequest(
        stage=REASONING,
        system=prompt.system,
        user=prompt.parts({"question": question}, pictures),
        facts={**facts, "question": question},
        max_tokens=DIRECT_TOKENS,
        frames=frames,
        prefix=_prefix(frames, pictures),
        fewer_frames=True,
    )


def questions_request(
    prompts: Prompts, kind: TextKind, reference: str, discipline: str, count: int = QUESTIONS_PER_KIND
) -> ChatRequest:
    """The request for `count` questions of a kind (`NOTES` or `REASONING`) from reference notes."""
    prompt = prompts[QUESTIONS_PROMPTS[kind]]
    lecture = f" in {discipline.lower()}" if discipline else ""
    return ChatRequest(
        stage="questions",
        system=prompt.system,
        user=prompt.parts({"of_discipline": lecture, "reference": reference, "count": count}),
        facts={"kind": kind, "reference": reference, "count": count},
        schema=QUESTIONS_SCHEMA,
        max_tokens=QUESTIONS_TOKENS,
        prefix=digest("questions", kind, reference),
    )


def _prefix(frames: tuple[int, ...], pictures: Sequence[bytes]) -> str:
    return digest("mmlu", frames, [blake2b(jpeg, digest_size=8).hexdigest() for jpeg in pictures])

"""VDC and VDCscore: five captions, questions from a reference, answers, verdicts.

Source: AuroraCap (ICLR 2025); LOVEU track 1A, evaluation protocol. Prompts of answers
and verdicts are word for word from the protocol; prompts of captions and questions are ours
(`annotation/prompts/README.md`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from annotation.prompts.prompt_files import Prompts
from annotation.records.allowed_values import ResultState, VdcAspect
from annotation.replies.echoes_and_refusals import ends_like_prompt, text_refusal
from annotation.replies.reply_readers import QaItem, read_list_reply
from annotation.replies.verdict_reply import VerdictReply, read_verdict
from backends.digest import digest
from backends.protocols import ChatReply, ChatRequest

QUESTIONS_PROMPT = "vdc_questions"

DEFAULT_QUESTIONS = 20
"""The protocol's number; the benchmark's files hold 11 to 38 per caption."""
CAPTION_TOKENS: Mapping[VdcAspect, int] = {
    "camera": 512,
    "short": 256,
    "background": 512,
    "main_object": 512,
    "detailed": 2048,
}
"""Token limit of each caption: the benchmark's own detailed captions are about 1000 tokens."""
QUESTIONS_TOKENS = 4096
REPLY_TOKENS = 256
"""Token limit of an answer and of a verdict, as in the benchmark's code."""

QUESTIONS_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "questions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in ("question", "answer", "category")},
                "required": ["question", "answer", "category"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["questions"],
    "additionalProperties": False,
}

_ASPECT_WORDS: Mapping[VdcAspect, str] = {
    "camera": "the camera work of a video",
    "short": "a video in one sentence",
    "background": "the background of a video",
    "main_object": "the main subject of a video",
    "detailed": "a video in detail",
}


@dataclass(frozen=True, slots=True)
class TextReading:
    """A parsed caption or answer."""

    state: ResultState
    value: str
    """Kept if the reply was cut off, so that a person can see and finish it."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class QuestionsReading:
    """A parsed list of questions."""

    state: ResultState
    items: tuple[QaItem, ...]
    reason: str = ""
    """Also names the entries left out of a list that is `done`."""


def caption_prompt(aspect: VdcAspect) -> str:
    """Name of the prompt of an aspect."""
    return f"vdc_caption_{aspect}"


def caption_request(
    prompts: Prompts,
    aspect: VdcAspect,
    pictures: Sequence[bytes],
    frames: tuple[int, ...],
    facts: Mapping[str, Any],
) -> ChatRequest:
    """The request for one of the five captions. `pictures` are JPEGs of `frames`, in order.

    All five requests of a video have the same prefix: the same system message and the same frames.
    """
    prompt = prompts[caption_prompt(aspect)]
    return ChatRequest(
        stage=f"vdc:{aspect}",
        system=prompt.system,
        user=prompt.parts({}, pictures),
        facts=facts,
        max_tokens=CAPTION_TOKENS[aspect],
        frames=frames,
        prefix=digest("vdc", frames, [blake2b(jpeg, digest_size=8).hexdigest() for jpeg in pictures]),
        fewer_frames=True,
    )


def read_caption(reply: ChatReply) -> TextReading:
    """The caption. A reply cut off at the token limit is `unparsed`; its text is kept."""
    return _read_text(reply)


def questions_request(
    prompts: Prompts,
    aspect: VdcAspect,
    reference: str,
    count: int = DEFAULT_QUESTIONS,
    facts: Mapping[str, Any] | None = None,
) -> ChatRequest:
    """The request for `count` questions about a reference caption."""
    prompt = prompts[QUESTIONS_PROMPT]
    known = {"aspect": aspect, "count": count, "reference": reference}
    return ChatRequest(
        stage="questions",
        system=prompt.system,
        user=prompt.parts(known | {"aspect_words": _ASPECT_WORDS[aspect]}),
        facts={**(facts or {}), **known},
        schema=QUESTIONS_SCHEMA,
        max_tokens=QUESTIONS_TOKENS,
        prefix=digest("questions", aspect, reference),
    )


def read_questions(reply: ChatReply) -> QuestionsReading:
    """The questions. Entries without an answer, and repeated questions, are left out and reported.

    `unparsed` if no question is usable; questions before a cut-off are kept.
    """
    found = read_list_reply(reply.text, reply.finish_reason, prompt=reply.prompt)
    first: dict[str, QaItem] = {}
    for item in found.items:
        first.setdefault(item.question.casefold(), item)
    items = tuple(first.values())
    problems = list(found.problems)
    if len(items) < len(found.items):
        problems.append(f"{len(found.items) - len(items)} repeated questions")
    return QuestionsReading(found.state, items, found.reason or "; ".join(problems))


def none_read(reply: ChatReply | None, *, baseline: bool) -> tuple[ResultState, str]:
    """State and reason of a reply without questions. The baseline asks none if it has no measurements."""
    if baseline or reply is None:
        return "done", ""
    reading = read_questions(reply)
    return reading.state, reading.reason


def answer_request(prompts: Prompts, caption: str, question: str) -> ChatRequest:
    """The request to find the answer in a caption. Requests for one caption share their prefix."""
    prompt = prompts["vdc_answer"]
    values = {"caption": caption, "question": question}
    return ChatRequest(
        stage="answer",
        system=prompt.system,
        user=prompt.parts(values),
        facts=values,
        max_tokens=REPLY_TOKENS,
        prefix=digest("answer", caption),
    )


def read_answer(reply: ChatReply) -> TextReading:
    """The answer, unchanged."""
    return _read_text(reply)


def verdict_request(
    prompts: Prompts, question: str, reference: str, answer: str, prompt: str = "vdc_verdict"
) -> ChatRequest:
    """The request to a judge: whether `answer` has the meaning of `reference`."""
    chosen = prompts[prompt]
    values = {"question": question, "reference": reference, "answer": answer}
    return ChatRequest(
        stage="verdict",
        system=chosen.system,
        user=chosen.parts(values),
        facts=values,
        max_tokens=REPLY_TOKENS,
        prefix=digest("verdict", prompt, question, reference),
    )


def read_verdict_reply(reply: ChatReply) -> VerdictReply:
    """The judge's verdict."""
    return read_verdict(reply.text, reply.finish_reason, reply.prompt)


def _read_text(reply: ChatReply) -> TextReading:
    value = reply.text.strip()
    if not value:
        return TextReading("unparsed", "", "the reply is empty")
    if reply.finish_reason == "length":
        used = reply.usage.get("completion_tokens")
        return TextReading("unparsed", value, f"cut off at {used or 'the limit of'} tokens")
    if ends_like_prompt(value, reply.prompt):
        return TextReading("unparsed", value, "the reply repeats the prompt")
    if words := text_refusal(value, reply.prompt):
        return TextReading("unparsed", value, f"the reply is a refusal: '{words}'")
    return TextReading("done", value)

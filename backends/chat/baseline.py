"""The embedded chat engine: deterministic and based on facts. It needs no GPU, key or network.

It answers from `ChatRequest.facts` and ignores pictures and prompts. Replies have the same form as those
of models, so that the same readers parse them. Their content is a log of measurements, speech and text on
screen. Results are always marked as baseline and are not a VDCscore.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from string import ascii_uppercase
from threading import Event
from typing import Any

from backends.chat.baseline_rules import elements
from backends.chat.baseline_rules.answers import answer
from backends.chat.baseline_rules.captions_from_measurements import (
    frame_captions,
    lecture_notes,
    script,
    vdc_caption,
)
from backends.chat.baseline_rules.questions_from_measurements import measured_questions
from backends.chat.baseline_rules.questions_from_reference import MOST, questions
from backends.chat.baseline_rules.splitting import split, split_clauses
from backends.chat.baseline_rules.verdicts import verdict
from backends.errors import RequestRefused
from backends.protocols import ChatReply, ChatRequest, Tell

PROGRESSED = 0.10
"""Minimum difference of two frames (0 equal, 1 unrelated) that counts as progress of the action."""
UNCHANGED = 0.05
"""A smaller difference counts as no progress; values between the two limits are uncertain."""

ALIKE = 0.5
"""Minimum share of common words for a caption to match a frame."""

_Facts = Mapping[str, Any]


class BaselineChat:
    """Implements `ChatModel`. Thread-safe: it has no state."""

    backend = "baseline"
    model = "baseline"
    endpoint = ""
    baseline = True
    concurrency = 4

    def check(self) -> str:
        return "embedded: needs no GPU, no key and no network"

    def prepare(self, *, pictures: bool, tell: Tell, stop: Event) -> None:
        """Do nothing: the engine is always ready and ignores pictures."""

    def complete(self, request: ChatRequest, stop: Event | None = None) -> ChatReply:  # noqa: ARG002
        """Return the reply. Raises RequestRefused for a stage that facts cannot answer."""
        started = time.perf_counter()
        writer = _WRITERS.get(request.stage)
        if writer is None:
            known = ", ".join(_WRITERS)
            raise RequestRefused(
                f"the baseline does not support the stage {request.stage!r}, only {known}; "
                "name a model, such as http://127.0.0.1:8000/v1#MODEL"
            )
        text = writer(request.facts, request)
        return ChatReply(text=text, finish_reason="stop", seconds=time.perf_counter() - started)

    def close(self) -> None:
        """Do nothing: the engine holds no resources."""


def _script(facts: _Facts, _: ChatRequest) -> str:
    return _json(script(facts))


def _caption(facts: _Facts, request: ChatRequest) -> str:
    return vdc_caption(request.stage.removeprefix("vdc:"), facts)


def _notes(facts: _Facts, _: ChatRequest) -> str:
    return lecture_notes(facts)


def _answer_from_video(facts: _Facts, _: ChatRequest) -> str:
    """Answer from the notes that the baseline would write; it has no other knowledge."""
    return answer(lecture_notes(facts), _text(facts, "question"))


def _questions(facts: _Facts, _: ChatRequest) -> str:
    if isinstance(video := facts.get("video"), Mapping):
        found = measured_questions(_text(facts, "aspect"), video)
    else:
        count = facts.get("count")
        found = questions(_text(facts, "reference"), count if isinstance(count, int) else MOST)
    return _json({"questions": found})


def _answer(facts: _Facts, _: ChatRequest) -> str:
    return answer(_text(facts, "caption"), _text(facts, "question"))


def _verdict(facts: _Facts, _: ChatRequest) -> str:
    pred, score = verdict(_text(facts, "question"), _text(facts, "reference"), _text(facts, "answer"))
    return str({"pred": pred, "score": score})


def _frames(facts: _Facts, request: ChatRequest) -> str:
    captions = frame_captions(facts, len(request.frames))
    return "\n".join(f"<Frame {i}>: {caption}" for i, caption in enumerate(captions, start=1))


def _progression(facts: _Facts, _: ChatRequest) -> str:
    advanced = _advanced(facts)
    if advanced is None:
        return "C. Uncertain"
    return "A. Action Progression" if advanced else "B. No Action Progression"


def _change(facts: _Facts, _: ChatRequest) -> str:
    advanced = _advanced(facts)
    return "C" if advanced is None else "B" if advanced else "A"


def _matching(facts: _Facts, _: ChatRequest) -> str:
    """Choose the caption with the most words in common with the frame's measurements; none if tied."""
    own = set(frame_captions({"frames": [facts.get("look")], "action": facts.get("action")}, 1)[0].split())
    captions = [set(str(caption).split()) for caption in facts.get("captions") or ()]
    alike = [len(own & words) / max(1, len(own | words)) for words in captions]
    best = max(alike, default=0.0)
    chosen = alike.index(best) if best >= ALIKE and alike.count(best) == 1 else len(captions)
    return ascii_uppercase[chosen]


def _advanced(facts: _Facts) -> bool | None:
    """Return progress by the measured difference; without one, equal descriptions mean no progress."""
    difference = facts.get("difference")
    if isinstance(difference, int | float):
        return True if difference >= PROGRESSED else False if difference < UNCHANGED else None
    return False if _text(facts, "before").split() == _text(facts, "after").split() else None


def _split(facts: _Facts, _: ChatRequest) -> str:
    spatial, temporal = split(_text(facts, "full"))
    return _json({"spatial": spatial or "None.", "temporal": temporal or "None."})


def _split_clauses(facts: _Facts, _: ChatRequest) -> str:
    return _json({"clauses": split_clauses([str(clause) for clause in facts.get("clauses") or ()])})


def _events(facts: _Facts, _: ChatRequest) -> str:
    return _json({"events": elements.events(_text(facts, "caption"))})


def _objects(facts: _Facts, _: ChatRequest) -> str:
    return _json({"objects": elements.objects(_text(facts, "caption"))})


def _entailment(facts: _Facts, _: ChatRequest) -> str:
    found = [elements.entailment(str(one), _text(facts, "description")) for one in facts.get("elements", ())]
    verdicts = [
        {"number": number, "relationship": label, "reason": reason}
        for number, (label, reason) in enumerate(found, 1)
    ]
    return _json({"verdicts": verdicts})


def _text(facts: _Facts, name: str) -> str:
    return str(facts.get(name) or "")


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


_WRITERS: Mapping[str, Callable[[_Facts, ChatRequest], str]] = {
    "script": _script,
    "vdc:camera": _caption,
    "vdc:short": _caption,
    "vdc:background": _caption,
    "vdc:main_object": _caption,
    "vdc:detailed": _caption,
    "mmlu:notes": _notes,
    "mmlu:reasoning": _answer_from_video,
    "questions": _questions,
    "answer": _answer,
    "verdict": _verdict,
    "frames": _frames,
    "progression": _progression,
    "change": _change,
    "matching": _matching,
    "split": _split,
    "split:clauses": _split_clauses,
    "capst:events": _events,
    "capst:objects": _objects,
    "capst:entailment": _entailment,
}

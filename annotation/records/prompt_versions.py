"""Versions of a prompt that people write, which of them is in use, and when its held back half was opened."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptVersion:
    """A prompt as a person wrote it. It is never changed: another wording is another version."""

    id: str
    """Made of the prompt's name and the hash: the same words are the same version."""
    prompt: str
    """The prompt that it can stand in for: `vdc_verdict`, `mmlu_verdict_quiz`."""
    label: str
    """What people call it; no other version of this prompt has it."""
    system: str
    """The system message; empty: none is sent."""
    user: str
    """The user message, with its placeholders."""
    hash: str
    """As of every prompt; runs record it."""
    person_id: str
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptUse:
    """From now on a version stands in a prompt's place. The newest row of a prompt counts."""

    id: str
    prompt: str
    """The prompt."""
    version_id: str | None
    """None: the prompt of the files."""
    person_id: str
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLook:
    """Somebody opened the half of the labelled verdicts that was held back."""

    id: str
    prompt: str
    """The prompt."""
    version_id: str
    """For which version. What the usual prompt reaches there is shown beside it."""
    evaluation_id: str
    questions: tuple[str, ...]
    """Ids of the held back questions that had a label then."""
    person_id: str
    created_at: float

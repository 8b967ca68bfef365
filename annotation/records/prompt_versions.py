"""Versions of prompts that people write, the version in use, and when the held-back labels were shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptVersion:
    """A prompt written by a person. It is never changed: another wording is another version."""

    id: str
    """Derived from the prompt's name and the hash: the same words are the same version."""
    prompt: str
    """The prompt that it can replace: `vdc_verdict`, `mmlu_verdict_quiz`."""
    label: str
    """Display name, unique among the versions of this prompt."""
    system: str
    """The system message; empty if none is sent."""
    user: str
    """The user message, with its placeholders."""
    hash: str
    """Hash as for every prompt; runs record it."""
    person_id: str
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptUse:
    """A person's choice of the version of a prompt to use. The newest row of a prompt counts."""

    id: str
    prompt: str
    """The prompt."""
    version_id: str | None
    """None for the prompt from the files."""
    person_id: str
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLook:
    """A person's request to see the held-back half of the labelled verdicts."""

    id: str
    prompt: str
    """The prompt."""
    version_id: str
    """The version that is tested. The result of the default prompt is shown for comparison."""
    evaluation_id: str
    questions: tuple[str, ...]
    """Ids of the held-back questions that had a label at that time."""
    person_id: str
    created_at: float

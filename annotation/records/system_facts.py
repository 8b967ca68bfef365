"""Facts of systems that code below `annotation/systems` needs: kinds of text, and facts about prompts.

Each system has a file `annotation/systems/NAME/system.toml`. Its tables:

- `[[texts]]` describes kinds of text: the list `kinds` and the fields of `TextFacts`.
- `[prompts.NAME]` has the fields of `PromptFacts`, for a prompt that differs from the defaults.
- `stages_of_texts`: stages that read stored records only, not the video's file.
- `prompts_together`: lists of prompts that one run uses together; it records the hash of all of them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from backends.errors import UsageError

SYSTEMS_FOLDER = Path(__file__).resolve().parents[1] / "systems"
WITHOUT_SYSTEM = ("frame", "speech")
"""Kinds of text that several systems use."""


@dataclass(frozen=True, slots=True)
class TextFacts:
    """Facts about a kind of text."""

    task: str = ""
    """The task of people that approves these texts (`annotation.editing.assignments`)."""
    caption: bool = False
    """Whether a video whose only texts of such kinds are by the baseline counts as not captioned."""
    in_form: bool = False
    """Whether it is a field of a form: an empty text of a person stays current."""
    written_apart: bool = False
    """Whether several people write it without seeing each other's texts."""
    hidden_from_writers: bool = False
    """Whether it is hidden from these people until all of them are done."""
    exact_match: bool = False
    """Whether answers to questions of this kind are also compared with the reference word for word."""
    made_from: tuple[str, ...] = ()
    """Kinds of text that it is made from: the first one that a video has."""
    named: str = "the {part} text"
    """How people read it; `{part}` is the kind without its prefix, `{of_scene}` is " of scene 3"."""


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """Facts about a prompt."""

    also: tuple[str, ...] = ()
    """Placeholders that a replacement may use although the package's file does not use them."""
    versions_for: str = ""
    """The role that people may write versions of this prompt for; empty: no versions."""
    protocol: bool = False
    """Whether figures made with it may have the benchmark's name."""


@cache
def text_facts() -> Mapping[str, TextFacts]:
    """Return the facts about each kind of text, by kind."""
    found = dict.fromkeys(WITHOUT_SYSTEM, TextFacts())
    for system in _files().values():
        for group in system.get("texts", ()):
            facts = TextFacts(**_frozen(group, leave_out="kinds"))
            found |= dict.fromkeys(group["kinds"], facts)
    return found


def require_kind(kind: str) -> str:
    """Return the kind of text. Raises UsageError for an unknown one."""
    if kind not in text_facts():
        raise UsageError(f"unknown kind of text {kind!r}; choose from {', '.join(text_facts())}")
    return kind


def kinds_with(field: str) -> tuple[str, ...]:
    """Return the kinds of text for which this field of `TextFacts` is set."""
    return tuple(kind for kind, facts in text_facts().items() if getattr(facts, field))


@cache
def prompt_facts() -> Mapping[str, PromptFacts]:
    """Return the facts about the prompts that have any, by name."""
    rows = (row for system in _files().values() for row in system.get("prompts", {}).items())
    return {name: PromptFacts(**_frozen(row)) for name, row in rows}


def prompts_together() -> Iterator[tuple[str, ...]]:
    """Yield the names of prompts that one run uses together."""
    for system in _files().values():
        yield from (tuple(names) for names in system.get("prompts_together", ()))


@cache
def stages_of_texts() -> frozenset[str]:
    """Return the stages that read stored records only. Their results do not depend on the video's file."""
    return frozenset(name for system in _files().values() for name in system.get("stages_of_texts", ()))


@cache
def _files() -> Mapping[str, Mapping[str, Any]]:
    """Return the contents of the files by name of the system."""
    files = sorted(SYSTEMS_FOLDER.glob("*/system.toml"))
    return {file.parent.name: tomllib.loads(file.read_text(encoding="utf-8")) for file in files}


def _frozen(row: Mapping[str, Any], leave_out: str = "") -> dict[str, Any]:
    found = {name: value for name, value in row.items() if name != leave_out}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}

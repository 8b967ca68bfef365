"""Kinds of text and of questions of Video-MMLU (`system.toml`)."""

from __future__ import annotations

NOTES = "mmlu:notes"

REASONING = "mmlu:reasoning"


def is_mmlu(kind: str) -> bool:
    return kind.startswith("mmlu:")

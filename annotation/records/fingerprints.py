"""Fingerprints of the sources of results. If the current fingerprint differs, the result is stale."""

from __future__ import annotations

from backends.digest import digest


def of_text(value: str) -> str:
    """Return the fingerprint of a text from which something was derived."""
    return digest("text", value)


def of_answer(caption: str, question: str) -> str:
    """Return the fingerprint of the input of answer extraction."""
    return digest("answer", caption, question)


def of_verdict(question: str, reference: str, answer: str) -> str:
    """Return the fingerprint of the input of a judge."""
    return digest("verdict", question, reference, answer)


def of_entailment(element: str, description: str) -> str:
    """Return the fingerprint of the input of an element's judge (CapST)."""
    return digest("entailment", element, description)

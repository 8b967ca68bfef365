"""What a result was made from, as a fingerprint. A different one now means that it is stale."""

from __future__ import annotations

from backends.digest import digest


def of_text(value: str) -> str:
    """Of a text that something else was derived from."""
    return digest("text", value)


def of_answer(caption: str, question: str) -> str:
    """Of what answer extraction reads."""
    return digest("answer", caption, question)


def of_verdict(question: str, reference: str, answer: str) -> str:
    """Of what a judge reads."""
    return digest("verdict", question, reference, answer)


def of_entailment(element: str, description: str) -> str:
    """Of what the judge of an element reads (CapST)."""
    return digest("entailment", element, description)

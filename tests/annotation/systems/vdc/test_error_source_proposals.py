"""What is proposed as the cause of a wrong answer."""

from __future__ import annotations

import pytest

from annotation.systems.vdc.error_source_proposals import Failed, propose

CAPTION = (
    "A man in a green coat walks along the beach. Behind him two white boats lie on the sand, "
    "and the sky is cloudy. He carries a wooden box."
)


def kind(question: str, reference: str, answer: str, caption: str | None = CAPTION, *findings: str) -> str:
    found = propose(Failed(question, reference, answer, caption, findings))
    return found.kind if found else ""


@pytest.mark.parametrize(
    ("question", "reference", "answer", "expected"),
    [
        ("What does the man carry?", "a wooden box", "The wooden boxes.", "judge"),
        ("How many boats lie on the sand?", "2 white boats", "Two boats, which are white", "judge"),
        ("What does the man carry?", "a wooden box", "not mentioned", "extraction"),
        ("How many boats lie on the sand?", "two", "not specified", "extraction"),
        ("What colour is the man's coat?", "red", "green coat", "caption_wrong"),
        ("What is the sky like?", "clear", "cloudy", "caption_wrong"),
        ("What is the main subject?", "a white boat", "two white boats", "caption_wrong"),
        ("What does the man wear?", "a green coat and red boots", "a green coat", "caption_omits"),
        ("What does the man wear?", "a green wool coat", "a green coat", ""),
        ("What colour is the man's coat?", "green", "a green coat", "judge"),
        ("What colour is the man's coat?", "green", "green and red", "extraction"),
        ("What stands on the hill?", "a windmill", "not mentioned", "caption_omits"),
        ("What does the dog do?", "it barks", "", "caption_omits"),
        ("What does the dog do?", "it barks", "Nothing is mentioned.", "caption_omits"),
        ("What lies on the sand?", "a blue net", "a broken surfboard", ""),
        ("What stands on the hill?", "a windmill", "boats on the sand", "caption_wrong"),
    ],
)
def test_each_cause(question: str, reference: str, answer: str, expected: str) -> None:
    assert kind(question, reference, answer) == expected


def test_a_word_that_stands_there_for_something_else_is_not_the_reference() -> None:
    assert kind("What colour is the dog?", "white", "not mentioned") == "caption_omits"


@pytest.mark.parametrize(
    ("question", "reference", "answer"),
    [
        ("What stands on the hill?", "a windmill", "There are two white boats lying on the sand by the sea."),
        ("What does the man wear?", "a beach hat", "a coat"),
        ("Who walks along the beach?", "the owner of the dog", "A man"),
        ("What lies on the sand?", "presumably nets", "boats"),
    ],
)
def test_nothing_is_proposed_where_another_answer_may_be_as_right(
    question: str, reference: str, answer: str
) -> None:
    """A sentence, a reference of which the caption has a part, a role, a guess."""
    assert kind(question, reference, answer) == ""


def test_another_number_is_what_the_caption_says() -> None:
    assert kind("What lies on the sand?", "a white boat", "two white boats") == "caption_wrong"


def test_a_negation_is_not_the_same_answer() -> None:
    assert kind("Does he smile at the camera?", "he does not smile", "he smiles") != "judge"


def test_what_speaks_against_the_question_goes_first() -> None:
    why = "the answer contains a question mark"
    found = propose(Failed("What is it?", "a wooden box", "a wooden box", CAPTION, (why,)))
    assert found and (found.kind, found.reason) == ("question", why)


def test_without_a_caption_only_what_can_be_told_is_proposed() -> None:
    assert kind("What is it?", "a box", "a tree", None) == ""
    assert kind("What is it?", "a box", "the box", None) == "judge"


def test_reasons_quote_what_they_rest_on() -> None:
    found = propose(Failed("What colour is the man's coat?", "red", "green coat", CAPTION))
    assert found and found.reason == "the caption says “green coat”, the reference “red”"

"""Quotes of writing against the lines that were read in the picture."""

from __future__ import annotations

import pytest

from annotation.checks.screen_text_checks import check_quotes

LINES = ("Chapter 7: The French Revolution", "OPEN 24 HOURS", "出口在左边")


def found(text: str, lines: tuple[str, ...] = LINES) -> list[tuple[str, str]]:
    return [(one.check, text[one.start : one.end]) for one in check_quotes(text, lines)]


@pytest.mark.parametrize(
    "text",
    [
        'A slide titled "The French Revolution" appears.',
        "A neon sign reads “Open 24 hours”.",
        "The sign says 'OPEN 24 HOURS' in red letters.",
        "墙上的 sign 「出口在左边」.",
        'The title reads "Chapter 7 The French Revolutlon".',
    ],
)
def test_what_is_shown_is_left_alone(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        'She says "Good morning" and waves.',
        'The so-called "golden hour" light falls on the hill.',
        "It is the dog's bowl, and the cat's.",
        'A voice says: "Read the sign."',
        "",
    ],
)
def test_what_is_no_writing_is_left_alone(text: str) -> None:
    assert found(text) == []


def test_a_quote_that_no_frame_shows() -> None:
    text = 'A poster reads "Grand Opening Sale" behind him.'
    assert found(text) == [("text_not_shown", "Grand Opening Sale")]
    assert found(text, ()) == [("text_not_shown", "Grand Opening Sale")]
    (one,) = check_quotes(text, ())
    assert one.why == "not read in the picture; text there: none"


def test_a_quote_that_gets_the_words_wrong() -> None:
    text = 'A neon sign reads "OPEN 12 HOURS".'
    assert found(text) == [("text_misquoted", "OPEN 12 HOURS")]
    assert next(iter(check_quotes(text, LINES))).why == "the picture shows “OPEN 24 HOURS”"

"""Rules of Video-MMLU: disciplines however they are spelled, exact match, one prefix for all questions."""

from __future__ import annotations

import pytest

from annotation.prompts.prompt_files import load_prompts
from annotation.records.disciplines import discipline
from annotation.scores.exact_match import exact_match
from annotation.systems.video_mmlu import requests as video_mmlu

PROMPTS = load_prompts()


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Math", "Math"),
        ("physics", "Physics"),
        (" CHEMISTRY ", "Chemistry"),
        ("Mathematics", "Math"),
        ("Biology", "Biology"),
        ("", ""),
    ],
)
def test_disciplines_are_told_however_they_are_spelled(label: str, name: str) -> None:
    assert discipline(label) == name


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("2x", " 2X. "),
        ("The slope", "the  slope"),
        ("it's 3", "It’s 3"),
        ('"red"', "red."),
        ("x − 1", "x - 1"),
        ("Yes!", "yes"),
    ],
)
def test_the_same_but_for_case_spaces_quotes_and_a_closing_mark(reference: str, answer: str) -> None:
    assert exact_match(reference, answer)


@pytest.mark.parametrize(
    ("reference", "answer"),
    [("-3", "3"), ("x²", "x2"), ("f'(x)", "f(x)"), ("the slope", "slope"), ("", ""), ("3.14", "314")],
)
def test_signs_and_words_inside_must_be_the_same(reference: str, answer: str) -> None:
    assert not exact_match(reference, answer)


def test_every_question_of_a_video_shares_the_prefix_of_its_notes() -> None:
    frames, pictures = (0, 5), [b"one", b"two"]
    notes = video_mmlu.notes_request(PROMPTS, pictures, frames, "F equals m a.", "F = ma", {})
    first, second = (video_mmlu.direct_request(PROMPTS, pictures, frames, q, {}) for q in ("Why?", "How?"))
    assert notes.prefix == first.prefix == second.prefix
    assert notes.user[:2] == first.user[:2] == second.user[:2]
    assert first.user[2].text == "Why?\nAnswer briefly and directly in one sentence."
    assert notes.user[2].text.startswith(
        "What is said in the lecture:\nF equals m a.\n\n"
        "Text read in the picture, in the order of time:\nF = ma\n\nThese are frames"
    )
    silent = video_mmlu.notes_request(PROMPTS, pictures, frames, "", "", {})
    assert silent.user[2].text.startswith("These are frames")

"""The words of a caption that support an answer."""

from __future__ import annotations

import pytest

from annotation.systems.vdc.supporting_spans import supporting_span

PARK = (
    "Two men play chess in a park. The man on the left wears a red jacket and black shoes, while the other "
    "man, in a grey coat, drinks tea. Three small dogs run past, then the camera zooms in on the wooden "
    "board."
)


def found(caption: str, question: str, answer: str) -> str | None:
    span = supporting_span(caption, question, answer)
    return None if span is None else caption[slice(*span)]


@pytest.mark.parametrize(
    ("question", "answer", "words"),
    [
        ("What color is the jacket?", "red", "red"),
        ("What does the left man wear?", "a red jacket and black shoes", "a red jacket and black shoes"),
        ("How many men play?", "two", "Two"),
        ("How many men play?", "2 men", "Two men"),
        ("What color is the coat?", "Gray coat.", "grey coat"),
        ("What animals are there?", "small dog", "small dogs"),
        ("What does the camera do?", "zooming in on the board", None),
        ("What does the camera do?", "It zooms in on the board", None),
        ("Is the jacket red?", "Yes, red", "red"),
    ],
)
def test_literal_and_normalised(question: str, answer: str, words: str | None) -> None:
    got = found(PARK, question, answer)
    assert got is not None
    assert got == words if words else "zooms in on the wooden board" in got


def test_case_and_line_breaks_do_not_matter_but_word_ends_do() -> None:
    assert found("The CAR is Red.", "Color?", "red") == "Red"
    assert found("A man on a\n  green bench.", "Where?", "on a green bench") == "on a\n  green bench"
    assert found("The reddish scar is here; the car is there.", "What?", "car") == "car"
    assert supporting_span("The reddish scar.", "Color?", "red") is None


def test_the_spot_that_fits_the_question() -> None:
    caption = "The wall is red, and the floor is wet. The old car is red as well."
    assert supporting_span(caption, "What color is the car?", "red") == (
        caption.rindex("red"),
        caption.rindex("red") + 3,
    )
    assert supporting_span(caption, "What color is the wall?", "red") == (12, 15)
    same = "A red hat lies on a red chair."
    assert supporting_span(same, "What color is the chair?", "red") == (20, 23)


def test_a_paraphrase_leans_on_its_clause() -> None:
    assert found(PARK, "What does the other man do?", "He is drinking some hot tea") == "drinks tea."
    yes = found(PARK, "Do three dogs run past?", "Yes")
    assert yes == "Three small dogs run past"


@pytest.mark.parametrize(
    "answer",
    [
        "Not mentioned in the description.",
        "Not mentioned.",
        "The description does not mention it.",
        "Unknown",
        "N/A",
        "It isn't specified",
        "No information",
        "This is not explicitly stated.",
        "None",
        "",
        "   ",
        "It cannot be determined.",
        "The description doesn’t say.",
        "a purple helicopter lands",
    ],
)
def test_nothing_supports_it(answer: str) -> None:
    assert supporting_span(PARK, "What is the weather like?", answer) is None


@pytest.mark.parametrize("caption", ["", "   ", "…", "!!!"])
def test_empty_captions(caption: str) -> None:
    assert supporting_span(caption, "What color?", "red") is None
    assert supporting_span(caption, "Is it red?", "Yes") is None


@pytest.mark.parametrize(
    ("caption", "answer", "words"),
    [
        ("Ein Café an der Straße, davor eine Katze.", "straße", "Straße"),
        ("Ein Cafe\u0301 an der Ecke.", "café", "Cafe\u0301"),
        ("İstanbul’da büyük bir köprü var.", "büyük", "büyük"),
        ("画面中有一只黑色的狗在奔跑。", "黑色", "黑色"),
        ("👩‍🍳 cuts an onion 🧅 slowly.", "an onion", "an onion"),
        ("The sign reads “過程” in red.", "過程", "過程"),
        ("The man’s coat is blue.", "man's coat", "man’s coat"),
    ],
)
def test_offsets_are_those_of_the_original(caption: str, answer: str, words: str) -> None:
    assert found(caption, "What is there?", answer) == words


def test_an_answer_full_of_pattern_signs() -> None:
    assert found("It shows f(x) = x^2 + [1] here.", "What formula?", "f(x) = x^2 + [1]") == "f(x) = x^2 + [1]"

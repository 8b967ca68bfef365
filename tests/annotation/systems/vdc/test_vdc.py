"""VDC captions, questions, answers and verdicts: what is sent and how replies are read."""

from __future__ import annotations

import json

import pytest

from annotation.prompts.prompt_files import load_prompts
from annotation.records.allowed_values import VDC_ASPECTS
from annotation.systems.vdc import requests as vdc
from backends.protocols import ChatReply

PROMPTS = load_prompts()


def reply(text: str, finish_reason: str = "stop", **usage: int) -> ChatReply:
    return ChatReply(text=text, finish_reason=finish_reason, seconds=0.1, usage=usage)


def test_the_five_captions_share_their_beginning() -> None:
    asked = [
        vdc.caption_request(PROMPTS, aspect, [b"x", b"y"], (0, 5), {"title": "t"}) for aspect in VDC_ASPECTS
    ]
    assert [each.stage for each in asked] == [f"vdc:{aspect}" for aspect in VDC_ASPECTS]
    assert len({each.prefix for each in asked}) == 1
    assert len({(each.system, each.user[:2]) for each in asked}) == 1
    assert len({each.user[2].text for each in asked}) == 5
    other = vdc.caption_request(PROMPTS, "camera", [b"x", b"z"], (0, 5), {})
    assert other.prefix != asked[0].prefix


@pytest.mark.parametrize(
    ("text", "finish", "state", "value"),
    [
        (" A dog runs. \n", "stop", "done", "A dog runs."),
        ("", "stop", "unparsed", ""),
        (" \n", "stop", "unparsed", ""),
        ("A dog ru", "length", "unparsed", "A dog ru"),
    ],
)
def test_captions(text: str, finish: str, state: str, value: str) -> None:
    reading = vdc.read_caption(reply(text, finish, completion_tokens=512))
    assert (reading.state, reading.value) == (state, value)
    assert bool(reading.reason) == (state != "done")
    if finish == "length":
        assert "512 tokens" in reading.reason


def test_questions_are_asked_about_the_reference_alone() -> None:
    asked = vdc.questions_request(PROMPTS, "main_object", "A {count} red car.", 7)
    text = asked.user[0].text
    assert (
        "A {count} red car." in text and "Write 7 questions" in text and "the main subject of a video" in text
    )
    assert asked.facts == {"aspect": "main_object", "count": 7, "reference": "A {count} red car."}
    assert asked.schema is not None


QA = [
    {"question": "What color is the car?", "answer": "red", "category": "color"},
    {"question": "How many cars are there?", "answer": 1},
]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"questions": QA}),
        json.dumps(QA),
        f"Here you are:\n```json\n{json.dumps(QA, indent=1)}\n```",
        str({"questions": QA}),
    ],
)
def test_questions_are_read_in_every_form(text: str) -> None:
    reading = vdc.read_questions(reply(text))
    assert reading.state == "done" and reading.reason == ""
    assert [(item.question, item.answer, item.category) for item in reading.items] == [
        ("What color is the car?", "red", "color"),
        ("How many cars are there?", "1", ""),
    ]


def test_what_is_left_out_of_a_list_is_reported() -> None:
    doubled = [
        *QA,
        {"question": "what color is the CAR?", "answer": "blue"},
        {"question": "Why?", "answer": ""},
    ]
    reading = vdc.read_questions(reply(json.dumps(doubled)))
    assert [item.answer for item in reading.items] == ["red", "1"]
    assert "repeated" in reading.reason and "answer is empty" in reading.reason


@pytest.mark.parametrize("text", ["", "No questions.", "[]", '{"questions": []}', '[{"question": "Why?"}]'])
def test_no_questions_are_unparsed(text: str) -> None:
    reading = vdc.read_questions(reply(text))
    assert reading.state == "unparsed" and reading.reason and not reading.items


def test_answers_of_one_caption_share_their_prefix() -> None:
    first, second = (vdc.answer_request(PROMPTS, "A dog.", question) for question in ("What?", "Where?"))
    assert first.prefix == second.prefix != vdc.answer_request(PROMPTS, "A cat.", "What?").prefix
    assert first.facts == {"caption": "A dog.", "question": "What?"}
    assert "detailed description: A dog., question: What?DO NOT PROVIDE" in first.user[0].text
    assert first.temperature == 0 and first.schema is None


def test_a_caption_cannot_smuggle_in_a_placeholder() -> None:
    text = vdc.answer_request(PROMPTS, "Shows {question}.", "Secret?").user[0].text
    assert "description: Shows {question}., question: Secret?" in text


def test_the_judge_is_asked_in_the_protocols_words() -> None:
    asked = vdc.verdict_request(PROMPTS, "Color?", "red", "crimson")
    assert "Question: Color?\nCorrect Answer: red\nPredicted Answer: crimson\n" in asked.user[0].text
    assert asked.facts == {"question": "Color?", "reference": "red", "answer": "crimson"}
    strict = vdc.verdict_request(PROMPTS, "Color?", "red", "crimson", "mmlu_verdict_notes")
    assert "letter-by-letter" in strict.system and strict.facts == asked.facts


def test_verdicts_are_read_by_the_common_reader() -> None:
    read = vdc.read_verdict_reply(reply("{'pred': 'yes', 'score': 4.8}"))
    assert (read.state, read.pred, read.score) == ("done", "yes", 4.8)
    assert vdc.read_verdict_reply(reply("{'pred': 'maybe'}")).state == "unparsed"
    assert vdc.read_verdict_reply(reply("{'pred': 'yes', 'sc", "length")).state == "unparsed"
    words = "Pred: yes Score: 4"  # a whole verdict, or the beginning of "4.5"
    assert vdc.read_verdict_reply(reply(words)).score == 4
    assert "cut off" in vdc.read_verdict_reply(reply(words, "length")).reason

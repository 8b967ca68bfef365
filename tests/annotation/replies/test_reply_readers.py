from __future__ import annotations

import json
import random

import pytest

from annotation.records.allowed_values import SCRIPT_FIELDS
from annotation.replies.reply_readers import (
    QaItem,
    read_frame_captions,
    read_json_reply,
    read_letter,
    read_list_reply,
)

SCRIPT = {
    "shot_type": "medium close-up",
    "camera_movement": "slow pan to the left",
    "content": 'The cook can\'t find the salt; a sign reads "open".',
    "scene_title": "Salt",
}


# --- script -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(SCRIPT),
        json.dumps(SCRIPT, indent=2),
        repr(SCRIPT),
        f"Here is the script:\n```json\n{json.dumps(SCRIPT)}\n```\nAnything else?",
        f"<think>{{'shot_type': 'wide'}}</think>{json.dumps(SCRIPT)}",
        json.dumps({key.replace("_", " ").title(): value for key, value in SCRIPT.items()}),
        json.dumps({key.replace("_", "-").upper(): f" {value} " for key, value in SCRIPT.items()}),
        json.dumps({**SCRIPT, "mood": "tense", "objects": ["salt"]}),
        json.dumps(SCRIPT) + "\n" + json.dumps(SCRIPT),
        json.dumps(SCRIPT).replace('\\"open\\"', '"open"'),
    ],
)
def test_script_reply(text: str) -> None:
    assert read_json_reply(text, SCRIPT_FIELDS, "stop") == ("done", SCRIPT, "")
    assert read_json_reply(text, SCRIPT_FIELDS, "length")[0] == "done"


@pytest.mark.parametrize(
    ("text", "finish_reason", "words"),
    [
        ("", "stop", "empty"),
        ("I see a cook.", "stop", "no dictionary"),
        (json.dumps(SCRIPT)[:-1], "stop", "cut off"),
        (json.dumps(SCRIPT)[:60], "length", "cut off"),
        ("A cook", "length", "cut off"),
        (json.dumps({**SCRIPT, "content": "  "}), "stop", "'content' is empty"),
        (json.dumps({**SCRIPT, "content": ["a"]}), "stop", "'content' is not a text"),
        (json.dumps({**SCRIPT, "scene_title": 3}), "stop", "'scene_title' is not a text"),
        (json.dumps({**SCRIPT, "scene_title": None}), "stop", "'scene_title' is not a text"),
        (json.dumps({"shot_type": "wide"}), "stop", "'camera_movement' is missing"),
        (json.dumps({"scene": SCRIPT}), "stop", "no dictionary"),
        (json.dumps(SCRIPT) + json.dumps({**SCRIPT, "content": "x"}), "stop", "different dictionaries"),
        (json.dumps(SCRIPT)[:-1] + ', "content": "x"}', "stop", "'content' has different values"),
        ("{shot_type; wide}", "stop", "cannot be read"),
    ],
)
def test_script_reply_that_cannot_be_read(text: str, finish_reason: str, words: str) -> None:
    state, fields, reason = read_json_reply(text, SCRIPT_FIELDS, finish_reason)
    assert (state, fields) == ("unparsed", {})
    assert words in reason


# --- questions --------------------------------------------------------------------------

BOAT = {"question": "What colour is the boat?", "answer": "red", "category": "object colour"}
SEA = {"question": "How is the sea?", "answer": "calm, with small waves", "category": "scene"}
ITEMS = (QaItem(**BOAT), QaItem(**SEA))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([BOAT, SEA]),
        repr([BOAT, SEA]),
        json.dumps({"questions": [BOAT, SEA]}),
        json.dumps({"qa": {"items": [BOAT, SEA]}}),
        json.dumps({"1": BOAT, "2": SEA}),
        f"{json.dumps(BOAT)}\n{json.dumps(SEA)}",
        f"Sure:\n```json\n{json.dumps([BOAT, SEA], indent=1)}\n```",
        f"1. {BOAT}\n2. {SEA}",
        f"<think>{BOAT}{BOAT}</think>{[BOAT, SEA]}",
    ],
)
def test_list_reply(text: str) -> None:
    reply = read_list_reply(text, "stop", 20)
    assert (reply.state, reply.items, reply.problems, reply.reason) == ("done", ITEMS, (), "")


def test_malformed_questions_are_reported_beside_the_good_ones() -> None:
    bad = [{"question": "?"}, {"question": "", "answer": "x"}, {"question": "Is it?", "answer": True}]
    reply = read_list_reply(json.dumps([BOAT, *bad, SEA]))
    assert (reply.state, reply.items) == ("done", ITEMS)
    assert reply.problems == (
        "object 2: answer is missing",
        "object 3: question is empty",
        "object 4: answer is not a text",
    )


def test_an_unreadable_object_is_reported() -> None:
    reply = read_list_reply(f"[{json.dumps(BOAT)}, {{question; answer}}, {json.dumps(SEA)}]")
    assert reply.items == ITEMS
    assert len(reply.problems) == 1
    assert reply.problems[0].startswith("cannot be read: {question; answer}")


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_list_that_was_cut_off_keeps_its_complete_questions(wrapped: bool) -> None:
    whole = json.dumps({"questions": [BOAT, SEA, BOAT]} if wrapped else [BOAT, SEA, BOAT])
    reply = read_list_reply(whole[:-20], "length")
    assert (reply.state, reply.items) == ("done", ITEMS)
    assert reply.problems == ("the reply was cut off after 2 questions",)


def test_numbers_are_answers_and_the_category_may_be_absent() -> None:
    reply = read_list_reply('[{"question": "How many?", "answer": 2}]')
    assert reply.items == (QaItem("How many?", "2", ""),)


def test_the_limit_is_kept_and_told() -> None:
    reply = read_list_reply(json.dumps([BOAT, SEA, BOAT, BOAT]), "stop", 2)
    assert reply.items == ITEMS
    assert reply.problems == ("2 questions beyond the limit of 2 were left out",)


@pytest.mark.parametrize(
    ("text", "finish_reason", "words"),
    [
        ("", "stop", "empty"),
        ("I have no questions.", "stop", "no list"),
        ("[]", "stop", "no list"),
        ('[{"question": "What', "length", "cut off after 0"),
        ('[{"q": "x", "a": "y"}]', "stop", "question is missing"),
    ],
)
def test_list_reply_that_cannot_be_read(text: str, finish_reason: str, words: str) -> None:
    reply = read_list_reply(text, finish_reason)
    assert (reply.state, reply.items) == ("unparsed", ())
    assert words in reply.reason


# --- frames -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "captions"),
    [
        ("<Frame 1>: a\n<Frame 2>: b", ("a", "b")),
        ("<Frame 1>: a <Frame 2>: b", ("a", "b")),
        ("<frame 1>:a\n\n< Frame 2 > : b", ("a", "b")),
        ("**<Frame 1>**: a\n**<Frame 2>:** b", ("a", "b")),
        ("Sure!\n\n<Frame 1>: a\n<Frame 2>: b", ("a", "b")),
        ("<Frame 2>: b\n<Frame 1>: a", ("a", "b")),
        ("<Frame 1> a\n<Frame 2> b", ("a", "b")),
        ("<Frame 1>: *soft* a\n**<Frame 2>**: **hard** b*", ("*soft* a", "**hard** b*")),
        ("<Frame 1>: *a*<Frame 2>: b", ("*a*", "b")),
        ("Frame 1: a\nFrame 2: b", ("a", "b")),
        ("**Frame 1:** a\n**Frame 2:** b", ("a", "b")),
        ("<Frame 1>: 3 > 2 * 1, *soft*\n<Frame 2>: x -> y", ("3 > 2 * 1, *soft*", "x -> y")),
        (
            "<Frame 1>: a\nsecond line\n<Frame 2>: unlike <Frame 1>, b",
            ("a\nsecond line", "unlike <Frame 1>, b"),
        ),
        ("<think><Frame 1>: draft</think><Frame 1>: a\n<Frame 2>: b", ("a", "b")),
    ],
)
def test_frame_captions(text: str, captions: tuple[str, ...]) -> None:
    reply = read_frame_captions(text, 2)
    assert (reply.state, reply.captions, reply.reason) == ("done", captions, "")


@pytest.mark.parametrize("n", [1, 6, 9, 10, 12, 100])
def test_any_number_of_frames(n: int) -> None:
    text = "\n".join(f"<Frame {i}>: the {i}. step: 10% > 5%" for i in range(1, n + 1))
    assert read_frame_captions(text, n).captions == tuple(f"the {i}. step: 10% > 5%" for i in range(1, n + 1))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("A hand cuts an apple.", "no frame captions"),
        ("<Frame 1>: a", "1 of 2 frames have no caption, first frame 2"),
        ("<Frame 2>: b", "first frame 1"),
        ("<Frame 0>: a\n<Frame 1>: b", "first frame 2"),
        ("<Frame 1>: a\n<Frame 2>: b\n<Frame 3>: c", "frame 3, but only 2 frames were given"),
        ("<Frame 1>: a\n<Frame 2>: b\n<Frame 2>: c", "frame 2 has two captions"),
        ("<Frame 1>: a\n<Frame 2>:", "frame 2 is empty"),
        ("<Frame 1>: Your description\n<Frame 2>: Your description", "frame 1 is empty"),
    ],
)
def test_frame_captions_that_cannot_be_read(text: str, words: str) -> None:
    reply = read_frame_captions(text, 2)
    assert (reply.state, reply.captions) == ("unparsed", ())
    assert words in reply.reason


def test_a_caption_that_was_cut_off_is_not_a_caption() -> None:
    reply = read_frame_captions("<Frame 1>: a\n<Frame 2>: the hand hol", 2, "length")
    assert (reply.state, reply.reason) == ("unparsed", "the reply was cut off in the caption of frame 2")


# --- letters ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("A", "A"),
        ("b", "B"),
        ("C.", "C"),
        ("(B)", "B"),
        ("**A**", "A"),
        ("`C`", "C"),
        ("\\boxed{B}", "B"),
        ("Answer: A", "A"),
        ("answer: **B**", "B"),
        ("The answer is C.", "C"),
        ("The correct option is (B).", "B"),
        ("Best option: (A) the red car", "A"),
        ("Best option:(C", "C"),
        ("Option B", "B"),
        ("A. Action Progression: The action has advanced.", "A"),
        ("B. No Action Progression: a hand moved, A stays.", "B"),
        ("(C) Uncertain", "C"),
        ("B\n\nThe knife moved but the action is the same.", "B"),
        ('{"answer": "C"}', "C"),
        ("<think>It could be A. Answer: A</think>\nB", "B"),
        ("Both show the same cut.\n\nAnswer: B", "B"),
        ("A person cuts.\nAnswer: C", "C"),
        ("Answer: A is correct", "A"),
    ],
)
def test_letter(text: str, letter: str) -> None:
    reply = read_letter(text, "ABC")
    assert (reply.state, reply.letter, reply.reason) == ("done", letter, "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("D", "D is not one of A, B, C"),
        ("Answer: E", "E is not one of"),
        ("A or B", "no choice"),
        ("The answer is A or B", "chooses A and B"),
        ("Answer: A/B", "chooses A and B"),
        ("A. yes\nB. no\nC. unsure", "chooses A and B and C"),
        ("Answer: A\nAnswer: C", "chooses A and C"),
        ("A person walks past.", "no choice"),
        ("The answer is A person who walks", "no choice"),
        ("There is progression.", "no choice"),
        ("None of the above", "no choice"),
    ],
)
def test_letter_that_cannot_be_read(text: str, words: str) -> None:
    reply = read_letter(text, "ABC")
    assert (reply.state, reply.letter) == ("unparsed", "")
    assert words in reply.reason


def test_letters_of_caption_matching() -> None:
    assert read_letter("F", ["A", "B", "C", "D", "E", "F"]).letter == "F"
    assert read_letter("F", ["A", "B"]).state == "unparsed"


# --- none of them raises ----------------------------------------------------------------


def test_cuts_and_noise_never_raise() -> None:
    rng = random.Random(8)
    seeds = [json.dumps(SCRIPT), json.dumps([BOAT, SEA]), "<Frame 1>: a\n<Frame 2>: b", "Answer: (B)"]
    for _ in range(1500):
        text = rng.choice(seeds)
        text = text[: rng.randint(0, len(text))] + rng.randbytes(rng.randint(0, 30)).decode(
            "utf-8", "replace"
        )
        text += rng.choice(seeds)[rng.randint(0, 10) :]
        finish_reason = rng.choice(["stop", "length"])
        assert read_json_reply(text, SCRIPT_FIELDS, finish_reason)[0] in ("done", "unparsed")
        assert read_list_reply(text, finish_reason).state in ("done", "unparsed")
        assert read_frame_captions(text, 2, finish_reason).state in ("done", "unparsed")
        assert read_letter(text, "ABC", finish_reason).state in ("done", "unparsed")

"""The spatial/temporal split: what is sent, how it is read, how sentences are lined up."""

from __future__ import annotations

import json

import pytest

from annotation.prompts.prompt_files import load_prompts
from annotation.systems.carebench import split_requests
from backends.protocols import ChatReply
from backends.text.sentences import sentences

PROMPTS = load_prompts()


def reply(text: str) -> ChatReply:
    return ChatReply(text=text, finish_reason="stop", seconds=0.1)


def texts(text: str) -> list[str]:
    found = sentences(text)
    assert all(text[clause.start : clause.end] == clause.text for clause in found)
    return [clause.text for clause in found]


def test_the_full_caption_is_in_the_request() -> None:
    asked = split_requests.split_request(PROMPTS, "A man {spatial} runs.")
    assert "A man {spatial} runs." in asked.user[0].text
    assert asked.stage == "split" and asked.facts == {"full": "A man {spatial} runs."}
    assert asked.schema is not None and asked.schema["required"] == ["spatial", "temporal"]


@pytest.mark.parametrize(
    ("value", "state", "spatial", "temporal"),
    [
        ({"spatial": " A room. ", "temporal": "He walks."}, "done", "A room.", "He walks."),
        ({"spatial": "A room.", "temporal": "None."}, "done", "A room.", ""),
        ({"spatial": "none", "temporal": "None."}, "unparsed", "", ""),
        ({"spatial": "A room."}, "unparsed", "", ""),
    ],
)
def test_splits(value: dict[str, str], state: str, spatial: str, temporal: str) -> None:
    reading = split_requests.read_split(reply(f"```json\n{json.dumps(value)}\n```"))
    assert (reading.state, reading.spatial, reading.temporal) == (state, spatial, temporal)
    assert bool(reading.reason) == (state != "done")


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. Lee meets Mr. J. Smith. They talk.", ["Dr. Lee meets Mr. J. Smith.", "They talk."]),
        ("It is 3.5 m long, e.g. a bus. It stops.", ["It is 3.5 m long, e.g. a bus.", "It stops."]),
        ("He eats apples, pears, etc. and leaves.", ["He eats apples, pears, etc. and leaves."]),
        ("He eats apples, pears, etc. Then he leaves.", ["He eats apples, pears, etc.", "Then he leaves."]),
        ("She runs at 5 p.m. Then she rests.", ["She runs at 5 p.m.", "Then she rests."]),
        ('He says "Stop. Now!" and leaves. She stays.', ['He says "Stop. Now!" and leaves.', "She stays."]),
        ('He says "Stop." Then he leaves.', ['He says "Stop."', "Then he leaves."]),
        ("She asks: “Why?” Nobody answers.", ["She asks: “Why?”", "Nobody answers."]),
        ("Wait… he stops. (He is tired.) End.", ["Wait… he stops.", "(He is tired.)", "End."]),
        ("一只狗。它跑！", ["一只狗。", "它跑！"]),
        ("First part\n\nSecond part", ["First part", "Second part"]),
        ("Parts:\n- one\n- two", ["Parts:", "- one", "- two"]),
        ("A line that\nwraps. Next.", ["A line that\nwraps.", "Next."]),
        ("  \n ", []),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert texts(text) == sentences


FULL = (
    "This video shows two men sparring with swords. The man on the left wears black boots. The man on the "
    "right wears white boots. The left man attacks first and the right man blocks the blade. Swords hang "
    "on the wall."
)


def aligned(part: str) -> list[tuple[int, int]]:
    return split_requests.align(sentences(FULL), sentences(part))


def test_sentences_line_up_with_their_source() -> None:
    assert aligned("The man on the left wears black boots. Swords hang on the wall.") == [(1, 0), (4, 1)]
    assert aligned("Two men spar with swords. The left man attacks. The right man blocks.") == [
        (0, 0),
        (3, 1),
        (3, 2),
    ]
    assert aligned(FULL) == [(i, i) for i in range(5)]


def test_an_invented_sentence_is_in_no_pair() -> None:
    assert aligned("A helicopter explodes above the harbour. White boots on the right man.") == [(2, 1)]
    assert aligned("") == []
    assert split_requests.align([], sentences("A man.")) == []

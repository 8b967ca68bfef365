"""Vriptor's text: headings, voice-over of scenes, read back."""

from __future__ import annotations

import pytest

from annotation.pipeline.reply_kinds import read_reply
from annotation.systems.vript.vriptor_script import (
    ScriptScene,
    Spoken,
    lines_of_scenes,
    read_duration,
    read_script_text,
    read_voice,
    script_text,
    spans,
)
from backends.text.text_length import text_length

FIRST = ScriptScene("Playful Encounter", "A dog runs.\n\nIt barks.", 5.2)
SILENT = ScriptScene("A [wet] meadow", "Grass.", 7.3)
LAST = ScriptScene("Home: (the end)", "A narrator speaks of home.", 4.5)
SCENES = (FIRST, SILENT, LAST)
OF_STAGE_1 = """[Scene 1: Playful Encounter](Duration: [0.0, 5.2])
A dog runs.

It barks.

[Scene 2: A [wet] meadow](Duration: [5.2, 12.5])
Grass.

[Scene 3: Home: (the end)](Duration: [12.5, 17.0])
A narrator speaks of home.

"""
"""As the authors' first stage has it: without the number of scenes and the whole duration."""


def test_headings() -> None:
    text = script_text(SCENES)
    assert text.startswith(
        "[Scene 1/3: Playful Encounter](Duration: [0.0, 5.2]/17.0s)\nA dog runs.\n\nIt barks.\n\n"
    )
    assert "[Scene 3/3: Home: (the end)](Duration: [12.5, 17.0]/17.0s)\n" in text


@pytest.mark.parametrize("text", [OF_STAGE_1, script_text(SCENES)])
def test_a_script_reads_back_into_its_scenes(text: str) -> None:
    found = read_script_text(text)
    assert found.problems == ()
    assert [(s.number, s.title, s.content, s.end_s) for s in found.scenes] == [
        (1, "Playful Encounter", "A dog runs.\n\nIt barks.", 5.2),
        (2, "A [wet] meadow", "Grass.", 12.5),
        (3, "Home: (the end)", "A narrator speaks of home.", 17.0),
    ]


def test_voice_over_of_an_instruction_goes_to_its_scenes() -> None:
    asked = (
        'Voiceover:"[0.5, 4.0] Look at this.\n[13.5, 14.5] So we went home.\n". Based on the video and '
        "voiceover, describe the video scene by scene in detail (Duration: [0.0, 17.0]s, Sampling Rate: "
        "0.27s/frame)."
    )
    edges = [(float(a), float(b)) for a, b in spans(SCENES)]
    assert lines_of_scenes(read_voice(asked), edges) == [
        [Spoken(0.5, 4.0, "Look at this.")],
        [],
        [Spoken(1.0, 2.0, "So we went home.")],
    ]
    assert read_duration(asked) == 17.0


@pytest.mark.parametrize(
    ("text", "scenes", "problem"),
    [
        ("A dog.", 0, "no heading"),
        ("Sure!\n[Scene 1: A](Duration: [0.0, 1.0])\nx", 1, "before the first heading"),
        ("[Scene 1/2: A](Duration: [0.0, 1.2.3]/4.0s)\nx", 0, "are not valid times"),
        ("[Scene 2/2: A](Duration: [0.0, 1.0]/4.0s)\nx", 1, "numbered 2"),
        ("[Scene 1/3: A](Duration: [0.0, 1.0]/4.0s)\nx", 1, "headings say 3"),
        ("[Scene 1: A](Duration: [3.0, 1.0])\nx", 1, "ends before it starts"),
        (
            "[Scene 1: A](Duration: [0.0, 9.0])\nx\n[Scene 2: B](Duration: [4.0, 5.0])\ny",
            2,
            "before the scene",
        ),
    ],
)
def test_what_is_odd_in_a_script_is_told(text: str, scenes: int, problem: str) -> None:
    found = read_script_text(text)
    assert len(found.scenes) == scenes and any(problem in one for one in found.problems)


def test_replies_of_vriptor_are_read_as_scripts() -> None:
    found = read_reply("script", {"reply": script_text(SCENES)})
    assert (found["state"], len(found["scenes"]), found["scenes"][1]["title"]) == (
        "done",
        3,
        "A [wet] meadow",
    )
    assert read_reply("script", {"reply": "no script"})["state"] == "unparsed"


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", "0 words"),
        ("  a b\nc ", "3 words"),
        ("one", "1 word"),
        ("中景镜头，固定机位。", "8 characters"),
        ("カメラが動く", "6 characters"),
        ("กล้องนิ่ง", "6 characters"),
        ("iPhone の箱", "3 characters"),
        ("the word 漢 in a text", "6 words"),
        ("한국어 문장 입니다", "3 words"),
        ("Ünïcödé wörds", "2 words"),
    ],
)
def test_texts_without_spaces_are_counted_in_characters(text: str, length: str) -> None:
    assert str(text_length(text)) == length

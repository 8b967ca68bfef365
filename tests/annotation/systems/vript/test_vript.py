"""The scene script: where frames are taken, what is sent, how replies are read."""

from __future__ import annotations

import json

import pytest

from annotation.prompts.prompt_files import load_prompts
from annotation.records.allowed_values import SCRIPT_FIELDS
from annotation.records.speech_of_scene import voice_over
from annotation.systems.vript import script_requests
from backends.protocols import ChatReply, ChatRequest

PROMPTS = load_prompts()
FIELDS = {
    "shot_type": "Medium shot.",
    "camera_movement": "Static.",
    "content": "A man speaks.",
    "scene_title": "Talk",
}


def reply(text: str, finish_reason: str = "stop") -> ChatReply:
    return ChatReply(text=text, finish_reason=finish_reason, seconds=0.1)


def request(title: str = "My bag", voice_over: str = "Hey guys", on_screen: str = "") -> ChatRequest:
    return script_requests.script_request(
        PROMPTS,
        title=title,
        voice_over=voice_over,
        on_screen=on_screen,
        pictures=[b"a", b"b", b"c"],
        frames=(3, 9, 14),
        facts={"scene": {"index": 0, "of": 2}},
    )


@pytest.mark.parametrize(
    ("duration_s", "positions"),
    [
        (0.0, (0.2, 0.5, 0.8)),
        (5.99, (0.2, 0.5, 0.8)),
        (6.0, (0.15, 0.4, 0.6, 0.85)),
        (29.99, (0.15, 0.4, 0.6, 0.85)),
        (30.0, (0.15, 0.3, 0.5, 0.7, 0.85)),
        (900.0, (0.15, 0.3, 0.5, 0.7, 0.85)),
    ],
)
def test_frames_by_duration(duration_s: float, positions: tuple[float, ...]) -> None:
    assert script_requests.frame_positions(duration_s) == positions


def test_the_frames_come_first_then_the_voice_over() -> None:
    asked = request()
    assert [part.jpeg for part in asked.user[:3]] == [b"a", b"b", b"c"]
    assert len(asked.user) == 4
    text = asked.user[3].text
    assert text.startswith(
        'Voice-over:"Hey guys"\n'
        'Based on the voice-over and successive frames from the video titled "My bag" above, '
        "please describe:\n"
    )
    assert asked.stage == "script" and asked.frames == (3, 9, 14)
    assert asked.facts["scene"] == {"index": 0, "of": 2} and asked.facts["voice_over"] == "Hey guys"


def test_text_on_screen_stands_after_the_voice_over_on_one_line() -> None:
    text = request(on_screen="EXIT\nPlatform 9").user[-1].text
    wanted = 'Voice-over:"Hey guys"\nText on screen:"EXIT / Platform 9"\nBased on the voice-over and'
    assert text.startswith(wanted)


def test_a_silent_scene_and_a_video_without_title_leave_the_words_out() -> None:
    text = request(title="", voice_over="").user[-1].text
    assert text.startswith("Based on the successive frames above, please describe:\n")
    assert "oice-over" not in text and "titled" not in text


def test_braces_in_speech_stay_as_they_were_said() -> None:
    text = request(voice_over="use {title} and {x}").user[-1].text
    assert 'Voice-over:"use {title} and {x}"' in text


def test_the_schema_asks_for_the_four_fields() -> None:
    schema = request().schema
    assert schema is not None and list(schema["properties"]) == list(SCRIPT_FIELDS) == schema["required"]
    assert [script_requests.WORD_LIMITS[name] for name in SCRIPT_FIELDS] == [15, 15, 150, 10]
    text = request().user[-1].text
    for name, limit in (("shot type", 15), ("camera movement", 15)):
        assert f"the {name} ({limit} words)" in text


def test_a_script_is_read_in_a_code_fence() -> None:
    reading = script_requests.read_script(reply(f"Sure!\n```json\n{json.dumps(FIELDS)}\n```"))
    assert (reading.state, dict(reading.fields), reading.reason) == ("done", FIELDS, "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot help with that.",
        json.dumps(FIELDS | {"content": " "}),
        json.dumps({"shot_type": "Wide"}),
    ],
)
def test_what_is_no_script_is_unparsed(text: str) -> None:
    reading = script_requests.read_script(reply(text))
    assert reading.state == "unparsed" and reading.reason


def test_a_script_that_was_cut_off_is_unparsed() -> None:
    assert script_requests.read_script(reply(json.dumps(FIELDS)[:-9], "length")).state == "unparsed"


def test_speech_belongs_to_the_scene_that_holds_its_middle() -> None:
    segments = [
        (0.0, 2.0, " One "),
        (1.0, 3.2, "two"),
        (4.0, 6.0, ""),
        (3.0, 5.0, "three"),
        (9.0, 9.4, "late"),
    ]
    scenes = [(0.0, 2.0), (2.0, 4.0), (4.0, 6.0)]
    assert [voice_over(segments, a, b) for a, b in scenes] == ["One", "two", "three"]
    assert voice_over([], 0, 10) == ""

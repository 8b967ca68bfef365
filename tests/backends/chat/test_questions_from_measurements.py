"""Questions of the embedded engine without a reference: about clear measurements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from annotation.records.allowed_values import VDC_ASPECTS
from annotation.systems.vdc import requests as vdc
from backends.chat.baseline_rules.answers import NOT_MENTIONED
from tests.backends.chat.test_baseline import CHAT, MEASURED, PROMPTS, VIDEO, answer, caption, verdict

MOVING = MEASURED["moving_object"] | {"start": [0.2, 0.8], "end": [0.5, 0.5]}
MEASURED_VIDEO: Mapping[str, Any] = {
    **VIDEO,
    "scenes": [
        VIDEO["scenes"][0] | {"measurements": {**MEASURED, "moving_object": MOVING}},
        *VIDEO["scenes"][1:],
    ],
}


def asked_of(aspect: Any, video: Mapping[str, Any]) -> dict[str, str]:
    """Questions and answers."""
    request = vdc.questions_request(PROMPTS, aspect, "In scene 1 ...", 20, {"video": video})
    return {item.question: item.answer for item in vdc.read_questions(CHAT.complete(request)).items}


def test_what_was_measured_is_asked_aspect_by_aspect() -> None:
    """At most ten questions, each answered by the caption of its aspect."""
    asked = {aspect: asked_of(aspect, MEASURED_VIDEO) for aspect in VDC_ASPECTS}
    assert asked["camera"] == {
        "What does the camera do in scene 1, from 0.0 s to 4.0 s?": "pans left",
        "What does the camera do in scenes 2 to 3, from 4.0 s to 12.0 s?": "stays still",
    }
    assert asked["short"] == {"What is said?": "Welcome 'all' of you"}
    assert asked["background"] == {}, "the camera pans over several pictures"
    assert asked["main_object"] == {
        "In which direction does the main moving object go in scene 1, from 0.0 s to 4.0 s?": (
            "up and to the right"
        )
    }
    assert asked["detailed"] == {"In which scene does the camera pan left?": "scene 1, from 0.0 s to 4.0 s"}
    all_are_answered(asked, MEASURED_VIDEO)


def all_are_answered(asked: Mapping[Any, Mapping[str, str]], video: Mapping[str, Any]) -> None:
    """Answers by the caption of the question's aspect."""
    for aspect, rows in asked.items():
        for question, expected in rows.items():
            given = answer(caption(aspect, video), question)
            assert verdict(question, expected, given)[0] == "yes", (question, given)


def test_a_colour_is_asked_where_the_camera_stays_still() -> None:
    """With a moving camera, a scene begins and ends in different colours."""
    still = MEASURED | {"camera_motion": {"label": "static", "confidence": 0.9}}
    scenes = [VIDEO["scenes"][0] | {"measurements": still}, *VIDEO["scenes"][1:]]
    asked = {aspect: asked_of(aspect, {**VIDEO, "scenes": scenes}) for aspect in ("background", "detailed")}
    assert asked["background"] == {"Which color dominates in scene 1, from 0.0 s to 4.0 s?": "orange"}
    assert asked["detailed"]["Which scene is dominated by orange?"] == "scene 1, from 0.0 s to 4.0 s"
    all_are_answered(asked, {**VIDEO, "scenes": scenes})
    other = {"palette": {"colours": [{"name": "blue", "share": 0.4}, {"name": "orange", "share": 0.35}]}}
    scenes[2] = scenes[2] | {"measurements": {**still, **other}}
    beside = asked_of("detailed", {**VIDEO, "scenes": scenes})
    assert "Which scene is dominated by orange?" not in beside, "another scene has it too"


@pytest.mark.parametrize(
    "unclear",
    [
        {"camera_motion": {"label": "pan_left", "confidence": 0.5}},
        {"camera_motion": {"label": "mixed", "confidence": 0.9}},
        {"palette": {"colours": [{"name": "red", "share": 0.4}, {"name": "blue", "share": 0.35}]}},
        {"moving_object": MOVING | {"seen": 0.3}},
        {"moving_object": MOVING | {"end": [0.21, 0.8]}},
        {"moving_object": {"present": True}},
    ],
)
def test_what_was_not_measured_clearly_is_not_asked(unclear: Mapping[str, Any]) -> None:
    scene = {"index": 0, "start_s": 0.0, "end_s": 4.0, "voice_over": "", "measurements": unclear}
    video = {"duration_s": 4.0, "scenes": [scene]}
    assert [asked_of(aspect, video) for aspect in VDC_ASPECTS] == [{}] * len(VDC_ASPECTS)


def test_how_speech_begins_is_asked_and_found_in_the_caption() -> None:
    words = "And so my fellow Americans, ask not what your country can do for you today."
    scenes = [{**scene, "voice_over": words} for scene in VIDEO["scenes"]]
    video = {**VIDEO, "scenes": scenes}
    begin = "And so my fellow Americans, ask not what your country can do"
    assert asked_of("short", video)["With which words does the voice begin?"] == begin
    for aspect, question in (
        ("short", "With which words does the voice begin?"),
        ("detailed", "With which words does the voice in scenes 2 to 3, from 4.0 s to 12.0 s begin?"),
    ):
        assert asked_of(aspect, video)[question] == begin
        assert answer(caption(aspect, video), question) == begin


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("clean rooms in the world at NASA.", "Welcome to the show."),
        ("Welcome to the show.", "clean rooms in the world at NASA."),
        ("This is the largest", "Clean rooms in the world."),
        ("Thank you. Thank you. Who is my fit?", "Thank you. Thank you. Who is my fit?"),
        ("La la la la la la.", "La la la la la la."),
        ("Okay.", "Okay."),
    ],
    ids=[
        "starts in a sentence",
        "goes on in a sentence",
        "ends in a sentence",
        "repeats",
        "babble",
        "one word",
    ],
)
def test_speech_that_says_nothing_is_not_asked(first: str, last: str) -> None:
    """Of two scenes, a question is asked only about one whose speech starts a sentence."""
    scenes = [
        scene | {"voice_over": words} for scene, words in zip(VIDEO["scenes"][:2], (first, last), strict=True)
    ]
    asked = [asked_of(aspect, {**VIDEO, "scenes": scenes}) for aspect in ("short", "detailed")]
    answers = {a for rows in asked for q, a in rows.items() if "voice" in q or "said" in q}
    assert answers == {
        "clean rooms in the world at NASA.": {"Welcome to the show."},
        "Welcome to the show.": {"Welcome to the show."},
        "This is the largest": {"This is the largest"},
    }.get(first, set())


def with_texts(*texts: str) -> Mapping[str, Any]:
    """A line break between two lines of text in one picture."""
    shown = zip(VIDEO["scenes"], texts, strict=True)
    return {**VIDEO, "scenes": [{**scene, "voice_over": "", "on_screen": text} for scene, text in shown]}


def test_text_on_the_screen_is_told_asked_and_found() -> None:
    video = with_texts("The boat\nby Ann", "", "THANKS FOR WATCHING")
    told = 'In scene 3, from 8.0 s to 12.0 s, the picture reads: "THANKS FOR WATCHING".'
    assert told in caption("detailed", video)
    told = 'In scene 1, from 0.0 s to 4.0 s, the picture reads: "The boat / by Ann". A video of'
    assert caption("short", video).startswith(told)
    asked = {aspect: asked_of(aspect, video) for aspect in ("short", "detailed")}
    first = "Which text is shown on the screen in scene 1, from 0.0 s to 4.0 s?"
    assert asked["short"][first] == "The boat / by Ann"
    last = "Which text is shown on the screen in scene 3, from 8.0 s to 12.0 s?"
    assert asked["detailed"][last] == "THANKS FOR WATCHING"
    all_are_answered(asked, video)
    assert answer(caption("detailed", video), "What is said?") == NOT_MENTIONED
    alone = with_texts("The boat", "", "The boat")
    assert asked_of("short", alone) == {first: "The boat"}
    assert "Which text" not in "".join(asked_of("detailed", alone))


@pytest.mark.parametrize("text", ["3:41", "IIO", "\n".join("abcd"), "\n".join(["five words in a row"] * 3)])
def test_text_that_nobody_would_ask_about_is_not_asked(text: str) -> None:
    asked = [asked_of(aspect, with_texts(text, "", "")) for aspect in VDC_ASPECTS]
    assert not any("text" in question for rows in asked for question in rows)


def test_a_quote_in_a_reference_is_asked_as_what_it_is() -> None:
    for said, question in (
        ('A sign on the door reads "Back at ten".', "Which text is shown on the screen?"),
        ('A man says: "Back at ten".', "What is said?"),
    ):
        request = vdc.questions_request(PROMPTS, "detailed", said)
        [item] = vdc.read_questions(CHAT.complete(request)).items
        assert (item.question, item.answer) == (question, "Back at ten")
        assert answer(said, question) == "Back at ten"


def test_speech_that_the_model_doubts_is_not_asked() -> None:
    scenes = [scene | {"voice_over": "Who is my fit to you?"} for scene in VIDEO["scenes"][:1]]
    asked = {
        doubted: asked_of("short", {**VIDEO, "scenes": [s | {"voice_doubted": doubted} for s in scenes]})
        for doubted in (False, True)
    }
    assert asked == {False: {"What is said?": "Who is my fit to you?"}, True: {}}


def test_a_color_of_most_of_the_video_has_more_than_half_of_its_time() -> None:
    def video(*shares: float) -> Mapping[str, Any]:
        """Scenes of 4 s; with a share below 0.5 no color clearly dominates."""
        return {
            "duration_s": 4.0 * len(shares),
            "scenes": [
                {
                    "index": n,
                    "start_s": 4.0 * n,
                    "end_s": 4.0 * n + 4,
                    "voice_over": "",
                    "measurements": {
                        "palette": {
                            "colours": [{"name": "red", "share": share}, {"name": "blue", "share": 0.45}]
                        }
                    },
                }
                for n, share in enumerate(shares)
            ],
        }

    assert asked_of("short", video(0.9, 0.9, 0.4)) == {"Which color dominates most of the video?": "red"}
    assert asked_of("short", video(0.9, 0.5)) == {}

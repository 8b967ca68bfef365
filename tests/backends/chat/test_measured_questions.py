"""What the embedded engine asks where there is no reference: from what was measured clearly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from annotation.records.allowed_values import VDC_ASPECTS
from annotation.systems.vdc import requests as vdc
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
    """Ten questions at most, each answered by the caption of its own aspect."""
    asked = {aspect: asked_of(aspect, MEASURED_VIDEO) for aspect in VDC_ASPECTS}
    assert asked["camera"] == {
        "What does the camera do in scene 1, from 0.0 s to 4.0 s?": "pans left",
        "What does the camera do in scenes 2 to 3, from 4.0 s to 12.0 s?": "stays still",
    }
    assert asked["short"] == {
        "What is said?": "Welcome 'all' of you",
        "Which color dominates most of the video?": "orange",
    }
    assert asked["background"] == {"Which color dominates in scene 1, from 0.0 s to 4.0 s?": "orange"}
    assert asked["main_object"] == {
        "In which direction does the main moving object go in scene 1, from 0.0 s to 4.0 s?": (
            "up and to the right"
        )
    }
    assert asked["detailed"] == {
        "In which scene does the camera pan left?": "scene 1",
        "Which scene is dominated by orange?": "scene 1",
    }
    for aspect, rows in asked.items():
        for question, expected in rows.items():
            given = answer(caption(aspect, MEASURED_VIDEO), question)
            assert verdict(question, expected, given)[0] == "yes", (question, given)


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

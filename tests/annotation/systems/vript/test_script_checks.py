"""Checks of scripts: what each finds, and what it leaves alone."""

from __future__ import annotations

import pytest

from annotation.systems.vript.script_checks import (
    CheckedScene,
    Label,
    ScriptFinding,
    check_script,
    check_text,
    shot_scales,
)


def checks(*scenes: CheckedScene) -> list[tuple[str, int, str]]:
    return [(one.check, one.number, one.aspect) for one in check_script(scenes)]


def spoken_of(text: str, name: str = "content") -> list[tuple[str, str]]:
    found = check_text(1, name, text)
    return [(one.check, text[one.start : one.end] if one.start is not None else "") for one in found]


@pytest.mark.parametrize(
    ("name", "limit"), [("shot_type", 15), ("camera_movement", 15), ("content", 150), ("scene_title", 10)]
)
def test_the_limits_of_the_prompt(name: str, limit: int) -> None:
    assert spoken_of("word " * limit, name) == []
    assert spoken_of("word " * (limit + 1), name) == [("too_long", "")]
    assert spoken_of("字" * limit, name) == [] and spoken_of("字" * (limit + 1), name) == [("too_long", "")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("In the first frame, a man sits.", "In the first frame"),
        ("The frames show a dog.", "The frames"),
        ("He smiles across the frames.", "the frames"),
        ("Each frame has a tree.", "Each frame"),
        ("By the final frame he is gone.", "By the final frame"),
        ("Frame 3 is dark.", "Frame 3"),
        ("A sequence of images of a boat.", "sequence of images"),
        ("A man enters the frame.", ""),
        ("The frame is filled with water.", ""),
        ("A picture frame hangs on the wall; window frames are white.", ""),
        ("Framed by trees, she runs from left to right of the frame.", ""),
        ("The first images of spring are shown.", ""),
    ],
)
def test_frames_told_apart(text: str, words: str) -> None:
    assert spoken_of(text) == ([("frame_wording", words)] if words else [])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A woman, whose face is not described, waves.", "face is not described"),
        ("I'm sorry, but this shows a man.", "I'm sorry"),
        ("I can't help with that.", "I can't help"),
        ("I cannot identify the people here.", "I cannot identify"),
        ("As an AI, I see a room.", "As an AI"),
        ("Their identities cannot be disclosed.", "identities cannot be disclosed"),
        ("A man whose face is not visible turns away.", ""),
        ("His face is described by a narrator.", ""),
        ("She says that she can't see the sea.", ""),
        ("“I can't believe it”, he says.", ""),
    ],
)
def test_refusals(text: str, words: str) -> None:
    assert spoken_of(text) == ([("refusal", words)] if words else [])


def test_camera_and_shot_against_the_measurement() -> None:
    texts = {"camera_movement": "The camera stays still.", "shot_type": "Close-up of a leaf."}
    sure = CheckedScene(number=4, texts=texts, camera=Label("pan_left", 0.9), scale=Label("wide", 0.4))
    assert checks(sure) == [("camera_measured", 4, "camera_movement"), ("shot_measured", 4, "shot_type")]
    unsure = CheckedScene(number=4, texts=texts, camera=Label("pan_left", 0.2), scale=Label("wide", 0.2))
    assert checks(unsure) == []
    near = CheckedScene(number=1, texts=texts, camera=Label("static", 0.9), scale=Label("medium", 0.9))
    assert checks(near) == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Medium close-up of a man", {"medium", "close-up"}),
        ("Wide-angle close-up", {"close-up"}),
        ("Long shot, eye level", {"wide"}),
        ("An establishing aerial view", {"wide"}),
        ("Over the shoulder", set()),
    ],
)
def test_named_shot_scales(text: str, named: set[str]) -> None:
    assert shot_scales(text) == named


def test_a_language_that_flips_and_speech_beyond_its_clip() -> None:
    scenes = [CheckedScene(number=n, language=lang) for n, lang in enumerate(("en", "pt", "pt", "", "pt"), 1)]
    assert checks(*scenes) == [("language_flip", 1, "speech")]
    assert checks(*scenes[:2]) == [], "one against one tells nothing"
    [found] = check_script([CheckedScene(number=2, beyond=3)])
    assert found == ScriptFinding(
        "speech_outside", 2, "speech", "3 stretches of speech ended after the clip and was clamped"
    )

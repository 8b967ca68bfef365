"""The embedded engine: requests, replies and parsing of every stage, and limits of its claims."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from annotation.prompts.prompt_files import load_prompts
from annotation.records.allowed_values import SCRIPT_FIELDS, VDC_ASPECTS
from annotation.systems.carebench import split_requests
from annotation.systems.progress_captioner import requests as progress_captioner
from annotation.systems.vdc import requests as vdc
from annotation.systems.vript import script_requests
from backends.chat.baseline import PROGRESSED, UNCHANGED, BaselineChat
from backends.chat.baseline_rules.answers import NOT_MENTIONED
from backends.errors import RequestRefused
from backends.protocols import ChatModel, ChatReply, ChatRequest, Part

PROMPTS = load_prompts()
CHAT: ChatModel = BaselineChat()

MEASURED: Mapping[str, Any] = {
    "camera_motion": {
        "label": "pan_left",
        "dx_per_s": 0.1,
        "dy_per_s": 0.0,
        "zoom_per_s": 0.0,
        "confidence": 0.9,
    },
    "shot_scale": {"label": "wide", "confidence": 0.7},
    "brightness": {"mean": 0.8, "label": "bright", "fade_in": True, "fade_out": False},
    "palette": {
        "colours": [
            {"name": "orange", "hex": "#e07820", "share": 0.5},
            {"name": "dark grey", "hex": "#3c3c3c", "share": 0.3},
            {"name": "white", "hex": "#ffffff", "share": 0.04},
        ]
    },
    "sharpness": {"label": "sharp"},
    "moving_object": {
        "present": True,
        "share_of_frame": 0.12,
        "direction": "up-right",
        "colour": "red",
        "seen": 1.0,
    },
}
STILL: Mapping[str, Any] = {
    "camera_motion": {"label": "static", "confidence": 0.8},
    "brightness": {"label": "dark"},
}
VIDEO: Mapping[str, Any] = {
    "title": "A film",
    "duration_s": 12.0,
    "scenes": [
        {
            "index": 0,
            "start_s": 0.0,
            "end_s": 4.0,
            "voice_over": 'Welcome "all" of you',
            "measurements": MEASURED,
        },
        {"index": 1, "start_s": 4.0, "end_s": 8.0, "voice_over": "", "measurements": STILL},
        {"index": 2, "start_s": 8.0, "end_s": 12.0, "voice_over": "", "measurements": STILL},
    ],
}
HUMAN = (
    "This video shows two men playing chess in a park. The man on the left wears a red jacket and black and "
    "white shoes. The man on the right is sitting on a green bench. Three pigeons walk across the path, "
    "while the camera slowly zooms in on the board. Then the left player moves a knight. A medium shot "
    "shows the clock."
)


def script_request(**facts: Any) -> ChatRequest:
    return script_requests.script_request(
        PROMPTS,
        title="A film",
        voice_over=str(facts.get("voice_over", "")),
        pictures=[],
        frames=(),
        facts=facts,
    )


def caption(aspect: Any, facts: Mapping[str, Any] = VIDEO) -> str:
    reading = vdc.read_caption(CHAT.complete(vdc.caption_request(PROMPTS, aspect, [b"x"], (0,), facts)))
    assert reading.state == "done" and reading.reason == ""
    return reading.value


def answer(text: str, question: str) -> str:
    reading = vdc.read_answer(CHAT.complete(vdc.answer_request(PROMPTS, text, question)))
    assert reading.state == "done"
    return reading.value


def verdict(question: str, reference: str, given: str) -> tuple[str, float | None]:
    read = vdc.read_verdict_reply(CHAT.complete(vdc.verdict_request(PROMPTS, question, reference, given)))
    assert read.state == "done", read.reason
    return read.pred, read.score


# --- the protocol ---------------------------------------------------------------------


def test_it_says_what_it_is() -> None:
    assert (CHAT.backend, CHAT.model, CHAT.endpoint, CHAT.baseline) == ("baseline", "baseline", "", True)
    assert CHAT.concurrency == 4
    CHAT.close()


@pytest.mark.parametrize("stage", ["elsewhere", "aspects", "vdc:plot", ""])
def test_an_unknown_stage_is_refused(stage: str) -> None:
    with pytest.raises(RequestRefused, match="name a model"):
        CHAT.complete(ChatRequest(stage=stage, system="", user=(Part(text="x"),)))


def test_the_same_request_gives_the_same_reply_from_many_threads() -> None:
    asked = [vdc.caption_request(PROMPTS, aspect, [b"x"], (0,), VIDEO) for aspect in VDC_ASPECTS]
    asked += [vdc.questions_request(PROMPTS, "detailed", HUMAN), split_requests.split_request(PROMPTS, HUMAN)]
    once = [CHAT.complete(each).text for each in asked]
    with ThreadPoolExecutor(4) as pool:
        again = list(pool.map(lambda each: BaselineChat().complete(each).text, asked * 5))
    assert again == once * 5


def test_pictures_do_not_matter() -> None:
    seen = [
        CHAT.complete(vdc.caption_request(PROMPTS, "short", [jpeg], (0,), VIDEO)).text
        for jpeg in (b"1", b"2")
    ]
    assert seen[0] == seen[1]


# --- script and captions --------------------------------------------------------------


def test_a_script_says_what_was_measured() -> None:
    asked = script_request(
        voice_over="Hey there",
        duration_s=4.0,
        scene={"index": 1, "of": 5, "start_s": 4.0, "end_s": 8.0},
        measurements=MEASURED,
    )
    reading = script_requests.read_script(CHAT.complete(asked))
    assert reading.state == "done"
    assert reading.fields["shot_type"] == "Wide shot; bright, sharp picture."
    assert reading.fields["camera_movement"] == "The camera pans left."
    assert reading.fields["scene_title"].startswith("Scene 2 of 5")
    content = reading.fields["content"]
    for words in (
        "orange dominates",
        "a red shape moves up and to the right",
    ):
        assert words in content, words
    assert content.startswith('A voice says: "Hey there." The camera pans left')
    assert "white" not in content and "%" not in content


@pytest.mark.parametrize("words", [0, 5, 149, 1000])
def test_a_script_keeps_the_word_limits(words: int) -> None:
    asked = script_request(voice_over="word " * words, scene={"index": 99, "of": 1200}, measurements=MEASURED)
    reading = script_requests.read_script(CHAT.complete(asked))
    for name in SCRIPT_FIELDS:
        assert 0 < len(reading.fields[name].split()) <= script_requests.WORD_LIMITS[name], name


@pytest.mark.parametrize(
    "measurements",
    [
        {},
        None,
        {"palette": None},
        {"palette": {"colours": [None, {"share": 1}]}},
        {"camera_motion": "odd"},
        {"camera_motion": {"label": "spiral"}},
        {"moving_object": {"present": True}},
        {"brightness": {}},
        {"palette": [{"name": "red"}]},
    ],
)
def test_missing_and_odd_measurements_are_no_error(measurements: Any) -> None:
    reading = script_requests.read_script(CHAT.complete(script_request(measurements=measurements)))
    assert reading.state == "done"
    scene = {"index": 0, "start_s": 0, "end_s": 1, "voice_over": None, "measurements": measurements}
    for aspect in VDC_ASPECTS:
        assert caption(aspect, {"scenes": [scene]})
        assert caption(aspect, {})


def test_what_was_not_measured_is_not_claimed() -> None:
    unsure = {"camera_motion": {"label": "pan_left", "confidence": 0.2}}
    nothing = {"camera_motion": {"label": "static", "confidence": 0.0}}
    fields = [
        script_requests.read_script(CHAT.complete(script_request(measurements=each))).fields[
            "camera_movement"
        ]
        for each in (unsure, nothing, {})
    ]
    assert fields[0] == "The camera seems to pan left."
    assert fields[1] == fields[2] == "The camera movement could not be measured."


def test_the_five_captions() -> None:
    assert "In scene 1, from 0.0 s to 4.0 s, the camera pans left, in a wide shot." in caption("camera")
    assert "In scenes 2 to 3, from 4.0 s to 12.0 s, the camera stays still." in caption("camera")
    assert "2 cuts were found" in caption("camera")
    short = caption("short")
    assert short.startswith("A voice says: \"Welcome 'all' of you.\" A video of 12.0 seconds in 3 scenes")
    assert "orange and dark grey dominate" in short
    assert "the picture is dark" in caption("background")
    assert "a red shape" in caption("main_object") and "camera" not in caption("main_object")
    detailed = caption("detailed")
    assert detailed.startswith("In scene 1, from 0.0 s to 4.0 s, a voice says: \"Welcome 'all' of you.\"")
    assert "a red shape" in detailed
    assert not any("%" in caption(aspect) for aspect in VDC_ASPECTS)
    assert len(detailed.split()) > len(caption("short").split())


def test_a_long_video_is_summed_up() -> None:
    scenes = [
        {"index": i, "start_s": i, "end_s": i + 1, "voice_over": "", "measurements": (STILL, MEASURED)[i % 2]}
        for i in range(300)
    ]
    text = caption("detailed", {"duration_s": 300.0, "scenes": scenes})
    assert "270 more scenes follow." in text and len(text.split()) < 2500


# --- questions, answers, verdicts -----------------------------------------------------


@pytest.mark.parametrize("reference", [HUMAN, caption("detailed"), caption("camera"), caption("short")])
def test_every_answer_stands_in_the_reference_and_is_found_there(reference: str) -> None:
    reading = vdc.read_questions(CHAT.complete(vdc.questions_request(PROMPTS, "detailed", reference)))
    assert reading.state == "done" and 1 <= len(reading.items) <= 2
    for item in reading.items:
        assert item.answer in reference and item.category and item.question.endswith("?")
        assert verdict(item.question, item.answer, answer(reference, item.question))[0] == "yes", item


@pytest.mark.parametrize(
    ("reference", "question", "expected"),
    [
        ("This video shows two men playing chess.", "How many men are there?", "two"),
        ("The man wears a red jacket.", "What color is the jacket?", "red"),
        ("He wears black and white shoes.", "What color are the shoes?", "black and white"),
        ("The man on the right is sitting on a bench.", "Where is the man on the right?", "on a bench"),
        ("A medium shot shows the clock.", "What type of shot is used?", "medium shot"),
    ],
)
def test_questions_of_several_kinds(reference: str, question: str, expected: str) -> None:
    reading = vdc.read_questions(CHAT.complete(vdc.questions_request(PROMPTS, "detailed", reference)))
    assert {item.question: item.answer for item in reading.items}[question] == expected


@pytest.mark.parametrize("reference", ["", "A dog.", "!!!"])
def test_a_reference_without_facts_gives_no_question(reference: str) -> None:
    reading = vdc.read_questions(CHAT.complete(vdc.questions_request(PROMPTS, "short", reference)))
    assert reading.state == "unparsed" and reading.reason


def test_other_languages_give_no_question() -> None:
    """A sentence with a gap could be answered by itself."""
    reference = "Ein großer brauner Hund läuft über die nasse Straße. 一只黑色的狗在雪地里跑。"
    reading = vdc.read_questions(CHAT.complete(vdc.questions_request(PROMPTS, "short", reference)))
    assert (reading.state, list(reading.items)) == ("unparsed", [])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What color is the jacket?", "red"),
        ("How many pigeons are there?", "Three"),
        ("Where is the man on the right?", "on a green bench"),
        ("Is the man on the right sitting on a bench?", "Yes"),
        ("Is the camera zooming out on the board with a tripod from a helicopter?", NOT_MENTIONED),
        ("What is the weather like?", NOT_MENTIONED),
        ("What color is the helicopter?", NOT_MENTIONED),
        ("How many helicopters are there?", NOT_MENTIONED),
    ],
)
def test_answers_come_from_the_caption(question: str, expected: str) -> None:
    assert answer(HUMAN, question) == expected


def test_a_caption_that_contradicts_is_a_no() -> None:
    assert answer("The man on the left is tall.", "Is the man on the right tall?") == "No"
    assert answer("", "What color is it?") == NOT_MENTIONED


@pytest.mark.parametrize(
    ("question", "reference", "given", "pred", "least", "most"),
    [
        ("Color?", "red", "Red.", "yes", 5, 5),
        ("How many dogs?", "two dogs", "2", "yes", 4, 5),
        ("How many dogs?", "three", "2 dogs", "no", 0, 1),
        ("Color?", "gray", "a grey coat", "yes", 3, 5),
        ("Color?", "red", "blue", "no", 0, 0),
        ("Where?", "on a bench", "On the green bench in the park", "yes", 3, 5),
        ("What does the camera do?", "The camera pans left", "The camera pans to the right", "no", 0, 1),
        ("What does the camera do?", "zooms in", "It zooms out", "no", 0, 1),
        ("What does he do?", "walks to the door", "He is opening a window", "no", 0, 1),
        ("Is it red?", "yes", "Yes, it is", "yes", 5, 5),
        ("Is it red?", "yes", "No.", "no", 0, 0),
        ("Weather?", "sunny", NOT_MENTIONED, "no", 0, 0),
        ("Weather?", "sunny", "", "no", 0, 0),
        ("Weather?", "unknown", NOT_MENTIONED, "yes", 5, 5),
    ],
)
def test_verdicts(question: str, reference: str, given: str, pred: str, least: int, most: int) -> None:
    said, score = verdict(question, reference, given)
    assert said == pred
    assert score is not None and least <= score <= most


# --- split, frames, progression -------------------------------------------------------


def words(text: str) -> list[str]:
    return sorted(word.strip(".,;:").lower() for word in text.split())


@pytest.mark.parametrize("full", [HUMAN, caption("detailed"), "一只黑色的狗。 它在跑。"])
def test_the_split_keeps_every_clause(full: str) -> None:
    reading = split_requests.read_split(CHAT.complete(split_requests.split_request(PROMPTS, full)))
    assert reading.state == "done"
    missing = set(words(full)) - set(words(f"{reading.spatial} {reading.temporal}"))
    assert missing <= {"and", "then", "while", "but"}
    assert set(words(f"{reading.spatial} {reading.temporal}")) <= set(words(full))


def test_the_split_tells_actions_from_looks() -> None:
    reading = split_requests.read_split(CHAT.complete(split_requests.split_request(PROMPTS, HUMAN)))
    assert "red jacket" in reading.spatial and "red jacket" not in reading.temporal
    assert "moves a knight" in reading.temporal and "pigeons walk" in reading.temporal
    assert reading.temporal.startswith("This video shows two men playing chess")
    still = split_requests.read_split(
        CHAT.complete(split_requests.split_request(PROMPTS, "The wall is red."))
    )
    assert (still.spatial, still.temporal) == ("The wall is red.", "")


FRAMES = [
    {"index": 3, "seconds": 1.0, "brightness": 0.8, "palette": [{"name": "red", "share": 0.6}]},
    {"index": 9, "seconds": 2.0, "brightness": 0.1, "difference_to_previous": 0.31},
]


def test_frame_captions_are_read_back_and_name_no_other_frame() -> None:
    asked = progress_captioner.frame_captions_request(
        PROMPTS, action="slicing", pictures=[b"1", b"2"], frames=(3, 9), facts={"frames": FRAMES}
    )
    reading = progress_captioner.read_frame_captions_reply(CHAT.complete(asked), 2)
    assert reading.state == "done"
    assert reading.captions[0] == "At 1.0 s of “slicing”: a bright picture in which red dominates."
    assert reading.captions[1] == "At 2.0 s of “slicing”: a dark picture. Much changes here."
    assert not any("frame" in text or "previous" in text for text in reading.captions)


@pytest.mark.parametrize("rows", [[], FRAMES[:1], [{}, {"palette": "odd", "brightness": {"label": "dark"}}]])
def test_frames_without_facts_still_have_captions(rows: list[dict[str, Any]]) -> None:
    asked = progress_captioner.frame_captions_request(
        PROMPTS, action="", pictures=[b"1", b"2"], frames=(3, 9), facts={"frames": rows}
    )
    assert progress_captioner.read_frame_captions_reply(CHAT.complete(asked), 2).state == "done"


@pytest.mark.parametrize(
    ("facts", "label"),
    [
        ({"difference": PROGRESSED}, "yes"),
        ({"difference": 1.0}, "yes"),
        ({"difference": UNCHANGED - 0.001}, "no"),
        ({"difference": 0}, "no"),
        ({"difference": (PROGRESSED + UNCHANGED) / 2}, "uncertain"),
        ({}, "uncertain"),
    ],
)
def test_progression_goes_by_the_measured_difference(facts: dict[str, float], label: str) -> None:
    asked = progress_captioner.progression_request(
        PROMPTS, action="x", before="whole", after="cut", facts=facts
    )
    assert progress_captioner.read_progression(CHAT.complete(asked))[:2] == ("done", label)
    change = progress_captioner.change_request(PROMPTS, before="whole", after="cut", facts=facts)
    assert progress_captioner.read_change(CHAT.complete(change))[:2] == ("done", label)


def test_equal_descriptions_are_no_progress() -> None:
    asked = progress_captioner.progression_request(PROMPTS, action="x", before="a b", after="a  b", facts={})
    assert progress_captioner.read_progression(CHAT.complete(asked)).label == "no"


def test_facts_survive_a_trip_through_json() -> None:
    asked = vdc.caption_request(PROMPTS, "detailed", [], (), json.loads(json.dumps(VIDEO)))
    reply = CHAT.complete(asked)
    assert (
        isinstance(reply, ChatReply) and reply.finish_reason == "stop" and reply.text == caption("detailed")
    )

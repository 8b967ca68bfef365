"""Which moments a question is about, and which frame stands for a moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from annotation.pipeline.evidence.frame_of_moment import FrameChoice, Seen, opening_frame
from annotation.pipeline.evidence.moments import Known, Moment, Source, Words, cut_in_parts
from annotation.pipeline.evidence.question_frames import sentence_around
from annotation.pipeline.evidence.ranking import Query, Ranked, rank

SCENES = (
    "a red boat leaves the harbour",
    "a cat sleeps on a wall",
    "a windmill turns on the hill",
    "a lantern burns",
)


def film(**more: Any) -> Known:
    """Four scenes of four seconds at 25 frames a second, each with a script."""
    moments = [Moment(n, n * 100, n * 100 + 100, n * 4.0, n * 4.0 + 4) for n in range(4)]
    words = [Words("script", text, (n,)) for n, text in enumerate(SCENES)]
    return Known(moments, [*words, *more.get("words", ())], more.get("measured", {}))


def first(known: Known, question: str, reference: str = "", caption: str = "") -> Ranked:
    return rank(known, Query(question, reference, caption))[0]


def test_words_of_the_script_name_the_scene_and_are_the_reason() -> None:
    found = first(film(), "What stands on the hill?", "an old windmill")
    assert found.moment == 2
    assert [reason.words for reason in found.reasons] == ["script: “windmill”, “hill”"]


def test_a_spoken_word_gives_the_second() -> None:
    said = Words(
        "speech", "then the bell rings", (1,), (("then", 4.1), ("the", 5.0), ("bell", 6.5), ("rings", 7.0))
    )
    found = first(film(words=[said]), "What rings?", "a bell")
    assert (found.moment, found.at_s) == (1, 6.5)


@pytest.mark.parametrize(
    ("question", "moment"),
    [
        ("What is seen at the end of the video?", 3),
        ("What happens first?", 0),
        ("What is shown in the third scene?", 2),
        ("Which color dominates in scene 2, from 1.2 s to 3.0 s?", 1),
        ("What does the camera do in scenes 3 to 4, from 4.0 s to 12.0 s?", 2),
        ("What comes after the cat sleeps on the wall?", 2),
        ("What is shown before the windmill turns?", 1),
    ],
)
def test_places_that_a_question_names(question: str, moment: int) -> None:
    assert first(film(), question).moment == moment


@pytest.mark.parametrize(
    ("question", "moment", "reason"),
    [
        ("What burns in the first scene?", 0, "scene 1, named in the question"),
        ("What burns in scene 2?", 1, "scene 2, named in the question"),
        ("What burns in the final shot?", 3, "scene 4, named in the question"),
        ("What burns after the first scene?", 1, "after scene 1, named in the question"),
        ("What burns before scenes 2 to 4?", 0, "before scene 2, named in the question"),
        ("What burns at 0:05?", 1, "at 0:05, named in the question"),
        ("What burns between 4 s and 6.5 seconds?", 1, "between 4 s and 6.5 seconds, named in the question"),
        ("When does the video begin?", 0, "“video begin”: the start of the video"),
        ("Where does the cat's journey end?", 3, "“journey end”: the end of the video"),
        ("How does the hero end the journey?", 3, "“end the journey”: the end of the video"),
        ("What is in the video's opening frames?", 0, "“video's opening”: the start of the video"),
        ("What is seen before the film ends?", 3, "“film ends”: the end of the video"),
    ],
)
def test_a_place_that_is_named_goes_before_words_of_other_scenes(
    question: str, moment: int, reason: str
) -> None:
    sources: tuple[Source, ...] = ("speech", "frame caption", "text on screen")
    elsewhere = [Words(source, "a lantern burns on a table as it begins", (2,)) for source in sources]
    found = first(film(words=elsewhere), question, "a lantern on a wooden table")
    assert (found.moment, found.reasons[0].words) == (moment, reason)


@pytest.mark.parametrize(
    "question",
    [
        "What stands at the end of the street?",
        "What hangs from the ends of the rope?",
        "What does the girl do when she starts to dance?",
        "When does the video start to show close-ups?",
        "What is painted on the starting line?",
        "What is the end result of the video's design?",
        "What can be concluded from the picture?",
        "Why is a first-person view used?",
        "What is shown at 9:30 pm?",
    ],
)
def test_an_end_of_something_else_is_no_place_in_the_video(question: str) -> None:
    assert rank(film(), Query(question, "")) == []


def test_words_rank_the_moments_of_a_place_and_those_elsewhere_follow() -> None:
    said = [Words("speech", "a drum", (n,)) for n in (1, 3)]
    drums = rank(film(words=said), Query("What is heard in scenes 3 to 4?", "a drum"))
    assert [found.moment for found in drums] == [3, 2, 1]
    both = rank(film(words=said), Query("What changes from the beginning to the end of the video?", "a drum"))
    assert [found.moment for found in both] == [3, 0, 1]


def test_an_end_of_the_video_is_shown_by_its_outermost_frame() -> None:
    assert first(film(), "How does the story begin?").at_s == 0.0
    assert first(film(), "How does the story end?").at_s == 16.0


def test_in_a_single_scene_the_last_scene_is_its_end() -> None:
    parts = Known(cut_in_parts([Moment(0, 0, 1000, 0.0, 40.0)]), [], {})
    assert first(parts, "What is seen in the last scene?").moment == len(parts.moments) - 1


def test_a_number_is_evidence_only_beside_what_it_counts() -> None:
    said = [
        Words("speech", "they light up, one by one. Boats come.", (1,)),
        Words("speech", "1 of 4", (2,)),
        Words("speech", "there is one small boat", (3,)),
    ]
    known = Known(film().moments, said, {})
    found = rank(known, Query("How many boats are there?", "One"))
    assert [(one.moment, one.reasons[0].words) for one in found] == [
        (3, "speech: “one”, “boat”"),
        (1, "speech: “Boats”"),
    ]
    year = Known(film().moments, [Words("text on screen", "founded 1733", (2,))], {})
    assert first(year, "When was the mill built?", "1733").moment == 2


def test_camera_and_colours_are_measured() -> None:
    measured = {
        1: {"camera_motion": {"label": "pan_left", "confidence": 0.9}},
        3: {"palette": {"colours": [{"name": "dark green", "share": 0.4}]}},
    }
    known = film(measured=measured)
    pan = first(known, "How does the camera move?", "it pans to the left")
    assert (pan.moment, pan.reasons[0].words) == (1, "camera: pan left (measured)")
    green = first(known, "Which colour dominates?", "green")
    assert (green.moment, green.reasons[0].words) == (3, "colour: green, 40% of the picture")


def test_two_sources_go_before_one() -> None:
    said = Words("speech", "look at the cat", (1,))
    more = Words("script", "the cat again", (3,))
    assert first(film(words=[said, more]), "Where is the cat?").moment == 1


def test_nothing_found_is_no_guess() -> None:
    assert rank(film(), Query("Which language is spoken?", "Finnish")) == []


def test_what_the_caption_says_at_the_marked_place_helps() -> None:
    caption = "A pet rests. Later a lantern is hung up. The end."
    place = caption.index("hung")
    assert sentence_around(caption, (place, place + 4)) == "Later a lantern is hung up."
    assert first(film(), "What is done?", "it is fastened", "Later a lantern is hung up.").moment == 3


def test_long_scenes_are_several_moments() -> None:
    parts = cut_in_parts([Moment(0, 0, 1000, 0.0, 40.0), Moment(1, 1000, 1100, 40.0, 44.0)])
    assert [part.scene for part in parts] == [0] * 5 + [1]
    assert [part.start for part in parts[:-1]] == [0, 200, 400, 600, 800]
    assert parts[-2].end == 1000


# --- the frame of a moment -------------------------------------------------------------


def seen(rows: dict[int, float]) -> Any:
    """A look at frames: `rows` gives the brightness of some, the others are black."""

    def look(indices: Sequence[int]) -> list[Seen]:
        return [Seen(index, rows.get(index, 0.0), 0.3, 0) for index in indices]

    return look


def test_a_black_frame_is_never_chosen() -> None:
    moment = Moment(0, 0, 100, 0.0, 4.0)
    known = Known([moment], [], {})
    found = FrameChoice(known, seen({87: 0.4})).of(moment, None)
    assert found is not None and found.frame == 87
    assert FrameChoice(known, seen({})).of(moment, None) is None


def test_of_a_moment_that_is_dark_all_through_the_brightest_frame_can_be_had() -> None:
    moment = Moment(0, 0, 100, 0.0, 4.0)
    choice = FrameChoice(Known([moment], [], {}), seen({37: 0.04, 62: 0.03}))
    assert choice.of(moment, None) is None
    found = choice.brightest(moment)
    assert found is not None and found.frame == 37


def test_a_frame_in_a_fade_gives_way_to_a_bright_one() -> None:
    measured = {
        0: {"clear_frames": {"seen": [[10, 0.15, 0.3, "00"], [60, 0.5, 0.3, "01"], [90, 0.5, 0.01, "02"]]}}
    }
    moment = Moment(0, 0, 100, 0.0, 4.0)
    choice = FrameChoice(Known([moment], [], measured), seen({}))
    at_start, at_end = choice.of(moment, 0.4), choice.of(moment, 3.8)
    assert at_start is not None and at_end is not None
    assert (at_start.frame, at_end.frame) == (60, 60)


def test_a_video_that_fades_in_opens_where_it_shows_something() -> None:
    rows = [[6, 0.2, 0.3, "0" * 16], [30, 0.5, 0.3, "0" * 16], [42, 0.6, 0.3, "0" * 16]]
    fading = {"brightness": {"fade_in": True}, "clear_frames": {"seen": rows}}
    assert opening_frame(fading) == 30
    assert opening_frame({**fading, "brightness": {"fade_in": False}}) == 0
    assert opening_frame({"brightness": {"fade_in": True}}) == opening_frame({}) == 0

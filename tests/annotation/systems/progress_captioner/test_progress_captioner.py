"""Frame captions, progression, matching and keyframes."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.prompts.prompt_files import load_prompts
from annotation.systems.progress_captioner import requests as progress
from annotation.systems.progress_captioner.k_means import best_clusters, distances, kmeans, silhouette
from annotation.systems.progress_captioner.keyframe_rows_by_method import clusters_row
from backends.protocols import ChatReply

PROMPTS = load_prompts()


def reply(text: str, finish_reason: str = "stop") -> ChatReply:
    return ChatReply(text=text, finish_reason=finish_reason, seconds=0.1)


# --- captions -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("a", "capturing the object's state during the action and progression"),
        ("b", "capturing the subject's body pose during the action and progression"),
        ("c", "capturing the action and progression"),
        ("page", "capturing the progression of the action"),
    ],
)
def test_the_description_modes(mode: progress.CaptionMode, words: str) -> None:
    asked = progress.frame_captions_request(
        PROMPTS, action="slicing butter", pictures=[b"1", b"2"], frames=(3, 8), mode=mode, facts={}
    )
    text = asked.user[-1].text
    assert words in text and "These are 2 frames" in text and " depicting slicing butter" in text
    assert [part.jpeg for part in asked.user[:2]] == [b"1", b"2"] and asked.frames == (3, 8)
    assert text.endswith("<Frame 1>: Your description\n<Frame 2>: Your description")


def test_three_frames_have_dots_and_no_action_leaves_its_words_out() -> None:
    asked = progress.frame_captions_request(
        PROMPTS, action="", pictures=[b"1", b"2", b"3"], frames=(1, 2, 3), facts={}
    )
    text = asked.user[-1].text
    assert "extracted from a video sequence, provide" in text
    assert text.endswith("<Frame 1>: Your description\n...\n<Frame 3>: Your description")


def test_captions_are_read_whole_or_not_at_all() -> None:
    good = progress.read_frame_captions_reply(reply("<Frame 1>: a > b\n<Frame 2>: c * d"), 2)
    assert (good.state, good.captions) == ("done", ("a > b", "c * d"))
    for text, n in (("<Frame 1>: a", 2), ("<Frame 1>: a\n<Frame 2>: b", 1), ("nothing", 2), ("", 1)):
        bad = progress.read_frame_captions_reply(reply(text), n)
        assert bad.state == "unparsed" and bad.reason and bad.captions == ()
    assert (
        progress.read_frame_captions_reply(reply("<Frame 1>: a\n<Frame 2>: b", "length"), 2).state
        == "unparsed"
    )


@pytest.mark.parametrize(
    ("n", "size", "expected"),
    [
        (0, 2, []),
        (1, 2, [(0,)]),
        (2, 2, [(0, 1)]),
        (4, 2, [(0, 1), (1, 2), (2, 3)]),
        (5, 3, [(0, 1, 2), (1, 2, 3), (2, 3, 4)]),
        (3, 6, [(0, 1, 2)]),
        (3, 1, [(0,), (1,), (2,)]),
    ],
)
def test_windows_slide_by_one(n: int, size: int, expected: list[tuple[int, ...]]) -> None:
    assert progress.windows(n, size) == expected


@pytest.mark.parametrize(("n", "size"), [(1, 2), (2, 2), (7, 2), (7, 3), (3, 6), (5, 1)])
def test_each_frame_takes_the_caption_of_the_window_that_ends_with_it(n: int, size: int) -> None:
    windows = progress.windows(n, size)
    sources = progress.caption_sources(n, size)
    assert [windows[window][place] for window, place in sources] == list(range(n))
    assert all(place == len(windows[0]) - 1 for window, place in sources if window)


# --- progression and matching ---------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "label", "changed"),
    [
        ("A", "yes", "no"),
        ("A. Action Progression: more is cut.", "yes", "no"),
        ("B", "no", "yes"),
        ("**C. Uncertain**", "uncertain", "uncertain"),
    ],
)
def test_the_letters_of_the_two_prompts_are_turned_round(text: str, label: str, changed: str) -> None:
    state, read, _ = progress.read_progression(reply(text))
    assert (state, read) == ("done", label)
    assert progress.read_change(reply(text)).label == changed


@pytest.mark.parametrize("text", ["", "D", "A or B", "I do not know."])
def test_no_single_letter_is_unparsed(text: str) -> None:
    state, label, reason = progress.read_progression(reply(text))
    assert (state, label) == ("unparsed", "") and reason


def test_progression_sends_both_captions_and_the_action() -> None:
    asked = progress.progression_request(
        PROMPTS, action="cutting", before="whole {after}", after="halved", facts={"difference": 0.2}
    )
    text = asked.user[0].text
    assert "Action: cutting The image descriptions are: Image 1: whole {after} Image 2: halved" in text
    assert asked.facts["difference"] == 0.2 and asked.facts["before"] == "whole {after}"
    change = progress.change_request(PROMPTS, before="x", after="y", facts={})
    assert "Image 1 description: x Image 2 description: y" in change.user[0].text


def test_matching_offers_the_captions_in_order_and_a_way_out() -> None:
    asked = progress.matching_request(PROMPTS, ["whole", "halved"], b"jpeg", 7, {})
    after = asked.user[2].text
    assert "A. whole\nB. halved\n\nC. None of the above descriptions" in after
    assert asked.user[1].jpeg == b"jpeg" and asked.frames == (7,)
    assert progress.read_matching(reply("B"), 2) == ("done", "B", 1, "")
    assert progress.read_matching(reply("C"), 2)[:3] == ("done", "C", None)
    assert progress.read_matching(reply("D"), 2).state == "unparsed"


# --- keyframes ------------------------------------------------------------------------


def test_keyframes_follow_progression_from_the_neighbour() -> None:
    assert progress.select_keyframes([True, False, None, True]) == (0, 1, 4)
    assert progress.select_keyframes([]) == (0,)
    assert progress.select_keyframes([False, None]) == (0,)


@pytest.mark.parametrize(
    ("n", "k", "expected"),
    [(10, 1, (5,)), (10, 2, (2, 7)), (3, 3, (0, 1, 2)), (3, 9, (0, 1, 2)), (5, 0, ()), (0, 3, ())],
)
def test_uniform(n: int, k: int, expected: tuple[int, ...]) -> None:
    assert progress.uniform(n, k) == expected


def clusters(rows: np.ndarray) -> tuple[int, ...]:
    return clusters_row(range(len(rows)), rows).frames


def blobs(centres: int, each: int, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    return np.concatenate([random.normal(10 * i, 0.1, (each, 8)) for i in range(centres)])


@pytest.mark.parametrize("centres", [3, 4, 5, 6])
def test_clusters_find_the_number_and_one_of_each(centres: int) -> None:
    chosen = clusters(blobs(centres, 6))
    assert [i // 6 for i in chosen] == list(range(centres))


def test_the_representative_is_nearest_to_the_centre() -> None:
    rows = np.array(
        [[0, 0], [1, 0], [0.5, 0.1], [10, 0], [11, 0], [10.5, 0.1], [20, 0], [21, 0], [20.5, 0.1]]
    )
    assert clusters(rows) == (2, 5, 8)


def test_the_same_frames_give_the_same_clusters() -> None:
    rows = np.random.default_rng(3).random((24, 64))
    first = clusters(rows)
    assert first == clusters(rows.copy()) and 3 <= len(first) <= 6


def test_few_and_equal_frames() -> None:
    assert clusters(np.zeros((0, 4))) == ()
    assert clusters(np.zeros((2, 4))) == (0, 1)
    assert clusters(np.ones((9, 4))) == (0,)
    assert clusters(np.repeat([[0.0], [5.0]], 4, axis=0)) == (0, 4)


def test_silhouette_by_its_definition() -> None:
    random = np.random.default_rng(0)
    rows = random.random((12, 3))
    labels = kmeans(rows, 3)
    gaps = distances(rows, rows)

    def one(i: int) -> float:
        own = [j for j in range(12) if labels[j] == labels[i] and j != i]
        if not own:
            return 0.0
        inside = float(np.mean([gaps[i, j] for j in own]))
        outside = min(
            float(np.mean([gaps[i, j] for j in range(12) if labels[j] == other]))
            for other in set(labels.tolist()) - {labels[i]}
        )
        return (outside - inside) / max(inside, outside)

    assert silhouette(gaps, labels) == pytest.approx(np.mean([one(i) for i in range(12)]), abs=1e-6)
    assert silhouette(gaps, np.zeros(12, dtype=np.int64)) == -1.0
    assert len(set(best_clusters(rows, [3], 0).tolist())) == 3

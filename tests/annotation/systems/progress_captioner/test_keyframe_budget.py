"""Rows of a fixed size: by progression where the judge tells frames apart, else by measured change."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from annotation.systems.progress_captioner.keyframe_budget import budget_rows, spread_row
from annotation.systems.progress_captioner.keyframe_rows_by_method import Pair, Vectors

FRAMES = list(range(0, 100, 10))


def judged(labels: str) -> list[Pair]:
    """One letter per gap: y, n, ? or a dash for none."""
    words = {"y": "yes", "n": "no", "?": "uncertain", "-": ""}
    return [Pair(pair, words[letter]) for pair, letter in zip(pairwise(FRAMES), labels, strict=True)]


def turning(*degrees: float) -> Vectors:
    """Directions in a plane, each turned so far from the one before."""
    angles = np.radians(np.cumsum([0.0, *degrees]))
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


STEADY = turning(*[9.0] * 9)


def test_more_progress_than_the_row_has_room_for_is_spread_evenly() -> None:
    row = spread_row(FRAMES, judged("yyyyyyyyn"), STEADY, 3)
    assert row.frames == (0, 40, 80) and row.size_of == "budget"
    assert row.note == "8 of 9 neighbouring pairs show progress"
    assert row.reasons[40] == "kept: the action has progressed since frame 30"
    assert row.reasons[10] == "dropped: 9 frames show progress, 3 of them are kept"
    assert row.reasons[90] == "dropped: no progress since frame 80"


def test_less_progress_is_filled_with_what_is_least_alike() -> None:
    row = spread_row(FRAMES, judged("ynnnnnnnn"), STEADY, 3)
    assert row.frames == (0, 10, 90)
    assert (
        row.reasons[90] == "kept: fills the row; least like the others, similarity 0.31 of 0-1"
    )  # cos 72 degrees


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ("yyyyyyyyy", "the judge says yes for all neighbours"),
        ("nnnnnn?nn", "the judge says yes for no neighbours"),
        ("---------", "no pair is judged"),
    ],
)
def test_a_judge_that_tells_nothing_apart_leaves_it_to_the_measured_change(labels: str, said: str) -> None:
    """All change lies in the last three steps, of 30 degrees each."""
    row = spread_row(FRAMES, judged(labels), turning(0, 0, 0, 0, 0, 0, 30, 30, 30), 3)
    assert row.note == f"by measured change: {said}"
    assert row.frames == (70, 80, 90)
    assert row.reasons[70] == "kept: 33% of the measured change is before it"


def test_without_pictures_or_change_the_row_is_spaced_evenly_and_says_so() -> None:
    still = spread_row(FRAMES, judged("nnnnnnnnn"), turning(*[0.0] * 9), 5)
    unseen = spread_row(FRAMES, judged("nnnnnnnnn"), None, 5)
    assert still.frames == unseen.frames == (10, 30, 50, 70, 90)
    assert (
        still.note == "at equal distances: the judge says yes for no neighbours, and no change was measured"
    )
    assert unseen.note.endswith("and no pictures are available")


@pytest.mark.parametrize("size", [2, 6, 9, 24])
@pytest.mark.parametrize("labels", ["yyyyyyyyy", "nnnnnnnnn", "ynynynyny", "---------"])
def test_every_row_has_the_wanted_size_and_a_reason_for_every_candidate(labels: str, size: int) -> None:
    for row in budget_rows(FRAMES, judged(labels), STEADY, size):
        assert len(row.frames) == min(size, len(FRAMES)) and list(row.frames) == sorted(set(row.frames))
        assert set(row.reasons) == set(FRAMES)
        assert all(row.reasons[i].startswith("kept" if i in row.frames else "dropped") for i in FRAMES)


@pytest.mark.parametrize("candidates", [[], [4]])
def test_few_candidates_are_all_kept(candidates: list[int]) -> None:
    vectors = np.eye(2)[: len(candidates)]
    rows = budget_rows(candidates, [], vectors, 6)
    assert {row.frames for row in rows} == {tuple(candidates)}
    if candidates:
        assert rows[0].note.endswith(f"all {len(candidates)} candidates are kept")

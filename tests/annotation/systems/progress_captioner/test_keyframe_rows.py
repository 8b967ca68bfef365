"""Rows of keyframes: why, how large, how alike, how far they agree; and that progression pays."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from annotation.systems.progress_captioner.keyframe_rows_by_method import (
    Pair,
    agreement,
    clusters_row,
    machine_rows,
    progression_row,
    redundancy,
    repeated_captions,
)
from backends.measurements.frame_vectors import describe
from benchmarks.keyframes import captions, make, measure, rows_of


def test_progression_goes_by_neighbours_and_says_why() -> None:
    pairs = [Pair((0, 30), "no"), Pair((30, 60), "yes"), Pair((60, 120), "uncertain"), Pair((120, 150), "")]
    row = progression_row([0, 30, 60, 90, 120, 150], pairs)
    assert row.frames == (0, 60)
    assert row.reasons == {
        0: "kept: the first frame",
        30: "dropped: no progress since frame 0",
        60: "kept: the action has progressed since frame 30",
        90: "dropped: it has no readable caption",
        120: "dropped: progress since frame 60 is unclear",
        150: "dropped: no readable verdict against frame 120",
    }


def test_a_persons_word_counts_and_the_judges_stays_visible() -> None:
    row = progression_row([0, 1], [Pair((0, 1), "yes", by="ann", machine="no")])
    assert row.frames == (0, 1)
    assert row.reasons[1] == "kept: the action has progressed since frame 0, says ann; the judge said no"


@pytest.mark.parametrize("candidates", [[], [4], [4, 9], list(range(0, 70, 10))])
def test_rows_of_the_same_size(candidates: list[int]) -> None:
    pairs = [Pair(pair, "yes" if n % 2 else "no") for n, pair in enumerate(itertools.pairwise(candidates))]
    vectors = np.eye(max(1, len(candidates)))[: len(candidates)]
    rows = {(row.method, row.size_of): row for row in machine_rows(candidates, pairs, vectors)}
    for row in rows.values():
        assert set(row.frames) <= set(candidates) and list(row.frames) == sorted(set(row.frames))
        assert set(row.reasons) == set(candidates)
        assert all(row.reasons[i].startswith("kept" if i in row.frames else "dropped") for i in candidates)
    if candidates:
        size = len(rows["progression", ""].frames)
        assert len(rows["uniform", "progression"].frames) == size
        assert len(rows["clusters", "progression"].frames) == size
        assert len(rows["uniform", "clusters"].frames) == len(rows["clusters", ""].frames)


def test_a_dropped_frame_names_the_one_that_stands_for_it() -> None:
    row = clusters_row([5, 6, 7, 8], np.eye(2)[[0, 0, 1, 1]], 2, "progression")
    assert row.frames == (5, 7)
    assert row.reasons[6] == "dropped: looks like frame 5, similarity 1.00 of 0-1"


def brute_agreement(n: int, row: tuple[int, ...], person: tuple[int, ...]) -> int:
    """The most pairs within one candidate, tried out."""
    if not row or not person:
        return 0
    rest = row[1:]
    best = brute_agreement(n, rest, person)
    for place in person:
        if abs(place - row[0]) <= 1:
            best = max(best, 1 + brute_agreement(n, rest, tuple(p for p in person if p != place)))
    return best


def test_agreement_is_the_best_one_to_one_match_within_one_candidate() -> None:
    random = np.random.default_rng(5)
    for _ in range(60):
        row, person = (
            tuple(sorted(random.choice(9, int(random.integers(1, 6)), replace=False).tolist()))
            for _ in range(2)
        )
        found = agreement([10 * i for i in range(9)], [10 * i for i in row], [10 * i for i in person])
        assert found.matched == brute_agreement(9, row, person), (row, person)
        assert found.exact == len(set(row) & set(person))
        assert found.precision == found.matched / len(row) and found.recall == found.matched / len(person)


def test_agreement_of_picks_that_are_no_candidate_now() -> None:
    assert agreement([0, 20, 40, 60], [20], [35]).matched == 1
    assert agreement([0, 20, 40, 60], [20], [55]).matched == 0
    assert agreement([0, 20], [], [0]).precision is None and agreement([], [], []).f1 is None


def test_redundancy_and_repeats_by_their_definitions() -> None:
    assert redundancy(np.eye(3)) == 0.0 and redundancy(np.eye(3)[[0, 0, 1]]) == pytest.approx(2 / 3)
    assert redundancy(np.eye(3)[:1]) is None
    one = "the knife cuts the loaf and one slice falls to the board"
    assert repeated_captions([one, one.upper(), "the board is empty", one]) == 2
    assert repeated_captions(["", "", "a"]) == 0


def test_the_descriptor_tells_colours_and_structure_apart() -> None:
    flat = np.full((90, 160, 3), 120, np.uint8)
    red = flat.copy()
    red[:, :, 0] = 220
    lines = flat.copy()
    lines[:, ::8] = 255
    vectors = np.array([describe(p) for p in (flat, flat[::2, ::2], red, lines)])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-4)
    alike = vectors @ vectors.T
    assert alike[0, 1] > 0.99 and alike[0, 2] < 0.9 and alike[0, 3] < 0.9
    assert np.array_equal(describe(red), describe(red))


def test_progression_shows_more_stages_with_fewer_repeats_than_as_many_other_frames() -> None:
    """The direction, on a few sequences; the figures are those of benchmarks.keyframes."""
    for level, methods in measure(range(1000, 1008), (0.0, 0.2)).items():
        ours = methods["progression"].mean(axis=0)
        for other in ("uniform", "clusters"):
            theirs = methods[other].mean(axis=0)
            assert theirs[2] <= ours[2], "not of the same size"
            assert ours[0] > theirs[0] and ours[1] < theirs[1], (level, other)


def test_captions_without_noise_give_every_stage_once() -> None:
    made = make(1003)
    row = rows_of(made, captions(made, 0.0, 1003))["progression"]
    assert made.stages[list(row.frames)].tolist() == list(range(made.count))
    assert captions(made, 0.3, 1003) == captions(make(1003), 0.3, 1003) != captions(made, 0.0, 1003)

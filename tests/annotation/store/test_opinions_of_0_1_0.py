"""What was taken back in 0.1.0 stays taken back."""

from __future__ import annotations

from annotation.store.opinions_of_0_1_0 import given_blind, taken_back_for_others


def added(*rows: tuple[str, str, bool, float]) -> list[tuple[str, str, float]]:
    return list(taken_back_for_others(rows))


def test_who_took_it_back_took_it_back_for_all() -> None:
    assert added(("v", "ana", False, 1.0), ("v", "ben", True, 2.0)) == [("v", "ana", 2.0)]
    assert added(("v", "ana", False, 1.0), ("w", "ben", True, 2.0)) == []


def test_ones_own_is_taken_back_already() -> None:
    assert added(("v", "ana", False, 1.0), ("v", "ana", True, 2.0)) == []


def test_what_was_said_after_that_stands() -> None:
    rows = [("v", "ana", False, 1.0), ("v", "ben", True, 2.0), ("v", "ana", False, 3.0)]
    assert added(*rows) == []
    assert added(*rows[:2], ("v", "cem", False, 3.0)) == [("v", "ana", 2.0)]


def test_the_first_time_counts() -> None:
    rows = [("v", "ana", False, 1.0), ("v", "ben", True, 2.0), ("v", "cem", True, 3.0)]
    assert added(*rows) == [("v", "ana", 2.0)]


def test_the_first_label_of_a_person_while_they_label_blind_was_given_blind() -> None:
    modes = [("ana", True, 10.0), ("ana", False, 20.0), ("ben", True, 30.0)]
    labels = [
        ("1", "v", "ana", False, 11.0),
        ("2", "v", "ana", False, 12.0),  # after the judge was shown
        ("3", "w", "ana", False, 9.0),  # before
        ("4", "w", "ana", False, 13.0),
        ("5", "x", "ana", False, 21.0),  # after the end
        ("6", "v", "ben", True, 31.0),
        ("7", "v", "ben", False, 32.0),
        ("8", "v", "cem", False, 15.0),
    ]
    assert list(given_blind(modes, labels)) == ["1", "7"]

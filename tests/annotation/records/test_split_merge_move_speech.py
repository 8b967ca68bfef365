"""Speech cut by people: where the cut lies, what is joined, whose times words have."""

from __future__ import annotations

import pytest

from annotation.records.split_merge_move_speech import (
    Piece,
    SegmentNow,
    merge,
    move,
    read_pieces,
    split,
    timed_words,
)
from backends.errors import UsageError
from backends.video_and_word_types import Word

WORDS = tuple(
    Word(text=text, start_s=start, end_s=start + 0.3, probability=0.9)
    for text, start in (("A", 1.0), ("paper", 1.5), ("boat.", 2.0), ("It", 4.0), ("floats.", 4.5))
)
SAID = SegmentNow("seg-1", 1.0, 5.0, " A paper boat. It floats.", words=WORDS)


def texts(pieces: tuple[Piece, ...]) -> list[str]:
    return [piece.text for piece in pieces]


def test_a_split_lies_between_the_words_as_they_were_heard() -> None:
    first, second = split(SAID, 0, 13)
    assert (first.text, second.text) == ("A paper boat.", "It floats.")
    assert (first.start_s, first.end_s, second.start_s, second.end_s) == (1.0, 3.15, 3.15, 5.0)


def test_a_split_at_the_playhead_lies_there_and_outside_it_does_not() -> None:
    assert split(SAID, 0, 13, 2.5)[0].end_s == 2.5
    assert split(SAID, 0, 13, 7.0)[0].end_s == 3.15


def test_a_split_of_words_that_were_not_heard_goes_by_their_length() -> None:
    first, _ = split(SegmentNow("seg-1", 0.0, 10.0, "abcd efghi"), 0, 5)
    assert first == Piece(0.0, 4.0, "abcd")


@pytest.mark.parametrize("caret", [0, 24])
def test_a_split_leaves_no_part_empty(caret: int) -> None:
    with pytest.raises(UsageError, match="between two words"):
        split(SAID, 0, caret)


def test_a_split_piece_is_split_again() -> None:
    once = split(SAID, 0, 13)
    again = SegmentNow("seg-1", 1.0, 5.0, SAID.text, once, WORDS)
    assert texts(split(again, 1, 2)) == ["A paper boat.", "It", "floats."]
    with pytest.raises(UsageError, match="no longer exists"):
        split(again, 2, 2)


def test_lines_of_one_segment_are_merged_in_place() -> None:
    cut = SegmentNow("seg-1", 1.0, 5.0, SAID.text, split(SAID, 0, 13), WORDS)
    assert merge(cut, 0, cut, 1) == {"seg-1": (Piece(1.0, 5.0, "A paper boat. It floats."),)}


def test_a_line_merged_into_the_one_before_leaves_its_own_segment() -> None:
    after = SegmentNow("seg-2", 5.5, 7.0, "Then rain.", (Piece(5.5, 6, "Then"), Piece(6, 7, "rain.")))
    pieces = merge(SAID, 0, after, 0)
    assert pieces["seg-1"] == (Piece(1.0, 6.0, "A paper boat. It floats. Then"),)
    assert texts(pieces["seg-2"]) == ["rain."]
    assert merge(SAID, 0, SegmentNow("seg-3", 6, 7, "x"), 0)["seg-3"] == ()


def test_ends_are_moved_but_never_past_each_other() -> None:
    assert move(SAID, 0, 0.9, 5.1) == (Piece(0.9, 5.1, "A paper boat. It floats."),)
    assert move(SAID, 0, -3.0, 5.0)[0].start_s == 0.0
    with pytest.raises(UsageError, match="at least"):
        move(SAID, 0, 4.99, 5.0)


def test_corrected_words_keep_the_times_of_those_that_were_heard() -> None:
    words = timed_words(Piece(1.0, 5.0, "A small paper boat. It sinks."), WORDS)
    assert [(w.text, round(w.start_s, 2), w.probability > 0) for w in words] == [
        ("A", 1.0, True),
        ("small", 1.3, False),
        ("paper", 1.5, True),
        ("boat.", 2.0, True),
        ("It", 4.0, True),
        ("sinks.", 4.3, False),
    ]


@pytest.mark.parametrize(
    "value",
    [
        "text",
        [{"text": "x"}],
        [{"start_s": 2, "end_s": 1, "text": "x"}],
        [{"start_s": -1, "end_s": 1, "text": "x"}],
        [{"start_s": 0, "end_s": float("inf"), "text": "x"}],
        [{"start_s": 0, "end_s": 10**400, "text": "x"}],
        [{"start_s": 0, "end_s": True, "text": "x"}],
        [{"start_s": 0, "end_s": 1, "text": 5}],
        [{"start_s": 5, "end_s": 6, "text": "b"}, {"start_s": 0, "end_s": 1, "text": "a"}],
        [{"start_s": 0, "end_s": 1, "text": "x", "more": 1}],
    ],
)
def test_what_are_no_pieces_is_refused(value: object) -> None:
    with pytest.raises(UsageError):
        read_pieces(value)

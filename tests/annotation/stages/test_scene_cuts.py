"""Splits, merges and nudges over and over: scenes always part the whole video, keys stay in place."""

from __future__ import annotations

import random
from itertools import count, pairwise

import pytest

from annotation.records.scene_ranges_and_keys import (
    Difference,
    Span,
    Spans,
    carry,
    difference,
    holder,
    merge,
    nudge,
    split,
)
from backends.errors import UsageError

FRAMES = 1_000


def keys(prefix: str = "new"):
    numbers = count()
    return lambda: f"{prefix}-{next(numbers)}"


def cut_at(*starts: int, frames: int = FRAMES) -> Spans:
    edges = (*starts, frames)
    return tuple(Span(f"k{n}", a, b) for n, (a, b) in enumerate(pairwise(edges)))


def whole(spans: Spans, frames: int = FRAMES) -> bool:
    """The scenes follow each other from the first frame to the last, none empty, no key twice."""
    ends = [0, *(span.end for span in spans)]
    follows = all(span.start == end for span, end in zip(spans, ends, strict=False))
    distinct = len({span.key for span in spans}) == len(spans)
    return follows and distinct and ends[-1] == frames and all(span.length > 0 for span in spans)


def random_step(spans: Spans, dice: random.Random, fresh) -> Spans:
    """One random change; what is refused changes nothing."""
    frame = dice.randrange(FRAMES)
    try:
        if dice.random() < 0.4:
            return split(spans, frame, fresh)
        if dice.random() < 0.5:
            return merge(spans, frame)
        return nudge(spans, dice.choice(spans).start, dice.choice((-20, -3, -1, 1, 3, 20)))
    except UsageError:
        return spans


@pytest.mark.parametrize("seed", range(30))
def test_scenes_always_part_the_video_and_keys_go_with_them(seed: int) -> None:
    dice, fresh, spans = random.Random(seed), keys(), cut_at(0, 120, 121, 400, 900)
    for _ in range(300):
        before, spans = spans, random_step(spans, dice, fresh)
        assert whole(spans), spans
        old, new = {span.key: span for span in before}, {span.key: span for span in spans}
        kept = [key for key in old if key in new]
        assert len(kept) >= len(old) - 1 and len(set(new) - set(old)) <= 1
        for key in kept:  # a key never goes to a scene that shares no frame with the one that had it
            assert old[key].start < new[key].end and new[key].start < old[key].end
        assert [key for key in new if key in old] == kept  # in the same order


def test_the_longer_part_keeps_the_key() -> None:
    assert split(cut_at(0, 500), 100, keys()) == (
        Span("new-0", 0, 100),
        Span("k0", 100, 500),
        Span("k1", 500, 1_000),
    )
    assert split(cut_at(0, 500), 250, keys())[:2] == (Span("k0", 0, 250), Span("new-0", 250, 500))
    assert merge(cut_at(0, 100), 50) == (Span("k1", 0, 1_000),)
    assert merge(cut_at(0, 500), 499) == (Span("k0", 0, 1_000),)
    assert nudge(cut_at(0, 100), 100, 400) == (Span("k0", 0, 500), Span("k1", 500, 1_000))


def test_what_cannot_be_done_says_what_to_do() -> None:
    spans = cut_at(0, 100, 200)
    with pytest.raises(UsageError, match="step to another frame"):
        split(spans, 100, keys())
    with pytest.raises(UsageError, match="last scene"):
        merge(spans, 999)
    with pytest.raises(UsageError, match="no cut at frame 150"):
        nudge(spans, 150, 1)
    with pytest.raises(UsageError, match="no cut at frame 0"):
        nudge(spans, 0, 1)
    with pytest.raises(UsageError, match="scene 2 would have no frame left"):
        nudge(spans, 100, 100)
    with pytest.raises(UsageError, match="scene 1 would have no frame left"):
        nudge(spans, 100, -100)
    with pytest.raises(UsageError, match="not in a scene"):
        split(spans, 1_000, keys())


def test_another_detection_keeps_the_keys_of_the_scenes_that_it_finds_again() -> None:
    spans = cut_at(0, 100, 200, 600)
    found = carry(spans, (0, 98, 300, 610), keys())
    # The scenes that shrink keep their keys, and the one that takes frames of two takes the longer's.
    assert [span.key for span in found] == ["k0", "k1", "k2", "k3"] and whole(found)
    assert [span.key for span in carry(spans, (0,), keys())] == ["k2"]
    more = carry(spans, (0, 50, 100, 150, 200, 600), keys())
    assert [span.key for span in more] == ["k0", "new-0", "k1", "new-1", "k2", "k3"]


@pytest.mark.parametrize("seed", range(20))
def test_carried_scenes_part_the_video_whatever_was_found(seed: int) -> None:
    dice = random.Random(seed)
    spans = cut_at(0, *sorted(dice.sample(range(1, FRAMES), 30)))
    found = carry(spans, (0, *sorted(dice.sample(range(1, FRAMES), dice.randrange(60)))), keys())
    assert whole(found)
    assert carry(spans, [span.start for span in spans], keys()) == spans


def test_cuts_that_are_near_have_moved_and_each_is_named_once() -> None:
    assert difference((0, 100, 200, 300, 500), (0, 100, 203, 305, 304, 700), near=12) == Difference(
        same=(100,), added=(305, 700), removed=(500,), moved=((200, 203), (300, 304))
    )
    assert difference((0,), (0,), near=12) == Difference((), (), (), ())


def test_the_scene_that_holds_most_of_a_stretch() -> None:
    spans = cut_at(0, 100, 200)
    assert holder(spans, 90, 130) == spans[1]
    assert holder(spans, 50, 150) == spans[0]
    assert holder(spans, 1_000, 1_010) is None and holder((), 0, 5) is None

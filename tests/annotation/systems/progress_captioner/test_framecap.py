"""FrameCap's rules (votes, accepted and rejected captions) and FrameCapEval's figures."""

from __future__ import annotations

import pytest

from annotation.checks.frame_caption_checks import other_frames, references
from annotation.systems.progress_captioner import framecap_scores as scores
from annotation.systems.progress_captioner import preference_pairs
from annotation.systems.progress_captioner.frame_options import FrameOptions
from annotation.systems.progress_captioner.framecap_scores import ChoiceItem, PairItem, SequenceItem
from annotation.systems.progress_captioner.preference_pairs import Evidence
from annotation.systems.progress_captioner.requests import caption_sources, joined, sequences, windows
from backends.errors import UsageError

# --- votes and outcomes -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "word"),
    [
        (("yes", "yes", "no"), "yes"),
        (("no", "no", "yes"), "no"),
        (("yes", "no"), ""),
        ((), ""),
        (("uncertain", "uncertain", "yes"), "yes"),
        (("uncertain",), ""),
        (("", "no"), "no"),
    ],
)
def test_the_majority_of_those_who_say_yes_or_no(labels: tuple[str, ...], word: str) -> None:
    assert preference_pairs.majority(labels) == word


def test_captions_are_held_against_the_majority() -> None:
    everybody = ("yes", "yes", "yes", "no")
    assert preference_pairs.agrees(("yes",), everybody) is True
    assert preference_pairs.agrees(("no",), everybody) is False
    assert preference_pairs.agrees(("uncertain",), everybody) is None
    assert preference_pairs.agrees(("yes",), ("yes", "no")) is None


def test_frames_that_look_like_the_one_before_are_left_out() -> None:
    assert preference_pairs.distinct((3, 5, 9, 12), ("yes", "no", "")) == (3, 5, 12)
    assert preference_pairs.distinct((3,), ()) == (3,)


@pytest.mark.parametrize(
    ("correct", "passed", "outcome"),
    [
        ((True, True, True), True, "accepted"),
        ((True, False, True, False), True, "undecided"),  # half wrong is not more than half
        ((False, False, True), True, "rejected"),
        ((False, False), True, "rejected"),  # the paper's (B, A)
        ((True, False), True, "undecided"),
        ((True, None), True, "undecided"),
        ((None, None, None), True, "undecided"),
        ((False, None, False), True, "rejected"),
        ((True, True), False, "rejected"),
        ((True, True), None, "undecided"),
        ((), True, "undecided"),
        ((), False, "rejected"),
    ],
)
def test_accepted_rejected_or_neither(correct, passed, outcome: str) -> None:
    assert preference_pairs.outcome(correct, passed) == outcome


def test_a_letter_needs_more_than_half_of_the_judges() -> None:
    assert preference_pairs.chosen_by_most(["B", "B", "A"]) == "B"
    assert preference_pairs.chosen_by_most(["A", "B"]) == "" == preference_pairs.chosen_by_most([])


def evidence(run: str, outcome, frames: tuple[int, ...] = (0, 1)) -> Evidence:
    return Evidence("vid-1", frames, run, ("a", "b"), True, (), (), outcome)


def test_preferences_pair_the_same_frames_alone() -> None:
    found = preference_pairs.preferences(
        [
            evidence("r3", "rejected"),
            evidence("r1", "accepted"),
            evidence("r2", "undecided"),
            evidence("r4", "rejected"),
            evidence("r5", "accepted", (1, 2)),
            evidence("r6", "rejected", (2, 3)),
        ]
    )
    assert [(p.chosen.run_id, p.rejected.run_id) for p in found] == [("r1", "r3"), ("r1", "r4")]


# --- windows and options ----------------------------------------------------------------


@pytest.mark.parametrize(("n", "size"), [(1, 2), (2, 2), (7, 2), (7, 3), (3, 6), (5, 5)])
def test_after_takes_the_window_that_begins_with_the_frame(n: int, size: int) -> None:
    found = windows(n, size)
    sources = caption_sources(n, size, "after")
    assert [found[window][place] for window, place in sources] == list(range(n))
    assert all(place == 0 for t, (_, place) in enumerate(sources) if t <= n - size)


@pytest.mark.parametrize("n", range(2, 40))
def test_sequences_hold_every_frame_once(n: int) -> None:
    found = sequences(range(n))
    assert [i for s in found for i in s] == list(range(n))
    assert all(2 <= len(s) <= 6 for s in found)
    assert sequences([4]) == []


def test_both_captions_of_a_frame_are_joined() -> None:
    assert joined("a.", "b.") == "a. b." and joined("a.", "a.") == "a."


@pytest.mark.parametrize(
    "options",
    [
        FrameOptions(per_call=1),
        FrameOptions(per_call=7),
        FrameOptions(fps=0),
        FrameOptions(frames=(3,)),
        FrameOptions(fps=1, frames=(1, 2)),
        FrameOptions(context="middle"),
        FrameOptions(mode="d"),
        FrameOptions(frames=(-1, 4)),
        FrameOptions(matching="some"),
    ],
)
def test_options_that_the_method_does_not_have(options: FrameOptions) -> None:
    with pytest.raises(UsageError):
        options.checked()


# --- wording ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("caption", "place", "named", "why"),
    [
        ("The image is identical to the first frame.", 3, 0, "refers to frame 1"),
        ("Identical to the previous frame.", 3, 2, "refers to another"),
        ("As in Frame 4, the lid is on.", 3, 3, "uses a frame number"),
        ("There is no change between the two frames.", 2, None, "refers to another"),
        ("The image is similar to the first one.", 1, 0, "refers to another"),
    ],
)
def test_which_frame_a_phrase_names(caption: str, place: int, named: int | None, why: str) -> None:
    (found,) = references(caption, place)
    assert found.place == named and why in found.why
    assert other_frames(caption) == [(found.start, found.end)]


# --- figures ----------------------------------------------------------------------------

PAIRS = (
    [PairItem("v1", True, "yes")] * 3
    + [PairItem("v1", True, "no")]
    + [PairItem("v2", True, "uncertain")] * 2
    + [PairItem("v2", False, "no")] * 2
    + [PairItem("v2", False, "uncertain")] * 2
    + [PairItem("v1", True, "")]
)


@pytest.mark.parametrize(
    ("policy", "tpr", "tnr", "n"),
    [
        ("uncertain_is_no", 3 / 6, 4 / 4, 10),
        ("uncertain_is_wrong", 3 / 6, 2 / 4, 10),
        ("uncertain_left_out", 3 / 4, 2 / 2, 6),
    ],
)
def test_balanced_accuracy_under_each_policy(policy: str, tpr: float, tnr: float, n: int) -> None:
    found = scores.balanced(PAIRS, policy)
    assert found.value.value == pytest.approx((tpr + tnr) / 2)
    assert (found.positive.value, found.negative.value) == (pytest.approx(tpr), pytest.approx(tnr))
    assert (found.counted, found.labelled) == (n, 11)
    assert found.value.low is not None and found.value.low <= found.value.value <= found.value.high  # type: ignore[operator]


def test_without_both_kinds_there_is_no_balanced_accuracy() -> None:
    only = [PairItem("v1", True, "yes"), PairItem("v2", True, "no")]
    assert scores.balanced(only, "uncertain_is_no").value.value is None
    assert scores.balanced([], "uncertain_is_no").value.value is None


def test_a_sequence_counts_when_every_frame_is_right() -> None:
    items = [
        SequenceItem("v1", (True, True)),
        SequenceItem("v1", (True, False, True)),
        SequenceItem("v2", (True, None)),
    ]
    read, strict = (scores.sequence_accuracy(items, policy) for policy in ("read", "strict"))
    assert (read.value.value, read.n, read.of) == (0.5, 2, 3)
    assert (strict.value.value, strict.n, strict.of) == (pytest.approx(1 / 3), 3, 3)
    frames = scores.frame_accuracy(items, "read")
    assert (frames.value.value, frames.n, frames.of) == (pytest.approx(5 / 6), 6, 7)


def test_selection_rates() -> None:
    items = [
        ChoiceItem(0, "a", "b"),
        ChoiceItem(0, "b", None),
        ChoiceItem(1, None, None),
        ChoiceItem(1, "a", "b"),
    ]
    assert scores.selection_rate(items, "a", 1).value.value == 0.5
    assert scores.selection_rate(items, "b", 1).value.value == 0.25
    assert scores.selection_rate(items, "b", 2).value.value == 0.75
    assert scores.none_rate(items).value.value == 0.25
    assert scores.selection_rate([], "a", 1).value.value is None


def test_agreement_of_two_people() -> None:
    observed, kappa = scores.agreement([("yes", "yes"), ("no", "no"), ("yes", "no"), ("no", "no")])
    assert observed == 0.75 and kappa == pytest.approx(0.5)
    assert scores.agreement([("yes", "yes")]) == (1.0, None)
    assert scores.agreement([]) == (None, None)

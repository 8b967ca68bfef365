"""Scores of Video-MMLU: hand-computed means, what is missing is said, totals add up, the peer's own rule."""

from __future__ import annotations

import random
from typing import Any

import pytest

from annotation.scores.score_table import Row
from annotation.scores.scored_item import Item
from annotation.scores.scoring_policies import policies_of
from annotation.systems.video_mmlu.published import published_mmlu
from annotation.systems.video_mmlu.scores import mmlu_table
from tests.annotation.scores.test_scores import item, reply


def asked(video: str, discipline: str, task: str, raw: str | None, **more: Any) -> Item:
    aspect = {"caption": "notes", "qa": "reasoning"}[task]
    return item(video, raw, aspect, discipline=discipline, **more)


YES, NO = reply("yes", 4), reply("no", 1)
ITEMS = [
    # Math: video a 1 of 2, video b 1 of 1; Physics: 0 of 1; Chemistry: 1 of 1 and one unreadable
    asked("a", "Math", "caption", YES),
    asked("a", "Math", "caption", NO),
    asked("b", "math", "caption", YES),
    asked("p", "Physics", "caption", NO),
    asked("c", "Chemistry", "caption", YES),
    asked("c", "Chemistry", "caption", "it depends"),
    # QA: Math 1 of 1, Physics 1 of 2, Chemistry 0 of 1
    asked("a", "Math", "qa", YES, exact=1.0),
    asked("p", "Physics", "qa", YES, exact=0.0),
    asked("p", "Physics", "qa", NO, exact=0.0),
    asked("c", "Chemistry", "qa", NO, exact=None),
]


def cell(rows: list[Row], policy: str, metric: str, **group: str) -> Row:
    [found] = [r for r in rows if r.policy == policy and r.metric == metric and r.group == group]
    return found


def value(rows: list[Row], policy: str, metric: str, **group: str) -> float:
    found = cell(rows, policy, metric, **group).value
    assert found is not None
    return found


def test_disciplines_their_means_and_the_final_score() -> None:
    rows = mmlu_table(ITEMS)
    math = {"task": "caption", "discipline": "Math"}
    assert value(rows, "parsed", "accuracy_macro", **math) == pytest.approx((0.5 + 1) / 2)
    assert value(rows, "parsed", "accuracy_micro", **math) == pytest.approx(2 / 3)
    caption, qa = (0.75 + 0 + 1) / 3, (1 + 0.5 + 0) / 3
    assert value(rows, "parsed", "accuracy_macro", task="caption") == pytest.approx(caption)
    assert value(rows, "parsed", "accuracy_macro", task="qa") == pytest.approx(qa)
    assert value(rows, "parsed", "accuracy_macro", task="final") == pytest.approx((caption + qa) / 2)
    assert value(rows, "parsed", "score_macro", task="caption") == pytest.approx(((2.5 + 4) / 2 + 1 + 4) / 3)
    assert cell(rows, "parsed", "accuracy_macro", task="caption").dropped == {"unparsed": 1}
    wrong = (0.75 + 0 + 0.5) / 3
    assert value(rows, "failures_as_wrong", "accuracy_macro", task="caption") == pytest.approx(wrong)
    final = cell(rows, "parsed", "accuracy_macro", task="final")
    assert (final.n, final.of, final.videos, final.note) == (9, 10, 4, "")
    assert final.low is None  # Physics has one video, of which nothing says how far it may be off


def test_the_interval_of_the_final_score_comes_from_draws_of_videos() -> None:
    """Many videos: it shrinks with their number, and holds the value."""
    widths = []
    for videos in (20, 200):
        items = [
            asked(f"{discipline}{n}", discipline, task, YES if n % 3 else NO)
            for discipline in ("Math", "Physics", "Chemistry")
            for n in range(videos)
            for task in ("caption", "qa")
        ]
        final = cell(mmlu_table(items, ["parsed"]), "parsed", "accuracy_macro", task="final")
        assert final.low is not None and final.high is not None and final.value is not None
        assert final.low < final.value < final.high
        widths.append(final.high - final.low)
    # The standard error of a mean over three times as many videos: 2 * 1.96 * sqrt(2 / 9 / 60)
    assert widths[0] == pytest.approx(0.24, abs=0.05)
    assert widths[1] == pytest.approx(widths[0] / 10**0.5, rel=0.2)


def test_exact_match_needs_an_answer_and_no_judge() -> None:
    rows = mmlu_table(ITEMS)
    assert value(rows, "parsed", "exact_macro", task="qa", discipline="Physics") == 0
    found = cell(rows, "parsed", "exact_macro", task="qa")
    assert (found.value, found.n, found.of, found.dropped) == (0.5, 3, 4, {"without an answer": 1})
    assert value(rows, "failures_as_wrong", "exact_macro", task="qa") == pytest.approx(1 / 3)
    caption = (0.75 + 0 + 1) / 3
    assert value(rows, "parsed", "exact_macro", task="final") == pytest.approx((caption + 0.5) / 2)
    assert not [r for r in rows if r.group["task"] == "caption" and r.metric.startswith("exact")]


def test_a_discipline_that_is_missing_is_said_everywhere() -> None:
    rows = mmlu_table([i for i in ITEMS if i.discipline != "Physics"])
    gone = cell(rows, "parsed", "accuracy_macro", task="qa", discipline="Physics")
    assert (gone.value, gone.n, gone.of) == (None, 0, 0)
    mean = cell(rows, "parsed", "accuracy_macro", task="qa")
    assert mean.value == pytest.approx(0.5)
    assert mean.note == "Physics missing, the mean is over Math and Chemistry"
    final = cell(rows, "parsed", "accuracy_macro", task="final")
    assert final.note.count("Physics missing") == 2


def test_without_one_of_the_two_tasks_there_is_no_final_score() -> None:
    rows = mmlu_table([i for i in ITEMS if i.aspect == "notes"])
    assert cell(rows, "parsed", "accuracy_macro", task="final").value is None
    assert cell(rows, "parsed", "accuracy_macro", task="final").note == "qa: no questions"


def test_questions_of_no_known_discipline_stand_beside_the_mean() -> None:
    rows = mmlu_table([*ITEMS, asked("x", "", "qa", YES), asked("y", "Biology", "qa", YES)])
    assert value(rows, "parsed", "accuracy_macro", task="qa") == pytest.approx(0.5)
    note = cell(rows, "parsed", "accuracy_macro", task="qa").note
    assert note == "unknown: 1 questions, not in any mean; Biology: 1 questions, not in any mean"
    assert value(rows, "parsed", "accuracy_macro", task="qa", discipline="Biology") == 1


def test_the_peers_own_rule_drops_what_it_cannot_read_and_zeroes_what_it_does_not_find() -> None:
    """`calculate_scores.py`: over questions, three names as spelled, 0 for one that is not there."""
    rows = mmlu_table(ITEMS, ["video-mmlu"])
    # "math" is a discipline of its own there and in no mean; the unreadable reply is gone
    assert value(rows, "video-mmlu", "accuracy_micro", task="caption") == pytest.approx((0.5 + 0 + 1) / 3)
    assert value(rows, "video-mmlu", "accuracy_micro", task="caption", discipline="math") == 1
    assert value(rows, "video-mmlu", "score_micro", task="caption") == pytest.approx((2.5 + 1 + 4) / 3)
    lower = [asked(i.video, i.discipline.lower(), "caption", i.raw) for i in ITEMS if i.aspect == "notes"]
    rows = mmlu_table(lower, ["video-mmlu", "parsed"])
    peer = cell(rows, "video-mmlu", "accuracy_micro", task="caption")
    assert (peer.value, peer.n) == (0, 0)
    assert peer.note.startswith("Math, Physics and Chemistry missing, counts as 0; math: 3 questions")
    assert value(rows, "parsed", "accuracy_macro", task="caption") == pytest.approx((0.75 + 0 + 1) / 3)
    no_physics = mmlu_table([i for i in ITEMS if i.discipline != "Physics"], ["video-mmlu"])
    found = cell(no_physics, "video-mmlu", "accuracy_micro", task="caption")
    assert found.value == pytest.approx((0.5 + 0 + 1) / 3)
    assert found.note.startswith("Physics missing, counts as 0")


def test_counted_and_left_out_add_up_under_every_rule() -> None:
    chance = random.Random(3)
    raws = [YES, NO, "```" + YES, reply("Yes", 3), reply("yes", "4"), "{'score': 3}", "no idea", None]
    for _ in range(20):
        items = [
            asked(
                chance.choice("abcde"),
                chance.choice(["Math", "physics", "Chemistry", ""]),
                chance.choice(["caption", "qa"]),
                chance.choice(raws),
                exact=chance.choice([None, 0.0, 1.0]),
                excluded=chance.random() < 0.2,
            )
            for _ in range(30)
        ]
        for row in mmlu_table(items):
            assert row.n + sum(row.dropped.values()) == row.of
            assert row.value is None or 0 <= row.value <= 5
            assert (row.value is None) or row.low is None or row.low <= row.value + 1e-9
        for policy in policies_of("mmlu"):
            rows = [r for r in mmlu_table(items, [policy]) if "discipline" in r.group]
            first = [r for r in rows if r.metric == rows[0].metric]
            assert sum(r.of for r in first) == len(items)


def test_the_published_figures() -> None:
    rows = published_mmlu()
    assert [row.model for row in rows if row.frames == 0] == ["Qwen2.5-72B"]
    assert all(abs((row.caption + row.qa) / 2 - row.final) < 0.02 for row in rows)
    assert [row.final for row in rows] == sorted((row.final for row in rows), reverse=True)

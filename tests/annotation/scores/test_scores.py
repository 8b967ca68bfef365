"""Open scoring: hand-computed cases of every rule, sums that must add up, intervals, kappa."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from annotation.records.allowed_values import ResultState
from annotation.replies.verdict_reply import read_verdict
from annotation.scores.agreement import agreement
from annotation.scores.compare_two_evaluations import compare
from annotation.scores.means_with_intervals import estimate, per_video
from annotation.scores.next_to_label import next_labels, people_mean
from annotation.scores.score_table import Row, table
from annotation.scores.scored_item import Item
from annotation.scores.scoring_policies import POLICIES


def item(video: str, raw: str | None, aspect: str = "camera", **more: object) -> Item:
    """As the pipeline would store this reply; None is a call that failed."""
    read = read_verdict(raw) if raw is not None else None
    done = read is not None and read.state == "done"
    state: ResultState = "failed" if read is None else read.state
    return Item(
        video=video,
        aspect=aspect,
        state=state,
        raw=raw,
        accuracy=float(read.pred == "yes") if read and done else None,
        score=read.score if read and done else None,
        **more,  # type: ignore[arg-type]
    )


def reply(pred: str, score: object) -> str:
    return repr({"pred": pred, "score": score})


def cell(rows: list[Row], policy: str, metric: str, **group: str) -> Row:
    [found] = [r for r in rows if r.policy == policy and r.metric == metric and r.group == group]
    return found


# Three videos: one plain, one whose judge answers loosely, one that is all wrong.
REPLIES = {
    "a": [reply("yes", 4.8), reply("no", 1)],
    "b": [reply("yes", 4), "```python\n" + reply("yes", 5) + "\n```", reply("Yes", 3)],
    "c": [reply("no", 0), reply("no", 0)],
}
ITEMS = [item(video, raw) for video, raws in REPLIES.items() for raw in raws]
EXPECTED = {
    # policy: accuracy, score, counted of 7
    ("parsed", "macro"): ((0.5 + 1 + 0) / 3, (2.9 + 4 + 0) / 3, 7),
    ("parsed", "micro"): (4 / 7, (4.8 + 1 + 4 + 5 + 3) / 7, 7),
    # b has a reply that is no literal and goes whole, c has a mean of 0
    ("aurora", "macro"): (0.5, 2.9, 2),
    # the fenced reply would end the run; 'Yes' is not 'yes'
    ("lmms-eval", "macro"): ((0.5 + 0.5 + 0) / 3, (2.9 + 3.5 + 0) / 3, 6),
    # the fenced reply is 0, 4.8 is 4
    ("lmms-eval-2024", "macro"): ((0.5 + 1 / 3 + 0) / 3, ((4 + 1) / 2 + (4 + 0 + 3) / 3 + 0) / 3, 7),
    ("vlmevalkit", "micro"): (3 / 6, (4.8 + 1 + 4 + 3) / 6, 6),
}


@pytest.mark.parametrize(("policy", "mean"), EXPECTED)
def test_every_rule_by_hand(policy: str, mean: str) -> None:
    accuracy, score, n = EXPECTED[policy, mean]
    rows = table(ITEMS)
    found = cell(rows, policy, f"accuracy_{mean}", aspect="camera")
    assert (found.n, found.of) == (n, 7)
    assert found.value == pytest.approx(accuracy)
    assert cell(rows, policy, f"score_{mean}", aspect="camera").value == pytest.approx(score)


def test_a_failed_call_is_wrong_only_where_the_policy_says_so() -> None:
    items = [item("a", reply("yes", 5)), item("a", None), item("a", "I cannot tell.")]
    rows = table(items)
    assert cell(rows, "parsed", "accuracy_macro", aspect="camera").value == 1
    assert cell(rows, "parsed", "accuracy_macro", aspect="camera").dropped == {"failed": 1, "unparsed": 1}
    assert cell(rows, "failures_as_wrong", "accuracy_micro", aspect="camera").value == pytest.approx(1 / 3)
    assert cell(rows, "aurora", "accuracy_macro", aspect="camera").value is None


def test_zero_videos_vanish_in_auroras_mean() -> None:
    """The defect that inflates weak models: true mean 1/4, reported 1/2."""
    items = [
        item(v, reply("yes" if v == "a" and n == 0 else "no", 5 if v == "a" and n == 0 else 0))
        for v in ("a", "b")
        for n in range(2)
    ]
    rows = table(items)
    assert cell(rows, "parsed", "accuracy_macro", aspect="camera").value == 0.25
    assert cell(rows, "aurora", "accuracy_macro", aspect="camera").value == 0.5


def test_corrections_count_where_there_are_any() -> None:
    items = [
        item("a", reply("no", 1), human_accuracy=1.0, human_score=5.0),
        item("a", "gibberish", human_accuracy=0.0, human_score=0.0),
        item("a", reply("yes", 4)),
    ]
    row = cell(table(items), "corrected", "accuracy_micro", aspect="camera")
    assert (row.n, row.of) == (3, 3)
    assert row.value == pytest.approx(2 / 3)


def test_an_excluded_question_leaves_the_corrected_figure_alone() -> None:
    items = [item("a", reply("yes", 5)), item("a", reply("no", 0), excluded=True, suspect=True)]
    items.append(item("a", "?", excluded=True, suspect=True, human_accuracy=0.0, human_score=0.0))
    rows = table(items)
    row = cell(rows, "corrected", "accuracy_micro", aspect="camera")
    assert (row.value, row.n, row.of, dict(row.dropped)) == (1, 1, 3, {"excluded": 2})
    assert cell(rows, "parsed", "accuracy_micro", aspect="camera").value == 0.5


@pytest.mark.parametrize("rounds", [10, pytest.param(60, marks=pytest.mark.long)])
def test_counted_and_dropped_always_add_up_and_means_stay_in_range(rounds: int) -> None:
    draw = random.Random(5)
    raws = [
        reply("yes", 5),
        reply("no", 0),
        reply("Yes", 4.8),
        reply("no", "4"),
        "{'pred': 'yes'}",
        "yes",
        "",
        '{"pred": "no", "score": 2}',
        "{'pred': 'yes', 'score': 9}",
        "```" + reply("no", 1) + "```",
        None,
        "{'score': 3}",
        "[]",
        "{'pred': 'no', 'score': None}",
        "{'pred': 'no', 'score': float('nan')}",
    ]
    for _ in range(rounds):
        items = [
            item(
                draw.choice("abcde"),
                draw.choice(raws),
                draw.choice(["camera", "short"]),
                category=draw.choice(["x", "y"]),
                excluded=draw.random() < 0.2,
            )
            for _ in range(draw.randint(1, 40))
        ]
        for by in (("aspect",), ("category",), ("aspect", "category")):
            rows = table(items, by=by)
            for policy in POLICIES:
                whole = [r for r in rows if r.policy == policy and r.group and r.metric.startswith("score")]
                first = [r for r in whole if r.metric == whole[0].metric]
                assert sum(r.of for r in first) == len(items)
            for row in rows:
                assert row.n + sum(row.dropped.values()) == row.of
                assert (row.value is None) == (row.n == 0)
                if row.value is not None and row.low is not None and row.high is not None:
                    # The interval is of draws of videos: it holds the value.
                    assert row.low - 1e-9 <= row.value <= row.high + 1e-9 or row.videos < 4


def drawn_items(draw: random.Random, size: int) -> list[Item]:
    """Some of everything that a rule may meet."""
    raws = [
        reply("yes", 5),
        reply("no", 0),
        reply("Yes", 4.8),
        reply("no", "4"),
        "{'pred': 'yes'}",
        "yes",
        "",
        '{"pred": "no", "score": 2}',
        "{'pred': 'yes', 'score': 9}",
        "```" + reply("no", 1) + "```",
        None,
        "{'score': 3}",
        "[]",
        "{'pred': 'no', 'score': None}",
        "{'pred': 'no', 'score': float('nan')}",
    ]
    items = []
    for n in range(size):
        excluded = draw.random() < 0.2
        label = draw.choice([None, None, 0.0, 1.0])
        items.append(
            item(
                draw.choice("abcde"),
                draw.choice(raws),
                draw.choice(["camera", "short"]),
                question=str(n),
                category=draw.choice("xyzw"),
                excluded=excluded,
                suspect=excluded or draw.random() < 0.1,
                human_accuracy=label,
                human_score=None if label is None else 5 * label,
            )
        )
    return items


@pytest.mark.parametrize("rounds", [10, pytest.param(60, marks=pytest.mark.long)])
def test_the_table_is_what_each_rule_says_item_by_item(rounds: int) -> None:
    """The arrays behind the table against the rule itself and the plain means."""
    draw = random.Random(8)
    for _ in range(rounds):
        items = drawn_items(draw, draw.randint(1, 60))
        codes = {video: n for n, video in enumerate(dict.fromkeys(i.video for i in items))}
        for policy in POLICIES.values():
            counted = policy.rule(items)
            rows = table(items, [policy.name])
            for aspect in sorted({i.aspect for i in items}):
                inside = [p for p, i in enumerate(items) if i.aspect == aspect]
                why = Counter(counted.dropped[p] for p in inside)
                for measure, values in (("accuracy", counted.accuracy), ("score", counted.score)):
                    group = per_video(
                        [codes[items[p].video] for p in inside], [values[p] for p in inside], len(codes)
                    )
                    for mean in policy.means:
                        row = cell(rows, policy.name, f"{measure}_{mean}", aspect=aspect)
                        wanted = estimate([group], mean)
                        assert (row.n, row.of) == (why[""], len(inside))
                        assert dict(row.dropped) == {k: n for k, n in why.items() if k}
                        for found, expected in (
                            (row.value, wanted.value),
                            (row.low, wanted.low),
                            (row.high, wanted.high),
                        ):
                            assert found == (None if expected is None else pytest.approx(expected))


def test_totals_reconcile_under_every_policy_with_exclusions_and_without_suspects() -> None:
    draw = random.Random(9)
    for _ in range(40):
        items = drawn_items(draw, draw.randint(1, 60))
        for suspects in (True, False):
            chosen = [i for i in items if suspects or not i.suspect]
            rows = table(items, suspects=suspects)
            assert bool(rows) == bool(chosen)
            for policy in POLICIES.values():
                mine = [r for r in rows if r.policy == policy.name and r.metric == f"score_{policy.means[0]}"]
                groups = [r for r in mine if r.group]
                assert (
                    sum(r.n + sum(r.dropped.values()) for r in groups)
                    == sum(r.of for r in groups)
                    == len(chosen)
                )
                for whole in (r for r in mine if not r.group):
                    assert whole.of == len(chosen)
                    assert whole.n + sum(whole.dropped.values()) == whole.of
                excluded = sum(r.dropped.get("excluded", 0) for r in groups)
                assert excluded == (sum(i.excluded for i in chosen) if policy.name == "corrected" else 0)


def test_of_many_groups_the_largest_are_shown_and_the_rest_together() -> None:
    items = [item("a", reply("yes", 5), category=f"c{n:02}") for n in range(30) for _ in range(n + 1)]
    rows = [r for r in table(items, ["parsed"], ["category"], most=4) if r.metric == "score_micro"]
    assert [r.group["category"] for r in rows] == ["c26", "c27", "c28", "c29", "others (26)"]
    assert sum(r.of for r in rows) == len(items)
    found = table(items, ["parsed"], ["category"], most=4, words="c0")
    assert {r.group["category"] for r in found} == {"c06", "c07", "c08", "c09"}


def test_the_mean_of_aspects_weighs_aspects_alike() -> None:
    items = [item("a", reply("yes", 5), "camera") for _ in range(9)] + [item("a", reply("no", 0), "short")]
    assert cell(table(items), "parsed", "accuracy_macro").value == 0.5


def test_suspects_can_be_left_out() -> None:
    items = [item("a", reply("yes", 5)), item("b", reply("no", 0), suspect=True)]
    assert cell(table(items, suspects=False), "parsed", "accuracy_micro", aspect="camera").value == 1


@pytest.mark.long
def test_intervals_cover_the_truth() -> None:
    """200 samples of 60 videos from a known mean: about 95 of 100 intervals hold it."""
    numbers = np.random.default_rng(3)
    held = 0
    for _ in range(200):
        items = []
        for video in range(60):
            p = numbers.beta(2, 3)  # mean 0.4, questions of a video go together
            for _ in range(5):
                yes = numbers.random() < p
                items.append(item(str(video), reply("yes" if yes else "no", 5 if yes else 0)))
        row = cell(table(items, ["parsed"]), "parsed", "accuracy_macro", aspect="camera")
        assert row.low is not None
        assert row.high is not None
        held += row.low <= 0.4 <= row.high
    assert 178 <= held <= 199


def test_two_evaluations_are_compared_on_what_both_count() -> None:
    def run(values: dict[str, str]) -> list[Item]:
        return [item(key[0], raw, question=key) for key, raw in values.items()]

    a = run({"a1": reply("yes", 5), "a2": reply("no", 0), "b1": reply("no", 1), "c1": "?"})
    b = run(
        {
            "a1": reply("yes", 5),
            "a2": reply("yes", 4),
            "b1": reply("no", 2),
            "c1": reply("yes", 5),
            "d1": reply("no", 0),
        }
    )
    differences, flips = compare(a, b)
    accuracy, score = differences
    assert (accuracy.a, accuracy.b, accuracy.difference) == (0.25, 0.5, 0.25)
    assert (accuracy.n, accuracy.only_a, accuracy.only_b, accuracy.videos) == (3, 0, 2, 2)
    assert (accuracy.wins, accuracy.ties, accuracy.losses) == (1, 1, 0)
    assert (score.wins, score.losses, score.difference) == (2, 0, 1.5)
    assert [(f.question, f.before, f.after) for f in flips] == [("a2", 0.0, 1.0)]


def test_the_test_of_a_difference_knows_luck_from_gain() -> None:
    same = [item(str(v), reply("yes" if v % 2 else "no", 3), question=str(v)) for v in range(40)]
    other = [item(str(v), reply("no" if v % 2 else "yes", 3), question=str(v)) for v in range(40)]
    better = [item(str(v), reply("yes", 5), question=str(v)) for v in range(40)]
    assert compare(same, other)[0][0].p == pytest.approx(1, abs=0.2)
    p = compare(same, better)[0][0].p
    assert p is not None
    assert p < 0.001


def test_kappa_by_hand() -> None:
    """The textbook table: 20 and 15 agree, 5 and 10 do not; kappa 0.4."""
    cells = [("yes", 1.0, 20), ("yes", 0.0, 5), ("no", 1.0, 10), ("no", 0.0, 15)]
    items = [
        item(f"v{n % 10}", reply(said, 3), human_accuracy=person, human_score=3.0)
        for said, person, count in cells
        for n in range(count)
    ]
    found = agreement(items)
    assert (found.n, found.observed) == (50, 0.7)
    assert found.kappa.value == pytest.approx(0.4)
    assert found.kappa.low is not None
    assert found.kappa.high is not None
    assert found.kappa.low < 0.4 < found.kappa.high
    assert found.confusion["yes", "no"] == 5
    # AC1: 25 and 30 of 50 are yes, 0.55 on average; by chance 2 x 0.55 x 0.45 = 0.495 agree.
    assert found.ac1.value == pytest.approx((0.7 - 0.495) / (1 - 0.495))
    assert found.ac1.low is not None and found.ac1.low < found.ac1.value
    assert found.base_rate == 0.6
    nothing = agreement([])
    assert (nothing.kappa.value, nothing.ac1.value, nothing.base_rate) == (None, None, None)


def test_ac1_stands_where_kappa_is_not_defined() -> None:
    """All say yes: chance alone would agree always, and so kappa says nothing."""
    items = [item(f"v{n}", reply("yes", 5), human_accuracy=1.0, human_score=5.0) for n in range(4)]
    found = agreement(items)
    assert (found.kappa.value, found.ac1.value, found.base_rate) == (None, 1.0, 1.0)


def lenient_world(seed: int, labelled: int) -> list[Item]:
    """2,000 verdicts, truth 0.4; the judge is right about "no", and half right about "yes"."""
    numbers = np.random.default_rng(seed)
    items = []
    for n in range(2000):
        true = numbers.random() < 0.4
        said = true or numbers.random() < 0.3
        label: dict[str, Any] = {"human_accuracy": float(true), "human_score": 5.0 * true}
        raw = reply("yes" if said else "no", 4 if said else 0)
        items.append(item(f"v{n % 100}", raw, verdict=str(n), **(label if n < labelled else {})))
    return items


@pytest.mark.long
def test_strata_hold_the_truth_and_are_narrower_than_labels_alone() -> None:
    held, narrower = 0, 0
    for seed in range(60):
        found = people_mean(lenient_world(seed, 150))
        assert (found.labelled, found.of) == (150, 2000)
        assert found.estimate.low is not None
        assert found.estimate.high is not None
        held += found.estimate.low <= 0.4 <= found.estimate.high
        narrower += found.estimate.high - found.estimate.low < 2 * 1.96 * (0.24 / 150) ** 0.5
    assert held >= 53
    assert narrower >= 55
    assert found.judge is not None
    assert found.judge > 0.55


def test_the_next_labels_are_where_judge_and_people_disagree() -> None:
    items = lenient_world(1, 150)
    asked = next_labels(items, 50)
    assert len({i.verdict for i in asked}) == 50
    assert all(i.human_accuracy is None for i in asked)
    # The judge is never wrong about "no": nearly all questions are about its "yes".
    assert sum(i.accuracy == 1 for i in asked) >= 45
    assert [i.verdict for i in next_labels(items, 50)] == [i.verdict for i in asked]


def test_without_labels_there_is_no_figure_but_there_is_work() -> None:
    items = lenient_world(2, 0)
    assert people_mean(items).estimate.value is None
    assert len(next_labels(items, 10)) == 10
    everyone = [
        item("v", reply("yes", 5), human_accuracy=1.0, human_score=5.0, verdict=str(n)) for n in range(4)
    ]
    found = people_mean(everyone).estimate
    assert (found.value, found.low, found.high) == (1, 1, 1)
    assert next_labels(everyone) == []

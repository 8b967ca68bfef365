"""The peers' rules on replies with every oddity, beside what their own code does with each."""

from __future__ import annotations

import ast
from statistics import fmean

import pytest

from annotation.scores.replies_as_peers_read_them import read_json_or_literal, vlmevalkit_rating
from annotation.scores.score_table import POOLED, table
from annotation.scores.scored_item import Item
from tests.annotation.scores.test_scores import cell, item

ODD = (
    "{'pred': 'yes'}",
    "{'score': 4}",
    "{'score': 4.8}",
    "{'pred': 'yes', 'score': '4'}",
    "{'score': '4.8'}",
    "{'pred': 'Yes', 'score': 3}",
    "{'pred': 'yes', 'score': True}",
    "{'pred': 'yes', 'score': None}",
    "{'pred': ['yes'], 'score': 2}",
    "{‘pred’: ‘yes’, ‘score’: 4}",
    "{'pred': 'yes', 'score': 4",
    "",
    "[]",
    "yes",
    "\u00a0{'pred': 'yes', 'score': 5}\u00a0",
    "\n{'pred': 'no', 'score': -2}\n",
    "{'pred': 'yes', 'score': 1e999}",
    "{'pred': 'yes', 'score': ' 3 '}",
    "{}",
    "{'Pred': 'yes', 'score': 1}",
    '{"pred": "yes", "score": 2}',
)


def in_2024(reply: str) -> tuple[float, float]:
    """`parse_acc` and `parse_score` of lmms-eval 924814c, on the content that its request strips."""
    try:
        found = ast.literal_eval(reply.strip())
        accuracy = float(str(found.get("pred", "no")) == "yes")
    except Exception:  # noqa: BLE001  # as the peer has it
        return 0.0, 0.0
    try:
        return accuracy, float(int(found.get("score", 0)))
    except Exception:  # noqa: BLE001  # as the peer has it
        return accuracy, 0.0


@pytest.mark.parametrize("raw", ODD)
def test_lmms_eval_of_2024_takes_each_key_for_itself(raw: str) -> None:
    rows = table([item("a", raw)])
    found = [cell(rows, "lmms-eval-2024", f"{m}_macro", aspect="camera").value for m in ("accuracy", "score")]
    assert found == list(in_2024(raw))


def test_a_mean_that_a_log_of_2024_holds_keeps_its_fraction() -> None:
    mean = Item(video="a", aspect="camera", state="done", accuracy=0.5, score=1.84, weight_of=19)
    rows = table([mean])
    assert cell(rows, "lmms-eval-2024", "score_macro", aspect="camera").value == 1.84


def test_a_true_of_a_judge_is_1_to_lmms_eval_as_to_python() -> None:
    rows = table([item("a", "{'pred': 'yes', 'score': True}"), item("a", "{'pred': 'no', 'score': 3}")])
    assert cell(rows, "lmms-eval", "score_macro", aspect="camera").value == 2


def test_vlmevalkit_counts_a_score_below_0_for_accuracy_alone() -> None:
    raws = ["{'pred': 'yes', 'score': -1}", "{'pred': 'no', 'score': 3}", '{"pred": "yes", "score": "4"}']
    rows = table([item("a", raw) for raw in raws])
    accuracy, score = (cell(rows, "vlmevalkit", f"{m}_micro", aspect="camera") for m in ("accuracy", "score"))
    assert (accuracy.value, score.value) == (0.5, 3)
    assert dict(score.dropped) == {"would end its run": 1}


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_score_without_end_would_end_vlmevalkits_run(digits: int) -> None:
    """The mean of such whole numbers is an OverflowError; more than 4,300 digits are not even read."""
    raws = [f'{{"pred": "yes", "score": {"9" * digits}}}', "{'pred': 'no', 'score': 3}"]
    assert vlmevalkit_rating(raws) == (0, 3)
    rows = table([item("a", raw) for raw in raws])
    found = [cell(rows, "vlmevalkit", f"{m}_micro", aspect="camera").value for m in ("accuracy", "score")]
    assert found == [0, 3]


def test_what_vlmevalkit_reads_by_running_it_is_counted_apart() -> None:
    code = (
        "{'pred': 'yes', 'score': 2 + 2}",
        "dict(pred='yes', score=4)",
        "{'pred': 'yes', 'score': int('4')}",
    )
    assert [read_json_or_literal(raw).trouble for raw in code] == ["code"] * 3
    prose = ("yes", "I cannot tell.", "{'pred': yes, 'score': 4}", "4", "")
    assert {read_json_or_literal(raw).trouble for raw in prose} == {"unreadable"}
    rows = table([item("a", code[0]), item("a", "{'pred': 'no', 'score': 3}")])
    dropped = cell(rows, "vlmevalkit", "score_micro", aspect="camera").dropped
    assert dict(dropped) == {"readable by running it alone": 1}


def test_vlmevalkits_overall_is_over_rows_and_not_over_aspects() -> None:
    scores = {"camera": [5, 5, 5], "short": [1]}
    items = [
        item("a", repr({"pred": "no", "score": s}), aspect) for aspect, each in scores.items() for s in each
    ]
    rows = table(items)
    overall = cell(rows, "vlmevalkit", "score_micro")
    assert overall.value == fmean([5, 5, 5, 1])
    assert overall.note == POOLED
    assert cell(rows, "parsed", "score_micro").value == 3

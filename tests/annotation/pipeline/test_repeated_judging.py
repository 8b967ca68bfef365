"""The same answers judged several times: runs, seeds, cache, and what is counted of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from annotation.pipeline.estimate import estimate
from annotation.pipeline.evaluation_pass_runner import work_all
from annotation.pipeline.repeated_judging import plan_repeats
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.reports.evaluation_report import lines, report
from annotation.scores.scoring_policies import MAJORITY
from annotation.store.verdicts.cached_score_items import kept_items
from annotation.store.verdicts.filter_and_order import VerdictFilter
from backends.errors import UsageError
from tests.annotation.pipeline.test_pipeline import model
from tests.annotation.pipeline.test_spent import asking
from tests.annotation.store.verdict_pages import verdicts
from tests.bench import Bench
from tests.chat_server import ChatServer, Seen

YES, NO = "{'pred': 'yes', 'score': 4}", "{'pred': 'no', 'score': 1}"


def moody(seen: Seen) -> Any:
    """Says no with every seed that can be divided by 3, and above temperature 0 with every even one."""
    if "question-answer pair" not in seen.system + seen.user:
        return asking(2)(seen)
    seed, heat = seen.body["seed"], seen.body["temperature"]
    no = seed % 2 == 0 if heat else seed and seed % 3 == 0
    return model(NO if no else YES)(seen)  # type: ignore[operator]


def repeated(bench: Bench, spec: str, times: int, temperature: float = 0.0) -> Evaluation:
    [base] = bench.store.find(Evaluation, order_by=["created_at"], limit=1)
    context = bench.context(bench.engines(judge=spec, captioner=spec))
    plan = plan_repeats(bench.store, base.id, times, temperature)
    found = [evaluation for _, evaluation in work_all(context, plan)]
    assert found[-1]
    return found[-1]


def test_each_repeat_is_a_run_with_its_seed(bench: Bench) -> None:
    with ChatServer(moody) as server:
        bench.run(captioner=server.spec, judge=server.spec)
        before = bench.store.count(Verdict, subject_type="answer")
        evaluation = repeated(bench, server.spec, 4)
        links = bench.store.find(EvaluationRun, evaluation_id=evaluation.id, role="repeats")
        runs = bench.store.find(Run, id=[link.run_id for link in links], order_by=["seed"])
        assert [run.seed for run in runs] == [1, 2, 3]
        assert {run.params["temperature"] for run in runs} == {0.0} and all(run.took for run in runs)
        assert bench.store.count(Verdict, subject_type="answer") == 4 * before
        sent = len(server.seen)
        assert repeated(bench, server.spec, 4).id == evaluation.id and len(server.seen) == sent
        more = bench.context(bench.engines(judge=server.spec, captioner=server.spec))
        plan = plan_repeats(bench.store, evaluation.id, 6)
        told = estimate(more, plan.videos, plan.stages)
        assert [(line.calls, line.kept) for line in told.lines] == [(2 * before, 0)]  # four of six are there


def test_what_counts_of_repeats(bench: Bench) -> None:
    with ChatServer(moody) as server:
        bench.run(captioner=server.spec, judge=server.spec)
        evaluation = repeated(bench, server.spec, 4)
        items = [item for item in kept_items(bench.store, evaluation.id).items if item.question]
        # Its own verdict first, then seeds 1, 2 and 3, which says no.
        assert {item.repeats for item in items} == {((1.0, 4.0), (1.0, 4.0), (1.0, 4.0), (0.0, 1.0))}
        found = report(bench.store, evaluation.id)
        assert found["repeats"]["flip_rate"]["value"] == pytest.approx(0.5)  # three of six pairs
        assert (found["repeats"]["seeds"], found["repeats"]["inconsistent"]) == ([0, 1, 2, 3], len(items))
        scores = {
            row["policy"]: row["value"]
            for row in found["rows"]
            if row["metric"] == "score_micro" and not row["group"]
        }
        assert (scores["parsed"], scores[MAJORITY]) == (4.0, 3.25)
        assert "judged 4 times at temperature 0 (seeds 0, 1, 2, 3)" in "\n".join(lines(found))
        # Above temperature 0 its own verdict was given under another condition.
        sent = len(server.seen)
        hot = repeated(bench, server.spec, 3, 0.7)
        assert hot.id == evaluation.id
        asked = {(seen.body["temperature"], seen.body["seed"]) for seen in server.seen[sent:]}
        assert asked == {(0.7, 1), (0.7, 2), (0.7, 3)}
        items = [item for item in kept_items(bench.store, evaluation.id).items if item.question]
        assert {Counter(item.repeats)[0.0, 1.0] for item in items} == {1} and len(items[0].repeats) == 3
        assert report(bench.store, evaluation.id)["repeats"]["seeds"] == [1, 2, 3]


def test_verdicts_are_sorted_by_how_far_repeats_differ(bench: Bench) -> None:
    def half(seen: Seen) -> Any:
        """Of the questions whose number is .0 the judge changes its word with the seed."""
        if "question-answer pair" not in seen.system + seen.user:
            return asking(2)(seen)
        return model(NO if ".0?" in seen.user and seen.body["seed"] else YES)(seen)  # type: ignore[operator]

    with ChatServer(half) as server:
        bench.run(captioner=server.spec, judge=server.spec)
        evaluation = repeated(bench, server.spec, 2)
    listed = verdicts(bench.store, VerdictFilter(evaluation.id, sort="inconsistent"))
    turned = [".0?" in row.question for row in listed.rows]
    assert turned == sorted(turned, reverse=True) and len(set(turned)) == 2


def test_without_repeats_nothing_is_said(bench: Bench) -> None:
    bench.run()
    [evaluation] = bench.store.find(Evaluation)
    found = report(bench.store, evaluation.id)
    assert found["repeats"] is None and MAJORITY not in found["policies"]


def test_what_cannot_be_repeated_is_refused(bench: Bench) -> None:
    bench.run()
    [evaluation] = bench.store.find(Evaluation)
    for times, temperature in ((1, 0.0), (26, 0.0), (2, -1.0), (2, 3.0)):
        with pytest.raises(UsageError, match=r"2 to 25|0 to 2"):
            plan_repeats(bench.store, evaluation.id, times, temperature)

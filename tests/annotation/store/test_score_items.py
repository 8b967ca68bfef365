"""From the store to items: what counts now, what has no verdict, who corrected what."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.editing.edits import Edit, apply_edit, exclude, set_error_source
from annotation.records.captions_to_verdicts import Question, Verdict
from annotation.records.runs import Evaluation, EvaluationRun
from annotation.reports.evaluation_report import comparison, report
from annotation.store.verdicts.filter_and_order import VerdictFilter
from annotation.store.verdicts.score_items import score_items
from annotation.workspace.workspace import Workspace
from exports.catalogue import format_registry as formats
from tests.annotation.store.verdict_pages import verdicts
from tests.databases import new_workspace
from tests.paths import ROOT
from ui.lib.chosen_evaluation import pick_evaluation

SAMPLE = ROOT / "sample" / "evaluation"


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    made = new_workspace(tmp_path / "w")
    formats.commit(made.store, formats.read(SAMPLE, made.store))
    yield made
    made.close()


def accuracy(space: Workspace, policy: str) -> float:
    [row] = [
        r
        for r in report(space.store, pick_evaluation(space.store), [policy])["rows"]
        if r["group"] == {"aspect": "camera"} and r["metric"] == "accuracy_macro"
    ]
    return float(row["value"])


def test_every_question_of_the_evaluation_is_an_item(space: Workspace) -> None:
    items = score_items(space.store, pick_evaluation(space.store))
    assert len(items) == space.store.count(Question) == 43
    states = {
        state: sum(i.state == state for i in items) for state in ("done", "unparsed", "failed", "missing")
    }
    assert states == {"done": 36, "unparsed": 4, "failed": 2, "missing": 1}
    assert all((i.accuracy is not None) == (i.state == "done") for i in items)
    assert {i.question for i in items} == {q.id for q in space.store.find(Question)}
    assert any(i.caption_words for i in items)


def test_items_of_some_videos_are_those_of_all_that_are_theirs(space: Workspace) -> None:
    evaluation = pick_evaluation(space.store)
    items = score_items(space.store, evaluation)
    for video in {i.video for i in items}:
        mine = sorted((i for i in items if i.video == video), key=repr)
        assert sorted(score_items(space.store, evaluation, [video]), key=repr) == mine


def test_the_words_of_a_caption_are_known_where_the_answers_are_another_evaluations(
    space: Workspace,
) -> None:
    store = space.store
    first = pick_evaluation(store)
    [link] = store.find(EvaluationRun, evaluation_id=first, role="verdicts")
    second = Evaluation(id="evl-second", name="verdicts alone", created_at=time.time())
    store.add([second, replace(link, id="evr-second", evaluation_id=second.id)])

    def words(evaluation: str) -> dict[str, int | None]:
        return {i.verdict: i.caption_words for i in score_items(store, evaluation) if i.verdict}

    assert words(second.id) == words(first)


def test_a_correction_moves_the_corrected_score_alone(space: Workspace) -> None:
    store = space.store
    owner = space.owner()
    before, parsed = accuracy(space, "corrected"), accuracy(space, "parsed")
    labelled = report(store, pick_evaluation(store))["agreement"]
    wrong = next(
        i
        for i in score_items(store, pick_evaluation(store))
        if i.aspect == "camera" and i.accuracy == 0 and i.human_accuracy is None
    )
    value = {"label": "yes", "score": 5}
    apply_edit(store, owner, Edit("verdict", wrong.verdict, "verdict", value, 0))
    assert accuracy(space, "corrected") == pytest.approx(before + 1 / 7)
    assert accuracy(space, "parsed") == pytest.approx(parsed)
    found = report(store, pick_evaluation(store))["agreement"]
    agreed = round(labelled["observed"] * labelled["n"])
    assert found["n"] == labelled["n"] + 1 and found["observed"] == pytest.approx(agreed / found["n"])


def test_a_confirmed_verdict_counts_as_agreement_and_is_no_correction(space: Workspace) -> None:
    store, evaluation = space.store, pick_evaluation(space.store)
    labelled = report(store, evaluation)["agreement"]
    items = score_items(store, evaluation)
    right = next(i for i in items if i.accuracy == 1 and i.human_accuracy is None)
    as_judged = store.current("verdict", right.verdict, "verdict").value
    before, seen = accuracy(space, "corrected"), verdicts(store, VerdictFilter(evaluation)).counts
    apply_edit(store, space.owner(), Edit("verdict", right.verdict, "verdict", as_judged, 0))
    found = report(store, evaluation)["agreement"]
    agreed = round(labelled["observed"] * labelled["n"]) + 1
    assert found["n"] == labelled["n"] + 1 and found["observed"] == pytest.approx(agreed / found["n"])
    assert accuracy(space, "corrected") == pytest.approx(before)
    now = verdicts(store, VerdictFilter(evaluation)).counts
    moved = {name: now[name] - seen[name] for name in ("corrected", "confirmed", "labelled")}
    assert moved == {"corrected": 0, "confirmed": 1, "labelled": 1}
    rows = verdicts(store, VerdictFilter(evaluation, states=("confirmed",))).rows
    assert {row.corrected for row in rows} == {False}
    assert right.verdict in {row.verdict_id for row in rows if row.confirmed}


def test_a_question_named_as_the_error_source_is_suspect(space: Workspace) -> None:
    store = space.store
    first = store.find(Verdict, state="done")[0]
    set_error_source(store, space.owner(), first.id, "question")
    assert [i.verdict for i in score_items(store, pick_evaluation(store)) if i.suspect] == [first.id]


def test_an_excluded_question_is_suspect_and_not_in_the_corrected_figure(space: Workspace) -> None:
    store = space.store
    wrong = next(
        i for i in score_items(store, pick_evaluation(store)) if i.aspect == "camera" and i.accuracy == 0
    )
    before, parsed = accuracy(space, "corrected"), accuracy(space, "parsed")
    exclude(store, space.owner(), wrong.question, "nothing in the video tells")
    [found] = [i for i in score_items(store, pick_evaluation(store)) if i.suspect]
    assert (found.question, found.excluded) == (wrong.question, True)
    assert accuracy(space, "corrected") > before
    assert accuracy(space, "parsed") == parsed
    rows = report(store, pick_evaluation(store), ["corrected"])["rows"]
    assert next(r for r in rows if r["group"] == {"aspect": "camera"})["dropped"]["excluded"] == 1
    fewer = report(store, pick_evaluation(store), ["parsed"], suspects=False)["rows"]
    assert sum(r["of"] for r in fewer if r["group"] and r["metric"] == "score_macro") < 43
    exclude(store, space.owner(), wrong.question, "")
    assert accuracy(space, "corrected") == before


def test_two_evaluations_are_compared_by_their_questions(space: Workspace) -> None:
    store = space.store
    only = pick_evaluation(store)
    other = Evaluation(id="evl-other", name="nothing in it", created_at=time.time())
    store.add([other])
    assert comparison(store, only, other.id)["rows"] == []

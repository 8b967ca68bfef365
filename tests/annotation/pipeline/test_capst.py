"""CapST in the pipeline: elements once, verdicts per element, corrections, and what is asked again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.editing import undo_and_redo
from annotation.editing.edits import Edit, apply_edit
from annotation.pipeline.backfill_and_second_judge import plan_fill
from annotation.pipeline.evaluation_pass_runner import work_all
from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.elements import Element, ElementList
from annotation.records.ids import record_id
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.stages.stage_spec import names_of
from annotation.store.benchmark_of_evaluation import evaluations_of, plain_evaluations
from annotation.store.store import Store
from annotation.systems.carebench.capst_scores import capst_table
from annotation.systems.carebench.current_elements import elements_of, reference_caption
from annotation.systems.carebench.element_edits import add_element
from annotation.systems.carebench.judged_elements import JudgedSide, capst_sides
from backends.errors import UsageError
from exports.catalogue import format_registry as formats
from tests.bench import Bench, failed_requests
from tests.chat_server import ChatServer, failing, mentions, normal, scripted

CAPTION = "A red boat drifts left past an old mill. A cat jumps onto the wall."


@pytest.fixture
def told(bench: Bench, tmp_path: Path) -> Bench:
    """The clip with a reference caption, and a caption of a model of it."""
    record = {
        "video": "two shots.mp4",
        "caption": CAPTION,
        "spatial_caption": "A red boat and an old mill.",
        "temporal_caption": "A boat drifts left.",
        "category": "Sports",
        "subcategory": "sailing",
    }
    file = tmp_path / "metadata.json"
    file.write_text(json.dumps([record]), encoding="utf-8")
    formats.commit(bench.store, formats.read(file, bench.store))
    assert reference_caption(bench.store, bench.video.id) is not None
    run = Run(id="run-cap", stage="captions", backend="import:x", model="boaty", created_at=1.0)
    text = Text(
        id="txt-cap",
        video_id=bench.video.id,
        kind="vdc:detailed",
        subject_type="video",
        subject_id=bench.video.id,
        value="A red boat drifts left. There is a blue house.",
        created_at=1.0,
        run_id=run.id,
    )
    evaluation = Evaluation(id="evl-1", name="boaty", created_at=1.0)
    link = EvaluationRun(id=record_id("evr", 1), evaluation_id="evl-1", role="captions", run_id=run.id)
    bench.store.add([run, text, evaluation, link])
    return bench


def events_of_reference(store: Store, evaluation: Evaluation) -> JudgedSide:
    sides = capst_sides(store, evaluation.id)
    return next(s for s in sides if (s.kind, s.side) == ("event", "reference"))


def work(bench: Bench, *, again: bool = False, **specs: str) -> tuple[Evaluation, int]:
    context = bench.context(bench.engines(**specs), again=again)
    (done,) = work_all(context, plan_fill(bench.store, "evl-1", ["elements", "capst"]))
    assert done[0].problems == [] and done[1] is not None
    return done[1], context.caller.spending.taken.calls


def test_the_baseline_gives_elements_verdicts_and_a_score(told: Bench) -> None:
    evaluation, calls = work(told)
    assert calls == 4 + 4 and evaluation.baseline and evaluation.name == "CapST: boaty, judged by baseline"
    assert [e.id for e in evaluations_of(told.store, "capst")] == [evaluation.id]
    assert [e.id for e in plain_evaluations(told.store)] == ["evl-1"]
    sides = {(s.kind, s.side): s for s in capst_sides(told.store, evaluation.id)}
    events = sides["event", "reference"]
    assert [(j.one.words, j.label) for j in events.judged] == [
        ("A red boat drifts left past an old mill", "neutral"),
        ("A cat jumps onto the wall", "neutral"),
    ]
    assert [j.label for j in sides["event", "prediction"].judged] == ["entailment"]
    assert events.own.kind == "carebench:full" and events.other.id == "txt-cap"
    (row,) = [
        r
        for r in capst_table([s.to_score for s in sides.values()], ["parsed"])
        if r.metric == "precision" and r.group["elements"] == "events"
    ]
    assert (row.value, row.n, row.of) == (1.0, 1, 1)
    assert work(told)[1] == 0, "a second run asks nothing"


def test_the_reference_is_extracted_once_and_put_right_by_people(told: Bench) -> None:
    evaluation, _ = work(told)
    store, owner = told.store, told.workspace.owner()
    reference = reference_caption(store, told.video.id)
    before = elements_of(store, [reference.id])[reference.id, "event"]
    first, second = before.kept
    apply_edit(store, owner, Edit("element", first.element.id, "value", "A boat drifts left", 0))
    apply_edit(store, owner, Edit("element", second.element.id, "value", "", 0, "not in the picture"))
    added = add_element(store, owner, reference.id, "event", "  The mill   turns ")
    with pytest.raises(UsageError, match="short text"):
        add_element(store, owner, reference.id, "event", " ")
    after = elements_of(store, [reference.id])[reference.id, "event"]
    assert [one.words for one in after.kept] == ["A boat drifts left", "The mill turns"]
    stale = events_of_reference(store, evaluation)
    assert [(j.stale, j.label) for j in stale.judged] == [(True, "neutral"), (False, "missing")]
    again, calls = work(told)
    assert again.id == evaluation.id and calls == 1, "one request for the two elements that changed"
    fresh = events_of_reference(store, evaluation)
    assert [(j.stale, j.label) for j in fresh.judged] == [(False, "entailment"), (False, "neutral")]
    assert store.count(ElementList, text_id=reference.id, kind="event") == 1

    assert undo_and_redo.undo(store, owner).action.what == "added the event “The mill turns”"
    now = elements_of(store, [reference.id])[reference.id, "event"]
    assert [one.words for one in now.kept] == ["A boat drifts left"]
    undo_and_redo.undo(store, owner)
    undo_and_redo.redo(store, owner)
    assert store.current("element", added.id, "value").value == "", "redo goes in order"
    assert len(elements_of(store, [reference.id])[reference.id, "event"].kept) == 1


def test_a_verdict_on_an_element_is_corrected_and_counts(told: Bench) -> None:
    evaluation, _ = work(told)
    side = events_of_reference(told.store, evaluation)
    judged = side.judged[0]
    assert judged.verdict is not None
    edit = Edit("verdict", judged.verdict.id, "verdict", {"label": "entailment", "score": None}, 0, "it does")
    apply_edit(told.store, told.workspace.owner(), edit)
    rows = capst_table([s.to_score for s in capst_sides(told.store, evaluation.id)])
    found = {r.policy: r.value for r in rows if r.metric == "recall" and r.group["elements"] == "events"}
    assert (found["parsed"], found["corrected"]) == (0.0, 0.5)


def test_a_reference_that_changed_is_extracted_again_unless_people_touched_it(told: Bench) -> None:
    work(told)
    store, owner = told.store, told.workspace.owner()
    reference = reference_caption(store, told.video.id)
    apply_edit(store, owner, Edit("text", reference.id, "value", "A dog runs in. There is a ball.", 0))
    assert elements_of(store, [reference.id])[reference.id, "event"].stale
    work(told)
    now = elements_of(store, [reference.id])[reference.id, "event"]
    assert [one.words for one in now.kept] == ["A dog runs in"] and not now.stale
    apply_edit(store, owner, Edit("element", now.kept[0].element.id, "value", "A dog runs", 0))
    apply_edit(store, owner, Edit("text", reference.id, "value", "A dog walks in.", 1))
    work(told)
    kept = elements_of(store, [reference.id])[reference.id, "event"]
    assert [one.words for one in kept.kept] == ["A dog runs"] and kept.stale


ENTAILED = json.dumps(
    {"verdicts": [{"number": n, "relationship": "entailment", "reason": "r"} for n in (1, 2)]}
)


def test_a_server_that_fails_and_one_that_cannot_be_read(told: Bench) -> None:
    lists = (
        (mentions("List the events"), normal('{"events": ["A boat drifts", "It rains"]}')),
        (mentions("List the people"), normal('{"objects": []}')),
    )
    with ChatServer(scripted(*lists, (mentions("Statements"), normal("I am not sure.")))) as server:
        evaluation, calls = work(told, extractor=server.spec, judge=server.spec)
        assert calls == 6
        sides = capst_sides(told.store, evaluation.id)
        assert {j.label for s in sides for j in s.judged} == {"unparsed"}
        assert work(told, extractor=server.spec, judge=server.spec)[1] == 0, "unreadable is not asked again"
        assert work(told, again=True, extractor=server.spec, judge=server.spec)[1] == 2
        server.behaviour = scripted(*lists, (mentions("Statements"), normal(ENTAILED)))
        again, _ = work(told, again=True, extractor=server.spec, judge=server.spec)
        assert again.id == evaluation.id and not again.baseline
        assert {j.label for s in capst_sides(told.store, again.id) for j in s.judged} == {"entailment"}
    assert told.store.count(Element) == 4


def test_a_list_that_cannot_be_extracted_is_no_empty_list(told: Bench) -> None:
    broken = scripted((mentions("List the"), normal("no")), (mentions("Statements"), normal(ENTAILED)))
    with ChatServer(broken) as server:
        evaluation, _ = work(told, extractor=server.spec, judge=server.spec)
    assert {s.to_score.state for s in capst_sides(told.store, evaluation.id)} == {"unparsed"}
    rows = capst_table([s.to_score for s in capst_sides(told.store, evaluation.id)])
    assert {r.value for r in rows if r.policy == "parsed"} == {None}


def test_failed_requests_are_tried_again(told: Bench) -> None:
    with ChatServer(failing(400)) as server:
        context = told.context(told.engines(extractor=server.spec, judge=server.spec))
        (done,) = work_all(context, plan_fill(told.store, "evl-1", ["elements", "capst"]))
        assert failed_requests(done[0]) == 4
    assert {one.state for one in told.store.find(ElementList)} == {"failed"}
    _, calls = work(told)
    assert calls == 8


def test_the_pipeline_runs_it_and_stages_over_an_evaluation_are_named(told: Bench) -> None:
    result, _ = told.run("captions", "elements", "capst")
    assert result.problems == [] and told.store.count(Verdict, subject_type="element") > 0
    plan = plan_fill(told.store, "evl-1", ["elements", "capst"])
    assert names_of(plan.stages) == ("elements", "capst")
    with pytest.raises(UsageError, match="on their own"):
        plan_fill(told.store, "evl-1", ["answers", "capst"])

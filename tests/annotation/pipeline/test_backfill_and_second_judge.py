"""What a log lacks is filled, another judge stands beside the first, and references have a ceiling."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from annotation.editing.edits import Edit, apply_edit
from annotation.pipeline.backfill_and_second_judge import plan_fill
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.pipeline.evaluation_pass_runner import plan_summary, work
from annotation.pipeline.stage_runner import new_context
from annotation.records.captions_to_verdicts import Answer, Text, Verdict
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Video
from annotation.reports.flagged_questions import suspect_questions
from annotation.reports.lint_report import workspace_report
from annotation.reports.several_evaluations_report import ceiling_of, pairs, same_answers
from annotation.stages.media_library import MediaLibrary
from annotation.stages.stage_context import Context
from annotation.stages.stage_spec import Plan, names_of
from annotation.store.evaluation_by_name import find_evaluation
from annotation.store.find_ceiling_evaluations import newest_ceiling, refused_by_ceiling
from annotation.store.verdicts.score_items import score_items
from annotation.systems.vdc.run_reference_ceiling import plan_ceiling
from annotation.workspace.workspace import Workspace
from backends.errors import Stopped, UsageError
from exports.catalogue import format_registry as formats
from tests.chat_server import ChatServer, Seen, mentions, normal, scripted
from tests.databases import new_workspace
from tests.exports.peers.peer_files import VIDEOS, lmms_log
from ui.lib.chosen_evaluation import pick_evaluation

YES = "{'pred': 'yes', 'score': 4}"
NO = "{'pred': 'no', 'score': 1}"


def judge(verdict: str = YES) -> object:
    return scripted(
        (mentions("question-answer pair"), normal(verdict)), (mentions("question:"), normal("it pans"))
    )


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    made = new_workspace(tmp_path / "w")
    yield made
    made.close()


def take(space: Workspace, path: Path) -> None:
    formats.commit(space.store, formats.read(path, space.store))


def ask_about(space: Workspace, folder: Path, names: tuple[str, ...] = VIDEOS) -> None:
    """Two questions on each of some videos, as a dataset brings them."""
    folder.mkdir()
    asked = {
        name: [{"question": f"What is {n} of {name}?", "answer": "a cat", "category": "x"} for n in range(2)]
        for name in names
    }
    lines = "".join(json.dumps({name: entries}) + "\n" for name, entries in asked.items())
    (folder / "camera.jsonl").write_text(lines)
    take(space, folder)


def evaluations(space: Workspace) -> dict[str, Evaluation]:
    return {e.name: e for e in space.store.find(Evaluation)}


def runs(space: Workspace, evaluation: Evaluation) -> dict[str, str]:
    return {x.role: x.run_id for x in space.store.find(EvaluationRun, evaluation_id=evaluation.id)}


def context(space: Workspace, server: ChatServer, stop: Event | None = None) -> Context:
    engines = make_engines(EngineChoice(speech="none", judge=server.spec), space)
    return new_context(space, engines, MediaLibrary(space.media), lambda *_: None, stop)


def do(space: Workspace, plan: Plan, server: ChatServer, stop: Event | None = None) -> dict[str, object]:
    held = None
    at = context(space, server, stop)
    for video in plan.videos:
        result, held = work(at, plan, video)
        assert result.problems == []
    assert held
    return plan_summary(space.store, held, plan)


def test_a_log_of_captions_and_means_gets_answers_and_verdicts(space: Workspace, tmp_path: Path) -> None:
    take(space, lmms_log(tmp_path / "log", "v0.4"))
    ask_about(space, tmp_path / "qa", VIDEOS[:2])
    [log] = space.store.find(Evaluation)
    before = runs(space, log)
    with ChatServer(judge()) as server:
        plan = plan_fill(space.store, log.id)
        assert (names_of(plan.stages), len(plan.videos)) == (("answers", "verdicts"), 2)
        assert plan.notes == ("left out: 1 video without questions",)
        found = do(space, plan, server)
        assert len(server.seen) == 8
    assert (found["answers"], found["verdicts"]) == ({"done": 4}, {"yes": 4})
    made = evaluations(space)[str(found["evaluation"])]
    assert made.name == f"{log.name}, judged by {space.store.get(Run, runs(space, made)['verdicts']).model}"
    assert runs(space, made)["captions"] == before["captions"]
    assert runs(space, log) == before, "the means of the log stay as they are"
    assert {i.accuracy for i in score_items(space.store, made.id)} == {1.0}


def test_a_log_of_captions_alone_is_completed(space: Workspace, tmp_path: Path) -> None:
    take(space, lmms_log(tmp_path / "log", "v0.4"))
    ask_about(space, tmp_path / "qa")
    [log] = space.store.find(Evaluation)
    bare = Evaluation(id="evl-bare", name="captions alone", created_at=9.0)
    link = EvaluationRun(
        id="evr-bare", evaluation_id=bare.id, role="captions", run_id=runs(space, log)["captions"]
    )
    space.store.add([bare, link])
    with ChatServer(judge()) as server:
        found = do(space, plan_fill(space.store, bare.id), server)
    assert found["evaluation"] == "captions alone"
    assert set(runs(space, bare)) == {"captions", "answers", "verdicts"}
    assert len(evaluations(space)) == 2


def test_a_real_log_does_not_become_a_baselines(space: Workspace, tmp_path: Path) -> None:
    take(space, lmms_log(tmp_path / "log", "v0.3"))
    [log] = space.store.find(Evaluation)
    plan = plan_fill(space.store, log.id, ["verdicts"])
    engines = make_engines(EngineChoice(speech="none"), space)
    at = new_context(space, engines, MediaLibrary(space.media), lambda *_: None)
    made = [work(at, plan, video)[1] for video in plan.videos][-1]
    assert made
    assert made.baseline
    assert made.id != log.id
    assert not space.store.get(Evaluation, log.id).baseline


def test_judges_stand_beside_each_other_on_the_same_answers(space: Workspace, tmp_path: Path) -> None:
    take(space, lmms_log(tmp_path / "log", "v0.3"))
    [log] = space.store.find(Evaluation)
    answers = runs(space, log)["answers"]
    names = []
    for verdict, model in ((YES, "kind"), (NO, "strict")):
        with ChatServer(judge(verdict), models=(model,)) as server:
            # From the log first, then from the evaluation of the first judge.
            plan = plan_fill(space.store, newest(space), ["verdicts"])
            found = do(space, plan, server)
            names.append(str(found["evaluation"]))
    assert names == [f"{log.name}, judged by kind", f"{log.name}, judged by strict"]
    chains = [runs(space, evaluations(space)[name]) for name in names]
    assert [chain["answers"] for chain in chains] == [answers, answers]
    assert chains[0]["captions"] == chains[1]["captions"]
    kind, strict = (score_items(space.store, evaluations(space)[name].id) for name in names)
    assert {i.accuracy for i in kind} == {1.0}
    assert {i.accuracy for i in strict} == {0.0}
    assert {i.question for i in kind} == {i.question for i in strict}
    chosen = [evaluations(space)[name].id for name in names]
    assert same_answers(space.store, chosen[1]) == [log.id, *chosen]
    [pair] = pairs(space.store, chosen)
    assert (pair["n"], pair["flips"], pair["share"]) == (len(kind), len(kind), 1.0)


def newest(space: Workspace) -> str:
    return space.store.find(Evaluation, order_by=["created_at"])[-1].id


def test_other_answers_are_said_in_the_name(space: Workspace, tmp_path: Path) -> None:
    take(space, lmms_log(tmp_path / "log", "v0.3"))
    [log] = space.store.find(Evaluation)
    with ChatServer(judge(), models=("m",)) as server:
        found = do(space, plan_fill(space.store, log.id, ["answers", "verdicts"]), server)
    assert found["evaluation"] == f"{log.name}, answers by m, judged by m"
    asked = {a.question_id for a in space.store.find(Answer, run_id=runs(space, log)["answers"])}
    mine = runs(space, evaluations(space)[str(found["evaluation"])])["answers"]
    assert {a.question_id for a in space.store.find(Answer, run_id=mine)} == asked


def test_a_stopped_fill_goes_on_and_repeats_no_finished_call(space: Workspace, tmp_path: Path) -> None:
    take(space, lmms_log(tmp_path / "log", "v0.4"))
    ask_about(space, tmp_path / "qa")
    [log] = space.store.find(Evaluation)
    stop = Event()
    with ChatServer(judge()) as server:

        def stopping(seen: Seen) -> object:
            if len(server.seen) >= 3:
                stop.set()
            return judge()(seen)  # type: ignore[operator]

        server.behaviour = stopping
        with pytest.raises(Stopped):
            do(space, plan_fill(space.store, log.id), server, stop)
        assert space.store.count(Answer, state="done") < 6
        server.behaviour = judge()
        do(space, plan_fill(space.store, log.id), server)
        sent = [json.dumps(seen.body, sort_keys=True) for seen in server.seen]
        assert len(sent) == len(set(sent)) == 12
        do(space, plan_fill(space.store, log.id), server)
        assert len(server.seen) == 12
    assert space.store.count(Answer) == space.store.count(Verdict, subject_type="answer") == 6


@pytest.mark.parametrize(
    ("generation", "stages", "message"),
    [
        ("v0.4", ["verdicts"], "no answers to judge"),
        ("v0.4", ["scenes"], "choose from questions, answers"),
        ("v0.4", [], "has questions; import them"),
    ],
)
def test_what_cannot_be_filled_says_why(
    space: Workspace, tmp_path: Path, generation: str, stages: list[str], message: str
) -> None:
    take(space, lmms_log(tmp_path / "log", generation))
    [log] = space.store.find(Evaluation)
    with pytest.raises(UsageError, match=message):
        plan_fill(space.store, log.id, stages)


# --- the ceiling ----------------------------------------------------------------------


def test_the_references_are_answered_and_judged_like_any_caption(space: Workspace, tmp_path: Path) -> None:
    take(space, lmms_log(tmp_path / "log", "v0.4"))  # which holds the references
    ask_about(space, tmp_path / "qa", (*VIDEOS, "elsewhere"))
    extract = scripted((mentions("What is 1"), normal("a dog")), (mentions("question:"), normal("a cat")))
    with ChatServer(
        scripted(
            (lambda seen: mentions("question-answer pair")(seen) and mentions("a dog")(seen), normal(NO)),
            (mentions("question-answer pair"), normal(YES)),
            (lambda _: True, extract),
        ),
        models=("m",),
    ) as server:
        plan = plan_ceiling(space.store)
        assert plan.notes == ("left out: 2 questions without a reference caption",)
        found = do(space, plan, server)
        sent = [seen.user for seen in server.seen if "question:" in seen.user]
    assert any("Reference 1." in user for user in sent)
    assert (found["evaluation"], found["verdicts"]) == ("ceiling, judged by m", {"no": 3, "yes": 3})
    made = evaluations(space)["ceiling, judged by m"]
    captions = space.store.get(Run, runs(space, made)["captions"])
    assert (captions.stage, captions.backend, captions.model) == (
        "captions",
        "reference",
        "reference caption",
    )
    assert newest_ceiling(space.store) == made
    texts = {a.text_id for a in space.store.find(Answer, run_id=runs(space, made)["answers"])}
    assert texts == {t.id for t in space.store.find(Text) if t.dataset_id}
    refused = {
        f["question"]: f["why"] for f in workspace_report(space.store)["findings"] if f["check"] == "ceiling"
    }
    assert set(refused) == {f"What is 1 of {name}?" for name in VIDEOS}
    assert set(refused.values()) == {
        "from its own reference caption the answer is 'a dog', and the verdict is no"
    }
    assert len(suspect_questions(space.store)) >= 3
    [log] = [e.id for name, e in evaluations(space).items() if name != made.name]
    ceiling = ceiling_of(space.store, log)
    assert ceiling and (ceiling["id"], ceiling["same_judge"]) == (made.id, False)
    assert ceiling["figures"]["accuracy_macro"] == {"camera": 0.5}
    assert ceiling_of(space.store, made.id) is None
    # A reference that is put right is no longer what was judged.
    [text] = space.store.find(Text, value="Reference 1.")
    apply_edit(space.store, space.owner(), Edit("text", text.id, "value", "Two cats.", 0))
    assert len(refused_by_ceiling(space.store)) == 2
    with pytest.raises(UsageError, match=r"app\.py ceiling"):
        plan_fill(space.store, made.id, ["answers", "verdicts"])


def test_a_ceiling_of_the_baseline_is_no_evidence(space: Workspace, tmp_path: Path) -> None:
    take(space, lmms_log(tmp_path / "log", "v0.4"))
    ask_about(space, tmp_path / "qa")
    plan = plan_ceiling(space.store, space.store.find(Video)[:1])
    engines = make_engines(EngineChoice(speech="none"), space)
    at = new_context(space, engines, MediaLibrary(space.media), lambda *_: None)
    [made] = [work(at, plan, video)[1] for video in plan.videos]
    assert made
    assert made.baseline
    assert newest_ceiling(space.store) == made
    assert refused_by_ceiling(space.store) == {}
    log = find_evaluation(space.store, next(n for n in evaluations(space) if n != made.name))
    assert pick_evaluation(space.store) == log


def test_a_ceiling_needs_references(space: Workspace, tmp_path: Path) -> None:
    ask_about(space, tmp_path / "qa")
    with pytest.raises(UsageError, match="none of the 6 questions"):
        plan_ceiling(space.store)

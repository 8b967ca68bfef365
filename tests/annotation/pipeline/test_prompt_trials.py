"""Versions of the judge's and the extractor's prompt: kept, tried on what people labelled, put into use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.editing import undo_and_redo
from annotation.editing.edits import Edit, apply_edit
from annotation.editing.write_prompt_versions import add_version, put_into_use
from annotation.people.permissions import may
from annotation.pipeline.backfill_and_second_judge import plan_fill
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.pipeline.estimate import estimate
from annotation.pipeline.evaluation_pass_runner import work_all
from annotation.pipeline.prompt_trials import labelled, trial_of
from annotation.pipeline.stage_runner import new_context
from annotation.prompts.prompt_files import load_prompts
from annotation.records.allowed_values import TextKind
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.decisions import Person
from annotation.records.errors import NotAllowed
from annotation.records.prompt_versions import PromptLook, PromptVersion
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Video
from annotation.reports.evaluation_report import comparison, comparison_lines, lines, report
from annotation.reports.methods import methods
from annotation.reports.prompt_versions_report import workshop, workshop_lines
from annotation.scores.held_back_half import is_held_back
from annotation.stages.media_library import MediaLibrary
from annotation.stages.stage_context import Context
from annotation.stages.stage_spec import Plan
from annotation.systems.video_mmlu.kinds import NOTES, REASONING
from annotation.workspace.prompts_in_use import in_use, other_prompts, prompts_in_use
from annotation.workspace.workspace import Workspace
from backends.errors import UsageError
from tests.bench import failed_requests
from tests.chat_server import ChatServer, Reply, Seen
from tests.databases import new_workspace

VIDEOS, EACH = 6, 8
JUDGE, EXTRACTOR = "vdc_verdict", "vdc_answer"
OF_NOTES, OF_REASONING = "mmlu_verdict_notes", "mmlu_verdict_quiz"
USUAL = load_prompts()
LOG = "evl-log"


def world(*kinds: TextKind) -> Iterator[Record]:
    """A log with questions of these kinds in turn, whose judge says yes to everything."""
    yield Evaluation(id=LOG, name="log", created_at=1.0)
    for role in ("captions", "answers", "verdicts"):
        yield Run(id=f"run-{role}", stage=role, backend="import:x", model="gpt", created_at=1.0)
        yield EvaluationRun(id=f"evr-{role}", evaluation_id=LOG, role=role, run_id=f"run-{role}")  # type: ignore[arg-type]
    for v in range(VIDEOS):
        about: dict[str, Any] = {"video_id": f"vid-{v}", "created_at": 1.0}
        yield Video(id=f"vid-{v}", title=f"film {v}", created_at=1.0)
        yield Text(
            id=f"txt-{v}",
            kind=kinds[0],
            subject_type="video",
            subject_id=f"vid-{v}",
            value=f"A boat, film {v}.",
            run_id="run-captions",
            **about,
        )
        for n in range(EACH):
            q, kind = f"{v}-{n}", kinds[n % len(kinds)]
            yield Question(id=f"qst-{q}", kind=kind, index=n, text=f"What is {q}?", reference="red", **about)
            yield Answer(
                id=f"ans-{q}",
                question_id=f"qst-{q}",
                run_id="run-answers",
                source="caption" if kind == kinds[0] else "video",
                value=f"answer {q}",
                text_id=f"txt-{v}" if kind == kinds[0] else None,
                **about,
            )
            yield Verdict(
                id=f"jdg-{q}",
                run_id="run-verdicts",
                subject_type="answer",
                subject_id=f"ans-{q}",
                value_type="yes_no_score",
                state="done",
                label="yes",
                score=5.0,
                **about,
            )


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    made = new_workspace(tmp_path / "w")
    made.store.add(list(world("vdc:short")))
    yield made
    made.close()


@pytest.fixture
def lectures(tmp_path: Path) -> Iterator[Workspace]:
    made = new_workspace(tmp_path / "w")
    made.store.add(list(world(NOTES, REASONING)))
    yield made
    made.close()


def half(held_back: bool) -> list[str]:
    """Questions of one half, in order."""
    names = [f"{v}-{n}" for v in range(VIDEOS) for n in range(EACH)]
    return [name for name in names if is_held_back(f"qst-{name}") is held_back]


WORK, HELD = half(False), half(True)


def label(space: Workspace, names: list[str], yes: int) -> None:
    """People say yes to the first of them, and no to the others."""
    for place, name in enumerate(names):
        said = {"label": "yes", "score": 5} if place < yes else {"label": "no", "score": 0}
        apply_edit(space.store, space.owner(), Edit("verdict", f"jdg-{name}", "verdict", said, 0))


def judge(says_yes: set[str]) -> Any:
    """Says yes to these questions when it is asked with a strict prompt, and to all with any other."""

    def behave(seen: Seen) -> Reply | str:
        if "detailed description" in seen.user:
            name = seen.user.partition("What is ")[2].partition("?")[0]
            return f"better {name}" if "look twice" in seen.system else f"answer {name}"
        name = seen.user.partition("What is ")[2].partition("?")[0]
        yes = name in says_yes if "strict" in seen.system else True
        return "{'pred': 'yes', 'score': 5}" if yes else "{'pred': 'no', 'score': 0}"

    return behave


def version(
    space: Workspace, name: str = "strict", prompt: str = JUDGE, words: str = "Be strict. "
) -> PromptVersion:
    usual = USUAL[prompt]
    return add_version(
        space.store, space.owner(), space.prompts, prompt, name, words + usual.system, usual.user
    )


def asking(space: Workspace, server: ChatServer) -> Context:
    engines = make_engines(EngineChoice(speech="none", ocr="none", judge=server.spec), space)
    return new_context(space, engines, MediaLibrary(space.media), lambda *_: None)


def do(space: Workspace, server: ChatServer, plan: Plan) -> int:
    """How many calls were new."""
    context = asking(space, server)
    for result, _ in work_all(context, plan):
        assert result.problems == [] and failed_requests(result) == 0
    return context.caller.spending.taken.calls


def try_(
    space: Workspace,
    server: ChatServer,
    made: PromptVersion | None,
    *,
    held_back: bool = False,
    prompt: str = JUDGE,
) -> int:
    return do(space, server, trial_of(space, space.owner(), LOG, prompt, made, held_back=held_back))


def figures(space: Workspace, prompt: str = JUDGE) -> dict[str, Any]:
    return workshop(space.store, space.prompts, LOG, prompt)


def test_a_version_is_judged_on_the_labelled_half_alone_and_its_kappa_is_that_of_the_table(
    space: Workspace,
) -> None:
    """People: 8 yes, 4 no. The version: yes to 6 of the 8 and to 1 of the 4."""
    mine = WORK[:12]
    label(space, mine, 8)
    label(space, HELD[:6], 3)
    made = version(space)
    with ChatServer(judge({*mine[:6], mine[8]})) as server:
        assert try_(space, server, made) == 12
        assert {seen.system.startswith("Be strict. ") for seen in server.seen} == {True}
        assert try_(space, server, made) == 0, "nothing is asked twice"
        assert try_(space, server, None) == 12
    found = figures(space)
    assert found["labels"] == {"work": 12, "held_back": 6}
    [figure] = found["versions"][0]["figures"]
    # yes-yes 6, yes-no 1, no-yes 2, no-no 3: 9 of 12 agree; chance 7/12 * 8/12 + 5/12 * 4/12 = 76/144
    assert (figure["half"], figure["n"], figure["of"], figure["engine"]) == ("work", 12, 12, "tiny")
    assert figure["observed"] == pytest.approx(9 / 12)
    assert figure["kappa"]["value"] == pytest.approx((9 / 12 - 76 / 144) / (1 - 76 / 144))
    # AC1: both shares of yes are 15/24 on average, chance 2 * 15/24 * 9/24
    assert figure["ac1"]["value"] == pytest.approx((9 / 12 - 0.46875) / (1 - 0.46875))
    assert figure["base_rate"] == pytest.approx(8 / 12)
    assert figure["kappa"]["low"] is not None
    assert figure["kappa"]["low"] < figure["kappa"]["value"] < figure["kappa"]["high"]
    # A judge that says yes to all: 8 of 12 agree, as chance alone would; so did the log's.
    [usual] = found["usual"]["figures"]
    [as_judged] = found["as_judged"]
    assert usual["kappa"]["value"] == as_judged["kappa"]["value"] == pytest.approx(0)
    assert as_judged["observed"] == pytest.approx(8 / 12)
    assert "0.750 of 12 agree, kappa 0.471" in "\n".join(workshop_lines(found))


def test_what_is_held_back_opens_once_and_a_second_look_is_marked(space: Workspace) -> None:
    label(space, WORK[:4], 2)
    label(space, HELD[:6], 3)
    first, second = version(space), version(space, "stricter", words="Be very strict. ")
    with ChatServer(judge(set(HELD[:3]))) as server:
        try_(space, server, first)
        assert space.store.find(PromptLook) == [] and figures(space)["looks"] == []
        assert try_(space, server, first, held_back=True) == 12, "the usual prompt stands beside it"
        found = figures(space)
        shown = {row["half"]: row for row in found["versions"][0]["figures"]}
        assert (shown["held_back"]["n"], shown["held_back"]["kappa"]["value"]) == (6, 1.0)
        assert [row["half"] for row in found["usual"]["figures"]] == ["held_back"]
        assert [row["half"] for row in found["as_judged"]] == ["work", "held_back"]
        [look] = found["looks"]
        assert (look["number"], look["label"], look["by"], look["n"]) == (1, "strict", space.owner().name, 6)
        assert try_(space, server, first, held_back=True) == 0
        assert len(figures(space)["looks"]) == 1, "the same version again is no other look"
        try_(space, server, second)
        assert {row["half"] for row in figures(space)["versions"][1]["figures"]} == {"work"}
        try_(space, server, second, held_back=True)
    found = figures(space)
    assert [(look["number"], look["label"]) for look in found["looks"]] == [(1, "strict"), (2, "stricter")]
    assert "look 2: no longer held back" in workshop_lines(found)[-1]


def test_a_look_that_could_not_be_planned_is_not_recorded(space: Workspace) -> None:
    made = version(space)
    with pytest.raises(UsageError, match="half held back has no labelled verdict"):
        trial_of(space, space.owner(), LOG, JUDGE, made, held_back=True)
    label(space, HELD[:2], 1)
    with pytest.raises(UsageError, match="choose a version to test on the held back half"):
        trial_of(space, space.owner(), LOG, JUDGE, None, held_back=True)
    with pytest.raises(NotAllowed):
        reader = space.add_person("ann", "annotator")
        assert not may(reader, "run")
        trial_of(space, reader, LOG, JUDGE, made, held_back=True)
    assert space.store.find(PromptLook) == []


def test_a_version_of_the_extractor_is_judged_on_the_answers_that_it_finds(space: Workspace) -> None:
    mine = WORK[:4]
    label(space, mine, 2)
    made = version(space, "twice", EXTRACTOR, "look twice. ")
    with ChatServer(judge(set())) as server:
        assert try_(space, server, made, prompt=EXTRACTOR) == 8
        judged = [seen.user for seen in server.seen if "question-answer pair" in seen.user]
    assert len(judged) == 4 and all("better " in words for words in judged)
    [figure] = figures(space, EXTRACTOR)["versions"][0]["figures"]
    assert (figure["n"], figure["observed"], figure["other_answers"]) == (4, 0.5, 4)
    assert figure["engine"] == "tiny · tiny"
    assert len(labelled(space.store, LOG, EXTRACTOR)) == 4, "labels stay with the verdicts that people judged"


def test_the_version_in_use_asks_and_every_figure_names_it(space: Workspace) -> None:
    label(space, WORK[:3], 1)
    made = version(space)
    owner = space.owner()
    with ChatServer(judge(set(WORK[:3]))) as server:
        try_(space, server, made)
        assert put_into_use(space.store, owner, JUDGE, made)
        assert not put_into_use(space.store, owner, JUDGE, made)
        assert do(space, server, plan_fill(space.store, LOG, ["verdicts"])) == VIDEOS * EACH - 3
        assert prompts_in_use(space.store, space.prompts)[JUDGE].hash == made.hash
        evaluation = next(e for e in space.store.find(Evaluation) if e.id != LOG)
        assert evaluation.name == "log, judged by tiny, judge's prompt strict"
        [link] = space.store.find(EvaluationRun, evaluation_id=evaluation.id, role="verdicts")
        assert space.store.get(Run, link.run_id).prompt_hash == made.hash
        named = f"judge's prompt “strict” {made.hash[:12]}"
        assert [str(one) for one in other_prompts(space.store, evaluation.id)] == [named]
        assert lines(report(space.store, evaluation.id))[0].endswith(f"{named}: not a VDCscore")
        assert other_prompts(space.store, LOG) == []
        said = methods(space.store, report(space.store, evaluation.id))
        assert f"(prompt “strict” {made.hash[:12]})" in said and "not a published metric" in said
        beside = comparison_lines(comparison(space.store, LOG, evaluation.id))
        assert f"B: {named}: not the protocol's" in beside
        assert "different prompts: differences may come from the prompts" in beside
        undone = undo_and_redo.undo(space.store, owner)
        assert undone and undone.action.what == "put “strict” into use for the judge"
        assert in_use(space.store, JUDGE) is None
        undo_and_redo.redo(space.store, owner)
        assert in_use(space.store, JUDGE) == made
        assert put_into_use(space.store, owner, JUDGE, None) and in_use(space.store, JUDGE) is None


def test_each_judge_of_video_mmlu_has_versions_that_are_tried_on_its_own_verdicts(
    lectures: Workspace,
) -> None:
    """Notes: people say yes to 4 of 6, the version to 3 of these. Reasoning has the other prompt."""
    space = lectures
    notes, reasoning = ([name for name in WORK if int(name[-1]) % 2 == odd] for odd in (0, 1))
    label(space, notes[:6], 4)
    label(space, reasoning[:4], 2)
    made = version(space, "strict", OF_NOTES)
    with ChatServer(judge({*notes[:3]})) as server:
        assert try_(space, server, made, prompt=OF_NOTES) == 6
        assert all(one.system.startswith(f"Be strict. {USUAL[OF_NOTES].system}") for one in server.seen)
        with pytest.raises(UsageError, match="the half to work with has no labelled verdict by vdc_verdict"):
            try_(space, server, None)
        [figure] = figures(space, OF_NOTES)["versions"][0]["figures"]
        # yes-yes 3, no-yes 1, no-no 2: 5 of 6 agree; chance 3/6 * 4/6 + 3/6 * 2/6 = 1/2
        assert (figure["n"], figure["of"], figure["observed"]) == (6, 6, pytest.approx(5 / 6))
        assert figure["kappa"]["value"] == pytest.approx(2 / 3)
        other = figures(space, OF_REASONING)
        assert (other["labels"]["work"], other["versions"], other["who"]) == (4, [], "judge of reasoning")
        put_into_use(space.store, space.owner(), OF_NOTES, made)
        plan = plan_fill(space.store, LOG, ["verdicts"])
        [told] = estimate(asking(space, server), plan.videos, plan.stages).lines
        assert (told.calls, told.kept) == (VIDEOS * EACH - 6, 6), "what was tried is not asked again"
        assert do(space, server, plan) == told.calls
    evaluation = next(e for e in space.store.find(Evaluation) if e.id != LOG)
    assert evaluation.name == "log, judged by tiny, judge's prompt strict"
    both = prompts_in_use(space.store, space.prompts).hash(OF_NOTES, OF_REASONING)
    named = f"judge's prompt “strict” {both[:12]}"
    assert [str(one) for one in other_prompts(space.store, evaluation.id)] == [named]
    assert lines(report(space.store, evaluation.id))[0].endswith(f"{named}: not a Video-MMLU score")


def test_what_somebody_else_has_put_into_use_since_is_left_alone(space: Workspace) -> None:
    made, other = version(space), version(space, "stricter", words="Be very strict. ")
    rita = space.add_person("rita", "researcher")
    put_into_use(space.store, space.owner(), JUDGE, made)
    put_into_use(space.store, rita, JUDGE, other)
    with pytest.raises(Exception, match="changed since by rita"):
        undo_and_redo.undo(space.store, space.owner())
    assert in_use(space.store, JUDGE) == other


def test_a_wording_that_is_no_version_is_refused_with_a_sentence(space: Workspace) -> None:
    usual, owner = USUAL[JUDGE], space.owner()

    def add(who: Person, name: str, user: str, system: str = "s", prompt: str = JUDGE) -> PromptVersion:
        return add_version(space.store, who, space.prompts, prompt, name, system, user)

    without = usual.user.replace("{question}", "")
    with pytest.raises(UsageError, match=r"lacks \{question\}: put it where the model is to read"):
        add(owner, "a", without)
    with pytest.raises(UsageError, match=r"unknown placeholder \{quest\}"):
        add(owner, "a", usual.user + "{quest}")
    with pytest.raises(UsageError, match="in its system part"):
        add(owner, "a", usual.user, "{question}")
    with pytest.raises(UsageError, match="the same as the current prompt"):
        add(owner, "a", usual.user, usual.system)
    with pytest.raises(UsageError, match="name of 1 to 40"):
        add(owner, " ", usual.user)
    with pytest.raises(UsageError, match="prompt 'vript_hal' cannot have versions"):
        add(owner, "a", usual.user, prompt="vript_hal")
    with pytest.raises(NotAllowed):
        add(space.add_person("ann", "annotator"), "a", usual.user)
    add(owner, "a", usual.user)
    with pytest.raises(UsageError, match="the same as version 'a'"):
        add(owner, "b", usual.user)
    with pytest.raises(UsageError, match="already exists; choose another name"):
        add(owner, "a", usual.user, "t")
    assert load_prompts()[JUDGE] == usual

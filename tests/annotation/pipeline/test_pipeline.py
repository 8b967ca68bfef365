"""The pipeline on a real clip: what it gives, that it repeats for nothing, stops, and tries again."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import pytest

from annotation.editing.edits import Edit, apply_edit
from annotation.pipeline.counts_of_video import video_summary
from annotation.pipeline.rejudge_questions import questions_of, rerun
from annotation.pipeline.stage_registry import USUAL
from annotation.pipeline.stage_runner import REMOVED, VideoResult, each_video, run_video
from annotation.records.allowed_values import SCRIPT_FIELDS, VDC_ASPECTS
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.decisions import Person, Selection
from annotation.records.errors import NotAllowed
from annotation.records.fingerprints import of_text
from annotation.records.runs import Evaluation, ModelCall, Run, RunVideo
from annotation.records.videos import Frame, Video
from annotation.stages.stage_context import Context
from annotation.stages.stage_spec import StageSpec, names_of
from annotation.systems.vdc import caption_prompt_pool
from backends.errors import BackendUnavailable, Stopped, UsageError
from tests.bench import Bench, failed_requests
from tests.chat_server import ChatServer, Reply, failing, has_images, mentions, normal, scripted

SCRIPT = (
    '{"shot_type": "wide", "camera_movement": "static", "content": "A texture.", "scene_title": "Texture"}'
)
QUESTIONS = '{"questions": [{"question": "What is it?", "answer": "A texture", "category": "object"}]}'


def model(verdict: str = "{'pred': 'yes', 'score': 4.8}") -> object:
    """A server that plays every role."""
    return scripted(
        (mentions("scene_title"), normal(SCRIPT)),
        (mentions("<Frame 1>"), normal("<Frame 1>: One thing.\n<Frame 2>: Another thing.")),
        (has_images, normal("A texture fills the picture.")),
        (mentions("You write questions"), normal(QUESTIONS)),
        (mentions("question-answer pair"), normal(verdict)),
        (mentions("Choose one of the following options"), normal("A. Action Progression")),
        (mentions("spatial"), normal('{"spatial": "A texture.", "temporal": "It fills the picture."}')),
        (mentions("question:"), normal("A texture")),
    )


def test_every_stage_gives_its_records_with_the_embedded_engine(bench: Bench) -> None:
    result, _ = bench.run()
    assert result.problems == []
    found = video_summary(bench.store, bench.video)
    assert found["scenes"] == 2
    assert found["captions"] == {"script": 2 * len(SCRIPT_FIELDS), "vdc": 5, "carebench": 2, "frame": 5}
    assert found["questions"] and found["answers"] == {"done": found["questions"]}
    assert sum(found["verdicts"].values()) == found["questions"]
    assert set(found["keyframes"]) == {"progression", "uniform", "clusters"}
    states = {row.stage: row.state for row in bench.store.find(RunVideo)}
    idle = ("speech", "text", "elements", "capst")
    assert states == {stage: "skipped" if stage in idle else "done" for stage in names_of(USUAL)}
    assert all(run.baseline for run in bench.store.find(Run, stage=["script", "verdicts"]))
    assert bench.store.find(Evaluation)[0].baseline


def test_a_second_run_makes_no_call_and_no_record(bench: Bench) -> None:
    bench.run()
    before = {kind: bench.store.count(kind) for kind in (Text, Question, Answer, Verdict, Selection, Run)}
    _, context = bench.run()
    assert context.caller.spending.taken.calls == 0
    assert {kind: bench.store.count(kind) for kind in before} == before


def test_a_model_server_plays_all_roles_and_every_call_is_kept(bench: Bench) -> None:
    with ChatServer(model()) as server:
        result, context = bench.run(captioner=server.spec, judge=server.spec)
        assert result.problems == [] and failed_requests(result) == 0
        assert context.caller.spending.taken.calls == len(server.seen) == bench.store.count(ModelCall)
    verdicts = bench.store.find(Verdict, subject_type="answer")
    assert {(v.state, v.label, v.score, v.baseline) for v in verdicts} == {("done", "yes", 4.8, False)}
    assert all(v.call_id and v.raw for v in verdicts)
    caption = bench.store.find(Text, kind="vdc:detailed")[0]
    assert caption.frames and caption.value == "A texture fills the picture."
    call = bench.store.get(ModelCall, caption.call_id)
    assert call.frames == caption.frames
    assert sum("jpeg_sha256" in part for part in call.request["user"]) == len(caption.frames)


def test_the_frames_that_a_model_sees_are_those_recorded(bench: Bench) -> None:
    with ChatServer(model()) as server:
        bench.run("scenes", "script", captioner=server.spec, judge=server.spec)
        sent = [len(seen.images) for seen in server.seen]
    scripts = bench.store.find(Text, kind="script:content")
    assert sent == [3, 3]
    assert sorted(text.frames for text in scripts) == [(10, 25, 40), (60, 75, 90)]


def test_unreadable_is_kept_and_not_asked_again(bench: Bench) -> None:
    with ChatServer(model(verdict="I would rather not say.")) as server:
        bench.run(captioner=server.spec, judge=server.spec)
        asked = len(server.seen)
        bench.run(captioner=server.spec, judge=server.spec)
        assert len(server.seen) == asked
    verdicts = bench.store.find(Verdict, subject_type="answer")
    assert verdicts and {(v.state, v.score) for v in verdicts} == {("unparsed", None)}
    assert all(v.raw == "I would rather not say." and v.reason for v in verdicts)


def test_what_failed_is_tried_again_by_the_next_run(bench: Bench) -> None:
    refused = Reply(status=400, error="no verdicts today")
    with ChatServer(
        scripted((mentions("question-answer pair"), lambda _: refused), (lambda _: True, model()))
    ) as server:
        result, _ = bench.run(captioner=server.spec, judge=server.spec)
        assert failed_requests(result) == len(VDC_ASPECTS)
        failed = bench.store.find(Verdict, subject_type="answer")
        assert {v.state for v in failed} == {"failed"} and "no verdicts today" in failed[0].reason
        server.behaviour = model()
        result, _ = bench.run(captioner=server.spec, judge=server.spec)
    assert failed_requests(result) == 0
    assert video_summary(bench.store, bench.video)["verdicts"] == {"yes": len(VDC_ASPECTS)}


def test_stopping_keeps_what_is_finished_and_the_next_run_goes_on(bench: Bench) -> None:
    stop = Event()
    with ChatServer(model()) as server:

        def answer(seen: object) -> object:
            if len(server.seen) >= 8:
                stop.set()
            return model()(seen)

        server.behaviour = answer
        context = bench.context(bench.engines(captioner=server.spec, judge=server.spec), stop)
        with pytest.raises(Stopped):
            run_video(context, bench.video, USUAL)
        kept = bench.store.count(ModelCall)
        assert kept >= 8
        assert "stopped" in {row.state for row in bench.store.find(RunVideo)}
        server.behaviour = model()
        _, again = bench.run(captioner=server.spec, judge=server.spec)
        assert len(server.seen) == bench.store.count(ModelCall) == kept + again.caller.spending.taken.calls


def test_a_server_that_is_down_stops_the_run_with_what_to_type(bench: Bench) -> None:
    with ChatServer(failing(500)) as server:
        spec = server.spec
    with pytest.raises(BackendUnavailable, match="serve"):
        bench.run(captioner=spec)


def test_a_corrected_caption_makes_stale_and_running_again_keeps_both(bench: Bench) -> None:
    bench.run()
    store, person = bench.store, bench.workspace.owner()
    evaluation = store.find(Evaluation)[0]
    caption = store.find(Text, kind="vdc:camera", state="done")[0]
    apply_edit(store, person, Edit("text", caption.id, "value", "The camera zooms in quickly.", 0, "seen"))
    stale = [
        a for a in store.find(Answer, text_id=caption.id) if store.current("answer", a.id, "value").stale
    ]
    assert stale
    questions = questions_of(store, evaluation.id, video_id=bench.video.id, kind="vdc:camera")
    done = rerun(bench.context(bench.engines()), person, evaluation.id, questions)
    assert done.evaluation_id == evaluation.id and len(done.verdicts) == len(questions)
    answers = store.find(Answer, text_id=caption.id)
    assert len(answers) == 2 * len(questions)
    now = store.currents("answer", [a.id for a in answers], "value")
    assert sum(current.superseded for current in now.values()) == len(questions)
    assert not any(c.stale for c in now.values() if not c.superseded)


def test_a_split_is_made_from_the_caption_as_people_left_it(bench: Bench) -> None:
    bench.run("probe", "scenes", "measurements", "captions")
    detailed = bench.store.find(Text, kind="vdc:detailed")[0]
    words = "A red boat lies at a dock. It sails away."
    apply_edit(bench.store, bench.workspace.owner(), Edit("text", detailed.id, "value", words, 0))
    bench.run("split")
    spatial = bench.store.find(Text, kind="carebench:spatial")[0]
    assert spatial.source_text_id == detailed.id and spatial.source_hash == of_text(words)
    assert "boat" in spatial.value


def test_people_without_the_right_are_refused(bench: Bench) -> None:
    annotator = bench.workspace.add_person("an annotator", "annotator")
    assert isinstance(annotator, Person)
    with pytest.raises(NotAllowed):
        rerun(bench.context(bench.engines()), annotator, "any", [])


def test_unreadable_replies_are_asked_again_when_told_to(bench: Bench) -> None:
    with ChatServer(model(verdict="No idea.")) as server:
        bench.run(captioner=server.spec, judge=server.spec)
        server.behaviour = model()
        engines = bench.engines(captioner=server.spec, judge=server.spec)
        run_video(bench.context(engines, again=True), bench.video, USUAL)
        asked = len(server.seen)
        run_video(bench.context(engines, again=True), bench.video, USUAL)
        assert len(server.seen) == asked
    assert video_summary(bench.store, bench.video)["verdicts"] == {"yes": len(VDC_ASPECTS)}
    assert bench.store.count(Verdict, state="unparsed") == len(VDC_ASPECTS)


def test_captions_are_asked_with_prompts_of_the_pool(bench: Bench) -> None:
    with ChatServer(model()) as server:
        for _ in range(2):
            _, context = bench.run("probe", "captions", captioner=server.spec, caption_prompts="pool")
        seen = [one.parts[-1]["text"].strip() for one in server.seen]
    assert len(seen) == len(VDC_ASPECTS) and context.caller.spending.taken.calls == 0
    drawn_from = [
        aspect for words in seen for aspect, prompts in caption_prompt_pool.pool().items() if words in prompts
    ]
    assert sorted(drawn_from) == sorted(VDC_ASPECTS)
    [run] = bench.store.find(Run, stage="captions")
    assert (run.params["caption_prompts"], run.prompt_hash) == ("pool", caption_prompt_pool.pool_hash())


def test_caption_prompts_of_another_name_are_refused(bench: Bench) -> None:
    with pytest.raises(UsageError, match="choose from fixed, pool"):
        bench.engines(caption_prompts="some")


@pytest.mark.parametrize("at", ["before", "while it is marked", "while records are written"])
def test_a_video_that_is_removed_meanwhile_is_said_and_the_others_go_on(bench: Bench, at: str) -> None:
    other = replace(bench.video, id="vid-other", title="other", sha256="0" * 64)
    bench.store.add([other])

    run = Run(id="run-new", stage="probe", backend="x", model="", created_at=1.0)
    bench.store.add([run])

    def stage(context: Context, video: Video) -> int:
        context.runs["probe"] = run
        if video.id == bench.video.id:
            context.store.remove_video(video.id)
        if at == "while records are written":
            context.store.add([Frame(id=f"frm-{video.id}", video_id=video.id, index=0, pts=0)])
        return 0

    if at == "before":
        bench.store.remove_video(bench.video.id)
    context = bench.context(bench.engines())
    stages = [StageSpec("probe", "a record", stage)]

    def do(beside: Context, video: Video) -> VideoResult:
        return run_video(beside, video, stages)

    problems = [result.problems for result in each_video(context, [bench.video, other], do)]
    assert problems == [[f"two shots: {REMOVED}"], []]
    assert bench.reports[-2:] == [("probe", "failed", REMOVED), ("probe", "done", "")]

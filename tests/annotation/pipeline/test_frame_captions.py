"""Frame captions in windows, votes on change, matching, and what FrameCapEval makes of them."""

from __future__ import annotations

import re

import pytest

from annotation.pipeline.evaluation_pass_runner import work_all
from annotation.pipeline.stage_registry import chosen_stages
from annotation.pipeline.stage_runner import new_context, run_video
from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.runs import ModelCall, Run
from annotation.systems.progress_captioner.frame_labels import label_pair
from annotation.systems.progress_captioner.frame_options import FrameOptions
from annotation.systems.progress_captioner.frame_sequences import evidence
from annotation.systems.progress_captioner.plan_caption_judging import plan_captions
from backends.errors import UsageError
from exports.progress_captioner.framecap_report import score
from tests.bench import Bench
from tests.chat_server import ChatServer, Reply, Seen


def captioner(seen: Seen) -> Reply | str:
    """Says in which call a frame stands in which place, so that it shows whose caption was taken."""
    if "These are" in seen.user:
        n = len(seen.images)
        return "\n".join(f"<Frame {i}>: call {seen.number} place {i} of {n}" for i in range(1, n + 1))
    if "noticeable changes" in seen.user:
        return "B"
    if "Choose one of the following options" in seen.user:
        return "A. Action Progression"
    return "A"  # matching: always the first caption


def run(bench: Bench, server: ChatServer, options: FrameOptions, *stages: str):
    engines = bench.engines(captioner=server.spec, judge=server.spec)
    context = new_context(bench.workspace, engines, bench.media, lambda *_: None, options=[options.checked()])
    result = run_video(context, bench.video, chosen_stages(["probe", *stages]))
    assert result.problems == []
    return context


def places(bench: Bench, run_id: str) -> list[str]:
    """Of each frame in order: its place in the window that was taken, and the window's size."""
    texts = bench.store.find(Text, run_id=run_id, kind="frame")
    return [
        " | ".join(re.findall(r"place (\d of \d)", t.value))
        for t in sorted(texts, key=lambda t: _last(bench, t))
    ]


def _last(bench: Bench, text: Text) -> int:
    from annotation.records.videos import Frame

    return bench.store.get(Frame, text.subject_id).index


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("before", ["1 of 3", "2 of 3", "3 of 3", "3 of 3", "3 of 3"]),
        ("after", ["1 of 3", "1 of 3", "1 of 3", "2 of 3", "3 of 3"]),
        ("both", ["1 of 3", "2 of 3 | 1 of 3", "3 of 3 | 1 of 3", "3 of 3 | 2 of 3", "3 of 3"]),
    ],
)
def test_three_frames_a_call_and_the_caption_that_counts(bench: Bench, context, expected: list[str]) -> None:
    with ChatServer(captioner) as server:
        made = run(bench, server, FrameOptions(per_call=3, context=context), "frames")
        assert places(bench, made.runs["frames"].id) == expected
        assert made.caller.spending.taken.calls == 3  # 5 frames in windows of 3, also for both sides
        again = run(bench, server, FrameOptions(per_call=3, context=context), "frames")
        assert again.caller.spending.taken.calls == 0
    assert bench.store.count(ModelCall) == 3


def test_chosen_frames_and_rates(bench: Bench) -> None:
    with ChatServer(captioner) as server:
        made = run(bench, server, FrameOptions(frames=(0, 30, 99), mode="b"), "frames")
        texts = bench.store.find(Text, run_id=made.runs["frames"].id)
        assert sorted(_last(bench, t) for t in texts) == [0, 30, 99]
        assert "subject's body pose" in server.seen[0].user
        made = run(bench, server, FrameOptions(fps=2), "frames")
        assert len(bench.store.find(Text, run_id=made.runs["frames"].id)) == 9
        context = new_context(
            bench.workspace,
            bench.engines(captioner=server.spec),
            bench.media,
            lambda *_: None,
            options=[FrameOptions(frames=(0, 100))],
        )
        result = run_video(context, bench.video, chosen_stages(["frames"]))
        assert result.problems == ["frames: two shots has frames 0 to 99, not 100"]
    usual = bench.run("probe", "frames")[1].runs["frames"].params
    assert set(usual) == {"temperature", "window", "most"}  # as before there were options


def test_the_frames_of_a_framecapeval_sequence_hold_a_near_duplicate(bench: Bench) -> None:
    """The clip has two shots in four seconds: both are there, and one of them twice."""
    with ChatServer(captioner) as server:
        context = run(bench, server, FrameOptions(per_call=6, sampling="framecapeval"), "frames")
    made = context.runs["frames"]
    frames = sorted(_last(bench, text) for text in bench.store.find(Text, run_id=made.id, kind="frame"))
    assert made.params["sampling"] == "framecapeval"
    assert 3 <= len(frames) <= 5 and {frame >= 50 for frame in frames} == {False, True}


def test_a_rate_and_framecapeval_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="not both"):
        FrameOptions(fps=1, sampling="framecapeval").checked()


def test_matching_and_votes_make_evidence(bench: Bench) -> None:
    with ChatServer(captioner) as server:
        made = run(bench, server, FrameOptions(frames=(0, 30, 60)), "frames", "changes", "matching")
        captions = made.runs["frames"].id
        changes = bench.store.find(Verdict, subject_type="frame_change")
        assert {(tuple(j.extra["frames"]), j.label) for j in changes} == {((0, 30), "yes"), ((30, 60), "yes")}
        (found,) = [e for e in evidence(bench.store) if len(e.frames) == 3]
        assert (found.run_id, found.choices, found.correct) == (
            captions,
            ("A", "A", "A"),
            (True, False, False),
        )
        assert found.outcome == "rejected"
        asked = [s for s in server.seen if "Which caption best describes" in s.user]
        assert len(asked) == 3 and all(len(s.images) == 1 and "D. None of the above" in s.user for s in asked)
        # A second judge outvotes nobody: two letters that differ are no majority.
        text = next(t for t in bench.store.find(Text, run_id=captions))
        owner = bench.workspace.owner()
        bench.store.correct("text", text.id, "value", "other", person_id=owner.id, base_revision=0)
        assert [e for e in evidence(bench.store) if len(e.frames) == 3] == []  # of captions that have changed


def test_captions_that_are_there_are_judged_and_scored(bench: Bench) -> None:
    with ChatServer(captioner) as server:
        made = run(bench, server, FrameOptions(frames=(0, 30, 60)), "frames")
        model = made.runs["frames"].model
        owner = bench.workspace.owner()
        label_pair(bench.store, owner, bench.video.id, (0, 30), "yes")
        label_pair(bench.store, owner, bench.video.id, (30, 60), "no")
        plan = plan_captions(bench.store, model, ["keyframes", "matching"])
        context = new_context(bench.workspace, bench.engines(judge=server.spec), bench.media, lambda *_: None)
        assert [result.problems for result, _ in work_all(context, plan)] == [[]]
        with pytest.raises(UsageError, match="frame captions by 'nobody' not found"):
            plan_captions(bench.store, "nobody")
        with pytest.raises(UsageError, match="does not judge captions"):
            plan_captions(bench.store, model, ["speech"])
    rows = {
        (r["policy"], r["metric"]): r
        for r in score(bench.store)["rows"]
        if r["group"].get("sequences", "all") == "all"
    }
    balanced = rows["uncertain_is_no", "balanced_accuracy"]
    assert (balanced["value"], balanced["n"], balanced["of"]) == (0.5, 2, 2)
    assert balanced["group"] == {"captions": model, "judge": model}
    assert rows["uncertain_is_no", "true_positive_rate"]["value"] == 1.0
    assert (rows["read", "sequence_accuracy"]["value"], rows["read", "frame_accuracy"]["value"]) == (0, 1 / 3)
    assert rows["people", "decided"]["value"] == 1.0
    judge = next(run for run in bench.store.find(Run) if run.stage == "matching")
    assert judge.upstream == (made.runs["frames"].id,)


def test_the_embedded_engine_matches_its_own_captions(bench: Bench) -> None:
    result, _ = bench.run("probe", "frames", "changes", "matching")
    assert result.problems == []
    judged = bench.store.find(Verdict, subject_type="frame_match")
    assert judged and {j.state for j in judged} == {"done"} and all(j.baseline for j in judged)

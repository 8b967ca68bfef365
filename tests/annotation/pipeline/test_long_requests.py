"""Models that take less than they are given, take no pictures, or have to be started."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.pipeline.background_jobs import Job, Jobs
from annotation.pipeline.doctor import examine
from annotation.pipeline.engines import EngineChoice, make_engines, refuse_in_process
from annotation.pipeline.stage_registry import stages_named
from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import ModelCall
from annotation.stages.shrink_frames import fewer_frames
from annotation.stages.start_models import make_ready
from annotation.workspace.workspace import Workspace
from backends.chat import model_server_process
from backends.errors import BackendUnavailable, UsageError
from backends.protocols import ChatRequest, Part
from tests.bench import Bench, failed_requests
from tests.chat_server import ChatServer, blind, counting_tokens, cut_off, few_images, normal, small_context
from tests.fake_vllm import Conduct, fake_vllm
from ui.pages.library.video_list import job_json

WAIT_S = 60.0


def captions(bench: Bench) -> list[Text]:
    return [text for text in bench.store.find(Text) if text.kind.startswith("vdc:")]


def test_what_does_not_fit_is_asked_with_fewer_frames_and_says_so(bench: Bench) -> None:
    with ChatServer(small_context(7, normal("A boat."))) as server:
        result, _ = bench.run("probe", "captions", captioner=server.spec)
        assert failed_requests(result) == 0
        asked = len(server.seen)
        found = captions(bench)
        assert {text.state for text in found} == {"done"}
        assert {text.reason for text in found} == {"6 of 16 frames: more do not fit in the model's context"}
        assert {len(text.frames) for text in found} == {6}
        call = bench.store.find(ModelCall)[0]
        assert (call.request["frames_of"], len(call.frames)) == (16, 6)
        assert len([part for part in call.request["user"] if "jpeg_sha256" in part]) == 6  # type: ignore[operator, union-attr]
        bench.run("probe", "captions", captioner=server.spec)
        assert len(server.seen) == asked


def test_a_limit_that_is_named_is_used_at_once(bench: Bench) -> None:
    with ChatServer(few_images(8, normal("A boat."))) as server:
        bench.run("probe", "captions", captioner=server.spec)
        found = captions(bench)
        assert {len(text.frames) for text in found} == {8}
        assert {text.reason for text in found} == {
            "8 of 16 frames: the server accepts at most 8 pictures in a request"
        }
        assert sorted({len(seen.images) for seen in server.seen}) == [8, 16]


def test_pairs_of_frames_that_the_server_does_not_take_say_what_to_do(bench: Bench) -> None:
    with ChatServer(few_images(1, normal("A boat."))) as server:
        result, _ = bench.run("probe", "frames", captioner=server.spec)
        failed = bench.store.find(Text, state="failed")
        assert failed and failed_requests(result) > 0
        step = "; start the server with a higher limit of pictures (vLLM: images, or --limit-mm-per-prompt)"
        assert all(text.reason.endswith(step) for text in failed)
        assert step in result.stages["frames"].words


def test_a_reply_that_the_context_cuts_off_is_asked_again_with_fewer_frames(bench: Bench) -> None:
    def behave(seen: object) -> object:
        full = len(seen.images) > 9  # type: ignore[attr-defined]
        reply = cut_off("A boat and")(seen) if full else counting_tokens(1, "A boat.")(seen)  # type: ignore[arg-type]
        return type(reply)(**{**reply.__dict__, "usage": {"total_tokens": 4096 if full else 90}})  # type: ignore[union-attr]

    with ChatServer(behave, context=4096) as server:  # type: ignore[arg-type]
        bench.run("probe", "captions", captioner=server.spec)
        assert {(text.state, text.value, len(text.frames)) for text in captions(bench)} == {
            ("done", "A boat.", 9)
        }


def test_a_pair_of_frames_stays_a_pair() -> None:
    picture, words = Part(jpeg=b"x"), Part(text="What changed?")
    pair = ChatRequest(stage="frames", system="", user=(picture, picture, words), frames=(3, 9))
    assert fewer_frames(pair, None) is None
    many = ChatRequest("vdc:short", "", (*[picture] * 4, words), frames=(1, 2, 3, 4), fewer_frames=True)
    less = fewer_frames(many, None)
    assert less
    assert (less.frames, len(less.user)) == ((1, 3, 4), 4)
    assert fewer_frames(many, 1).frames == (3,)  # type: ignore[union-attr]
    sixteen = ChatRequest(
        "vdc:short", "", (*[picture] * 16, words), frames=tuple(range(16)), fewer_frames=True
    )
    assert len(fewer_frames(sixteen, 15).frames) == 15, "as many as the server takes"  # type: ignore[union-attr]
    assert len(fewer_frames(sixteen, 16).frames) == 12, "it refused as many"  # type: ignore[union-attr]
    assert fewer_frames(ChatRequest(stage="vdc:short", system="", user=(words,)), None) is None


def test_a_model_without_vision_is_refused_before_anything_is_asked(bench: Bench) -> None:
    with ChatServer(blind(normal("A boat."))) as server:
        context = bench.context(bench.engines(captioner=server.spec))
        with pytest.raises(
            BackendUnavailable, match=r"tiny at http.* does not accept pictures.*name a vision model"
        ):
            make_ready(context, stages_named(["probe", "captions", "verdicts"]))
        make_ready(context, stages_named(["probe", "scenes", "verdicts"]))
        assert server.seen == []
        assert len(server.probes) == 1


def wait_for(job: Job, true: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < until, job
        time.sleep(0.05)


def test_a_job_shows_how_its_model_loads(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = fake_vllm(tmp_path, Conduct(load_s=2.0, reply="A boat.", crashes=(0,), crash_at=3))
    monkeypatch.setenv("DAILIES_VLLM", str(fake.program))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    choice = EngineChoice(captioner="vllm:org/tiny", speech="none")
    jobs = Jobs(bench.workspace, bench.media, lambda: make_engines(choice, bench.workspace))
    try:
        job = jobs.start([bench.video], stages_named(["probe", "captions"]))
        wait_for(job, lambda: bool(job.loading and job.loading.lines))
        shown = job_json(job)["loading"]
        assert shown and shown.what == "vllm:org/tiny"
        assert "Resolved architecture: TinyForCausalLM" in shown.lines
        wait_for(job, lambda: bool(job.finished))
        assert (job.state, job.problems, job_json(job)["loading"]) == ("done", [], None)
        # The first server crashed over the third request: those in flight were asked again.
        assert len(fake.starts) == 2
        assert {(text.state, text.value) for text in captions(bench)} == {("done", "A boat.")}
    finally:
        model_server_process.end_all()
        model_server_process._servers.clear()


def test_stopping_a_job_that_waits_for_its_model(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = fake_vllm(tmp_path, Conduct(load_s=300.0))
    monkeypatch.setenv("DAILIES_VLLM", str(fake.program))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    choice = EngineChoice(judge="vllm:org/tiny", speech="none")
    jobs = Jobs(bench.workspace, bench.media, lambda: make_engines(choice, bench.workspace))
    job = jobs.start([bench.video], stages_named(["verdicts"]))
    wait_for(job, lambda: bool(job.loading and fake.starts))
    jobs.stop(job.id)
    wait_for(job, lambda: bool(job.finished))
    assert job.state == "stopped"
    model_server_process._servers.clear()


def test_an_engine_inside_the_process_is_not_for_pages() -> None:
    refuse_in_process(EngineChoice(judge="vllm:org/tiny"))
    with pytest.raises(UsageError, match=r"write vllm:org/tiny\?images=4, whose server"):
        refuse_in_process(EngineChoice(judge="vllm-engine:org/tiny?images=4"))


def test_doctor_says_how_servers_differ(workspace: Workspace) -> None:
    with ChatServer(blind(normal("Hello!")), any_model=True) as server:
        rows = examine(workspace, captioner=server.spec, judge=server.spec, speech="none")
    said = {row["what"].strip(): row for row in rows}
    assert said["captioner"]["ok"]
    assert "accepts any model name" in said["unknown model"]["found"]
    assert "ignored" in said["JSON schema"]["found"]
    assert "does not accept pictures" in said["pictures"]["found"]
    assert len([row for row in rows if "unknown model" in row["what"]]) == 1

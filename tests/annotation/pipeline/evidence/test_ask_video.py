"""Second opinions: what is asked, what is kept, and that nothing of it counts."""

from __future__ import annotations

import pytest

from annotation.pipeline.evidence.ask_video import ask_video, second_opinions
from annotation.records.captions_to_verdicts import Question, Verdict
from annotation.records.errors import NotAllowed
from annotation.records.runs import EvaluationRun, ModelCall
from backends.errors import RequestFailed, UsageError
from tests.bench import Bench
from tests.chat_server import ChatServer, Reply, always, normal

FRAMES = (12, 3, 12)


def test_the_answer_is_kept_with_its_frames_and_is_in_no_evaluation(bench: Bench) -> None:
    bench.run()
    question = bench.store.find(Question)[0]
    before = bench.store.count(Verdict), bench.store.count(EvaluationRun)
    with ChatServer(normal(" A red boat. ")) as server:
        context = bench.context(bench.engines(captioner=server.spec))
        answer = ask_video(context, bench.workspace.owner(), question, FRAMES)
        again = ask_video(context, bench.workspace.owner(), question, FRAMES)
        assert len(server.seen) == 1 and len(server.seen[0].images) == 2
    assert answer.id == again.id
    [(kept, run)] = second_opinions(bench.store, question.id)
    assert (kept.value, kept.state, kept.source) == ("A red boat.", "done", "video")
    assert run.model == "tiny" and run.params["task"] == "second opinion"
    assert bench.store.get(ModelCall, kept.call_id).frames == (3, 12)
    assert (bench.store.count(Verdict), bench.store.count(EvaluationRun)) == before
    assert bench.store.find(EvaluationRun, run_id=run.id) == []


def test_a_reply_that_is_none_is_no_answer(bench: Bench) -> None:
    bench.run()
    question = bench.store.find(Question)[0]
    with ChatServer(always(Reply(text="half a", finish_reason="content_filter"))) as server:
        context = bench.context(bench.engines(captioner=server.spec))
        with pytest.raises(RequestFailed, match="content filter"):
            ask_video(context, bench.workspace.owner(), question, FRAMES)
    assert second_opinions(bench.store, question.id) == []


def test_what_is_missing_is_said_before_anything_is_sent(bench: Bench) -> None:
    bench.run()
    question, owner = bench.store.find(Question)[0], bench.workspace.owner()
    with pytest.raises(UsageError, match="no vision model is connected"):
        ask_video(bench.context(bench.engines()), owner, question, FRAMES)
    with ChatServer(normal("yes")) as server:
        context = bench.context(bench.engines(captioner=server.spec))
        with pytest.raises(UsageError, match="no frame"):
            ask_video(context, owner, question, ())
        with pytest.raises(NotAllowed):
            ask_video(context, None, question, FRAMES)
        assert server.seen == []

"""Contract of all chat models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

import pytest

from annotation.replies.verdict_reply import read_verdict
from backends.chat import model_server_process
from backends.chat.openai_chat import OpenAiChat
from backends.chat.registry import chat_model
from backends.errors import RequestFailed, RequestRefused
from backends.protocols import ChatModel, ChatReply, ChatRequest, Loading, Part
from tests.chat_server import ChatServer, Reply, Seen
from tests.fake_vllm import Conduct, fake_vllm

VERDICT = ChatRequest(
    stage="verdict",
    system="Compare the predicted answer with the correct answer.",
    user=(Part(text="Question: What colour is the boat?\nCorrect Answer: red\nPredicted Answer: red"),),
    facts={"question": "What colour is the boat?", "answer": "red", "reference": "red", "pred": "red"},
)


IMPOSSIBLE = ChatRequest(stage="no such stage", system="", user=(Part(text="Impossible."),))


def judge(seen: Seen) -> Reply | str:
    if seen.user == "Impossible.":
        return Reply(status=400, error="It is\nimpossible.")
    right = "Correct Answer: red" in seen.user and "Predicted Answer: red" in seen.user
    return "{'pred': 'yes', 'score': 5}" if right else "{'pred': 'no', 'score': 0}"


@contextmanager
def served() -> Iterator[ChatModel]:
    with ChatServer(judge) as server:
        yield OpenAiChat(server.spec)


@contextmanager
def started() -> Iterator[ChatModel]:
    """A server that Dailies starts; vLLM itself is tested in tests/engines."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        fake = fake_vllm(Path(folder), Conduct(reply="{'pred': 'yes', 'score': 5}", refuses="Impossible."))
        patch.setenv("DAILIES_VLLM", str(fake.program))
        yield chat_model("vllm:org/tiny", folder=Path(folder) / "servers")
        model_server_process.end_all()
        model_server_process._servers.clear()


@contextmanager
def embedded() -> Iterator[ChatModel]:
    pytest.importorskip("backends.chat.baseline")
    yield chat_model("baseline")


Opener = Callable[[], AbstractContextManager[ChatModel]]
every_model = pytest.mark.parametrize("open_model", [served, started, embedded])


@every_model
def test_says_what_it_is(open_model: Opener) -> None:
    with open_model() as model:
        assert model.backend
        assert model.model
        assert isinstance(model.endpoint, str)
        assert model.baseline == (model.backend == "baseline")
        assert model.concurrency >= 1
        model.close()


@every_model
def test_replies_with_a_verdict_that_can_be_read(open_model: Opener) -> None:
    with open_model() as model:
        reply = model.complete(VERDICT)
        assert isinstance(reply, ChatReply)
        assert reply.finish_reason == "stop"
        assert reply.seconds >= 0
        verdict = read_verdict(reply.text, reply.finish_reason)
        assert (verdict.state, verdict.pred) == ("done", "yes"), reply.text


@every_model
def test_it_can_be_made_ready_and_what_is_told_ends_with_ready(open_model: Opener) -> None:
    with open_model() as model:
        told: list[Loading] = []
        assert "\n" not in model.check()
        model.prepare(pictures=True, tell=told.append, stop=Event())
        assert not told or told[-1].ready
        assert {loading.what for loading in told} <= set(model.backend.split(","))


@every_model
def test_the_same_request_has_the_same_reply_from_many_threads(open_model: Opener) -> None:
    with open_model() as model, ThreadPoolExecutor(6) as pool:
        replies = set(pool.map(lambda _: model.complete(VERDICT).text, range(24)))
        assert len(replies) == 1


@every_model
def test_a_request_that_cannot_be_served_is_an_error_of_one_line(open_model: Opener) -> None:
    with open_model() as model:
        with pytest.raises((RequestRefused, RequestFailed)) as error:
            model.complete(IMPOSSIBLE)
        assert "\n" not in str(error.value)

"""Several servers for one role."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from annotation.errors import BackendUnavailable, RequestFailed, RequestRefused, UsageError
from backends.chat.openai_client import OpenAiChat
from backends.chat.ports import free_port
from backends.chat.registry import chat_model
from backends.chat.retries import Retries
from backends.chat.several import SeveralChats
from backends.protocols import ChatRequest, Part
from tests.chat_server import ChatServer, blind, failing, normal, refusing, slow

QUICK = Retries(tries=1, first_wait_s=0.01, total_s=5)
REQUEST = ChatRequest(stage="verdict", system="", user=(Part(text="?"),))


def several(*servers: ChatServer) -> SeveralChats:
    return SeveralChats([OpenAiChat(server.spec, retries=QUICK, concurrency=4) for server in servers])


def test_a_spec_with_commas_is_several_servers() -> None:
    with ChatServer(normal("a")) as one, ChatServer(normal("a")) as two:
        model = chat_model(f"{two.spec} , {one.spec}", concurrency=5)
        other = chat_model(f"{one.spec},{two.spec}", concurrency=5)
        assert isinstance(model, SeveralChats)
        assert (model.model, model.concurrency) == ("tiny", 10)
        assert (model.backend, model.endpoint) == (other.backend, other.endpoint)
        assert model.check().count("answers") == 2
        model.close()
        other.close()


def test_work_is_shared() -> None:
    with ChatServer(slow(0.05, normal("a"))) as one, ChatServer(slow(0.05, normal("a"))) as two:
        model = several(one, two)
        with ThreadPoolExecutor(8) as pool:
            assert {reply.text for reply in pool.map(lambda _: model.complete(REQUEST), range(24))} == {"a"}
        assert min(len(one.seen), len(two.seen)) >= 8


def test_a_server_that_fails_is_left_out_and_its_requests_go_to_the_other() -> None:
    with ChatServer(failing(500)) as broken, ChatServer(normal("a")) as well:
        model = several(broken, well)
        replies = [model.complete(REQUEST).text for _ in range(6)]
        assert replies == ["a"] * 6
        assert len(broken.seen) == 1
        well.behaviour = failing(500)
        with pytest.raises(RequestFailed):
            model.complete(REQUEST)


def test_a_refusal_is_not_taken_elsewhere() -> None:
    with ChatServer(refusing("no")) as one, ChatServer(refusing("no")) as two:
        with pytest.raises(RequestRefused):
            several(one, two).complete(REQUEST)
        assert len(one.seen) + len(two.seen) == 1


def test_one_that_is_down_is_told_and_all_of_them_are_an_error() -> None:
    nobody = f"http://127.0.0.1:{free_port()}/v1#tiny"
    with ChatServer(normal("a")) as one:
        model = chat_model(f"{nobody},{one.spec}")
        assert "left out for now" in model.check()
        assert model.complete(REQUEST).text == "a"
    with pytest.raises(BackendUnavailable):
        chat_model(f"{nobody},{nobody}").check()


def test_one_without_vision_is_left_out() -> None:
    with ChatServer(blind(normal("a"))) as one, ChatServer(normal("a")) as two:
        model = several(one, two)
        model.prepare(pictures=True, tell=lambda loading: None, stop=Event())
        assert [model.complete(REQUEST).text for _ in range(4)] == ["a"] * 4
        assert len(one.seen) == 0


def test_two_models_are_not_one_role() -> None:
    with ChatServer(normal("a")) as one, ChatServer(normal("a"), models=["other"]) as two:
        with pytest.raises(UsageError, match="must serve the same model, not other and tiny"):
            chat_model(f"{one.spec},{two.spec}")
        with pytest.raises(UsageError):
            chat_model(f"{one.spec},baseline:")

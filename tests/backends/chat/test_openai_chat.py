from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from backends.chat.limiter import AdaptiveLimiter
from backends.chat.openai_chat import OpenAiChat
from backends.chat.ports import free_port
from backends.chat.retries import Retries
from backends.errors import BackendUnavailable, RequestFailed, RequestRefused, Stopped, UsageError
from backends.protocols import ChatRequest, Part
from tests.chat_server import (
    Behaviour,
    ChatServer,
    Reply,
    always,
    cut_off,
    empty,
    failing,
    first,
    normal,
    rate_limited,
    refusing,
    schema_refusing,
    slow,
)

QUICK = Retries(tries=4, first_wait_s=0.01, longest_wait_s=0.02, longest_retry_after_s=0.4, total_s=20)
SCHEMA = {"type": "object", "properties": {"pred": {"type": "string"}}, "additionalProperties": False}


def ask(text: str = "Is it?", **more: object) -> ChatRequest:
    return ChatRequest(stage="verdict", system="Judge.", user=(Part(text=text),), **more)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAILIES_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(normal("fine")) as running:
        yield running


def client(server: ChatServer, behaviour: Behaviour | None = None, **options: object) -> OpenAiChat:
    if behaviour is not None:
        server.behaviour = behaviour
    return OpenAiChat(server.spec, **{"retries": QUICK, "timeout_s": 5.0, **options})  # type: ignore[arg-type]


def test_what_is_sent(server: ChatServer) -> None:
    reply = client(server).complete(ask(max_tokens=77, temperature=0.5, seed=40, sample=2))
    assert (reply.text, reply.finish_reason) == ("fine", "stop")
    assert reply.usage["completion_tokens"] == 7
    assert 0 < reply.seconds < 5
    body = server.seen[0].body
    assert body["model"] == "tiny"
    assert (body["max_tokens"], body["temperature"], body["seed"]) == (77, 0.5, 42)
    assert "response_format" not in body
    assert body["messages"] == [
        {"role": "system", "content": "Judge."},
        {"role": "user", "content": "Is it?"},
    ]


def test_pictures_and_words_keep_their_order(server: ChatServer) -> None:
    first_jpeg, second_jpeg = b"\xff\xd8one\xff\xd9", b"\xff\xd8two\xff\xd9"
    parts = (Part(text="Before"), Part(jpeg=first_jpeg), Part(jpeg=second_jpeg), Part(text="After"))
    client(server).complete(ChatRequest(stage="script", system="", user=parts))
    seen = server.seen[0]
    assert [part["type"] for part in seen.parts] == ["text", "image_url", "image_url", "text"]
    assert seen.parts[1]["image_url"]["url"].startswith("data:image/jpeg;base64,")
    assert seen.images == [first_jpeg, second_jpeg]
    assert [message["role"] for message in seen.body["messages"]] == ["user"]


def test_schema_is_sent(server: ChatServer) -> None:
    request = ChatRequest(stage="vdc:camera", system="", user=(Part(text="x"),), schema=SCHEMA)
    client(server).complete(request)
    sent = server.seen[0].body["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"] == {"name": "vdc_camera", "schema": SCHEMA, "strict": True}


def test_a_server_without_schemas_is_asked_without_and_only_once_with(server: ChatServer) -> None:
    model = client(server, schema_refusing(normal("free")))
    assert model.complete(ask(schema=SCHEMA)).text == "free"
    assert [seen.schema is None for seen in server.seen] == [False, True]
    assert model.complete(ask(schema=SCHEMA)).text == "free"
    assert [seen.schema is None for seen in server.seen] == [False, True, True]


@pytest.mark.parametrize(
    "status, said, step",
    [
        (400, "max_tokens=4096 cannot be greater than max_model_len=2048.", "(vLLM: max_model_len)"),
        (400, "This model's maximum context length is 4096 tokens. However, ...", "(vLLM: max_model_len)"),
        (
            400,
            "At most 8 image(s) may be provided in one prompt.",
            "(vLLM: images, or --limit-mm-per-prompt)",
        ),
        (413, "Payload Too Large", "raise the size limit of the server"),
    ],
)
def test_a_request_over_a_limit_says_what_to_do(
    server: ChatServer, status: int, said: str, step: str
) -> None:
    with pytest.raises(RequestRefused) as caught:
        client(server, refusing(said, status)).complete(ask())
    words = str(caught.value)
    assert words.index(said) < words.index(step) and "\n" not in words


def test_a_refusal_that_is_not_about_the_schema_is_not_remembered(server: ChatServer) -> None:
    model = client(server, refusing("At most 16 images may be provided"))
    with pytest.raises(RequestRefused, match="At most 16 images"):
        model.complete(ask(schema=SCHEMA))
    assert len(server.seen) == 1
    server.behaviour = normal("fine")
    model.complete(ask(schema=SCHEMA))
    assert server.seen[1].schema == SCHEMA


def test_newer_name_of_the_token_limit(server: ChatServer) -> None:
    def behave(seen: object) -> Reply | str:
        if "max_tokens" in server.seen[-1].body:
            return Reply(status=400, error="Unsupported parameter: use 'max_completion_tokens' instead.")
        return "fine"

    model = client(server, behave)
    assert model.complete(ask(max_tokens=9)).text == "fine"
    assert server.seen[1].body["max_completion_tokens"] == 9
    model.complete(ask())
    assert len(server.seen) == 3


def test_finish_reason_length_is_passed_on(server: ChatServer) -> None:
    reply = client(server, cut_off("{'pred': 'ye")).complete(ask())
    assert (reply.text, reply.finish_reason) == ("{'pred': 'ye", "length")


def test_no_content_is_an_empty_text_and_reasoning_is_not_the_reply(server: ChatServer) -> None:
    assert client(server, empty()).complete(ask()).text == ""


def test_429_waits_as_long_as_the_server_says(server: ChatServer) -> None:
    model = client(server, rate_limited(1, "0.3", normal("later")))
    began = time.monotonic()
    assert model.complete(ask()).text == "later"
    assert time.monotonic() - began >= 0.3
    assert len(server.seen) == 2


def test_retry_after_is_capped(server: ChatServer) -> None:
    model = client(server, rate_limited(1, "3600", normal("later")))
    began = time.monotonic()
    assert model.complete(ask()).text == "later"
    assert time.monotonic() - began >= 0.4  # not the hour that the server requested


def test_a_retry_after_date_falls_back_to_the_own_wait(server: ChatServer) -> None:
    model = client(server, rate_limited(1, "Wed, 21 Oct 2099 07:28:00 GMT", normal("later")))
    assert model.complete(ask()).text == "later"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_passing_trouble_is_tried_again(server: ChatServer, status: int) -> None:
    model = client(server, first(2, Reply(status=status, error="busy"), normal("fine")))
    assert model.complete(ask()).text == "fine"
    assert len(server.seen) == 3


def test_trouble_that_stays_is_a_failure_naming_the_endpoint(server: ChatServer) -> None:
    model = client(server, failing(500, "CUDA out of memory\nTraceback ..."))
    with pytest.raises(RequestFailed) as failure:
        model.complete(ask())
    message = str(failure.value)
    assert server.url in message
    assert "500" in message
    assert "CUDA out of memory" in message
    assert "\n" not in message
    assert len(server.seen) == QUICK.tries


def test_a_dropped_connection_is_tried_again(server: ChatServer) -> None:
    model = client(server, first(1, Reply(text="half", drop=True), normal("whole")))
    assert model.complete(ask()).text == "whole"
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    "raw", [b"<html>Bad gateway</html>", b'{"error": "x"}', b'{"choices": []}', b"[]", b""]
)
def test_a_body_that_is_no_completion_is_tried_again(server: ChatServer, raw: bytes) -> None:
    model = client(server, first(1, Reply(raw=raw), normal("fine")))
    assert model.complete(ask()).text == "fine"
    server.behaviour = always(Reply(raw=raw))
    with pytest.raises(RequestFailed, match="not a chat completion"):
        model.complete(ask())


def test_time_out_is_tried_again_and_reported(server: ChatServer) -> None:
    calls: list[int] = []
    model = client(server, slow(0.8, normal("late")), timeout_s=0.2, on_pressure=lambda: calls.append(1))
    with pytest.raises(RequestFailed, match=r"no answer within 0\.2 s"):
        model.complete(ask())
    assert len(calls) == QUICK.tries


def test_total_time_is_bounded(server: ChatServer) -> None:
    policy = Retries(tries=50, first_wait_s=0.2, longest_wait_s=0.2, total_s=2)
    model = client(server, failing(503), retries=policy)
    with pytest.raises(RequestFailed):
        model.complete(ask())
    assert 2 <= len(server.seen) < 20  # of fifty attempts with a wait each


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_tried_again(server: ChatServer, status: int) -> None:
    long = "This model's maximum context length is 4096 tokens. " + "x" * 2000
    with pytest.raises(RequestRefused) as refusal:
        client(server, refusing(long, status)).complete(ask())
    message = str(refusal.value)
    assert "maximum context length is 4096" in message
    assert str(status) in message
    assert len(message) < 600
    assert len(server.seen) == 1


def test_unknown_model(server: ChatServer) -> None:
    with pytest.raises(RequestRefused, match="`other` does not exist"):
        OpenAiChat(f"{server.url}#other", retries=QUICK).complete(ask())


def test_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(normal("fine"), key="sesame") as server:
        with pytest.raises(RequestRefused, match="DAILIES_API_KEY"):
            OpenAiChat(server.spec).complete(ask())
        monkeypatch.setenv("OPENAI_API_KEY", "sesame")
        assert OpenAiChat(server.spec).complete(ask()).text == "fine"
        monkeypatch.setenv("DAILIES_API_KEY", "wrong")
        with pytest.raises(RequestRefused):
            OpenAiChat(server.spec).complete(ask())


def test_without_a_model_the_only_one_is_taken(server: ChatServer) -> None:
    model = OpenAiChat(server.url)
    assert (model.model, model.endpoint, model.backend) == ("tiny", server.url, server.url)
    assert OpenAiChat(f"http://127.0.0.1:{server.port}").endpoint == server.url
    server.models = ["a", "b"]
    with pytest.raises(BackendUnavailable, match=r"serves a, b; name the model"):
        OpenAiChat(server.url)


def test_check(server: ChatServer) -> None:
    assert "tiny" in client(server).check()
    with pytest.raises(BackendUnavailable, match=r"does not serve other.*tiny"):
        OpenAiChat(f"{server.url}#other").check()
    server.models = ["llama:latest"]
    OpenAiChat(f"{server.url}#llama").check()
    elsewhere = OpenAiChat(f"http://127.0.0.1:{server.port}/nothing#tiny")
    assert elsewhere.served_models() == []


def test_nobody_there() -> None:
    port = free_port()
    model = OpenAiChat(f"http://127.0.0.1:{port}/v1#tiny", retries=QUICK)
    with pytest.raises(BackendUnavailable, match=rf"\(127\.0\.0\.1:{port}: .*vllm serve tiny --port {port}"):
        model.check()
    with pytest.raises(RequestFailed, match=f"127.0.0.1:{port}"):
        model.complete(ask())


@pytest.mark.parametrize(
    "spec", ["http://", "ftp://x/v1", "http://[bad", "http://host:port/v1", "http://a:b@h/v1#m"]
)
def test_addresses_that_are_none(spec: str) -> None:
    with pytest.raises(UsageError):
        OpenAiChat(spec)


def test_pressure_is_reported_for_429_and_503_only(server: ChatServer) -> None:
    calls: list[str] = []
    for status, times in ((429, 1), (503, 1), (500, 0)):
        calls.clear()
        server.seen.clear()
        behaviour = first(1, Reply(status=status), normal("fine"))
        client(server, behaviour, on_pressure=lambda: calls.append("x")).complete(ask())
        assert len(calls) == times


def test_closing_ends_the_waiting(server: ChatServer) -> None:
    model = client(server, failing(503), retries=Retries(tries=3, first_wait_s=60, longest_wait_s=60))
    threading.Timer(0.3, model.close).start()
    began = time.monotonic()
    with pytest.raises(RequestFailed):
        model.complete(ask())
    assert time.monotonic() - began < 60  # the length of the first wait


def test_many_threads_each_get_their_own_answer(server: ChatServer) -> None:
    model = client(server, slow(0.05, lambda seen: seen.user))
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda i: model.complete(ask(f"q{i}")).text, range(40)))
    assert replies == [f"q{i}" for i in range(40)]
    assert server.most_in_flight > 2


def test_with_a_limiter_an_overloaded_server_gets_all_done() -> None:
    """The server processes 4 requests at a time and refuses the fifth."""
    with ChatServer(normal("fine")) as server:

        def behave(seen: object) -> Reply | str:
            if server._in_flight > 4:
                return Reply(status=429, error="too many")
            time.sleep(0.02)
            return "fine"

        server.behaviour = behave
        limiter = AdaptiveLimiter(maximum=16, start=8)
        model = OpenAiChat(server.spec, retries=Retries(tries=8, first_wait_s=0.02, longest_wait_s=0.1))
        model.on_pressure = limiter.slow_down

        def one(i: int) -> str:
            with limiter:
                return model.complete(ask(str(i))).text

        with ThreadPoolExecutor(16) as pool:
            assert list(pool.map(one, range(60))) == ["fine"] * 60
        assert limiter.in_flight == 0
        assert server.most_in_flight <= 16


def test_stopping_ends_the_check_of_pictures(server: ChatServer) -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(Stopped):
        client(server, slow(4, normal("fine"))).prepare(pictures=True, tell=lambda loading: None, stop=stop)
    assert time.monotonic() - began < 3

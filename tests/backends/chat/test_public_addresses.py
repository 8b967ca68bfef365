"""Servers that strangers enter: only public addresses are contacted, and their keys stay with them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import pytest

from backends.chat.kept_json_connections import JsonServer, NoConnection, StatusError
from backends.chat.openai_chat import OpenAiChat
from backends.chat.ports import free_port
from backends.chat.retries import Retries
from backends.errors import BackendUnavailable, RequestFailed, RequestRefused
from backends.protocols import ChatRequest, Part
from backends.remote import allowed_addresses
from tests.chat_server import ChatServer, Reply, always, failing, normal
from tests.hostile_server import HostileServer

KEY = "sk-visitor-0123456789"
ONCE = Retries(tries=1, first_wait_s=0.01, longest_wait_s=0.02, longest_retry_after_s=0.1, total_s=10)
PUBLIC = "93.184.215.14"
ASK = ChatRequest(stage="verdict", system="Judge.", user=(Part(text="Is it?"),))
NAMES = {
    "localhost": "http://localhost:{}/v1",
    "loopback": "http://127.0.0.1:{}/v1",
    "another loopback": "http://127.9.9.9:{}/v1",
    "short form": "http://127.1:{}/v1",
    "a number": "http://2130706433:{}/v1",
    "hexadecimal": "http://0x7f000001:{}/v1",
    "unspecified": "http://0.0.0.0:{}/v1",
    "IPv6": "http://[::1]:{}/v1",
    "IPv6-mapped": "http://[::ffff:127.0.0.1]:{}/v1",
    "IPv6-mapped, hexadecimal": "http://[::ffff:7f00:1]:{}/v1",
    "6to4": "http://[2002:7f00:1::]:{}/v1",
    "NAT64": "http://[64:ff9b::7f00:1]:{}/v1",
    "link-local": "http://[fe80::1%25lo]:{}/v1",
    "metadata": "http://169.254.169.254:{}/v1",
    "private": "http://10.0.0.1:{}/v1",
    "with a dot": "http://localhost.:{}/v1",
    "TLS": "https://127.0.0.1:{}/v1",
}


class Listener:
    """Counts the connections to a port of this machine."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        self.connections = 0
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self.connections += 1
                connection.close()

    def __enter__(self) -> Listener:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as running:
        yield running


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets the answers of DNS for every name, one after another; the last one stays."""

    def answer(*answers: Sequence[str]) -> None:
        left = list(answers)

        def found(host: str, port: int, *_given: object, **_more: object) -> list[tuple[object, ...]]:
            with suppress(OSError):
                socket.inet_aton(host)
                left[:] = [[host]]
            now = left.pop(0) if len(left) > 1 else left[0]
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in now]

        monkeypatch.setattr(socket, "getaddrinfo", found)

    return answer


@contextmanager
def loopback_as_public() -> Iterator[None]:
    """The test's own server has a loopback address."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(allowed_addresses, "_is_public", lambda _one: True)
        patch.setattr(allowed_addresses, "is_forbidden", lambda _one: False)
        yield


@pytest.mark.parametrize("address", NAMES.values(), ids=NAMES)
def test_addresses_that_are_not_public(address: str, listener: Listener) -> None:
    with pytest.raises(BackendUnavailable, match=r"not a public address|host not found"):
        OpenAiChat(address.format(listener.port) + "#m", key="", public=True)
    server = JsonServer(address.format(listener.port), "none", public=True)
    with pytest.raises(NoConnection):
        server.get("/models", 2.0)
    assert listener.connections == 0


def test_a_name_of_a_private_address(listener: Listener, names: Callable[..., None]) -> None:
    names(["10.1.2.3"])
    with pytest.raises(BackendUnavailable, match="not a public address"):
        OpenAiChat(f"http://models.example:{listener.port}/v1#m", key="", public=True)


def test_a_name_with_one_private_address_among_public_ones(
    listener: Listener, names: Callable[..., None]
) -> None:
    names([PUBLIC, "127.0.0.1"])
    with pytest.raises(BackendUnavailable, match="not a public address"):
        OpenAiChat(f"http://models.example:{listener.port}/v1#m", key="", public=True)


def test_a_name_that_becomes_private_after_the_check(listener: Listener, names: Callable[..., None]) -> None:
    names([PUBLIC], ["127.0.0.1"])
    chat = OpenAiChat(f"http://models.example:{listener.port}/v1#m", key=KEY, public=True, retries=ONCE)
    with pytest.raises(RequestFailed, match="not a public address"):
        chat.complete(ASK)
    assert listener.connections == 0


def test_the_connection_uses_the_checked_address(
    listener: Listener, names: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the name becomes private between the connection's own check and its connection."""
    names([PUBLIC], [PUBLIC], ["127.0.0.1"])
    tried: list[str] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _self, place: tried.append(place[0]))
    chat = OpenAiChat(f"http://models.example:{listener.port}/v1#m", key=KEY, public=True, retries=ONCE)
    with pytest.raises(RequestFailed):
        chat.complete(ASK)
    assert tried == [PUBLIC] and listener.connections == 0


def test_the_next_address_is_used_if_one_does_not_answer(names: Callable[..., None]) -> None:
    with ChatServer(normal("fine")) as server, loopback_as_public():
        names(["127.0.0.2", "127.0.0.1"])  # the server listens at the second only
        chat = OpenAiChat(f"http://models.example:{server.port}/v1", key="", public=True)
        assert chat.complete(ASK).text == "fine"
        assert server.seen[0].headers["Host"] == f"models.example:{server.port}", "the name, not the address"


def test_a_redirect_is_not_followed(listener: Listener) -> None:
    moved = {"Location": f"http://127.0.0.1:{listener.port}/v1/chat/completions"}
    away = always(Reply(status=307, error="moved", headers=moved))
    with ChatServer(away) as server, HostileServer("redirect to another host") as hostile:
        for spec, status in ((server.spec, "307"), (hostile.spec, "302")):
            with loopback_as_public(), pytest.raises(RequestRefused, match=status):
                OpenAiChat(spec, key=KEY, public=True, retries=ONCE).complete(ASK)
    assert listener.connections == 0


def test_proxies_of_the_environment_are_not_used(
    listener: Listener, names: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy inside the network would connect to private addresses."""
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{listener.port}")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    names([PUBLIC])
    tried: list[str] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _self, place: tried.append(place[0]))
    chat = OpenAiChat("http://models.example/v1#m", key=KEY, public=True, retries=ONCE)
    with pytest.raises(RequestFailed):
        chat.complete(ASK)
    assert tried == [PUBLIC] and listener.connections == 0


@pytest.mark.parametrize("given", ["", KEY])
def test_keys_of_the_environment_are_not_sent(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAILIES_API_KEY", "sk-of-the-server-1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-server-2")
    with ChatServer(normal("fine")) as server, loopback_as_public():
        OpenAiChat(server.spec, key=given, public=True).complete(ASK)
        assert server.seen[0].headers["Authorization"] == f"Bearer {given or 'none'}"
        OpenAiChat(server.spec).complete(ASK)
        assert server.seen[1].headers["Authorization"] == "Bearer sk-of-the-server-1"


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_a_key_that_the_server_repeats_is_not_in_the_reply(status: int) -> None:
    words = f"Incorrect API key provided: {KEY}"
    behaviour = normal(words) if status == 200 else failing(status, words)
    with ChatServer(behaviour) as server:
        chat = OpenAiChat(server.spec, key=KEY, retries=ONCE)
        if status == 200:
            said = chat.complete(ASK).text
        else:
            with pytest.raises((RequestRefused, RequestFailed)) as error:
                chat.complete(ASK)
            said = str(error.value)
    assert "API key provided: ***" in said and KEY not in said


def test_the_error_of_a_status_has_no_key() -> None:
    with ChatServer(failing(403, f"no: {KEY}")) as server, pytest.raises(StatusError) as error:
        JsonServer(server.url, KEY).post("/chat/completions", {"model": "tiny"}, 5.0)
    assert KEY not in str(error.value.body)


def test_a_hidden_address_is_in_no_message() -> None:
    with ChatServer(normal("fine")) as server:
        chat = OpenAiChat(server.spec, key=KEY, retries=ONCE)
        chat.hide_address("own-model")
        assert (chat.backend, chat.endpoint) == ("own-model#tiny", "own-model")
        assert chat.complete(ASK).text == "fine"
    port = free_port()
    chat = OpenAiChat(f"http://127.0.0.1:{port}/v1#tiny", key=KEY, retries=ONCE)
    chat.hide_address("own-model")
    with pytest.raises(RequestFailed) as error:
        chat.complete(ASK)
    assert "own-model: no connection" in str(error.value)
    assert "127.0.0.1" not in str(error.value) and str(port) not in str(error.value)

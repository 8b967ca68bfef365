"""Which address a limit counts by: the connection's, or what a proxy that the operator named says of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from annotation.people.accounts import set_password
from annotation.people.login_attempts import TRIES
from annotation.workspace.workspace import Workspace
from backends.chat.ports import free_port
from backends.errors import UsageError
from tests.app_process import AppProcess
from ui.commands.auth_flags import forwarding_proxies

PASSWORD = "a long password"


@contextmanager
def served(folder: Path, *flags: str) -> Iterator[httpx.Client]:
    """`serve --accounts` with one account, and a client of it from this machine."""
    space = Workspace(folder / "workspace")
    person = space.add_person("ana", "admin")
    set_password(space.store, person.id, PASSWORD)
    space.close()
    port = free_port()
    words = ("serve", "--accounts", "--port", port, "--workspace", folder / "workspace", *flags)
    with AppProcess(*words) as app, httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        try:
            end = time.monotonic() + 60
            while True:
                try:
                    assert client.get("/healthz").status_code == 200
                    break
                except httpx.TransportError:
                    assert app.poll() is None and time.monotonic() < end, app.err.read_text()
                    time.sleep(0.1)
            yield client
        finally:
            app.kill()


def tried(client: httpx.Client, forwarded: str, password: str = "wrong") -> int:
    """Status of a login by somebody for whom these addresses are forwarded."""
    form = {"name": "ana", "password": password}
    headers = {"X-Forwarded-For": forwarded, "Forwarded": f"for={forwarded}", "X-Real-IP": forwarded}
    return client.post("/login", data=form, headers=headers).status_code


@pytest.mark.parametrize("flags", [(), ("--trusted-proxy", "10.0.0.0/8")])
def test_a_made_up_header_does_not_change_the_address(tmp_path: Path, flags: tuple[str, ...]) -> None:
    with served(tmp_path, *flags) as client:
        assert [tried(client, f"203.0.113.{n}") for n in range(TRIES)] == [401] * TRIES
        assert tried(client, "203.0.113.99", PASSWORD) == 429


def test_a_named_proxy_gives_the_address_and_what_the_client_made_up_does_not_count(tmp_path: Path) -> None:
    with served(tmp_path, "--trusted-proxy", "127.0.0.0/8") as client:
        for n in range(TRIES):
            assert tried(client, f"203.0.113.{n}, 198.51.100.7") == 401
        assert tried(client, "203.0.113.99, 198.51.100.7", PASSWORD) == 429
        assert tried(client, "198.51.100.7, 198.51.100.8", PASSWORD) == 303


def test_what_is_not_an_address_is_refused() -> None:
    with pytest.raises(UsageError, match="--trusted-proxy"):
        forwarding_proxies(None, ["proxy.example.org"])
    assert forwarding_proxies(None, ["10.0.0.5"]) == ["10.0.0.5/32"]
    assert forwarding_proxies("X-Forwarded-User", ["10.0.0.5"]) == []

"""Without accounts the server answers to its own names alone."""

from __future__ import annotations

import http.client
import socket
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.people.passwords import hash_password
from backends.errors import UsageError
from benchmarks.browsing import dailies, served
from tests.bench import Bench
from tests.ui.every_route import ROUTES, path_of
from tests.ui.serving import serving
from ui.auth.current_person import Account, AuthRules
from ui.auth.host_names import OwnNames
from ui.pages.html_documents import static_version
from ui.web_app import build_app

EVERYWHERE = (
    "/",
    "/script",
    "/config",
    "/gradio_api/info",
    "/gradio_api/queue/data",
    f"/app/{static_version()}/lib/page_router.js",
    "/healthz",
    "/metrics",
    "/login",
    "/favicon.ico",
    "/nothing/here",
)
LOCAL = OwnNames.of("127.0.0.1", 7860)


def browser(bench: Bench, names: OwnNames) -> TestClient:
    app = build_app(bench.workspace, bench.engines, names=names)
    return TestClient(app, "http://127.0.0.1:7860", headers={"Sec-Fetch-Site": "same-origin"})


NOT_ITS_OWN = (
    "evil.example",
    "evil.example:7860",
    "127.0.0.1.evil.example",
    "localhost.evil",
    "192.168.1.9:7860",
    "169.254.169.254",
    "",
    "<script>",
    "a" * 400,
)


@pytest.mark.parametrize("host", NOT_ITS_OWN)
def test_another_name_is_refused_on_every_route(bench: Bench, host: str) -> None:
    client = browser(bench, LOCAL)
    routes = [("GET", path) for path in EVERYWHERE]
    routes += [(name.split(" ")[0], path_of(name, {"video_id": bench.video.id})) for name in ROUTES]
    for method, path in routes:
        answer = client.request(method, path, headers={"Host": host, "Origin": f"http://{host}"})
        assert answer.status_code == 421, (method, path)
        assert answer.text.count("\n") == 1 and "open http://127.0.0.1:7860" in answer.text
        assert "<" not in answer.text and len(answer.text) < 400
    assert len(routes) > 80


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.0.1:7860", "localhost:9", "LOCALHOST", "localhost.", "[::1]:7860", "127.8.8.8:1"],
)
def test_loopback_names_are_its_own_with_any_port(bench: Bench, host: str) -> None:
    client = browser(bench, LOCAL)
    for path in ("/api/me", "/healthz", "/config"):
        assert client.get(path, headers={"Host": host}).status_code == 200


def test_names_that_were_given() -> None:
    names = OwnNames.of("192.168.1.5", 80, "https://dailies.example.org:8443", ["box.lan", "fd00::7"])
    for host in ("192.168.1.5:80", "dailies.example.org", "Box.LAN:7860", "[fd00::7]:1", "localhost"):
        assert names.hold(host), host
    for host in ("192.168.1.6", "example.org", "lan", "box.lan.evil.example", "[fd00::8]"):
        assert not names.hold(host), host
    assert "start it with --allow-host evil.example\n" in names.refusal("evil.example:80")


def test_on_all_addresses_each_address_is_its_own() -> None:
    """A container is asked for its health by its address; no page can have an address for a name."""
    names = OwnNames.of("0.0.0.0", 7860)
    assert names.hold("172.17.0.2:7860") and names.hold("[fe80::1]:7860") and not names.hold("evil.example")


@pytest.mark.parametrize("name", ["http://a.example", "a.example:80", "*", "*.example", "", "a b", "a/b"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(UsageError, match="without http:// and port"):
        OwnNames.of("127.0.0.1", 7860, allowed=[name])


def test_with_accounts_the_login_decides(bench: Bench) -> None:
    accounts = [Account("ann", "annotator", hash_password("correct horse"))]
    client = TestClient(
        build_app(bench.workspace, bench.engines, AuthRules(accounts), names=LOCAL), "http://a.example"
    )
    assert client.get("/healthz").status_code == 200
    assert client.get("/api/library").status_code == 401


def test_the_command_that_serves_refuses_other_names(tmp_path: Path) -> None:
    """A page of evil.example whose name was given this machine's address reads and writes nothing."""
    with served([*dailies(tmp_path / "workspace"), "--allow-host", "box.lan"], "/healthz") as url:
        place = url.removeprefix("http://")
        assert [status(place, host) for host in (place, "box.lan:80")] == [200, 200]
        assert status(place, f"evil.example:{place.partition(':')[2]}") == 421
        origin = {"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"}
        assert status(place, "evil.example", "POST", "/api/people", **origin) == 421


def status(place: str, host: str, method: str = "GET", path: str = "/api/library", **headers: str) -> int:
    connection = http.client.HTTPConnection(place, timeout=30)
    body = b'{"name": "eve", "role": "admin"}' if method == "POST" else None
    connection.request(method, path, body, {"Host": host, "Content-Type": "application/json", **headers})
    try:
        return connection.getresponse().status
    finally:
        connection.close()


def said(port: int, head: str) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as wire:
        wire.sendall(f"{head}\r\n\r\n".encode())
        return wire.recv(4096).decode("latin-1")


def test_requests_that_browsers_do_not_make(bench: Bench) -> None:
    """Two names, none, another in the first line, a web socket: over a real connection."""
    upgrade = (
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA=="
    )
    with serving(build_app(bench.workspace, bench.engines, names=LOCAL)) as port:
        assert " 200 " in said(port, f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close")
        for head, statuses in (
            ("GET /api/library HTTP/1.1\r\nHost: localhost\r\nHost: evil.example", ("421", "400")),
            ("GET /api/library HTTP/1.0", ("421", "400")),
            ("GET http://localhost/api/library HTTP/1.1\r\nHost: evil.example", ("421", "400")),
            (f"GET /api/library HTTP/1.1\r\nHost: evil.example\r\n{upgrade}", ("421", "403", "404")),
        ):
            assert said(port, head).split(" ")[1] in statuses, head

"""Downloads from a real server: complete, truncated, slow, wrong, redirected, and concurrent."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backends.errors import DailiesError, MediaError, Stopped, UsageError
from backends.remote.fetching import Fetched, fetch, kept, remembered
from backends.remote.settings import RemoteRules, read_rules
from backends.remote.url_rules import read_url
from tests.file_server import FileServer, cut_after, endless, once, redirect, slow, status

CONTENT = bytes(range(256)) * 4000
SHA = hashlib.sha256(CONTENT).hexdigest()
A = "/clips/a.mp4"


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer({A: CONTENT, "/other/b.mp4": CONTENT}) as made:
        yield made


def rules(server: FileServer, **more: Any) -> RemoteRules:
    return read_rules(server.settings("/clips/", **more))


def quiet(_done: int, _total: int) -> None:
    """Ignores progress."""


def get(server: FileServer, home: Path, path: str = A, **more: Any) -> Fetched:
    return fetch(read_url(server.url(path)), rules(server, **more), home, quiet)


def refused(server: FileServer, home: Path, path: str = A, **more: Any) -> str:
    with pytest.raises(DailiesError) as error:
        get(server, home, path, **more)
    words = str(error.value)
    assert "\n" not in words and str(home) not in words and "secret" not in words
    return words


def test_a_file_comes_whole_and_once(server: FileServer, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    url = read_url(server.url(A))
    found = fetch(url, rules(server), tmp_path, lambda done, total: told.append((done, total)))
    assert found.path.read_bytes() == CONTENT and found.sha256 == SHA and found.path.name == "a.mp4"
    assert told[-1][1] == len(CONTENT) and max(done for done, _ in told) > 0
    assert get(server, tmp_path) == found and len(server.seen) == 1
    assert kept(tmp_path, url) == found
    found.path.unlink()
    assert get(server, tmp_path) == found and len(server.seen) == 2


def test_nothing_but_the_request_is_sent(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    netrc = tmp_path / ".netrc"
    netrc.write_text("default login me password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    get(server, tmp_path / "home")
    assert set(server.seen[0][1]) == {"Host", "User-Agent", "Accept", "Accept-Encoding"}


def test_a_cut_connection_is_taken_up_where_it_ended(server: FileServer, tmp_path: Path) -> None:
    server.behave[A] = once(cut_after(300_000))
    assert get(server, tmp_path).sha256 == SHA
    ranges = [headers.get("Range") for _, headers in server.seen]
    assert ranges == [None, "bytes=300000-"]


def test_without_a_version_it_begins_anew(server: FileServer, tmp_path: Path) -> None:
    server.behave[A] = once(cut_after(300_000, etag=False))
    assert get(server, tmp_path).sha256 == SHA
    assert [headers.get("Range") for _, headers in server.seen] == [None, None]


def test_another_version_begins_anew(server: FileServer, tmp_path: Path) -> None:
    def changed(handler: Any, content: bytes) -> None:
        server.files[A] = CONTENT[::-1]
        cut_after(300_000)(handler, content)

    server.behave[A] = once(changed)
    assert get(server, tmp_path).sha256 == hashlib.sha256(CONTENT[::-1]).hexdigest()


def test_always_cut_is_given_up_and_later_gone_on_with(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backends.remote.fetching.PAUSE_S", 0.01)
    server.behave[A] = cut_after(400_000)
    assert "run it again later" in refused(server, tmp_path)
    server.behave.clear()
    server.seen.clear()
    assert get(server, tmp_path).sha256 == SHA
    assert server.seen[0][1]["Range"] == "bytes=400000-"


def test_what_was_whole_but_not_yet_kept(server: FileServer, tmp_path: Path) -> None:
    """Killed between the last byte and the rename: the server has no data after the end."""
    url = read_url(server.url(A))
    folder = tmp_path / url.key
    folder.mkdir()
    (folder / "partial").write_bytes(CONTENT)
    (folder / "partial.json").write_text('{"etag": "\\"x\\""}')
    server.behave[A] = once(status(416))
    assert get(server, tmp_path).sha256 == SHA


def test_a_slow_server_is_given_up(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backends.remote.fetching.TRIES", 1)
    server.behave[A] = slow(0.2, 10)
    assert "almost no data arrived" in refused(server, tmp_path, stall_s=1)
    server.behave[A] = lambda *_: time.sleep(8)
    assert re.search("almost no data arrived|not respond in time", refused(server, tmp_path, stall_s=1))


def test_it_stops_at_once(server: FileServer, tmp_path: Path) -> None:
    server.behave[A] = slow(0.2, 4000)

    def tell(done: int, _total: int) -> None:
        if done:
            raise Stopped("stopped")

    began = time.monotonic()
    with pytest.raises(Stopped):
        fetch(read_url(server.url(A)), rules(server), tmp_path, tell)
    assert time.monotonic() - began < 240  # the file would take 800 s


@pytest.mark.parametrize("behaviour", [None, endless], ids=["declared", "without a length"])
def test_too_large(server: FileServer, tmp_path: Path, behaviour: Any) -> None:
    if behaviour:
        server.behave[A] = behaviour
    assert "max_gb" in refused(server, tmp_path, max_gb=0.0005)
    assert not list(tmp_path.rglob("partial")), "nothing that large stays"


def test_a_promise_of_too_much(server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backends.remote.fetching.PAUSE_S", 0.01)

    def lie(handler: Any, content: bytes) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content) + 10))
        handler.end_headers()
        handler.wfile.write(content)
        handler.close_connection = True

    server.behave[A] = lie
    assert "run it again later" in refused(server, tmp_path)
    assert kept(tmp_path, read_url(server.url(A))) is None


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (404, "no such file"),
        (410, "no such file"),
        (403, "may have expired"),
        (401, "denies access"),
        (418, "418"),
        (500, "answered 500"),
    ],
)
def test_refusals_are_one_line(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    monkeypatch.setattr("backends.remote.fetching.PAUSE_S", 0.01)
    server.behave[A] = status(code, b"<html>secret page</html>")
    assert words in refused(server, tmp_path, f"{A}?token=secret")


def test_a_packed_file_is_refused(server: FileServer, tmp_path: Path) -> None:
    server.behave[A] = lambda handler, content: handler.answer(200, content, Content_Encoding="gzip")
    assert "compressed" in refused(server, tmp_path)


def test_another_part_than_was_asked_for(server: FileServer, tmp_path: Path) -> None:
    def wrong(handler: Any, content: bytes) -> None:
        handler.answer(206, content[5:], Content_Range=f"bytes 5-{len(content) - 1}/{len(content)}")

    server.behave[A] = wrong
    assert "different range" in refused(server, tmp_path)


# --- sent on --------------------------------------------------------------------------------


def test_sent_on_within_what_is_allowed(server: FileServer, tmp_path: Path) -> None:
    for code in (301, 302, 303, 307, 308):
        server.behave[f"/clips/{code}.mp4"] = redirect("a.mp4", code)
        found = get(server, tmp_path, f"/clips/{code}.mp4")
        assert found.sha256 == SHA and found.path.name == f"{code}.mp4"


@pytest.mark.parametrize(
    "to",
    [
        "/other/b.mp4",
        "../other/b.mp4",
        "/clips/../other/b.mp4",
        "/clips/%2e%2e/other/b.mp4",
        "",
        "http://169.254.169.254/clips/a.mp4",
        "http://localhost:{port}/clips/a.mp4",
        "file:///etc/passwd",
        "http://127.0.0.1:{port}@evil.example/clips/",
        "s3://bucket/a.mp4",
        "gopher://127.0.0.1/",
        "http://[::1]:{port}/clips/a.mp4",
        "https://127.0.0.1:{port}/clips/a.mp4",
        "/clips/b.mp4\x01",
        "//127.0.0.1/clips/a.mp4",
    ],
)
def test_sent_on_elsewhere(server: FileServer, tmp_path: Path, to: str) -> None:
    server.behave["/clips/on.mp4"] = redirect(to.replace("{port}", str(server.port)))
    words = refused(server, tmp_path, "/clips/on.mp4")
    assert "refused" in words or "too many redirects" in words
    assert {path for path, _ in server.seen} == {"/clips/on.mp4"}, "nothing else was asked"


def test_sent_on_for_ever(server: FileServer, tmp_path: Path) -> None:
    server.behave["/clips/on.mp4"] = redirect("/clips/on.mp4")
    assert "too many redirects" in refused(server, tmp_path, "/clips/on.mp4")
    assert len(server.seen) == 6


# --- addresses ---------------------------------------------------------------------------------


def test_a_private_address_is_not_asked(server: FileServer, tmp_path: Path) -> None:
    open_to_all = read_rules({"remote": {"allow": [server.url("/")]}})
    with pytest.raises(MediaError, match="not a public address"):
        fetch(read_url(server.url(A)), open_to_all, tmp_path, quiet)
    assert server.seen == []


@pytest.mark.parametrize(
    "addresses", [["127.0.0.1"], ["93.184.215.14", "127.0.0.1"], ["::1"], ["::ffff:10.0.0.1"]]
)
def test_a_name_with_a_private_address(server: FileServer, tmp_path: Path, addresses: list[str]) -> None:
    named = read_rules({"remote": {"allow": [f"http://videos.example.org:{server.port}/"]}})
    url = read_url(f"http://videos.example.org:{server.port}{A}")
    with pytest.raises(MediaError, match="not a public address"):
        fetch(url, named, tmp_path, quiet, resolver=lambda *_: addresses)
    assert server.seen == []


def test_a_name_that_changes_its_meaning(server: FileServer, tmp_path: Path, monkeypatch: Any) -> None:
    """A host with a public, then a private address: it is resolved once, and the checked address is used."""
    monkeypatch.setattr("backends.remote.fetching.TRIES", 1)
    asked: list[str] = []
    connected: list[str] = []

    def rebinding(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["93.184.215.14"] if len(asked) == 1 else ["127.0.0.1"]

    def connect(address: tuple[str, int], *_: Any, **__: Any) -> Any:
        connected.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr("urllib3.util.connection.create_connection", connect)
    named = read_rules({"remote": {"allow": [f"http://videos.example.org:{server.port}/"]}})
    url = read_url(f"http://videos.example.org:{server.port}{A}")
    with pytest.raises(MediaError):
        fetch(url, named, tmp_path, quiet, resolver=rebinding)
    assert connected == ["93.184.215.14"] and asked == ["videos.example.org"]
    with pytest.raises(MediaError, match="not a public address"):
        fetch(url, named, tmp_path, quiet, resolver=rebinding)
    assert connected == ["93.184.215.14"] and server.seen == []


def test_a_named_server_is_asked_by_its_name(server: FileServer, tmp_path: Path) -> None:
    """`private` names host and port: another port of the host is another server."""
    place = f"media.lan:{server.port}"
    for private, works in ((place, True), ("media.lan:1", False)):
        table = {"remote": {"allow": [f"http://{place}/"], "private": [private]}}
        url, home = read_url(f"http://{place}{A}"), tmp_path / private.replace(":", "_")
        if works:
            assert fetch(url, read_rules(table), home, quiet, resolver=lambda *_: ["127.0.0.1"]).sha256 == SHA
            assert server.seen[-1][1]["Host"] == place
        else:
            with pytest.raises(MediaError, match="not a public address"):
                fetch(url, read_rules(table), home, quiet, resolver=lambda *_: ["127.0.0.1"])


def test_metadata_is_refused_even_when_it_is_named(tmp_path: Path) -> None:
    table = {"remote": {"allow": ["http://169.254.169.254/"], "private": ["169.254.169.254:80"]}}
    with pytest.raises(MediaError, match="request is refused"):
        fetch(read_url("http://169.254.169.254/latest/meta-data/"), read_rules(table), tmp_path, quiet)


def test_what_is_not_allowed_is_not_looked_up(server: FileServer, tmp_path: Path) -> None:
    def never(*_: Any) -> list[str]:
        raise AssertionError("looked up")

    with pytest.raises(UsageError, match="allow = "):
        fetch(read_url(server.url("/other/b.mp4?x=secret")), rules(server), tmp_path, quiet, resolver=never)
    assert list(tmp_path.iterdir()) == []


# --- kept -------------------------------------------------------------------------------------


def test_a_signature_is_kept_for_the_owner_alone(server: FileServer, tmp_path: Path) -> None:
    url = read_url(server.url(f"{A}?X-Signature=secret"))
    found = fetch(url, rules(server), tmp_path, quiet)
    assert server.seen[0][0] == f"{A}?X-Signature=secret"
    with_secret = [f for f in tmp_path.rglob("*") if f.is_file() and b"secret" in f.read_bytes()]
    assert [f.name for f in with_secret] == ["url.json"] and "secret" not in str(found.path)
    if os.name == "posix":
        assert with_secret[0].stat().st_mode & 0o077 == 0
    assert remembered(tmp_path, url.key) == url
    assert remembered(tmp_path, "../../etc") is None


def test_nothing_of_the_query_is_logged(
    server: FileServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    get(server, tmp_path, f"{A}?token=hushhush")
    assert "hushhush" not in caplog.text


def _fetch_there(url: str, settings: dict[str, Any], home: Path) -> None:
    fetch(read_url(url), read_rules(settings), home, quiet)


def test_two_processes_and_threads_fetch_once(server: FileServer, tmp_path: Path) -> None:
    server.behave[A] = slow(0.02, 50_000)
    spawning = multiprocessing.get_context("spawn")
    args = (server.url(A), server.settings(), tmp_path)
    workers: list[Any] = [spawning.Process(target=_fetch_there, args=args) for _ in range(2)]
    workers += [threading.Thread(target=_fetch_there, args=args) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    found = kept(tmp_path, read_url(server.url(A)))
    assert found and found.path.read_bytes() == CONTENT
    assert len(server.seen) == 1


def test_names_are_safe(server: FileServer, tmp_path: Path) -> None:
    server.files["/clips/a%3Ab%22%20%7C.mp4"] = CONTENT
    found = get(server, tmp_path, "/clips/a%3Ab%22%20%7C.mp4")
    assert re.fullmatch(r"[\w .]+", found.path.name) and found.path.suffix == ".mp4"

"""https: the certificate must be valid and match the name, although the connection uses an address.

certificate.pem is the key and certificate of videos.example.org, signed by itself; nobody else trusts it.
"""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from backends.errors import MediaError
from backends.remote.fetching import Fetched, fetch
from backends.remote.settings import read_rules
from backends.remote.url_rules import read_url
from tests.file_server import FileServer

PEM = Path(__file__).parent / "certificate.pem"
CONTENT = b"x" * 100_000


@pytest.fixture
def server() -> Iterator[FileServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PEM)
    with FileServer({"/a.mp4": CONTENT}, tls=context) as made:
        yield made


def get(server: FileServer, host: str, home: Path) -> Fetched:
    place = f"{host}:{server.port}"
    rules = read_rules({"remote": {"allow": [f"https://{place}/"], "private": [place]}})
    url = read_url(f"https://{place}/a.mp4")
    return fetch(url, rules, home, lambda *_: None, resolver=lambda *_: ["127.0.0.1"])


def test_a_trusted_certificate_of_the_name(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(PEM))
    assert get(server, "videos.example.org", tmp_path).sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert server.seen[0][1]["Host"] == f"videos.example.org:{server.port}"


def test_a_trusted_certificate_of_another_name(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(PEM))
    with pytest.raises(MediaError, match="certificate is not valid"):
        get(server, "other.example.org", tmp_path)
    with pytest.raises(MediaError, match="certificate is not valid"):
        get(server, "127.0.0.1", tmp_path)
    assert server.seen == []


def test_a_certificate_that_nobody_trusts(server: FileServer, tmp_path: Path) -> None:
    with pytest.raises(MediaError, match="certificate is not valid"):
        get(server, "videos.example.org", tmp_path)
    assert server.seen == []


def test_no_certificate_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backends.remote.fetching.PAUSE_S", 0.01)
    with FileServer({"/a.mp4": CONTENT}) as plain, pytest.raises(MediaError, match="secure connection"):
        get(plain, "videos.example.org", tmp_path)

"""Object stores: s3fs with an S3 server, and stores whose package is missing."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from backends.errors import BackendUnavailable, MediaError, UsageError
from backends.remote import object_stores
from backends.remote.fetching import fetch
from backends.remote.object_stores import StoreSource
from backends.remote.settings import RemoteRules, read_rules
from backends.remote.url_rules import read_url
from tests.s3_server import S3Server

CONTENT = bytes(range(256)) * 40_000
A = "clips/a b é 100%.mp4"
SHA = hashlib.sha256(CONTENT).hexdigest()


def quiet(_done: int, _total: int) -> None:
    """Ignores progress."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """Keys and endpoint come from the environment, as in a server process."""
    pytest.importorskip("s3fs", reason="pip install -r requirements-test.txt")
    files = {A: CONTENT, "clips/deep/b.MP4": b"b", "clips/readme.txt": b"x", "private/c.mp4": b"c"}
    with S3Server({"bucket": files}) as made:
        monkeypatch.setenv("AWS_ENDPOINT_URL", made.endpoint)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hushhush")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        yield made


@pytest.fixture
def rules() -> RemoteRules:
    return read_rules({"remote": {"allow": ["s3://bucket/clips/", "gs://bucket/", "abfs://bucket/"]}})


def test_an_object_comes_in_parts(server: S3Server, rules: RemoteRules, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    url = read_url(f"s3://bucket/{A}")
    found = fetch(url, rules, tmp_path, lambda done, total: told.append((done, total)))
    assert found.sha256 == SHA and found.path.read_bytes() == CONTENT and found.path.name == "a b é 100%.mp4"
    assert told[-1][1] == len(CONTENT)
    parts = [asked for method, _, asked in server.seen if method == "GET"]
    assert parts == ["bytes=0-4194303", "bytes=4194304-8388607", "bytes=8388608-10239999"]
    assert fetch(url, rules, tmp_path, quiet) == found


def test_it_goes_on_where_it_ended(server: S3Server, rules: RemoteRules, tmp_path: Path) -> None:
    url = read_url(f"s3://bucket/{A}")
    folder = tmp_path / url.key
    folder.mkdir()
    (folder / "partial").write_bytes(CONTENT[:9_000_000])
    (folder / "partial.json").write_text(f'{{"etag": "\\"{hashlib.md5(CONTENT).hexdigest()}\\""}}')
    assert fetch(url, rules, tmp_path, quiet).sha256 == SHA
    assert [asked for method, _, asked in server.seen if method == "GET"] == ["bytes=9000000-10239999"]


def test_another_version_begins_anew(server: S3Server, rules: RemoteRules, tmp_path: Path) -> None:
    url = read_url(f"s3://bucket/{A}")
    folder = tmp_path / url.key
    folder.mkdir()
    (folder / "partial").write_bytes(b"x" * 9_000_000)
    (folder / "partial.json").write_text('{"etag": "\\"old\\""}')
    assert fetch(url, rules, tmp_path, quiet).sha256 == SHA


def test_a_folder_is_listed(server: S3Server) -> None:
    found = StoreSource(read_url("s3://bucket/clips/"), {}).videos(frozenset((".mp4",)))
    assert [url.shown for url in found] == [f"s3://bucket/{A}", "s3://bucket/clips/deep/b.MP4"]
    with pytest.raises(MediaError, match="no videos"):
        StoreSource(read_url("s3://bucket/clips/"), {}).videos(frozenset((".mkv",)))


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("clips/none.mp4", "no such file"),
        ("clips/*.mp4", "no such file"),
        ("clips/deep", "end the URL of a folder with a slash"),
    ],
)
def test_what_is_not_there(
    server: S3Server, rules: RemoteRules, tmp_path: Path, key: str, words: str
) -> None:
    with pytest.raises(MediaError, match=words):
        fetch(read_url(f"s3://bucket/{key}"), rules, tmp_path, quiet)


def test_another_folder_of_the_bucket_is_not_asked(
    server: S3Server, rules: RemoteRules, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="not in an allowed place"):
        fetch(read_url("s3://bucket/private/c.mp4"), rules, tmp_path, quiet)
    assert server.seen == []


def test_a_store_that_cannot_be_asked_tells_no_keys(
    server: S3Server, rules: RemoteRules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(MediaError) as error:
        fetch(read_url(f"s3://bucket/{A}"), rules, tmp_path, quiet)
    assert "\n" not in str(error.value) and "hushhush" not in str(error.value)


def test_a_missing_package_is_named(
    rules: RemoteRules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    missing = set(object_stores.PACKAGES.values())
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in missing else find(name))
    for scheme, package in object_stores.PACKAGES.items():
        with pytest.raises(BackendUnavailable, match=f"{package}.*requirements-remote.txt"):
            fetch(read_url(f"{scheme}://bucket/clips/a.mp4"), rules, tmp_path, quiet)

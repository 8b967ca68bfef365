"""Tables of URLs that are parsed, of allowed places and of allowed addresses; no network."""

from __future__ import annotations

import re

import pytest

from backends.errors import MediaError, UsageError
from backends.remote.allowed_addresses import is_public, judged, lookup
from backends.remote.settings import GB, read_rules
from backends.remote.url_rules import is_allowed, looks_remote, read_url
from tests.backends.remote.hostile_urls import OUTSIDE, PREFIXES, READ_BUT_PRIVATE, UNREADABLE

ALLOWED = [read_url(prefix) for prefix in PREFIXES]


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_not_read(text: str) -> None:
    with pytest.raises(UsageError) as error:
        read_url(text)
    assert "secret" not in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("text", OUTSIDE.values(), ids=OUTSIDE)
def test_what_is_not_allowed(text: str) -> None:
    url = read_url(text)
    assert not is_allowed(url, ALLOWED)
    with pytest.raises(UsageError, match=r"allow = "):
        read_rules({"remote": {"allow": list(PREFIXES)}}).check(url)


@pytest.mark.parametrize("text", READ_BUT_PRIVATE.values(), ids=READ_BUT_PRIVATE)
def test_what_is_not_asked(text: str) -> None:
    url = read_url(text)
    with pytest.raises(MediaError):
        judged(url.host, url.port, private=False, resolver=lookup)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://videos.example.org/clips/a.mp4", "https://videos.example.org/clips/a.mp4"),
        ("  https://videos.example.org/clips/a.mp4\n", "https://videos.example.org/clips/a.mp4"),
        ("HTTPS://Videos.Example.ORG:443/clips/A.mp4?sig=secret", "https://videos.example.org/clips/A.mp4"),
        ("https://videos.example.org/clips/a b é.mp4", "https://videos.example.org/clips/a%20b%20%C3%A9.mp4"),
        ("https://videos.example.org/clips/100%25.mp4", "https://videos.example.org/clips/100%25.mp4"),
        ("https://videos.example.org/clips/a...b.mp4", "https://videos.example.org/clips/a...b.mp4"),
        ("https://videos.example.org/cl%69ps/a.mp4", "https://videos.example.org/cl%69ps/a.mp4"),
        ("s3://bucket/clips/a b é 100%.mp4", "s3://bucket/clips/a b é 100%.mp4"),
    ],
)
def test_what_is_read_and_allowed(text: str, shown: str) -> None:
    url = read_url(text)
    assert url.shown == shown and "secret" not in shown
    assert is_allowed(url, ALLOWED)
    assert read_url(url.text) == url


def test_the_same_url_has_the_same_key_and_the_query_counts() -> None:
    keys = [read_url(f"https://h.example{end}").key for end in ("/a", ":443/a", "/a?x", "/b", ":444/a")]
    assert keys[0] == keys[1] and len(set(keys)) == 4
    assert all(re.fullmatch("[0-9a-f]{32}", key) for key in keys)


def test_an_ipv6_literal_has_one_form() -> None:
    url = read_url("http://[2606:4700:0:0:0:0:0:1111]:8080/a.mp4")
    assert url.host == "2606:4700::1111" and url.place == "[2606:4700::1111]:8080"
    assert is_allowed(url, [read_url("http://[2606:4700::1111]:8080/")])


def test_an_allowed_file_is_that_file() -> None:
    prefix = [read_url("https://h.example/clips/a.mp4")]
    assert is_allowed(read_url("https://h.example/clips/a.mp4?x"), prefix)
    assert not is_allowed(read_url("https://h.example/clips/a.mp4x"), prefix)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://h/", "video"),
        ("https://h/a.mp4", "a.mp4"),
        ("https://h/a%3Cb%3E.mp4?x", "a_b_.mp4"),
        ("https://h/" + "x" * 300 + ".webm", "x" * 120 + ".webm"),
        ("https://h/clips/.mp4", "mp4"),
        ("s3://bucket/x/a:b.mkv", "a_b.mkv"),
    ],
)
def test_names_of_files(url: str, name: str) -> None:
    assert read_url(url).name == name


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public_addresses(address: str) -> None:
    assert is_public(address)
    assert judged("h", 80, private=False, resolver=lambda *_: [address]) == [address]


def test_what_looks_like_a_url() -> None:
    for text in ("https://h/a", "s3://b/a", "file:///etc/passwd", "simplecache::https://h/a", "FTP://h/a"):
        assert looks_remote(text), text
    for text in ("a.mp4", "/videos/a.mp4", "C:\\a.mp4", "C:/a.mp4", "C://a.mp4", "a:b.mp4", "./x//y.mp4"):
        assert not looks_remote(text), text


# --- settings ------------------------------------------------------------------------------


def test_nothing_is_allowed_by_default() -> None:
    rules = read_rules({})
    assert rules.allow == () and rules.private == frozenset() and rules.max_bytes == 20 * GB
    with pytest.raises(UsageError, match=re.escape('allow = ["https://h.example/clips/"] under [remote]')):
        rules.check(read_url("https://h.example/clips/a.mp4?secret"))


def test_settings_are_read() -> None:
    rules = read_rules(
        {
            "remote": {
                "allow": list(PREFIXES),
                "private": ["10.0.0.5:9000", "Media.LAN:80", "[fd00::5]:81"],
                "max_gb": 0.5,
                "stall_s": 5,
                "s3": {"anon": True},
            }
        }
    )
    assert (
        rules.allow == tuple(ALLOWED) and rules.max_bytes == GB // 2 and rules.options["s3"] == {"anon": True}
    )
    for url in ("http://10.0.0.5:9000/a", "http://media.lan/a", "http://[fd00::5]:81/a"):
        assert rules.is_private(read_url(url)), url
    for url in ("http://10.0.0.5/a", "http://10.0.0.5:9001/a", "https://media.lan/a"):
        assert not rules.is_private(read_url(url)), url


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("x", "[remote]"),
        ({"allowed": []}, "unknown setting remote.allowed"),
        ({"allow": "https://h/"}, "list"),
        ({"allow": [1]}, "list"),
        ({"allow": ["file:///"]}, "remote.allow: file://"),
        ({"allow": ["https://h/?x"]}, "cannot have a query"),
        ({"private": ["10.0.0.5"]}, "host:port"),
        ({"private": ["http://10.0.0.5:9000"]}, "remote.private"),
        ({"private": ["10.0.0.0/8:80"]}, "host:port"),
        ({"max_gb": 0}, "max_gb"),
        ({"max_gb": True}, "max_gb"),
        ({"stall_s": "5"}, "stall_s"),
        ({"s3": 1}, "remote.s3"),
        ({"allow": ["*"]}, "remote.allow"),
    ],
)
def test_settings_that_cannot_be_meant(table: object, words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        read_rules({"remote": table})

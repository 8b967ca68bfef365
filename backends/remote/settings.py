"""What the settings say about media from elsewhere: the table `[remote]` of a workspace's settings.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from backends.errors import UsageError
from backends.remote.url_rules import STORES, RemoteUrl, is_allowed, read_url

GB = 1_000_000_000
EXAMPLE = 'allow = ["https://videos.example.org/clips/"]'


@dataclass(frozen=True, slots=True)
class RemoteRules:
    """From where files may be fetched, and how large and slow they may be. Nothing is allowed by default."""

    allow: tuple[RemoteUrl, ...] = ()
    private: frozenset[str] = frozenset()
    """`host:port` of servers that may have a private address."""
    max_bytes: int = 20 * GB
    stall_s: float = 30.0
    """A transfer that brings next to nothing for so long is given up."""
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By scheme of an object store: what its fsspec class is made with."""

    def check(self, url: RemoteUrl) -> RemoteUrl:
        """The URL, when it is in an allowed place. Raises UsageError."""
        if not is_allowed(url, self.allow):
            raise UsageError(
                f"{url.shown}: not in an allowed place; whoever runs the server writes {_like(url)} under "
                "[remote] in settings.toml"
            )
        return url

    def is_private(self, url: RemoteUrl) -> bool:
        """Whether the settings name this server's host and port."""
        host = f"[{url.host}]" if ":" in url.host else url.host
        return f"{host}:{url.port}" in self.private


def _like(url: RemoteUrl) -> str:
    folder = url.path.rpartition("/")[0]
    return f'allow = ["{url.scheme}://{url.place}{folder}/"]'


def read_rules(settings: Mapping[str, Any]) -> RemoteRules:
    """The rules in `settings["remote"]`, which may be missing. Raises UsageError for what cannot be meant."""
    table = settings.get("remote", {})
    if not isinstance(table, dict):
        raise UsageError(f"settings.toml: remote is a table; write [remote] and below it {EXAMPLE}")
    unknown = sorted(set(table) - {"allow", "private", "max_gb", "stall_s", *STORES})
    if unknown:
        raise UsageError(
            f"settings.toml: no setting remote.{unknown[0]}; there are allow, private, max_gb, "
            f"stall_s and tables for {', '.join(STORES)}"
        )
    return RemoteRules(
        allow=tuple(_prefix(text) for text in _texts(table, "allow")),
        private=frozenset(_place(text) for text in _texts(table, "private")),
        max_bytes=int(_number(table, "max_gb", 20) * GB),
        stall_s=_number(table, "stall_s", 30),
        options={scheme: _options(table, scheme) for scheme in STORES},
    )


def _texts(table: Mapping[str, Any], name: str) -> list[str]:
    value = table.get(name, [])
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise UsageError(f"settings.toml: remote.{name} is a list of texts, like {EXAMPLE}")
    return value


def _prefix(text: str) -> RemoteUrl:
    try:
        prefix = read_url(text)
    except UsageError as error:
        raise UsageError(f"settings.toml: remote.allow: {error}") from None
    if prefix.query:
        raise UsageError("settings.toml: remote.allow: a prefix has no query; leave it out")
    return prefix


def _place(text: str) -> str:
    """`host:port` in the form that a URL's has."""
    try:
        url = read_url(f"http://{text}/")
    except UsageError as error:
        raise UsageError(f"settings.toml: remote.private: {error}") from None
    host = f"[{url.host}]" if ":" in url.host else url.host
    if "/" in text or not text.endswith(f":{url.port}"):
        raise UsageError(f"settings.toml: remote.private: {text!r} must be host:port, like 10.0.0.5:9000")
    return f"{host}:{url.port}"


def _number(table: Mapping[str, Any], name: str, default: float) -> float:
    value = table.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        raise UsageError(f"settings.toml: remote.{name} is a number above 0, like {name} = {default:g}")
    return float(value)


def _options(table: Mapping[str, Any], scheme: str) -> Mapping[str, Any]:
    value = table.get(scheme, {})
    if not isinstance(value, dict):
        raise UsageError(f"settings.toml: remote.{scheme} is a table; write [remote.{scheme}]")
    return value

"""Settings for remote media: the table `[remote]` of a workspace's settings.toml."""

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
    """Allowed sources of remote files, and limits of size and speed. By default nothing is allowed."""

    allow: tuple[RemoteUrl, ...] = ()
    private: frozenset[str] = frozenset()
    """`host:port` of servers that may have private addresses."""
    max_bytes: int = 20 * GB
    stall_s: float = 30.0
    """A transfer with almost no data for this long is aborted."""
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Options of the fsspec class, by scheme of the object store."""

    def check(self, url: RemoteUrl) -> RemoteUrl:
        """Return the URL if it is allowed. Raises UsageError."""
        if not is_allowed(url, self.allow):
            raise UsageError(
                f"{url.shown}: not in an allowed place; to allow it, add {_like(url)} under "
                "[remote] in the server's settings.toml"
            )
        return url

    def is_private(self, url: RemoteUrl) -> bool:
        """Return whether the settings name the URL's host and port as private."""
        host = f"[{url.host}]" if ":" in url.host else url.host
        return f"{host}:{url.port}" in self.private


def _like(url: RemoteUrl) -> str:
    folder = url.path.rpartition("/")[0]
    return f'allow = ["{url.scheme}://{url.place}{folder}/"]'


def read_rules(settings: Mapping[str, Any]) -> RemoteRules:
    """Return the rules in `settings["remote"]`, which may be missing. Raises UsageError for invalid ones."""
    table = settings.get("remote", {})
    if not isinstance(table, dict):
        raise UsageError(f"settings.toml: remote must be a table; write [remote] and below it {EXAMPLE}")
    unknown = sorted(set(table) - {"allow", "private", "max_gb", "stall_s", *STORES})
    if unknown:
        raise UsageError(
            f"settings.toml: unknown setting remote.{unknown[0]}; use allow, private, max_gb, "
            f"stall_s, and tables for {', '.join(STORES)}"
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
        raise UsageError(f"settings.toml: remote.{name} must be a list of strings, like {EXAMPLE}")
    return value


def _prefix(text: str) -> RemoteUrl:
    try:
        prefix = read_url(text)
    except UsageError as error:
        raise UsageError(f"settings.toml: remote.allow: {error}") from None
    if prefix.query:
        raise UsageError("settings.toml: remote.allow: a prefix cannot have a query; remove it")
    return prefix


def _place(text: str) -> str:
    """Return `host:port`, normalised as in a URL."""
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
        raise UsageError(f"settings.toml: remote.{name} must be a number above 0, like {name} = {default:g}")
    return float(value)


def _options(table: Mapping[str, Any], scheme: str) -> Mapping[str, Any]:
    value = table.get(scheme, {})
    if not isinstance(value, dict):
        raise UsageError(f"settings.toml: remote.{scheme} must be a table; write [remote.{scheme}]")
    return value

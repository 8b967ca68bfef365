"""Restrict connections to public addresses, and to private ones that the settings allow.

A host name is resolved once and every resulting address is checked. The connection then uses a checked
address instead of the name, so that a later change in DNS has no effect.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
from typing import Any

from backends.errors import MediaError

Resolver = Callable[[str, int], Sequence[str]]
"""Addresses of a host, as text. Raises OSError."""

_METADATA = frozenset(
    map(
        ipaddress.ip_address,
        ("169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254"),
    )
)
"""Metadata services of clouds, which hand out credentials. Some have public or private addresses."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def lookup(host: str, port: int) -> list[str]:
    """Resolve a host with the system's resolver."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: str) -> bool:
    """Return whether the address is public; for IPv6, any embedded IPv4 address must be too."""
    return all(_is_public(one) for one in _meant(address))


def is_forbidden(address: str) -> bool:
    """Return whether the address is never allowed: metadata, link-local, multicast or unspecified."""
    return any(
        one in _METADATA or one.is_link_local or one.is_multicast or one.is_unspecified
        for one in _meant(address)
    )


def judged(host: str, port: int, *, private: bool, resolver: Resolver = lookup) -> list[str]:
    """Return the addresses to connect to. `private`: the settings allow private addresses for this host.

    Raises MediaError if the host does not exist or one of its addresses is not allowed.
    """
    try:
        addresses = list(resolver(host, port))
    except (OSError, UnicodeError):
        addresses = []
    if not addresses:
        raise MediaError(f"{host}: host not found; check the URL's spelling")
    for address in addresses:
        if is_forbidden(address) or not (private or is_public(address)):
            raise MediaError(
                f"{host}: not a public address, so the request is refused; if it is your own server, write "
                f'private = ["{host}:{port}"] under [remote] in settings.toml'
            )
    return addresses


def _is_public(one: Any) -> bool:
    return bool(
        one.is_global
        and not (one.is_multicast or one.is_reserved or one.is_loopback or one.is_link_local)
        and not (one.is_private or one.is_unspecified or getattr(one, "is_site_local", False))
        and one not in _METADATA
    )


def _meant(address: str) -> list[Any]:
    """Return the address, or the IPv4 addresses that an IPv6 address embeds."""
    one = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(one, ipaddress.IPv4Address):
        return [one]
    if one.ipv4_mapped:
        return [one.ipv4_mapped]
    inside: list[Any] = [one.sixtofour] if one.sixtofour else list(one.teredo or ())
    if one in _NAT64:
        return [ipaddress.IPv4Address(int(one) & 0xFFFFFFFF)]
    return [one, *inside]

"""Which addresses may be connected to: public ones, unless whoever runs the server named the place.

A name is looked up here, every address that it has is judged, and the connection goes to a judged address,
not to the name: whatever the name means a moment later makes no difference.
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
"""Where clouds tell a machine its secrets. Two of them lie in ranges that look public, or private."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def lookup(host: str, port: int) -> list[str]:
    """What the system says that the addresses of a host are."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: str) -> bool:
    """Whether it is a host's on the public internet; also of the IPv4 address inside an IPv6 one."""
    return all(_is_public(one) for one in _meant(address))


def is_forbidden(address: str) -> bool:
    """Whether it is refused even where its place was named: metadata, link-local, multicast, no address."""
    return any(
        one in _METADATA or one.is_link_local or one.is_multicast or one.is_unspecified
        for one in _meant(address)
    )


def judged(host: str, port: int, *, private: bool, resolver: Resolver = lookup) -> list[str]:
    """The addresses to connect to. `private`: whoever runs the server named this place.

    Raises MediaError when there is none, or one of them is not to be asked.
    """
    try:
        addresses = list(resolver(host, port))
    except (OSError, UnicodeError):
        addresses = []
    if not addresses:
        raise MediaError(f"{host}: there is no such host; look at the URL's spelling")
    for address in addresses:
        if is_forbidden(address) or not (private or is_public(address)):
            raise MediaError(
                f"{host}: not a public address, which is never asked; if it is your own server, write "
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
    """The address, or for IPv6 that carries IPv4 the IPv4 addresses that packets end up at."""
    one = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(one, ipaddress.IPv4Address):
        return [one]
    if one.ipv4_mapped:
        return [one.ipv4_mapped]
    inside: list[Any] = [one.sixtofour] if one.sixtofour else list(one.teredo or ())
    if one in _NAT64:
        return [ipaddress.IPv4Address(int(one) & 0xFFFFFFFF)]
    return [one, *inside]

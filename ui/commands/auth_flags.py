"""Flags of `serve` about logins, proxies and addresses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backends.errors import UsageError

if TYPE_CHECKING:
    from ui.auth.current_person import AuthRules
    from ui.auth.site_address_and_cookies import Site

SECRET = "DAILIES_OIDC_SECRET"  # noqa: S105  # the variable's name
ProxyHeaderOption = Annotated[
    str | None,
    typer.Option(help="Header in which a reverse proxy names the person, such as X-Forwarded-User."),
]
TrustedProxyOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Address or network of a reverse proxy whose headers are trusted; may be repeated. "
        "Default: none; with --proxy-header this machine."
    ),
]
OidcOption = Annotated[
    str | None,
    typer.Option(help="Issuer URL of the OpenID provider for logins, such as https://login.example.org."),
]
OidcClientOption = Annotated[
    str | None,
    typer.Option(help=f"Client id of this app at the provider; set its secret, if any, in {SECRET}."),
]
OidcNameOption = Annotated[
    str | None,
    typer.Option(help="Claim that names a new person. Default: preferred_username, else email."),
]
OidcRolesOption = Annotated[
    str | None,
    typer.Option(
        help="Claim that names roles (annotator, expert, researcher, admin) at each login, "
        "such as groups or realm_access.roles. Default: an admin sets roles in Dailies."
    ),
]
PublicUrlOption = Annotated[
    str | None,
    typer.Option(
        help="Public URL of the app behind a reverse proxy, such as https://dailies.example.org.",
        envvar="DAILIES_PUBLIC_URL",
    ),
]
EmbedInOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Origin of a site that may embed the app in a frame, such as https://wiki.example.org; may be "
        "repeated. On a Hugging Face Space: https://huggingface.co.",
        envvar="DAILIES_EMBED_IN",
    ),
]

AllowHostOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Another host name of the server; may be repeated. Without accounts only requests to "
        "localhost, --host, --public-url and these names are accepted."
    ),
]


def auth_rules(
    file: Path | None,
    passwords: bool,
    header: str | None,
    trusted: list[str] | None,
    issuer: str | None,
    client: str | None,
    name: str | None,
    roles: str | None,
) -> AuthRules:
    """Return the rules of `--auth`, `--accounts`, `--proxy-header` and `--oidc`. Raises UsageError."""
    from ui.auth.current_person import AuthRules, ProxyRule, read_accounts
    from ui.auth.openid import OidcRule

    if not issuer and (client or name or roles):
        raise UsageError("--oidc-client, --oidc-name-claim and --oidc-roles need --oidc ISSUER")
    return AuthRules(
        read_accounts(file) if file else None,
        passwords,
        ProxyRule.of(header, trusted or ["127.0.0.1", "::1"]) if header else None,
        OidcRule.of(issuer, client, os.environ.get(SECRET, ""), name, roles) if issuer else None,
    )


def forwarding_proxies(header: str | None, trusted: list[str] | None) -> list[str]:
    """Return the proxies whose X-Forwarded-For header is trusted. Raises UsageError.

    Empty with `--proxy-header`: that rule checks the address of the proxy itself.
    """
    from ui.auth.current_person import networks_of

    return [] if header else [str(network) for network in networks_of(trusted or ())]


def site(public_url: str | None, embed_in: list[str] | None) -> Site:
    """Return the public site of the app, and print a warning about what will not work. Raises UsageError."""
    from ui.auth.site_address_and_cookies import Site
    from ui.commands.terminal_output import say

    found = Site.of(public_url, embed_in or (), os.environ)
    if warning := found.warning():
        say(warning)
    return found

"""Find the person behind a request, for pages, media and autosave.

Without a login, the people on this machine choose who they are, and a cookie names the person. With passwords
(from the workspace's accounts or a file) or an OpenID provider, a login starts a session, and the cookie
holds the session's token. With a header, a proxy in front names the person; the header is accepted only from
a configured proxy. In all these modes a program can send a personal token instead. The token then decides
alone: cookies and headers are ignored.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from fastapi import Request

from annotation.people import (
    accounts,
    audit_log,
    login_sessions,
    openid_identities,
    passwords,
    personal_tokens,
)
from annotation.people.permissions import TokenPerson
from annotation.people.personal_tokens import THROUGH_PROXY, RefusedToken
from annotation.records.decisions import Person
from annotation.records.errors import NotAllowed
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from backends.errors import UsageError
from ui.auth.openid import LEAST_ROLE, Attempt, OidcRule, Provider

__all__ = [
    "ANYBODY",
    "COOKIE",
    "Account",
    "AuthRules",
    "Door",
    "open_door",
    "read_accounts",
    "stores_passwords",
]

COOKIE = "dailies_person"
NEW_ROLE = LEAST_ROLE
"""Role of a person known only from a proxy or a provider, until an admin changes it."""


@dataclass(frozen=True, slots=True)
class Account:
    """One line of the file given with `--auth`."""

    name: str
    role: str
    password: str
    """`scrypt$salt$hash`, both base64."""


def read_accounts(file: Path) -> list[Account]:
    """Read lines `name:role:scrypt$...`. Raises UsageError that names the faulty line."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read ({error}); give the file with the accounts") from error
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split(":", 2)
        if len(parts) != 3 or parts[2].count("$") != 2:
            raise UsageError(
                f"{file}:{number}: not `name:role:hash`; create it with: python app.py password NAME ROLE"
            )
        found.append(Account(*(part.strip() for part in parts)))
    if not found:
        raise UsageError(f"{file}: no accounts; create a line with: python app.py password NAME ROLE")
    return found


class Door(Protocol):
    """Finds the person behind a request. There is one per app."""

    store: Store
    locked: bool
    """Whether people must log in, instead of choosing who they are."""
    takes_passwords: bool
    """Whether people log in with a name and a password."""
    provider: Provider | None
    """The OpenID provider, if there is one."""

    def person(self, request: Request) -> Person | None:
        """The person behind a request; None without a valid login, or for a refused token."""
        ...

    def token_person(self, token: str) -> TokenPerson:
        """The person that a personal token stands for, with the token. Raises RefusedToken."""
        ...

    def user_name(self, request: Request) -> str | None:
        """For Gradio's `auth_dependency`: uses the same rule and the same cookie."""
        ...

    def login(self, name: str, password: str, address: str) -> str:
        """Return the cookie value to set. Raises NotAllowed if this app has no login by password."""
        ...

    def logout(self, request: Request) -> None: ...


@dataclass(frozen=True, slots=True)
class AuthRules:
    """How people log in, by the flags of `serve`; by default without a login.

    Raises UsageError for two ways at once.
    """

    accounts: Sequence[Account] | None = None
    """The accounts of the file given with `--auth`."""
    passwords: bool = False
    """Whether people log in with the passwords of the workspace's accounts."""
    proxy: ProxyRule | None = None
    oidc: OidcRule | None = None

    def __post_init__(self) -> None:
        own = self.passwords or self.oidc is not None
        if (self.accounts is not None) + own + (self.proxy is not None) > 1:
            raise UsageError(
                "give one kind of login: --auth, --proxy-header, or --accounts, --oidc or both of these"
            )


ANYBODY = AuthRules()


def open_door(workspace: Workspace, rules: AuthRules) -> Door:
    """Create the door for these rules. Raises UsageError if the workspace has no admin."""
    if rules.proxy:
        return ProxyDoor(workspace, rules.proxy)
    if rules.oidc:
        return OidcDoor(workspace, Provider(rules.oidc), passwords=rules.passwords)
    if rules.passwords and not accounts.has_admin(workspace.store):
        raise UsageError("the workspace has no admin; add one first: python app.py account add NAME admin")
    if rules.passwords or rules.accounts:
        return PasswordDoor(workspace, rules.accounts)
    return FreeDoor(workspace)


class _Named:
    """The part that all doors share."""

    locked = True
    takes_passwords = False
    provider: Provider | None = None
    store: Store

    def person(self, request: Request) -> Person | None:
        token = token_in(request)
        if token is None:
            return self._without_token(request)
        with suppress(RefusedToken):
            return self.token_person(token)
        return None

    def token_person(self, token: str) -> TokenPerson:
        return personal_tokens.person_of(self.store, token, with_accounts=self.locked)

    def _without_token(self, request: Request) -> Person | None:
        raise NotImplementedError

    def user_name(self, request: Request) -> str | None:
        person = self.person(request)
        return person.name if person else None

    def login(self, name: str, password: str, address: str) -> str:  # noqa: ARG002  # no login by password
        raise NotAllowed("this server has no login by password")

    def logout(self, request: Request) -> None:
        login_sessions.log_out(self.store, request.cookies.get(COOKIE, ""), address_of(request))


class FreeDoor(_Named):
    """No login: for use on one machine."""

    locked = False

    def __init__(self, workspace: Workspace) -> None:
        self.store = workspace.store
        self.owner = workspace.owner()

    def _without_token(self, request: Request) -> Person | None:
        cookie = request.cookies.get(COOKIE, "")
        found = self.store.find(Person, id=cookie) if cookie else []
        return found[0] if found else self.owner


class PasswordDoor(_Named):
    """Login with passwords of the workspace, or of a file. With a file, its roles apply."""

    takes_passwords = True

    def __init__(self, workspace: Workspace, file: Sequence[Account] | None = None) -> None:
        self.store = workspace.store
        self.file = {account.name: account.password for account in file} if file is not None else None
        for account in file or []:
            _as_in_file(workspace, account)

    def _without_token(self, request: Request) -> Person | None:
        person = login_sessions.person_of(self.store, request.cookies.get(COOKIE, ""))
        return person if person and self._is_in_file(person) else None

    def token_person(self, token: str) -> TokenPerson:
        person = super().token_person(token)
        if not self._is_in_file(person):
            raise RefusedToken(f"the account of {person.name} was removed; ask an admin", person.id)
        return person

    def _is_in_file(self, person: Person) -> bool:
        return self.file is None or person.name in self.file

    def login(self, name: str, password: str, address: str) -> str:
        stored = None if self.file is None else self.file.get(name, passwords.UNKNOWN)
        return login_sessions.log_in(self.store, name, password, address, stored)


def stores_passwords(door: Door) -> bool:
    """Whether the workspace stores the passwords."""
    return isinstance(door, PasswordDoor) and door.takes_passwords and door.file is None


def source_of_role(door: Door, person_id: str) -> str:
    """Names the source of a person's role if that is not the workspace; empty: an admin sets it."""
    if isinstance(door, PasswordDoor) and door.file is not None:
        return "roles are set in the file given with --auth; change them there and restart the server"
    if door.provider and door.provider.rule.roles and openid_identities.has_identity(door.store, person_id):
        return f"roles come from {door.provider.host}; change them there, they apply from the next login"
    return ""


class OidcDoor(PasswordDoor):
    """Login through an OpenID provider, and with the workspace's passwords if those are enabled too."""

    def __init__(self, workspace: Workspace, provider: Provider, *, passwords: bool) -> None:
        super().__init__(workspace)
        self.identity_provider, self.provider, self.takes_passwords = provider, provider, passwords

    def login(self, name: str, password: str, address: str) -> str:
        if not self.takes_passwords:
            raise NotAllowed(f"log in with {self.identity_provider.host}")
        return super().login(name, password, address)

    def enter(self, attempt: Attempt, code: str, iss: str, redirect_uri: str, address: str) -> str:
        """Return the cookie for the person the provider sent back. Raises NotAllowed, ProviderDown."""
        known = self.identity_provider.identity(attempt, code, iss, redirect_uri)
        return openid_identities.log_in(self.store, known, NEW_ROLE, address)


def _as_in_file(workspace: Workspace, account: Account) -> None:
    person, _new = workspace.welcome(account.name, account.role)
    if person.role != account.role:
        accounts.set_role(workspace.store, person.id, account.role, last=True)


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def networks_of(addresses: Sequence[str]) -> tuple[Network, ...]:
    """Networks of `--trusted-proxy`. Raises UsageError if one is not an address or a network."""
    try:
        return tuple(ipaddress.ip_network(one) for one in addresses)
    except ValueError as error:
        raise UsageError(f"--trusted-proxy: {error}; give an address such as 10.0.0.5") from error


@dataclass(frozen=True, slots=True)
class ProxyRule:
    """Which proxies may name the person, and in which header."""

    header: str
    networks: tuple[Network, ...]

    @classmethod
    def of(cls, header: str, addresses: Sequence[str]) -> ProxyRule:
        """Raises UsageError if one is not an address."""
        return cls(header, networks_of(addresses))

    def trusts(self, address: str) -> bool:
        try:
            return any(ipaddress.ip_address(address) in network for network in self.networks)
        except ValueError:
            return False


class ProxyDoor(_Named):
    """Login by a proxy in front of the app (oauth2-proxy, Authelia, a company's gateway)."""

    def __init__(self, workspace: Workspace, rule: ProxyRule) -> None:
        self.workspace, self.store, self.rule = workspace, workspace.store, rule

    def _without_token(self, request: Request) -> Person | None:
        name = request.headers.get(self.rule.header, "").strip()[:80].rstrip()
        if not name or not self.rule.trusts(address_of(request)):
            return None
        found = self.store.find(Person, name=name)
        return self._welcome(name) if not found else None if self._disabled(found[0]) else found[0]

    def _welcome(self, name: str) -> Person:
        person, new = self.workspace.welcome(name, NEW_ROLE)
        if new:  # a browser's first page sends several requests at once
            audit_log.note(self.store, person.id, THROUGH_PROXY)
        return person

    def _disabled(self, person: Person) -> bool:
        return accounts.is_disabled(self.store, person.id)

    def logout(self, request: Request) -> None:
        """Does nothing: the proxy ends its own sessions."""


def token_in(request: Request) -> str | None:
    """The personal token in a request; None if it has none of this app's tokens."""
    for value in request.headers.getlist("authorization"):
        scheme, _, token = value.partition(" ")
        if scheme.lower() == "bearer" and token.strip().startswith(personal_tokens.PREFIX):
            return token.strip()
    return None


def address_of(request: Request) -> str:
    """The client address of a request. A forwarded header counts only from a proxy of `--trusted-proxy`."""
    return request.client.host if request.client else ""

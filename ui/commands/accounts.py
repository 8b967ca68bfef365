"""`account`: manages accounts and access tokens."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backends.errors import UsageError
from ui.commands.options import (
    DEFAULT_WORKSPACE,
    DatabaseOption,
    JsonOption,
    WorkspaceOption,
    open_or_make_workspace,
    open_workspace,
    show,
)

if TYPE_CHECKING:
    from annotation.records.decisions import Person
    from annotation.store.store import Store
    from annotation.workspace.workspace import Workspace

WHAT = ("list", "add", "role", "password", "disable", "enable", "link", "token", "tokens", "revoke", "log")
FIRST = ("add", "link")
"""These create the workspace if it does not exist."""
NEEDS_NO_NAME = ("list", "tokens", "log")


def add_to(cli: typer.Typer) -> None:
    """Make the command known."""
    cli.command()(account)


def account(
    what: Annotated[str, typer.Argument(help=f"{', '.join(WHAT)}.")] = "list",
    name: Annotated[str, typer.Argument(help="Name of the account.")] = "",
    detail: Annotated[
        str,
        typer.Argument(
            metavar="[ROLE|TOKEN]",
            help="Role, for add, role and link; name of the token, for token and revoke.",
        ),
    ] = "",
    issuer: Annotated[str, typer.Option(help="For link: URL of the OpenID issuer.")] = "",
    subject: Annotated[str, typer.Option(help="For link: the person's subject id at the issuer.")] = "",
    scope: Annotated[
        str, typer.Option(help="For token: read, or write (all rights of the person except managing people).")
    ] = "read",
    days: Annotated[int, typer.Option(help="For token: days until it expires, at most 366.")] = 90,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Manage accounts: list, add, role, password, disable, enable, link (to a login with --oidc), log.

    Access tokens for programs: token (prints a new one), tokens (lists them), revoke.
    """
    if what not in WHAT:
        raise UsageError(f"unknown action {what!r}; choose from {', '.join(WHAT)}")
    if what not in NEEDS_NO_NAME and not name:
        raise UsageError(f"give a name: python app.py account {what} NAME")
    opened = open_or_make_workspace if what in FIRST else open_workspace
    space = opened(workspace, database)
    if what == "log":
        _log(space.store, as_json)
    elif what in ("token", "tokens", "revoke"):
        person = _person(space, name) if name else None
        _tokens(space, what, person, detail, scope, days, as_json)
    else:
        if what == "link":
            _link(space, name, detail, issuer, subject)
        elif what != "list":
            _change(space, what, name, detail)
        _list(space.store, as_json)


def _tokens(
    space: Workspace, what: str, person: Person | None, name: str, scope: str, days: int, as_json: bool
) -> None:
    from ui.commands import account_tokens

    if what == "tokens" or person is None:
        account_tokens.list_tokens(space, person, as_json)
    elif not name:
        raise UsageError(f"name the token: python app.py account {what} {person.name} TOKEN")
    elif what == "token":
        account_tokens.make_token(space, person, name, scope, days, as_json)
    else:
        account_tokens.revoke_token(space, person, name, as_json)


def _person(space: Workspace, name: str) -> Person:
    """Return a person by name. Raises UsageError if there is none."""
    from annotation.records.decisions import Person

    found = space.store.find(Person, name=name)
    if not found:
        raise UsageError(f"account {name!r} not found; python app.py account list shows all accounts")
    return found[0]


def _change(space: Workspace, what: str, name: str, role: str) -> None:
    from annotation.people import accounts, passwords

    if what == "add":
        typed = _typed()
        passwords.hash_password(typed)
        accounts.set_password(space.store, space.add_person(name, role or "annotator").id, typed)
        return
    person = _person(space, name)
    if what == "role":
        accounts.set_role(space.store, person.id, role)
    elif what == "password":
        accounts.set_password(space.store, person.id, _typed())
    else:
        accounts.set_disabled(space.store, person.id, what == "disable")


def _link(space: Workspace, name: str, role: str, issuer: str, subject: str) -> None:
    """Link an OpenID login to an account. An account that does not exist is added, without a password."""
    from annotation.people import accounts, openid_identities
    from annotation.records.decisions import Person

    if not issuer or not subject:
        raise UsageError(f"give the login: python app.py account link {name} --issuer URL --subject ID")
    found = space.store.find(Person, name=name)
    person = found[0] if found else space.add_person(name, role or "annotator")
    openid_identities.link(space.store, person, issuer, subject)
    if role and person.role != role:
        accounts.set_role(space.store, person.id, role)


def _typed() -> str:
    return str(typer.prompt("password", hide_input=True, confirmation_prompt=True, err=True))


def _list(store: Store, as_json: bool) -> None:
    from annotation.people.accounts import accounts

    rows = [
        {
            "name": a.person.name,
            "role": a.person.role,
            "password": a.has_password,
            "disabled": a.disabled,
            "seen": _time(a.seen_at) if a.seen_at else None,
        }
        for a in accounts(store)
    ]
    show(rows, as_json, lambda: [f"{r['name']:24} {r['role']:11} {_state(r)}" for r in rows])


def _state(row: Mapping[str, Any]) -> str:
    if row["disabled"]:
        return "disabled"
    return f"last seen {row['seen'] or 'never'}" if row["password"] else "no password"


def _log(store: Store, as_json: bool) -> None:
    from annotation.people.audit_log import entries

    rows = [
        {"at": _time(e.at), "who": e.who, "what": e.what, "about": e.about, "address": e.address}
        for e in entries(store, limit=1000)
    ]
    show(
        rows,
        as_json,
        lambda: [f"{r['at']}  {r['who']:16} {r['what']:28} {r['about']}  {r['address']}" for r in rows],
    )


def _time(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))

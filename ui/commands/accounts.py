"""`account`: who may log in, from the command line."""

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
"""Also in a workspace that is made for it."""
NEEDS_NO_NAME = ("list", "tokens", "log")


def add_to(cli: typer.Typer) -> None:
    """Make the command known."""
    cli.command()(account)


def account(
    what: Annotated[str, typer.Argument(help=f"{', '.join(WHAT)}.")] = "list",
    name: Annotated[str, typer.Argument(help="Whose account.")] = "",
    detail: Annotated[
        str,
        typer.Argument(
            metavar="[ROLE|TOKEN]",
            help="The role, for add, role and link. The token's own name, for token and revoke.",
        ),
    ] = "",
    issuer: Annotated[str, typer.Option(help="For link: the provider's address.")] = "",
    subject: Annotated[str, typer.Option(help="For link: who it is there.")] = "",
    scope: Annotated[
        str, typer.Option(help="For token: read, or write (all that the person may, but people).")
    ] = "read",
    days: Annotated[int, typer.Option(help="For token: how long it holds, at most 366.")] = 90,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Accounts: list, add, role, password, disable, enable, link (to a login with --oidc), log.

    And what programs log in with: token (prints a new one), tokens (lists them), revoke.
    """
    if what not in WHAT:
        raise UsageError(f"no account {what!r}; choose {', '.join(WHAT)}")
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
        raise UsageError(f"say which: python app.py account {what} {person.name} TOKEN")
    elif what == "token":
        account_tokens.make_token(space, person, name, scope, days, as_json)
    else:
        account_tokens.revoke_token(space, person, name, as_json)


def _person(space: Workspace, name: str) -> Person:
    """Raises UsageError."""
    from annotation.records.decisions import Person

    found = space.store.find(Person, name=name)
    if not found:
        raise UsageError(f"nobody is called {name!r}; python app.py account list names everyone")
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
    """A login of a provider leads to this account; one that is not there yet is added, without a password."""
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

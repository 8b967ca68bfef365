"""`account`: who may log in, from the command line."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from backends.errors import UsageError
from ui.commands.options import (
    DEFAULT_WORKSPACE,
    DatabaseOption,
    JsonOption,
    WorkspaceOption,
    open_workspace,
    show,
)

WHAT = ("list", "add", "role", "password", "disable", "enable", "link", "log")


def add_to(cli: typer.Typer) -> None:
    """Make the command known."""
    cli.command()(account)


def account(
    what: Annotated[str, typer.Argument(help=f"{', '.join(WHAT)}.")] = "list",
    name: Annotated[str, typer.Argument(help="Whose account.")] = "",
    role: Annotated[str, typer.Argument(help="For add, role and link.")] = "",
    issuer: Annotated[str, typer.Option(help="For link: the provider's address.")] = "",
    subject: Annotated[str, typer.Option(help="For link: who it is there.")] = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Accounts: list, add, role, password, disable, enable, link (to a login with --oidc), log."""
    if what not in WHAT:
        raise UsageError(f"no account {what!r}; choose {', '.join(WHAT)}")
    if what not in ("list", "log") and not name:
        raise UsageError(f"give a name: python app.py account {what} NAME")
    space = open_workspace(workspace, database)
    if what == "log":
        _log(space.store, as_json)
        return
    if what == "link":
        _link(space, name, role, issuer, subject)
    elif what != "list":
        _change(space, what, name, role)
    _list(space.store, as_json)


def _change(space: Any, what: str, name: str, role: str) -> None:
    from annotation.people import accounts, passwords
    from annotation.records.decisions import Person

    if what == "add":
        typed = _typed()
        passwords.hash_password(typed)
        accounts.set_password(space.store, space.add_person(name, role or "annotator").id, typed)
        return
    found = space.store.find(Person, name=name)
    if not found:
        raise UsageError(f"nobody is called {name!r}; python app.py account list names everyone")
    if what == "role":
        accounts.set_role(space.store, found[0].id, role)
    elif what == "password":
        accounts.set_password(space.store, found[0].id, _typed())
    else:
        accounts.set_disabled(space.store, found[0].id, what == "disable")


def _link(space: Any, name: str, role: str, issuer: str, subject: str) -> None:
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


def _list(store: Any, as_json: bool) -> None:
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


def _state(row: Any) -> str:
    if row["disabled"]:
        return "disabled"
    return f"last seen {row['seen'] or 'never'}" if row["password"] else "no password"


def _log(store: Any, as_json: bool) -> None:
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

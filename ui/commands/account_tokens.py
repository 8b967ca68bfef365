"""`account token`, `tokens` and `revoke`: access tokens for programs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from backends.errors import UsageError
from ui.commands.options import show
from ui.commands.terminal_output import say

if TYPE_CHECKING:
    from annotation.people.personal_tokens import PersonalToken
    from annotation.records.decisions import Person
    from annotation.workspace.workspace import Workspace


def make_token(space: Workspace, person: Person, name: str, scope: str, days: int, as_json: bool) -> None:
    """Print a new token on stdout, and its scope and end on stderr."""
    from annotation.people import personal_tokens

    with_accounts = personal_tokens.has_accounts(space.store)
    new = personal_tokens.make(space.store, person, name, scope, days, with_accounts=with_accounts)
    made = new.made
    say(f"token of {made.person}, valid until {_day(made.until)} ({made.scope}); it is not shown again")
    if not with_accounts:
        say("this workspace has no accounts yet; the token is valid until the first one is added")
    show({"token": new.token, **_row(made)}, as_json, lambda: [new.token])


def list_tokens(space: Workspace, person: Person | None, as_json: bool) -> None:
    """Print the tokens of one person, or of everyone if `person` is None."""
    from annotation.people.personal_tokens import tokens

    rows = [_row(one) for one in tokens(space.store, person.id if person else None)]
    show(rows, as_json, lambda: [_line(row) for row in rows])


def revoke_token(space: Workspace, person: Person, name: str, as_json: bool) -> None:
    """Revoke a token by its name. Raises UsageError if the person has no valid token of that name."""
    from annotation.people import personal_tokens

    valid = [one for one in personal_tokens.tokens(space.store, person.id) if one.state == "valid"]
    found = next((one for one in valid if one.name == name), None)
    if found is None:
        known = ", ".join(repr(one.name) for one in valid) or "none"
        raise UsageError(f"{person.name} has no valid token {name!r}; valid tokens: {known}")
    revoked = personal_tokens.revoke(space.store, found.id)
    show(_row(revoked), as_json, lambda: [_line(_row(revoked))])


def _row(token: PersonalToken) -> dict[str, Any]:
    return {
        "person": token.person,
        "name": token.name,
        "scope": token.scope,
        "state": token.state,
        "until": _day(token.until),
        "used": _day(token.used_at) if token.used_at else None,
    }


def _line(row: Mapping[str, Any]) -> str:
    used = f"used {row['used'] or 'never'}"
    return (
        f"{row['person']:16} {row['name']:24} {row['scope']:6} {row['state']:8} until {row['until']}  {used}"
    )


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))

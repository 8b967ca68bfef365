"""Who is asking: one answer for pages, media and autosave.

Without `--auth` everyone on this machine chooses who they are (a cookie names the person).
With it, a signed cookie is given against name and password, and nothing else counts.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from base64 import b64decode, b64encode
from dataclasses import dataclass
from pathlib import Path

from fastapi import Request

from annotation.errors import UsageError
from annotation.records import Person
from annotation.store.store import Store
from annotation.workspace import Workspace

COOKIE = "dailies_person"
SESSION_S = 14 * 24 * 3600
SCRYPT = {"n": 2**14, "r": 8, "p": 1}
UNKNOWN = "scrypt$" + b64encode(b"0" * 16).decode() + "$" + b64encode(b"0" * 64).decode()
"""Checked for names that do not exist, so that they take as long as those that do."""


@dataclass(frozen=True, slots=True)
class Account:
    """One line of the file given with `--auth`."""

    name: str
    role: str
    password: str
    """`scrypt$salt$hash`, both base64."""


def hash_password(password: str) -> str:
    salt = secrets.token_bytes(16)
    derived = hashlib.scrypt(password.encode(), salt=salt, **SCRYPT)
    return f"scrypt${b64encode(salt).decode()}${b64encode(derived).decode()}"


def check_password(password: str, stored: str) -> bool:
    _, salt, expected = stored.split("$")
    derived = hashlib.scrypt(password.encode(), salt=b64decode(salt), **SCRYPT)
    return hmac.compare_digest(derived, b64decode(expected))


def read_accounts(file: Path) -> list[Account]:
    """Lines `name:role:scrypt$...`. Raises UsageError naming the line that is wrong."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read ({error}); give the file with the accounts") from error
    accounts = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split(":", 2)
        if len(parts) != 3 or parts[2].count("$") != 2:
            raise UsageError(
                f"{file}:{number}: not `name:role:hash`; make the line with: python app.py password NAME ROLE"
            )
        accounts.append(Account(*(part.strip() for part in parts)))
    if not accounts:
        raise UsageError(f"{file}: no accounts; make a line with: python app.py password NAME ROLE")
    return accounts


class Door:
    """Tells who is asking. One per app."""

    def __init__(self, workspace: Workspace, accounts: list[Account] | None = None) -> None:
        self.store: Store = workspace.store
        self.owner = workspace.owner() if not accounts else None
        self.accounts = {account.name: account for account in accounts or []}
        self._key = secrets.token_bytes(32)
        for account in accounts or []:
            if not self.store.find(Person, name=account.name):
                workspace.add_person(account.name, account.role)

    @property
    def locked(self) -> bool:
        """Whether a password is asked for."""
        return bool(self.accounts)

    def person(self, request: Request) -> Person | None:
        """The person behind a request; None for a stranger at a locked door."""
        cookie = request.cookies.get(COOKIE, "")
        person_id = self._signed(cookie) if self.locked else cookie
        found = self.store.find(Person, id=person_id) if person_id else []
        return found[0] if found else self.owner

    def user_name(self, request: Request) -> str | None:
        """For Gradio's `auth_dependency`: same rule, same cookie."""
        person = self.person(request)
        return person.name if person else None

    def login(self, name: str, password: str) -> str | None:
        """The cookie to set; None when name or password is wrong."""
        account = self.accounts.get(name)
        right = check_password(password, account.password if account else UNKNOWN)
        if account is None or not right:
            return None
        person = self.store.find(Person, name=name)[0]
        return self._sign(f"{person.id}|{int(time.time()) + SESSION_S}")

    def _sign(self, text: str) -> str:
        return f"{text}|{hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()}"

    def _signed(self, cookie: str) -> str:
        text, _, mac = cookie.rpartition("|")
        if not hmac.compare_digest(self._sign(text).rpartition("|")[2], mac):
            return ""
        person_id, _, until = text.partition("|")
        return person_id if until.isdigit() and int(until) > time.time() else ""

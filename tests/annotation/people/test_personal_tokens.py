"""Personal tokens: for whom they speak, how long, and what is kept of them."""

from __future__ import annotations

import time

import pytest
from sqlalchemy import select, update

from annotation.people import accounts, audit_log, login_sessions, openid_identities, personal_tokens
from annotation.people.permissions import ALLOWED, TokenPerson, actions_of, may, require
from annotation.people.personal_tokens import RefusedToken
from annotation.records.decisions import Person
from annotation.records.errors import NotAllowed, NotFound
from annotation.store import tables as t
from annotation.store.store import Store
from backends.errors import UsageError
from tests.annotation.people.test_accounts import ADA, BO, people

__all__ = ["people"]


def new(store: Store, scope: str = "write", person: Person = BO, name: str = "notebook") -> str:
    return personal_tokens.make(store, person, name, scope, 30, with_accounts=True).token


def speaks_for(store: Store, token: str) -> TokenPerson:
    return personal_tokens.person_of(store, token, with_accounts=True)


def test_it_speaks_for_its_person_as_they_are_now(people: Store) -> None:
    token = new(people)
    found = speaks_for(people, token)
    assert (found.id, found.name, found.role, found.scope) == (BO.id, "bo", "annotator", "write")
    accounts.set_role(people, BO.id, "researcher")
    assert speaks_for(people, token).role == "researcher"
    with people.reading() as conn:
        kept = str(conn.execute(select(t.personal_token)).all())
    assert token not in kept and token[8:] not in kept, "a hash alone is kept"


@pytest.mark.parametrize("role", ALLOWED)
def test_a_scope_takes_away_and_adds_nothing(people: Store, role: str) -> None:
    with people.writing() as conn:
        conn.execute(update(t.person).where(t.person.c.id == BO.id).values(role=role))
    reads = speaks_for(people, new(people, "read", name="a"))
    writes = speaks_for(people, new(people, "write", name="b"))
    assert actions_of(reads) == ALLOWED[reads.role] & {"read", "export"}
    assert actions_of(writes) == ALLOWED[reads.role] - {"manage"}
    assert may(writes, "edit", BO.id) and not may(reads, "edit", BO.id)
    with pytest.raises(NotAllowed, match="the token 'a' may only read, not edit"):
        require(reads, "edit")
    with pytest.raises(NotAllowed, match="may not manage"):
        require(writes, "manage")


def test_it_ends(people: Store) -> None:
    token = new(people)
    accounts.set_disabled(people, BO.id, True)
    with pytest.raises(RefusedToken, match="disabled") as refused:
        speaks_for(people, token)
    assert refused.value.person_id == BO.id
    accounts.set_disabled(people, BO.id, False)
    (made,) = personal_tokens.tokens(people, BO.id)
    assert made.state == "valid" and abs(made.until - time.time() - 30 * 86400) < 60
    with people.writing() as conn:
        conn.execute(update(t.personal_token).values(until=time.time() - 1))
    with pytest.raises(RefusedToken, match="has expired"):
        speaks_for(people, token)
    assert personal_tokens.revoke(people, made.id, by=BO).state == "revoked"
    with pytest.raises(RefusedToken, match="has been revoked"):
        speaks_for(people, token)
    with pytest.raises(RefusedToken, match="this token does not exist"):
        speaks_for(people, f"{token}x")


def test_the_last_use_is_kept(people: Store) -> None:
    token = new(people)
    assert personal_tokens.tokens(people)[0].used_at is None
    speaks_for(people, token)
    first = personal_tokens.tokens(people)[0].used_at
    assert first is not None and abs(first - time.time()) < 60
    speaks_for(people, token)
    assert personal_tokens.tokens(people)[0].used_at == first, "to a minute"
    with people.writing() as conn:
        conn.execute(update(t.personal_token).values(used_at=first - 120))
    speaks_for(people, token)
    assert (personal_tokens.tokens(people)[0].used_at or 0) >= first


@pytest.mark.parametrize(
    ("name", "scope", "days", "why"),
    [
        ("", "read", 1, "give the token a name"),
        ("x" * 81, "read", 1, "give the token a name"),
        ("a\0b", "read", 1, "NUL"),
        ("a", "all", 1, "unknown scope 'all'; choose read or write"),
        ("a", "read", 0, "1 to 366 days"),
        ("a", "read", 367, "1 to 366 days"),
        ("notebook", "read", 1, "already has a token 'notebook'"),
    ],
)
def test_what_is_no_token_is_not_made(people: Store, name: str, scope: str, days: int, why: str) -> None:
    new(people)
    with pytest.raises(UsageError, match=why):
        personal_tokens.make(people, BO, name, scope, days, with_accounts=True)
    assert len(personal_tokens.tokens(people)) == 1


def test_tokens_are_their_persons(people: Store) -> None:
    new(people, person=ADA)
    new(people)
    of_ada, of_bo = (personal_tokens.tokens(people, one.id)[0] for one in (ADA, BO))
    with pytest.raises(NotAllowed):
        personal_tokens.revoke(people, of_ada.id, by=BO)
    with pytest.raises(NotFound):
        personal_tokens.revoke(people, "tok-none", by=ADA)
    assert personal_tokens.revoke(people, of_bo.id, by=ADA).state == "revoked"
    again = personal_tokens.revoke(people, of_bo.id)
    lines = [f"{e.who}: {e.what} {e.about}" for e in audit_log.entries(people)]
    assert again.state == "revoked" and lines[0] == "ada: token revoked bo: notebook", "noted once"
    ada = speaks_for(people, new(people, person=ADA, name="other"))
    with pytest.raises(NotAllowed, match="cannot create tokens"):
        personal_tokens.make(people, ada, "more", "read", 1, with_accounts=True)
    with pytest.raises(NotAllowed, match="cannot revoke tokens"):
        personal_tokens.revoke(people, of_ada.id, by=ada)


def test_one_that_was_made_without_accounts_holds_only_without(store: Store) -> None:
    store.add([ADA, BO])
    assert not personal_tokens.has_accounts(store)
    token = personal_tokens.make(store, BO, "a", "read", 1, with_accounts=False).token
    assert personal_tokens.person_of(store, token, with_accounts=False).name == "bo"
    with pytest.raises(RefusedToken, match="before logging in was required"):
        speaks_for(store, token)
    assert personal_tokens.person_of(store, new(store), with_accounts=False).name == "bo"


def test_whether_there_are_accounts(store: Store) -> None:
    store.add([ADA, BO])
    accounts.set_disabled(store, BO.id, True)
    assert not personal_tokens.has_accounts(store), "an account without a password lets nobody in"
    openid_identities.link(store, BO, "https://login.example.org", "5f0c1a")
    assert personal_tokens.has_accounts(store)


@pytest.mark.parametrize("how", ["password", "file", "proxy"])
def test_whoever_came_in_has_an_account(store: Store, how: str) -> None:
    store.add([ADA, BO])
    if how == "password":
        accounts.set_password(store, ADA.id, "correct horse")
    elif how == "file":
        login_sessions.begin(store, ADA.id, "", "logged in")
    else:
        audit_log.note(store, ADA.id, "came first through the proxy")
    assert personal_tokens.has_accounts(store)

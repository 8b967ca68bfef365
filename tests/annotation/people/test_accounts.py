"""Accounts: passwords, sessions, guessing, the last admin, and what is noted."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from annotation.people import accounts, audit_log, login_attempts, login_sessions
from annotation.records.decisions import Person
from annotation.records.errors import NotAllowed
from annotation.store import tables as t
from annotation.store.store import Store
from backends.errors import UsageError

ADA, BO = (
    Person(id=f"per-{name}", name=name, role=role, created_at=float(n))
    for n, (name, role) in enumerate((("ada", "admin"), ("bo", "annotator")))
)


@pytest.fixture
def people(store: Store) -> Store:
    store.add([ADA, BO])
    accounts.set_password(store, ADA.id, "correct horse")
    accounts.set_password(store, BO.id, "battery staple")
    return store


def names(store: Store) -> list[str]:
    return [f"{e.who}: {e.what} {e.about}".strip() for e in reversed(audit_log.entries(store))]


def test_a_session_lasts_until_it_is_ended(people: Store) -> None:
    token = login_sessions.log_in(people, "bo", "battery staple", "10.0.0.1")
    other = login_sessions.log_in(people, "bo", "battery staple", "10.0.0.2")
    assert login_sessions.person_of(people, token) == BO
    login_sessions.log_out(people, token)
    assert login_sessions.person_of(people, token) is None
    assert login_sessions.person_of(people, other) == BO
    accounts.set_password(people, BO.id, "something else", by=BO)
    assert login_sessions.person_of(people, other) is None, "a new password ends every session"
    assert login_sessions.person_of(people, "") is None


def test_a_session_ends_by_itself(people: Store) -> None:
    token = login_sessions.log_in(people, "bo", "battery staple", "")
    with people.writing() as conn:
        conn.execute(update(t.login_session).values(until=1.0))
    assert login_sessions.person_of(people, token) is None


def test_the_database_opens_no_door(people: Store) -> None:
    token = login_sessions.log_in(people, "bo", "battery staple", "")
    with people.reading() as conn:
        kept = str(conn.execute(select(t.login_session)).all()) + str(conn.execute(select(t.account)).all())
        [session] = conn.scalars(select(t.login_session.c.id))
    assert token not in kept
    assert "staple" not in kept
    assert login_sessions.person_of(people, session) is None


@pytest.mark.parametrize(
    ("name", "password"), [("bo", "wrong"), ("bo", ""), ("nobody", "x" * 9), ("ada", "battery staple")]
)
def test_wrong_is_wrong_without_saying_what(people: Store, name: str, password: str) -> None:
    with pytest.raises(NotAllowed, match=r"^wrong name or password$"):
        login_sessions.log_in(people, name, password, "10.0.0.1")


def test_guessing_has_to_wait(people: Store) -> None:
    for n in range(login_attempts.TRIES):
        with pytest.raises(NotAllowed, match="wrong"):
            login_sessions.log_in(people, f"guess {n}", "x", "10.0.0.1")
    with pytest.raises(login_attempts.TooManyTries):
        login_sessions.log_in(people, "bo", "battery staple", "10.0.0.1")
    assert login_sessions.log_in(people, "bo", "battery staple", "10.0.0.2"), "others are let in"
    with people.writing() as conn:
        conn.execute(
            update(t.audit_entry).values(created_at=t.audit_entry.c.created_at - login_attempts.WITHIN_S)
        )
    assert login_sessions.log_in(people, "bo", "battery staple", "10.0.0.1")


def test_one_name_is_not_guessed_from_everywhere(people: Store) -> None:
    for n in range(login_attempts.TRIES_NAME):
        with pytest.raises(NotAllowed, match="wrong"):
            login_sessions.log_in(people, "bo", "x", f"10.0.1.{n}")
    with pytest.raises(login_attempts.TooManyTries):
        login_sessions.log_in(people, "bo", "x", "10.0.2.1")


def test_whoever_is_disabled_is_out(people: Store) -> None:
    token = login_sessions.log_in(people, "bo", "battery staple", "")
    accounts.set_disabled(people, BO.id, True, by=ADA)
    assert login_sessions.person_of(people, token) is None
    with pytest.raises(NotAllowed):
        login_sessions.log_in(people, "bo", "battery staple", "")
    accounts.set_disabled(people, BO.id, False, by=ADA)
    assert login_sessions.log_in(people, "bo", "battery staple", "")


def test_somebody_can_always_let_people_in(people: Store) -> None:
    for change in (
        lambda: accounts.set_role(people, ADA.id, "expert", by=ADA),
        lambda: accounts.set_disabled(people, ADA.id, True, by=ADA),
    ):
        with pytest.raises(UsageError, match="only admin"):
            change()
    accounts.set_role(people, BO.id, "admin", by=ADA)
    assert accounts.set_role(people, ADA.id, "expert", by=ADA).role == "expert"


def test_only_admins_manage(people: Store) -> None:
    for change in (
        lambda: accounts.set_role(people, BO.id, "admin", by=BO),
        lambda: accounts.set_disabled(people, ADA.id, True, by=BO),
        lambda: accounts.set_password(people, ADA.id, "battery staple", by=BO),
    ):
        with pytest.raises(NotAllowed):
            change()


@pytest.mark.parametrize("password", ["", "short", "x" * 1025])
def test_a_password_has_a_length(people: Store, password: str) -> None:
    with pytest.raises(UsageError, match="8 to 1,024"):
        accounts.set_password(people, BO.id, password)


def test_what_was_done_is_noted(people: Store) -> None:
    login_sessions.log_in(people, "ada", "correct horse", "10.0.0.1")
    with pytest.raises(NotAllowed):
        login_sessions.log_in(people, "bo", "wrong", "10.0.0.9")
    accounts.set_role(people, BO.id, "expert", by=ADA)
    assert names(people)[2:] == [
        "ada: logged in",
        ": login failed bo",
        "ada: role set bo: annotator to expert",
    ]
    newest = audit_log.entries(people, limit=1)
    assert [e.what for e in newest] == ["role set"]
    assert [e.what for e in audit_log.entries(people, before=newest[0].at, limit=1)] == ["login failed"]

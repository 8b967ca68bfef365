"""What a thread reads within a snapshot is of one moment, and is read once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from annotation.records.decisions import Person
from annotation.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(f"sqlite:///{tmp_path / 'dailies.db'}")
    store.add([person("ana")])
    yield store
    store.close()


def person(name: str) -> Person:
    return Person(id=f"per-{name}", name=name, role="annotator", created_at=1.0)


def names(store: Store) -> list[str]:
    return [found.name for found in store.find(Person, order_by=["name"])]


def in_thread(act: Any) -> None:
    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


def test_a_change_of_another_thread_is_seen_after_the_snapshot(store: Store) -> None:
    with store.snapshot():
        assert names(store) == ["ana"]
        in_thread(lambda: store.add([person("bo")]))
        assert names(store) == ["ana"] and store.count(Person) == 1
    assert names(store) == ["ana", "bo"] and store.count(Person) == 2


def test_equal_questions_are_asked_once(store: Store) -> None:
    statements: list[str] = []
    event.listen(
        store.engine, "before_cursor_execute", lambda _c, _u, statement, *_: statements.append(statement)
    )
    with store.snapshot(), store.snapshot():
        for _ in range(3):
            assert names(store) == ["ana"]
            assert store.find(Person, name="ana") == store.find(Person, name=["ana"])
            assert store.find(Person, name="bo") == []
        store.find(Person).clear()
        assert len(store.find(Person)) == 1, "a list of its own"
    assert len([one for one in statements if one.startswith("SELECT")]) == 5


def test_a_write_transaction_sees_what_it_writes(store: Store) -> None:
    with store.writing(), store.snapshot():
        assert names(store) == ["ana"]
        store.add([person("bo")])
        assert names(store) == ["ana", "bo"]


def test_a_snapshot_within_which_is_written_stays_as_it_was(store: Store) -> None:
    with store.snapshot():
        assert names(store) == ["ana"]
        store.add([person("bo")])
        assert names(store) == ["ana"]
        with store.writing():
            assert names(store) == ["ana", "bo"]
    assert names(store) == ["ana", "bo"]


def test_other_threads_have_no_part_in_it(store: Store) -> None:
    seen: list[list[str]] = []
    with store.snapshot():
        assert names(store) == ["ana"]
        in_thread(lambda: (store.add([person("bo")]), seen.append(names(store))))
    assert seen == [["ana", "bo"]]

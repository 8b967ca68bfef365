"""Several people and processes on one database at once, each with a connection of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier

import pytest

from annotation.records.captions_to_verdicts import Question, Text
from annotation.records.decisions import Correction, Person
from annotation.records.errors import StaleEdit
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from tests.annotation.store.test_store import CAPTION, chain, correct_caption
from tests.paths import ROOT
from tests.processes import meet, together

PEOPLE = 4


@pytest.fixture
def stores(database: str) -> Iterator[list[Store]]:
    """One store per person, as in as many processes."""
    opened = [Store(database) for _ in range(PEOPLE)]
    yield opened
    for store in opened:
        store.close()


def at_once(stores: list[Store], work) -> list:
    """What `work(number, store)` gave, started together; a refused edit is a result too."""
    gate = Barrier(len(stores))

    def one(number: int):
        gate.wait()
        try:
            return work(number, stores[number])
        except StaleEdit as error:
            return error

    with ThreadPoolExecutor(len(stores)) as pool:
        return list(pool.map(one, range(len(stores))))


def test_processes_that_start_together_make_the_schema_once(database: str) -> None:
    code = "import sys; from annotation.store.store import Store; Store(sys.argv[1])"
    command = [sys.executable, "-c", code, database]
    started = [subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(PEOPLE)]
    assert [process.communicate(timeout=240)[1] for process in started] == [""] * PEOPLE


def open_and_close(_number: int, url: str) -> str:
    meet()
    Store(url).close()
    return "opened"


def owner_of(_number: int, folder: Path, url: str) -> str:
    space = Workspace(folder, url)
    meet()
    found = space.owner().id
    space.close()
    return found


def welcomed_in(_number: int, folder: Path, url: str) -> bool:
    space = Workspace(folder, url)
    meet()
    _person, new = space.welcome("ada", "expert")
    space.close()
    return new


@pytest.mark.parametrize("_again", range(5))
def test_a_database_is_made_by_one_of_those_who_open_it(database: str, _again: int) -> None:
    assert together(PEOPLE, open_and_close, database) == ["opened"] * PEOPLE


@pytest.mark.parametrize("_again", range(5))
def test_processes_that_start_together_have_one_owner(database: str, tmp_path: Path, _again: int) -> None:
    assert len(set(together(PEOPLE, owner_of, tmp_path / "w", database))) == 1
    store = Store(database)
    assert [person.role for person in store.find(Person)] == ["admin"]
    store.close()


@pytest.mark.parametrize("_again", range(5))
def test_one_of_them_finds_a_person_new(database: str, tmp_path: Path, _again: int) -> None:
    """As when a proxy or a file with accounts names somebody to all processes at once."""
    assert sorted(together(PEOPLE, welcomed_in, tmp_path / "w", database)) == [False] * (PEOPLE - 1) + [True]


def test_the_same_batch_from_all_is_there_once(stores: list[Store]) -> None:
    counts = at_once(stores, lambda _number, store: store.add(chain()))
    assert sorted(counts) == [0, 0, 0, 7]


def caption_of(number: int, store: Store, base: int) -> None:
    correct_caption(store, f"caption of {number}", base=base)


def test_of_those_who_start_from_one_revision_one_wins_and_the_others_are_told(stores: list[Store]) -> None:
    stores[0].add(chain())
    for revision in range(8):
        outcomes = at_once(stores, partial(caption_of, base=revision))
        lost = [outcome for outcome in outcomes if outcome is not None]
        assert [type(error) for error in lost] == [StaleEdit] * (PEOPLE - 1)
        winner = f"caption of {outcomes.index(None)}"
        assert {(error.current, error.revision) for error in lost} == {(winner, revision + 1)}
    assert stores[0].count(Correction) == 8


def test_changes_of_different_things_at_once_are_both_seen_in_what_is_stale(stores: list[Store]) -> None:
    """One changes the caption, one the question; then both change them back at once."""
    stores[0].add(chain())
    question = stores[0].get(Question, "qst-1").text

    def change(number: int, store: Store, back: bool) -> None:
        if number == 0:
            correct_caption(store, CAPTION if back else "A blue boat.", base=int(back))
        elif number == 1:
            value = question if back else "What is its colour?"
            store.correct("question", "qst-1", "text", value, person_id="per-1", base_revision=int(back))

    assert at_once(stores, lambda n, store: change(n, store, back=False)) == [None] * PEOPLE
    assert stores[2].current("verdict", "jdg-1", "verdict").stale
    assert at_once(stores, lambda n, store: change(n, store, back=True)) == [None] * PEOPLE
    assert not stores[2].current("verdict", "jdg-1", "verdict").stale


def test_a_reader_sees_one_state_while_others_write(stores: list[Store]) -> None:
    reader, writer = stores[:2]
    writer.add(chain())
    count = "SELECT count(*) FROM video"
    with reader.reading() as conn:
        before = conn.exec_driver_sql(count).scalar_one()
        writer.add([Video(id="vid-2", title="new", created_at=1.0)])
        assert conn.exec_driver_sql(count).scalar_one() == before == 1
    assert reader.count(Video) == 2
    assert reader.count(Text) == 1

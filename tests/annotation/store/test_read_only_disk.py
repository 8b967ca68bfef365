"""A workspace where nothing can be written: it is read, and what is said of it is about its disk."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from annotation.records.errors import DiskFull, ReadOnlyDisk
from annotation.records.videos import Video
from annotation.store.database import holds_workspace, open_engine, open_to_read
from annotation.workspace.backup import back_up
from annotation.workspace.workspace import Workspace
from backends.errors import BackendUnavailable, UsageError
from exports.sample import TITLE, import_sample
from tests.app_process import run_app
from tests.small_disk import NOT_WRITABLE, read_only


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the sample and somebody who owns it, closed."""
    folder = tmp_path_factory.mktemp("filled") / "a workspace #1"
    with closing(Workspace(folder)) as space:
        space.owner()
        import_sample(space)
    return folder


@pytest.mark.parametrize("kind", NOT_WRITABLE)
def test_it_is_opened_for_reading(filled: Path, tmp_path: Path, kind: str) -> None:
    with NOT_WRITABLE[kind](filled, tmp_path / "disk") as folder, closing(Workspace(folder)) as space:
        [video] = space.store.find(Video)
        assert video.title == TITLE
        with pytest.raises(ReadOnlyDisk, match="nothing was saved"):
            space.store.put(video)
        assert issubclass(ReadOnlyDisk, DiskFull)


def test_what_stands_in_the_log_beside_it_is_read_too(filled: Path, tmp_path: Path) -> None:
    """A copy that was made while somebody worked."""
    live, copy = tmp_path / "live", tmp_path / "copy"
    shutil.copytree(filled, live)
    with closing(sqlite3.connect(live / "dailies.db")) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("UPDATE video SET title = 'in the log'")
        writer.commit()
        shutil.copytree(live, copy, ignore=shutil.ignore_patterns("*-shm"))
    assert (copy / "dailies.db-wal").stat().st_size > 0
    with read_only(copy, tmp_path / "disk") as folder, closing(Workspace(folder)) as space:
        assert [video.title for video in space.store.find(Video)] == ["in the log"]


def test_a_schema_that_has_to_be_upgraded_is_named_as_that(filled: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(filled, old)
    with closing(sqlite3.connect(old / "dailies.db")) as there:
        there.execute("UPDATE alembic_version SET version_num = '0001'")
        there.commit()
    with (
        read_only(old, tmp_path / "disk") as folder,
        pytest.raises(UsageError, match="was created by an earlier version of Dailies"),
    ):
        Workspace(folder)


def test_where_none_can_be_made_the_file_is_named_and_not_a_server(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with read_only(tmp_path / "empty", tmp_path / "disk") as folder:
        with pytest.raises(UsageError, match="cannot create the workspace"):
            Workspace(folder / "w")
        with pytest.raises(BackendUnavailable, match=r"database file .* cannot be used") as refusal:
            open_engine(f"sqlite:///{folder / 'dailies.db'}")
    assert "server" not in str(refusal.value)
    (tmp_path / "text.db").write_text("no database at all, but a text of some length" * 50)
    with pytest.raises(BackendUnavailable, match=r"database file .*text\.db.*restore a backup") as refusal:
        open_engine(f"sqlite:///{tmp_path / 'text.db'}")
    assert "server" not in str(refusal.value)


@pytest.mark.engines
def test_a_server_is_named_as_one(postgres_server: str) -> None:
    del postgres_server  # its driver is what is needed
    with pytest.raises(BackendUnavailable, match="database server cannot be used"):
        open_engine("postgresql://nobody@127.0.0.1:9/none")


def _titles_as_another_person(folder: Path, found: multiprocessing.Queue[object]) -> None:
    os.setgid(65534)
    os.setuid(65534)
    try:
        with closing(Workspace(folder)) as space:
            titles = [video.title for video in space.store.find(Video)]
            try:
                space.store.put(space.store.find(Video)[0])
            except ReadOnlyDisk as error:
                titles.append(type(error).__name__)
        found.put(titles)
    except BaseException as error:  # noqa: BLE001  # shown by the test
        found.put(repr(error))


@pytest.mark.parametrize("working", [True, False])
def test_somebody_who_may_not_write_there_reads(filled: Path, working: bool) -> None:
    """Also while its owner works in it."""
    if os.geteuid() != 0:
        pytest.skip("only root can work as another person")
    place = Path("/tmp") / f"dailies-read-only-{os.getpid()}-{working}"
    shutil.copytree(filled, place)
    try:
        place.chmod(0o755)
        context = multiprocessing.get_context("fork")
        found: multiprocessing.Queue[object] = context.Queue()
        with closing(Workspace(place)) as space:
            if working:
                space.store.put(space.store.find(Video)[0])
            else:
                space.close()
            child = context.Process(target=_titles_as_another_person, args=(place, found))
            child.start()
            assert found.get(timeout=60) == [TITLE, "ReadOnlyDisk"]
            child.join()
            with space.store.reading() as conn:
                assert conn.execute(text("SELECT count(*) FROM video")).scalar_one() == 1
    finally:
        shutil.rmtree(place)


@pytest.mark.parametrize("kind", NOT_WRITABLE)
def test_it_is_found_and_backed_up_there(filled: Path, tmp_path: Path, kind: str) -> None:
    with NOT_WRITABLE[kind](filled, tmp_path / "disk") as folder:
        with closing(Workspace.existing(folder)) as space:
            assert [video.title for video in space.store.find(Video)] == [TITLE]
        assert back_up(folder, tmp_path / "a.tar")["rows"] > 100
    with tarfile.open(tmp_path / "a.tar") as tar:
        assert "dailies.db" in tar.getnames()


@pytest.mark.parametrize(
    "command",
    [
        ("score", "vdc", "--evaluation", "hand-written"),
        ("export", "report", "--preview", "--evaluation", "hand-written"),
        ("doctor",),
        ("copy-database", "sqlite:///{folder}/copy.db"),
    ],
    ids=lambda command: command[0],
)
def test_commands_that_read_work_there(filled: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    words = [word.format(folder=tmp_path) for word in command]
    with read_only(filled, tmp_path / "disk") as folder:
        done = run_app(*words, "--workspace", folder)
    assert done.returncode == 0, done.stderr
    assert "cannot be used" not in done.stderr


def test_a_file_is_named_by_its_path_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "two  spaces #1.db"
    file.write_text("not a database, but a text of some length" * 50)
    for opening in (holds_workspace, open_to_read, open_engine):
        with pytest.raises(BackendUnavailable) as refusal:
            opening(f"sqlite:///{file}")
        assert f"the database file {file} cannot be used (file is not a database)" in str(refusal.value)

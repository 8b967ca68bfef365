"""Backup, restore, and the way of a whole database into another one."""

from __future__ import annotations

import io
import json
import sqlite3
import tarfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import MetaData, create_engine, select

from annotation.records.errors import FormatError
from annotation.records.videos import Video
from annotation.store.copy_database import KNOWN, copy_as_it_is, copy_database
from annotation.store.database import open_engine
from annotation.store.store import Store
from annotation.store.tables import metadata
from annotation.workspace.backup import back_up, restore
from annotation.workspace.workspace import Workspace
from backends.errors import UsageError
from tests.annotation.store.test_store import chain
from tests.old_workspaces import RELEASES, old_workspace
from tests.small_disk import small_disk


def rows(store: Store) -> dict[str, list[dict[str, Any]]]:
    with store.engine.connect() as conn:
        return {
            table.name: [
                dict(row) for row in conn.execute(select(table).order_by(*table.primary_key)).mappings()
            ]
            for table in metadata.sorted_tables
        }


def worked_on(store: Store) -> Store:
    store.add(chain("Grüße, 世界 \U0001f6f6"))
    store.correct("text", "txt-1", "value", "A \u202eblue boat.", person_id="per-1", base_revision=0)
    store.correct(
        "verdict", "jdg-1", "verdict", {"label": "no", "score": 0.0}, person_id="per-1", base_revision=0
    )
    return store


def test_a_database_goes_into_another_one_and_back(store: Store, tmp_path: Path) -> None:
    worked_on(store)
    there, back = (open_engine(f"sqlite:///{tmp_path / name}.db") for name in ("there", "back"))
    seen: list[tuple[int, int]] = []
    counts = copy_database(store.engine, there, lambda done, total: seen.append((done, total)))
    assert counts["correction"] == 2
    assert seen[-1] == (sum(counts.values()),) * 2
    copy_database(there, back)
    assert rows(Store(f"sqlite:///{tmp_path / 'back.db'}")) == rows(store)


def test_a_database_that_holds_something_is_left_alone(store: Store, tmp_path: Path) -> None:
    worked_on(store)
    other = Store(f"sqlite:///{tmp_path / 'other.db'}")
    other.add([Video(id="vid-9", title="mine", created_at=1.0)])
    before = rows(other)
    with pytest.raises(UsageError, match="already has 1 rows in video"):
        copy_database(store.engine, other.engine)
    assert rows(other) == before


def a_workspace(folder: Path) -> Workspace:
    space = Workspace(folder)
    worked_on(space.store)
    kept = space.path / "videos" / "vid-1.mp4"
    kept.parent.mkdir()
    kept.write_bytes(b"film")
    (space.path / "prompts").mkdir()
    (space.path / "prompts" / "vdc_short.md").write_text("own", encoding="utf-8")
    (space.path / "settings.toml").write_text('speech = "none"\n', encoding="utf-8")
    (space.path / "videos" / "link").symlink_to("/etc/hostname")
    space.store.add(
        [
            Video(id="vid-2", title="kept", created_at=1.0, path=str(kept)),
            Video(id="vid-3", title="elsewhere", created_at=1.0, path="/films/a.mp4"),
        ]
    )
    return space


def test_a_backup_makes_the_workspace_again(tmp_path: Path) -> None:
    space = a_workspace(tmp_path / "one")
    found = back_up(space.path, tmp_path / "monday.tar")
    assert restore(tmp_path / "monday.tar", tmp_path / "two")["rows"] == found["rows"]
    again = Workspace(tmp_path / "two")
    before, after = rows(space.store), rows(again.store)
    moved = str(again.path / "videos" / "vid-1.mp4")
    assert [row["path"] for row in after["video"]] == [None, moved, "/films/a.mp4"]
    assert Path(moved).read_bytes() == b"film"
    assert {k: v for k, v in before.items() if k != "video"} == {
        k: v for k, v in after.items() if k != "video"
    }
    assert again.settings == {"speech": "none"}
    assert (again.path / "prompts" / "vdc_short.md").read_text(encoding="utf-8") == "own"
    assert not (again.path / "videos" / "link").exists(), "a link would lead out of the workspace"


def test_a_film_that_was_joined_from_clips_is_kept(tmp_path: Path) -> None:
    """Its clips may be gone; thumbnails and copies for browsers beside it are made again."""
    space = a_workspace(tmp_path / "one")
    film = space.media / "vid-4" / "clips.mp4"
    film.parent.mkdir(parents=True)
    film.write_bytes(b"joined")
    (film.parent / "thumbnail.jpg").write_bytes(b"picture")
    space.store.add([Video(id="vid-4", title="joined", created_at=1.0, path=str(film))])
    space.store.add([Video(id="vid-5", title="gone", created_at=1.0, path=str(space.media / "gone.mp4"))])
    back_up(space.path, tmp_path / "monday.tar")
    restore(tmp_path / "monday.tar", tmp_path / "two")
    again = Workspace(tmp_path / "two")
    [path] = [row["path"] for row in rows(again.store)["video"] if row["id"] == "vid-4"]
    assert path == str(again.media / "vid-4" / "clips.mp4")
    assert Path(path).read_bytes() == b"joined"
    assert not (again.media / "vid-4" / "thumbnail.jpg").exists()


def test_nothing_is_written_over(tmp_path: Path) -> None:
    space = a_workspace(tmp_path / "one")
    back_up(space.path, tmp_path / "monday.tar")
    with pytest.raises(UsageError, match="already exists"):
        back_up(space.path, tmp_path / "monday.tar")
    with pytest.raises(UsageError, match="not empty"):
        restore(tmp_path / "monday.tar", space.path)
    assert not list(tmp_path.glob(".dailies*"))


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but the two that SQLite keeps beside a database that is open."""
    files = (
        path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    )
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def inserted(file: Path) -> list[str]:
    """What a database holds, as SQLite dumps it."""
    with closing(sqlite3.connect(file)) as conn:
        return sorted(line for line in conn.iterdump() if line.startswith("INSERT"))


def test_a_backup_of_an_old_workspace_holds_the_old_state(tmp_path: Path) -> None:
    """It is made before an upgrade, so it must not be the upgrade."""
    old_workspace(tmp_path / "old")
    before = contents(tmp_path / "old")
    back_up(tmp_path / "old", tmp_path / "old.tar")
    assert contents(tmp_path / "old") == before
    with tarfile.open(tmp_path / "old.tar") as tar:
        tar.extract("dailies.db", tmp_path / "kept", filter="data")
    assert inserted(tmp_path / "kept" / "dailies.db") == inserted(tmp_path / "old" / "dailies.db")
    restore(tmp_path / "old.tar", tmp_path / "new")
    with closing(Workspace(tmp_path / "new")) as again, closing(Workspace(tmp_path / "old")) as upgraded:
        one, other = rows(again.store), rows(upgraded.store)
        changed = ("video", "workspace", "mended_text", "decision")
        assert {name: found for name, found in one.items() if name not in changed} == {
            name: found for name, found in other.items() if name not in changed
        }
        assert len(one["video"]) == len(other["video"])


def test_a_copied_database_stays_as_it_is(tmp_path: Path) -> None:
    url = old_workspace(tmp_path / "old")
    before = contents(tmp_path / "old")
    copy_as_it_is(url, f"sqlite:///{tmp_path / 'copy.db'}")
    assert contents(tmp_path / "old") == before
    assert inserted(tmp_path / "copy.db") == inserted(tmp_path / "old" / "dailies.db")
    with pytest.raises(UsageError, match="use an empty database"):
        copy_as_it_is(url, f"sqlite:///{tmp_path / 'copy.db'}")
    open_engine(f"sqlite:///{tmp_path / 'copy.db'}").dispose()


def test_a_newer_workspace_is_not_backed_up(tmp_path: Path) -> None:
    Workspace(tmp_path / "new").close()
    with closing(sqlite3.connect(tmp_path / "new" / "dailies.db")) as conn, conn:
        conn.execute("UPDATE alembic_version SET version_num = '9.9.9'")
    before = contents(tmp_path / "new")
    with pytest.raises(UsageError, match="a newer version of Dailies"):
        back_up(tmp_path / "new", tmp_path / "new.tar")
    assert contents(tmp_path / "new") == before and not list(tmp_path.glob("*.tar"))


HOSTILE = ("../out", "/tmp/dailies-out", "videos/../../out", "dailies.db/../../../out", "sub/dailies.db")


@pytest.mark.parametrize("name", HOSTILE)
def test_an_archive_cannot_write_elsewhere(tmp_path: Path, name: str) -> None:
    back_up(a_workspace(tmp_path / "one").path, tmp_path / "good.tar")
    bad = tmp_path / "bad.tar"
    bad.write_bytes((tmp_path / "good.tar").read_bytes())
    with tarfile.open(bad, "a") as tar:
        member = tarfile.TarInfo(name)
        member.size = 4
        tar.addfile(member, io.BytesIO(b"evil"))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(FormatError):
        restore(bad, tmp_path / "new")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_link_in_an_archive_is_refused(tmp_path: Path) -> None:
    back_up(a_workspace(tmp_path / "one").path, tmp_path / "good.tar")
    with tarfile.open(tmp_path / "good.tar", "a") as tar:
        member = tarfile.TarInfo("videos/passwd.mp4")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(member)
    with pytest.raises(FormatError):
        restore(tmp_path / "good.tar", tmp_path / "new")


@pytest.mark.parametrize(
    "about", [{"format": "other"}, {"format": "dailies-backup", "version": 99}, [], None]
)
def test_what_is_no_backup_is_one_line(tmp_path: Path, about: object) -> None:
    bad = tmp_path / "bad.tar"
    with tarfile.open(bad, "w") as tar:
        content = json.dumps(about).encode()
        member = tarfile.TarInfo("backup.json")
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    with pytest.raises(FormatError):
        restore(bad, tmp_path / "new")
    (tmp_path / "text.tar").write_text("not an archive", encoding="utf-8")
    with pytest.raises(FormatError, match="use a file written by"):
        restore(tmp_path / "text.tar", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_the_id_of_a_video_is_kept(tmp_path: Path) -> None:
    video = replace(Video(id="vid-1", title="a", created_at=1.0), extra={"key": [1, {"x": None}]})
    store = Store(f"sqlite:///{tmp_path / 'a.db'}")
    store.add([video])
    copy_database(store.engine, open_engine(f"sqlite:///{tmp_path / 'b.db'}"))
    assert Store(f"sqlite:///{tmp_path / 'b.db'}").get(Video, "vid-1") == video


@pytest.mark.parametrize("release", RELEASES)
def test_every_table_of_a_release_is_copied(tmp_path: Path, release: str) -> None:
    engine, found = create_engine(old_workspace(tmp_path / "old", release=release)), MetaData()
    found.reflect(engine)
    engine.dispose()
    assert set(found.tables) <= KNOWN


def test_tables_of_other_programs_are_left_out(database: str, tmp_path: Path) -> None:
    url = old_workspace(tmp_path / "old", database)
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as conn:
        conn.exec_driver_sql("CREATE TABLE of_others (id INTEGER PRIMARY KEY)")
        conn.exec_driver_sql("INSERT INTO of_others VALUES (1)")
    engine.dispose()
    counts = copy_as_it_is(url, f"sqlite:///{tmp_path / 'copy.db'}")
    assert counts["judgement"] > 0 and counts["alembic_version"] == 1
    assert "of_others" not in counts
    with closing(sqlite3.connect(tmp_path / "copy.db")) as conn:
        assert not conn.execute("SELECT 1 FROM sqlite_master WHERE name = 'of_others'").fetchall()


def test_an_error_while_it_is_built_is_not_one_of_its_place(tmp_path: Path) -> None:
    back_up(a_workspace(tmp_path / "one").path, tmp_path / "monday.tar")

    def unread(_done: int, _total: int) -> None:
        raise BrokenPipeError(32, "the output is closed")

    with pytest.raises(BrokenPipeError):
        restore(tmp_path / "monday.tar", tmp_path / "new", progress=unread)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["monday.tar", "one"]


def test_what_comes_into_a_mounted_folder_meanwhile_is_kept(tmp_path: Path) -> None:
    back_up(a_workspace(tmp_path / "one").path, tmp_path / "monday.tar")
    with small_disk(tmp_path / "disk", 24) as disk:
        file = disk / "settings.toml"
        with pytest.raises(UsageError, match="not empty"):
            restore(tmp_path / "monday.tar", disk, progress=lambda *_: file.write_text("theirs"))
        assert [path.name for path in disk.iterdir()] == [file.name] and file.read_text() == "theirs"
        file.unlink()
        restore(tmp_path / "monday.tar", disk)
        Workspace.existing(disk).close()

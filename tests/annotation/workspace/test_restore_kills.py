"""`restore` and `backup` in processes of their own, ended by the system at several moments."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from annotation.records.videos import Video
from annotation.workspace.backup import back_up, restore
from annotation.workspace.held_folders import IN_USE
from annotation.workspace.workspace import DATABASE, Workspace
from tests.app_process import AppProcess

VIDEOS = 20_000
Moment = Callable[[Path], bool]
"""Whether it has come, by what lies in the folder beside the new workspace."""


def built(home: Path, place: str) -> list[Path]:
    return list(home.glob(f".dailies-restore-*/files/{place}"))


def rows_written(home: Path) -> bool:
    """Whether the database that is built holds some of the rows, by its size."""
    files = built(home, f"workspace/{DATABASE}*")
    try:
        return sum(file.stat().st_size for file in files) > 2_000_000
    except FileNotFoundError:  # a journal that was there a moment ago
        return False


MOMENTS: dict[str, Moment] = {
    "the temporary folder is there": lambda home: bool(built(home, "")),
    "the archive is being unpacked": lambda home: bool(built(home, "archive/*")),
    "the new database is there": lambda home: bool(built(home, f"workspace/{DATABASE}")),
    "rows are being copied": rows_written,
    "the folder is there": lambda home: (home / "new").exists(),
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    space = Workspace(folder / "one")
    space.store.add(Video(id=f"vid-{n}", title=f"clip {n}", created_at=1.0) for n in range(VIDEOS))
    (space.path / "videos").mkdir()
    (space.path / "videos" / "a.mp4").write_bytes(bytes(30_000_000))
    space.close()
    back_up(space.path, folder / "monday.tar")
    return folder / "monday.tar"


def killed(process: subprocess.Popen[str] | AppProcess, home: Path, moment: Moment) -> None:
    """End it with SIGKILL once the moment has come."""
    until = time.monotonic() + 120
    while not moment(home) and process.poll() is None:
        assert time.monotonic() < until
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)


def is_whole(folder: Path) -> bool:
    with closing(Workspace.existing(folder)) as space:
        film = (folder / "videos" / "a.mp4").stat().st_size
        return space.store.count(Video) == VIDEOS and film == 30_000_000


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_restore_leaves_nothing_or_a_whole_workspace(
    tmp_path: Path, archive: Path, moment: str
) -> None:
    new = tmp_path / "new"
    killed(AppProcess("restore", archive, "--workspace", new), tmp_path, MOMENTS[moment])
    if new.exists():
        assert is_whole(new)
        return
    restore(archive, new)
    assert is_whole(new)
    assert [path.name for path in tmp_path.iterdir()] == ["new"], "what the killed one left is removed"


def test_of_a_restore_at_work_nothing_is_removed(tmp_path: Path, archive: Path) -> None:
    process = AppProcess("restore", archive, "--workspace", tmp_path / "new")
    while not built(tmp_path, "archive/*"):
        assert process.poll() is None
    os.kill(process.pid, signal.SIGSTOP)
    restore(archive, tmp_path / "other")
    os.kill(process.pid, signal.SIGCONT)
    _, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    assert is_whole(tmp_path / "new") and is_whole(tmp_path / "other")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "other"]


def test_a_killed_backup_leaves_no_archive_and_the_next_one_cleans_up(tmp_path: Path, archive: Path) -> None:
    rows = restore(archive, tmp_path / "new")["rows"]
    out = tmp_path / "kept" / "tuesday.tar"
    out.parent.mkdir()
    code = (
        "import sys; from pathlib import Path; from annotation.workspace.backup import back_up\n"
        "back_up(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    process = subprocess.Popen([sys.executable, "-c", code, tmp_path / "new", out], text=True)
    killed(process, out.parent, lambda home: bool(list(home.glob(f".dailies-backup-*/files/{DATABASE}"))))
    assert not out.exists() and list(out.parent.glob(f".dailies-backup-*/{IN_USE}"))
    assert back_up(tmp_path / "new", out)["rows"] == rows
    assert [path.name for path in out.parent.iterdir()] == ["tuesday.tar"]


def test_a_backup_reads_the_rows_that_a_killed_process_left_in_the_log(tmp_path: Path) -> None:
    """They are in the file beside the database, which a backup reads and leaves as it is."""
    Workspace(tmp_path / "w").close()
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from annotation.workspace.workspace import Workspace; from annotation.records.videos import Video\n"
        "space = Workspace(Path(sys.argv[1]))\n"
        "space.store.add([Video(id='vid-1', title='a', created_at=1.0)])\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path / "w"], check=False)
    log = tmp_path / "w" / f"{DATABASE}-wal"
    before = {file: file.read_bytes() for file in (log, log.with_name(DATABASE))}
    assert before[log]
    back_up(tmp_path / "w", tmp_path / "a.tar")
    assert {file: file.read_bytes() for file in before} == before
    restore(tmp_path / "a.tar", tmp_path / "new")
    with closing(sqlite3.connect(tmp_path / "new" / DATABASE)) as conn:
        assert conn.execute("SELECT title FROM video").fetchall() == [("a",)]

"""Connections to the database come back whatever a client does."""

from __future__ import annotations

import socket
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.records.errors import DiskFull
from annotation.store.copy_database import copy_database
from annotation.workspace.workspace import Workspace
from exports.catalogue import format_registry as formats
from tests.bench import Bench
from tests.small_disk import fill, small_disk
from tests.ui.serving import serving
from ui.web_app import build_app

DROPPED = 100


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.engines)])
def space(request: pytest.FixtureRequest, bench: Bench) -> Iterator[Workspace]:
    """The processed workspace on either database."""
    if request.param == "sqlite":
        yield bench.workspace
        return
    other = Workspace(bench.workspace.path, request.getfixturevalue("postgres_database"))
    copy_database(bench.workspace.store.engine, other.store.engine)
    yield other
    other.close()


def drop(port: int, path: str, after: float) -> None:
    """Ask, and be gone before the answer is there."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as wire:
        wire.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        time.sleep(after)


def out_of(space: Workspace) -> int:
    """Connections that somebody holds, once those who are still at work are done."""
    pool: Any = space.store.engine.pool
    end = time.monotonic() + 60
    while pool.checkedout() and time.monotonic() < end:
        time.sleep(0.05)
    return int(pool.checkedout())


@pytest.mark.parametrize("full", [False, True], ids=["whole", "broken off"])
def test_dropped_exports(
    space: Workspace, bench: Bench, full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also exports that end in their middle, since the disk for temporary files is full."""
    with small_disk(tmp_path / "exports", 200) as exports:
        monkeypatch.setattr("tempfile.tempdir", str(exports))
        filler = fill(exports) if full else None
        with serving(build_app(space, bench.engines)) as port:
            for n in range(DROPPED):
                drop(port, "/api/export/dailies-jsonl", (0.001, 0.02)[n % 2])
            assert out_of(space) == 0
            for path in ("/healthz", "/api/library"):
                assert urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60).status == 200
        assert [path for path in exports.iterdir() if path != filler] == [], "nothing stays of those who left"


def test_an_export_that_breaks_off_gives_its_connection_back(bench: Bench, tmp_path: Path) -> None:
    kept = []
    with small_disk(tmp_path / "disk", 1) as disk:
        fill(disk)
        for n in range(20):
            with pytest.raises(DiskFull) as caught:
                formats.write(bench.store, "dailies-jsonl", disk / f"{n}.jsonl")
            kept.append(caught.value)  # whoever looks at an error keeps what its functions held
            assert not list(disk.glob("*.jsonl"))
    assert out_of(bench.workspace) == 0

"""Videos on a real Ray cluster of two nodes, with PostgreSQL: the records of a run on this machine alone."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import create_engine

from annotation.records.runs import RunVideo
from annotation.store.store import Store
from benchmarks.scale import beginning
from tests.annotation.pipeline.test_interrupted import rows_of
from tests.backends.clips import textured, write_clip
from tests.chat_server import ChatServer, normal
from tests.engines.ray_nodes import ROOT, Node, Nodes, two_nodes
from tests.postgres import new_database

pytestmark = [pytest.mark.engines, pytest.mark.timeout(600)]
CLIPS = 18
STAGES = "probe,scenes,speech,measurements"


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of clips of three shots; one of them speaks."""
    folder = tmp_path_factory.mktemp("films")
    for number in range(CLIPS - 1):
        shots = [textured(10 * number + shot, 70 + 60 * (shot % 2)) for shot in range(3)]
        pictures = [np.roll(shots[i // 20], i // 3, axis=1) for i in range(60)]
        write_clip(folder / f"film {number:02}.mp4", pictures)
    beginning(ROOT / "sample" / "clip.mp4", folder / "spoken.mp4", 6.0)
    return folder


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with two_nodes() as started:
        yield started


@dataclass
class Place:
    """A workspace with a database of its own."""

    folder: Path
    database: str
    nodes: Nodes | None = None

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, "app.py", "run", *arguments, "--workspace", self.folder, "--json"]
        command += ["--database", self.database]
        return subprocess.Popen(
            list(map(str, command)),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.nodes.variables if self.nodes else None,
        )

    def run(self, *arguments: object, code: int = 0) -> tuple[Any, str]:
        with self.start(*arguments) as process:
            try:
                out, err = process.communicate(timeout=500)
            finally:
                process.kill()
        assert process.returncode == code, err
        assert "Traceback" not in err
        return json.loads(out or "null"), err

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        return rows_of(self.database.replace("postgresql:", "postgresql+psycopg:"))

    def states(self) -> dict[str, int]:
        store = Store(self.database)
        rows = store.find(RunVideo)
        store.close()
        return {state: sum(row.state == state for row in rows) for state in {row.state for row in rows}}

    def clean(self) -> bool:
        """No row says that something runs, and no proof of a run lies about."""
        return "running" not in self.states() and not list((self.folder / "media").glob(".cluster*"))


@pytest.fixture
def place(nodes: Nodes, postgres_database: str, tmp_path: Path) -> Place:
    return Place(tmp_path / "space", postgres_database, nodes)


@pytest.fixture(scope="module")
def alone(
    films: Path, postgres_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Any, dict[str, list[tuple[Any, ...]]]]]:
    """What a run on this machine prints, and its rows."""
    with new_database(postgres_server, f"alone_{secrets.token_hex(4)}") as database:
        here = Place(tmp_path_factory.mktemp("alone"), database)
        printed, _ = here.run(films, "--stages", STAGES)
        assert len(printed) == CLIPS and any(video["segments"] for video in printed)
        yield printed, here.rows()


def test_two_nodes_give_the_records_of_this_machine(films: Path, place: Place, alone: Any) -> None:
    assert place.nodes
    printed, _ = place.run(films, "--stages", STAGES, "--cluster", place.nodes.address)
    assert (printed, place.rows()) == alone
    assert place.clean()


def test_a_node_is_lost_and_no_work_with_it(films: Path, place: Place, alone: Any) -> None:
    assert place.nodes
    node = place.nodes.running[-1]
    process = place.start(films, "--stages", STAGES, "--cluster", place.nodes.client)
    before = _kill_in_the_middle(place, node, process)
    out, err = process.communicate(timeout=500)
    place.nodes.wait_for(1)
    place.nodes.start()
    place.nodes.wait_for(2)
    assert process.returncode == 0, err
    assert 0 < before < CLIPS, "it was killed in the middle"
    assert (json.loads(out), place.rows()) == alone
    assert place.clean()


def _kill_in_the_middle(place: Place, node: Node, process: subprocess.Popen[str]) -> int:
    """How many videos had scenes when the node was killed while it worked on one."""
    while process.poll() is None:
        if (count := _with_scenes(place)) >= 4 and node.tasks():
            node.kill()
            return count
        time.sleep(0.05)
    pytest.fail(f"it ended before a node was killed: {process.communicate()[1]}")


def _with_scenes(place: Place) -> int:
    engine = create_engine(place.database.replace("postgresql:", "postgresql+psycopg:"))
    with suppress(Exception), engine.connect() as conn:  # before the tables are made there is nothing
        return int(conn.exec_driver_sql("SELECT count(*) FROM scene_list").scalar() or 0)
    return 0


def test_stopped_it_ends_soon_and_the_next_run_goes_on(films: Path, place: Place, alone: Any) -> None:
    assert place.nodes
    how = ("--stages", STAGES, "--cluster", place.nodes.client)
    process = place.start(films, *how)
    while _with_scenes(place) < 3:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=500)
    assert process.returncode == 130 and "Traceback" not in err, err
    assert 3 <= _with_scenes(place) < CLIPS and place.clean()
    assert not any(node.tasks() for node in place.nodes.running)
    printed, _ = place.run(films, *how)
    assert (printed, place.rows()) == alone


def test_a_video_that_kills_every_process_is_given_up(films: Path, place: Place) -> None:
    assert place.nodes
    long = write_clip(place.nodes.folder / "long.mp4", (textured(i // 200) for i in range(3000)), keyint=250)
    process = place.start(long, films / "film 00.mp4", "--stages", "scenes", "--cluster", place.nodes.client)
    while process.poll() is None:
        _kill_those_at(place)
        time.sleep(0.1)
    out, err = process.communicate(timeout=500)
    assert process.returncode == 1 and "long" in err and "lost 4 times" in err, err
    assert {video["title"]: bool(video["scenes"]) for video in json.loads(out)}["film 00"]
    assert place.clean()
    assert place.run(long, "--stages", "scenes", "--cluster", place.nodes.client)[0][0]["scenes"]


def _kill_those_at(place: Place) -> None:
    """Workers, once the short film is done; the other video has them alone."""
    assert place.nodes
    if _with_scenes(place):
        for pid in [pid for node in place.nodes.running for pid in node.tasks()]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def test_a_node_without_dailies_is_named(films: Path, place: Place) -> None:
    assert place.nodes
    node = place.nodes.start(env={"PYTHONPATH": ""})
    place.nodes.wait_for(3)
    _, err = place.run(films, "--stages", "scenes", "--cluster", place.nodes.client, code=2)
    node.kill()
    place.nodes.running.remove(node)
    assert "error: node " in err and "PYTHONPATH" in err
    assert place.clean()


def test_an_address_where_nobody_listens_is_told_at_once(films: Path, place: Place) -> None:
    _, err = place.run(films, "--cluster", "ray://127.0.0.1:9", code=2)
    assert "no Ray cluster answers at ray://127.0.0.1:9" in err and "no answer in" not in err


GREETING = """
import sys
from annotation.pipeline.distributed import ray_cluster as cluster
cluster._CONNECT_S = 3.0  # Ray would try for minutes; a minute, as usual, is long for a test
cluster.connect(sys.argv[1])
"""


def test_a_server_that_is_no_cluster_is_given_up() -> None:
    with ChatServer(normal("no cluster")) as server:
        address = server.url.removeprefix("http://").partition("/")[0]
        command = [sys.executable, "-c", GREETING, address]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert f"no Ray cluster answers at {address} (no answer in 3 s)" in done.stderr

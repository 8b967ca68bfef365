"""A Ray cluster of two nodes on this machine: real `ray start`, each with processes of its own."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from backends.chat.ports import free_port
from benchmarks.processes import tree

ROOT = Path(__file__).resolve().parents[2]
MEMORY = "100000000"
"""Of each node's object store, in bytes: results are a few hundred."""


@dataclass
class Node:
    """One `ray start` with what it started."""

    process: subprocess.Popen[bytes]

    def pids(self) -> list[int]:
        return tree(self.process.pid)

    def tasks(self) -> list[int]:
        """Workers that are in the middle of a video."""
        return [pid for pid in self.pids() if _line(pid).startswith("ray::do_video")]

    def kill(self) -> None:
        """As when the machine's power goes: nothing of it can say a last word."""
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(60)


@dataclass
class Nodes:
    """The cluster; the first node is its head."""

    folder: Path
    variables: dict[str, str]
    address: str
    client: str
    """For those who are not on one of its nodes."""
    running: list[Node] = field(default_factory=list)

    def start(self, *arguments: str, env: Mapping[str, str] | None = None) -> Node:
        """One more node."""
        ports = [free_port() for _ in range(2)]
        options = [
            "--block",
            "--disable-usage-stats",
            "--num-cpus",
            "1",
            "--object-store-memory",
            MEMORY,
            "--min-worker-port",
            "0",
            "--max-worker-port",
            "0",
            "--dashboard-agent-listen-port",
            str(ports[0]),
            "--metrics-export-port",
            str(ports[1]),
        ]
        given = arguments or ("--address", self.address)
        with (self.folder / f"node {len(self.running)}.log").open("wb") as log:
            process = subprocess.Popen(
                [str(Path(sys.executable).with_name("ray")), "start", *given, *options],
                cwd=self.folder,
                env={**self.variables, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        node = Node(process)
        self.running.append(node)
        return node

    def wait_for(self, count: int) -> None:
        """Until just so many nodes are there: one that was killed counts until that is noticed.

        A process of its own asks: one process knows one cluster.
        """
        program = (
            "import ray, sys, time\nray.init(sys.argv[1], log_to_driver=False, logging_level='ERROR')\n"
            "while sum(n['Alive'] for n in ray.nodes()) != int(sys.argv[2]): time.sleep(0.2)"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, self.address, str(count)],
            env=self.variables,
            timeout=300,
            capture_output=True,
            check=False,
            text=True,
        )
        assert done.returncode == 0, done.stderr + self.logs()

    def logs(self) -> str:
        return "\n".join(file.read_text() for file in self.folder.glob("node *.log"))


@contextmanager
def two_nodes(folders: Sequence[Path] = (ROOT,)) -> Iterator[Nodes]:
    """Two nodes with one processor each. `folders` are where they find Dailies."""
    pytest.importorskip("ray", reason="pip install -r requirements-ray.txt")
    folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # short: sockets lie in it
    port, client = free_port(), free_port()
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, folders)),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(20),
    }
    nodes = Nodes(folder, variables, f"127.0.0.1:{port}", f"ray://127.0.0.1:{client}")
    try:
        head = nodes.start(
            "--head",
            "--port",
            str(port),
            "--ray-client-server-port",
            str(client),
            "--include-dashboard=false",
            "--temp-dir",
            str(folder / "t"),
        )
        _until_open(port, head, folder / "node 0.log")
        nodes.start()
        nodes.wait_for(2)
        yield nodes
    finally:
        for node in reversed(nodes.running):
            node.kill()
        shutil.rmtree(folder, ignore_errors=True)


def _until_open(port: int, head: Node, log: Path) -> None:
    until = time.monotonic() + 240
    while time.monotonic() < until and head.process.poll() is None:
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        time.sleep(0.2)
    pytest.fail(f"the head of the cluster did not start: {log.read_text()}")


def _line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""

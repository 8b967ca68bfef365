"""A program that is called like vLLM's and behaves as a test wants: `fake_vllm(folder, **conduct)` writes it.

It writes the lines that vLLM writes while it loads, then serves `tests/chat_server.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.chat_server import ChatServer, Reply, Seen

ROOT = Path(__file__).resolve().parent.parent
LINES = (
    "(APIServer pid=7) INFO 11-21 21:11:15 [model.py:733] Resolved architecture: TinyForCausalLM",
    "(EngineCore pid=8) INFO 11-21 21:11:16 [gpu_model_runner.py:5039] Starting to load model tiny...",
    "Loading safetensors checkpoint shards:  50% Completed | 1/2",
    "(EngineCore pid=8) INFO 11-21 21:11:20 [default_loader.py:501] Loading weights took 0.20 seconds",
    "(APIServer pid=7) INFO 11-21 21:11:22 [api_server.py:10] Starting vLLM server on http://127.0.0.1",
)


@dataclass(frozen=True)
class Conduct:
    """What the program does, by the number of its start (from 0)."""

    fails: tuple[int, ...] = ()
    """Starts that end with an error."""
    error: str = "RuntimeError: CUDA out of memory. Tried to allocate 20.00 GiB"
    crashes: tuple[int, ...] = ()
    """Starts that end in the middle of the request `crash_at` (from 1)."""
    crash_at: int = 4
    load_s: float = 0.0
    reply: str = "{'pred': 'yes', 'score': 4}"
    reply_s: float = 0.05
    blind: bool = False
    refuses: str = ""
    """A text that is answered with 400."""


@dataclass(frozen=True)
class FakeVllm:
    program: Path
    starts_file: Path

    @property
    def starts(self) -> list[list[str]]:
        """Arguments of every start."""
        if not self.starts_file.exists():
            return []
        return [json.loads(line)["arguments"] for line in self.starts_file.read_text().splitlines()]

    @property
    def pids(self) -> list[int]:
        return [json.loads(line)["pid"] for line in self.starts_file.read_text().splitlines()]


def fake_vllm(folder: Path, conduct: Conduct | None = None) -> FakeVllm:
    """The program, to be named in DAILIES_VLLM, and what is known of its starts."""
    program, starts = folder / "vllm", folder / "starts.jsonl"
    words = [sys.executable, "-m", "tests.fake_vllm", str(starts), json.dumps(asdict(conduct or Conduct()))]
    program.write_text(f'#!/bin/sh\ncd {shlex.quote(str(ROOT))} && exec {shlex.join(words)} "$@"\n')
    program.chmod(0o755)
    return FakeVllm(program, starts)


def main(starts: Path, conduct: Conduct, arguments: list[str]) -> None:
    number = len(starts.read_text().splitlines()) if starts.exists() else 0
    with starts.open("a") as out:
        out.write(json.dumps({"pid": os.getpid(), "arguments": arguments}) + "\n")
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("model")
    parser.add_argument("--port", type=int)
    given, _ = parser.parse_known_args(arguments)
    for line in LINES:
        print(line, flush=True)
        time.sleep(conduct.load_s / len(LINES))
    if number in conduct.fails:
        print(f"Traceback (most recent call last):\n{conduct.error}", flush=True)
        sys.exit(1)
    with ChatServer(lambda seen: answer(conduct, number, seen), models=[given.model], port=given.port):
        threading.Event().wait()


def answer(conduct: Conduct, number: int, seen: Seen) -> Reply | str:
    time.sleep(conduct.reply_s)
    if number in conduct.crashes and seen.number >= conduct.crash_at:
        os._exit(137)
    if conduct.refuses and seen.user == conduct.refuses:
        return Reply(status=400, error="no")
    if conduct.blind and seen.images:
        return Reply(status=400, error="tiny is not a multimodal model")
    return conduct.reply


if __name__ == "__main__":
    main(Path(sys.argv[1]), Conduct(**json.loads(sys.argv[2])), sys.argv[3:])

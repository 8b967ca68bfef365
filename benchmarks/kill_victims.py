"""What is killed: the app and a Chromium with a profile that outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from backends.chat.ports import free_port

ROOT = Path(__file__).resolve().parent.parent
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
    "--window-size=1280,720",
)
START_S = 120.0


def answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=2).close()
    except OSError:
        return False
    return True


def wait_until(holds: Callable[[], bool], complaint: str) -> None:
    end = time.monotonic() + START_S
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(complaint)
        time.sleep(0.02)


class Server:
    """The app on a workspace. A process that has imported everything forks a fresh server each time."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "benchmarks.kill_victims", str(workspace), str(self.port)]
        self.nursery = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid = 0

    def start(self) -> None:
        assert self.nursery.stdin and self.nursery.stdout
        self.nursery.stdin.write("start\n")
        self.nursery.stdin.flush()
        self.pid = int(self.nursery.stdout.readline())
        wait_until(lambda: answers(f"{self.url}/api/me"), "the server does not start")

    def kill(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        with suppress(ProcessLookupError):
            self.kill()
        self.nursery.kill()
        self.nursery.wait(20)


def nursery(workspace: Path, port: int) -> None:
    """Forks a server for every line it reads, and says its process id."""
    import ui.web_app  # imported once, for all servers

    assert ui.web_app
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            os.dup2(2, 1)
            _serve(workspace, port)
            os._exit(0)
        print(child, flush=True)


def _serve(workspace: Path, port: int) -> None:
    from annotation.pipeline.engines import EngineChoice, make_engines
    from annotation.workspace.workspace import Workspace
    from ui.server import serve_app

    space, choice = Workspace(workspace), EngineChoice(speech="none", ocr="none")
    serve_app(space, lambda: make_engines(choice, space), "127.0.0.1", port)


class Chromium:
    """A browser with a profile that outlives it."""

    def __init__(self, driver: Any, program: str, profile: Path) -> None:
        self.driver, self.program, self.profile = driver, program, profile
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Any:
        """A new page."""
        port_file = self.profile / "DevToolsActivePort"
        port_file.unlink(missing_ok=True)
        command = [self.program, *FLAGS, f"--user-data-dir={self.profile}", "about:blank"]
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, start_new_session=True, **quiet)
        wait_until(lambda: port_file.exists() and "\n" in port_file.read_text(), "Chromium does not start")
        port = port_file.read_text().split("\n")[0]
        self.browser = self.driver.chromium.connect_over_cdp(
            f"http://127.0.0.1:{port}", timeout=START_S * 1000
        )
        page = self.browser.contexts[0].pages[0]
        page.set_default_timeout(START_S * 1000)
        return page

    def kill(self) -> None:
        assert self.process
        os.killpg(self.process.pid, signal.SIGKILL)

    def gone(self) -> None:
        assert self.process
        self.process.wait(20)

    def close(self) -> None:
        if self.process and self.process.poll() is None:
            self.kill()
            self.gone()


if __name__ == "__main__":
    nursery(Path(sys.argv[1]), int(sys.argv[2]))

"""A real server with the sample, and a real Chromium. Each test gets a workspace of its own."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from backends.chat.ports import free_port
from benchmarks.browsing import NO_CHROMIUM, chromium_program
from tests.app_process import run_app, start, wait_for_server
from tests.browser.slow import slow_down

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
END_S = 60
OPEN_PAGES: list[Any] = []
"""Those of the running test, which are closed before their server ends: else their requests would fail."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--slow-replies", type=int, default=0, metavar="MS", help="replies of the app take so long"
    )
    parser.addoption("--slow-processor", type=float, default=1, metavar="N", help="pages run N times slower")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@dataclass(frozen=True)
class Server:
    """A running app."""

    url: str
    workspace: Path

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`python app.py ... --workspace <this one>`."""
        return run_app(*arguments, "--workspace", str(self.workspace))


FILL = """
import sys
from pathlib import Path
from annotation.pipeline.engines import choose, make_engines
from annotation.pipeline.evidence.question_frames import scene_frames
from annotation.stages.media_library import MediaLibrary
from annotation.workspace.workspace import Workspace
from exports.sample import fill_sample
from ui.commands.terminal_output import Bars, stoppable

space = Workspace(Path(sys.argv[1]))
with stoppable() as stop, Bars() as bars:
    video = fill_sample(space, make_engines(choose({}), space), bars, stop)
media = MediaLibrary(space.media)
media.thumbnails(video, [frame for _, frame in scene_frames(space.store, video)])
media.close()
"""
"""With the pictures that pages ask for first: else the server of each test would decode them again."""


def fill(workspace: Path) -> None:
    """Make the sample workspace there."""
    command = [sys.executable, "-c", FILL, str(workspace)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that `make` fills once, also where several processes run the tests: for copies of it."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    done = shared / name
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            making = shared / f"{name}-making"
            shutil.rmtree(making, ignore_errors=True)  # of one that failed
            make(making)
            making.rename(done)
    return done


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample workspace."""
    return once(tmp_path_factory, "filled", fill)


@pytest.fixture
def server(filled: Path, tmp_path: Path) -> Iterator[Server]:
    """The app on a copy of the sample workspace."""
    workspace = tmp_path / "workspace"
    shutil.copytree(filled, workspace)
    yield from serve(workspace)


@pytest.fixture
def empty_server(tmp_path: Path) -> Iterator[Server]:
    """The app on a new workspace."""
    yield from serve(tmp_path / "workspace")


def serve(workspace: Path, *arguments: str) -> Iterator[Server]:
    """The app on `workspace` while the generator is open; errors in its log fail the test."""
    port = free_port()
    log = workspace.parent / "server.log"
    words = ("serve", "--workspace", workspace, "--port", port, *arguments)
    process = start(words, log, log, os.environ)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for_server(url, process.is_alive, log)
        yield Server(url, workspace)
    finally:
        for page in OPEN_PAGES:
            page.close()
        process.terminate()
        process.join(END_S)
        assert process.exitcode is not None, f"the app did not end in {END_S} s: {log.read_text()}"
    assert "Traceback" not in log.read_text(), log.read_text()


def expect(thing: Any) -> Any:
    """Playwright's, which is there only where browsers are tested, with time for a busy machine."""
    from playwright.sync_api import expect as expected

    expected.set_options(timeout=30_000)
    return expected(thing)


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest) -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install -r requirements-browser.txt")
    if not (chromium := chromium_program()):
        pytest.skip(NO_CHROMIUM)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        slow_down(
            browser, request.config.getoption("--slow-replies"), request.config.getoption("--slow-processor")
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page at 1280x720; errors in its console and requests to other hosts fail the test."""
    from playwright.sync_api import Error as BrowserError

    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.set_default_timeout(20_000)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(f"page error: {error}"))
    page.on(
        "console",
        lambda m: problems.append(f"console: {m.text} {m.location['url']}") if m.type == "error" else None,
    )
    page.on("request", lambda r: problems.append(f"outside: {r.url}") if _outside(r.url) else None)
    OPEN_PAGES.append(page)
    yield page
    with suppress(BrowserError):  # Chromium may never say that a page is closed which is just being left
        page.wait_for_load_state(timeout=5_000)
    page.close()
    OPEN_PAGES.remove(page)
    expected = [m.args[0] for m in request.node.iter_markers("expect_console")]
    left = [problem for problem in problems if not any(text in problem for text in expected)]
    assert left == []


def _outside(url: str) -> bool:
    return url.startswith(("http://", "https://")) and "//127.0.0.1:" not in url


def open_page(page: Any, url: str) -> None:
    """Go there and wait until the page has drawn itself."""
    page.goto(url)
    page.wait_for_selector(".dl-root[data-ready]")


def until(holds: Callable[[], bool], page: Any, seconds: float = 30) -> None:
    """Waits for what a page does in its own time, such as saving by itself."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come to pass"
        page.wait_for_timeout(100)

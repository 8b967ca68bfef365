"""Firefox (Debian's firefox-esr) opens every page without an error in its console.

Playwright drives only a Firefox that it has built itself, so this one is driven through Marionette, the
protocol inside every Firefox: JSON over TCP, each message after its length.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from backends.chat.ports import free_port
from tests.browser.conftest import Server
from tests.browser.test_narrow_windows import PAGES

PATIENCE_S = 60
PREFS = """
user_pref("marionette.port", {port});
user_pref("devtools.console.stdout.content", true);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.normandy.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
"""
DRAWN = "return Boolean(document.querySelector('.dl-root[data-ready]'));"
WRONG = re.compile(r'^(?:console\.error: ["(]|JavaScript error: http).*', re.M)
"""What it prints of a page's console: text in quotes, an object in brackets. Its own errors have neither."""


class Firefox:
    """One window of a Firefox that listens at `port`."""

    def __init__(self, port: int) -> None:
        self.socket = _connected(port)
        self.stream = self.socket.makefile("rwb")
        self.number = 0
        self._message()  # who it is
        self.ask("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})

    def ask(self, command: str, words: dict[str, Any]) -> Any:
        self.number += 1
        asked = json.dumps([0, self.number, command, words]).encode()
        self.stream.write(b"%d:%s" % (len(asked), asked))
        self.stream.flush()
        _, _, error, answer = self._message()
        assert error is None, error
        return answer

    def _message(self) -> Any:
        length = b""
        while (byte := self.stream.read(1)) != b":":
            assert byte, "Firefox is gone"
            length += byte
        return json.loads(self.stream.read(int(length)))

    def open(self, url: str) -> None:
        """Go there and wait until the page has drawn itself."""
        self.ask("WebDriver:Navigate", {"url": url})
        end = time.monotonic() + PATIENCE_S
        while not self.ask("WebDriver:ExecuteScript", {"script": DRAWN, "args": []})["value"]:
            assert time.monotonic() < end, f"{url} was not drawn"
            time.sleep(0.05)


def _connected(port: int) -> socket.socket:
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        except OSError:
            assert time.monotonic() < end, "Firefox does not listen"
            time.sleep(0.1)


@contextmanager
def running_firefox(program: str, folder: Path) -> Iterator[tuple[Firefox, Path]]:
    """A Firefox with a new profile, and the file of what it prints: its console among it."""
    port, log = free_port(), folder / "firefox.log"
    profile = folder / "profile"
    profile.mkdir()
    (profile / "user.js").write_text(PREFS.format(port=port))
    words = [program, "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            words, stdout=out, stderr=subprocess.STDOUT, env=os.environ | {"HOME": str(folder)}
        )
    try:
        yield Firefox(port), log
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def installed() -> str:
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if not program:
        pytest.skip("no Firefox; install it (Debian: apt install firefox-esr)")
    return program


def test_every_page_opens_without_an_error(server: Server, tmp_path: Path) -> None:
    with running_firefox(installed(), tmp_path) as (firefox, log):
        for page in PAGES:
            firefox.open(f"{server.url}/{page}")
        time.sleep(0.5)  # for what a page still does
        wrong = WRONG.findall(log.read_text(errors="replace"))
        assert wrong == []
        firefox.ask("WebDriver:ExecuteScript", {"script": "console.error('heard')", "args": []})
        firefox.ask("WebDriver:ExecuteScript", {"script": "setTimeout(() => nothing())", "args": []})
        time.sleep(0.5)
        assert len(WRONG.findall(log.read_text(errors="replace"))) == 2, log.read_text(errors="replace")


LEAVES_WHILE_IT_ASKS = """
const loaded = performance.getEntriesByType('resource');
const core = loaded.find(({ name }) => name.endsWith('/requests/requests.js'));
const notices = core.name.replace('requests/requests.js', 'parts/notices.js');
Promise.all([import(core.name), import(notices)]).then(([{ request }, { report }]) => {
  request('/api/videos').catch(report);
  location.href = arguments[0];
});
"""


def test_nobody_is_told_of_requests_that_leaving_a_page_cuts_off(server: Server, tmp_path: Path) -> None:
    """Also where the next page takes its time: this one listens and never answers."""
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        running_firefox(installed(), tmp_path) as (firefox, log),
    ):
        firefox.open(server.url)
        where = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        firefox.ask("WebDriver:ExecuteScript", {"script": LEAVES_WHILE_IT_ASKS, "args": [where]})
        time.sleep(1.5)
        assert WRONG.findall(log.read_text(errors="replace")) == []

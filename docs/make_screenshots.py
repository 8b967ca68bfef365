"""Pictures of the pages, light and dark, of the sample workspace: `python -m docs.make_screenshots`.

Needs requirements-browser.txt and Chromium (`CHROMIUM` names another one).
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.browser.conftest import FLAGS, fill, serve
from ui.pages.page_list import PAGES, path_of

OUT = Path(__file__).parent / "screenshots"
SIZE = {"width": 1280, "height": 720}
FRAME = 430
"""A frame with something to see: the windmill."""


def pages(url: str, evaluation: str) -> dict[str, str]:
    """Page name to address."""
    about = f"evaluation={evaluation}&frame={FRAME}"
    ends = {"videos": "", "scores": f"?evaluation={evaluation}"}
    return {page.name: f"{url}{path_of(page)}{ends.get(page.shows, f'?{about}')}" for page in PAGES}


def take(browser: Any, url: str, theme: str) -> None:
    page = browser.new_page(viewport=SIZE, color_scheme=theme)
    evaluation = page.request.get(f"{url}/api/library").json()["evaluation"]
    for name, address in pages(url, evaluation).items():
        page.goto(address)
        page.wait_for_selector(".dl-root[data-ready]")
        if "frame=" in address:
            page.wait_for_selector(".dl-shown.dl-is-confirmed")
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(800)
        page.screenshot(path=OUT / f"{name}-{theme}.png")
    page.close()


def main() -> None:
    OUT.mkdir(exist_ok=True)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("no Chromium; install it (Debian: apt install chromium) or set CHROMIUM")
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        fill(workspace)
        with contextmanager(serve)(workspace) as server, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
            for theme in ("light", "dark"):
                take(browser, server.url, theme)
            browser.close()


if __name__ == "__main__":
    main()

"""axe-core finds nothing serious: every page in light and dark, empty and filled, with dialogs open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.editing.assignments import TASKS
from annotation.people.passwords import hash_password
from tests.browser.conftest import Server, open_page, serve
from tests.browser.desk import Desk
from tests.browser.test_queue import SAMPLE
from ui.pages.page_list import PAGES, path_of

PATHS = [path_of(page).removeprefix("/") for page in PAGES]
FOUND = r"""async () => (await axe.run(document, {resultTypes: ['violations']})).violations
  .filter((v) => ['serious', 'critical'].includes(v.impact))
  .flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(' ')} | ${n.failureSummary}`))"""
THEME = """(name) => {
  document.documentElement.dataset.dlTheme = name;
  document.body.classList.toggle('dark', name === 'dark');
}"""
TABS = ("script?tab=short", "script?tab=speech")
PRESSED = {
    "": ("?", "r", "a"),
    "script": ("?", "f"),
    "verdicts": ("e", "c"),
    "split": ("1",),
    "script?tab=speech": ("e",),
}
"""Keys that open something on a page: it is looked at, and closed with Escape."""


@pytest.fixture
def page(page) -> Any:
    """As somebody has it who wants no motion: nothing is looked at in the middle of a fade.

    Asked for by each test after its server, so that the page is closed before that ends.
    """
    page.emulate_media(reduced_motion="reduce")
    return page


def script() -> str:
    """axe-core itself; imported late, since these tests are collected where they are not run."""
    axe = pytest.importorskip("axe_playwright_python", reason="pip install -r requirements-browser.txt")
    return Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")


def violations(page, where: str) -> list[str]:
    """What is serious or critical, in both themes."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(script())
    found: list[str] = []
    for theme in ("light", "dark"):
        page.evaluate(THEME, theme)
        found += [f"{where}, {theme}: {line}" for line in page.evaluate(FOUND)]
    return found


def drawn(page, url: str) -> None:
    """Opened, and nothing is being fetched any more."""
    open_page(page, url)
    page.wait_for_load_state("networkidle")


def test_axe_sees_what_is_wrong(empty_server: Server, page) -> None:
    drawn(page, empty_server.url)
    page.evaluate("document.querySelector('.dl-main').append(document.createElement('input'))")
    page.evaluate("document.querySelector('.dl-librarycount').style.color = 'lightgrey'")
    for theme in ("light", "dark"):
        assert any(f"{theme}: label" in line for line in violations(page, "broken"))
    assert any("color-contrast" in line for line in violations(page, "broken"))


def test_pages_of_an_empty_workspace(empty_server: Server, page) -> None:
    found = []
    for path in PATHS:
        drawn(page, f"{empty_server.url}/{path}")
        found += violations(page, f"/{path}")
    assert not found, "\n".join(found)


def test_pages_with_a_video_and_work_on_it(server: Server, page) -> None:
    with Desk(server) as desk:
        other = desk.person("Ada", "expert")
        for task in TASKS:
            desk.give(desk.owner, [SAMPLE], task)
            desk.give(other, [SAMPLE], task)
    found = []
    for path in [*PATHS, *TABS]:
        drawn(page, f"{server.url}/{path}")
        found += violations(page, f"/{path}")
        for key in PRESSED.get(path, ()):
            page.keyboard.press(key)
            found += violations(page, f"/{path} {key}")
            page.keyboard.press("Escape")
    assert not found, "\n".join(found)


def test_notices_are_readable(empty_server: Server, page) -> None:
    drawn(page, empty_server.url)
    page.evaluate("""async () => {
      const { href } = document.querySelector('link[href$="/page_router.js"]');
      const { notice } = await import(href.replace('page_router.js', 'parts/notices.js'));
      const { h } = await import(href.replace('page_router.js', 'parts/elements.js'));
      const lasting = 600_000;
      for (const kind of ['info', 'error']) {
        notice(`Words of the kind ${kind}.`, kind, lasting);
        notice(h('span', {}, `Words in a node, ${kind}. `, h('a', { href: '#' }, 'a link')), kind, lasting);
      }
    }""")
    assert violations(page, "notices") == []
    assert page.locator(".dl-notice").count() == 4
    page.evaluate("document.querySelector('.dl-notice-info').style.opacity = '.15'")
    assert any("color-contrast: .dl-notice" in line for line in violations(page, "half a fade"))


@pytest.fixture
def locked_server(tmp_path: Path) -> Iterator[Server]:
    """An app that asks for a password."""
    accounts = tmp_path / "accounts"
    accounts.write_text(f"ada:annotator:{hash_password('secret words')}\n", encoding="utf-8")
    yield from serve(tmp_path / "workspace", "--auth", str(accounts))


@pytest.mark.expect_console("401")
def test_the_way_in(locked_server: Server, page) -> None:
    page.goto(locked_server.url)
    found = violations(page, "login")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    page.get_by_role("alert").wait_for()
    found += violations(page, "login refused")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("secret words")
    page.keyboard.press("Enter")
    page.wait_for_selector(".dl-root[data-ready]")
    found += violations(page, "as an annotator")
    assert not found, "\n".join(found)

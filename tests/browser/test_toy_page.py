"""A page is a folder and a row: one is added to a copy of the product, and used there in a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import OPEN_PAGES, Server, expect, open_page
from tests.browser.desk import Desk, work_as
from tests.program_copy import ProgramCopy

MOST_EDITED = 2
LIST = "ui/pages/page_list.py"
PAGE = """
    from ui.lib.page_spec import PageSpec
    import ui.pages.toy.routes as routes

    PAGE = PageSpec(
        name="toy",
        label="Toy box",
        key="Alt+Shift+y",
        shows="video",
        routers=(routes.router,),
        scopes=("videos",),
        needs="run",
    )
"""
ROUTES = """
    from fastapi import APIRouter
    from typing_extensions import TypedDict

    from annotation.records.videos import Video
    from ui.requests.dependencies import PartsOf, Who

    router = APIRouter(prefix="/api/toy")


    class Letters(TypedDict):
        title: str
        letters: int


    @router.get("/{video_id}")
    def letters(video_id: str, parts: PartsOf, _who: Who) -> Letters:
        title = parts.store.get(Video, video_id).title
        return {"title": title, "letters": sum(map(str.isalpha, title))}
"""
KEYS = """{
  "other_keys": {"toy": {"videos.next": ["v"]}},
  "rows": [{"id": "toy.count", "page": "toy", "group": "Toy", "keys": ["c"], "what": "count the letters"}]
}
"""
SCRIPT = """
import { address } from '../../../lib/page/address.js';
import { h } from '../../../lib/parts/elements.js';
import { api } from '../../../lib/requests/requests.js';
import { bindKeys, keyHint } from '../../../lib/keys/keymap.js';

export async function show(frame) {
  const { title, letters } = await api(`/api/toy/${address.get('video')}`);
  const count = h('p', { class: 'dl-toy-count', role: 'status' });
  frame.main.append(h('h1', {}, title), h('p', {}, 'Count ', keyHint('toy.count')), count);
  bindKeys('toy', { count: () => { count.textContent = `${letters} letters`; } });
  bindKeys('videos', { next: () => { count.textContent = 'no other video'; } });
}
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> ProgramCopy:
    """The product with the page."""
    tree = ProgramCopy(tmp_path_factory.mktemp("toy") / "program")
    tree.add("ui/pages/toy/__init__.py", "")
    tree.add("ui/pages/toy/page.py", PAGE)
    tree.add("ui/pages/toy/routes.py", ROUTES)
    tree.add("ui/pages/toy/keys.json", KEYS)
    tree.add("ui/pages/toy/scripts/page_toy.js", SCRIPT)
    tree.add("ui/pages/toy/scripts/toy.css", ".dl-toy-count { text-transform: uppercase; }\n")
    tree.insert(LIST, "from ui.pages.verdicts import", "from ui.pages.toy import page as toy")
    tree.insert(LIST, ')\n"""The first page is at', "    toy.PAGE,")
    return tree


@pytest.fixture
def toy_server(tree: ProgramCopy, filled: Path, tmp_path: Path) -> Iterator[Server]:
    """The app of the copy on the sample workspace."""
    workspace = tmp_path / "workspace"
    shutil.copytree(filled, workspace)
    with tree.served("--workspace", workspace) as url:
        yield Server(url, workspace)
        for page in OPEN_PAGES:
            page.close()


def test_a_page_edits_few_files_and_its_keys_come_into_the_docs(tree: ProgramCopy) -> None:
    assert len(tree.edited()) <= MOST_EDITED, tree.edited()
    assert [path for path in tree.added() if not path.startswith("ui/pages/toy/")] == []
    keys = tree.python("from docs.keys_page import keys_page; print(keys_page())")
    assert "| `c` | count the letters |" in keys.partition("## Toy")[2]
    assert "go to Toy box" in keys and "next video (Toy: `v`)" in keys


def test_the_page_is_opened_from_the_bar_and_its_keys_work(toy_server: Server, page) -> None:
    open_page(page, f"{toy_server.url}/script")
    expect(page.locator(".dl-scripttitle h1")).to_be_visible()
    bar = page.get_by_role("navigation", name="Pages").get_by_role("link")
    expect(bar).to_have_text(["Library", "Script", "Verdicts", "Split", "Keyframes", "Scores", "Toy box"])
    bar.last.click()
    page.wait_for_selector(".dl-root[data-ready][data-page=toy]")
    expect(page).to_have_title("Toy box · Dailies")
    expect(bar.last).to_have_attribute("aria-current", "page")
    title = page.get_by_role("heading", level=1).inner_text()
    page.keyboard.press("c")
    expect(page.get_by_role("status")).to_have_text(f"{sum(map(str.isalpha, title))} letters")
    expect(page.locator(".dl-toy-count")).to_have_css("text-transform", "uppercase")
    page.keyboard.press("v")
    expect(page.get_by_role("status")).to_have_text("no other video")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog").get_by_role("region", name="Toy")).to_contain_text("count the letters")
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+Shift+s")
    page.wait_for_selector(".dl-root[data-ready][data-page=script]")
    page.keyboard.press("Alt+Shift+y")
    page.wait_for_selector(".dl-root[data-ready][data-page=toy]")


def test_rows_of_the_library_lead_to_the_page_for_people_who_may(toy_server: Server, page) -> None:
    open_page(page, toy_server.url)
    row = page.locator(".dl-video").first
    row.get_by_role("link", name="Toy box of").click()
    page.wait_for_selector(".dl-root[data-ready][data-page=toy]")
    with Desk(toy_server) as desk:
        work_as(page, toy_server, desk.person("ann"))
    open_page(page, toy_server.url)
    expect(page.locator(".dl-video").first).to_be_visible()
    expect(page.get_by_role("link", name="Toy box")).to_have_count(0)

"""The first line of the Library: what Dailies is, three ways to begin, and what is missing for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Server, expect, open_page
from tests.browser.desk import Desk, work_as
from tests.browser.test_library import short_clip

LINE = ".dl-firstminute"
WAYS = ("Examine low scores", "Refine captions", "Show a clip")


def mains(page) -> list[str]:
    """The words of the buttons that stand out."""
    return page.locator(".dl-main .dl-button-main:visible").all_inner_texts()


def begin(page, words: str) -> None:
    button = page.get_by_role("button", name=words)
    button.focus()
    page.keyboard.press("Enter")


def test_the_library_says_what_dailies_is_and_one_button_stands_out(server: Server, page) -> None:
    open_page(page, server.url)
    expect(page.locator(LINE)).to_contain_text("Dailies shows video captions and the verdicts on them")
    assert page.locator(f"{LINE} button").evaluate_all("all => all.map((one) => one.innerText)")[:3] == [
        *WAYS
    ]
    assert mains(page) == ["Examine low scores"]


@pytest.mark.parametrize(
    ("words", "address", "there"),
    [
        ("Examine low scores", "**/verdicts?**", ".dl-verdict"),
        ("Refine captions", "**/script?video=*", ".dl-scenecard.dl-open"),
        ("Show a clip", "**/keyframes?video=*", ".dl-root[data-page=keyframes][data-ready]"),
    ],
)
def test_on_the_sample_each_way_leads_there(
    server: Server, page, words: str, address: str, there: str
) -> None:
    open_page(page, server.url)
    begin(page, words)
    page.wait_for_url(address)
    page.wait_for_selector(there)


def test_refining_goes_on_with_ones_work(server: Server, page) -> None:
    with Desk(server) as desk:
        ada = desk.person("Ada")
        desk.give(ada, ["A paper boat's day"], "captions")
        work_as(page, server, ada)
        open_page(page, server.url)
        begin(page, "Refine captions")
        page.wait_for_url("**task=captions**")


def test_without_videos_each_way_says_what_is_missing(empty_server: Server, page) -> None:
    open_page(page, empty_server.url)
    assert mains(page) == ["Add videos"]
    for words, why in zip(WAYS, ("No verdicts yet", "No videos yet", "No videos yet"), strict=True):
        begin(page, words)
        dialog = page.get_by_role("dialog", name=why)
        expect(dialog.get_by_role("button", name="Add files")).to_be_focused()
        expect(dialog.get_by_role("button", name="Load the sample")).to_be_visible()
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")


def test_on_a_workspace_of_ones_own_the_way_on_is_to_run_the_videos(
    empty_server: Server, page, tmp_path: Path
) -> None:
    added = empty_server.command("run", str(short_clip(tmp_path, "own.mp4")), "--stages", "probe")
    assert added.returncode == 0, added.stderr
    open_page(page, empty_server.url)
    begin(page, "Show a clip")
    dialog = page.get_by_role("dialog", name="No video was run yet")
    page.keyboard.press("Enter")
    dialog.wait_for(state="detached")
    page.get_by_role("dialog", name="Run own").wait_for()
    page.keyboard.press("Escape")
    assert mains(page) == ["Run"]
    assert empty_server.command("run", str(tmp_path / "own.mp4"), "--stages", "scenes").returncode == 0
    page.reload()
    begin(page, "Refine captions")
    page.wait_for_url("**/script?video=*")


def test_who_may_not_add_is_told_whom_to_ask(empty_server: Server, page) -> None:
    assert page.request.post(f"{empty_server.url}/api/me", data={"name": "annotator"}).ok
    open_page(page, empty_server.url)
    for words in WAYS:
        begin(page, words)
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Ask a researcher or an admin")
        assert dialog.locator("footer button").all_inner_texts() == ["Close"]
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")


def test_the_line_is_hidden_for_good_and_comes_back_by_a_key(server: Server, page) -> None:
    open_page(page, server.url)
    page.get_by_role("button", name="Hide this line").click()
    expect(page.locator(LINE)).to_be_hidden()
    page.locator(".dl-notice", has_text="i shows the line again").wait_for()
    assert mains(page) == ["Add"]
    page.reload()
    page.wait_for_selector(".dl-root[data-ready]")
    expect(page.locator(LINE)).to_be_hidden()
    page.keyboard.press("?")
    expect(page.locator("[data-key-row='library.about']")).to_contain_text("what Dailies is for")
    page.keyboard.press("Escape")
    page.keyboard.press("i")
    expect(page.locator(LINE)).to_be_visible()
    assert mains(page) == ["Examine low scores"]


def test_terms_explain_themselves_to_the_pointer_the_keyboard_and_readers(server: Server, page) -> None:
    open_page(page, server.url)
    heads = page.locator(".dl-videos thead .dl-term")
    assert heads.all_inner_texts() == ["stages", "lowest aspect", "mean", "verdicts"]
    for head in heads.all():
        head.focus()
        shown = "(node) => [node.title, getComputedStyle(node, '::after').content.slice(1, -1)]"
        title, beside = head.evaluate(shown)
        assert len(title) > 40 and beside == title
    worst = page.locator(".dl-worst").get_attribute("title")
    assert worst and "0 (nothing right) to 5 (all right)" in worst
    titles = page.locator(".dl-verdictcounts a").evaluate_all("all => all.map((one) => one.title)")
    assert all(titles) and any("could not be read" in title for title in titles)

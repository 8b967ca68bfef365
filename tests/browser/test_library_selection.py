"""The Library's selection: ranges by Shift with mouse and keyboard, all that match, and one scrollbar."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import Server, expect, open_page
from tests.browser.drops import asked, drop, take
from tests.browser.test_library import short_clip

COUNT = ".dl-librarycount"
CHOSEN = """() => [...document.querySelectorAll('.dl-video')]
  .filter((row) => row.querySelector('.dl-col-box input').checked)
  .map((row) => row.querySelector('.dl-videotitle').textContent)"""
SCROLLING = """() => [...document.querySelectorAll('.dl-root, .dl-root *')]
  .filter((node) => /auto|scroll/.test(getComputedStyle(node).overflowY))
  .filter((node) => node.scrollHeight > node.clientHeight + 1)
  .map((node) => node.className)"""


@pytest.fixture
def many(empty_server: Server, tmp_path: Path) -> Iterator[Server]:
    """A Library of v0 to v149, by title."""
    lines = [{"video_id": f"v{n}", "captions": {"short_caption": "A dog."}} for n in range(150)]
    file = tmp_path / "captions.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    empty_server.command("import", str(file))
    yield empty_server


def opened(page, server: Server) -> None:
    open_page(page, f"{server.url}/?sort=title")
    expect(page.locator(".dl-video")).to_have_count(60)


def chosen(page) -> list[str]:
    return page.evaluate(CHOSEN)


def test_shift_and_a_click_select_a_range(many: Server, page) -> None:
    opened(page, many)
    page.get_by_label("Select v2", exact=True).click()
    page.get_by_label("Select v5", exact=True).click(modifiers=["Shift"])
    assert chosen(page) == ["v2", "v3", "v4", "v5"]
    expect(page.locator(COUNT)).to_have_text("150 videos · 4 selected", use_inner_text=True)
    page.get_by_label("Select v3", exact=True).click(modifiers=["Shift"])  # its box is unticked
    assert chosen(page) == ["v4", "v5"]
    page.get_by_role("button", name="Clear").click()
    assert chosen(page) == []
    cells = page.locator(".dl-video .dl-col-stages")
    cells.nth(1).click()
    cells.nth(3).click(modifiers=["Shift"])
    assert chosen(page) == ["v1", "v2", "v3"]
    assert page.evaluate("getSelection().toString()") == ""
    cells.nth(6).click(modifiers=["ControlOrMeta"])
    assert chosen(page) == ["v1", "v2", "v3", "v6"]


def test_shift_and_arrows_select_a_range(many: Server, page) -> None:
    opened(page, many)
    page.keyboard.press("j")
    for key in ("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowUp"):
        page.keyboard.press(key)
    assert chosen(page) == ["v1", "v2", "v3"]
    for key in ("j", "j", "Space"):
        page.keyboard.press(key)
    assert chosen(page) == ["v1", "v2", "v3", "v5"]
    for key in ("j", "j", "Shift+Space"):
        page.keyboard.press(key)
    assert chosen(page) == ["v1", "v2", "v3", "v5", "v6", "v7"]
    expect(page.locator(COUNT)).to_contain_text("6 selected", use_inner_text=True)
    page.keyboard.press("x")
    assert chosen(page) == ["v1", "v2", "v3", "v5", "v6"]


def test_all_that_match_are_selected_also_those_not_drawn(many: Server, page) -> None:
    opened(page, many)
    page.keyboard.press("x")
    page.get_by_role("button", name="All 150").click()
    expect(page.locator(COUNT)).to_have_text("150 videos · 150 selected", use_inner_text=True)
    page.keyboard.press("Shift+x")
    expect(page.locator(COUNT)).to_have_text("150 videos", use_inner_text=True)
    page.keyboard.press("/")
    page.keyboard.type("v1")
    expect(page.locator(COUNT)).to_have_text("61 of 150 videos", use_inner_text=True)
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+x")
    expect(page.locator(COUNT)).to_have_text("61 of 150 videos · 61 selected", use_inner_text=True)
    expect(page.get_by_role("button", name="Run 61 videos")).to_be_enabled()


def test_another_order_keeps_what_is_selected_and_not_drawn(many: Server, page) -> None:
    opened(page, many)
    page.keyboard.press("Shift+x")
    expect(page.locator(COUNT)).to_contain_text("150 selected", use_inner_text=True)
    with page.expect_response("**/api/videos?*"):
        page.get_by_label("Sort").select_option("newest")
    expect(page.locator(COUNT)).to_have_text("150 videos · 150 selected", use_inner_text=True)


def folders(home: Path) -> Path:
    for day in ("monday", "tuesday"):
        (home / day).mkdir(parents=True)
        for n in range(8):
            short_clip(home / day, f"take_{n}.mp4", seed=n + 20 * len(day), frames=10)
    return home


def test_after_a_folder_one_scrollbar_is_there_and_videos_of_one_name_differ(
    empty_server: Server, page, tmp_path: Path
) -> None:
    open_page(page, empty_server.url)
    drop(page, folders(tmp_path / "week"))
    asked(page)
    take(page)
    page.get_by_role("dialog", name="Run").wait_for(timeout=60_000)
    page.keyboard.press("Escape")
    expect(page.locator(".dl-video")).to_have_count(16)
    assert page.evaluate(SCROLLING) == ["dl-librarybody"]
    page.locator(".dl-uploadrest summary").click()
    expect(page.get_by_text("week/tuesday/take_7")).to_be_visible()
    assert page.evaluate(SCROLLING) == ["dl-librarybody"]
    places = page.locator(".dl-video", has_text="take_3").locator(".dl-videowhere")
    assert sorted(places.all_inner_texts()) == ["monday", "tuesday"]
    for day in ("monday", "tuesday"):
        expect(page.get_by_label(f"Select take_3 ({day})")).to_have_count(1)

"""A script of five hundred scenes: a link far into it, keys, typing, and a cut, at its far end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import Server, expect, open_page, serve
from tests.long_script import SCENE_FRAMES, long_script

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture
def many(tmp_path: Path) -> Iterator[Server]:
    long_script(tmp_path)
    yield from serve(tmp_path / "workspace")


def test_the_far_end_of_a_long_script(many: Server, page: Page) -> None:
    open_page(page, f"{many.url}/script?scene=480")
    is_open = page.locator(".dl-scenecard.dl-open")
    expect(is_open).to_have_attribute("data-scene", "480")
    expect(page.locator(".dl-scenecard")).to_have_count(500)
    expect(is_open).to_be_in_viewport()
    expect(page.locator(".dl-frameline b").first).to_have_text(f"#{479 * SCENE_FRAMES:,}")

    # Typing in the last field is saved, and the next card opens.
    for key in ("e", "Tab", "Tab", "Tab", "Control+a"):
        page.keyboard.press(key)
    page.keyboard.type("In the first frame, a wall of paper.")
    page.keyboard.press("Control+Enter")
    expect(is_open).to_have_attribute("data-scene", "481")
    expect(page.locator("[data-scene='480'] .dl-is-flagged")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowUp")
    expect(is_open).to_have_attribute("data-scene", "480")
    expect(page.get_by_role("textbox", name="content")).to_have_value("In the first frame, a wall of paper.")
    expect(is_open).to_be_in_viewport()

    # The player drives the cards: a frame back leaves the scene.
    page.keyboard.press(",")
    expect(is_open).to_have_attribute("data-scene", "479")

    # A cut is moved by a key; the scenes after it stay where they are.
    page.keyboard.press("ArrowDown")
    expect(is_open).to_have_attribute("data-scene", "480")
    page.keyboard.press("b")
    expect(page.locator(".dl-cutsaid")).to_contain_text("moved the cut before scene 480 1 frame later")
    expect(is_open).to_have_attribute("data-scene", "480")
    expect(page.locator(".dl-scenecard")).to_have_count(500)
    page.reload()
    page.wait_for_selector(".dl-root[data-ready]")
    expect(is_open).to_have_attribute("data-scene", "480")
    expect(page.locator(".dl-frameline b").first).to_have_text(f"#{479 * SCENE_FRAMES + 1:,}")

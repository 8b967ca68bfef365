"""Script with hands on the keyboard: how many keys it takes, where Tab goes, and that nothing moves meanwhile."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Keys
from tests.browser.test_key_rule import CONFIRMED, decisions
from tests.browser.test_script import HELD, wait_open

FIELDS = ("title", "shot type", "camera movement", "content")
SCENES = range(3, 9)
MOST_KEYS = 40
LABEL = "document.activeElement.getAttribute('aria-label')"
WORDS = "() => document.activeElement.textContent"


def caret_in(page, field: str) -> None:
    page.wait_for_function(f"(field) => {LABEL} === field", arg=field)


def open_scene(server: Server, page, number: int) -> None:
    open_page(page, f"{server.url}/script?scene={number}")
    wait_open(page, number)
    page.wait_for_selector(CONFIRMED)


def test_six_scenes_of_four_fields_take_few_keys_beside_the_typing(server: Server, page) -> None:
    """Each key is counted by itself: Ctrl+Enter is two."""
    open_scene(server, page, SCENES[0])
    keys = Keys(page)
    keys.press("e")
    for scene in SCENES:
        wait_open(page, scene)
        for field in FIELDS:
            caret_in(page, field)
            page.keyboard.press("End")
            page.keyboard.type(f" {field} {scene}.")
            if field != FIELDS[-1]:
                keys.press("Tab")
            elif scene != SCENES[-1]:
                keys.press("Control+Enter")
                keys.pressed += 1
    keys.press("Escape")
    for scene in SCENES:
        for field in FIELDS:
            page.wait_for_function(HELD, arg=f" {field} {scene}.")
    assert keys.pressed <= MOST_KEYS


def test_ctrl_enter_goes_through_the_fields_and_scenes_of_the_video(server: Server, page) -> None:
    open_scene(server, page, 8)
    page.keyboard.press("e")
    for scene in (8, 9):
        wait_open(page, scene)
        for field in FIELDS:
            caret_in(page, field)
            page.keyboard.press("End")
            page.keyboard.type(f" {field} {scene}.")
            page.keyboard.press("Control+Enter")
    page.locator(".dl-notice", has_text="This was the end").wait_for()
    for scene in (8, 9):
        for field in FIELDS:
            page.wait_for_function(HELD, arg=f" {field} {scene}.")


def test_tab_goes_from_field_to_field_then_to_the_tools(server: Server, page) -> None:
    open_scene(server, page, 5)
    page.keyboard.press("e")
    for field in FIELDS:
        caret_in(page, field)
        page.keyboard.type("More. ")
        page.keyboard.press("Tab")
    page.locator(".dl-field-content .dl-tools button").first.wait_for()
    page.keyboard.press("Shift+Tab")
    for field in (FIELDS[3], FIELDS[2]):
        caret_in(page, field)
        page.keyboard.press("Shift+Tab")
    for field in FIELDS[1:]:
        caret_in(page, field)
        page.keyboard.press("Tab")
    for words in ("diff", "history", "clear", "diff"):
        page.wait_for_function(f"(words) => ({WORDS})() === words", arg=words)
        page.keyboard.press("Tab")

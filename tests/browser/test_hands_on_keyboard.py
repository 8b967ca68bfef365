"""Script with hands on the keyboard: how many keys it takes, where Tab goes, and that nothing moves."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Server, open_page
from tests.browser.desk import Keys
from tests.browser.test_key_rule import CONFIRMED
from tests.browser.test_script import wait_held, wait_open

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
            wait_held(page, f" {field} {scene}.")
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
            wait_held(page, f" {field} {scene}.")


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


WATCH = """() => {
  const editor = document.activeElement.closest('.dl-editor');
  const field = editor.querySelector('textarea');
  const parts = {
    head: editor.querySelector('.dl-editor-head'),
    tools: editor.querySelector('.dl-tools'),
    scene: document.querySelector('.dl-open .dl-scenehead'),
    player: document.querySelector('.dl-player'),
    screen: document.querySelector('.dl-screen'),
    page: document.querySelector('.dl-main'),
  };
  window.places = {};
  window.heights = new Set();
  const look = () => {
    const { x, y, width, height } = field.getBoundingClientRect();
    (window.places.field ||= new Set()).add([x, y, width].map(Math.round).join());
    window.heights.add(height);
    for (const [name, node] of Object.entries(parts)) {
      if (!node) continue;
      const box = node.getBoundingClientRect();
      (window.places[name] ||= new Set()).add([box.x, box.y, box.width, box.height].map(Math.round).join());
    }
    requestAnimationFrame(look);
  };
  look();
}"""
"""Writes down where the field that has the caret stands, and what is around it, picture by picture."""
PLACES = "() => Object.fromEntries(Object.entries(window.places).map(([name, seen]) => [name, [...seen]]))"
TEXT = ("The boat drifts on. " * 10)[:200]
STATUS = "document.activeElement.closest('.dl-editor').querySelector('.dl-saved')"
WRITERS = {
    "title": ("script?scene=5", ["e"]),
    "shot type": ("script?scene=5", ["e", "Tab"]),
    "camera movement": ("script?scene=5", ["c"]),
    "content": ("script?scene=5", ["e", "Tab", "Tab", "Tab"]),
    "caption": ("script?tab=camera", ["e"]),
    "speech": ("script?tab=speech", ["e"]),
    "split": ("split?tab=split", ["2"]),
    "verdicts": ("verdicts", ["c"]),
    "keyframes": ("keyframes", ["e"]),
}


@pytest.mark.parametrize("field", WRITERS)
def test_nothing_moves_while_a_text_is_typed_and_saved(server: Server, page, field: str) -> None:
    address, way = WRITERS[field]
    open_page(page, f"{server.url}/{address}")
    page.wait_for_selector(CONFIRMED)
    page.wait_for_load_state("networkidle")
    for key in way:
        page.keyboard.press(key)
    page.wait_for_function("() => document.activeElement.matches('textarea')")
    page.keyboard.press("Control+Home")
    if field == "verdicts":  # low in the window: the caret would leave it
        page.evaluate("document.activeElement.scrollIntoView({ block: 'center' })")
    page.evaluate(WATCH)
    page.keyboard.type(TEXT, delay=12)
    page.wait_for_function(f"() => {STATUS}.matches('.dl-saved-saved')")
    page.wait_for_timeout(300)
    found = page.evaluate(PLACES)
    assert {name: seen for name, seen in found.items() if len(seen) > 1} == {}
    assert {"field", "head", "tools", "player", "page"} <= set(found)


@pytest.mark.expect_console("ERR_INTERNET_DISCONNECTED")
def test_a_message_about_saving_stands_below_the_field(server: Server, page) -> None:
    open_scene(server, page, 5)
    page.keyboard.press("c")
    page.evaluate(WATCH)
    page.context.set_offline(True)
    page.keyboard.type("A pan. ")
    page.locator(".dl-saved-waiting", has_text="kept in this browser").wait_for()
    found = page.evaluate(PLACES)
    assert {name: seen for name, seen in found.items() if len(seen) > 1} == {}
    message = page.locator(".dl-saved-waiting").bounding_box()
    field = page.locator(".dl-field-camera_movement textarea").bounding_box()
    assert message["y"] >= field["y"] + field["height"]
    page.context.set_offline(False)
    page.locator(".dl-field-camera_movement .dl-saved-saved").wait_for()


def test_a_finding_about_the_field_before_does_not_move_the_one_in_use(server: Server, page) -> None:
    open_scene(server, page, 5)
    page.keyboard.press("e")
    page.keyboard.type(" The last frame shows more words than a title may have, far more than ten of them.")
    page.keyboard.press("Tab")
    caret_in(page, "shot type")
    page.evaluate(WATCH)
    page.keyboard.type(" Wide.", delay=40)
    page.locator(".dl-field-scene_title .dl-finding").first.wait_for()
    page.wait_for_timeout(300)
    assert len(page.evaluate(PLACES)["field"]) == 1

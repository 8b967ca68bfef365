"""The keys of the player that work while typing: the same ones in every text field of every page."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Server, open_page, until
from tests.browser.desk import Desk
from ui.pages.page_table import page_table

RATE = 25
SCENE_2, SCENE_3 = 175, 300
"""First frames of scenes of the sample."""
SHOWN = ".dl-shown.dl-is-confirmed"
FIELDS = {
    "script": ("script?scene=2", ["e"]),
    "script, last field": ("script?scene=2", ["e", "Tab", "Tab", "Tab"]),
    "caption": ("script?tab=camera&frame=175", ["e"]),
    "speech": ("script?tab=speech&frame=175", ["e"]),
    "split": ("split?tab=split&frame=175", ["2"]),
    "split, write": ("split?tab=write&frame=175", ["2"]),
    "keyframes": ("keyframes", ["e"]),
    "keyframes, action": ("keyframes", ["a"]),
    "verdicts, caption": ("verdicts", ["c"]),
    "verdicts, reason": ("verdicts", ["e", "Tab", "Tab"]),
    "search": ("script?scene=2", ["/"]),
}
"""For each field the page, and the keys to it."""
HELD = "() => { const { activeElement: held } = document; return 'value' in held ? held.value : null; }"


def named(page) -> int:
    text = page.locator(".dl-player:visible .dl-frameline b").first.inner_text()
    return int("".join(filter(str.isdigit, text)))


def paused(page) -> bool:
    return bool(page.evaluate("[...document.querySelectorAll('video')].every((video) => video.paused)"))


def shows(page, frame: int) -> None:
    until(lambda: named(page) == frame, page)
    page.wait_for_selector(SHOWN)


def test_every_page_with_a_player_has_the_same_keys() -> None:
    table = page_table()
    rows = [row for row in table["rows"] if row["id"].startswith("player.typing_")]
    assert len(rows) == 8
    assert all(row["page"] == "player" and row.get("in_text") and "on" not in row for row in rows)


@pytest.mark.parametrize("field", FIELDS)
def test_the_player_goes_while_somebody_types(server: Server, page, field: str) -> None:
    address, way = FIELDS[field]
    with Desk(server) as desk:
        desk.give(desk.owner, ["A paper boat's day"], "aspects")
    open_page(page, f"{server.url}/{address}")
    page.wait_for_selector(SHOWN)
    for key in way:
        page.keyboard.press(key)
    page.wait_for_function("() => document.activeElement.matches('textarea, input')")
    page.keyboard.type("ab")
    words = page.evaluate(HELD)

    page.keyboard.press("Alt+k")
    until(lambda: not paused(page), page)
    page.keyboard.press("Alt+k")
    until(lambda: paused(page), page)
    page.wait_for_selector(SHOWN)
    _step(page, "Alt+PageDown")
    start = named(page)
    for key, by in (("Alt+.", 1), ("Alt+l", RATE), ("Alt+,", -1), ("Alt+j", -RATE)):
        page.keyboard.press(key)
        start += by
        shows(page, start)
    assert page.evaluate(HELD) == words and "ab" in words
    page.keyboard.type("c")
    assert page.evaluate(HELD).count("abc") == 1, "the letters still go into the field"


def _step(page, key: str) -> None:
    before = named(page)
    page.keyboard.press(key)
    until(lambda: named(page) != before, page)
    page.wait_for_selector(SHOWN)


def test_the_card_that_is_written_in_stays_open_and_its_scene_is_replayed(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=2")
    page.wait_for_selector(SHOWN)
    page.keyboard.press("e")
    page.keyboard.type("x")
    page.keyboard.press("Alt+PageDown")
    shows(page, SCENE_3)
    assert page.locator(".dl-scenecard.dl-open").get_attribute("data-scene") == "2"
    page.evaluate("document.querySelector('video').playbackRate = 4")
    page.keyboard.press("Alt+0")
    until(lambda: not paused(page), page)
    assert SCENE_2 <= named(page) < SCENE_3
    until(lambda: paused(page), page)
    shows(page, SCENE_3 - 1)
    page.keyboard.type("y")
    assert "xy" in page.evaluate(HELD)
    page.keyboard.press("Alt+PageUp")
    shows(page, SCENE_2)


def test_the_list_of_keys_shows_them(server: Server, page) -> None:
    open_page(page, f"{server.url}/keyframes")
    page.wait_for_selector(SHOWN)
    page.keyboard.press("?")
    group = page.get_by_role("dialog").get_by_role("region", name="Player, also while typing")
    group.get_by_text("Alt K").wait_for()

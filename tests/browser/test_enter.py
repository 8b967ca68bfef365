"""Enter does what a field promises, and letters after a menu are keys of the page."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Server, expect, open_page
from tests.browser.test_key_rule import CONFIRMED, decisions
from tests.browser.test_script import wait_held, wait_open


def open_script(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=5")
    wait_open(page, 5)
    page.wait_for_selector(CONFIRMED)


def test_enter_in_replace_by_replaces_what_is_shown(server: Server, page) -> None:
    open_script(server, page)
    page.keyboard.press("Control+h")
    find = page.get_by_role("textbox", name="find", exact=True)
    expect(find).to_be_focused()
    page.keyboard.type("camera")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="replace by")).to_be_focused()
    page.keyboard.type("lens")
    page.get_by_text("texts found").wait_for()
    page.locator(".dl-replacelist ins", has_text="lens").first.wait_for()
    page.keyboard.press("Enter")
    page.locator(".dl-notice", has_text="Replaced in").wait_for()
    expect(page.get_by_role("dialog")).to_have_count(0)
    wait_held(page, "lens")
    assert len(decisions(server)) == 1


def test_enter_before_the_texts_are_shown_replaces_nothing(server: Server, page) -> None:
    open_script(server, page)
    page.keyboard.press("Control+h")
    expect(page.get_by_role("textbox", name="find", exact=True)).to_be_focused()
    page.keyboard.type("camera")
    page.keyboard.press("Enter")
    page.keyboard.type("lens")
    page.keyboard.press("Enter")
    page.locator(".dl-replacelist ins", has_text="lens").first.wait_for()
    assert decisions(server) == []
    page.keyboard.press("Enter")
    page.locator(".dl-notice", has_text="Replaced in").wait_for()


def test_enter_in_a_text_of_one_line_goes_on_to_the_next_field(server: Server, page) -> None:
    open_script(server, page)
    page.keyboard.press("e")
    for field in ("title", "shot type", "camera movement", "content"):
        expect(page.get_by_role("textbox", name=field, exact=True)).to_be_focused()
        page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="content")).to_be_focused()
    assert "\n" in page.evaluate("document.activeElement.value")


def test_enter_in_a_search_goes_on_to_what_was_found(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts")
    page.wait_for_selector(".dl-verdict")
    first = page.locator(".dl-item[aria-selected=true]").get_attribute("data-id")
    page.keyboard.press("/")
    page.keyboard.type("What")
    page.wait_for_url("**q=What*")
    page.keyboard.press("Enter")
    page.keyboard.press("j")
    page.wait_for_function(
        "(id) => document.querySelector('.dl-item[aria-selected=true]').dataset.id !== id", arg=first
    )
    expect(page.locator(".dl-search")).to_have_value("What")


def test_enter_in_the_search_for_a_key_goes_to_the_first_one_found(server: Server, page) -> None:
    open_script(server, page)
    page.keyboard.press("?")
    page.get_by_role("searchbox", name="Find a key").wait_for()
    page.keyboard.type("merge this scene")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="change: merge this scene with the next")).to_be_focused()


@pytest.mark.parametrize("way", ["click", "Enter"])
def test_a_letter_after_the_menu_of_the_person_is_a_key_of_the_page(server: Server, page, way: str) -> None:
    open_page(page, f"{server.url}/script?scene=5")
    page.wait_for_selector(CONFIRMED)
    menu = page.get_by_role("button", name="You are")
    if way == "click":
        menu.click()
    else:
        menu.press("Enter")
    row = page.get_by_role("menuitemradio", checked=True)
    row.wait_for()
    page.keyboard.type("x")  # letters do nothing in the menu
    page.keyboard.press("Escape")
    row.wait_for(state="hidden")
    page.keyboard.press("3")
    expect(page.get_by_role("tab", selected=True)).to_contain_text("short")

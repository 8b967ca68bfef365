"""Pages whose server does not answer, or not to the end."""

from __future__ import annotations

import re

import pytest

from annotation.records.decisions import Correction
from tests.browser.conftest import Server, expect, open_page
from tests.browser.desk import Desk
from tests.browser.slow import without_first_answers

AWAY = re.compile(r"/(api/|healthz)")
ANSWERS = re.compile(r"/api/scoring")  # who one is has come with the document
ONE_SCRIPT = re.compile(r"/editor/drafts\.js")


def lose(page, pattern: re.Pattern[str]) -> None:
    page.route(pattern, lambda route: route.abort("connectionrefused"))


@pytest.mark.expect_console("ERR_CONNECTION_REFUSED")
@pytest.mark.expect_console("the server does not answer")
def test_a_page_that_was_opened_while_the_server_was_away_comes_back_by_itself(server: Server, page) -> None:
    lose(page, AWAY)
    page.route("**/script?scene=2", without_first_answers)
    page.goto(f"{server.url}/script?scene=2")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The server does not answer.")
    page.unroute(AWAY)
    expect(page.locator(".dl-scene").first).to_be_visible()
    expect(alert).not_to_be_visible()


@pytest.mark.expect_console("ERR_CONNECTION_REFUSED")
@pytest.mark.expect_console("the server does not answer")
def test_a_page_that_missed_one_answer_is_loaded_again_by_enter(server: Server, page) -> None:
    lose(page, ANSWERS)
    page.goto(f"{server.url}/scores")
    expect(page.get_by_role("alert")).to_contain_text("could not be shown: the server does not answer")
    expect(page.get_by_role("button", name="Try again")).to_be_focused()
    page.unroute(ANSWERS)
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_visible()


@pytest.mark.expect_console("ERR_CONNECTION_RESET")
def test_a_page_one_of_whose_scripts_did_not_come_says_so(server: Server, page) -> None:
    """None of them runs then, and nothing else on the page can speak."""
    page.route(ONE_SCRIPT, lambda route: route.abort("connectionreset"))
    page.goto(f"{server.url}/script")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The scripts of this page could not be loaded")
    expect(page.get_by_role("button", name="Try again")).to_be_focused()
    page.unroute(ONE_SCRIPT)
    page.keyboard.press("Enter")
    expect(page.locator(".dl-scene").first).to_be_visible()
    expect(alert).to_have_count(0)


@pytest.mark.expect_console("409 (Conflict)")
def test_half_an_answer_is_no_answer(server: Server, page) -> None:
    """A server that is ended while it answers has said 200 already."""
    cut: list[str] = []

    def half(route) -> None:
        if route.request.method == "POST" and not cut:
            cut.append(route.fetch().text())
            route.fulfill(status=200, content_type="application/json", body=cut[0][:9])
        else:
            route.continue_()

    page.route("**/api/edit", half)
    open_page(page, f"{server.url}/script")
    content = page.get_by_role("textbox", name="content", exact=True)
    content.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" One cut.")
    saved = page.locator(".dl-editor", has=content).locator(".dl-saved")
    expect(saved).to_contain_text("Not saved yet, kept in this browser")
    page.keyboard.type(" Two whole.")
    expect(saved).to_contain_text(re.compile(r"^Saved"), timeout=20_000)
    with Desk(server) as desk:
        newest = max(desk.store.find(Correction), key=lambda one: one.created_at)
    assert str(newest.value).endswith(" One cut. Two whole.") and len(cut) == 1

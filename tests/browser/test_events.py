"""What others do shows on an open page by itself, and what somebody is writing stays."""

from __future__ import annotations

from typing import Any

from annotation.editing import edits
from annotation.people import who_labels_blind
from annotation.records.decisions import Person
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk, work_as


def correct(desk: Desk, who: Person, verdict: str) -> None:
    edits.apply_edit(
        desk.store, who, edits.Edit("verdict", verdict, "verdict", {"label": "no", "score": 1}, 0)
    )


def test_a_colleagues_correction_shows_within_two_seconds(server: Server, page, browser) -> None:
    with Desk(server) as desk:
        ana = desk.person("ana")
    open_page(page, f"{server.url}/verdicts")
    qa = page.evaluate("() => new URLSearchParams(location.search).get('qa')")
    page.evaluate("() => { window.sameDocument = true; }")
    other = browser.new_context()
    try:
        there = other.new_page()
        work_as(there, server, ana)
        open_page(there, f"{server.url}/verdicts?qa={qa}")
        there.keyboard.press("e")
        there.locator(".dl-verdictform").wait_for()
        there.keyboard.press("y")
        there.keyboard.press("4")
        there.keyboard.press("Control+Enter")
        expect(
            there.locator(f"[data-id='{qa}'] .dl-is-corrected, [data-id='{qa}'] .dl-is-confirmed")
        ).to_be_visible()
        expect(page.locator(".dl-verdict .dl-is-corrected").first).to_be_visible(timeout=2_000)
        expect(page.locator(f"[data-id='{qa}'] .dl-is-corrected")).to_be_visible(timeout=2_000)
    finally:
        other.close()
    expect(page.locator(".dl-notice", has_text="ana changed this")).to_be_visible()
    assert page.evaluate("() => window.sameDocument")


def test_what_one_does_in_another_window_shows_here(server: Server, page, browser) -> None:
    open_page(page, f"{server.url}/verdicts")
    qa = page.evaluate("() => new URLSearchParams(location.search).get('qa')")
    source = page.locator("[aria-label='Whose fault is it?'] [aria-pressed=true]")
    other = browser.new_page()
    try:
        open_page(other, f"{server.url}/verdicts?qa={qa}")
        other.keyboard.press("4")
        expect(source).to_contain_text("judge", timeout=15_000)
        page.bring_to_front()
        there = other.locator("[aria-label='Whose fault is it?'] [aria-pressed=true]")
        page.keyboard.press("2")
        expect(there).to_contain_text("caption is wrong", timeout=15_000)
        # In the same second: the later one counts, and shows in both. The first is stored before the second
        # is pressed: a window that is still busy would send it after the other's.
        with page.expect_response("**/api/error-source"):
            page.keyboard.press("3")
        other.keyboard.press("5")
        expect(source).to_contain_text("question", timeout=15_000)
        expect(there).to_contain_text("question", timeout=15_000)
    finally:
        other.close()
    assert page.locator(".dl-notice", has_text="changed this").count() == 0


def test_what_somebody_writes_is_left_alone(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts")
    qa = page.evaluate("() => new URLSearchParams(location.search).get('qa')")
    page.keyboard.press("e")
    page.locator(".dl-verdictform").wait_for()
    page.keyboard.press("y")
    with Desk(server) as desk:
        ana = desk.person("ana")
        with page.expect_response(lambda reply: "/api/verdicts?" in reply.url):
            correct(desk, ana, qa)
    expect(page.locator(".dl-verdictform")).to_be_visible()
    expect(page.locator(f"[data-id='{qa}'] .dl-is-corrected")).to_be_visible()


def test_the_history_that_somebody_reads_stays_open(server: Server, page, browser) -> None:
    """Also while it is being fetched, when a colleague changes another scene."""
    open_page(page, f"{server.url}/script?scene=2")
    content = page.locator(".dl-scenecard.dl-open .dl-field-content")
    content.locator("textarea").fill("A red boat.")
    content.locator(".dl-saved-saved").wait_for()
    with Desk(server) as desk:
        ana = desk.person("ana")
    there = browser.new_context().new_page()
    work_as(there, server, ana)
    open_page(there, f"{server.url}/script?scene=3")
    held: list[Any] = []
    page.route("**/api/history/**", lambda route: held.append(route), times=1)
    content.get_by_role("button", name="history").click()
    until(lambda: bool(held), page)
    for words in ("A hill.", "A green hill."):
        with page.expect_response("**/api/script/**"):
            there.locator(".dl-scenecard.dl-open .dl-field-content textarea").fill(words)
        page.wait_for_timeout(500)  # for cards to be drawn anew, which they must not be
        if held:
            held.pop().continue_()
            content.locator(".dl-history").wait_for()
    assert content.locator(".dl-history").is_visible()
    content.get_by_role("button", name="history").click()
    page.keyboard.press("Escape")
    there.context.close()


def test_whoever_labels_blind_is_told_no_names(server: Server, page) -> None:
    with Desk(server) as desk:
        ana = desk.person("ana")
        who_labels_blind.set_mode(desk.store, desk.owner, desk.owner.id, True)
    open_page(page, f"{server.url}/verdicts")
    page.evaluate("""() => {
      window.told = [];
      document.addEventListener('dl-server-changed', (event) => window.told.push(event.detail));
    }""")
    qa = page.evaluate("() => new URLSearchParams(location.search).get('qa')")
    with Desk(server) as desk:
        correct(desk, ana, qa)
    until(lambda: bool(page.evaluate("() => window.told.length")), page)
    assert page.evaluate("() => window.told.every((one) => one.by.length === 0)")
    assert page.locator(".dl-verdict .dl-is-corrected").count() == 0

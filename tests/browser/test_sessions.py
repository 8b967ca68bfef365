"""Sessions that end under an open page: words keep their owner and their place, and nothing waits unseen."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotation.people import accounts
from annotation.records.decisions import Person
from tests.browser.conftest import Server, expect, serve, until
from tests.browser.desk import Desk
from tests.browser.slow import slow_replies
from tests.browser.test_drafts import CONTENT, LATER_MS, corrections_by, field, state, wait_open

LATE_MS = 400
PAUSE_MS = 1500


@pytest.fixture
def company(filled: Path, tmp_path: Path) -> Iterator[Server]:
    """The sample behind passwords: ana and bo."""
    workspace = tmp_path / "workspace"
    shutil.copytree(filled, workspace)
    with Desk(Server("", workspace)) as desk:
        for name, role in (("ana", "admin"), ("bo", "annotator")):
            accounts.set_password(desk.store, desk.person(name, role).id, f"words of {name}")
    yield from serve(workspace, "--accounts")


def log_in(page, name: str) -> None:
    page.get_by_label("Name").focus()
    page.keyboard.type(name)
    page.get_by_label("Password").focus()
    page.keyboard.type(f"words of {name}")
    page.keyboard.press("Enter")


def typing_when_the_session_ends(page, company: Server) -> None:
    """Ana types into the content of scene 2; in the middle of a word her session is over."""
    page.goto(f"{company.url}/script?scene=2")
    log_in(page, "ana")
    wait_open(page, 2)
    field(page, CONTENT).focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("Ana wri")
    expect(state(page, CONTENT)).to_contain_text("Saved")
    page.context.clear_cookies()
    for letter in "tes on and on":
        page.keyboard.type(letter)
        page.wait_for_timeout(120)
    expect(page.locator(".dl-session")).to_contain_text("Your session has ended")
    page.keyboard.type(" and on.")


def content_of(company: Server) -> str:
    with closing(sqlite3.connect(company.workspace / "dailies.db")) as db:
        rows = db.execute("SELECT value FROM current WHERE value LIKE '%Ana wri%'").fetchall()
    return rows[0][0].strip('"') if rows else ""


@pytest.mark.expect_console("401")
def test_a_session_that_ends_in_a_word_costs_no_letter(company: Server, page) -> None:
    typing_when_the_session_ends(page, company)
    expect(field(page, CONTENT)).to_be_focused()
    expect(field(page, CONTENT)).to_have_value("Ana writes on and on and on.")
    expect(state(page, CONTENT)).to_contain_text("kept in this browser")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type("not her words")
    page.keyboard.press("Enter")
    expect(page.locator(".dl-session")).to_contain_text("wrong name or password")
    page.keyboard.type("words of ana")
    page.keyboard.press("Enter")
    expect(page.locator(".dl-session")).to_have_count(0)
    expect(state(page, CONTENT)).to_contain_text("Saved")
    expect(field(page, CONTENT)).to_be_focused()
    assert content_of(company) == "Ana writes on and on and on."


@pytest.mark.expect_console("40")
def test_whoever_else_logs_in_there_does_not_send_the_words(company: Server, page) -> None:
    typing_when_the_session_ends(page, company)
    with Desk(company) as desk:
        bo = desk.store.find(Person, name="bo")[0]
    page.keyboard.press("Escape")
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("bo")
    page.keyboard.press("Tab")
    page.keyboard.type("words of bo")
    page.keyboard.press("Enter")
    dialog = page.locator(".dl-session")
    expect(dialog).to_contain_text("This browser works as bo now")
    expect(dialog).to_contain_text("1 text of ana is not saved yet, and waits in this browser for ana")
    dialog.get_by_role("button", name="Open as bo").press("Enter")
    expect(page.locator(".dl-person")).to_contain_text("bo · annotator")
    wait_open(page, 2)
    expect(field(page, CONTENT)).to_have_value("Ana wri")
    page.wait_for_timeout(LATER_MS)
    assert corrections_by(company, bo) == [] and content_of(company) == "Ana wri"
    page.get_by_role("button", name="Log out").press("Enter")
    page.goto(f"{company.url}/script?scene=2")
    log_in(page, "ana")
    wait_open(page, 2)
    expect(field(page, CONTENT)).to_have_value("Ana writes on and on and on.")
    until(lambda: content_of(company) == "Ana writes on and on and on.", page)
    assert corrections_by(company, bo) == []


@pytest.mark.expect_console("401")
def test_words_for_a_field_that_cannot_come_are_given_back(company: Server, page) -> None:
    """The question is on its way, and its field with it, when the session turns out to be over."""
    slow_replies(page, LATE_MS)
    page.goto(f"{company.url}/verdicts")
    log_in(page, "ana")
    page.wait_for_selector(".dl-root[data-ready]")
    page.context.clear_cookies()
    page.keyboard.press("j")
    page.keyboard.press("j")  # this one is not asked for ahead
    page.keyboard.press("a")
    page.keyboard.type("some other answer")
    notice = page.locator(".dl-notice", has_text="Your session has ended. Not written: “some other answer")
    notice.wait_for()
    page.wait_for_timeout(PAUSE_MS)
    expect(page.get_by_label("Password")).to_be_focused()
    for _ in range(2):  # the page under it waits for the login: there is no way around the dialog
        page.keyboard.press("Escape")
        expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type("words of ana")
    page.keyboard.press("Enter")
    expect(page.locator(".dl-session")).to_have_count(0)
    expect(page.locator(".dl-item[aria-selected=true]")).to_have_attribute("aria-posinset", "3")
    expect(page.get_by_role("textbox", name="extracted")).to_have_count(0)


@pytest.mark.expect_console("401")
def test_the_page_under_the_dialog_undoes_nothing(company: Server, page) -> None:
    """What is pressed there would be done when the session is back."""
    typing_when_the_session_ends(page, company)
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url) if "/api/undo" in one.url else None)
    page.keyboard.press("Escape")
    page.mouse.click(3, 300)
    for _ in range(2):
        page.keyboard.press("Escape")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("Control+z")
    expect(page.locator(".dl-session")).to_be_visible()
    page.get_by_label("Password").focus()
    page.keyboard.type("words of ana")
    page.keyboard.press("Enter")
    expect(page.locator(".dl-session")).to_have_count(0)
    until(lambda: content_of(company) == "Ana writes on and on and on.", page)
    assert asked == []


COMPOSED = "にほ"


def opens_late(page, company: Server, key: str) -> list:
    """Ana presses a key of the Library whose dialog comes late, and composes meanwhile; gives its script."""
    slow = {"a": "assign.js", "u": "add_urls.js", "o": "join_videos.js"}[key]
    held = []
    page.route(f"**/{slow}", lambda route: held.append(route) if not held else route.continue_())
    page.goto(f"{company.url}/")
    log_in(page, "ana")
    page.wait_for_selector(".dl-root[data-ready]")
    page.keyboard.press(key)
    page.get_by_label("Text for the field that is being opened").wait_for(state="attached")
    until(lambda: bool(held), page)
    client = page.context.new_cdp_session(page)
    for text in (COMPOSED[:1], COMPOSED):
        client.send(
            "Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)}
        )
    return held


@pytest.mark.parametrize("key", ["a", "u", "o"])
def test_a_late_dialog_that_is_not_wanted_any_more_does_not_open(company: Server, page, key: str) -> None:
    script = opens_late(page, company, key)
    page.keyboard.press("Escape")
    expect(page.locator(".dl-notice")).to_contain_text(f"Not written: “{COMPOSED}”")
    script[0].continue_()
    page.wait_for_timeout(PAUSE_MS)
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.expect_console("401")
@pytest.mark.parametrize("key", ["a", "u", "o"])
def test_a_session_that_ends_before_a_late_dialog_names_what_was_composed(
    company: Server, page, key: str
) -> None:
    script = opens_late(page, company, key)
    page.context.clear_cookies()
    page.evaluate("""() => {
        const core = document.querySelector('link[rel=modulepreload][href$="/requests.js"]');
        import(core.href).then(({ api }) => api('/api/jobs'));
    }""")
    expect(page.locator(".dl-session")).to_contain_text("Your session has ended")
    expect(page.locator(".dl-notice")).to_contain_text(f"Not written: “{COMPOSED}”")
    script[0].continue_()
    page.wait_for_timeout(PAUSE_MS)
    expect(page.get_by_role("dialog")).to_have_count(1)
    expect(page.get_by_label("Password")).to_be_focused()

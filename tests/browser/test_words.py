"""Words: what is typed survives, two people's changes are told apart, speech is cut by keys."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk, work_as

CONFIRMED = ".dl-shown.dl-is-confirmed"
PATIENCE = 60_000

THEIRS = """async (change) => {
  const video = new URLSearchParams(location.search).get('video');
  const data = await (await fetch(`/api/script/${video}`)).json();
  const text = data.script[data.player.scenes[1].key]['script:content'];
  const body = {subject: text.subject, value: text.value.replace(...change), base_revision: text.revision};
  await fetch('/api/edit', {method: 'POST', headers: {'Content-Type': 'application/json'},
    body: JSON.stringify(body)});
}"""
NOW = """async () => {
  const video = new URLSearchParams(location.search).get('video');
  const data = await (await fetch(`/api/script/${video}`)).json();
  return data.script[data.player.scenes[1].key]['script:content'].value;
}"""


def saved(page) -> None:
    page.wait_for_selector(".dl-field-content .dl-saved-saved", timeout=PATIENCE)


def content(page):
    page.wait_for_selector(".dl-scenecard.dl-open[data-scene='2'] .dl-field-content textarea")
    return page.get_by_role("textbox", name="content")


@pytest.mark.expect_console("ERR_INTERNET_DISCONNECTED")
def test_what_is_typed_survives_a_reload_and_a_lost_connection(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=2")
    area = content(page)
    area.fill("Typed and gone at once.")
    page.reload()
    expect(content(page)).to_have_value("Typed and gone at once.")
    until(lambda: page.evaluate(NOW) == "Typed and gone at once.", page)
    expect(page.locator(".dl-saved-typing, .dl-saved-saving")).to_have_count(0)  # the answer is here, too
    page.context.set_offline(True)
    area.fill("Typed without a line.")
    page.locator(".dl-saved-waiting", has_text="kept in this browser").wait_for()
    page.keyboard.press("Control+End")
    page.keyboard.type(" And more.")
    page.context.set_offline(False)
    saved(page)
    assert page.evaluate(NOW) == "Typed without a line. And more."


@pytest.mark.expect_console("409")
def test_two_peoples_changes_are_told_apart_and_taken_together(server: Server, page, browser) -> None:
    with Desk(server) as desk:
        ana = desk.person("ana")
    open_page(page, f"{server.url}/script?scene=2")
    area = content(page)
    area.fill("A red boat sails. The sun is low.")
    saved(page)
    there = browser.new_context().new_page()
    work_as(there, server, ana)
    there.goto(page.url)
    there.evaluate(THEIRS, ["red", "blue"])
    area.fill("A red boat sails. The moon is low.")
    conflict = page.locator(".dl-conflict")
    conflict.wait_for()
    assert conflict.locator(".dl-threeway ins.dl-by-theirs").all_inner_texts() == ["blue"]
    assert conflict.locator(".dl-threeway ins.dl-by-mine").all_inner_texts() == ["moon"]
    conflict.get_by_role("button", name="Take both").click()
    saved(page)
    assert page.evaluate(NOW) == "A blue boat sails. The moon is low."
    there.evaluate(THEIRS, ["moon is low", "night falls"])
    area.fill("A blue boat sails. The star is up.")
    conflict.locator(".dl-clash ins").first.wait_for()
    assert conflict.get_by_role("button", name="Take both").count() == 0
    expect(conflict).to_contain_text("ana changed this while you typed here.")
    conflict.get_by_role("button", name="Keep mine").click()
    saved(page)
    there.context.close()
    page.locator(".dl-field-content").get_by_role("button", name="history").click()
    page.locator(".dl-history li").last.locator("[data-name=compare]").click()
    assert "star" in " ".join(page.locator(".dl-history li").last.locator("ins").all_inner_texts())


def test_words_are_replaced_after_a_look_and_one_undo_takes_them_back(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=2")
    area = content(page)
    area.fill("Boat one, boat two, a boathouse.")
    saved(page)
    page.keyboard.press("Control+h")
    page.get_by_role("textbox", name="find", exact=True).fill("boat")
    page.get_by_role("textbox", name="replace by").fill("ship")
    page.get_by_role("checkbox", name="whole words").check()
    mine = page.locator(".dl-replacelist li", has_text="the content of scene 2")
    mine.get_by_text("2 places").wait_for()
    assert mine.locator("ins").all_inner_texts() == ["ship", "ship"]
    page.get_by_role("button", name="choose none").click()
    mine.get_by_role("checkbox").check()
    page.get_by_role("button", name="Replace in 1 text").click()
    until(lambda: page.evaluate(NOW) == "ship one, ship two, a boathouse.", page)
    page.wait_for_function("!document.querySelector('dialog')")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    until(lambda: page.evaluate(NOW) == "Boat one, boat two, a boathouse.", page)
    page.wait_for_function(
        "document.querySelector('.dl-field-content textarea').value === 'Boat one, boat two, a boathouse.'"
    )


def test_speech_is_split_moved_and_merged_by_keys(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?tab=speech")
    page.wait_for_selector(CONFIRMED)
    lines = page.locator(".dl-segment")
    if lines.count() == 0:  # the sample was made where Whisper's weights are not
        page.get_by_text("No transcription yet").wait_for()
        return
    count = lines.count()
    heard = lines.nth(1).locator(".dl-saidtext").inner_text().strip()
    lines.nth(1).locator(".dl-word").first.click()
    page.wait_for_selector(".dl-segment:nth-of-type(n)[aria-current=true]")
    page.keyboard.press("e")
    page.wait_for_selector(".dl-segment textarea")
    page.evaluate("document.activeElement.setSelectionRange(9, 9)")
    page.keyboard.press("Alt+Enter")
    page.wait_for_function(f"document.querySelectorAll('.dl-segment').length === {count + 1}")
    page.wait_for_function("(rest) => document.activeElement.value === rest", arg=heard[9:].strip())
    before = page.locator(".dl-edge").first.inner_text()
    page.keyboard.press("Alt+Shift+i")
    page.wait_for_function(
        "(before) => (document.querySelector('.dl-edge')?.innerText ?? before) !== before", arg=before
    )
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Control+z")
    page.wait_for_function("(before) => document.querySelector('.dl-edge')?.innerText === before", arg=before)
    page.keyboard.press("e")
    page.keyboard.press("Alt+r")
    page.wait_for_function(f"document.querySelectorAll('.dl-segment').length === {count}")
    page.wait_for_function("(heard) => document.activeElement.value === heard", arg=heard)

"""Verdicts given faster than the server answers: each key is for what it was meant for."""

from __future__ import annotations

import json

import pytest

from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk
from tests.browser.slow import slow_replies
from tests.browser.test_key_rule import decisions

PACE_MS = 100
QUICK = [
    ("e n 1 Ctrl+Enter e n 3 Ctrl+Enter", [("no", 1, ""), ("no", 3, "")]),
    ("e n 1 Enter j e n 2 Enter", [("no", 1, ""), ("no", 2, "")]),
    ("j e n 3 Enter j e n 2 Enter", [("no", 3, ""), ("no", 2, "")]),
    ("e n 1 Tab a b c Enter j e n 2 Tab d e Enter", [("no", 1, "abc"), ("no", 2, "de")]),
    ("q z Escape e n 2 Tab a b Enter", [("no", 2, "ab")]),
    ("j j e n Escape j e n 2 Ctrl+Enter e n 4 Ctrl+Enter", [("no", 2, ""), ("no", 4, "")]),
]
SELECTED = ".dl-item[aria-selected=true]"
DRAWS_LATE = """() => document.addEventListener('keydown', ({ key }) => {
  const busy = (end = performance.now() + 500) => { while (performance.now() < end); };
  if (key === 'Enter') setTimeout(busy);
})"""
"""After Enter the page has no time to draw; what is pressed meanwhile comes first."""
NEXT_IS_LATE = """() => {
  const { fetch } = window;
  let late = 1500;
  window.fetch = async (...what) => {
    const answer = fetch(...what);
    if (/api\\/verdicts\\/[a-z]+-/.test(what[0].url || what[0])) {
      const wait = late;
      late = 0;
      await new Promise((go) => setTimeout(go, wait));
    }
    return answer;
  };
}"""
"""The question that is asked for next comes after those that are asked for later."""


def given(server: Server) -> list[tuple[str, str, int, str]]:
    """Verdicts of people, in their order: the question's, and what was said."""
    with Desk(server) as desk, desk.store.reading() as conn:
        rows = conn.exec_driver_sql(
            "select subject_id, value, reason from correction where subject_type = 'verdict'"
            " order by created_at"
        ).all()
    values = [(subject, json.loads(value), reason) for subject, value, reason in rows]
    return [(subject, value["label"], value["score"], reason) for subject, value, reason in values]


@pytest.mark.parametrize("late_ms", [0, 60, 160, 600])
@pytest.mark.parametrize(("keys", "wanted"), QUICK)
def test_a_verdict_and_the_next_one_are_both_stored(
    server: Server, page, keys: str, wanted: list[tuple[str, int, str]], late_ms: int
) -> None:
    slow_replies(page, late_ms)
    open_page(page, f"{server.url}/verdicts")
    page.wait_for_selector(".dl-verdict")
    before = len(given(server))
    for key in keys.split():
        page.keyboard.press(key.replace("Ctrl", "Control"))
        page.wait_for_timeout(PACE_MS)
    until(lambda: len(given(server)) == before + len(wanted), page)
    new = given(server)[before:]
    assert [said for _, *said in new] == [list(one) for one in wanted]
    assert len({subject for subject, *_ in new}) == len(new)
    assert [what for _, what in decisions(server) if "error source" in what] == []
    expect(page.locator(".dl-notice", has_text="Not written")).to_have_count(0)


def test_letters_that_follow_composed_words_run_nothing_when_the_field_goes(server: Server, page) -> None:
    """ "Done" draws the question anew while somebody writes on: letters would open another field."""
    slow_replies(page, 600)
    open_page(page, f"{server.url}/verdicts")
    page.wait_for_selector(".dl-verdict")
    page.keyboard.press("c")
    caption = page.get_by_role("textbox", name="caption")
    expect(caption).to_be_focused()
    page.keyboard.press("Control+End")
    page.keyboard.type(" A boat.")
    page.get_by_role("button", name="Done").click()
    box = caption.bounding_box()
    assert box
    page.mouse.click(box["x"] + 40, box["y"] + 20)
    page.keyboard.press("Control+a")
    page.keyboard.type("and a mill")
    expect(page.locator(".dl-notice", has_text="and a mill")).to_contain_text("Not written")
    page.wait_for_timeout(2000)
    expect(page.locator(".dl-verdict textarea")).to_have_count(0)
    [what] = [what for _, what in decisions(server)]
    assert "caption" in what


def test_a_field_that_was_left_by_escape_takes_no_focus_back(server: Server, page) -> None:
    """What was searched for opens late: the focus had been in the field when it was sent for."""
    slow_replies(page, 600)
    open_page(page, f"{server.url}/verdicts")
    page.wait_for_selector(".dl-verdict")
    shown = page.locator(".dl-q").inner_text()
    page.keyboard.press("/")
    page.keyboard.type("What does the cat wear?")
    expect(page.locator(".dl-item[aria-posinset='1']")).to_have_attribute("aria-setsize", "1")
    page.keyboard.press("Escape")
    expect(page.locator(".dl-q")).not_to_have_text(shown)
    expect(page.get_by_role("searchbox", name="Search")).not_to_be_focused()


def test_keys_after_a_comment_is_sent_are_keys_of_the_page(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts")
    page.wait_for_selector(".dl-verdict")
    page.keyboard.press("x")
    page.keyboard.type("cannot be seen")
    page.keyboard.press("Enter")
    page.keyboard.press("j")
    expect(page.locator(".dl-item[aria-selected=true]")).to_have_attribute("aria-posinset", "2")
    expect(page.locator(".dl-notice", has_text="Not written")).to_have_count(0)


def test_a_key_is_the_pages_though_the_closed_dialog_is_not_drawn_away_yet(server: Server, page) -> None:
    """A slow machine draws late, and what was closed has the focus until then."""
    open_page(page, f"{server.url}/verdicts")
    page.wait_for_selector(".dl-verdict")
    page.keyboard.press("x")
    field = page.get_by_role("dialog").get_by_role("textbox")
    expect(field).to_be_focused()
    page.keyboard.type("cannot be seen")
    expect(field).to_have_value("cannot be seen")
    page.evaluate(DRAWS_LATE)
    page.keyboard.press("Enter")
    page.keyboard.press("j")
    expect(page.locator(SELECTED)).to_have_attribute("aria-posinset", "2")


def test_a_form_opens_though_the_question_before_comes_after_its_own(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts")
    page.wait_for_selector(".dl-verdict")
    before = len(given(server))
    page.evaluate(NEXT_IS_LATE)
    for key in ("j", "j", "e", "n", "2", "Enter"):
        page.keyboard.press(key)
    until(lambda: [list(said[1:]) for said in given(server)[before:]] == [["no", 2, ""]], page)
    expect(page.locator(SELECTED)).to_have_attribute("aria-posinset", "3")


@pytest.mark.parametrize("key", ["j", "Ctrl+Enter"])
def test_keys_pressed_before_the_dialog_of_a_comment_is_there_go_on_after_it(
    server: Server, page, key: str
) -> None:
    """All of them wait for the dialog, which Enter closes: the field in it still has the focus then."""
    slow_replies(page, 600)
    open_page(page, f"{server.url}/verdicts")
    page.wait_for_selector(".dl-verdict")
    page.keyboard.press("x")
    page.keyboard.type("cannot be seen")
    page.keyboard.press("Enter")
    page.keyboard.press(key.replace("Ctrl", "Control"))
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".dl-item[aria-selected=true]")).to_have_attribute("aria-posinset", "2")
    page.keyboard.press("k")
    expect(page.locator(".dl-excluded q")).to_have_text("cannot be seen")


@pytest.mark.parametrize("pace_ms", [0, 15, 100])
@pytest.mark.parametrize("late_ms", [0, 300])
def test_each_error_source_is_for_the_question_that_was_gone_to(
    server: Server, page, late_ms: int, pace_ms: int
) -> None:
    """Also where the next question is gone to before this one has come."""
    if late_ms:
        slow_replies(page, late_ms)
    open_page(page, f"{server.url}/verdicts")
    page.locator(f"{SELECTED}").wait_for()
    rows = page.locator(".dl-item")
    asked = [rows.nth(n).get_attribute("data-id") for n in range(4)]
    for key in ("j", "j", "2", "j", "3"):
        page.keyboard.press(key)
        page.wait_for_timeout(pace_ms)

    def named() -> list[tuple[str, str]]:
        with Desk(server) as desk, desk.store.reading() as conn:
            found = conn.exec_driver_sql(
                "select verdict_id, kind from error_source order by created_at"
            ).all()
        return [(subject, kind) for subject, kind in found]

    until(lambda: len(named()) == 2, page)
    assert named() == [(asked[2], "caption_wrong"), (asked[3], "extraction")]

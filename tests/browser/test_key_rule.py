"""The rule for keys: what follows a key that opens a field is typed into it, and a form owns its keys."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from annotation.records.decisions import Correction
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk
from tests.browser.slow import slow_replies
from tests.browser.test_library import short_clip
from tests.browser.test_queue import SAMPLE

LATE_MS = 400
"""Longer than somebody types, on a slow machine too."""
PAUSE_MS = 1300
"""Longer than the pause that ends a breath."""
NOTICE_MS = 7000
"""Longer than a notice stands."""
WORDS = "a man makes some soup"
QUESTION = ".dl-item[aria-selected=true]"
CONFIRMED = ".dl-shown.dl-is-confirmed"
FOCUSED = "() => document.activeElement.matches('textarea, input[type=text]')"

BACK = """() => new Promise((done) => {
  addEventListener('popstate', () => done(), { once: true });
  history.back();
})"""


def decisions(server: Server) -> list[tuple[str, str]]:
    """What people did here: who, and what a toast says of it."""
    with Desk(server) as desk, desk.store.reading() as conn:
        rows = conn.exec_driver_sql(
            "select person.name, action.what from action join person on person.id = action.person_id"
            " order by action.created_at"
        )
        return [(row[0], row[1]) for row in rows]


def verdicts(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts")
    page.wait_for_selector(".dl-verdict")
    page.wait_for_selector(CONFIRMED)


def open_question(page) -> str:
    return page.locator(QUESTION).get_attribute("data-id")


# --- the verdict form -------------------------------------------------------------------


def test_the_keys_of_the_verdict_form_are_its_own(server: Server, page) -> None:
    verdicts(server, page)
    question, frame = open_question(page), page.locator(".dl-frameline b").inner_text()
    page.keyboard.press("e")
    for key in ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Space", "j", "k", "l", "y", "5", "4"):
        page.keyboard.press(key)
    form = page.locator(".dl-verdictform")
    expect(form.get_by_role("radio", name="yes")).to_be_checked()
    expect(form.get_by_role("radio", name="4")).to_be_checked()
    assert page.locator(".dl-frameline b").inner_text() == frame
    assert page.evaluate("document.querySelector('video').paused")
    assert open_question(page) == question
    expect(page.locator(".dl-errorsource [aria-pressed=true]")).to_have_count(0)
    assert decisions(server) == []
    page.keyboard.press("Enter")
    expect(page.locator(".dl-verdictline")).to_contain_text("yes")
    expect(page.locator(".dl-verdictline")).to_contain_text("4 of 5")
    assert len(decisions(server)) == 1


def test_letters_in_the_reason_are_its_words(server: Server, page) -> None:
    verdicts(server, page)
    page.keyboard.press("e")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("5 boys, no yard")
    expect(page.get_by_role("textbox", name="reason")).to_have_value("5 boys, no yard")
    expect(page.locator(".dl-verdictform [name=score]:checked")).to_have_value("0")


@pytest.mark.parametrize("way", ["key", "click", "page"])
def test_a_verdict_that_was_chosen_is_saved_when_one_goes_on(server: Server, page, way: str) -> None:
    verdicts(server, page)
    question = open_question(page)
    page.keyboard.press("e")
    page.keyboard.press("y")
    page.keyboard.press("4")
    if way == "key":
        page.keyboard.press("Escape")
        page.keyboard.press("j")
    elif way == "click":
        page.locator(".dl-item").nth(2).click()
    else:
        page.get_by_role("link", name="Scores").click()
    given = "(id) => fetch(`/api/verdicts/${id}`).then((r) => r.json()).then((d) => d.verdict.value.score)"
    until(lambda: page.evaluate(given, question) == 4, page)
    assert len(decisions(server)) == 1


def test_the_next_question_is_the_one_below_though_a_better_score_moves_the_line(
    server: Server, page
) -> None:
    verdicts(server, page)
    second, third = (page.locator(".dl-item").nth(n).get_attribute("data-id") for n in (1, 2))
    page.keyboard.press("j")
    page.wait_for_selector(f"{QUESTION}[data-id='{second}']")
    for key in ("e", "y", "4", "Control+Enter"):
        page.keyboard.press(key)
    page.wait_for_selector(f"{QUESTION}[data-id='{third}']")
    assert len(decisions(server)) == 1


def test_a_form_in_which_nothing_was_chosen_changes_nothing(server: Server, page) -> None:
    verdicts(server, page)
    page.keyboard.press("e")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(page.locator(".dl-verdictform")).to_have_count(0)
    page.locator(".dl-item").nth(3).click()
    expect(page.locator(".dl-item").nth(3)).to_have_attribute("aria-selected", "true")
    assert decisions(server) == []


# --- fields that are opened -------------------------------------------------------------


def test_what_is_typed_before_the_field_is_there_stands_in_it(server: Server, page) -> None:
    slow_replies(page, LATE_MS)
    verdicts(server, page)
    page.keyboard.press("j")
    page.keyboard.press("c")
    page.keyboard.press("Control+a")
    page.keyboard.type("jan saz")
    page.keyboard.press("Backspace")
    page.keyboard.type("nd y 5")
    field = page.get_by_role("textbox", name="caption")
    expect(field).to_have_value("jan sand y 5")
    expect(field).to_be_focused()
    page.keyboard.type("!")
    expect(field).to_have_value("jan sand y 5!")
    expect(page.locator(".dl-item").nth(1)).to_have_attribute("aria-selected", "true")
    page.locator(".dl-saved-saved").wait_for()
    assert [what for _, what in decisions(server)] == ["corrected the detailed caption"] or len(
        decisions(server)
    ) == 1


def test_an_input_method_composes_into_the_field_that_opens(server: Server, page) -> None:
    slow_replies(page, LATE_MS)
    verdicts(server, page)
    page.keyboard.press("j")
    page.keyboard.press("c")
    page.keyboard.press("Control+a")
    client = page.context.new_cdp_session(page)
    client.send("Input.imeSetComposition", {"text": "にほ", "selectionStart": 2, "selectionEnd": 2})
    client.send("Input.insertText", {"text": "日本"})
    page.keyboard.type(" x")
    expect(page.get_by_role("textbox", name="caption")).to_have_value("日本 x")


def test_esc_takes_back_what_waits_for_a_field(server: Server, page) -> None:
    slow_replies(page, LATE_MS)
    verdicts(server, page)
    page.keyboard.press("j")
    page.keyboard.press("j")  # this one is not asked for ahead
    page.keyboard.press("c")
    page.keyboard.type("not this")
    page.keyboard.press("Escape")
    page.locator(".dl-notice", has_text="Not written: “not this”").wait_for()
    page.locator(".dl-item").nth(2).and_(page.locator("[aria-selected=true]")).wait_for()
    assert decisions(server) == []


def test_a_key_that_opens_no_field_says_why_and_letters_after_it_run_nothing(server: Server, page) -> None:
    with Desk(server) as desk:
        desk.person("ann", "annotator")
    open_page(page, f"{server.url}/keyframes?view=label")
    page.locator(".dl-viewtabs").wait_for()
    page.wait_for_url("**frame=**")
    url = page.url
    page.keyboard.press("e")
    page.keyboard.type("next shot, 3 people")
    notice = page.locator(".dl-notice")
    expect(notice).to_contain_text("Not written: “next shot, 3 people”")
    assert page.url == url
    assert decisions(server) == []
    page.wait_for_timeout(PAUSE_MS)
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()


def test_letters_after_a_refusal_are_shown_for_as_long_as_somebody_types(server: Server, page) -> None:
    with Desk(server) as desk:
        desk.person("ann", "annotator")
    open_page(page, f"{server.url}/keyframes?view=label")
    page.locator(".dl-viewtabs").wait_for()
    page.keyboard.press("e")
    words = "a man makes some soup in a large white kitchen by the sea"
    page.keyboard.type(words, delay=NOTICE_MS / len(words))
    expect(page.locator(".dl-notice")).to_contain_text(f"Not written: “{words}”")


def test_what_is_pasted_after_a_refusal_is_refused_too(server: Server, page) -> None:
    """Where the page gives a field the focus meanwhile, it would else hold a part of what was typed."""
    with Desk(server) as desk:
        desk.person("ann", "annotator")
    open_page(page, f"{server.url}/keyframes?view=label")
    page.locator(".dl-viewtabs").wait_for()
    page.keyboard.press("e")
    search = page.get_by_role("searchbox").or_(page.get_by_role("combobox", name="Search")).first
    search.evaluate("(field) => field.focus()")
    page.keyboard.type("a lake ")
    page.keyboard.insert_text("at dawn")
    page.keyboard.type(" in fog")
    expect(page.locator(".dl-notice")).to_contain_text("Not written: “a lake at dawn in fog”")
    expect(search).to_have_value("")
    page.wait_for_timeout(PAUSE_MS)
    page.keyboard.insert_text("boat")
    expect(search).to_have_value("boat")


# --- a scene without text ---------------------------------------------------------------


@pytest.fixture
def untold(server: Server, tmp_path: Path) -> str:
    """The address of a video that has scenes and no text."""
    clip = short_clip(tmp_path, "untold.mp4", 21)
    done = server.command("run", str(clip), "--stages", "probe,scenes")
    assert done.returncode == 0, done.stderr
    with Desk(server) as desk:
        return f"{server.url}/script?video={desk.video('untold').id}"


def scenes(page) -> int:
    return page.locator(".dl-scenecard").count()


def test_a_scene_without_text_opens_a_field(server: Server, page, untold: str) -> None:
    open_page(page, untold)
    page.wait_for_selector(CONFIRMED)
    before = scenes(page)
    page.keyboard.press("e")
    page.keyboard.type(WORDS)
    field = page.locator(".dl-field-scene_title textarea")
    expect(field).to_have_value(WORDS)
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.keyboard.type("slow pan")
    expect(page.locator(".dl-field-camera_movement textarea")).to_have_value("slow pan")
    assert scenes(page) == before
    assert not [what for _, what in decisions(server) if "split" in what or "merge" in what]


@pytest.mark.usefixtures("untold")
def test_ctrl_enter_after_the_last_scene_says_which_video_is_next(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=9")
    page.wait_for_selector(".dl-scenecard.dl-open[data-scene='9']")
    page.wait_for_selector(CONFIRMED)
    page.keyboard.press("e")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Control+Enter")
    page.keyboard.type("some more words")
    expect(page.locator(".dl-notice", has_text="This is “untold”")).to_contain_text("some more words")
    expect(page.locator("h1")).to_have_text("untold")
    assert decisions(server) == []


def test_a_cut_that_is_here_already_is_no_error(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=3")
    page.wait_for_selector(CONFIRMED)
    page.keyboard.press("x")
    expect(page.locator(".dl-notice-info", has_text="at this frame already")).to_be_visible()
    expect(page.locator(".dl-notice-error")).to_have_count(0)


def test_words_for_an_excluded_question_change_its_reason_alone(server: Server, page) -> None:
    verdicts(server, page)
    page.keyboard.press("x")
    page.keyboard.type("it cannot be seen")
    page.keyboard.press("Enter")
    reason = page.locator(".dl-excluded q")
    expect(reason).to_have_text("it cannot be seen")
    page.keyboard.press("x")
    page.keyboard.type(", a pan jumps")
    page.keyboard.press("Enter")
    expect(reason).to_have_text("it cannot be seen, a pan jumps")
    assert len(decisions(server)) == 2
    page.keyboard.press("x")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Count it again", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(reason).to_have_count(0)
    assert len(decisions(server)) == 3


def test_whoever_writes_on_after_the_browsers_back_is_told_what_is_not_written(server: Server, page) -> None:
    slow_replies(page, LATE_MS)
    open_page(page, f"{server.url}/split")
    page.wait_for_selector(".dl-sx-row")
    page.get_by_role("link", name="Script").click()
    page.wait_for_selector(".dl-scenecard.dl-open")
    page.keyboard.press("e")
    page.wait_for_function(FOCUSED)
    page.keyboard.type("a man")
    page.evaluate(BACK)
    page.keyboard.type("fxxp")
    page.wait_for_selector(".dl-sx-row")
    page.wait_for_timeout(LATE_MS)
    # What was typed before the field went is in it; of the rest one is told.
    told = re.search("“(.*)”", " ".join(page.locator(".dl-notice", has_text="Not written").all_inner_texts()))
    with Desk(server) as desk:
        written = max(desk.store.find(Correction), key=lambda one: one.created_at).value
    assert ("a manfxxp" if told is None else f"a man{'fxxp'.removesuffix(told[1])}") in written


# --- who one is --------------------------------------------------------------------------


def test_who_one_is_changes_by_an_explicit_act_alone(server: Server, page) -> None:
    with Desk(server) as desk:
        desk.person("bea", "annotator")
        desk.person("abe", "annotator")
    open_page(page, server.url)
    menu = page.get_by_role("button", name="You are")
    mine = menu.inner_text()
    menu.focus()
    page.keyboard.type("be")
    page.keyboard.press("Control+Enter")
    page.wait_for_timeout(PAUSE_MS)
    expect(page.get_by_role("button", name="You are")).to_have_text(mine)
    page.keyboard.press("Enter")
    page.keyboard.type("abe")
    page.wait_for_timeout(PAUSE_MS)
    expect(menu).to_have_text(mine)
    page.get_by_role("menuitemradio", checked=True).wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("menuitemradio", checked=True).wait_for(state="hidden")
    expect(menu).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("End")  # tokens
    page.keyboard.press("ArrowUp")  # Connect a model
    page.keyboard.press("ArrowUp")  # the Demo page
    page.keyboard.press("ArrowUp")
    page.wait_for_function("document.activeElement.innerText.startsWith('somebody')")
    for _ in range(2):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="You are bea · annotator")).to_be_visible()
    assert decisions(server) == []


def test_somebody_else_types_a_name(server: Server, page) -> None:
    open_page(page, server.url)
    page.get_by_role("button", name="You are").press("Enter")
    page.keyboard.press("End")  # tokens
    page.keyboard.press("ArrowUp")  # Connect a model
    page.keyboard.press("ArrowUp")  # the Demo page
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.keyboard.type("kim j")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="You are kim j").wait_for()


# --- leaving a field ----------------------------------------------------------------------


def test_letters_after_done_in_a_field_run_nothing(server: Server, page, untold: str) -> None:
    with Desk(server) as desk:
        desk.give(desk.owner, [SAMPLE, "untold"])
        shown = desk.video(SAMPLE).id
    slow_replies(page, LATE_MS)
    open_page(page, f"{server.url}/script?video={shown}&scene=2")
    page.locator(".dl-queue-mine", has_text="script · working").wait_for()
    page.keyboard.press("e")
    page.wait_for_function(FOCUSED)
    page.keyboard.press("Control+Shift+Enter")
    page.keyboard.type("makes some soup", delay=30)
    expect(page.get_by_text("Not written: “makes some soup”")).to_be_visible()
    expect(page.locator("h1")).to_have_text("untold")
    assert [what for _, what in decisions(server) if "cut" in what or "scene" in what] == []


def test_a_field_that_nobody_waits_for_any_more_stays_shut(server: Server, page) -> None:
    verdicts(server, page)
    waiting: list[Any] = []
    rows = page.locator(".dl-item")
    other = rows.nth(2).get_attribute("data-id")
    page.route(f"**/api/verdicts/{other}?**", lambda route: waiting.append(route))
    with page.expect_request(f"**/api/verdicts/{other}?**"):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("a")
    page.locator("h1, .dl-itemhead, .dl-listhead, header").first.click(position={"x": 2, "y": 2})
    page.keyboard.press("e")
    page.keyboard.type("n3")
    for route in waiting:
        route.continue_()
    form = page.locator(".dl-verdictform")
    expect(form.get_by_role("radio", name="no")).to_be_checked()
    expect(form.get_by_role("radio", name="3")).to_be_checked()
    expect(page.get_by_role("textbox", name="extracted answer")).to_have_count(0)
    assert decisions(server) == []

"""The Split page: clauses lined up, sent, proposed; findings fixed, dismissed; metadata.json in and out."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.slow import NEVER_SAVED, slow_replies
from tests.browser.test_drafts import UNSENT

ROBOT = "A robot 🤖 with <b>green</b> eyes stands beside a crate."
LIFTS = "It slowly lifts the crate and carries it up a ramp."
DOOR = "Finally it opens a heavy steel door."
ROW = ".dl-sx-row[aria-selected=true]"


def texts(page, server: Server) -> dict[str, Any]:
    video = page.request.get(f"{server.url}/api/library").json()["videos"][0]["id"]
    found = page.request.get(f"{server.url}/api/split/{video}?player=false").json()["texts"]
    return {name: text and text["value"] for name, text in found.items()}


def press_and_wait(page, key: str) -> None:
    with page.expect_response(lambda r: "/api/split/" in r.url):
        page.keyboard.press(key)
    page.wait_for_selector(".dl-saved-saved")


def give(page, server: Server, **more: str) -> None:
    """Import a metadata.json with one video through the route that the Library uses."""
    record = {
        "video": "v_1.mp4",
        "caption": f"{ROBOT} {LIFTS} {DOOR}",
        "category": "c",
        "subcategory": "s",
        "spatial_caption": "",
        "temporal_caption": "",
    } | more
    body = {"name": "metadata.json", "mimeType": "application/json", "buffer": json.dumps([record]).encode()}
    answer = page.request.post(f"{server.url}/api/files", multipart={"files": body})
    assert answer.ok, answer.text()


def test_every_clause_is_lined_up_and_says_where_it_went(server: Server, page) -> None:
    open_page(page, f"{server.url}/split")
    assert page.title() == "A paper boat's day · Split · Dailies"
    row = page.locator(".dl-sx-row", has_text="In the harbour a white lighthouse")
    assert row.locator("[data-side=spatial]").inner_text().startswith("In the harbour there is")
    expect(row.locator("[data-side=spatial] .dl-sx-line")).to_have_count(1)
    expect(page.locator(".dl-sx-neither .dl-is-failed").first).to_have_text("in neither", use_inner_text=True)
    expect(page.locator(".dl-sx-summary")).to_contain_text("20 of 22 clauses placed", use_inner_text=True)
    expect(page.locator("[data-column=full]")).to_contain_text("232 words", use_inner_text=True)
    page.wait_for_selector(".dl-shown.dl-is-confirmed")


def test_one_key_sends_a_clause_and_takes_it_back(server: Server, page) -> None:
    open_page(page, f"{server.url}/split")
    before = texts(page, server)
    for _ in range(6):
        page.keyboard.press("j")
    expect(page.locator(ROW)).to_contain_text("First the boat drifts", use_inner_text=True)

    press_and_wait(page, "s")
    now = texts(page, server)["spatial"]
    assert "two sailing boats. First the boat drifts in from the left. Over the sea" in now
    expect(page.locator(ROW)).to_contain_text("in both", use_inner_text=True)
    press_and_wait(page, "s")
    assert texts(page, server) == before

    # What a side made of a clause comes back as it was, not as the full caption has it.
    for _ in range(3):
        page.keyboard.press("j")
    press_and_wait(page, "t")
    assert "turning windmill while the camera pans" not in texts(page, server)["temporal"]
    expect(page.locator(ROW)).to_contain_text("in neither", use_inner_text=True)
    press_and_wait(page, "t")
    assert texts(page, server) == before
    press_and_wait(page, "t")
    press_and_wait(page, "Control+z")
    assert texts(page, server) == before


def test_a_clause_that_is_sent_back_leaves_no_correction(server: Server, page) -> None:
    open_page(page, f"{server.url}/split")
    mark = page.locator("[data-column=temporal] .dl-is-corrected")
    page.locator(ROW).wait_for()
    expect(mark).to_have_count(0)
    press_and_wait(page, "t")
    expect(mark).to_have_count(1)
    press_and_wait(page, "t")
    expect(mark).to_have_count(0)


def test_typing_is_saved_and_lined_up_again(server: Server, page) -> None:
    open_page(page, f"{server.url}/split")
    page.keyboard.press("2")
    area = page.get_by_role("textbox", name="spatial text")
    area.press("Control+End")
    area.press_sequentially(" Nine hard cuts join the shots of the film.")
    page.wait_for_selector(".dl-editor .dl-saved-saved")
    page.wait_for_selector("[data-column=spatial] .dl-is-corrected")
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="done").click()
    row = page.locator(".dl-sx-row", has_text="The film has nine shots joined")
    row.locator("[data-side=spatial]", has_text="Nine hard cuts").wait_for()
    assert "in neither" not in row.inner_text()
    page.reload()
    page.wait_for_selector(".dl-sx-row")
    assert texts(page, server)["spatial"].endswith("Nine hard cuts join the shots of the film.")

    with page.expect_download() as waiting:
        page.get_by_role("link", name="metadata.json").click()
    found = json.loads(waiting.value.path().read_text())
    assert found[0]["spatial_caption"].endswith("the shots of the film.")


def test_ctrl_enter_goes_from_text_to_text(empty_server: Server, page) -> None:
    give(page, empty_server, spatial_caption=ROBOT, temporal_caption=f"{LIFTS} {DOOR}")
    open_page(page, f"{empty_server.url}/split")
    page.wait_for_selector(".dl-sx-row")
    page.keyboard.press("1")
    for words in (" Full.", " Spatial.", " Temporal."):
        page.keyboard.press("Control+End")
        page.keyboard.type(words)
        page.keyboard.press("Control+Enter")
    expect(page.locator(".dl-notice", has_text="This was the last of the three texts.")).to_be_visible()
    until(lambda: texts(page, empty_server)["temporal"].endswith(" Temporal."), page)
    assert texts(page, empty_server)["full"].endswith(f"{DOOR} Full.")
    assert texts(page, empty_server)["spatial"] == f"{ROBOT} Spatial."


def test_words_that_were_not_saved_are_shown_and_do_not_take_the_next_key(server: Server, page) -> None:
    open_page(page, f"{server.url}/split")
    page.keyboard.press("1")
    area = page.get_by_role("textbox", name="full caption")
    area.press("Control+End")
    page.evaluate(NEVER_SAVED)
    page.keyboard.type(" Not sent.")
    until(lambda: page.evaluate(UNSENT) == 1, page)
    page.reload()
    expect(area).to_have_value(re.compile(r" Not sent\.$"))
    expect(area).not_to_be_focused()
    page.keyboard.press("2")
    spatial = page.get_by_role("textbox", name="spatial text")
    expect(spatial).to_be_focused()
    expect(area).to_have_value(re.compile(r" Not sent\.$"))


def test_sides_become_stale_when_the_full_caption_changes(server: Server, page) -> None:
    open_page(page, f"{server.url}/split")
    page.keyboard.press("1")
    area = page.get_by_role("textbox", name="full caption")
    area.press("Control+End")
    area.press_sequentially(" It ends.")
    page.wait_for_selector("[data-column=spatial] .dl-is-stale")
    page.wait_for_selector("[data-column=temporal] .dl-is-stale")


def test_a_full_caption_alone_is_split_by_hand(empty_server: Server, page) -> None:
    server = empty_server
    give(page, server)
    open_page(page, f"{server.url}/split")
    # Characters beyond the basic plane do not shift the sentences, and markup stays text.
    assert page.locator(".dl-sx-full p").nth(0).inner_text() == ROBOT
    expect(page.locator(".dl-sx-full p").nth(2)).to_have_text(
        "It slowly lifts the crate", use_inner_text=True
    )
    expect(page.locator("[data-column=full]")).to_contain_text("short of 150 to 300", use_inner_text=True)
    press_and_wait(page, "s")
    for _ in range(3):  # the second clause of a sentence goes on where the first stands
        page.keyboard.press("j")
        press_and_wait(page, "t")
    assert texts(page, server) == {
        "full": f"{ROBOT} {LIFTS} {DOOR}",
        "spatial": ROBOT,
        "temporal": f"{LIFTS} {DOOR}",
    }
    page.keyboard.press("k")
    press_and_wait(page, "t")
    press_and_wait(page, "t")
    assert texts(page, server)["temporal"] == f"{LIFTS} {DOOR}"
    expect(page.locator(".dl-sx-summary")).to_contain_text("4 of 4 clauses placed", use_inner_text=True)


def test_a_missing_side_is_written_by_hand(empty_server: Server, page) -> None:
    server = empty_server
    give(page, server)
    open_page(page, f"{server.url}/split")
    page.get_by_role("button", name="Write temporal").click()
    area = page.get_by_role("textbox", name="temporal text")
    area.press_sequentially(LIFTS)
    page.wait_for_selector(".dl-editor .dl-saved-saved")
    assert texts(page, server)["temporal"] == LIFTS


def test_a_machines_proposal_is_kept_as_ones_own(server: Server, page) -> None:
    open_page(page, f"{server.url}/split")
    page.get_by_role("combobox", name="spatial text by").select_option(label="baseline")
    page.wait_for_selector("[data-column=spatial] .dl-badge-baseline")
    proposal = page.locator("[data-column=spatial] .dl-sx-count").inner_text()
    page.get_by_role("button", name="Keep as mine").click()
    page.wait_for_selector("[data-column=spatial] .dl-badge-baseline", state="detached")
    assert page.locator("[data-column=spatial] .dl-sx-count").inner_text() == proposal


def current(page) -> str:
    """The check of the finding that is chosen."""
    return page.locator(".dl-sf-row[aria-current]").get_attribute("data-check") or ""


def choose(page, check: str) -> None:
    for _ in range(30):
        page.keyboard.press("d")
        if current(page) == check:
            return
    raise AssertionError(page.locator(".dl-sf").inner_text())


def test_a_split_is_proposed_checked_and_settled_by_keyboard(empty_server: Server, page) -> None:
    """Clauses accepted, edited, refused; a finding shows while one types, is fixed; another is dismissed."""
    server = empty_server
    give(page, server, caption=f"{ROBOT} {LIFTS} {DOOR} A red lamp hangs above the door.")
    open_page(page, f"{server.url}/split")
    page.keyboard.press("b")
    page.wait_for_selector(".dl-sp-bar:has-text('5 clauses to decide')")
    expect(page.locator(ROW)).to_contain_text("tells no action", use_inner_text=True)
    press_and_wait(page, "a")
    page.wait_for_selector(".dl-sp-bar:has-text('4 clauses to decide')")
    expect(page.locator(f"{ROW} .dl-sp-why")).to_contain_text("lifts", use_inner_text=True)
    page.keyboard.press("e")
    field = page.get_by_role("textbox", name="What temporal takes of the clause")
    field.fill("The robot slowly lifts the crate.")
    field.press("Control+Enter")
    page.wait_for_selector(".dl-sp-bar:has-text('3 clauses to decide')")
    page.keyboard.press("r")
    page.wait_for_selector(".dl-sp-bar:has-text('2 clauses to decide')")
    page.keyboard.press("Alt+a")
    page.wait_for_selector(".dl-sp-bar", state="detached")
    page.wait_for_selector(".dl-sx-neither:has-text('carries it up')")
    assert texts(page, server) | {"full": ""} == {
        "full": "",
        "spatial": f"{ROBOT} A red lamp hangs above the door.",
        "temporal": f"The robot slowly lifts the crate. {DOOR}",
    }

    page.keyboard.press("2")
    area = page.get_by_role("textbox", name="spatial text")
    area.press("Control+End")
    area.press_sequentially(" It jumps onto a box.")
    page.wait_for_selector("[data-editor=spatial] .dl-flaw:has-text('jumps')")
    page.wait_for_selector(".dl-editor .dl-saved-saved")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.wait_for_selector("[data-editor=spatial]", state="detached")
    page.wait_for_selector(".dl-sx-row .dl-flaw:has-text('jumps')")
    page.wait_for_load_state("networkidle")  # the last check of what was typed has come
    choose(page, "action_in_spatial")
    press_and_wait(page, "x")
    page.wait_for_selector("[data-check=action_in_spatial]", state="detached")
    assert "jumps" not in texts(page, server)["spatial"]

    choose(page, "length")
    page.keyboard.press("w")
    page.get_by_role("textbox", name="Why the finding is in order").fill("the film is three seconds long")
    page.keyboard.press("Enter")
    dismissed = page.locator(".dl-sf-dismissed[data-check=length]")
    dismissed.wait_for()
    expect(dismissed).to_contain_text("by root: the film is three seconds long", use_inner_text=True)
    page.reload()
    dismissed.wait_for()
    choose(page, "length")
    page.keyboard.press("w")
    expect(page.get_by_role("textbox", name="Why the finding is in order")).to_be_focused()
    page.keyboard.type(", and that is enough")
    page.keyboard.press("Enter")
    expect(dismissed).to_contain_text("three seconds long, and that is enough", use_inner_text=True)
    page.keyboard.press("w")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.press("Enter")
    dismissed.wait_for(state="detached")
    page.locator(".dl-sf-row[data-check=length]").wait_for()
    page.keyboard.press("Control+z")
    dismissed.wait_for()


@pytest.mark.parametrize("width", [1280, 1920])
def test_nothing_sticks_out(server: Server, page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 720 if width == 1280 else 1080})
    open_page(page, f"{server.url}/split")
    page.wait_for_selector(".dl-sx-row")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(
        "[...document.querySelectorAll('.dl-sx-cell')].every((c) => c.scrollWidth <= c.clientWidth + 1)"
    )


def test_without_videos_the_page_says_what_to_do(empty_server: Server, page) -> None:
    open_page(page, f"{empty_server.url}/split")
    assert page.get_by_role("link", name="Add videos").is_visible()


def test_reasons_that_are_left_for_a_while_are_still_there_and_each_is_for_its_finding(
    empty_server: Server, page
) -> None:
    server = empty_server
    give(page, server, spatial_caption=f"{ROBOT} It jumps onto a box.", temporal_caption="A man is tall.")
    open_page(page, f"{server.url}/split")
    page.locator(".dl-sf-row").nth(2).wait_for()
    chosen = page.locator(".dl-sf-row[aria-current]")
    reasons = page.get_by_role("textbox", name="Why the finding is in order")
    page.keyboard.press("d")
    page.keyboard.press("w")
    page.keyboard.type("the film is short")
    one = chosen.get_attribute("data-finding")
    page.keyboard.press("Tab")
    page.keyboard.press("d")
    assert chosen.get_attribute("data-finding") != one
    page.keyboard.press("w")
    page.keyboard.type("it is told below")
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+d")
    page.keyboard.press("w")
    expect(reasons).to_have_count(2)
    expect(page.locator(f"[data-finding='{one}'] input")).to_be_focused()
    expect(page.locator(f"[data-finding='{one}'] input")).to_have_value("the film is short")
    page.keyboard.press("Enter")
    dismissed = page.locator(".dl-sf-dismissed")
    expect(dismissed).to_contain_text("by root: the film is short", use_inner_text=True)
    expect(reasons).to_have_count(1)
    expect(reasons).to_have_value("it is told below")


def test_the_key_of_a_fix_says_what_it_would_do_where_no_finding_is_chosen(
    empty_server: Server, page
) -> None:
    server = empty_server
    give(page, server, spatial_caption=f"{ROBOT} It jumps onto a box.", temporal_caption="A man is tall.")
    open_page(page, f"{server.url}/split")
    page.locator(".dl-sf-row").nth(2).wait_for()
    page.keyboard.press("x")
    page.locator(".dl-notice", has_text="This is the first finding: x fixes it").wait_for()
    expect(page.locator(".dl-sf-row").first).to_have_attribute("aria-current", "true")


def test_what_was_typed_a_moment_ago_is_fixed_though_its_text_is_still_on_the_way(
    empty_server: Server, page
) -> None:
    server = empty_server
    give(page, server, spatial_caption=ROBOT)
    slow_replies(page, 600)
    open_page(page, f"{server.url}/split")
    page.locator(".dl-sx-row").first.wait_for()
    page.keyboard.press("2")
    area = page.get_by_role("textbox", name="spatial text")
    expect(area).to_be_focused()
    page.keyboard.press("Control+End")
    page.keyboard.type(" It jumps onto a box.")
    page.locator(".dl-sf-row[data-check=action_in_spatial]").wait_for()
    page.keyboard.press("Escape")
    choose(page, "action_in_spatial")
    page.keyboard.press("x")
    expect(page.locator("[data-check=action_in_spatial]")).to_have_count(0)
    until(lambda: texts(page, server)["spatial"] == ROBOT, page)
    expect(page.locator(".dl-notice")).to_have_count(0)

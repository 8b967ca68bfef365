"""The form of a verdict by key alone: confirmed, corrected with a reason, changed by others meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.records.decisions import Correction
from tests.browser.conftest import Server, expect, open_page
from tests.browser.desk import Desk
from tests.browser.test_key_rule import decisions, verdicts
from tests.exports.peers.peer_files import lmms_log


def test_an_unchanged_verdict_is_confirmed_by_name(server: Server, page) -> None:
    verdicts(server, page)
    line = page.locator(".dl-verdictline")
    said = line.inner_text()
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    expect(line.locator(".dl-is-confirmed")).to_have_text("confirmed by root")
    assert line.inner_text().startswith(said)
    expect(line.locator(".dl-is-corrected")).to_have_count(0)
    expect(page.locator(".dl-item[aria-selected=true] .dl-is-confirmed")).to_have_count(1)
    [(_, what)] = decisions(server)
    assert what.startswith("confirmed the verdict on")
    page.keyboard.press("Control+z")
    expect(line.locator(".dl-is-confirmed")).to_have_count(0)


def test_a_verdict_that_could_not_be_read_is_not_confirmed_by_accident(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts?state=unparsed")
    page.wait_for_selector(".dl-verdict")
    page.keyboard.press("e")
    expect(page.locator(".dl-verdictform :checked")).to_have_count(0)
    page.keyboard.press("Control+Enter")
    page.locator(".dl-notice-info", has_text="Choose yes or no").wait_for()
    page.keyboard.press("n")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator(".dl-verdictline")).to_contain_text("1 of 5")
    assert len(decisions(server)) == 1


@pytest.mark.expect_console("409")
@pytest.mark.parametrize("chosen", ["y3", ""])
def test_a_verdict_that_was_changed_in_another_window_shows_and_the_form_stays(
    server: Server, page, chosen: str
) -> None:
    verdicts(server, page)
    line = page.locator(".dl-verdictline")
    page.keyboard.press("e")
    for key in chosen:
        page.keyboard.press(key)
    score = page.locator(".dl-verdictform input[name='score']:checked").input_value()
    theirs = 4 if score != "4" else 2
    page.evaluate(
        """async (score) => {
      const qa = new URLSearchParams(location.search).get('qa');
      const { verdict } = await (await fetch(`/api/verdicts/${qa}`)).json();
      await fetch('/api/edit', {method: 'POST', headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({subject: verdict.subject, base_revision: verdict.revision,
          value: {label: 'yes', score}, reason: 'seen elsewhere'})});
    }""",
        theirs,
    )
    page.keyboard.press("Enter")
    page.locator(".dl-notice-error", has_text=f"what counts now: yes · {theirs}").wait_for()
    expect(line).to_contain_text(f"{theirs} of 5")
    expect(page.locator(f".dl-verdictform input[name='score'][value='{score}']")).to_be_checked()
    expect(page.get_by_role("textbox", name="reason")).to_have_value("seen elsewhere")
    page.keyboard.press("Enter")
    expect(page.locator(".dl-verdictform")).to_have_count(0)
    expect(line).to_contain_text(f"{score} of 5")


def test_a_saved_reason_stands_in_the_form_and_outlasts_another_score(server: Server, page) -> None:
    verdicts(server, page)
    page.keyboard.press("e")
    page.keyboard.press("2")
    page.keyboard.press("Tab")
    page.keyboard.type("the hat is red")
    page.keyboard.press("Enter")
    expect(page.locator(".dl-verdictform")).to_have_count(0)
    for score in ("3", None):  # None: saved again as it is
        page.keyboard.press("e")
        expect(page.get_by_role("textbox", name="reason")).to_have_value("the hat is red")
        if score:
            page.keyboard.press(score)
        page.keyboard.press("Enter")
        expect(page.locator(".dl-verdictform")).to_have_count(0)
        expect(page.locator(".dl-verdictline")).to_contain_text("3 of 5")
    with Desk(server) as desk:
        last = max(desk.store.find(Correction), key=lambda one: one.created_at)
    assert last.reason == "the hat is red"


def test_undo_and_redo_leave_the_line_where_it_is_and_the_reason_as_it_was(server: Server, page) -> None:
    verdicts(server, page)
    line = page.locator(".dl-item[aria-selected=true]")
    ids = "() => [...document.querySelectorAll('.dl-item')].map((one) => one.dataset.id)"
    page.keyboard.press("j")
    expect(page.locator(".dl-item").nth(1)).to_have_attribute("aria-selected", "true")
    before = page.evaluate(ids)
    for key in ("e", "y", "5", "Tab"):
        page.keyboard.press(key)
    page.keyboard.type("seen at the left")
    page.keyboard.press("Enter")
    expect(line.locator(".dl-is-corrected")).to_have_count(1)
    expect(page.locator(".dl-verdict q", has_text="seen at the left").first).to_be_visible()
    page.keyboard.press("Control+z")
    expect(line.locator(".dl-is-corrected")).to_have_count(0)
    page.keyboard.press("Control+Shift+z")
    expect(line.locator(".dl-is-corrected")).to_have_count(1)
    assert page.evaluate(ids) == before
    expect(page.locator(".dl-item").nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("e")
    expect(page.get_by_role("textbox", name="reason")).to_have_value("seen at the left")


def test_a_blind_label_gives_a_later_verdict_no_reason(server: Server, page) -> None:
    verdicts(server, page)
    page.keyboard.press("Shift+b")
    page.locator(".dl-blindform").wait_for()
    page.keyboard.press("Shift+y")
    page.keyboard.press("3")
    expect(page.locator(".dl-verdictline")).to_contain_text("3 of 5")
    page.keyboard.press("e")
    expect(page.get_by_role("textbox", name="reason")).to_have_value("")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(page.locator(".dl-verdictline")).to_contain_text("4 of 5")
    with Desk(server) as desk:
        labels = sorted(desk.store.find(Correction), key=lambda one: one.created_at)
    assert [one.reason for one in labels[-2:]] == ["labelled blind", ""]


def test_a_mean_that_a_log_keeps_has_no_form(empty_server: Server, page, tmp_path: Path) -> None:
    assert empty_server.command("import", str(lmms_log(tmp_path / "log", "head"))).returncode == 0
    open_page(page, f"{empty_server.url}/verdicts")
    page.wait_for_selector(".dl-verdict")
    for key in ("e", "y", "3", "Enter"):
        page.keyboard.press(key)
    page.locator(".dl-notice", has_text="one mean for all questions").wait_for()
    expect(page.locator(".dl-verdictform")).to_have_count(0)
    expect(page.locator("[data-name=correct]")).to_have_count(0)
    page.locator("[data-name=blind]").click()
    page.locator(".dl-verdict", has_text="import its question set").wait_for()
    for key in ("y", "3"):
        page.keyboard.press(key)
    page.locator("[data-name=blind]").click()
    page.wait_for_selector(".dl-verdictline")
    assert decisions(empty_server) == []
    open_page(page, f"{empty_server.url}/scores")
    expect(page.locator("[data-name=means]")).to_contain_text("3 means over a video’s questions left out")
    expect(page.locator(".dl-nextlist")).to_have_count(0)

"""From the worst question of a log to its cause: frames with reasons, keys, and the proposed error source."""

from __future__ import annotations

from annotation.records.decisions import ErrorSource
from tests.browser.conftest import Server, expect, open_page
from tests.browser.desk import Desk

STRIP = ".dl-evidence-frame"


def test_the_worst_question_leads_to_its_frames_and_its_cause(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts")
    page.locator(".dl-evidence-place", has_text="1/").wait_for()
    expect(page.locator(".dl-verdictbox .dl-is-no").first).to_be_visible()
    expect(page.locator(STRIP).first.locator(".dl-evidence-why").first).not_to_be_empty()
    page.keyboard.press("w")
    page.locator(".dl-evidence-place", has_text="2/").or_(
        page.locator(".dl-evidence-place", has_text="1/1")
    ).first.wait_for()
    _confirm_what_is_proposed(server, page)


def _confirm_what_is_proposed(server: Server, page) -> None:
    proposal = page.locator(".dl-proposal")
    expect(proposal).to_contain_text("proposed:")
    words = proposal.locator("b").inner_text()
    page.locator("h1, .dl-q").first.wait_for()
    page.keyboard.press("Enter")
    chosen = page.locator(".dl-errorsource .dl-choice[aria-pressed=true]")
    expect(chosen).to_contain_text(words)
    with Desk(server) as desk:
        (row,) = desk.store.find(ErrorSource)
        assert row.kind and row.kind == row.proposed
    page.keyboard.press("Control+z")
    page.locator("[data-name=undone]", has_text="error source").wait_for()
    expect(chosen).to_have_count(0)
    page.keyboard.press("Control+Shift+z")
    expect(chosen).to_contain_text(words)


def test_who_labels_blind_sees_no_proposal(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts")
    page.locator(".dl-proposal").wait_for()
    page.keyboard.press("Shift+b")
    page.locator(".dl-blindform").wait_for()
    expect(page.locator(".dl-proposal")).to_have_count(0)
    page.keyboard.press("Enter")
    with Desk(server) as desk:
        assert desk.store.count(ErrorSource) == 0

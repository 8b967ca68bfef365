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
    kind = _confirm_what_is_proposed(server, page)
    _what_it_costs_leads_back(server, page, kind)


def _confirm_what_is_proposed(server: Server, page) -> str:
    proposal = page.locator(".dl-proposal")
    expect(proposal).to_contain_text("proposed:")
    words = proposal.locator("b").inner_text()
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
    return str(row.kind)


def _what_it_costs_leads_back(server: Server, page, kind: str) -> None:
    """Scores shows the points of each cause, confirmed and proposed apart; a cell opens its questions."""
    asked = page.locator(".dl-q").inner_text()
    page.get_by_role("link", name="Scores").press("Enter")
    confirmed = page.locator(f".dl-scoretotal [data-cause={kind}][data-basis=confirmed]")
    expect(confirmed).to_contain_text("−")
    expect(confirmed).to_contain_text("confirmed · 1 of")
    page.locator("[data-basis=proposed]").first.wait_for()
    confirmed.press("Enter")
    expect(page.locator(".dl-q")).to_have_text(asked)
    expect(page.locator(".dl-list-counts")).to_contain_text("1 shown")


def test_who_labels_blind_sees_no_proposal(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts")
    page.locator(".dl-proposal").wait_for()
    page.keyboard.press("Shift+b")
    page.locator(".dl-blindform").wait_for()
    expect(page.locator(".dl-proposal")).to_have_count(0)
    page.keyboard.press("Enter")
    with Desk(server) as desk:
        assert desk.store.count(ErrorSource) == 0

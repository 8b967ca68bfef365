"""The Export dialog offers the evaluations that a format can hold, and keeps the one on the page."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Server, expect, open_page

RETRIEVAL, CAPST, HARD, RR = "retrieval", "CapST", "Vript-", "Vript-RR"


def dialog_of(page, server: Server) -> tuple:
    """The lists of formats and of evaluations."""
    open_page(page, server.url)
    page.get_by_label("Evaluation").select_option(label="hand-written")
    page.get_by_role("button", name="Export").press("Enter")
    formats = page.get_by_label("Format")
    expect(formats).to_be_focused()
    return formats, page.get_by_label("What to export")


def test_a_format_without_a_choice_does_not_forget_the_evaluation_on_the_page(server: Server, page) -> None:
    formats, evaluations = dialog_of(page, server)
    for name in ("dailies-jsonl", "verdicts-csv", "vdc-qa", "dream-infos", "loveu"):
        formats.select_option(value=name)
        if name in ("verdicts-csv", "vdc-qa", "loveu"):
            assert evaluations.locator("option:checked").inner_text() == "hand-written", name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dream-infos", CAPST),
        ("capst-description", CAPST),
        ("retrieval", RETRIEVAL),
        ("vript-predictions", HARD),
        ("vript-rr-judge", RR),
    ],
)
def test_a_format_of_a_benchmark_offers_the_evaluations_of_that(
    server: Server, page, name: str, words: str
) -> None:
    formats, evaluations = dialog_of(page, server)
    formats.select_option(value=name)
    offered = evaluations.locator("option").all_inner_texts()
    assert offered and all(words in one for one in offered)

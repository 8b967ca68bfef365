"""CapST by keyboard: an element is put right beside the captions and the frames, the figure follows."""

from __future__ import annotations

import time

import pytest

from tests.browser.conftest import Server, expect, open_page


def test_an_element_is_put_right_and_the_figure_follows(server: Server, page) -> None:
    open_page(page, f"{server.url}/scores?system=capst&policy=corrected")
    page.locator(".dl-systemtable").wait_for()
    cell = page.locator('td[data-metric="recall"][data-group="objects"] .dl-scorecell > b')
    before = cell.inner_text()
    page.locator('td[data-metric="recall"][data-group="objects"] a').click()
    page.wait_for_selector(".dl-itempanel")
    expect(page.locator(".dl-item").first).to_contain_text("object of the")
    page.locator("select[data-name=facet-side]").select_option("reference")
    expect(page.locator(".dl-item").first).to_contain_text("object of the reference")
    expect(page.locator(".dl-list-counts")).to_contain_text("10 shown")
    expect(page.locator(".dl-elementcaption")).to_have_count(2)
    page.locator(".dl-list, [role=listbox]").first.focus()
    page.keyboard.press("1")
    expect(page.locator("[data-value=entailment][aria-pressed=true]")).to_have_count(1)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".dl-notices")).to_contain_text("Corrected")

    open_page(page, f"{server.url}/scores?system=capst&policy=corrected")
    expect(cell).not_to_have_text(before)
    page.keyboard.press("Control+z")
    expect(cell).to_have_text(before)


def test_rebias_of_published_recalls_is_shown(server: Server, page) -> None:
    open_page(page, f"{server.url}/scores")
    page.locator(".dl-scoretable").wait_for()
    page.keyboard.press("b")
    page.wait_for_selector(".dl-systemtable")
    page.keyboard.press("b")
    expect(page.locator("h1")).to_contain_text("retrieval: CaRe 7B")
    cells = page.locator('td[data-metric="ReBias"] .dl-scorecell > b')
    expect(cells).to_have_text(["0.1484", "0.1743"])


def test_what_is_typed_ahead_is_for_the_item_on_its_way(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts?of=capst")
    page.wait_for_selector(".dl-itempanel")
    items = page.locator(".dl-item")
    first, second = (items.nth(n).get_attribute("data-id") for n in range(2))
    before = _label(page, server, first)
    page.route("**/api/items/capst/jdg-*", lambda route: (time.sleep(0.3), route.continue_()))
    page.locator("[role=listbox]").first.focus()
    wanted = "contradiction" if "contradiction" not in items.nth(1).inner_text() else "entailment"
    for key in ("j", "3" if wanted == "contradiction" else "1", "Control+Enter"):
        page.keyboard.press(key)
    expect(page.locator(".dl-notices")).to_contain_text("Corrected")
    # The list has another order now: the worst come first.
    assert _label(page, server, second) == wanted
    assert _label(page, server, first) == before


@pytest.mark.expect_console("403")
def test_one_that_may_not_be_seen_yet_does_not_hide_the_list(server: Server, page) -> None:
    why = "another annotator's text: it is shown when all writers of this video's parts are done"
    refused: list[str] = []

    def answer(route) -> None:
        refused.append(route.request.url)
        if refused[0] == route.request.url:
            route.fulfill(status=403, json={"error": why})
        else:
            route.continue_()

    page.route("**/api/items/capst/jdg-*", answer)
    open_page(page, f"{server.url}/verdicts?of=capst")
    expect(page.get_by_role("alert")).to_have_text(why)
    expect(page.locator(".dl-list-counts")).to_contain_text("items")
    page.locator("[role=listbox]").first.focus()
    page.keyboard.press("j")
    page.wait_for_selector(".dl-itempanel")
    expect(page.get_by_role("alert")).to_have_count(0)


def _label(page, server: Server, item: str) -> str:
    return page.request.get(f"{server.url}/api/items/capst/{item}").json()["label"]

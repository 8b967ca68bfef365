"""Vript-Hard from files to figures: an invalid order is seen, settled by keyboard, and counts."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.browser.conftest import Server, expect, open_page

FILM = "A paper boat's day"
SCENES = "[Scene (A)] Rain on a bridge. [Scene (B)] A <b>dragonfly</b> lands. [Scene (C)] Windows light up."


def upload(page, server: Server, name: str, text: str) -> None:
    """As the Library sends a file that is dropped on it."""
    files = {"name": name, "mimeType": "application/octet-stream", "buffer": text.encode()}
    answer = page.request.post(f"{server.url}/api/files", multipart={"files": files})
    assert answer.ok, answer.text()


def give(page, server: Server) -> None:
    """Two items of ERO; the film of the sample is the first."""
    values = [{"video_id": name, "question": f"Below: {SCENES}", "answer": "BAC"} for name in (FILM, "other")]
    upload(page, server, "ERO_annotations.jsonl", "".join(json.dumps(value) + "\n" for value in values))
    told = "Scene (B) is in the morning. Scene (C) comes after Scene (B), Scene (A) is between them."
    upload(
        page,
        server,
        "ERO_journey.csv",
        f'id,pred\n"{FILM}","{told}"\nother,"Scene (B) Scene (A) Scene (C)"\n',
    )


def at_2(page, server: Server, policy: str) -> dict[str, Any]:
    table = page.request.get(f"{server.url}/api/scores/system/vript-ero").json()
    return next(r for r in table["rows"] if (r["policy"], r["metric"]) == (policy, "at_2"))


@pytest.mark.expect_console("there are no items named")
def test_an_address_imports_only_modules_that_the_server_lists(server: Server, page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_page(page, f"{server.url}/verdicts?of=ero")
    assert [url for url in asked if url.endswith("/systems/vript/scripts/items_ero.js")]
    for name in ("nothing", "../items_panel", "constructor"):
        asked.clear()
        page.goto(f"{server.url}/verdicts?{urlencode({'of': name})}")
        expect(page.get_by_role("alert")).to_contain_text(f"there are no items named “{name}”")
        assert [url for url in asked if f"items_{name.split('/')[-1]}" in url] == []


def test_a_flagged_order_is_settled_by_keyboard(server: Server, page) -> None:
    open_page(page, f"{server.url}/")
    give(page, server)
    assert (at_2(page, server, "published")["value"], at_2(page, server, "permutations")["n"]) == (0.5, 1)
    open_page(page, f"{server.url}/verdicts")
    page.locator("[data-of=ero]").click()
    page.wait_for_url("**/verdicts?*of=ero*")
    open_item = page.locator(".dl-item[aria-selected=true]")
    expect(open_item.locator(".dl-item-label")).to_have_text("BCB")
    panel = page.locator(".dl-itempanel")
    expect(panel.locator(".dl-flagline")).to_contain_text("scene B occurs 2 times")
    assert panel.locator(".dl-reply mark").all_inner_texts() == ["B", "C", "B"]
    expect(panel).to_contain_text("<b>dragonfly</b>", use_inner_text=True)
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    link = page.url

    page.keyboard.press("3")  # B A C
    expect(panel.get_by_role("button", name="B A C")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Control+Enter")
    page.locator(".dl-notice", has_text="Corrected").wait_for()
    expect(page.locator(".dl-list-counts")).to_contain_text("1 corrected")
    assert (at_2(page, server, "published")["value"], at_2(page, server, "permutations")["n"]) == (1.0, 2)

    open_page(page, link)
    expect(panel.locator(".dl-verdictline s")).to_have_text("BCB")
    page.keyboard.press("j")
    expect(panel.locator(".dl-mono")).to_have_text("other")
    page.keyboard.press("k")
    page.keyboard.press("Control+z")
    page.locator("[data-name=undone]", has_text="is read").wait_for()
    expect(panel.locator(".dl-flagline")).to_be_visible()
    assert at_2(page, server, "permutations")["n"] == 1

    open_page(page, f"{server.url}/scores?system=vript-ero")
    flagged = page.get_by_role("region", name="Readings that are not an order")
    expect(flagged).to_contain_text("BCB")
    flagged.get_by_role("link").first.click()
    expect(panel.locator(".dl-flagline")).to_be_visible()


def test_words_of_a_caption_are_gone_through_by_keyboard(server: Server, page) -> None:
    value = {"video_id": "v", "clip_id": FILM, "content": ["A red boat drifts past a mill."] * 2}
    open_page(page, f"{server.url}/")
    upload(page, server, "HAL_annotations.jsonl", json.dumps(value) + "\n")
    upload(page, server, "HAL_journey.csv", f'id,pred\n"{FILM}","A boat and a whale."\n')
    open_page(page, f"{server.url}/verdicts?of=hal")
    page.locator("[data-name=compare]").click()
    words = page.locator(".dl-halword")
    expect(words).to_have_count(2)
    expect(page.locator(".dl-halfigures")).to_contain_text("precision 0.500")
    expect(page.locator(".dl-in-invented")).to_have_text("whale")
    pressed = page.locator(".dl-halword[aria-pressed=true]")
    page.keyboard.press("w")
    expect(pressed).to_have_attribute("data-word", "boat")
    page.keyboard.press("Shift+w")
    expect(pressed).to_have_attribute("data-word", "whale")
    page.keyboard.press("1")
    expect(page.locator(".dl-halfigures")).to_contain_text("precision 1.000")
    page.keyboard.press("Control+z")
    expect(page.locator(".dl-halfigures")).to_contain_text("precision 0.500")

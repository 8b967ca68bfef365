"""Answers that the document has already: shown without a request, and never once something has changed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tests.browser.conftest import Server, expect, open_page, until

READY = ".dl-root[data-ready][data-page={}]"


@contextlib.contextmanager
def requests_of(page: Any, part: str) -> Iterator[list[str]]:
    """Addresses that are asked for meanwhile and contain `part`."""
    asked: list[str] = []

    def hear(request: Any) -> None:
        if part in request.url:
            asked.append(request.url)

    page.on("request", hear)
    yield asked
    page.remove_listener("request", hear)


def go(page: Any, name: str) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name.capitalize()).click()
    page.wait_for_selector(READY.format(name))


def spatial(page: Any, server: Server) -> dict[str, Any]:
    video = page.request.get(f"{server.url}/api/library").json()["videos"][0]["id"]
    found: dict[str, Any] = page.request.get(f"{server.url}/api/split/{video}?player=false").json()
    text: dict[str, Any] = found["texts"]["spatial"]
    return text


def test_a_page_that_was_shown_needs_no_request_until_something_changes(server: Server, page: Any) -> None:
    open_page(page, f"{server.url}/split")
    rows = page.locator(".dl-sx-row")
    expect(rows.first).to_be_visible()
    count = rows.count()
    go(page, "script")
    with requests_of(page, "/api/split/") as asked:
        go(page, "split")
        expect(rows).to_have_count(count)
    assert not asked

    # A change by somebody else, told by the server, is shown when the page is opened the next time.
    go(page, "script")
    text = spatial(page, server)
    body = {"subject": text["subject"], "value": "Only this.", "base_revision": text["revision"]}
    with page.expect_request(lambda request: "/api/script/" in request.url):  # the open page follows it too
        answer = page.request.post(f"{server.url}/api/edit", data=body, headers={"X-Dailies": "1"})
        assert answer.ok, answer.text()
    go(page, "split")
    expect(page.locator("[data-side=spatial]", has_text="Only this.").first).to_be_visible()

    # So is a change of this page's own.
    page.keyboard.press("2")
    page.keyboard.press("Control+a")
    page.keyboard.type("Something else.")
    expect(page.locator(".dl-editor .dl-saved-saved")).to_be_visible()
    go(page, "script")
    go(page, "split")
    expect(page.locator("[data-side=spatial]", has_text="Something else.").first).to_be_visible()


def test_the_next_question_is_here_before_its_key(server: Server, page: Any) -> None:
    items = page.locator(".dl-item")
    with requests_of(page, "/api/verdicts/") as asked:
        open_page(page, f"{server.url}/verdicts")
        expect(page.locator(".dl-q")).to_be_visible()
        second = items.nth(1).get_attribute("data-id") or ""
        until(lambda: sum(second in url for url in asked) == 2, page)  # the question and its frames
        asked.clear()
        page.keyboard.press("j")
        expect(items.nth(1)).to_have_attribute("aria-selected", "true")
        expect(page.locator(".dl-q")).to_have_text(items.nth(1).locator(".dl-item-words").inner_text())
        assert not any(second in url for url in asked)

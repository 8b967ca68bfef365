"""At 200 % zoom of 1280x720 pages fold: nothing goes over the edge, and the player keeps a useful width."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Server, expect, open_page
from tests.browser.desk import Desk, work_as

ZOOMED = {"width": 640, "height": 360}
LEAST_PLAYER = 240
PAGES = ("", "script", "script?tab=speech", "verdicts", "verdicts?of=hal", "split", "split?tab=write")
PAGES += ("split?tab=merge", "split?tab=progress", "keyframes", "keyframes?view=label", "scores")
OVER_THE_EDGE = """() => {
  const clips = (node) => getComputedStyle(node).overflowX !== 'visible';
  const scrolls = (node) => node && (clips(node) || scrolls(node.parentElement));
  const held = (node) => node.closest('.dl-unseen, .dl-skip') || scrolls(node.parentElement);
  return [...document.querySelectorAll('.dl-root :is(button, a, input, select, textarea, p, h1, h2, video)')]
    .filter((node) => node.checkVisibility() && !held(node))
    .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
    .map((node) => node.outerHTML.slice(0, 120));
}"""


def test_every_page_fits_a_narrow_window(server: Server, page) -> None:
    page.set_viewport_size(ZOOMED)
    for path in PAGES:
        open_page(page, f"{server.url}/{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= ZOOMED["width"], path
        assert page.evaluate(OVER_THE_EDGE) == [], path
        for video in page.locator("video").all():
            if video.is_visible():
                box = video.bounding_box()
                assert box["width"] >= LEAST_PLAYER and box["height"] >= LEAST_PLAYER / 2, (path, box)


@pytest.mark.parametrize("role", ["annotator", "expert", "researcher", "admin"])
def test_the_library_shows_every_link_of_a_video_to_every_role(server: Server, page, role: str) -> None:
    with Desk(server) as desk:
        work_as(page, server, desk.person("Ann", role))
    open_page(page, server.url)
    links = page.locator(".dl-videolinks a")
    expect(links).to_have_text(["Script", "Verdicts", "Split", "Keyframes"])
    for link in links.all():
        inside = (
            "(node) => node.getBoundingClientRect().right <= node.closest('td').getBoundingClientRect().right"
        )
        assert link.evaluate(inside), link.inner_text()


@pytest.mark.parametrize("size", [ZOOMED, {"width": 1280, "height": 720}], ids=["zoomed", "usual"])
def test_a_notice_covers_nothing_and_leaves_what_has_the_caret_in_sight(
    server: Server, page, size: dict[str, int]
) -> None:
    page.set_viewport_size(size)
    open_page(page, f"{server.url}/verdicts")
    page.locator(".dl-verdict").wait_for()
    page.keyboard.press("e")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    reason = page.get_by_role("textbox", name="reason")
    expect(reason).to_be_focused()
    page.evaluate("async (url) => (await import(url)).notice('Saved. '.repeat(40))", script_url(page))
    notice, field = (there.bounding_box() for there in (page.locator(".dl-notices"), reason))
    assert field["y"] >= 0 and field["y"] + field["height"] <= notice["y"]
    assert notice["y"] + notice["height"] <= size["height"] and notice["width"] <= size["width"]
    page_box = page.locator(".dl-root").bounding_box()
    if size != ZOOMED:  # a page that scrolls as one has the notice at the foot of the window
        assert page_box["height"] <= notice["y"]
    page.get_by_role("button", name="Close").click()
    assert page.locator(".dl-root").bounding_box()["height"] >= size["height"]


def test_a_notice_leaves_a_page_that_is_read_where_it_is(server: Server, page) -> None:
    page.set_viewport_size(ZOOMED)
    open_page(page, f"{server.url}/script?tab=camera")
    page.evaluate("scrollTo(0, 120)")
    at = page.evaluate("scrollY")
    page.evaluate("async (url) => (await import(url)).notice('Saved.')", script_url(page))
    page.locator(".dl-notice").wait_for()
    assert at > 0 and page.evaluate("scrollY") == at


def script_url(page) -> str:
    """The module that the page itself has: another address would be another module."""
    found = page.locator("link[rel=modulepreload][href$='/elements_and_requests.js']").get_attribute("href")
    return str(found)

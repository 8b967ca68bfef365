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


BOXES = """() => ['.dl-root', '.dl-main', '.dl-player', '.dl-verdictform', '.dl-scenecard', '.dl-text']
  .flatMap((kind) => [...document.querySelectorAll(kind)])
  .map((node) => JSON.stringify(node.getBoundingClientRect()))"""
"""Where the page and its parts stand."""


@pytest.mark.parametrize("place", ["verdicts", "script?scene=5", "split", "keyframes"])
@pytest.mark.parametrize("size", [ZOOMED, {"width": 1280, "height": 720}], ids=["zoomed", "usual"])
def test_a_notice_moves_nothing_and_covers_no_field_that_has_the_caret(
    server: Server, page, size: dict[str, int], place: str
) -> None:
    page.set_viewport_size(size)
    open_page(page, f"{server.url}/{place}")
    page.wait_for_selector(".dl-shown.dl-is-confirmed", state="attached")
    page.wait_for_load_state("networkidle")
    for key in {"verdicts": ("e", "Tab", "Tab"), "split": ("2",)}.get(place, ("e",)):
        page.keyboard.press(key)
    field = page.locator(":focus")
    assert field.evaluate("(node) => node.matches('textarea, input')")
    before = page.evaluate(BOXES)
    page.evaluate("async (url) => (await import(url)).notice('Saved. '.repeat(40))", script_url(page))
    host = page.locator(".dl-notices")
    page.locator(".dl-notice").wait_for()
    page.wait_for_timeout(300)
    notice, caret = host.bounding_box(), field.bounding_box()
    assert page.evaluate(BOXES) == before
    assert notice["x"] >= 0 and notice["x"] + notice["width"] <= size["width"]
    assert notice["y"] >= 0 and notice["y"] + notice["height"] <= size["height"]
    assert apart(notice, caret), (notice, caret)
    page.locator(".dl-notice button").click()
    assert page.evaluate(BOXES) == before


def apart(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two boxes have no point in common."""
    return (
        one["x"] + one["width"] <= other["x"]
        or other["x"] + other["width"] <= one["x"]
        or one["y"] + one["height"] <= other["y"]
        or other["y"] + other["height"] <= one["y"]
    )


def test_a_notice_stands_where_nothing_is(server: Server, page) -> None:
    """Below the tools of the cuts, where Script has free space at this size."""
    open_page(page, f"{server.url}/script?scene=5")
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    page.evaluate("async (url) => (await import(url)).notice('Saved.')", script_url(page))
    page.locator(".dl-notice").wait_for()
    page.wait_for_timeout(300)
    notice = page.locator(".dl-notices").bounding_box()
    for used in (page.locator(".dl-cuttools"), page.locator(".dl-scriptright")):
        assert apart(notice, used.bounding_box())


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
    found = page.locator("link[rel=modulepreload][href$='/notices.js']").get_attribute("href")
    return str(found)

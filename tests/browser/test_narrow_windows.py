"""At 200 % zoom of 1280x720 pages fold: nothing goes over the edge, and the player keeps a useful width."""

from __future__ import annotations

from tests.browser.conftest import Server, open_page

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

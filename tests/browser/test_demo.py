"""The Demo page in a browser: the sample goes through, and keys change how many keyframes there are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.backends.clips import textured, write_clip
from tests.browser.conftest import Server, expect, open_page, serve
from tests.browser.test_accessibility import violations

GRADIOS_OWN = "aria-prohibited-attr"
"""It names its empty galleries by `aria-label` on a `div` without a role."""


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Server]:
    """`serve --demo-only`."""
    yield from serve(tmp_path / "workspace", "--demo-only")


def test_the_sample_goes_through(alone: Server, page) -> None:
    page.goto(alone.url)
    page.get_by_role("button", name="Run", exact=True).wait_for()
    assert page.url.endswith("/demo/")
    assert [line for line in violations(page, "demo") if GRADIOS_OWN not in line] == []
    page.locator(".gallery-item").first.focus()
    page.keyboard.press("Enter")
    page.locator("video[src*='clip.mp4']").first.wait_for()
    page.get_by_role("button", name="Run", exact=True).press("Enter")
    expect(page.get_by_role("button", name="Stop")).to_be_enabled()
    expect(page.get_by_text("finding the scenes").first).to_be_visible()
    expect(page.get_by_text("Done.", exact=True)).to_be_visible(timeout=180_000)
    for words in (
        "Scene 5: 24.0 to 31.0 s, camera zoom in",
        "A black cat on the wall watches the boat go by.",
        "Text on screen: none found",
        "Scene 3 of 9: close-up, camera seems to pan right",
        "rules; no model is connected",
        "the middle of interval 6 of 6",
    ):
        expect(page.get_by_text(words).filter(visible=True).first).to_be_visible()
    slider = page.get_by_role("slider")
    slider.focus()
    slider.press("ArrowLeft")
    slider.press("ArrowLeft")
    expect(page.get_by_text("the middle of interval 4 of 4")).to_be_visible()
    pictures = page.locator(".thumbnail-item img")
    expect(pictures).to_have_count(9 + 3 * 4)
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        page.wait_for_function(
            "(image) => image.complete && image.naturalWidth", arg=picture.element_handle()
        )


def test_stop_ends_a_run_and_another_one_can_begin(alone: Server, page, tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "ours.mp4", [textured(1 + n // 250) for n in range(1500)])
    page.goto(f"{alone.url}/demo/")
    page.locator("input[type=file]").first.set_input_files(clip)
    page.locator("video[src*='ours.mp4']").first.wait_for()
    page.wait_for_timeout(4000)  # so long Gradio's page waits for word of its upload; an error would be told
    page.get_by_role("button", name="Run", exact=True).press("Enter")
    stop = page.get_by_role("button", name="Stop")
    expect(stop).to_be_enabled()
    stop.press("Enter")
    expect(page.get_by_text("Stopped. The results so far are shown.")).to_be_visible()
    run = page.get_by_role("button", name="Run", exact=True)
    expect(run).to_be_enabled()
    run.press("Enter")
    expect(page.get_by_text("Scene 2: 10.0 to 20.0 s").first).to_be_visible(timeout=120_000)


def test_the_menu_of_the_person_leads_to_it(server: Server, page) -> None:
    open_page(page, server.url)
    page.get_by_role("button", name="You are").press("Enter")
    page.get_by_role("menuitem", name="Demo page: a clip, nothing kept").focus()
    with page.context.expect_page() as opened:
        page.keyboard.press("Enter")
    demo = opened.value
    demo.get_by_role("button", name="Run", exact=True).wait_for()
    assert demo.url == f"{server.url}/demo/"
    demo.locator(".gallery-item").first.press("Enter")
    demo.locator("video[src*='clip.mp4']").first.wait_for()
    demo.close()

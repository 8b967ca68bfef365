"""A report opens from the disk: with scripts, without a network, by keyboard; axe finds nothing serious."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.browser.conftest import Server, expect, open_page
from tests.browser.test_accessibility import FOUND, script

EVALUATION = "hand-written"


@pytest.fixture
def offline(browser):
    """A browser that has no network at all."""
    context = browser.new_context(offline=True)
    yield context.new_page()
    context.close()


def opened(page, folder: Path) -> list[str]:
    """The page from the disk; what it asked for, and what its console said."""
    heard: list[str] = []
    page.on("request", lambda request: heard.append(request.url))
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.goto((folder / "index.html").as_uri())
    return heard


def test_the_button_gives_a_zip_that_opens_from_the_disk(
    server: Server, page, offline, tmp_path: Path
) -> None:
    open_page(page, server.url)
    page.locator("[data-name=export]").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Format").select_option("report")
    page.get_by_label("What to export").select_option(label=EVALUATION)
    with page.expect_download() as waiting:
        page.locator("[data-name=download]").focus()
        page.keyboard.press("Enter")
    with zipfile.ZipFile(waiting.value.path()) as archive:
        archive.extractall(tmp_path / "unpacked")
    heard = opened(offline, tmp_path / "unpacked" / "report")
    expect(offline.get_by_role("heading", level=1)).to_have_text(EVALUATION)
    expect(offline.locator("#count")).to_have_text("43 questions")

    offline.locator("#state").focus()
    offline.keyboard.type("no")
    expect(offline.locator(".q:visible .verdict.no").first).to_be_visible()
    wrong = offline.locator(".q:visible")
    assert 0 < wrong.count() < 43
    expect(offline.locator("#count")).to_have_text(f"{wrong.count()} of 43 questions")
    assert all("no" in wrong.nth(n).get_attribute("data-state") for n in range(wrong.count()))

    wrong.first.locator("summary").focus()
    offline.keyboard.press("Enter")
    expect(wrong.first.locator(".caption")).to_be_visible()
    picture = wrong.first.locator("img").first
    picture.scroll_into_view_if_needed()
    offline.wait_for_function("(img) => img.complete && img.naturalWidth > 100", arg=picture.element_handle())

    offline.locator("#words").focus()
    offline.keyboard.type("nothing has these words")
    expect(offline.locator("#count")).to_have_text("0 of 43 questions")
    assert [url for url in heard if not url.startswith(tmp_path.as_uri())] == []


def test_axe_finds_nothing_serious_in_a_report(server: Server, offline, tmp_path: Path) -> None:
    done = server.command("export", "report", str(tmp_path / "report"), "--evaluation", EVALUATION)
    assert done.returncode == 0, done.stderr
    opened(offline, tmp_path / "report")
    offline.evaluate(script())
    offline.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    for scheme in ("light", "dark"):
        offline.emulate_media(color_scheme=scheme)
        assert offline.evaluate(FOUND) == [], scheme


def test_nothing_runs_past_the_edge_of_a_narrow_window(server: Server, offline, tmp_path: Path) -> None:
    server.command("export", "report", str(tmp_path / "report"), "--evaluation", EVALUATION)
    offline.set_viewport_size({"width": 640, "height": 360})
    opened(offline, tmp_path / "report")
    offline.evaluate("document.querySelectorAll('.q').forEach((each) => { each.open = true; })")
    assert offline.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0

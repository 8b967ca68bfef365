"""Library: videos added by URL from a web server, with progress, refusals and a deleted file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import Server, expect, open_page, serve
from tests.browser.test_library import row, short_clip, wait_for_job
from tests.file_server import FileServer, slow

A = "/clips/harbour.mp4"


@pytest.fixture
def files(tmp_path: Path) -> Iterator[FileServer]:
    with FileServer({A: short_clip(tmp_path, "harbour.mp4").read_bytes()}) as made:
        yield made


@pytest.fixture
def allowing(files: FileServer, tmp_path: Path) -> Iterator[Server]:
    """The app on a workspace that allows `files`."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "settings.toml").write_text(
        files.settings_text("/clips/") + "max_gb = 1\n", encoding="utf-8"
    )
    yield from serve(workspace, "--speech", "none")


def test_a_url_becomes_a_video(allowing: Server, files: FileServer, page) -> None:
    open_page(page, allowing.url)
    page.keyboard.press("u")
    dialog = page.get_by_role("dialog", name="Add videos by URL")
    expect(dialog.get_by_label("URLs, one a line")).to_be_focused()
    assert files.url("/clips/") in dialog.inner_text()
    page.keyboard.type(
        f"{files.url(A)}?sig=hushhush\nhttps://elsewhere.example/b.mp4?sig=hushhush\nfile:///c.mp4"
    )
    page.keyboard.press("Control+Enter")
    alert = dialog.get_by_role("alert")
    expect(alert).to_contain_text("1 URL taken; these are not:")
    said = alert.inner_text()
    assert 'allow = ["https://elsewhere.example/"]' in said and "file:// is not supported" in said
    assert "hushhush" not in said
    assert "harbour" not in dialog.get_by_label("URLs, one a line").input_value()
    page.keyboard.press("Escape")
    wait_for_job(page)
    expect(row(page, "harbour")).to_contain_text("stages done")
    assert "hushhush" not in page.content()
    row(page, "harbour").locator(".dl-videotitle").first.click()
    page.wait_for_selector("video")
    page.wait_for_function("document.querySelector('video').readyState >= 1")


def test_a_pasted_list_takes_names_and_comments_and_refuses_paths(
    allowing: Server, files: FileServer, page
) -> None:
    open_page(page, allowing.url)
    page.keyboard.press("u")
    dialog = page.get_by_role("dialog", name="Add videos by URL")
    field = dialog.get_by_label("URLs, one a line")
    expect(field).to_be_focused()
    expect(dialog).to_contain_text("Paths of its own disk are not taken from a page")
    page.keyboard.insert_text(f"# a list\r\n\nquay\t{files.url(A)}\n/etc/passwd\n../clips/b.mp4\n")
    page.keyboard.press("Control+Enter")
    alert = dialog.get_by_role("alert")
    expect(alert).to_contain_text("1 URL taken; these are not:")
    assert alert.inner_text().count("paths on the server are not accepted here") == 2
    expect(field).to_have_value("/etc/passwd\n../clips/b.mp4")
    page.keyboard.press("Escape")
    wait_for_job(page)
    expect(row(page, "quay")).to_contain_text("stages done")


def test_a_slow_file_shows_how_far_it_is_and_stops(allowing: Server, files: FileServer, page) -> None:
    files.behave[A] = slow(0.3, 200)
    open_page(page, allowing.url)
    page.get_by_role("button", name="Add by URL").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("URLs, one a line").fill(files.url(A))
    dialog.get_by_role("button", name="Add and run").click()
    dialog.wait_for(state="detached")
    expect(page.locator(".dl-job")).to_contain_text("fetching the file")
    expect(page.locator(".dl-jobcount")).to_contain_text(" MB")
    page.get_by_role("button", name="Stop").click()
    wait_for_job(page, "stopped")
    expect(row(page, "harbour")).to_contain_text("no file here")


def test_without_an_allowed_place_it_says_what_to_write(empty_server: Server, page) -> None:
    open_page(page, empty_server.url)
    page.get_by_role("button", name="Add by URL").first.click()
    dialog = page.get_by_role("dialog")
    assert "allow = [" in dialog.inner_text() and "settings.toml" in dialog.inner_text()
    assert dialog.get_by_role("button", name="Add and run").is_disabled()
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()

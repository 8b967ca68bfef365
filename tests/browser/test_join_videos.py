"""A file that is here under another title, and a video without a file: joined by keys, and taken back."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from annotation.records.captions_to_verdicts import Verdict
from annotation.records.videos import Video
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.drops import asked, drop, take
from tests.browser.test_import_spine import as_before, store_of
from tests.browser.test_library import row, short_clip
from tests.exports.peers.peer_files import lmms_log
from tests.whole_store import tables


def with_a_clip_and_a_log(server: Server, page, folder: Path) -> Path:
    """A clip called boat, and a log of three videos without files."""
    open_page(page, server.url)
    clip = short_clip(folder, "boat.mp4")
    drop(page, clip)
    take(page)
    page.get_by_role("dialog", name="Run").wait_for()
    page.keyboard.press("Escape")
    drop(page, lmms_log(folder / "log", "v0.3"))
    take(page)
    expect(row(page, "clip-a")).to_contain_text("no file here")
    return clip


def test_a_file_that_a_video_waits_for_and_another_has_joins_the_two(
    empty_server: Server, page, tmp_path: Path
) -> None:
    clip = with_a_clip_and_a_log(empty_server, page, tmp_path)
    store = store_of(empty_server)
    [waiting] = store.find(Video, title="clip-a")
    drop(page, Path(shutil.copy(clip, tmp_path / "clip-a.mp4")))
    take(page)
    line = page.locator(".dl-uploadlines li")
    expect(line).to_contain_text("the same file as boat")
    before = tables(store)
    line.get_by_role("button", name="Join the two").focus()
    page.keyboard.press("Enter")
    expect(row(page, "clip-a")).to_have_count(0)
    expect(row(page, "boat").locator(".dl-worstname")).to_contain_text("camera 2 of 5")
    assert store.count(Verdict, video_id=waiting.id) == 0
    expect(page.locator(".dl-notice", has_text="clip-a is one with boat now")).to_be_visible()
    row(page, "boat").focus()
    page.keyboard.press("Control+z")
    expect(page.locator("[data-name=undone]")).to_contain_text("joined clip-a with boat")
    expect(row(page, "clip-a")).to_contain_text("no file here")
    until(partial(as_before, store, before), page)
    page.keyboard.press("Control+Shift+z")
    expect(row(page, "clip-a")).to_have_count(0)


@pytest.mark.expect_console("400")
def test_a_video_without_a_file_is_joined_from_its_row(empty_server: Server, page, tmp_path: Path) -> None:
    with_a_clip_and_a_log(empty_server, page, tmp_path)
    row(page, "-clip_b").focus()
    page.keyboard.press("o")
    dialog = page.get_by_role("dialog", name="Join “-clip_b” with")
    dialog.wait_for()
    words = dialog.get_by_label("Find another video")
    expect(words).to_be_focused()
    page.keyboard.type("boa")
    expect(dialog.get_by_role("radio", name="boat")).to_be_checked()
    page.keyboard.press("Enter")
    dialog.wait_for(state="detached")
    expect(row(page, "-clip_b")).to_have_count(0)
    row(page, "clip-a").get_by_role("button", name="Join clip-a with another video").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Join “clip-a” with")
    page.keyboard.type("boat")
    expect(dialog.get_by_role("radio", name="boat")).to_be_checked()
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("VDC lists both as two videos")
    page.keyboard.press("Escape")
    expect(row(page, "clip-a")).to_have_count(1)


def test_a_file_that_is_here_is_matched_by_hand(empty_server: Server, page, tmp_path: Path) -> None:
    clip = with_a_clip_and_a_log(empty_server, page, tmp_path)
    drop(page, Path(shutil.copy(clip, tmp_path / "nobody.mp4")))
    dialog = asked(page)
    expect(dialog).to_contain_text("nobody.mp4 is the same file as boat, which is here")
    dialog.locator(".dl-byhand summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("clip-c")
    take(page)
    expect(page.get_by_role("button", name="Join the two")).to_be_visible()


def test_two_videos_of_the_same_bytes_are_offered_on_their_rows(
    empty_server: Server, page, tmp_path: Path
) -> None:
    with_a_clip_and_a_log(empty_server, page, tmp_path)
    store = store_of(empty_server)
    [boat] = store.find(Video, title="boat")
    store.put(replace(boat, id="vid-second", title="ship"))
    store.put(replace(boat, id="vid-other", title="barge", sha256="00ff"))
    before = tables(store)
    page.reload()
    offer = row(page, "boat").get_by_role("button", name="Join boat with another video")
    expect(offer).to_have_text("the same file as ship: join", use_inner_text=True)
    expect(row(page, "barge").locator(".dl-joinrow")).to_have_count(0)
    offer.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Join “boat” with")
    expect(dialog.get_by_role("radio", name="ship")).to_be_focused()
    expect(dialog.get_by_role("listitem")).to_have_count(1)
    expect(dialog).to_contain_text("the same bytes")
    page.keyboard.press("Enter")
    dialog.wait_for(state="detached")
    expect(row(page, "ship")).to_have_count(0)
    expect(row(page, "boat").locator(".dl-joinrow")).to_have_count(0)
    row(page, "boat").focus()
    page.keyboard.press("Control+z")
    expect(row(page, "ship")).to_have_count(1)
    until(partial(as_before, store, before), page)

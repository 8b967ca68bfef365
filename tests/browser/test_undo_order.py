"""Undo takes what was decided before it, in the order of the keys, and stays within the video of its page."""

from __future__ import annotations

import re

import pytest

from annotation.editing import undo_and_redo
from annotation.editing.decision_log import Change
from annotation.records.decisions import ErrorSource
from annotation.records.videos import Video
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk
from tests.browser.slow import slow_replies
from tests.browser.test_script import wait_open
from tests.browser.test_undo_keys import _edit, _values, contents, opened, toast

LATE_MS = 450


@pytest.fixture
def slow(page):
    """The page with late replies."""
    slow_replies(page, LATE_MS)
    return page


def log(desk: Desk) -> list[tuple[str, str]]:
    """The person's decisions, the newest first, and how they stand."""
    return [(one.what, one.state) for one in undo_and_redo.actions(desk.store, desk.owner.id)]


def named(desk: Desk) -> list[str]:
    """The error sources that were set, in their order."""
    return [row.kind for row in desk.store.find(ErrorSource, order_by=["created_at"])]


def test_what_is_typed_after_two_undos_on_verdicts_stays(server: Server, slow) -> None:
    open_page(slow, f"{server.url}/verdicts")
    opened(slow, 0)
    with Desk(server) as desk:
        slow.keyboard.press("1")
        until(lambda: named(desk) == ["caption_omits"], slow)
        slow.keyboard.press("2")
        until(lambda: named(desk) == ["caption_omits", "caption_wrong"], slow)
        slow.wait_for_timeout(3 * LATE_MS)  # the page has the answer
        for key in ("Control+z", "Control+z", "c"):
            slow.keyboard.press(key)
        slow.keyboard.type(" First words.", delay=60)
        typed = [("corrected the background caption", "done")]
        until(lambda: log(desk) == typed, slow)
        slow.wait_for_timeout(3 * LATE_MS)
        assert named(desk)[-1] == "" and log(desk) == typed
    expect(slow.get_by_role("textbox", name="caption")).to_have_value(re.compile("First words"))
    expect(slow.get_by_text("in another window")).to_have_count(0)


def test_what_is_typed_after_two_undos_on_script_stays(server: Server, slow) -> None:
    with Desk(server) as desk:
        video = desk.store.find(Video)[0]
        texts = contents(desk, video)
        before = _values(desk, texts)
        for n in (0, 1):
            _edit(desk, desk.owner, texts[n], f"A decision, number {n}.")
        open_page(slow, f"{server.url}/script?video={video.id}&scene=3")
        wait_open(slow, 3)
        for key in ("Control+z", "Control+z", "e"):
            slow.keyboard.press(key)
        slow.keyboard.type("Typed at once. ", delay=60)
        until(lambda: _values(desk, texts)[:2] == before[:2], slow)
        until(lambda: [state for _, state in log(desk)] == ["done"], slow)
        slow.wait_for_timeout(3 * LATE_MS)
        expect(slow.get_by_text("in another window")).to_have_count(0)
        typed = slow.evaluate("document.activeElement.value")
        assert "Typed at once. " in typed
        assert [state for _, state in log(desk)] == ["done"]


def test_undo_and_decisions_keep_their_order(server: Server, slow) -> None:
    """A decision between two undos is what the second one takes."""
    open_page(slow, f"{server.url}/verdicts")
    opened(slow, 0)
    with Desk(server) as desk:
        slow.keyboard.press("1")
        until(lambda: named(desk) == ["caption_omits"], slow)
        slow.wait_for_timeout(3 * LATE_MS)
        for key in ("Control+z", "2", "Control+z", "3"):
            slow.keyboard.press(key)
        wanted = ["caption_omits", "", "caption_wrong", "", "extraction"]
        until(lambda: named(desk) == wanted, slow)


@pytest.mark.expect_console("409 (Conflict)")
def test_undo_stays_on_the_video_of_the_page_and_names_what_is_beyond(server: Server, page) -> None:
    with Desk(server) as desk:
        video = desk.store.find(Video)[0]
        texts = contents(desk, video)
        first = _values(desk, texts)[0]
        added = [Change("import", ("imp-x",), False, True)]
        undo_and_redo.record(desk.store, desk.owner, None, "added 2 files", added)
        _edit(desk, desk.owner, texts[0], "Mine alone.")
        open_page(page, f"{server.url}/script?video={video.id}")
        page.wait_for_selector(".dl-scenecard")
        page.keyboard.press("Control+z")
        toast(page, "Undone: corrected the content of scene 1")
        assert _values(desk, texts)[0] == first
    page.keyboard.press("Control+z")
    beyond = page.locator("[data-name=beyond-words]")
    expect(beyond).to_contain_text("There is nothing more to undo on this video. Beyond it: added 2 files")
    expect(page.locator("dialog")).to_have_count(0)
    page.get_by_role("button", name="Undo that").press("Enter")
    page.get_by_role("dialog").get_by_text("Take the import back?").wait_for()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    # In the Library, where imports are made, the key asks at once.
    open_page(page, server.url)
    page.wait_for_selector(".dl-video")
    page.keyboard.press("Control+z")
    page.get_by_role("dialog").get_by_text("Take the import back?").wait_for()

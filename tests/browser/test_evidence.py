"""Verdicts: from a question to its frames, with their reasons; keys step through them and pin them."""

from __future__ import annotations

import re
from time import sleep

import pytest

from annotation.records.captions_to_verdicts import Question
from annotation.records.decisions import PinnedFrames
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk

STRIP = ".dl-evidence-frame"
SHOWN = ".dl-frameline b"
LATE_S = 1.5


def open_question(server: Server, page, words: str) -> None:
    """By the search, as a person finds it."""
    open_page(page, f"{server.url}/verdicts")
    page.wait_for_selector(STRIP)
    page.keyboard.press("/")
    page.keyboard.type(words)
    expect(page.locator(".dl-q")).to_contain_text(words)
    page.keyboard.press("Escape")
    page.locator(".dl-evidence-place", has_text="1/").wait_for()


def test_a_question_opens_at_its_frame_and_keys_step_through_the_others(server: Server, page) -> None:
    open_question(server, page, "stands on the hill in the sunny valley")
    first = page.locator(STRIP).first
    expect(first).to_contain_text("windmill")
    expect(first).to_have_attribute("aria-current", "true")
    number = int(first.get_attribute("data-frame"))
    expect(page.locator(SHOWN)).to_have_text(f"#{number:,}")
    assert number > 0
    expect(page.locator(".dl-evidence-scenes .dl-thumb")).to_have_count(9)
    open_question(server, page, "main subject of the video")
    frames = [int(one.get_attribute("data-frame")) for one in page.locator(STRIP).all()]
    assert 1 < len(frames) <= 6
    page.keyboard.press("w")
    expect(page.locator(SHOWN)).to_have_text(f"#{frames[1]:,}")
    page.keyboard.press("Shift+w")
    expect(page.locator(SHOWN)).to_have_text(f"#{frames[0]:,}")


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (640, 360)])
def test_the_picture_stays_in_sight_when_a_key_steps_through_the_frames(
    server: Server, page, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    open_question(server, page, "main subject of the video")
    for _ in range(page.locator(STRIP).count()):
        page.keyboard.press("w")
        expect(page.locator(f"{STRIP}[aria-current=true]")).to_have_count(1)
        expect(page.locator(".dl-screen")).to_be_in_viewport(ratio=0.95)


def test_a_page_that_opens_with_a_question_goes_to_its_frame_however_early_that_is_known(
    server: Server, page
) -> None:
    """Frames and player may both be here before the page starts the player."""
    with Desk(server) as desk:
        video = desk.video("A paper boat's day").id
    page.route("**/api/verdicts?**", lambda route: (sleep(LATE_S), route.continue_()))
    open_page(page, f"{server.url}/verdicts?video={video}&q=sunny+valley")
    first = page.locator(STRIP).first
    expect(first).to_have_attribute("aria-current", "true")
    frame = int(first.get_attribute("data-frame"))
    assert frame > 0
    page.wait_for_timeout(1000 * LATE_S)
    expect(page.locator(SHOWN)).to_have_text(f"#{frame:,}")


def test_a_frame_is_pinned_by_a_key_and_the_pin_is_undone(server: Server, page) -> None:
    open_question(server, page, "stands on the hill in the sunny valley")
    page.keyboard.press(".")
    expect(page.locator(".dl-evidence-place")).to_have_text(re.compile("^–/"))
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    page.keyboard.press("p")
    pinned = page.locator(STRIP).first
    expect(pinned).to_contain_text("pinned by you")
    frame = int(pinned.get_attribute("data-frame"))
    with Desk(server) as desk:
        (row,) = desk.store.find(PinnedFrames)
        assert row.frames == (frame,)
        assert "sunny valley" in desk.store.get(Question, row.question_id).text
    page.keyboard.press("Control+z")
    page.locator("[data-name=undone]", has_text="pinned frame").wait_for()
    expect(page.locator(STRIP, has_text="pinned by you")).to_have_count(0)
    page.keyboard.press("Control+Shift+z")
    expect(page.locator(STRIP, has_text="pinned by you")).to_have_count(1)
    expect(page.locator(SHOWN)).to_have_text(f"#{frame:,}")
    page.locator(STRIP, has_text="pinned by you").get_by_role("button", name="Unpin").press("Enter")
    expect(page.locator(STRIP, has_text="pinned by you")).to_have_count(0)


def open_second(server: Server, page) -> list:
    """The second question, whose frames are held back. Gives the requests for them."""
    first: list = []
    held: list = []

    def hold(route) -> None:
        if first:
            held.append(route)  # also those that are asked for ahead
        else:
            first.append(route)
            route.continue_()

    page.route("**/api/verdicts/*/evidence*", hold)
    open_page(page, f"{server.url}/verdicts")
    page.locator(".dl-evidence-place", has_text="1/").wait_for()
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    asked = page.locator(".dl-q").inner_text()
    page.keyboard.press("j")
    expect(page.locator(".dl-q")).not_to_have_text(asked)
    return held


def test_whoever_goes_to_a_frame_before_the_questions_frames_are_here_stays_there(
    server: Server, page
) -> None:
    held = open_second(server, page)
    page.keyboard.press("g")
    page.keyboard.type("333")
    page.keyboard.press("Enter")
    expect(page.locator(SHOWN)).to_have_text("#333")
    held[0].continue_()
    page.locator(STRIP).first.wait_for()
    page.wait_for_timeout(500)
    expect(page.locator(SHOWN)).to_have_text("#333")


def test_a_video_that_is_played_before_the_questions_frames_are_here_plays_on(server: Server, page) -> None:
    held = open_second(server, page)
    page.keyboard.press("Space")
    page.wait_for_function("() => !document.querySelector('.dl-player video').paused")
    held[0].continue_()
    page.locator(STRIP).first.wait_for()
    page.wait_for_timeout(500)
    assert page.evaluate("() => !document.querySelector('.dl-player video').paused")


def test_a_pin_goes_to_no_question_but_the_one_that_was_open(server: Server, page) -> None:
    held = open_second(server, page)
    page.keyboard.press("p")
    page.keyboard.press("j")
    until(lambda: len(held) == 2, page)
    for request in held:
        request.continue_()
    page.locator(".dl-notice", has_text="Another question is shown by now: nothing was pinned.").wait_for()
    page.locator(STRIP).first.wait_for()
    with Desk(server) as desk:
        assert desk.store.find(PinnedFrames) == []


def test_frames_tell_somebody_who_labels_blind_nothing_of_the_verdict(server: Server, page) -> None:
    open_question(server, page, "stands on the hill in the sunny valley")
    seen = page.locator(".dl-evidence-frames").inner_text()
    page.keyboard.press("Shift+b")
    page.locator(".dl-blindform").wait_for()
    page.locator(".dl-evidence-place", has_text="1/").wait_for()
    expect(page.locator(".dl-evidence-frames")).to_have_text(seen, use_inner_text=True)


def test_a_sentence_of_a_caption_is_found_in_the_video_while_it_is_written(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?tab=background")
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    caption = page.locator("textarea.dl-text").first
    caption.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("A windmill turns on the hill, and a lighthouse stands at the harbour. ")
    page.keyboard.press("Control+Home")
    page.keyboard.press("Alt+w")
    strip = page.locator(STRIP)
    expect(strip.filter(has_text="windmill").first).to_be_visible()
    expect(strip.filter(has_text="lighthouse").first).to_be_visible()
    expect(strip.first).to_have_attribute("aria-current", "true")
    frames = {one.inner_text(): int(one.get_attribute("data-frame")) for one in strip.all()}
    assert any(300 <= frame < 475 and "windmill" in why for why, frame in frames.items())
    first, second = list(frames.values())[:2]
    expect(page.locator(SHOWN)).to_have_text(f"#{first:,}")
    page.keyboard.press("Alt+w")
    expect(page.locator(SHOWN)).to_have_text(f"#{second:,}")
    page.keyboard.press("Alt+Shift+w")
    expect(page.locator(SHOWN)).to_have_text(f"#{first:,}")
    expect(caption).to_be_focused()
    expect(strip.get_by_role("button", name=re.compile("^Pin"))).to_have_count(0)
    page.keyboard.press("Control+End")
    page.keyboard.type(" The lantern is lit at the end of the video.")
    page.get_by_role("button", name="Where is this?").first.press("Enter")
    expect(strip.first).to_contain_text("the end of the video")
    expect(page.locator(SHOWN)).not_to_have_text(f"#{first:,}")
    page.get_by_role("tab", name="Speech").press("Enter")
    expect(strip).to_have_count(0)


def test_a_question_of_vript_rr_has_its_frames(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts?of=rr")
    page.locator(".dl-itempanel").wait_for()
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    page.wait_for_selector(STRIP)
    frames = [int(one.get_attribute("data-frame")) for one in page.locator(STRIP).all()]
    assert 1 < len(frames) <= 6
    page.keyboard.press("Alt+w")
    expect(page.locator(f"{STRIP}[aria-current=true]")).to_have_count(1)
    shown = page.locator(f"{STRIP}[aria-current=true]").get_attribute("data-frame")
    assert int(shown) in frames

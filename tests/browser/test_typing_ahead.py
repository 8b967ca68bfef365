"""Somebody who knows the keys is faster than the line to the server: every reply takes its time here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Server, expect, open_page
from tests.browser.desk import Desk
from tests.browser.slow import slow_replies
from tests.browser.test_label_study import MODELS, bring
from tests.browser.test_queue import SAMPLE, add_clips
from tests.browser.test_script import HELD, wait_open
from tests.browser.test_split import ROBOT, give, texts

LATE_MS = 400


@pytest.fixture
def slow(page):
    """The page with late replies."""
    slow_replies(page, LATE_MS)
    return page


def test_what_is_typed_after_ctrl_enter_stands_in_the_next_scene(server: Server, slow) -> None:
    open_page(slow, f"{server.url}/script?scene=2")
    wait_open(slow, 2)
    slow.wait_for_selector(".dl-shown.dl-is-confirmed")
    slow.keyboard.press("e")
    for words in ("The second one.", "The third one."):
        slow.keyboard.press("Control+a")
        slow.keyboard.type(words)
        slow.keyboard.press("Control+Enter")
    wait_open(slow, 4)
    for words in ("The second one.", "The third one."):
        slow.wait_for_function(HELD, arg=words)
    slow.keyboard.press("Escape")
    slow.keyboard.press("ArrowUp")
    wait_open(slow, 3)
    expect(slow.get_by_role("textbox", name="content")).to_have_value("The third one.")


def test_keys_after_next_video_are_about_the_next_video(server: Server, slow, tmp_path: Path) -> None:
    add_clips(server, tmp_path, "aardvark", "beetle")
    titles = [v["title"] for v in slow.request.get(f"{server.url}/api/videos").json()["videos"]]
    first = slow.request.get(f"{server.url}/api/videos").json()["videos"][0]["id"]
    open_page(slow, f"{server.url}/script?video={first}")
    for key in ("n", "n", "3"):
        slow.keyboard.press(key)
    expect(slow.locator("h1")).to_have_text(titles[2])
    expect(slow.get_by_role("tab", selected=True)).to_contain_text("short")
    assert f"video={first}" not in slow.url


def test_a_text_typed_on_while_it_is_saved_for_the_first_time_loses_no_letter(
    server: Server, slow, tmp_path: Path
) -> None:
    add_clips(server, tmp_path, "aardvark")
    videos = slow.request.get(f"{server.url}/api/videos").json()["videos"]
    video = next(v["id"] for v in videos if v["title"] == "aardvark")
    open_page(slow, f"{server.url}/script?video={video}")
    wait_open(slow, 1)
    slow.get_by_role("textbox", name="new title").fill("Noise")
    slow.locator(".dl-field-scene_title").get_by_role("button", name="Save").click()
    slow.get_by_role("textbox", name="new title").focus()
    slow.keyboard.press("End")
    slow.keyboard.type(" and more")
    title = slow.get_by_role("textbox", name="title", exact=True)
    expect(title).to_have_value("Noise and more")
    expect(title).to_be_focused()
    slow.keyboard.type(" of it")
    slow.wait_for_function(HELD, arg="Noise and more of it")


def test_a_label_is_about_the_pair_on_the_screen(server: Server, slow) -> None:
    bring(server, slow)
    open_page(slow, f"{server.url}/keyframes?view=label")
    pairs = slow.locator(".dl-fl-pair")
    expect(slow.locator(".dl-fl-frame img")).to_have_count(2)
    for key in ("1", "2", "1"):
        slow.keyboard.press(key)
    expect(slow.locator(".dl-fl-head")).to_contain_text("3 of 27 pairs labelled")
    slow.reload()
    for n, mark in enumerate(("yes", "no", "yes")):
        expect(pairs.nth(n).locator(f".dl-is-{mark}")).to_be_visible()
    expect(pairs.nth(3).locator(".dl-is-open")).to_be_visible()


def test_best_and_second_best_are_chosen_in_one_go(server: Server, slow) -> None:
    bring(server, slow)
    open_page(slow, f"{server.url}/keyframes?view=study")
    slow.locator("[data-name=new-study]").click()
    slow.get_by_label("Name of the study").fill("which caption")
    for model in MODELS:
        slow.get_by_role("checkbox", name=model).check()
    slow.locator("[data-name=make-study]").click()
    frames = slow.locator(".dl-fs-frame")
    expect(slow.locator(".dl-fs-caption:not(.dl-fs-none)")).to_have_count(3)
    for key in ("2", "1", "ArrowRight", "1"):
        slow.keyboard.press(key)
    expect(frames.nth(0)).to_contain_text("B, A")
    expect(frames.nth(1)).to_contain_text("A")
    expect(frames.nth(1)).not_to_contain_text("B")


def test_a_clause_is_sent_from_the_row_on_which_its_key_was_pressed(empty_server: Server, slow) -> None:
    give(slow, empty_server)
    open_page(slow, f"{empty_server.url}/split")
    expect(slow.locator(".dl-sx-row[aria-selected=true]")).to_contain_text("A robot")
    for key in ("s", "j", "s", "j"):
        slow.keyboard.press(key)
    placed = slow.locator(".dl-sx-row [data-side=spatial] .dl-sx-line")
    expect(placed).to_have_count(2)
    rows = slow.locator(".dl-sx-row")
    for n, count in enumerate((1, 1, 0)):
        expect(rows.nth(n).locator("[data-side=spatial] .dl-sx-line")).to_have_count(count)
    expect(rows.nth(2)).to_have_attribute("aria-selected", "true")
    assert texts(slow, empty_server)["spatial"].startswith(f"{ROBOT} It slowly lifts the crate")


def test_work_is_called_done_once_however_often_the_key_is_pressed(
    server: Server, slow, tmp_path: Path
) -> None:
    add_clips(server, tmp_path, "aardvark", "beetle")
    with Desk(server) as desk:
        desk.give(desk.owner, [SAMPLE, "aardvark", "beetle"])
        open_page(slow, f"{server.url}/script?video={desk.video(SAMPLE).id}")
        slow.locator(".dl-queue-mine", has_text="script · working").wait_for()
        slow.keyboard.press("Control+Shift+Enter")
        slow.keyboard.press("Control+Shift+Enter")
        expect(slow.locator("h1")).not_to_have_text(SAMPLE)
        slow.locator(".dl-queue-mine", has_text="script · working").wait_for()
        assert sorted(desk.states(desk.owner).values()) == ["done", "open", "working"]

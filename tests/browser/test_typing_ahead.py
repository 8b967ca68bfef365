"""Somebody who knows the keys is faster than the line to the server: every reply takes its time here."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from annotation.records.videos import Video
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk
from tests.browser.slow import NEVER_SAVED, slow_replies
from tests.browser.test_label_study import MODELS, bring
from tests.browser.test_queue import SAMPLE, add_clips
from tests.browser.test_script import wait_held, wait_open
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
        for key in ("Tab", "Tab", "Tab", "Control+a"):
            slow.keyboard.press(key)
        slow.keyboard.type(words)
        slow.keyboard.press("Control+Enter")
    wait_open(slow, 4)
    for words in ("The second one.", "The third one."):
        wait_held(slow, words)
    slow.keyboard.press("Escape")
    slow.keyboard.press("ArrowUp")
    wait_open(slow, 3)
    expect(slow.get_by_role("textbox", name="content")).to_have_value("The third one.")


def test_keys_after_next_video_are_about_the_next_video(server: Server, slow, tmp_path: Path) -> None:
    add_clips(server, tmp_path, "aardvark", "beetle")
    videos = slow.request.get(f"{server.url}/api/library").json()["videos"]
    titles, first = [v["title"] for v in videos], videos[0]["id"]
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
    videos = slow.request.get(f"{server.url}/api/library").json()["videos"]
    video = next(v["id"] for v in videos if v["title"] == "aardvark")
    open_page(slow, f"{server.url}/script?video={video}")
    wait_open(slow, 1)
    title = slow.get_by_role("textbox", name="title", exact=True)
    title.focus()
    slow.keyboard.type("Noise")
    slow.locator(".dl-field-scene_title .dl-saved-saving").wait_for()
    for letter in " and more of it":
        slow.keyboard.type(letter)
        slow.wait_for_timeout(60)
    wait_held(slow, "Noise and more of it")
    expect(title).to_have_value("Noise and more of it")
    expect(title).to_be_focused()


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


def test_a_text_to_which_a_clause_is_being_sent_is_opened_with_it(empty_server: Server, slow) -> None:
    give(slow, empty_server)
    open_page(slow, f"{empty_server.url}/split")
    expect(slow.locator(".dl-sx-row[aria-selected=true]")).to_contain_text("A robot")
    for key in ("s", "2"):
        slow.keyboard.press(key)
    slow.keyboard.type(" It is red.")
    editor = slow.get_by_role("textbox", name="spatial text")
    expect(editor).to_have_value(re.compile(r"^A robot.* It is red\.$", re.DOTALL))
    until(lambda: texts(slow, empty_server)["spatial"].endswith("It is red."), slow)
    expect(slow.locator(".dl-conflict")).to_have_count(0)


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


def test_a_key_before_the_frames_are_there_is_about_what_will_be_shown(server: Server, slow) -> None:
    slow.goto(f"{server.url}/keyframes?view=study", wait_until="domcontentloaded")
    slow.locator(".dl-videobar").wait_for()
    slow.keyboard.press("0")
    slow.wait_for_selector(".dl-root[data-ready]")
    expect(slow.get_by_role("tab", name="Study")).to_have_attribute("aria-selected", "true")


def test_the_player_plays_on_until_the_next_video_is_there(server: Server, slow, tmp_path: Path) -> None:
    add_clips(server, tmp_path, "aardvark")
    with Desk(server) as desk:
        desk.give(desk.owner, [SAMPLE, "aardvark"])
        open_page(slow, f"{server.url}/script?video={desk.video(SAMPLE).id}&tab=camera")
        slow.locator(".dl-queue-mine", has_text="script · working").wait_for()
        slow.wait_for_function("() => document.querySelector('video').readyState > 2")
        slow.keyboard.press("Space")
        slow.wait_for_function("() => !document.querySelector('video').paused")
        slow.keyboard.press("Control+Shift+Enter")
        expect(slow.locator("h1")).to_have_text("aardvark")
        expect(slow.get_by_role("tab", selected=True)).to_contain_text("script")


def actions(server: Server) -> dict[str, str]:
    with Desk(server) as desk:
        return {video.title: video.action for video in desk.store.find(Video)}


@pytest.mark.expect_console("Failed to load resource")
@pytest.mark.expect_console("the server does not answer")
@pytest.mark.parametrize("comes", [False, True])
def test_what_is_typed_while_another_video_is_on_its_way_is_about_the_one_that_is_shown(
    server: Server, page, tmp_path: Path, comes: bool
) -> None:
    add_clips(server, tmp_path, "aardvark")
    with Desk(server) as desk:
        shown, other = desk.video(SAMPLE).id, desk.video("aardvark").id
    open_page(page, f"{server.url}/keyframes?video={other}")
    expect(page.locator("h1")).to_have_text("aardvark")
    waiting: list[Any] = []
    page.route(
        f"**/api/keyframes/{shown}?**", lambda route: waiting.append(route) if comes else route.abort()
    )
    with page.expect_request(f"**/api/keyframes/{shown}?**"):
        page.get_by_role("button", name=re.compile("^(Next|Previous) video$")).and_(
            page.locator(":enabled")
        ).click()
    page.get_by_role("textbox", name="Action label").click()
    with page.expect_response("**/action"):
        page.keyboard.type("filling a kettle")
        page.keyboard.press("Tab")
    assert actions(server)["aardvark"] == "filling a kettle"
    assert actions(server)[SAMPLE] != "filling a kettle"
    for route in waiting:
        route.continue_()
    expect(page.locator("h1")).to_have_text(SAMPLE if comes else "aardvark")
    page.wait_for_url(f"**video={shown if comes else other}*")


def test_words_for_one_video_never_run_on_into_the_same_part_of_the_next(
    server: Server, page, tmp_path: Path
) -> None:
    add_clips(server, tmp_path, "aardvark")
    with Desk(server) as desk:
        first, second = desk.video("aardvark").id, desk.video(SAMPLE).id
        desk.give(desk.owner, ["aardvark", SAMPLE], "aspects")
    open_page(page, f"{server.url}/split?tab=write&video={first}")
    expect(page.locator("h1")).to_have_text("aardvark")
    waiting: list[Any] = []
    page.route(f"**/api/aspects/{second}", lambda route: waiting.append(route))
    with page.expect_request(f"**/api/aspects/{second}"):
        page.get_by_role("button", name=re.compile("^(Next|Previous) video$")).and_(
            page.locator(":enabled")
        ).click()
    actions_field = page.get_by_role("textbox", name="Actions")
    actions_field.click()
    page.keyboard.type("a man folds")
    waiting[0].continue_()
    while page.locator("h1").inner_text() != SAMPLE:
        page.keyboard.type(".")
    page.keyboard.type("a boat")
    page.get_by_text("a boat”").wait_for()
    expect(actions_field).to_have_value("")

    def stored() -> str:
        writers = page.request.get(f"{server.url}/api/aspects/{first}").json()["writers"]
        return writers[0]["texts"]["action"]["value"].rstrip(".")

    until(lambda: stored() == "a man folds", page)


def test_no_letter_is_lost_after_a_key_that_puts_the_caret_into_a_field(server: Server, page) -> None:
    with Desk(server) as desk:
        video = desk.video(SAMPLE).id
        desk.give(desk.owner, [SAMPLE], "aspects")
    slow_replies(page, LATE_MS)
    open_page(page, f"{server.url}/split?video={video}")
    page.wait_for_selector(".dl-sx-row")
    page.get_by_role("tab", name="Write").click()
    page.keyboard.press("ArrowUp")
    page.keyboard.type("4 boats")
    expect(page.get_by_role("textbox", name="Overview")).to_have_value("4 boats")


@pytest.mark.parametrize("of", ["", "rr"])
def test_nothing_is_written_in_an_item_that_is_being_left(server: Server, page, of: str) -> None:
    open_page(page, f"{server.url}/verdicts{f'?of={of}' if of else ''}")
    rows = page.locator(".dl-item")
    panel = page.locator(".dl-detail")
    first = panel.inner_text()
    slow_replies(page, LATE_MS)
    page.reload()
    expect(panel).to_contain_text(first.splitlines()[0])
    rows.nth(1).click()
    expect(panel).to_have_attribute("inert", "")
    inside = panel.locator("button, input, textarea, summary").first.evaluate(
        "(node) => { node.focus(); return document.activeElement === node; }"
    )
    assert not inside
    expect(panel).not_to_have_attribute("inert", "")
    page.keyboard.press("e")
    expect(panel.locator(":focus")).to_have_count(1)


def test_words_for_a_field_that_never_came_are_shown_to_whoever_typed_them(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=2")
    wait_open(page, 2)
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    at = page.locator(".dl-frameline b").inner_text()
    page.keyboard.press(".")
    expect(page.locator(".dl-frameline b")).not_to_have_text(at)
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    page.evaluate(NEVER_SAVED)
    page.keyboard.press("s")
    page.keyboard.press("e")
    page.keyboard.type("a man makes soup")
    page.goto(f"{server.url}/scores")
    expect(page.locator(".dl-notice")).to_contain_text("Not written: “a man makes soup”")
    page.reload()
    page.wait_for_selector(".dl-root[data-ready]")
    expect(page.locator(".dl-notice")).to_have_count(0)


def test_what_is_typed_before_a_page_is_there_is_given_back(server: Server, page) -> None:
    scripts: list[Any] = []
    page.route("**/app/*/lib/page_router.js", lambda route: scripts.append(route))
    page.goto(f"{server.url}/script?scene=2", wait_until="commit")
    page.wait_for_function("Boolean(window.dailiesHearsEarly)")
    page.keyboard.type("e a man makes soup")
    until(lambda: bool(scripts), page)
    for script in scripts:
        script.continue_()
    said = "The page was still loading. Not written: “e a man makes soup”"
    page.locator(".dl-notice", has_text=said).wait_for()
    page.wait_for_selector(".dl-root[data-ready]")
    expect(page.locator(".dl-scenecard")).to_have_count(9)

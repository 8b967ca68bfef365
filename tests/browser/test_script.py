"""Script: cards that follow the player, texts edited in place, captions of every author, speech."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.editing import edits
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk
from tests.browser.slow import slow_replies, without_first_answers
from tests.browser.test_key_rule import decisions

VERY_LATE_MS = 2500
CONFIRMED = ".dl-shown.dl-is-confirmed"
HELD = """async (words) => {
  const video = new URLSearchParams(location.search).get('video');
  return (await (await fetch(`/api/script/${video}`)).text()).includes(words);
}"""
"""Whether the server has these words in the script."""


def wait_held(page, words: str) -> None:
    """Until the server has the words. `wait_for_function` would take the promise for a yes."""
    until(lambda: page.evaluate(HELD, words), page, 60)


def opened(page) -> str:
    return page.locator(".dl-scenecard.dl-open").get_attribute("data-scene")


def wait_open(page, number: int) -> None:
    page.wait_for_selector(f".dl-scenecard.dl-open[data-scene='{number}']")


def saved(page) -> None:
    page.wait_for_selector(".dl-saved-saved")


def test_without_a_video_the_first_of_the_library_opens(server: Server, page) -> None:
    open_page(page, f"{server.url}/script")
    page.wait_for_selector(CONFIRMED)
    expect(page.locator("h1")).to_have_text("A paper boat's day", use_inner_text=True)
    wait_open(page, 1)
    assert "video=vid-" in page.url
    expect(page.locator(".dl-scenecard")).to_have_count(9)


def test_an_empty_workspace_says_what_to_do(empty_server: Server, page) -> None:
    open_page(page, f"{empty_server.url}/script")
    page.get_by_role("link", name="Add videos").click()
    page.get_by_text("No videos yet").wait_for()


def test_cards_follow_the_player_and_the_player_the_cards(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=3")
    page.wait_for_selector(CONFIRMED)
    wait_open(page, 3)
    page.wait_for_function("location.search.includes('frame=300')")
    page.locator(".dl-scenecard[data-scene='6'] .dl-scenefold").click()
    wait_open(page, 6)
    page.wait_for_selector(CONFIRMED)
    expect(page.locator(".dl-frameline b")).to_have_text("#775", use_inner_text=True)
    page.keyboard.press("ArrowDown")
    wait_open(page, 7)
    page.keyboard.press("ArrowUp")
    wait_open(page, 6)
    page.locator(".dl-cell.dl-scene").nth(1).click()
    wait_open(page, 2)
    page.wait_for_function("location.search.includes('scene=2')")
    expect(page.locator(".dl-scenecard.dl-open")).to_have_count(1)


def test_a_link_with_a_frame_opens_at_that_frame(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=4&frame=500")
    page.wait_for_selector(CONFIRMED)
    expect(page.locator(".dl-frameline b")).to_have_text("#500")
    wait_open(page, 4)


def test_a_text_is_edited_in_place_and_compared_with_the_measurement(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=5")
    wait_open(page, 5)
    page.locator(".dl-measured .dl-is-entailment").wait_for()
    page.keyboard.press("c")
    camera = page.get_by_role("textbox", name="camera movement")
    camera.fill("The camera stays still.")
    saved(page)
    page.locator(".dl-measured .dl-is-contradiction", has_text="contradicts the text").wait_for()
    page.get_by_role("button", name="diff").click()
    expect(page.locator(".dl-diff del").first).to_contain_text("zooms")
    page.reload()
    wait_open(page, 5)
    expect(camera).to_have_value("The camera stays still.")
    page.locator(".dl-field-camera_movement .dl-is-corrected").wait_for()
    page.keyboard.press("ArrowUp")
    wait_open(page, 4)
    page.locator(".dl-scenecard[data-scene='5'] .dl-is-contradiction").wait_for()
    page.keyboard.press("ArrowDown")
    wait_open(page, 5)
    page.get_by_role("button", name="diff").click()
    page.locator(".dl-field-camera_movement .dl-diff").wait_for()
    page.locator(".dl-field-camera_movement").get_by_role("button", name="clear").click()
    expect(page.locator(".dl-field-camera_movement .dl-is-corrected")).to_have_count(0)
    expect(page.locator(".dl-field-camera_movement .dl-diff")).to_have_count(0)


def test_ctrl_enter_in_the_last_field_saves_and_opens_the_next_scene(
    server: Server, page, tmp_path: Path
) -> None:
    open_page(page, f"{server.url}/script?scene=2")
    wait_open(page, 2)
    page.wait_for_selector(CONFIRMED)
    for key in ("e", "Tab", "Tab", "Tab", "Control+a"):
        page.keyboard.press(key)
    page.keyboard.type("A dragonfly lands on the boat.")
    page.keyboard.press("Control+Enter")
    wait_open(page, 3)
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "title"
    expect(page.locator(".dl-frameline b")).to_have_text("#300")
    page.wait_for_selector(CONFIRMED)
    wait_held(page, "A dragonfly lands on the boat.")
    out = tmp_path / "all.jsonl"
    server.command("export", "dailies-jsonl", str(out))
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert any("A dragonfly lands on the boat." in json.dumps(line) for line in lines)


@pytest.mark.expect_console("409")
def test_when_somebody_else_was_faster_nothing_is_lost_or_left_behind(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=2")
    wait_open(page, 2)
    page.wait_for_selector(CONFIRMED)
    page.keyboard.press("e")
    page.evaluate("""async () => {
      const video = new URLSearchParams(location.search).get('video');
      const data = await (await fetch(`/api/script/${video}`)).json();
      const text = data.script[data.player.scenes[1].key]['script:content'];
      await fetch('/api/edit', {method: 'POST', headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({subject: text.subject, value: 'Theirs.', base_revision: text.revision})});
    }""")
    page.get_by_role("textbox", name="content").fill("Mine.")
    page.locator(".dl-conflict").wait_for()
    page.keyboard.press("Control+Enter")
    page.wait_for_timeout(500)
    assert opened(page) == "2"
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    page.locator(".dl-notice-error", has_text="Scene 2: You, in another window, changed this").wait_for()
    page.keyboard.press("ArrowUp")
    wait_open(page, 2)
    page.locator(".dl-conflict").get_by_role("button", name="Keep this one").click()
    saved(page)
    page.reload()
    wait_open(page, 2)
    expect(page.get_by_role("textbox", name="content")).to_have_value("Mine.")


def test_one_line_fields_take_no_line_breaks_and_count_words(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=1")
    wait_open(page, 1)
    title = page.get_by_role("textbox", name="title")
    title.fill("one two three four five six seven eight nine ten")
    title.press("Enter")
    assert "\n" not in title.input_value()
    count = page.locator(".dl-field-scene_title .dl-count")
    expect(count).to_have_text("10/10 words", use_inner_text=True)
    title.press_sequentially(" eleven")
    assert count.inner_text() == "11/10 words" and "dl-over-limit" in count.get_attribute("class")


def test_captions_of_every_author_and_one_of_my_own(server: Server, page) -> None:
    open_page(page, f"{server.url}/script")
    page.wait_for_selector(CONFIRMED)
    page.keyboard.press("3")
    assert page.get_by_role("tab", selected=True).inner_text().startswith("short") and "tab=short" in page.url
    badges = page.locator(".dl-captioncard .dl-author .dl-badge").all_inner_texts()
    assert badges[0] == "reference" and set(badges) == {"reference", "hand-written", "baseline"}
    page.get_by_role("textbox", name="my short caption").focus()
    page.keyboard.type("A boat of <b>paper</b>.")
    own = page.locator(".dl-captioncard", has=page.get_by_role("textbox", name="my short caption"))
    expect(own.locator(".dl-saved")).to_contain_text("Saved")
    expect(own).to_contain_text("written by")
    expect(page.get_by_role("tab", selected=True)).to_contain_text("4")
    page.reload()
    page.wait_for_function("document.querySelectorAll('.dl-captioncard .dl-editor').length === 4")
    texts = page.locator(".dl-captioncard textarea").evaluate_all("nodes => nodes.map((n) => n.value)")
    assert texts[0] == "A boat of <b>paper</b>."
    expect(page.locator(".dl-captioncard").first).to_contain_text("written by")
    expect(page.locator(".dl-captioncard").first).not_to_contain_text("corrected")
    assert page.get_by_role("textbox", name="my short caption").count() == 0


def test_tabs_are_moved_with_the_arrows(server: Server, page) -> None:
    open_page(page, f"{server.url}/script")
    page.wait_for_selector(CONFIRMED)
    page.get_by_role("tab", name="script").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.tab") == "camera"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.tab") == "speech"
    expect(page.locator(".dl-frameline b")).to_have_text("#0", use_inner_text=True)


def test_speech_with_gaps_uncertain_words_and_edits(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?tab=speech")
    page.wait_for_selector(CONFIRMED)
    segments = page.locator(".dl-segment")
    if segments.count() == 0:  # the sample was made where Whisper's weights are not
        page.get_by_text("No transcription yet").wait_for()
        return
    assert page.locator(".dl-silence", has_text="no speech").count() > 0
    expect(page.locator(".dl-speechabout")).to_contain_text("English", use_inner_text=True)
    second = segments.nth(1)
    second.locator(".dl-word").first.click()
    page.wait_for_selector(".dl-segment[aria-current=true]")
    expect(second).to_have_attribute("aria-current", "true")
    page.keyboard.press("e")
    page.locator(".dl-segment textarea").fill("It floats past hills.")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("document.querySelectorAll('.dl-segment')[2].querySelector('textarea')")
    expect(second).to_contain_text("It floats past hills.")
    expect(second).to_contain_text("corrected")


def test_neighbours_in_the_library(server: Server, page, tmp_path: Path) -> None:
    from tests.browser.test_library import short_clip

    server.command("run", str(short_clip(tmp_path, "next.mp4")), "--stages", "scenes")
    open_page(page, f"{server.url}/script?scene=4")
    page.wait_for_selector(CONFIRMED)
    page.keyboard.press("n")
    page.locator("h1", has_text="next").wait_for()
    wait_open(page, 1)
    assert "scene=1" in page.url
    page.locator(".dl-scenefields .dl-is-missing").first.wait_for()
    page.get_by_role("textbox", name="title").focus()
    page.keyboard.type("Noise")
    page.keyboard.press("Escape")
    wait_held(page, "Noise")
    page.keyboard.press("Shift+n")
    page.locator("h1", has_text="paper boat").wait_for()


def test_what_somebody_else_changed_in_an_open_text_shows_once_it_is_left(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?scene=2")
    wait_open(page, 2)
    page.wait_for_selector(CONFIRMED)
    for key in ("e", "Tab", "Tab", "Tab"):
        page.keyboard.press(key)
    content = page.get_by_role("textbox", name="content")
    expect(content).to_be_focused()
    was = content.input_value()
    (_, text, _), revision = page.evaluate("""async () => {
      const video = new URLSearchParams(location.search).get('video');
      const data = await (await fetch(`/api/script/${video}`)).json();
      const text = data.script[data.player.scenes[1].key]['script:content'];
      return [text.subject, text.revision];
    }""")
    with Desk(server) as desk, page.expect_response(lambda reply: "/cuts" in reply.url):
        edits.apply_edit(desk.store, desk.person("ana"), edits.Edit("text", text, "value", "Hers.", revision))
    expect(content).to_have_value(was)
    page.keyboard.press("Escape")
    expect(content).to_have_value("Hers.")


def test_flag_before_the_video_is_there_says_so_and_its_words_run_nothing(server: Server, page) -> None:
    slow_replies(page, VERY_LATE_MS)
    page.route("**/script?scene=2", without_first_answers)
    page.goto(f"{server.url}/script?scene=2", wait_until="domcontentloaded")
    page.locator(".dl-scriptright").wait_for()
    page.keyboard.press("f")
    page.keyboard.type("makes some soup", delay=30)
    expect(page.get_by_text("is not here yet. Not written: “makes some soup”")).to_be_visible()
    page.wait_for_selector(".dl-root[data-ready]")
    assert decisions(server) == []

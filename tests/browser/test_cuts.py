"""Cuts changed with the keyboard alone: nudged, split, merged, undone, compared with another detection."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.backends.clips import textured, write_clip
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.slow import slow_replies
from tests.browser.test_key_rule import CONFIRMED, LATE_MS, WORDS, decisions, untold  # noqa: F401

if TYPE_CHECKING:
    from playwright.sync_api import Page

SLOW_MS = 120_000
"""A detector goes over the whole sample."""


class Keys:
    """Someone at the Script page whose mouse is broken."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said = page.locator(".dl-cutsaid")
        self.cards = page.locator(".dl-scenecard")
        self.open = page.locator(".dl-scenecard.dl-open")
        self.persons = page.locator(".dl-lane-scenes .dl-cut-person")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def at(self, frame: str) -> None:
        expect(self.page.locator(".dl-frameline b").first).to_have_text(frame)

    def done(self, words: str) -> None:
        expect(self.said).to_contain_text(words)

    def undone(self, words: str) -> None:
        self.press("Control+z")
        expect(self.page.locator("[data-name=undone]").last).to_contain_text(words)


def no_mouse(page: Page) -> None:
    """From now on every mouse event is an error on the page, which fails the test."""
    page.evaluate("""for (const name of ['mousedown', 'pointerdown', 'wheel'])
      window.addEventListener(name, () => { throw new Error('the mouse was used'); }, true)""")


def test_cuts_by_keys_alone(server: Server, page: Page) -> None:
    open_page(page, f"{server.url}/script?scene=3")
    keys = Keys(page)
    keys.at("#300")
    no_mouse(page)

    # By a frame: both scenes are marked, and the line on the lane is the person's.
    keys.press("b")
    keys.done("moved the cut before scene 3 1 frame later")
    keys.at("#301")
    expect(keys.persons).to_have_count(1)
    expect(page.locator(".dl-cutabout").first).to_contain_text("1 of default given up")
    expect(keys.open.locator(".dl-lookagain")).to_contain_text("written for frames 300 to 474")
    expect(keys.cards.nth(1).locator(".dl-is-moved")).to_have_text("look again")
    keys.press("r")
    keys.done("4 texts found right")
    expect(keys.open.locator(".dl-lookagain")).to_be_hidden()

    # An edit settles the text that was edited, and no other.
    keys.press("ArrowUp")
    expect(keys.open).to_have_attribute("data-scene", "2")
    expect(keys.open.locator(".dl-lookagain")).to_contain_text("content: written")
    keys.press("e", "Tab", "Tab", "Tab", "Control+a")
    page.keyboard.type("A boat, one frame longer.")
    expect(keys.open.locator(".dl-field-content .dl-saved-saved")).to_be_visible()
    keys.press("Escape")
    expect(keys.open.locator(".dl-lookagain")).to_contain_text("camera movement: written")

    # Split at the playhead; the new scene has no texts; merge it with the next one.
    keys.press("ArrowDown")
    keys.at("#301")
    keys.press("ArrowRight")
    keys.at("#326")
    keys.press("s")
    keys.done("split scene 3 at frame 326")
    expect(keys.cards).to_have_count(10)
    expect(keys.persons).to_have_count(2)
    keys.press("ArrowDown")
    expect(keys.open).to_have_attribute("data-scene", "5")
    keys.press("m")
    keys.done("merged scenes 5 and 6")
    expect(keys.cards).to_have_count(9)
    expect(keys.open.locator(".dl-fromscene")).to_contain_text("from the merged scene")

    # The nearest cut to the frame on the screen, and back over everything.
    keys.press(".", ".", ".", ".", "x")
    keys.done("moved the cut before scene 5 4 frames later")
    keys.undone("moved the cut before scene 5 4 frames later")
    keys.undone("merged scenes 5 and 6")
    expect(keys.cards).to_have_count(10)
    expect(page.locator(".dl-fromscene")).to_have_count(0)
    keys.undone("split scene 3 at frame 326")
    expect(keys.persons).to_have_count(1)

    # Scenes that were cut anew are measured without being asked.
    expect(page.locator(".dl-cutabout").first).not_to_contain_text("not measured", timeout=SLOW_MS)
    expect(page.locator(".dl-lane-camera .dl-motion")).to_have_count(9)

    compare_with_content(keys)


def compare_with_content(keys: Keys) -> None:
    """Another detection: seen first, then refused, then taken over with a yes, then undone."""
    page = keys.page
    keys.press("d")
    select = page.get_by_role("combobox", name="Detector")
    expect(select).to_be_focused()
    keys.press("c", "Tab")
    expect(select).to_have_value("content")
    page.keyboard.type("threshold=40")
    keys.press("Tab", "Tab")
    expect(page.locator("[data-name=detect-cuts]")).to_be_focused()
    keys.press("Enter")
    compared = page.get_by_role("region", name="What this detection would change")
    expect(compared).to_be_visible(timeout=SLOW_MS)
    expect(compared).to_contain_text("moved #301 to #300 (−1) · a person’s")
    moved = compared.locator(".dl-cutchange-moved")
    expect(page.locator(".dl-lane-scenes .dl-cut-moved")).to_have_count(moved.count())
    expect(compared.locator(".dl-cutchange").first).to_be_focused()
    moved.filter(has_text="#301 to #300").focus()
    keys.press("Enter")
    keys.at("#300")
    expect(keys.cards).to_have_count(9)
    keys.press("Escape")
    expect(compared).to_have_count(0)
    expect(page.locator(".dl-lane-scenes .dl-cut-moved")).to_have_count(0)

    keys.press("d")
    page.locator("[data-name=earlier-detection]").focus()
    keys.press("Enter")
    expect(compared.locator(".dl-cutchange").first).to_be_focused()
    keys.press("Shift+Tab")
    expect(page.locator("[data-name=adopt-cuts]")).to_be_focused()
    keys.press("Enter")
    page.locator("[data-name=agree]").focus()
    keys.press("Enter")
    keys.done("adopted the cuts found by content")
    expect(keys.persons).to_have_count(0)
    keys.undone("adopted the cuts found by content")
    expect(keys.persons).to_have_count(1)
    expect(keys.cards).to_have_count(9)


def test_the_first_cuts_of_a_video_are_taken_without_a_question(
    server: Server, page: Page, tmp_path: Path
) -> None:
    clip = write_clip(tmp_path / "uncut.mp4", [textured(1 + (n >= 30)) for n in range(60)])
    server.command("run", str(clip), "--stages", "probe")
    rows = page.request.get(f"{server.url}/api/library").json()["videos"]
    [video] = [one["id"] for one in rows if one["title"] == "uncut"]
    open_page(page, f"{server.url}/script?video={video}")
    page.wait_for_selector(CONFIRMED)
    page.keyboard.press("d")
    page.locator("[data-name=detect-cuts]").press("Enter")
    page.locator("[data-name=adopt-cuts]").press("Enter", timeout=SLOW_MS)
    expect(page.locator(".dl-scenecard")).to_have_count(2)


@pytest.mark.expect_console("409")
def test_whoever_is_too_late_sees_the_others_cuts(server: Server, page: Page) -> None:
    open_page(page, f"{server.url}/script?scene=3")
    keys = Keys(page)
    keys.at("#300")
    page.evaluate("""async () => {
      const path = `/api/cuts/${new URLSearchParams(location.search).get('video')}`;
      const { base } = await (await fetch(path)).json();
      await fetch(path, {method: 'POST', headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({kind: 'split', frame: 100, base})});
    }""")
    keys.press("v")
    page.locator(".dl-notice-error", has_text="Somebody else changed the cuts").wait_for()
    expect(keys.cards).to_have_count(10)
    keys.press("v")
    keys.done("moved the cut before scene 4 1 frame earlier")
    keys.at("#299")


def test_a_cut_is_where_its_key_was_pressed_however_late_the_one_before_it_is(
    server: Server, page: Page
) -> None:
    slow_replies(page, 500)
    open_page(page, f"{server.url}/script?scene=3")
    keys = Keys(page)
    keys.at("#300")
    keys.press("ArrowRight")
    keys.at("#325")
    keys.press("s", "ArrowRight")
    keys.at("#350")
    keys.press("s", "ArrowRight")
    keys.at("#375")
    keys.done("split scene 4 at frame 350")
    expect(keys.cards).to_have_count(11)


SPOKEN = """async () => {
  const video = new URLSearchParams(location.search).get('video');
  const { player } = await (await fetch(`/api/script/${video}`)).json();
  const line = player.speech.segments.find((one) => one.words.length > 5);
  const [, , before] = line.words[2];
  const words = line.words.map(([word]) => word.trim());
  return { frame: Math.ceil(((before + line.words[3][1]) / 2) * 25), words };
}"""
"""A frame in the middle of a line of speech, after its third word, and the words."""


def test_a_line_of_speech_across_a_cut_stands_in_both_scenes(server: Server, page: Page) -> None:
    open_page(page, f"{server.url}/script")
    keys = Keys(page)
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    line = page.evaluate(SPOKEN)
    open_page(page, f"{page.url.split('&')[0]}&frame={line['frame']}")
    keys.at(f"#{line['frame']:,}")
    said = keys.open.locator(".dl-saidline", has_text=line["words"][4])
    expect(said.locator(".dl-hint")).to_have_count(0)
    keys.press("s")
    keys.done("split scene")
    expect(said.locator("[title='said in the scene before']")).to_have_text(" ".join(line["words"][:3]))
    keys.press("ArrowUp")
    expect(said.locator("[title='said in the scene after']")).to_have_text(" ".join(line["words"][3:]))


def test_the_picture_that_the_lane_marks_is_of_the_scene_that_is_shown(server: Server, page: Page) -> None:
    open_page(page, f"{server.url}/script")
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    video = page.url.split("&")[0]
    marked = page.locator(".dl-lane-frames .dl-current img")
    for first in page.evaluate(STARTS)[1:5]:
        for frame in (first - 1, first):
            open_page(page, f"{video}&frame={frame}")
            Keys(page).at(f"#{frame:,}")

            def same_side(first: int = first, frame: int = frame) -> bool:
                shown = int(str(marked.get_attribute("src")).rpartition("/")[2].removesuffix(".jpg"))
                return (shown < first) == (frame < first)

            until(same_side, page)


STARTS = """async () => {
  const video = new URLSearchParams(location.search).get('video');
  const { player } = await (await fetch(`/api/script/${video}`)).json();
  return player.scenes.map((scene) => scene.start);
}"""


# --- what is written after a cut ------------------------------------------------------------


def split_at_3(page: Page) -> int:
    """How many scenes there were before."""
    page.wait_for_selector(CONFIRMED)
    before: int = page.locator(".dl-scenecard").count()
    for _ in range(3):
        page.keyboard.press(".")
    page.wait_for_function("document.querySelector('.dl-frameline b').textContent.endsWith('#3')")
    page.keyboard.press("s")
    return before


@pytest.mark.parametrize("waits", [True, False])
def test_a_scene_that_was_split_opens_a_field(
    server: Server,
    page: Page,
    untold: str,  # noqa: F811
    waits: bool,
) -> None:
    if not waits:
        slow_replies(page, LATE_MS)
    open_page(page, untold)
    before = split_at_3(page)
    if waits:
        expect(page.locator(".dl-scenecard")).to_have_count(before + 1)
        page.wait_for_timeout(800)
    page.keyboard.press("e")
    page.keyboard.type(WORDS, delay=15)
    field = page.locator(".dl-scenecard.dl-open[data-scene='2'] .dl-field-scene_title textarea")
    expect(field).to_have_value(WORDS)
    expect(page.locator(".dl-scenecard")).to_have_count(before + 1)
    assert sum("split" in what or "merge" in what for _, what in decisions(server)) == 1


def test_after_an_undone_split_a_field_of_the_scene_that_is_left_opens(
    page: Page,
    untold: str,  # noqa: F811
) -> None:
    open_page(page, untold)
    before = split_at_3(page)
    expect(page.locator(".dl-scenecard")).to_have_count(before + 1)
    page.wait_for_load_state("networkidle")
    scenes_now: list[Any] = []
    page.route("**/api/script/*", lambda route: scenes_now.append(route), times=1)
    page.keyboard.press("Control+z")
    until(lambda: bool(scenes_now), page)
    page.keyboard.press("e")
    page.keyboard.type(WORDS, delay=15)
    scenes_now[0].continue_()
    expect(page.locator(".dl-scenecard")).to_have_count(before)
    expect(page.locator(".dl-scenecard[data-scene='1'] .dl-field-scene_title textarea")).to_have_value(WORDS)
    page.locator(".dl-field-scene_title .dl-saved-saved").wait_for()


@pytest.mark.expect_console("409")  # a save under way may have changed the text: it is sent again
def test_a_field_opens_in_the_scene_that_was_asked_for_last(server: Server, page: Page) -> None:
    """The page follows a moment after the player, so that the picture comes first."""
    slow_replies(page, LATE_MS)
    open_page(page, f"{server.url}/script?scene=3")
    page.wait_for_selector(CONFIRMED)
    field = page.locator(".dl-scenecard.dl-open[data-scene='3'] .dl-field-scene_title textarea")
    for n, pause_ms in enumerate((250, 200, 150, 250)):
        page.keyboard.press("e")
        page.keyboard.type(f" one {n}")
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(pause_ms)
        page.keyboard.press("ArrowUp")
        page.keyboard.press("e")
        page.keyboard.type(f" two {n}")
        expect(field).to_have_value(re.compile(f" one {n} two {n}$"))
        page.wait_for_timeout(400)
        expect(field).to_be_focused()
        page.keyboard.press("Escape")

"""Vript's records and folder of clips: played over a missing one, edited, scored, exported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.annotation.intake.test_films_of_clips import LENGTHS, NAME, clip_folder, dataset
from tests.browser.conftest import Server, expect, open_page

if TYPE_CHECKING:
    from playwright.sync_api import Page

CONFIRMED = ".dl-shown.dl-is-confirmed"
WORDS = "Two men lift a boat."


def arrive(server: Server, tmp_path: Path) -> dict[str, Any]:
    done = server.command(
        "import",
        str(dataset(tmp_path / "vript")),
        "--videos",
        str(clip_folder(tmp_path / "clips", 1, 2, 4)),
        "--json",
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout)["videos"])


def at_frame(page: Page, number: int) -> None:
    expect(page.locator(".dl-frameline b").first).to_have_text(f"#{number}")
    page.wait_for_selector(CONFIRMED)


def open_scene(page: Page, number: int) -> None:
    page.wait_for_selector(f".dl-scenecard.dl-open[data-scene='{number}']")


def by_tab(page: Page, selector: str) -> None:
    """Opens what the tab key reaches."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"the tab key does not reach {selector}")


def test_a_clip_folder_plays_over_a_gap_and_is_edited_and_exported(
    empty_server: Server, page: Page, tmp_path: Path
) -> None:
    found = arrive(empty_server, tmp_path)
    assert len(found["attached"]) == 1 and "Scene 003" in found["problems"][0]["what"]
    open_page(page, empty_server.url)
    expect(page.locator(".dl-videotitle + .dl-hint")).to_contain_text("3 of 4 clips")
    open_page(page, f"{empty_server.url}/script")
    at_frame(page, 0)
    expect(page.locator(".dl-scripttitle")).to_contain_text("1 clip missing")
    expect(page.locator(".dl-scenecard")).to_have_count(len(LENGTHS))
    expect(page.locator(".dl-scene.dl-missing")).to_have_count(1)
    expect(page.locator(".dl-scenecard[data-scene='3']")).to_contain_text("no clip")

    # Scene after scene by keys: over the gap, which is one frame, and into the clip behind it.
    for number, frame in ((2, 50), (3, 125), (4, 126)):
        page.keyboard.press("ArrowDown")
        open_scene(page, number)
        at_frame(page, frame)
        expect(page.locator(".dl-open .dl-scenehead")).to_contain_text(
            "frame #125" if number == 3 else f"frames #{frame} to"
        )
        expect(page.locator(".dl-open .dl-scale")).to_contain_text(
            "no clip to measure" if number == 3 else "not measured yet"
        )
    page.keyboard.press(",")
    at_frame(page, 125)
    page.keyboard.press(",")
    at_frame(page, 124)
    # Playing goes on over the gap, at the speed of time.
    page.keyboard.press("Space")
    page.wait_for_function("document.querySelector('video').currentTime > 9.2", timeout=60_000)
    page.keyboard.press("Space")
    open_scene(page, 4)

    # Out of the middle of a scene the key goes to its start first, then to the scene before: the gap.
    page.keyboard.press("ArrowUp")
    at_frame(page, 126)
    page.keyboard.press("ArrowUp")
    open_scene(page, 3)
    at_frame(page, 125)
    for key in ("e", "Tab", "Tab", "Tab", "Control+a"):  # title, shot type, camera movement, content
        page.keyboard.press(key)
    page.keyboard.type(WORDS)
    page.wait_for_selector(".dl-saved-saved")
    out = tmp_path / "out"
    done = empty_server.command("export", "vript", str(out))
    assert done.returncode == 0, done.stderr
    rows = json.loads((out / f"{NAME}_caption.json").read_text("utf-8"))["data"]
    assert [row["caption"]["content"] for row in rows.values()][2] == WORDS and len(rows) == len(LENGTHS)
    cuts = json.loads((out / f"{NAME}_cut_meta.json").read_text("utf-8"))["clips"]
    assert [round(clip["start_time"], 3) for clip in cuts] == [0, 2, 5, 9]


def test_scripts_and_scores_of_the_clips_that_are_here(
    empty_server: Server, page: Page, tmp_path: Path
) -> None:
    """Measured, scripted, questioned and judged by the baseline; the gap keeps the dataset's words."""
    arrive(empty_server, tmp_path)
    [film] = (empty_server.workspace / "media").glob("*/clips.mp4")
    done = empty_server.command("run", str(film), "--speech", "none", "--json")
    assert done.returncode == 0, done.stderr
    shutil.rmtree(tmp_path / "clips")  # the film is the workspace's own
    open_page(page, f"{empty_server.url}/script?scene=4")
    at_frame(page, 126)
    expect(page.locator(".dl-motion")).to_have_count(3)
    page.keyboard.press("ArrowUp")
    open_scene(page, 3)
    at_frame(page, 125)
    expect(page.get_by_role("textbox", name="content")).to_have_value(
        "3: The scene features a male presenter in a rural setting, with trees behind him."
    )

    # Scores: a cell leads to its questions, beside the film; a verdict put right counts.
    by_tab(page, "a[href*='/scores']")
    page.locator(".dl-scoretable").wait_for()
    figure = page.locator("[data-policy=corrected][data-group=camera] .dl-scorecell > b")
    before = figure.inner_text()
    by_tab(page, "[data-policy=corrected][data-group=camera] a")
    page.wait_for_url("**/verdicts?*")
    page.wait_for_selector(".dl-verdict")
    page.wait_for_selector(CONFIRMED)
    expect(page.locator(".dl-verdictline")).to_contain_text("yes")
    for key in ("e", "n", "0", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".dl-verdictline")).to_contain_text("0 of 5")
    by_tab(page, "a[href*='/scores']")
    page.locator(".dl-scoretable").wait_for()
    expect(figure).not_to_have_text(before)
    assert float(figure.inner_text()) < float(before)

"""A script of the baseline, corrected on the page, out as Vript's files, and in again to equal records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.app_process import run_app
from tests.browser.conftest import Server, expect, open_page, serve, until

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

WRONG = "In the first frame, a paper boat drifts. The frames of the mill's windows are white."
RIGHT = "A paper boat drifts. The frames of the mill's windows are white."


def correct(page: Page, url: str) -> None:
    """A cut moved, a field edited, one finding put right and one dismissed, by keys."""
    open_page(page, f"{url}/script?scene=3")
    expect(page.locator(".dl-frameline b").first).to_have_text("#300")
    page.keyboard.press("b")
    expect(page.locator(".dl-cutsaid")).to_contain_text("moved the cut before scene 3 1 frame later")
    content = page.get_by_role("textbox", name="content")
    found = page.locator(".dl-field-content .dl-finding[data-check=frame_wording]")
    page.keyboard.press("e")
    content.fill(WRONG)
    expect(found).to_have_count(2)
    expect(found.first).to_contain_text("In the first frame")
    content.fill(RIGHT)
    expect(found).to_have_count(1)
    page.keyboard.press("Escape")
    found.get_by_role("button", name="dismiss").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("The mill's windows have frames.")
    page.keyboard.press("Enter")
    expect(page.locator(".dl-field-content .dl-dismissed")).to_contain_text("The mill's windows have frames.")
    expect(page.locator(".dl-saved-saved").first).to_be_visible()


def test_a_check_that_comes_late_takes_neither_the_focus_nor_a_dismissal(server: Server, page: Page) -> None:
    """What is typed for a dialog that does not open would be commands of the page."""
    late: list[Route] = []
    open_page(page, f"{server.url}/script?scene=3")
    expect(page.locator(".dl-frameline b").first).to_have_text("#300")
    found = page.locator(".dl-field-content .dl-finding[data-check=frame_wording]")
    dismissed = page.locator(".dl-field-content .dl-dismissed")

    def rewrite(text: str) -> None:
        for key in ("Escape", "e", "Tab", "Tab", "Tab", "Control+a"):
            page.keyboard.press(key)
        page.keyboard.insert_text(text)

    rewrite(WRONG)
    expect(found).to_have_count(2)
    page.route("**/findings", lambda route: late.append(route))
    rewrite(RIGHT)
    until(lambda: len(late) == 1, page)
    dismiss = found.last.get_by_role("button", name="dismiss")
    dismiss.focus()
    answer = late[0].fetch()
    late[0].fulfill(response=answer)
    expect(found).to_have_count(1)
    expect(dismiss).to_be_focused()

    rewrite(f"{RIGHT} ")
    until(lambda: len(late) == 2, page)
    dismiss.focus()
    page.keyboard.press("Enter")
    page.keyboard.type("The windows have frames.")
    page.keyboard.press("Enter")
    expect(dismissed).to_contain_text("The windows have frames.")
    late[1].fulfill(response=answer)  # it was asked for before
    until(lambda: len(late) == 3, page)
    late[2].continue_()
    page.wait_for_timeout(500)
    expect(dismissed).to_have_count(1)


def test_a_script_is_corrected_given_back_and_read_again(server: Server, page: Page, tmp_path: Path) -> None:
    correct(page, server.url)
    page.reload()
    expect(page.locator(".dl-field-content .dl-dismissed")).to_have_count(1)

    out, fresh = tmp_path / "vript", tmp_path / "fresh" / "workspace"
    done = server.command("export", "vript", str(out))
    assert done.returncode == 0, done.stderr
    [captions] = out.glob("*_caption.json")
    document = json.loads(captions.read_text(encoding="utf-8"))
    rows = list(document["data"].values())
    assert rows[2]["caption"]["content"] == RIGHT and document["meta"]["num_clips"] == len(rows) == 9
    [cuts] = out.glob("*_cut_meta.json")
    clips = json.loads(cuts.read_text(encoding="utf-8"))["clips"]
    assert clips[1]["end_time"] == clips[2]["start_time"] > 12

    # Into a fresh workspace, and out again: the same files, and nothing to complain of.
    read = run_app("import", str(out), "--workspace", str(fresh), "--json")
    assert read.returncode == 0, read.stderr
    assert json.loads(read.stdout)["problems"] == []
    again = tmp_path / "again"
    assert run_app("export", "vript", str(again), "--workspace", str(fresh)).returncode == 0
    for file in out.iterdir():
        assert (again / file.name).read_text(encoding="utf-8") == file.read_text(encoding="utf-8"), file.name

    # There is no video file there, and the script is there to read and to correct.
    elsewhere = page.context.browser.new_context(viewport={"width": 1280, "height": 720})
    for other in serve(fresh):
        # Cookies are one host's, whatever its port: a browser of its own.
        page = elsewhere.new_page()
        open_page(page, f"{other.url}/script?scene=3")
        expect(page.locator(".dl-scenecard")).to_have_count(9)
        expect(page.locator(".dl-scenecard.dl-open")).to_have_attribute("data-scene", "3")
        expect(page.get_by_role("textbox", name="content")).to_have_value(RIGHT)
        expect(page.locator(".dl-scenehead")).to_contain_text("times as the dataset tells them")
        page.get_by_role("textbox", name="title").fill("A boat, corrected")
        expect(page.locator(".dl-saved-saved").first).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowDown")
        expect(page.locator(".dl-scenecard.dl-open")).to_have_attribute("data-scene", "4")
    elsewhere.close()

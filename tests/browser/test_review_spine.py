"""A reviewer's day without a mouse: the next assigned video, a frame, a cut, a field, a spoken word, on."""

from __future__ import annotations

from pathlib import Path

from annotation.records.captions_to_verdicts import Text
from annotation.records.videos import Scene, Segment
from tests.browser.conftest import Server, open_page
from tests.browser.desk import Desk
from tests.browser.test_queue import SAMPLE, add_clips

MOUSE = """for (const kind of ['mousedown', 'mousemove', 'pointerdown', 'wheel', 'touchstart', 'dragstart'])
  addEventListener(kind, () => window.mouseSeen(kind), true);"""
LAST_LINE = """document.activeElement.matches('textarea') &&
  document.activeElement.closest('.dl-segment') === [...document.querySelectorAll('.dl-segment')].at(-1)"""
SHOWN = ".dl-frameline b"
CUT = 1200
"""Where the ninth scene of the sample begins."""


def test_a_video_is_reviewed_without_a_mouse(server: Server, page, tmp_path: Path) -> None:
    add_clips(server, tmp_path, "aardvark")
    seen: list[str] = []
    page.expose_function("mouseSeen", lambda kind: seen.append(kind))
    page.add_init_script(MOUSE)
    with Desk(server) as desk:
        before = _cuts(desk)
        desk.give(desk.owner, [SAMPLE, "aardvark"])
        _open_my_work(server, page)
        _go_to_the_last_cut(page)
        _move_the_cut(page)
        _correct_the_scene(page)
        spoken = _correct_the_speech(page, desk)
        page.keyboard.press("Control+Enter")
        page.locator("h1", has_text="aardvark").wait_for()
        page.locator(".dl-queue-mine", has_text="script · working").wait_for()
        page.get_by_role("tab", name="script", selected=True).wait_for()
        assert desk.states(desk.owner) == {SAMPLE: "done", "aardvark": "working"}
        assert _cuts(desk) == [*before[:-1], before[-1] + 1]
        _the_words_are_kept(desk, spoken)
    assert seen == []


def _open_my_work(server: Server, page) -> None:
    open_page(page, server.url)
    page.locator(".dl-resume", has_text="2 of 2 videos left").wait_for()
    page.keyboard.press("g")
    page.wait_for_url("**/script?*")
    page.locator(".dl-queue-mine", has_text="script · working").wait_for()
    page.wait_for_selector(".dl-shown.dl-is-confirmed")


def _go_to_the_last_cut(page) -> None:
    """The end, back to the cut, and three frames on."""
    page.keyboard.press("End")
    page.wait_for_selector(".dl-scenecard.dl-open[data-scene='9']")
    page.keyboard.press("Shift+ArrowLeft")
    _at(page, CUT)
    for n in range(1, 4):
        page.keyboard.press(".")
        _at(page, CUT + n)


def _at(page, index: int) -> None:
    page.locator(SHOWN, has_text=f"#{index:,}").wait_for()
    page.wait_for_selector(".dl-shown.dl-is-confirmed")


def _move_the_cut(page) -> None:
    page.keyboard.press("b")
    _at(page, CUT + 1)
    page.locator(".dl-scenecard.dl-open[data-scene='9']").wait_for()
    page.locator(".dl-cutabout", has_text="1 cut by a person").or_(
        page.locator(".dl-cutabout", has_text="1 cut by root")
    ).first.wait_for()


def _correct_the_scene(page) -> None:
    page.keyboard.press("c")
    camera = page.get_by_role("textbox", name="camera movement")
    page.wait_for_function("document.activeElement.getAttribute('aria-label') === 'camera movement'")
    page.keyboard.press("Control+a")
    page.keyboard.type("The camera stays still at the landing stage.")
    page.locator(".dl-field-camera_movement .dl-saved-saved").wait_for()
    assert camera.input_value().endswith("landing stage.")
    page.keyboard.press("Escape")


def _correct_the_speech(page, desk: Desk) -> bool:
    """The first word of what is said at the end; False where nothing could be heard."""
    if not desk.store.count(Segment):
        return False
    page.keyboard.press("7")
    page.wait_for_selector(".dl-segment")
    page.keyboard.press("e")
    page.wait_for_function(LAST_LINE)
    page.keyboard.press("Control+Home")
    page.keyboard.press("Control+Shift+ArrowRight")
    page.keyboard.type("Moored ")
    return True


def _cuts(desk: Desk) -> list[int]:
    now = desk.store.scene_list(desk.video(SAMPLE).id)
    assert now
    scenes = desk.store.find(Scene, scene_list_id=now.id, order_by=["index"])
    return [scene.start_frame for scene in scenes[1:]]


def _the_words_are_kept(desk: Desk, spoken: bool) -> None:
    store, video = desk.store, desk.video(SAMPLE).id
    texts = store.find(Text, video_id=video, kind="script:camera_movement")
    written = [now.value for now in store.currents("text", [t.id for t in texts], "value").values()]
    assert "The camera stays still at the landing stage." in written
    said = store.currents("segment", [s.id for s in store.find(Segment, video_id=video)], "text").values()
    assert not spoken or [now.value for now in said if str(now.value).startswith("Moored ")]

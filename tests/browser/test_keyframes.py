"""The Keyframes page: candidates, why each was kept or dropped, and one's own row."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from PIL import Image

from annotation.systems.progress_captioner.keyframe_rows_by_method import agreement
from tests.browser.conftest import Server, expect, open_page

CURRENT = ".dl-kf-frame[aria-current=true]"


def data(page, server: Server) -> dict[str, Any]:
    video = page.request.get(f"{server.url}/api/library").json()["videos"][0]["id"]
    return page.request.get(f"{server.url}/api/keyframes/{video}?player=false").json()


def wait_for_frame(page, index: int) -> None:
    page.wait_for_function(f"document.querySelector('.dl-frameline b').textContent === '#{index:,}'")
    page.wait_for_selector(".dl-shown.dl-is-confirmed")


def test_arrows_move_through_candidates_and_the_player_follows(server: Server, page) -> None:
    open_page(page, f"{server.url}/keyframes")
    indices = [f["index"] for f in data(page, server)["frames"]]
    assert page.locator(".dl-kf-frame").count() == len(indices) == 24
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    wait_for_frame(page, indices[2])
    assert page.locator(CURRENT).get_attribute("data-index") == str(indices[2])
    page.wait_for_function(f"location.search.includes('frame={indices[2]}')")
    page.keyboard.press("End")
    wait_for_frame(page, indices[-1])
    page.wait_for_function(f"location.search.includes('frame={indices[-1]}')")  # written a few times a second
    assert page.locator(CURRENT).is_visible()
    # The name of the row stays in sight however far the strip is scrolled.
    assert page.locator(".dl-kf-row[data-name=uniform] .dl-kf-name").bounding_box()["x"] < 5
    page.reload()
    page.wait_for_selector(CURRENT)
    assert page.locator(CURRENT).get_attribute("data-index") == str(indices[-1])


def test_one_row_per_method_shows_what_it_kept(server: Server, page) -> None:
    open_page(page, f"{server.url}/keyframes")
    rows = {row["key"]: row["frames"] for row in data(page, server)["rows"]}
    shown = {
        "progression:budget": "progression",
        "uniform:budget": "uniform",
        "clusters:budget": "clusters",
    }
    for key, name in shown.items():
        row = page.locator(f".dl-kf-row[data-name={name}]")
        assert row.locator(".dl-kf-lit").count() == len(rows[key]) == 6
        expect(row).to_contain_text(f"{len(rows[key])} of 24", use_inner_text=True)
        assert re.search(r"alike 0\.\d\d", row.inner_text())
    assert page.locator(".dl-kf-row[data-name=progression] .dl-badge-baseline").is_visible()
    page.keyboard.press("s")
    for key, name in {"progression": "progression", "uniform:progression": "uniform"}.items():
        expect(page.locator(f".dl-kf-row[data-name={name}] .dl-kf-lit")).to_have_count(len(rows[key]))
    page.keyboard.press("s")
    for key, name in {"uniform:clusters": "uniform", "clusters": "clusters"}.items():
        assert page.locator(f".dl-kf-row[data-name={name}] .dl-kf-lit").count() == len(rows[key])
    assert "size=clusters" in page.url


def test_the_fixed_size_is_changed_by_key_and_rows_alike_are_one(server: Server, page) -> None:
    open_page(page, f"{server.url}/keyframes")
    row = page.locator(".dl-kf-row[data-name=progression]")
    expect(row.locator(".dl-kf-lit")).to_have_count(6)
    page.keyboard.press("+")
    expect(row.locator(".dl-kf-lit")).to_have_count(7)
    page.keyboard.press("-")
    expect(row.locator(".dl-kf-lit")).to_have_count(6)
    open_page(page, f"{server.url}/keyframes?budget=24")
    expect(row.locator(".dl-kf-lit")).to_have_count(24)
    expect(row).to_contain_text("uniform and clusters keep the same frames")
    assert page.locator(".dl-kf-row[data-name=uniform], .dl-kf-row[data-name=clusters]").count() == 0
    with page.expect_download(timeout=60_000) as got:
        page.keyboard.press("Shift+e")
        page.locator("[data-name=export-animation]").click()
    assert Image.open(got.value.path()).n_frames == 24


def test_a_gap_tells_why_the_second_frame_was_kept_or_dropped(server: Server, page) -> None:
    open_page(page, f"{server.url}/keyframes")
    found = data(page, server)
    for wanted in ("yes", "no"):
        pair = next(p for p in found["pairs"] if p["label"] == wanted)
        gap = page.locator(f"[data-gap='{pair['frames'][1]}']")
        gap.hover()
        words = page.locator(".dl-kf-pop").inner_text()
        assert wanted in words and ("kept: " if wanted == "yes" else "dropped: no progress") in words
        assert f"picture difference {pair['difference']:.2f} of 0-1" in words
    page.mouse.move(5, 5)
    page.wait_for_selector(".dl-kf-pop", state="hidden")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("r")
    assert page.locator(".dl-kf-pair pre").inner_text() == found["pairs"][0]["raw"]


def test_ones_own_row_is_picked_saved_and_compared(server: Server, page) -> None:
    open_page(page, f"{server.url}/keyframes")
    before = data(page, server)
    indices = [f["index"] for f in before["frames"]]
    uniform = next(s["frames"] for s in before["rows"] if s["key"] == "uniform:budget")
    page.keyboard.press("x")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.locator(f"[data-own='{indices[3]}']").click()
    page.locator(f"[data-own='{indices[3]}']").click()
    page.locator(f"[data-own='{indices[4]}']").click()
    page.wait_for_selector(".dl-kf-mine .dl-saved-saved")
    mine = {indices[0], indices[1], indices[4]}
    saved = next(s for s in data(page, server)["rows"] if s["method"] == "person")
    assert set(saved["frames"]) == mine
    a = agreement(indices, uniform, sorted(mine))
    agreed = page.locator(".dl-kf-row[data-name=uniform] .dl-kf-agree")
    expect(agreed).to_have_text(f"F1 {a.f1:.2f}")
    assert f"precision {a.precision:.2f} ({a.matched} of {len(uniform)})" in agreed.get_attribute("title")
    page.locator("[data-name=size-person]").click()
    expect(page.locator(".dl-kf-row[data-name=uniform] .dl-kf-lit")).to_have_count(3)
    page.reload()
    page.wait_for_selector(".dl-kf-mine .dl-kf-lit")
    expect(page.locator(".dl-kf-mine .dl-kf-lit")).to_have_count(3)
    expect(page.locator(".dl-kf-mine")).to_contain_text("3 of 24", use_inner_text=True)


def test_picks_are_saved_when_the_page_is_left_at_once(server: Server, page) -> None:
    open_page(page, f"{server.url}/keyframes")
    page.keyboard.press("x")
    page.goto(f"{server.url}/split")
    page.wait_for_selector(".dl-sx-row")
    rows = [s["frames"] for s in data(page, server)["rows"] if s["method"] == "person"]
    assert rows == [[0]]


def test_a_corrected_caption_is_saved_and_its_wording_looked_at(server: Server, page) -> None:
    open_page(page, f"{server.url}/keyframes")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type("The <i>boat</i> is nearer than in the previous frame.")
    page.wait_for_selector(".dl-editor .dl-saved-saved")
    page.wait_for_selector(".dl-kf-wording .dl-is-flagged")
    expect(page.locator(".dl-kf-wording q")).to_have_text("previous frame", use_inner_text=True)
    page.wait_for_selector(".dl-kf-verdict .dl-is-stale")
    expect(page.locator(".dl-kf-captions")).to_contain_text("<i>boat</i>", use_inner_text=True)
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    page.keyboard.press("Control+Enter")
    assert page.locator(CURRENT).get_attribute("data-index") == str(data(page, server)["frames"][2]["index"])


def test_a_video_without_frame_captions_says_what_to_do(empty_server: Server, page) -> None:
    record = {"video": "v_1.mp4", "caption": "A robot.", "spatial_caption": "A robot."}
    body = {"name": "metadata.json", "mimeType": "application/json", "buffer": json.dumps([record]).encode()}
    assert page.request.post(f"{empty_server.url}/api/files", multipart={"files": body}).ok
    open_page(page, f"{empty_server.url}/keyframes")
    assert page.get_by_role("link", name="Run it from the Library").is_visible()
    assert page.locator(".dl-kf-strip").is_hidden()


def label_now(page, server: Server) -> str:
    video = page.request.get(f"{server.url}/api/library").json()["videos"][0]["id"]
    return page.request.get(f"{server.url}/api/keyframes/{video}?player=false").json()["video"]["action"]


def test_the_reply_to_one_action_label_does_not_overwrite_the_next(server: Server, page) -> None:
    open_page(page, f"{server.url}/keyframes")
    field = page.get_by_role("textbox", name="Action label")
    waiting: list[Any] = []
    page.route("**/action", lambda route: route.continue_() if waiting else waiting.append(route))
    with page.expect_request("**/action"):
        page.keyboard.press("a")
        expect(field).to_be_focused()
        page.keyboard.type("a boat")
        page.keyboard.press("Enter")
    page.keyboard.press("a")
    page.keyboard.press("End")
    page.keyboard.type(" is folded")
    with page.expect_response(lambda reply: "player=false" in reply.url):
        waiting[0].continue_()
    expect(field).to_have_value("a boat is folded")
    expect(field).to_be_focused()
    with page.expect_response("**/action"):
        page.keyboard.press("Enter")
    assert label_now(page, server) == "a boat is folded"


@pytest.mark.expect_console("Failed to load resource")
@pytest.mark.expect_console("the server does not answer")
def test_an_action_label_that_is_not_saved_yet_outlives_a_reload(server: Server, page) -> None:
    open_page(page, f"{server.url}/keyframes")
    field = page.get_by_role("textbox", name="Action label")
    page.route("**/action", lambda route: route.abort())
    page.keyboard.press("a")
    page.keyboard.type("a boat is folded")
    page.keyboard.press("Enter")
    page.get_by_text("the server does not answer").wait_for()
    page.keyboard.press("Control+Enter")
    page.get_by_text("Action label: not saved yet").wait_for()
    page.reload()
    expect(field).to_have_value("a boat is folded")
    assert label_now(page, server) == "a boat is folded"


@pytest.mark.expect_console("Failed to load resource")
@pytest.mark.expect_console("no video")
@pytest.mark.parametrize("name", ["script", "split", "keyframes"])
def test_keys_on_the_page_of_a_video_that_is_gone_say_so(server: Server, page, name: str) -> None:
    page.goto(f"{server.url}/{name}?video=vid-gone")
    page.get_by_text("This page could not be shown: there is no video 'vid-gone'").wait_for()
    for key in ("Control+Enter", "ArrowDown", "e", "a", "1"):
        page.keyboard.press(key)
        page.wait_for_timeout(50)
    page.get_by_text("No video is open here.").first.wait_for()
    assert "undefined" not in page.locator(".dl-notices").inner_text()


def test_a_study_of_one_model_says_what_it_needs(server: Server, page) -> None:
    open_page(page, f"{server.url}/keyframes?view=study")
    page.locator("[data-name=new-study]").click()
    expect(page.locator("[data-name=too-few]")).to_contain_text("A study compares at least two models")
    expect(page.locator("[data-name=make-study]")).to_be_disabled()


def test_all_candidates_fit_a_wide_screen_and_the_whole_screen_shows_them_alone(server: Server, page) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_page(page, f"{server.url}/keyframes")
    strip = page.locator(".dl-kf-strip")
    expect(page.locator(".dl-kf-frame")).to_have_count(24)
    assert strip.evaluate("(node) => node.scrollWidth <= node.clientWidth")
    page.keyboard.press("Shift+f")
    expect(page.locator(".dl-bar")).to_be_hidden()
    expect(page.locator(".dl-kf-tools")).to_be_hidden()
    expect(strip).to_be_visible()
    page.keyboard.press("Shift+f")
    expect(page.locator(".dl-bar")).to_be_visible()

"""Label and Study on the Keyframes page, by keyboard: blind at first, and names when a study is closed."""

from __future__ import annotations

import json
from typing import Any

from exports.progress_captioner.progcap_frame_names import query
from tests.browser.conftest import Server, expect, open_page
from tests.browser.slow import slow_replies

TITLE = "A paper boat's day"
MODELS = ("first-model", "second-model", "third-model")
LATE_MS = 300
STRIP_SEEN = """
window.stripSeen = 0;
(function look() {
  if (document.querySelector('.dl-kf-strip > *')?.checkVisibility()) window.stripSeen += 1;
  requestAnimationFrame(look);
})();
"""
"""Counts the pictures of the page in which the strip, and with it what the judges say, was to be seen."""


def captions_of(model: str) -> bytes:
    """The public format, for seconds of the sample's clip."""
    rows = [
        {
            "idx": f"{n:04d}",
            "action_label": "sailing",
            "n_frames": 3,
            "query0": "",
            "image_files": [f"data/{TITLE}/frame{s:03d}.png" for s in seconds],
            "response0": "\n".join(f"<Frame {i}>: {model} <b>says</b> {i} of {n}." for i in (1, 2, 3)),
        }
        for n, seconds in enumerate(((1, 6, 11), (14, 18, 22)))
    ]
    return json.dumps(rows).encode()


def bring(server: Server, page) -> None:
    """Three models' captions."""
    for model in MODELS:
        body = {"name": f"{model}.json", "mimeType": "application/json", "buffer": captions_of(model)}
        answer = page.request.post(f"{server.url}/api/files", multipart={"files": body})
        assert answer.ok and answer.json()["files"][0]["format"] == "progcap"


def test_pairs_are_labelled_and_a_study_is_made_chosen_in_and_closed(server: Server, page) -> None:
    bring(server, page)
    open_page(page, f"{server.url}/keyframes?view=label")
    pairs = page.locator(".dl-fl-pair")
    expect(page.locator(".dl-fl-frame img")).to_have_count(2)
    heard = page.locator(".dl-fl-heard")
    expect(heard).to_have_count(0)
    page.keyboard.press("1")
    expect(pairs.nth(0).locator(".dl-is-yes")).to_be_visible()
    expect(pairs.nth(1)).to_have_attribute("aria-selected", "true")  # the next open pair comes by itself
    expect(heard).to_have_count(0)
    page.keyboard.press("2")
    expect(pairs.nth(2)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-name=label-no]")).to_have_attribute("aria-pressed", "true")
    expect(heard).to_be_visible()
    page.keyboard.press("Control+z")
    expect(pairs.nth(1).locator(".dl-is-open")).to_be_visible()
    expect(heard).to_have_count(0)

    # --- a study over the same videos
    page.get_by_role("tab", name="Study").click()
    page.locator("[data-name=new-study]").click()
    page.get_by_label("Name of the study").fill("which caption")
    for model in MODELS:
        page.get_by_role("checkbox", name=model).check()
    page.locator("[data-name=make-study]").click()
    captions = page.locator(".dl-fs-caption:not(.dl-fs-none)")
    expect(captions).to_have_count(3)
    order = [captions.nth(n).locator(".dl-fs-words").inner_text() for n in range(3)]
    assert sorted(words.split()[0] for words in order) == sorted(MODELS)  # what models wrote is only text
    assert all("<b>says</b>" in words for words in order)
    page.keyboard.press("2")
    expect(captions.nth(1)).to_have_class("dl-fs-caption dl-fs-best ")
    page.keyboard.press("3")
    expect(captions.nth(2).get_by_text("second", exact=True)).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".dl-fs-frame[aria-current=true]")).to_have_attribute("data-n", "1")
    page.keyboard.press("0")
    expect(page.locator(".dl-fs-none")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".dl-fs-head")).to_contain_text("2 of 6 frames chosen by you")
    page.reload()
    expect(page.locator(".dl-fs-head")).to_contain_text("2 of 6 frames chosen by you")
    page.locator("[data-name=close-study]").click()
    page.locator("[data-name=agree]").click()
    table = page.locator(".dl-fs-result")
    expect(table).to_be_visible()
    best = order[1].split()[0]
    expect(table.locator("tr", has_text=best)).to_contain_text("50.0 % 1 of 2")
    expect(table.locator("tr", has_text="none").last).to_contain_text("50.0 % 1 of 2")


def test_undo_takes_back_the_last_label_however_late_the_one_before_is(server: Server, page) -> None:
    """Three keys in a row while the first label takes long on its way."""
    held: list[Any] = []

    def first_is_late(route) -> None:
        if route.request.method == "POST" and not held:
            held.append(route)
            page.wait_for_timeout(600)
        route.continue_()

    bring(server, page)
    open_page(page, f"{server.url}/keyframes?view=label")
    page.locator(".dl-fl-frame img").first.wait_for()
    page.route("**/api/frame-labels", first_is_late)
    for key in ("1", "2", "Control+z"):
        page.keyboard.press(key)
    page.locator("[data-name=undone]").wait_for()
    pairs = page.locator(".dl-fl-pair")
    expect(pairs.nth(1).locator(".dl-is-open")).to_be_visible()
    expect(pairs.nth(0).locator(".dl-is-yes")).to_be_visible()
    page.unroute_all(behavior="wait")


def test_a_link_to_a_blind_view_never_shows_the_strip(server: Server, page) -> None:
    bring(server, page)
    slow_replies(page, LATE_MS)
    page.add_init_script(STRIP_SEEN)
    for view, there in (("label", ".dl-fl-frame img"), ("study", ".dl-fs [data-name=new-study]")):
        open_page(page, f"{server.url}/keyframes?view={view}")
        page.wait_for_selector(there)
        assert page.evaluate("window.stripSeen") == 0, view
    page.get_by_role("tab", name="Strip").press("Enter")
    page.wait_for_selector(".dl-kf-frame[aria-current=true]")
    assert page.evaluate("window.stripSeen") > 0


def test_an_arrow_after_a_click_on_the_tab_of_a_blind_view_stays_there(server: Server, page) -> None:
    bring(server, page)
    page.add_init_script(STRIP_SEEN)
    open_page(page, f"{server.url}/keyframes?view=label")
    pairs = page.locator(".dl-fl-pair")
    expect(page.locator(".dl-fl-frame img")).to_have_count(2)
    tab = page.get_by_role("tab", name="Label")
    page.route("**/api/frame-labels/**", lambda route: (page.wait_for_timeout(500), route.continue_()))
    tab.click()
    page.keyboard.press("ArrowRight")  # also while the view comes anew
    expect(pairs.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowLeft")
    expect(pairs.first).to_have_attribute("aria-selected", "true")
    expect(tab).to_have_attribute("aria-selected", "true")
    page.unroute_all(behavior="wait")
    assert page.evaluate("window.stripSeen") == 0


def test_letters_typed_when_the_field_was_hidden_run_nothing(server: Server, page) -> None:
    bring(server, page)
    open_page(page, f"{server.url}/keyframes")
    page.get_by_label("Action label").click()
    page.keyboard.type("sail")
    page.evaluate("document.querySelector('.dl-kf-actionbox').hidden = true")
    page.wait_for_function("document.activeElement === document.body")
    frame = page.locator(".dl-kf-frame[aria-current=true]").get_attribute("data-index")
    page.keyboard.type("jump")
    expect(page.locator(".dl-notices")).to_contain_text("Not written: “jump”")
    assert page.locator(".dl-kf-frame[aria-current=true]").get_attribute("data-index") == frame


def give(server: Server, page, name: str, rows: list[dict[str, Any]]) -> None:
    """A file of these captions."""
    body = {"name": name, "mimeType": "application/json", "buffer": json.dumps(rows).encode()}
    assert page.request.post(f"{server.url}/api/files", multipart={"files": body}).ok


def begin_study(server: Server, page, name: str, runs: tuple[str, ...]) -> None:
    open_page(page, f"{server.url}/keyframes?view=study")
    page.locator("[data-name=new-study]").press("Enter")
    expect(page.get_by_label("Name of the study")).to_be_focused()
    page.keyboard.type(name)
    for run in runs:
        page.get_by_role("checkbox", name=run).focus()
        page.keyboard.press("Space")
    page.locator("[data-name=make-study]").press("Enter")
    expect(page.locator(".dl-fs-caption:not(.dl-fs-none)")).to_have_count(len(runs))


def close_study(page):
    """The rows of its result."""
    page.locator("[data-name=close-study]").press("Enter")
    page.locator("[data-name=agree]").press("Enter")
    return page.locator(".dl-fs-result tbody tr")


def test_two_runs_of_one_model_are_two_in_a_study(server: Server, page) -> None:
    for mode in "ab":
        rows = [
            row | {"query0": query(3, "sailing", mode), "model": "llava"}
            for row in json.loads(captions_of(f"mode-{mode}"))
        ]
        give(server, page, f"run-{mode}.json", rows)
    begin_study(server, page, "two modes", ("llava · mode a", "llava · mode b"))
    captions = page.locator(".dl-fs-caption:not(.dl-fs-none)")
    for n in range(6):  # what mode a says is the best of every frame
        expect(page.locator(".dl-fs-head")).to_contain_text(f"{n} of 6 frames chosen by you")
        expect(page.locator(".dl-fs-frame[aria-current=true]")).to_have_attribute("data-n", str(n % 3))
        words = [captions.nth(i).locator(".dl-fs-words").inner_text() for i in range(2)]
        page.keyboard.press("1" if words[0].startswith("mode-a") else "2")
        expect(page.locator(".dl-fs-head")).to_contain_text(f"{n + 1} of 6 frames chosen by you")
        page.keyboard.press("Control+Enter")
    table = close_study(page)
    expect(table).to_have_count(3)
    expect(table.filter(has_text="llava · mode a")).to_contain_text("100.0 % 6 of 6")
    expect(table.filter(has_text="llava · mode b")).to_contain_text("0.0 % 0 of 6")


def test_rows_of_a_study_are_those_of_its_runs_whatever_they_are_called(server: Server, page) -> None:
    """The last row, of frames for which no caption would do, is called none too."""
    for model in ("none", "llava"):
        give(
            server, page, f"{model}.json", [row | {"model": model} for row in json.loads(captions_of(model))]
        )
    begin_study(server, page, "called none", ("none", "llava"))
    page.keyboard.press("0")
    expect(page.locator(".dl-fs-head")).to_contain_text("1 of 6 frames chosen by you")
    table = close_study(page)
    expect(table).to_have_count(3)
    expect(table.filter(has_text="none").first).to_contain_text("0.0 % 0 of 1")
    expect(table.last).to_contain_text("100.0 % 1 of 1")

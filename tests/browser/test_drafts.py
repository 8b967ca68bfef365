"""What people type is stored, under their name; nothing is called saved or done before the server has it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk
from tests.browser.slow import NEVER_SAVED
from tests.browser.test_queue import SAMPLE, add_clips
from tests.browser.test_script import wait_open

OFFLINE = "ERR_INTERNET_DISCONNECTED"
LATER_MS = 16_000
"""After that long a page has sent every draft that it may send."""
OLD_MS = 8_000
"""As old is a draft then, when a page looks for those to send, that nobody types in it any more."""
TITLE, CONTENT = "title", "content"


def field(page, name: str = TITLE):
    return page.get_by_role("textbox", name=name, exact=True)


def state(page, name: str):
    """The line that says whether a text is saved."""
    return page.locator(".dl-editor", has=field(page, name)).locator(".dl-saved")


def written(server: Server, **where: Any) -> dict[str, str]:
    """Persons' texts that count: {name of the writer: words}."""
    with Desk(server) as desk:
        texts = [text for text in desk.store.find(Text, **where) if text.person_id]
        now = desk.store.currents("text", [text.id for text in texts], "value")
        names = {person.id: person.name for person in desk.store.find(Person)}
        here = [text for text in texts if not now[text.id].superseded]
        return {names[text.person_id or ""]: str(now[text.id].value) for text in here}


def corrections_by(server: Server, person: Person) -> list[str]:
    """Every value that was ever stored under a person's name."""
    query = "SELECT value FROM correction WHERE person_id = ?"
    with closing(sqlite3.connect(server.workspace / "dailies.db")) as db:
        return [row[0] for row in db.execute(query, (person.id,))]


@pytest.fixture
def clips(server: Server, tmp_path: Path) -> Server:
    """Two more videos, whose scenes have no texts."""
    add_clips(server, tmp_path, "aardvark", "beetle")
    return server


def open_clip(page, server: Server, title: str = "aardvark") -> str:
    """Its id; the title of its only scene is not written."""
    with Desk(server) as desk:
        video = desk.video(title).id
    open_page(page, f"{server.url}/script?video={video}")
    wait_open(page, 1)
    expect(page.locator(".dl-editor", has=field(page))).to_contain_text("not written")
    return video


# --- new texts ------------------------------------------------------------------------


def test_a_new_text_saves_itself_and_is_written_not_corrected(clips: Server, page) -> None:
    video = open_clip(page, clips)
    field(page).focus()
    page.keyboard.type("Noise")
    expect(state(page, TITLE)).to_contain_text("Saved")
    page.keyboard.type(", and more")
    until(lambda: list(written(clips, video_id=video).values()) == ["Noise, and more"], page)
    editor = page.locator(".dl-editor", has=field(page))
    expect(editor).to_contain_text("written by")
    expect(editor).not_to_contain_text("corrected")
    page.reload()
    expect(field(page)).to_have_value("Noise, and more")
    expect(page.locator(".dl-scenecard.dl-open")).to_contain_text("written by")
    expect(page.locator(".dl-scenecard.dl-open")).not_to_contain_text("corrected")


def test_done_waits_until_a_new_text_is_stored(clips: Server, page) -> None:
    with Desk(clips) as desk:
        desk.give(desk.owner, ["aardvark", "beetle"])
    video = open_clip(page, clips)
    page.locator(".dl-queue-mine", has_text="script · working").wait_for()
    field(page).focus()
    page.keyboard.type("Just noise")
    page.keyboard.press("Control+Shift+Enter")
    expect(page.locator("h1")).to_have_text("beetle")
    assert list(written(clips, video_id=video).values()) == ["Just noise"]


@pytest.mark.expect_console(OFFLINE)
def test_nothing_is_done_and_nobody_goes_on_while_a_text_is_not_saved(clips: Server, page) -> None:
    with Desk(clips) as desk:
        desk.give(desk.owner, ["aardvark", "beetle"])
    video = open_clip(page, clips)
    page.locator(".dl-queue-mine", has_text="script · working").wait_for()
    page.context.set_offline(True)
    field(page).focus()
    page.keyboard.type("Typed without a server")
    expect(state(page, TITLE)).to_contain_text("kept in this browser: the server does not answer")
    refused = page.locator(".dl-notice", has_text="Not everything is saved").first
    ways = ["Control+Shift+Enter", "Control+Enter", "Escape", "n"]
    for way in ways:
        page.keyboard.press(way)
        if way != "Escape":
            refused.wait_for()
            page.locator(".dl-notice button").first.click()
    page.get_by_role("link", name="Keyframes").first.press("Enter")
    refused.wait_for()
    assert f"video={video}" in page.url and "/script" in page.url
    with Desk(clips) as desk:
        assert desk.states(desk.owner)["aardvark"] == "working"
    page.context.set_offline(False)
    expect(state(page, TITLE)).to_contain_text("Saved")  # by itself
    page.keyboard.press("Control+Shift+Enter")
    expect(page.locator("h1")).to_have_text("beetle")
    assert list(written(clips, video_id=video).values()) == ["Typed without a server"]


UNSENT = """() => new Promise((done) => {
  indexedDB.open('dailies-drafts').onsuccess = ({ target: { result } }) => {
    const found = result.transaction('drafts').objectStore('drafts').getAll();
    found.onsuccess = () => done(found.result.length);
  };
})"""


@pytest.mark.expect_console("409")
@pytest.mark.parametrize("met", [False, True])
def test_done_looks_for_what_was_typed_on_a_page_before(clips: Server, page, met: bool) -> None:
    """`met`: somebody else has written the same text since; without that, the words go out first."""
    with Desk(clips) as desk:
        desk.give(desk.owner, ["aardvark", "beetle"])
    video = open_clip(page, clips)
    field(page).focus()
    page.keyboard.type("Noise")
    expect(state(page, TITLE)).to_contain_text("Saved")
    page.evaluate(NEVER_SAVED)
    page.keyboard.type(", typed before a crash")
    until(lambda: page.evaluate(UNSENT) == 1, page)
    if met:
        with Desk(clips) as desk:
            text = desk.store.find(Text, video_id=video, kind="script:scene_title")[0]
            now = desk.store.current("text", text.id, "value").revision
            desk.store.correct(
                "text", text.id, "value", "Another title", person_id=desk.owner.id, base_revision=now
            )
    page.goto(f"{clips.url}/script?video={video}&tab=camera")
    page.locator(".dl-queue-mine", has_text="script · working").wait_for()
    page.keyboard.press("Control+Shift+Enter")
    if met:
        page.locator(".dl-notice", has_text="which is not saved: title").wait_for()
        expect(page.locator("h1")).to_have_text("aardvark")
        page.keyboard.press("Control+Shift+Enter")
    expect(page.locator("h1")).to_have_text("beetle")
    left = "Another title" if met else "Noise, typed before a crash"
    assert list(written(clips, video_id=video).values()) == [left]


@pytest.mark.expect_console("403")
def test_done_names_again_what_was_typed_on_since(clips: Server, page) -> None:
    with Desk(clips) as desk:
        desk.give(desk.owner, ["aardvark", "beetle"])
    open_clip(page, clips)
    field(page).focus()
    page.keyboard.type("Noise")
    expect(state(page, TITLE)).to_contain_text("Saved")
    page.route("**/api/edit", lambda route: route.fulfill(status=403, json={"error": "not yours any more"}))
    refusal = page.locator(".dl-notice", has_text="which is not saved: title")
    for more in (" and light", " and more"):
        page.get_by_role("tab", name="script", exact=True).click()
        field(page).focus()
        page.keyboard.type(more)
        expect(state(page, TITLE)).to_contain_text("not yours any more")
        page.get_by_role("tab", name="camera", exact=True).click()
        page.keyboard.press("Control+Shift+Enter")
        refusal.last.wait_for()
        expect(page.locator("h1")).to_have_text("aardvark")
        refusal.last.get_by_role("button").click()
    page.keyboard.press("Control+Shift+Enter")
    expect(page.locator("h1")).to_have_text("beetle")


@pytest.mark.expect_console("409")
def test_two_windows_that_write_one_text_make_one(clips: Server, page, browser) -> None:
    video = open_clip(page, clips)
    other = browser.new_page(viewport={"width": 1280, "height": 720})
    open_clip(other, clips)
    field(other).focus()  # a text that nobody is in would show the first one's words
    field(page).focus()
    page.keyboard.type("From the first")
    expect(state(page, TITLE)).to_contain_text("Saved")
    other.keyboard.type("From the second")
    other.locator(".dl-conflict").wait_for()
    other.get_by_role("button", name="Keep this one").press("Enter")
    expect(state(other, TITLE)).to_contain_text("Saved")
    other.close()
    with Desk(clips) as desk:
        assert len([t for t in desk.store.find(Text, video_id=video) if t.person_id]) == 1
    assert list(written(clips, video_id=video).values()) == ["From the second"]


def test_what_is_typed_while_a_choice_is_shown_is_kept_with_it(clips: Server, page, browser) -> None:
    video = open_clip(page, clips)
    other = browser.new_page(viewport={"width": 1280, "height": 720})
    open_clip(other, clips)
    field(other).focus()
    field(page).focus()
    page.keyboard.type("From the first")
    expect(state(page, TITLE)).to_contain_text("Saved")
    other.keyboard.type("From")
    other.locator(".dl-conflict").wait_for()
    other.keyboard.type(" the second")
    other.get_by_role("button", name="Keep this one").press("Enter")
    expect(state(other, TITLE)).to_contain_text("Saved")
    other.close()
    assert list(written(clips, video_id=video).values()) == ["From the second"]


@pytest.mark.expect_console(OFFLINE)
def test_a_draft_that_is_being_sent_elsewhere_stays_with_what_was_typed_since(clips: Server, page) -> None:
    """Another page sends what waits in this browser; meanwhile somebody opens the text and types on."""
    video = open_clip(page, clips)
    page.context.set_offline(True)
    field(page).focus()
    page.keyboard.type("Noise")
    expect(state(page, TITLE)).to_contain_text("kept in this browser")
    page.goto("about:blank")
    page.context.set_offline(False)
    page.wait_for_timeout(OLD_MS)
    held: list[Any] = []
    page.route("**/api/text", lambda route: held.append(route))
    open_page(page, f"{clips.url}/keyframes")
    until(lambda: bool(held), page)
    with page.expect_popup() as opened:
        page.evaluate("() => void window.open('about:blank')")
    other = opened.value
    other.route(
        "**/api/**", lambda route: route.abort() if route.request.method == "POST" else route.continue_()
    )
    open_page(other, f"{clips.url}/script?video={video}")
    wait_open(other, 1)
    expect(field(other)).to_have_value("Noise")
    field(other).focus()
    other.keyboard.press("End")
    other.keyboard.type(" of rain")
    expect(state(other, TITLE)).to_contain_text("kept in this browser")
    held[0].continue_()
    until(lambda: list(written(clips, video_id=video).values()) == ["Noise"], page)
    page.wait_for_timeout(300)
    assert page.evaluate(UNSENT) == 1
    other.goto("about:blank")
    other.unroute("**/api/**")
    open_page(other, f"{clips.url}/script?video={video}")
    wait_open(other, 1)
    expect(field(other)).to_have_value("Noise of rain")
    other.close()


def test_a_caption_and_a_side_of_the_split_save_themselves(server: Server, page) -> None:
    with Desk(server) as desk:
        video = desk.video(SAMPLE).id
    open_page(page, f"{server.url}/script?video={video}&tab=camera")
    field(page, "my camera caption").focus()
    page.keyboard.type("A slow pan to the left.")
    expect(state(page, "my camera caption")).to_contain_text("Saved")
    assert list(written(server, kind="vdc:camera").values()) == ["A slow pan to the left."]
    open_page(page, f"{server.url}/split?video={video}")
    page.locator("[data-column=spatial]").wait_for()
    texts = page.request.get(f"{server.url}/api/split/{video}").json()["texts"]
    if texts["spatial"] is None:
        page.keyboard.press("2")
        field(page, "spatial text").wait_for()
        page.keyboard.type("A boat on a stream.")
        page.keyboard.press("Escape")
        kind = "carebench:spatial"
        until(lambda: list(written(server, kind=kind).values()) == ["A boat on a stream."], page)


def test_a_text_whose_letters_are_all_deleted_is_not_written_again(clips: Server, page) -> None:
    video = open_clip(page, clips)
    field(page).focus()
    page.keyboard.type("x")
    expect(state(page, TITLE)).to_contain_text("Saved")
    page.keyboard.press("Backspace")
    until(lambda: not written(clips, video_id=video), page)
    page.reload()
    wait_open(page, 1)
    expect(page.locator(".dl-editor", has=field(page))).to_contain_text("not written")

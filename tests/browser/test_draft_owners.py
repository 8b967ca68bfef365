"""A draft belongs to the person who typed it, in the workspace in which it was typed."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from annotation.editing.edits import OwnText, write_text
from annotation.workspace.workspace import Workspace
from backends.chat.ports import free_port
from tests.app_process import start
from tests.browser import conftest
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk, work_as
from tests.browser.test_drafts import (
    CONTENT,
    LATER_MS,
    OFFLINE,
    TITLE,
    clips,  # noqa: F401
    corrections_by,
    field,
    open_clip,
    state,
    written,
)
from tests.browser.test_queue import SAMPLE
from tests.browser.test_script import wait_open


@pytest.mark.expect_console(OFFLINE)
@pytest.mark.parametrize(("title", "name"), [("aardvark", TITLE), (SAMPLE, CONTENT)], ids=["new", "there"])
def test_a_draft_waits_for_the_person_who_typed_it(
    clips: Server,  # noqa: F811
    page,
    title: str,
    name: str,
) -> None:
    with Desk(clips) as desk:
        ana, bo = desk.person("ana"), desk.person("bo")
        video = desk.video(title).id
    link = f"{clips.url}/script?video={video}&scene=2"
    work_as(page, clips, ana)
    open_page(page, link)
    wait_open(page, 2)
    before = field(page, name).input_value()
    page.context.set_offline(True)
    field(page, name).focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("Words of ana")
    expect(state(page, name)).to_contain_text("kept in this browser")
    page.context.clear_cookies()
    page.goto("about:blank")
    page.context.set_offline(False)

    work_as(page, clips, bo)
    open_page(page, link)
    wait_open(page, 2)
    expect(field(page, name)).to_have_value(before)
    open_page(page, f"{clips.url}/keyframes")  # where the draft has no field of its own
    page.wait_for_timeout(LATER_MS)
    assert corrections_by(clips, bo) == [] and corrections_by(clips, ana) == []

    work_as(page, clips, ana)
    open_page(page, link)
    wait_open(page, 2)
    expect(field(page, name)).to_have_value("Words of ana")
    until(lambda: corrections_by(clips, ana) == ['"Words of ana"'], page)


@pytest.mark.expect_console("403")
def test_words_typed_while_the_person_is_switched_elsewhere_keep_their_owner(
    clips: Server,  # noqa: F811
    page,
) -> None:
    with Desk(clips) as desk:
        ana, bo = desk.person("ana"), desk.person("bo")
    work_as(page, clips, ana)
    video = open_clip(page, clips)
    field(page).focus()
    page.keyboard.type("Ana wr")
    expect(state(page, TITLE)).to_contain_text("Saved")
    work_as(page, clips, bo)  # as another window does it
    page.keyboard.type("ites a line")
    dialog = page.locator(".dl-session")
    expect(dialog).to_contain_text("This browser works as bo now")
    expect(dialog.locator("[data-name=waiting]")).to_contain_text("waits in this browser for ana")
    page.keyboard.type(", to its end")
    expect(field(page)).to_have_value("Ana writes a line, to its end")
    assert corrections_by(clips, bo) == []
    page.keyboard.press("Escape")
    dialog.get_by_role("button", name="Go on as ana").press("Enter")
    expect(dialog).to_have_count(0)
    until(lambda: written(clips, video_id=video) == {"ana": "Ana writes a line, to its end"}, page)
    assert corrections_by(clips, bo) == []


@contextmanager
def served_at(workspace: Path, port: int) -> Iterator[Server]:
    """The app at a certain port."""
    log = workspace.parent / f"{workspace.name}.log"
    process = start(("serve", "--workspace", workspace, "--port", port), log, log, os.environ)
    try:
        conftest.wait_for_server(f"http://127.0.0.1:{port}", process.is_alive, log)
        yield Server(f"http://127.0.0.1:{port}", workspace)
    finally:
        process.terminate()
        process.join(conftest.END_S)


@pytest.mark.expect_console("ERR_")
@pytest.mark.expect_console("503")  # pictures that were still wanted when the server ended
def test_two_workspaces_at_one_address_do_not_mix(filled: Path, tmp_path: Path, page) -> None:
    first, second = (Path(shutil.copytree(filled, tmp_path / name)) for name in ("first", "second"))
    Workspace(second).close()
    with closing(sqlite3.connect(second / "dailies.db")) as db, db:
        db.execute("UPDATE workspace SET id = 'wsp-second'")  # same videos, same people, another workspace
    port = free_port()
    with served_at(first, port) as server:
        open_page(page, f"{server.url}/script?scene=2")
        wait_open(page, 2)
        before = field(page, CONTENT).input_value()
    field(page, CONTENT).focus()  # without a server
    page.keyboard.press("Control+a")
    page.keyboard.type("For the first workspace")
    expect(state(page, CONTENT)).to_contain_text("kept in this browser")
    page.goto("about:blank")
    with served_at(second, port) as server:
        open_page(page, f"{server.url}/script?scene=2")
        wait_open(page, 2)
        expect(field(page, CONTENT)).to_have_value(before)
        page.goto("about:blank")
    with served_at(first, port) as server:
        open_page(page, f"{server.url}/script?scene=2")
        wait_open(page, 2)
        expect(field(page, CONTENT)).to_have_value("For the first workspace")
        expect(state(page, CONTENT)).to_contain_text("Saved")


def test_words_of_another_person_are_closed_to_whoever_may_not_correct_them(server: Server, page) -> None:
    with Desk(server) as desk:
        ana, bo, eva = desk.person("ana"), desk.person("bo"), desk.person("eva", "expert")
        video = desk.video("A paper boat's day").id
        write_text(desk.store, ana, OwnText(video, "vdc:camera", "It pans, says ana."))
    for person, may in ((bo, False), (eva, True), (ana, True)):
        work_as(page, server, person)
        open_page(page, f"{server.url}/script?video={video}&tab=camera")
        hers = page.locator(".dl-captioncard", has_text="ana").get_by_role("textbox")
        expect(hers).to_have_value("It pans, says ana.")
        assert hers.is_editable() is may, person.name
    work_as(page, server, bo)
    open_page(page, f"{server.url}/script?video={video}&tab=camera")
    expect(hers).to_have_attribute("title", "Another person wrote this: ask an expert to correct it")
    hers.click()
    page.keyboard.type("flag it, not mine")
    expect(hers).to_have_value("It pans, says ana.")
    expect(page.locator(".dl-notice")).to_contain_text("Not written: “flag it, not mine”")

"""Work that was returned and rewritten, on the open page of the expert who had merged the old words."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from annotation.editing import assignments
from annotation.editing import edits as services
from annotation.editing.assignments import Place
from annotation.editing.edits import Edit
from annotation.records.decisions import Person
from annotation.records.videos import Video
from annotation.systems.carebench import write_merge_approve
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk, work_as

OLD = "A tall fencer in white stands opposite a smaller one in grey, behind a bench."
NEW = "A tall fencer in white stands opposite a smaller one in grey, before a yellow wall."
ROW = ".dl-as-row[aria-selected=true]"


@pytest.fixture
def desk(empty_server: Server) -> Iterator[Desk]:
    with Desk(empty_server) as found:
        found.store.add([Video(id="vid-1", title="v_1", created_at=1.0)])
        yield found


def write(desk: Desk, who: Person, words: dict[str, str]) -> None:
    """These parts, and that they are done."""
    parts = write_merge_approve.begin(desk.store, who, "vid-1")
    for name, value in words.items():
        edit = Edit("text", parts[name].text.id, "value", value, parts[name].now.revision)
        services.apply_edit(desk.store, who, edit)
    assignments.set_state(desk.store, who, Place("vid-1", who.id, "aspects"), "done")


def written(desk: Desk) -> tuple[Person, Person]:
    """Ann and Ben are done. Gives Ben, and an expert."""
    ann, ben, eva = (
        desk.person(n, r) for n, r in (("Ann", "annotator"), ("Ben", "annotator"), ("Eva", "expert"))
    )
    for who in (ann, ben):
        desk.give(who, ["v_1"], "aspects")
        parts = {
            "overview": "Two people fence.",
            "action": f"{who.name} sees a lunge and a hit.",
            "misc": f"{who.name} sees one fixed camera.",
        }
        write(desk, who, parts | {"object": OLD if who == ben else "Two fencers, one in white, and a hall."})
    return ben, eva


def test_an_answer_that_comes_late_shows_nothing_old(empty_server: Server, page, desk: Desk) -> None:
    _, eva = written(desk)
    work_as(page, empty_server, eva)
    open_page(page, f"{empty_server.url}/split?video=vid-1&tab=merge")
    page.get_by_role("button", name="Merge this video").press("Enter")
    page.locator(f"{ROW}[data-part=overview]").wait_for()
    late: list = []

    def answer(route) -> None:
        if late:
            route.continue_()
        else:
            late.append((route, route.fetch()))

    page.route("**/api/aspects/*player=false", answer)
    page.keyboard.press("1")
    until(lambda: bool(late), page)
    page.keyboard.press("j")
    page.keyboard.press("2")
    merged = page.get_by_role("textbox", name="merged Objects")
    expect(merged).to_have_value(OLD)
    page.wait_for_timeout(500)
    route, old = late[0]
    assert OLD not in json.dumps(old.json()["merge"])
    route.fulfill(response=old)
    page.wait_for_timeout(500)
    expect(merged).to_have_value(OLD)


@pytest.mark.expect_console("409")
def test_rewritten_words_are_shown_beside_those_that_were_merged(
    empty_server: Server, page, desk: Desk
) -> None:
    ben, eva = written(desk)
    work_as(page, empty_server, eva)
    open_page(page, f"{empty_server.url}/split?video=vid-1&tab=merge")
    _merge(page)
    sources = page.locator(".dl-as-sources li")
    expect(sources.nth(1)).to_have_text("Objects as written by Ben")

    write_merge_approve.return_work(
        desk.store, eva, Place("vid-1", ben.id, "aspects"), "what is behind?", "object"
    )
    write(desk, ben, {"object": NEW})
    theirs = page.locator("[data-part=object] [data-side=right]")  # the page looks again by itself
    expect(theirs).to_contain_text("rewritten since it was merged", timeout=60_000)
    expect(theirs.locator(".dl-diff del").first).to_contain_text("behind")
    expect(theirs.locator(".dl-diff")).to_contain_text("yellow wall")
    expect(sources.nth(1)).to_have_text("Objects earlier words of Ben, who has rewritten them since")
    expect(page.locator("[data-part=object] .dl-as-from")).to_contain_text("earlier words of Ben")

    page.keyboard.press("Shift+A")
    dialog = page.get_by_role("dialog", name="Approve with open points?")
    expect(dialog).to_contain_text("Objects: Ben has rewritten it since")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    _take_and_approve(page)
    full = write_merge_approve.full_of(desk.store, "vid-1", eva.id)
    approved = {row.person_id: row.versions for row in assignments.all_work(desk.store).values()}
    assert full is not None and NEW in full.value
    assert approved[eva.id][full.text.id] == full.now.revision
    assert approved[ben.id] == {
        part.text.id: part.now.revision
        for part in write_merge_approve.parts_of(desk.store, "vid-1", ben.id).values()
    }


def _merge(page) -> None:
    """Begin; the left text, but Ben's objects; join."""
    page.get_by_role("button", name="Merge this video").press("Enter")
    page.get_by_role("textbox", name="merged Misc").wait_for()
    for name, key in (("overview", "1"), ("object", "2"), ("action", "1"), ("misc", "1")):
        page.locator(f"{ROW}[data-part={name}]").wait_for()
        page.keyboard.press(key)
        page.keyboard.press("j")
    page.keyboard.press("Shift+F")
    page.locator(".dl-as-sources").wait_for()


def _take_and_approve(page) -> None:
    for _ in range(4):
        page.keyboard.press("k")
    page.keyboard.press("j")
    page.locator(f"{ROW}[data-part=object]").wait_for()
    page.keyboard.press("2")
    expect(page.locator("[data-part=object] .dl-as-from")).to_contain_text("right")
    page.keyboard.press("Shift+F")
    expect(page.locator(".dl-as-sources li").nth(1)).to_have_text("Objects as written by Ben")
    page.keyboard.press("Shift+A")
    page.locator("[data-name=agree]").press("Enter")  # the caption is short
    page.locator(".dl-as-state", has_text="approved").wait_for()
    page.locator(".dl-as-fullbox", has_text="Objects by Ben (revision 2)").wait_for()

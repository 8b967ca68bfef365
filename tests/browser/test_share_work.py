"""Assigning in one dialog: videos shared out among people, and a whole CaReBench workflow."""

from __future__ import annotations

from annotation.editing import assignments
from annotation.records.decisions import Person
from annotation.records.videos import Video
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk, work_as


def add_videos(desk: Desk, count: int) -> list[str]:
    made = [Video(id=f"vid-{n}", title=f"film {n}", created_at=float(n)) for n in range(count)]
    desk.store.add(made)
    return [video.id for video in made]


def queue(desk: Desk, person: Person, task: str) -> list[str]:
    return [row.video_id for row in assignments.work_of(desk.store, person.id) if row.task == task]


def test_videos_are_shared_evenly_with_an_overlap(empty_server: Server, page) -> None:
    with Desk(empty_server) as desk:
        people = [desk.person(name) for name in ("Ada", "Ben", "Cem")]
        add_videos(desk, 11)
        open_page(page, f"{empty_server.url}/?sort=title")
        page.keyboard.press("Shift+x")
        page.keyboard.press("a")
        dialog = page.get_by_role("dialog", name="Assign 11 videos")
        expect(dialog.get_by_label("Person")).to_be_focused()
        page.keyboard.type("several")
        for name in ("Ada", "Ben", "Cem"):
            dialog.get_by_role("group", name="People").get_by_label(name).focus()
            page.keyboard.press("Space")
        dialog.get_by_label("Videos that everyone gets").focus()
        page.keyboard.type("2")
        expect(dialog.get_by_role("status")).to_have_text(
            "Ada 5, Ben 5, Cem 5 · 2 videos for everyone", use_inner_text=True
        )
        page.keyboard.press("Enter")
        page.locator(".dl-notice", has_text="Ada 5, Ben 5, Cem 5").wait_for()
        dealt = [queue(desk, person, "script") for person in people]
        assert [len(mine) for mine in dealt] == [5, 5, 5]
        assert len(set.intersection(*map(set, dealt))) == 2 and len(set.union(*map(set, dealt))) == 11
        page.keyboard.press("Control+z")
        until(lambda: not any(queue(desk, person, "script") for person in people), page)


def test_a_number_each_leaves_the_rest(empty_server: Server, page) -> None:
    with Desk(empty_server) as desk:
        people = [desk.person(name) for name in ("Ada", "Ben")]
        videos = add_videos(desk, 10)
        open_page(page, f"{empty_server.url}/?sort=title")
        page.keyboard.press("Shift+x")
        page.keyboard.press("a")
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Person").select_option(label="several people: share the videos")
        give = dialog.get_by_role("button", name="Assign")
        expect(dialog.get_by_role("status")).to_contain_text("choose at least one person")
        expect(give).to_be_disabled()
        for name in ("Ada", "Ben"):
            dialog.get_by_role("group", name="People").get_by_label(name).check()
        dialog.get_by_label("Videos each").fill("4")
        dialog.get_by_label("Videos that everyone gets").fill("20")
        dialog.get_by_label("Unit").select_option("%")
        expect(dialog.get_by_role("status")).to_have_text(
            "Ada 4, Ben 4 · 2 videos for everyone · 4 videos for no one", use_inner_text=True
        )
        give.click()
        dialog.wait_for(state="detached")
        assert {v for person in people for v in queue(desk, person, "script")} == set(videos[:6])
        page.keyboard.press("Shift+x")
        page.keyboard.press("Shift+x")
        page.keyboard.press("a")
        expect(dialog.get_by_role("group", name="People").get_by_label("Ben")).to_be_checked()  # as last time


def test_a_carebench_workflow_is_given_in_one_dialog_and_counted_in_videos(
    empty_server: Server, page
) -> None:
    with Desk(empty_server) as desk:
        writers = [desk.person(name) for name in ("Ada", "Ben", "Cem")]
        eva = desk.person("Eva", "expert")
        videos = add_videos(desk, 4)
        open_page(page, f"{empty_server.url}/?sort=title")
        page.keyboard.press("Shift+x")
        page.keyboard.press("a")
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Task").select_option(label="CaReBench, all of it: write, merge, split")
        assert dialog.get_by_label("Ada: merge").count() == 0  # only experts merge
        for box in ("Ada: write", "Ben: write", "Eva: write", "Eva: merge", "Ada: split"):
            dialog.get_by_label(box).check()
        expect(dialog.get_by_role("status")).to_contain_text("Eva cannot both write and merge")
        dialog.get_by_label("Eva: write").uncheck()
        dialog.get_by_label("Cem: write").check()
        expect(dialog.get_by_role("status")).to_contain_text("merge: Eva 4")
        dialog.get_by_label("Cem: write").press("Enter")
        dialog.wait_for(state="detached")
        written = [queue(desk, person, "aspects") for person in writers]
        assert sorted(map(len, written)) == [2, 3, 3]
        assert queue(desk, eva, "merge") == videos == queue(desk, writers[0], "split")
        work_as(page, empty_server, writers[0])  # two tasks on most of four videos
        open_page(page, empty_server.url)
        expect(page.locator(".dl-resume")).to_contain_text("4 of 4 videos left")
        work_as(page, empty_server, desk.owner)
        open_page(page, empty_server.url)
        page.keyboard.press("Control+z")
        until(lambda: assignments.all_work(desk.store) == {}, page)


def test_an_annotator_takes_videos_alone(empty_server: Server, page) -> None:
    with Desk(empty_server) as desk:
        ada = desk.person("Ada")
        add_videos(desk, 2)
        work_as(page, empty_server, ada)
        open_page(page, empty_server.url)
        page.keyboard.press("Shift+x")
        page.keyboard.press("a")
        dialog = page.get_by_role("dialog")
        assert dialog.locator("option", has_text="several people").count() == 0
        assert dialog.locator("option", has_text="CaReBench").count() == 0
        page.keyboard.press("Enter")
        page.locator(".dl-notice", has_text="2 videos given to Ada (you) · script").wait_for()
        assert len(queue(desk, ada, "script")) == 2

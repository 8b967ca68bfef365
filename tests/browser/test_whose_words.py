"""Pages show whose words stand there: two writers, people's corrections, and the split of this caption."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from annotation.editing import assignments
from annotation.editing import edits as services
from annotation.editing.assignments import Place
from annotation.editing.edits import Edit, OwnText
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from annotation.records.videos import Video
from annotation.systems.carebench import write_merge_approve
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk, work_as

ROW = ".dl-as-row[aria-selected=true]"
HEADS = ".dl-as-colhead[data-writer]"
NEW = "This video shows a robot in a hall. The robot is green. It lifts a crate."


@pytest.fixture
def desk(empty_server: Server) -> Iterator[Desk]:
    with Desk(empty_server) as found:
        yield found


def written(desk: Desk, video: str, title: str, words: int = 40) -> list[Person]:
    """Two annotators are done with a video."""
    people = desk.store.find(Person, role="annotator", order_by=["name"])
    people = people or [desk.person(name) for name in ("Ann", "Ben")]
    desk.store.add([Video(id=video, title=title, created_at=1.0)])
    for who in people:
        desk.give(who, [title], "aspects")
        for name, part in write_merge_approve.begin(desk.store, who, video).items():
            value = f"{who.name} saw the {name} of {title} " + "and more of it " * (words // 4)
            edit = Edit("text", part.text.id, "value", value.strip(), part.now.revision)
            services.apply_edit(desk.store, who, edit)
        assignments.set_state(desk.store, who, Place(video, who.id, "aspects"), "done")
    return people


def test_merge_shows_two_writers_after_a_video_without_any(empty_server: Server, page, desk: Desk) -> None:
    desk.store.add([Video(id="vid-b", title="b bare", created_at=1.0)])
    written(desk, "vid-c", "c film")
    work_as(page, empty_server, desk.person("Eva", "expert"))
    open_page(page, f"{empty_server.url}/split?video=vid-c&tab=merge")
    expect(page.locator(HEADS)).to_have_count(2)
    page.keyboard.press("Shift+N")
    page.get_by_text("Nobody was given this video").wait_for()
    page.keyboard.press("n")
    page.locator("h1", has_text="c film").wait_for()
    expect(page.locator(HEADS)).to_have_count(2)
    assert page.locator(HEADS).evaluate_all("all => all.map((one) => one.dataset.writer)") == ["Ann", "Ben"]
    expect(page.locator("[data-part=overview] [data-side=right]")).to_contain_text("Ben saw")


@pytest.mark.expect_console("409")
def test_done_and_approve_name_what_is_open(empty_server: Server, page, desk: Desk) -> None:
    ann, ben = written(desk, "vid-c", "c film")
    eva = desk.person("Eva", "expert")
    back = Place("vid-c", ann.id, "aspects")
    assignments.set_state(desk.store, desk.owner, back, "returned", "shorter")
    work_as(page, empty_server, ann)
    open_page(page, f"{empty_server.url}/split?video=vid-c&task=aspects")
    misc = page.get_by_role("textbox", name="Misc", exact=True)
    misc.fill("")
    page.get_by_role("textbox", name="Objects", exact=True).fill("Few words.")
    page.keyboard.press("Control+Shift+Enter")
    dialog = page.get_by_role("dialog", name="Hand it in with open points?")
    expect(dialog).to_contain_text("Misc is empty")
    expect(dialog).to_contain_text("short of 150")
    page.keyboard.press("Control+Shift+Enter")  # pressed twice, it is not an answer
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert desk.states(ann) == {"c film": "working"}
    page.keyboard.press("Control+Shift+Enter")
    dialog.locator("[data-name=agree]").press("Enter")
    page.get_by_text("Your parts are done").wait_for()
    assert desk.states(ann) == {"c film": "done"}
    desk.give(ben, ["c film"], "split")
    assignments.set_state(desk.store, ben, Place("vid-c", ben.id, "split"), "done")
    work_as(page, empty_server, eva)
    open_page(page, f"{empty_server.url}/split?video=vid-c&tab=split")
    other = page.locator(".dl-queue-other", has_text="Ben · split · done")
    other.get_by_role("button", name="Approve").press("Enter")
    expect(page.get_by_role("dialog", name="Approve the split of Ben?")).to_contain_text("no full caption")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(other).to_be_visible()


def test_words_typed_into_an_empty_field_are_the_experts_own(empty_server: Server, page, desk: Desk) -> None:
    written(desk, "vid-c", "c film", words=4)
    work_as(page, empty_server, desk.person("Eva", "expert"))
    open_page(page, f"{empty_server.url}/split?video=vid-c&tab=merge")
    page.get_by_role("button", name="Merge this video").press("Enter")
    for key, name in (("1", "overview"), ("3", "object"), ("1", "action"), ("2", "misc")):
        page.locator(f"{ROW}[data-part={name}]").wait_for()
        page.keyboard.press(key)
        if key == "3":
            page.keyboard.insert_text("Ann saw the object of c film and more of the hall")
            page.keyboard.press("Escape")
        if name == "action":
            page.keyboard.press("3")
            page.keyboard.insert_text("Ann saw the action of c film and more of it, twice")
            page.keyboard.press("Escape")
        page.keyboard.press("j")
    page.get_by_role("textbox", name="merged Misc").press("End")
    page.keyboard.type(" twice")
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+F")
    expect(page.locator(".dl-as-sources li")).to_have_text(
        ["Overview as written by Ann", "Objects own words", "Actions own words", "Misc edited from Ben"]
    )


def test_a_proposal_is_accepted_into_a_split_of_its_own(server: Server, page) -> None:
    """The sample has a machine's split; then somebody writes another full caption."""
    with Desk(server) as desk:
        video = desk.store.find(Video)[0]
        old = {text.kind: text.value for text in desk.store.find(Text, video_id=video.id)}
        assert old["carebench:spatial"] and old["carebench:temporal"]
        services.write_text(desk.store, desk.owner, OwnText(video.id, "carebench:full", NEW))
        open_page(page, f"{server.url}/split")
        expect(page.locator("[data-column=full]")).to_contain_text("16 words")
        expect(page.locator("[data-column=spatial]")).to_contain_text("no spatial text yet")
        expect(page.locator(".dl-sf-row")).to_have_count(1)  # the full caption is short
        page.keyboard.press("b")
        page.locator(".dl-sp-bar").wait_for()
        page.keyboard.press("Alt+a")
        page.get_by_text("accepted.").wait_for()

        def sides() -> str:
            texts = page.request.get(f"{server.url}/api/split/{video.id}?player=false").json()["texts"]
            return " ".join(texts[side]["value"] for side in ("spatial", "temporal") if texts[side])

        until(lambda: "robot" in sides(), page)
        assert {word.strip(".").lower() for word in sides().split()} <= {
            word.strip(".").lower() for word in NEW.split()
        }
        # The old one is there to be read, and marked as what it is.
        page.get_by_label("spatial text by").select_option(index=1)
        expect(page.locator("[data-column=spatial]")).to_contain_text("of another full caption")


def test_words_of_people_are_not_called_the_baselines(server: Server, page) -> None:
    with Desk(server) as desk:
        video = desk.store.find(Video)[0]
        ann = desk.person("Ann")
        for text in desk.store.find(Text, video_id=video.id, baseline=True):
            if text.state == "done" and text.kind != "speech":
                base = desk.store.current("text", text.id, "value").revision
                edit = Edit("text", text.id, "value", f"{text.value} So says Ann.", base)
                services.apply_edit(desk.store, ann, edit)
    open_page(page, server.url)
    page.locator(f"[data-id={video.id}]").wait_for()
    expect(page.get_by_text("measured, not captioned")).to_have_count(0)
    open_page(page, f"{server.url}/script?video={video.id}")
    head = page.locator(".dl-scenecard.dl-open .dl-sceneauthor")
    expect(head).to_contain_text("corrected by Ann")
    expect(page.locator(".dl-scenecard .dl-badge-baseline")).to_have_count(0)
    open_page(page, f"{server.url}/split?video={video.id}")
    column = page.locator("[data-column=spatial]")
    page.get_by_label("spatial text by").select_option(label="baseline")
    expect(column).to_contain_text("corrected by Ann")
    expect(column.locator(".dl-badge-baseline")).to_have_count(0)


def test_one_chip_says_baseline(server: Server, page) -> None:
    with Desk(server) as desk:
        video = Video(id="vid-2", title="other", created_at=1.0)
        full = next(x for x in desk.store.find(Text, kind="carebench:spatial", baseline=True))
        about = {"id": "txt-2", "video_id": video.id, "subject_id": video.id, "source_text_id": None}
        desk.store.add([video, replace(full, **about)])
    open_page(page, f"{server.url}/split?video=vid-2")
    chips = page.locator("[data-column=spatial] .dl-badge")
    expect(chips).to_have_text(["baseline"])

"""CaReBench's journey: two write blind, an expert returns one, merges, approves; the split; metadata.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from annotation.editing import dismissed_findings
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from annotation.records.elements import Finding
from annotation.records.videos import Video
from annotation.store.store import Store
from exports.catalogue import format_registry as formats
from tests.browser.conftest import Server, expect, open_page
from tests.browser.desk import Desk, work_as

ROW = ".dl-as-row[aria-selected=true]"
PARTS = ("overview", "object", "action", "misc")
LABELS = {"overview": "Overview", "object": "Objects", "action": "Actions", "misc": "Misc"}
ANN = {
    "overview": "Two people practise fencing in a bright hall.",
    "object": "The fencer on the left wears white and a black mask. The fencer on the right wears grey. "
    "A long bench with three bags stands in front of a yellow wall, under two high windows.",
    "action": "First the left fencer lunges and touches the other's arm. Then both step back and salute.",
    "misc": "A fixed camera films from the side in one shot.",
}
BEN = {
    "overview": "A fencing bout is filmed in a school gym.",
    "object": "A tall fencer in white stands opposite a smaller one in grey. Behind them is a yellow wall "
    "with two windows. A wooden bench carries three sports bags. A referee in black walks along a wall.",
    "action": "The tall fencer runs forward and hits. After that they greet each other.",
    "misc": "It looks like an amateur video.",
}
MENDED = "First the tall fencer runs forward and hits an arm. After that they greet each other."
OWN = "First the left fencer lunges and hits an arm. Then both fencers step back and greet each other."
SENTENCES = "tssssttt"
"""Where the sentences of the merged caption go: overview, four of the objects, two actions, misc."""


@dataclass
class Team:
    """A workspace with one video without a file, and who works on it."""

    desk: Desk
    video: Video
    ann: Person
    ben: Person
    eva: Person

    def texts(self, who: Person) -> dict[str, Text]:
        found = self.desk.store.find(Text, video_id=self.video.id, person_id=who.id)
        return {text.kind.partition(":")[2]: text for text in found}

    def values(self, who: Person) -> dict[str, str]:
        texts = self.texts(who)
        now = self.desk.store.currents("text", [text.id for text in texts.values()], "value")
        return {name: str(now[text.id].value) for name, text in texts.items()}


@pytest.fixture
def team(empty_server: Server) -> Iterator[Team]:
    with Desk(empty_server) as desk:
        video = Video(
            id="vid-spine",
            title="v_00000001_0",
            created_at=1.0,
            category="Sports & Exercise",
            extra={"video_name": "v_00000001_0.mp4", "subcategory": "Fencing"},
        )
        desk.store.add([video])
        people = [
            desk.person(name, role)
            for name, role in (("Ann", "annotator"), ("Ben", "annotator"), ("Eva", "expert"))
        ]
        yield Team(desk, video, *people)


@pytest.mark.expect_console("403")
@pytest.mark.expect_console("409")
def test_from_two_writers_to_metadata_json(
    empty_server: Server, page, browser, team: Team, tmp_path: Path
) -> None:
    server = empty_server
    _give_from_the_library(server, page, team)
    _write(server, page, team.ben, BEN)
    _no_look_is_given(server, page, team)
    _write(server, page, team.ann, ANN)
    _return_bens(server, page, team)
    _ben_mends(server, page, team)
    _merge(server, page, browser, team)
    _split(server, page, team)
    _approve_the_split(server, page, team)
    _the_file_reads_back(server, page, team, tmp_path)


def _open(server: Server, page, who: Person, more: str) -> None:
    work_as(page, server, who)
    open_page(page, f"{server.url}/split?video=vid-spine&{more}")


def _give_from_the_library(server: Server, page, team: Team) -> None:
    work_as(page, server, team.eva)
    for who in ("Ann", "Ben"):
        open_page(page, server.url)
        page.keyboard.press("a")
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Person").select_option(label=who)
        dialog.get_by_label("Task").select_option("aspects")
        dialog.get_by_label("Task").press("Enter")
        page.locator(".dl-work", has_text=f"{who} · aspects · open").wait_for()


def _write(server: Server, page, who: Person, words: Mapping[str, str]) -> None:
    _open(server, page, who, "task=aspects")
    page.locator("[data-part=overview] textarea").wait_for()
    page.keyboard.press("1")
    for name in PARTS:
        field = page.get_by_role("textbox", name=LABELS[name], exact=True)
        expect(field).to_be_focused()
        page.keyboard.insert_text(words[name])
        page.keyboard.press("Control+Enter")
    count = sum(len(value.split()) for value in words.values())
    expect(page.locator(".dl-as-sum")).to_contain_text(f"{count} words")
    page.keyboard.press("Control+Shift+Enter")
    _agree(page, "short of 150")
    page.get_by_text("Your parts are done").wait_for()
    assert page.get_by_role("textbox", name="Misc", exact=True).get_attribute("readonly") is not None


def _agree(page, words: str) -> None:
    """Say yes to what is named as open."""
    expect(page.get_by_role("dialog")).to_contain_text(words)
    page.locator("[data-name=agree]").press("Enter")


def _no_look_is_given(server: Server, page, team: Team) -> None:
    """Ann has not written yet: pages and routes keep Ben's words from her."""
    _open(server, page, team.ann, "tab=merge")
    expect(page.get_by_text("shown when all who write are done")).to_have_count(4)
    secret = BEN["overview"]
    assert secret not in page.content()
    for text in team.texts(team.ben).values():
        look = page.request.get(f"{server.url}/api/history/text/{text.id}/value")
        assert look.status == 403 and secret not in look.text()
    for path in ("aspects/vid-spine", "split/vid-spine"):
        assert secret not in page.request.get(f"{server.url}/api/{path}").text()
    assert page.request.get(f"{server.url}/api/export/dailies-jsonl").status == 403


def _return_bens(server: Server, page, team: Team) -> None:
    _open(server, page, team.eva, "tab=merge")
    expect(page.locator("[data-part=action] [data-side=left]")).to_contain_text(ANN["action"][:20])
    expect(page.locator("[data-part=action] [data-side=right]")).to_contain_text("The tall fencer")
    page.keyboard.press("Shift+R")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Whose").select_option(label="Ben")
    dialog.get_by_label("Where").select_option("action")
    dialog.get_by_label("Words that are meant").fill("hits")
    dialog.get_by_label("What is to be done").fill("hits what? <b>Say it</b>")
    dialog.get_by_label("What is to be done").press("Enter")
    page.locator("[data-writer=Ben] .dl-is-returned").wait_for()
    page.locator(".dl-as-state", has_text="returned").wait_for()


def _ben_mends(server: Server, page, team: Team) -> None:
    _open(server, page, team.ben, "task=aspects")
    comment = page.locator("[data-part=action] .dl-as-comment")
    expect(comment).to_contain_text("hits what? <b>Say it</b>")
    comment.get_by_role("button", name="Go there").click()
    field = page.get_by_role("textbox", name="Actions", exact=True)
    assert field.evaluate("a => a.value.slice(a.selectionStart, a.selectionEnd)") == "hits"
    field.fill(MENDED)
    page.keyboard.press("Control+Shift+Enter")
    _agree(page, "short of 150")
    page.get_by_text("Your parts are done").wait_for()
    assert team.values(team.ben)["action"] == MENDED


def _merge(server: Server, page, browser, team: Team) -> None:
    _open(server, page, team.eva, "tab=merge")
    page.get_by_role("button", name="Merge this video").press("Enter")
    page.get_by_role("textbox", name="merged Misc").wait_for()
    _other_window(server, browser, team)
    for key, name in (("1", "overview"), ("2", "object")):
        page.locator(f"{ROW}[data-part={name}]").wait_for()
        page.keyboard.press(key)
        page.keyboard.press("j")
    page.locator(f"{ROW}[data-part=action]").wait_for()
    page.keyboard.press("3")
    expect(page.get_by_role("textbox", name="merged Actions")).to_be_focused()
    page.keyboard.insert_text(OWN)
    # The other window was faster: both changes are shown, and one is chosen.
    conflict = page.locator("[data-part=action] .dl-conflict")
    conflict.locator(".dl-threeway").wait_for()
    expect(conflict).to_contain_text("typed in another window")
    conflict.get_by_role("button", name="Keep this one").click()
    conflict.wait_for(state="detached")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.locator(f"{ROW}[data-part=misc]").wait_for()
    page.keyboard.press("1")
    expect(page.locator("[data-part=misc] .dl-as-from")).to_contain_text("left")
    _join_and_approve(page, team)


def _other_window(server: Server, browser, team: Team) -> None:
    other = browser.new_page()
    _open(server, other, team.eva, "tab=merge")
    other.get_by_role("textbox", name="merged Actions").fill("This was typed in another window.")
    other.locator("[data-part=action] .dl-saved-saved").wait_for()
    other.close()


def _join_and_approve(page, team: Team) -> None:
    page.keyboard.press("Shift+F")
    sources = page.locator(".dl-as-sources li")
    expect(sources).to_have_count(4)
    assert [line.split(" ", 1)[1] for line in sources.all_inner_texts()] == [
        "as written by Ann",
        "as written by Ben",
        "own words",
        "as written by Ann",
    ]
    page.keyboard.press("Shift+A")
    _agree(page, "short of 150")
    page.locator(".dl-as-state", has_text="approved").wait_for()
    assert team.values(team.eva)["full"] == " ".join(_merged().values())


def _merged() -> dict[str, str]:
    return ANN | {"object": BEN["object"], "action": OWN}


def _split(server: Server, page, team: Team) -> None:
    team.desk.give(team.ann, [team.video.title], "split")
    _open(server, page, team.ann, "task=split")
    expect(page.locator("[data-column=full]")).to_contain_text("Eva")
    for n, side in enumerate(SENTENCES):
        page.locator(f".dl-sx-row[aria-selected=true][data-row='{n}']").wait_for()
        with page.expect_response(lambda r: "/api/split/" in r.url and r.request.method == "GET"):
            page.keyboard.press(side)
        page.locator(f"[data-row='{n}'] [data-side={'spatial' if side == 's' else 'temporal'}] p").wait_for()
        page.keyboard.press("j")
    _dismiss_what_is_in_order(page, team)
    page.keyboard.press("Control+Shift+Enter")
    _agree(page, "to settle")
    page.locator(".dl-queue-mine .dl-is-done").wait_for()


def _dismiss_what_is_in_order(page, team: Team) -> None:
    """The finding on the length, reached with d and dismissed with w and a reason, as a person would."""
    short = page.locator(".dl-sf-row[data-check=length]")
    expect(short).to_have_count(1)
    for _ in range(page.locator(".dl-sf-row").count()):
        page.keyboard.press("d")
        if short.get_attribute("aria-current") == "true":
            break
    expect(short).to_have_attribute("aria-current", "true")
    page.keyboard.press("w")
    expect(page.get_by_role("textbox", name="Why the finding is in order")).to_be_focused()
    page.keyboard.insert_text("the clip is four seconds long")
    page.keyboard.press("Enter")
    expect(short).to_contain_text("dismissed by Ann: the clip is four seconds long")
    (row,) = team.desk.store.find(Finding, check="length")
    held = dismissed_findings.dismissals(team.desk.store, [row.id])[row.id]
    assert (held.person_id, held.reason) == (team.ann.id, "the clip is four seconds long")


def _approve_the_split(server: Server, page, team: Team) -> None:
    _open(server, page, team.eva, "tab=split")
    other = page.locator(".dl-queue-other", has_text="Ann · split · done")
    other.get_by_role("button", name="Approve").press("Enter")
    _agree(page, "to settle")
    page.locator(".dl-queue-other", has_text="Ann · split · approved").wait_for()
    page.keyboard.press("Shift+P")
    page.locator(".dl-as-steps li", has_text="split approved").locator("b", has_text="1").first.wait_for()
    people = page.locator("table[aria-label=People]")
    expect(people.locator("tr", has_text="Ben")).to_contain_text("1 of 1")
    expect(page.locator("table[aria-label=Agreement] tr", has_text="Actions")).to_contain_text("0.")


def _the_file_reads_back(server: Server, page, team: Team, folder: Path) -> None:
    with page.expect_download() as waiting:
        page.get_by_role("link", name="metadata.json").click()
    file = folder / "metadata.json"
    waiting.value.save_as(file)
    (record,) = json.loads(file.read_text(encoding="utf-8"))
    sides = team.values(team.ann)
    assert (record["video"], record["category"], record["subcategory"]) == (
        "v_00000001_0.mp4",
        "Sports & Exercise",
        "Fencing",
    )
    store = Store(f"sqlite:///{folder / 'other.db'}")
    batch = formats.read(file, store)
    assert batch.problems == ()
    formats.commit(store, batch)
    back = {text.kind: text.value for text in store.find(Text)}
    store.close()
    assert back == {
        "carebench:full": " ".join(_merged().values()),
        "carebench:spatial": sides["spatial"],
        "carebench:temporal": sides["temporal"],
    }

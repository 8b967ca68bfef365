"""Forms and views by key alone: items, Write and Merge, speech, blind labels, confirmed verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from annotation.editing import assignments
from annotation.editing.assignments import Place
from annotation.records.captions_to_verdicts import Text
from annotation.systems.carebench import write_merge_approve
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import work_as
from tests.browser.test_carebench_spine import Team, team  # noqa: F401
from tests.browser.test_key_rule import CONFIRMED, PAUSE_MS, WORDS, decisions, verdicts
from tests.browser.test_label_study import bring
from tests.browser.test_vript_hard import give

# --- items --------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["j", "click"])
def test_a_choice_for_an_item_is_saved_when_one_goes_on(server: Server, page, way: str) -> None:
    open_page(page, f"{server.url}/")
    give(page, server)
    open_page(page, f"{server.url}/verdicts?of=ero")
    panel = page.locator(".dl-itempanel")
    expect(panel.locator(".dl-flagline")).to_be_visible()
    page.keyboard.press("3")
    expect(panel.get_by_role("textbox", name="reason")).to_be_visible()
    if way == "j":
        page.keyboard.press("j")
    else:
        page.locator(".dl-item").nth(1).click()
    page.locator(".dl-notice", has_text="Corrected").wait_for()
    expect(panel.locator(".dl-mono")).to_have_text("other")
    expect(page.locator(".dl-list-counts")).to_contain_text("1 corrected")


def test_the_keys_of_an_items_form_are_its_own(server: Server, page) -> None:
    open_page(page, f"{server.url}/")
    give(page, server)
    before = decisions(server)
    open_page(page, f"{server.url}/verdicts?of=ero")
    panel = page.locator(".dl-itempanel")
    expect(panel.locator(".dl-flagline")).to_be_visible()
    page.wait_for_selector(CONFIRMED)
    frame = page.locator(".dl-frameline b").inner_text()
    page.keyboard.press("e")
    for key in ("ArrowRight", "ArrowLeft", "ArrowDown", "Space"):
        page.keyboard.press(key)
    expect(panel.locator(".dl-choice[aria-pressed=true]")).to_contain_text("A C B", use_inner_text=True)
    assert page.locator(".dl-frameline b").inner_text() == frame
    assert page.evaluate("document.querySelector('video').paused")
    # A letter is of the form too and does nothing; a pause ends what seemed to be writing.
    page.keyboard.press("e")
    notice = page.locator(".dl-notice-info", has_text="Tab goes on to the field")
    expect(notice).to_contain_text("Not written: “e”")
    page.wait_for_timeout(PAUSE_MS)
    page.keyboard.press("3")
    expect(panel.locator(".dl-choice[aria-pressed=true]")).to_contain_text("B A C")
    assert decisions(server) == before


# --- Write and Merge ------------------------------------------------------------------------


def test_letters_run_nothing_in_a_video_that_is_not_taken(empty_server: Server, page, team: Team) -> None:  # noqa: F811
    work_as(page, empty_server, team.ann)
    open_page(page, f"{empty_server.url}/split?tab=write&video={team.video.id}")
    page.get_by_role("button", name="Take this video").wait_for()
    url = page.url
    page.keyboard.type("next one flags a man, 1 2 3")
    expect(
        page.locator(".dl-notice", has_text="You have not taken this video yet: Enter takes it")
    ).to_contain_text("next one flags")
    assert page.url == url
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.wait_for_timeout(PAUSE_MS)
    page.keyboard.press("Enter")
    page.keyboard.type(WORDS)
    expect(page.get_by_role("textbox", name="Overview")).to_have_value(WORDS)
    page.locator("[data-part=overview] .dl-saved-saved").wait_for()
    assert team.values(team.ann)["overview"] == WORDS


def test_a_video_that_is_only_passed_is_not_taken(empty_server: Server, page, team: Team) -> None:  # noqa: F811
    other = replace(team.video, id="vid-other", title="v_00000002_0")
    team.desk.store.add([other])
    team.desk.give(team.ann, [team.video.title, other.title], "aspects")
    work_as(page, empty_server, team.ann)
    open_page(page, f"{empty_server.url}/split?tab=write&video={team.video.id}")
    overview = page.get_by_role("textbox", name="Overview")
    held: list[Any] = []
    page.route("**/api/edit", lambda route: route.continue_() if held else held.append(route))
    overview.focus()
    with page.expect_request("**/api/edit"):
        page.keyboard.type(WORDS)
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.get_by_role("link", name="Script").press("Enter")
    held[0].continue_()
    page.wait_for_selector(".dl-root[data-page=script][data-ready]")
    page.wait_for_timeout(PAUSE_MS)
    assert team.values(team.ann)["overview"] == WORDS
    assert team.desk.store.find(Text, video_id=other.id) == []


DRAWN_ANEW = """async ([href, text]) => {
  const { TextEditor } = await import(href.replace('page_router.js', 'editor/editor.js'));
  const old = document.querySelector('[data-part=overview] .dl-editor');
  const made = new TextEditor(text, { label: 'Overview', plain: true });
  old.replaceWith(made.node);
  made.area.focus();
}"""
"""What a page does that is drawn again while a text is being saved."""


def overview_of(page, server: Server, video: str) -> dict[str, Any]:
    """As pages are told it."""
    return page.request.get(f"{server.url}/api/aspects/{video}").json()["writers"][0]["texts"]["overview"]


def draw_anew(page, text: dict[str, Any]) -> None:
    href = page.locator("link[rel=modulepreload][href$='page_router.js']").get_attribute("href")
    page.evaluate(DRAWN_ANEW, [href, text])


def anns_overview(page, server: Server, team: Team):  # noqa: F811
    """The field, on ann's page, of a video that she has taken."""
    work_as(page, server, team.ann)
    open_page(page, f"{server.url}/split?tab=write&video={team.video.id}")
    page.get_by_role("button", name="Take this video").press("Enter")
    return page.get_by_role("textbox", name="Overview")


def test_a_field_drawn_from_an_older_reply_does_not_take_words_back(
    empty_server: Server,
    page,
    team: Team,  # noqa: F811
) -> None:
    overview = anns_overview(page, empty_server, team)
    overview.focus()
    older = overview_of(page, empty_server, team.video.id)
    page.keyboard.type("A boat floats")
    page.locator("[data-part=overview] .dl-saved-saved").wait_for()
    draw_anew(page, older)
    expect(overview).to_have_value("A boat floats")
    page.keyboard.press("End")
    page.keyboard.type(" on a stream.")
    page.locator("[data-part=overview] .dl-saved-saved").wait_for()
    until(lambda: team.values(team.ann)["overview"] == "A boat floats on a stream.", page)
    page.wait_for_timeout(1000)
    assert team.values(team.ann)["overview"] == "A boat floats on a stream."


def test_a_field_drawn_anew_goes_on_from_what_the_one_before_is_saving(
    empty_server: Server,
    page,
    team: Team,  # noqa: F811
) -> None:
    overview = anns_overview(page, empty_server, team)
    saves: list[Any] = []
    page.route("**/api/edit", lambda route: saves.append(route), times=1)
    with page.expect_request("**/api/edit"):
        overview.press_sequentially("A boat floats")
    draw_anew(page, overview_of(page, empty_server, team.video.id))
    page.keyboard.press("End")
    page.keyboard.type(" on a stream.")
    page.wait_for_timeout(1000)  # longer than until a text saves itself
    saves[0].continue_()
    until(lambda: team.values(team.ann)["overview"] == "A boat floats on a stream.", page)
    expect(overview).to_have_value("A boat floats on a stream.")


def test_a_key_that_chooses_words_begins_the_merge(
    empty_server: Server,
    page,
    team: Team,  # noqa: F811
) -> None:
    done(team)
    assignments.assign(team.desk.store, team.eva, [team.video.id], team.eva.id, "merge")
    work_as(page, empty_server, team.eva)
    open_page(page, f"{empty_server.url}/split?tab=merge&video={team.video.id}")
    page.get_by_role("button", name="Merge this video").wait_for()
    page.keyboard.press("3")
    page.keyboard.type(WORDS)
    expect(page.get_by_role("textbox", name="merged Overview")).to_have_value(WORDS)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_one_key_takes_the_left_text_of_a_merge_that_is_not_begun(
    empty_server: Server,
    page,
    team: Team,  # noqa: F811
) -> None:
    done(team)
    work_as(page, empty_server, team.eva)
    open_page(page, f"{empty_server.url}/split?tab=merge&video={team.video.id}")
    page.get_by_role("button", name="Merge this video").wait_for()
    left = page.locator(".dl-as-row[data-part=overview] [data-side=left] p").first.inner_text()
    page.keyboard.press("1")
    expect(page.get_by_role("textbox", name="merged Overview")).to_have_value(left)


def test_enter_in_the_dialog_of_return_does_what_its_button_says(
    empty_server: Server,
    page,
    team: Team,  # noqa: F811
) -> None:
    done(team)
    work_as(page, empty_server, team.eva)
    open_page(page, f"{empty_server.url}/split?tab=merge&video={team.video.id}")
    page.get_by_role("button", name="Merge this video").wait_for()
    page.keyboard.press("Shift+R")
    page.keyboard.press("Enter")
    page.locator(".dl-notice", has_text="Say first what is to be done").wait_for()
    page.keyboard.type("which hand?")
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("his left")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.locator(".dl-queue-note, .dl-as-colhead", has_text="which hand?").first.wait_for()


def done(team: Team) -> None:  # noqa: F811
    """Ann and Ben have written the video."""
    for who in (team.ann, team.ben):
        assignments.assign(team.desk.store, team.eva, [team.video.id], who.id, "aspects")
        write_merge_approve.begin(team.desk.store, who, team.video.id)
        for text in team.texts(who).values():
            team.desk.store.correct(
                "text", text.id, "value", f"{who.name} wrote this.", person_id=who.id, base_revision=0
            )
        place = Place(team.video.id, who.id, "aspects")
        assignments.set_state(team.desk.store, who, place, "done")


# --- speech -----------------------------------------------------------------------------------


def speech(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?tab=speech")
    page.wait_for_selector(CONFIRMED)
    if page.locator(".dl-segment").count() == 0:
        pytest.skip("Whisper's weights lie beside, not here: the sample has no speech")


def test_arrows_go_through_the_lines_of_speech(server: Server, page) -> None:
    speech(server, page)
    here = page.locator(".dl-segment[aria-current=true]")
    lines = page.locator(".dl-segment")
    page.keyboard.press("ArrowDown")
    expect(here).to_have_attribute("data-id", lines.nth(0).get_attribute("data-id"))
    page.keyboard.press("ArrowDown")
    expect(here).to_have_attribute("data-id", lines.nth(1).get_attribute("data-id"))
    expect(page.get_by_role("tab", selected=True)).to_contain_text("speech")
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type(WORDS)
    expect(lines.nth(1).get_by_role("textbox")).to_have_value(WORDS)
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowUp")
    expect(here).to_have_attribute("data-id", lines.nth(0).get_attribute("data-id"))


def test_undo_works_again_and_again_in_speech(server: Server, page) -> None:
    speech(server, page)
    lines = page.locator(".dl-segment")
    before = lines.count()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("e")
    page.keyboard.press("Control+Home")
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Alt+Enter")
    expect(lines).to_have_count(before + 1)
    edge = page.locator(".dl-edge").last
    ends = edge.inner_text()
    page.keyboard.press("Alt+o")
    expect(edge).not_to_have_text(ends, use_inner_text=True)
    page.keyboard.press("Escape")
    assert len(decisions(server)) == 2
    page.keyboard.press("Control+z")
    expect(edge).to_have_text(ends, use_inner_text=True)
    page.wait_for_load_state("networkidle")
    expect(page.locator("textarea:focus")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(lines).to_have_count(before)


def test_a_line_as_it_was_heard_has_its_own_words(server: Server, page) -> None:
    speech(server, page)
    line = page.locator(".dl-segment").first
    heard = line.locator(".dl-saidtext").inner_text().strip()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type(WORDS)
    page.locator(".dl-segment .dl-saved-saved").wait_for()
    page.keyboard.press("Alt+r")
    page.wait_for_function("(heard) => document.activeElement.value?.trim() === heard", arg=heard)
    page.keyboard.press("Escape")
    page.reload()
    expect(line.locator(".dl-saidtext")).to_have_text(heard, use_inner_text=True)
    expect(line.locator(".dl-is-corrected")).to_have_count(0)


# --- blind labels -----------------------------------------------------------------------------


def test_a_way_back_never_leads_out_of_a_blind_view(server: Server, page) -> None:
    bring(server, page)
    open_page(page, f"{server.url}/keyframes")
    page.get_by_role("tab", name="Label").click()
    pairs = page.locator(".dl-fl-pair")
    expect(page.locator(".dl-fl-frame img")).to_have_count(2)
    for key in ("ArrowLeft", "ArrowRight", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    expect(page.get_by_role("tab", selected=True)).to_have_text("Label")
    expect(page.locator(".dl-kf-strip")).to_be_hidden()
    page.get_by_role("tab", name="Label").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", selected=True)).to_have_text("Label")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    expect(pairs.nth(0).locator(".dl-is-uncertain")).to_contain_text("uncertain")
    expect(pairs.nth(0).locator(".dl-is-unparsed")).to_have_count(0)


# --- fields with a greatest length --------------------------------------------------------------


@pytest.mark.parametrize("ahead", [False, True])
def test_letters_that_a_full_field_drops_are_named(server: Server, page, ahead: bool) -> None:
    open_page(page, f"{server.url}/keyframes")
    label = page.get_by_role("textbox", name="Action label")
    label.fill("x" * 195)
    page.keyboard.press("Enter")
    until(lambda: page.evaluate("document.activeElement.tagName") == "BODY", page)
    if ahead:
        page.keyboard.press("a")
        page.keyboard.press("End")
    else:
        label.click()
        page.keyboard.press("End")
    page.keyboard.type("abcdefghij")
    expect(label).to_have_value("x" * 195 + "abcde")
    expect(page.locator(".dl-notice", has_text="200 characters")).to_contain_text("Not written: “fghij”")


@pytest.mark.expect_console("ERR_FAILED")
@pytest.mark.expect_console("the server does not answer")
def test_words_of_a_dialog_that_the_server_does_not_take_are_given_back(server: Server, page) -> None:
    verdicts(server, page)
    page.route("**/api/questions/*/exclusion", lambda route: route.abort())
    page.keyboard.press("x")
    page.keyboard.type("it cannot be seen")
    page.keyboard.press("Enter")
    told = page.locator(".dl-notice-error", has_text="the server does not answer")
    expect(told).to_contain_text("Not written: “it cannot be seen”")
    assert decisions(server) == []

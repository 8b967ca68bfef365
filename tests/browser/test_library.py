"""Library: the sample's row, files dropped and chosen, runs watched and stopped, exports, removal."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.intake.add_video import add_video
from annotation.workspace.workspace import Workspace
from tests.app_process import AppProcess
from tests.backends.clips import textured, write_clip
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk, work_as
from tests.browser.drops import asked, drop, run_added, take
from tests.browser.slow import without_first_answers
from tests.chat_server import ChatServer, Reply, Seen

SAMPLE = "A paper boat's day"


def short_clip(folder: Path, name: str, seed: int = 1, frames: int = 40) -> Path:
    return write_clip(folder / name, [textured(seed + (n >= frames // 2)) for n in range(frames)])


def row(page, title: str):
    return page.locator(".dl-video", has=page.locator(".dl-videotitle", has_text=title))


def wait_for_job(page, words: str = "done") -> None:
    page.locator(".dl-jobhead .dl-mark", has_text=words).first.wait_for(timeout=90_000)


def test_the_row_of_the_sample_leads_to_its_worst_aspect(server: Server, page) -> None:
    open_page(page, server.url)
    sample = row(page, SAMPLE)
    poster = sample.locator("img").first
    assert poster.evaluate("i => i.decode().then(() => i.naturalWidth)") > 0
    expect(sample).to_contain_text("stages done", use_inner_text=True)
    counts = sample.locator(".dl-countlink").all_inner_texts()
    assert [text.split()[1] for text in counts] == ["yes", "no", "unparsed", "failed", "missing"]
    aspect = sample.locator(".dl-worstname").inner_text().split()[0]
    sample.locator(".dl-worst").click()
    page.wait_for_selector(".dl-verdict")
    assert f"aspect=vdc%3A{aspect}" in page.url and "evaluation=" in page.url
    first, second = (int(text.split()[0]) for text in counts[:2])
    assert first > 0 and second > 0


def test_full_marks_are_not_drawn_as_the_worst(server: Server, page) -> None:
    def full(route) -> None:
        found = route.fetch().json()
        for row in found["videos"]:
            for aspect in (*row["aspects"], row["worst"]):
                aspect["score"] = 5
        route.fulfill(json=found)

    open_page(page, server.url)
    expect(page.locator(".dl-aspectbars .dl-lowest")).to_have_count(1)
    page.route(f"{server.url}/", without_first_answers)
    page.route("**/api/library?*", full)
    page.reload()
    expect(page.locator(".dl-worstname")).to_contain_text("5 of 5")
    expect(page.locator(".dl-aspectbars .dl-lowest")).to_have_count(0)


def test_keys_move_select_and_open(server: Server, page, tmp_path: Path) -> None:
    server.command("run", str(short_clip(tmp_path, "second.mp4")), "--stages", "probe")
    open_page(page, server.url)
    expect(row(page, SAMPLE)).to_have_attribute("aria-current", "true")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "second"
    page.keyboard.press("x")
    assert row(page, "second").locator("input").is_checked()
    expect(page.locator(".dl-librarycount")).to_contain_text("1 selected", use_inner_text=True)
    page.keyboard.press("k")
    page.keyboard.press("s")
    page.wait_for_url("**/script?video=*")
    page.wait_for_selector(".dl-scenecard.dl-open")
    assert page.locator("h1").inner_text() == SAMPLE


def test_search_and_sort(server: Server, page, tmp_path: Path) -> None:
    server.command("run", str(short_clip(tmp_path, "aardvark.mp4")), "--stages", "probe")
    open_page(page, server.url)
    titles = page.locator(".dl-videotitle")
    assert titles.all_inner_texts() == [SAMPLE, "aardvark"]
    page.get_by_label("Sort").select_option("newest")
    expect(titles.first).to_have_text("aardvark", use_inner_text=True)
    assert "sort=newest" in page.url
    page.keyboard.press("/")
    page.keyboard.type("paper")
    page.wait_for_function("document.querySelectorAll('.dl-video').length === 1")
    expect(page.locator(".dl-librarycount")).to_have_text("1 of 2 videos", use_inner_text=True)
    page.get_by_label("Search").fill("nothing fits this")
    page.get_by_role("button", name="Show all videos").click()
    page.wait_for_function("document.querySelectorAll('.dl-video').length === 2")


def test_dropped_files_are_shown_taken_and_run(empty_server: Server, page, tmp_path: Path) -> None:
    open_page(page, empty_server.url)
    page.get_by_text("No videos yet").wait_for()
    clip = short_clip(tmp_path, "new.mp4")
    broken, captions, what = tmp_path / "broken.mp4", tmp_path / "captions.jsonl", tmp_path / "what.json"
    broken.write_bytes(b"this is no video")
    line = {"video_id": "named", "captions": {"short_caption": "A <b>dog</b>."}}
    captions.write_text(json.dumps(line) + "\n")
    what.write_text('{"a": 1}')
    drop(page, clip, broken, captions, what)
    dialog = asked(page)
    expect(dialog.locator("h2")).to_have_text("Found: 1 other thing, 2 video files", use_inner_text=True)
    expect(dialog).to_contain_text("1 file not read", use_inner_text=True)
    dialog.locator("[data-name=add-rest]").focus()
    page.keyboard.press("Space")
    take(page)
    lines = page.locator(".dl-uploadlines > li")
    words = [line.split("\n")[0] for line in lines.all_inner_texts()]
    assert sorted(words) == ["added", "imported", "not taken", "not taken"]
    run_added(page)
    wait_for_job(page)
    page.wait_for_function("document.querySelectorAll('.dl-video').length === 2")
    expect(row(page, "new")).to_contain_text("stages done", use_inner_text=True)
    expect(row(page, "named")).to_contain_text("no file here", use_inner_text=True)


def test_a_run_of_chosen_stages_is_watched_and_stays_until_dismissed(server: Server, page) -> None:
    open_page(page, server.url)
    page.get_by_label(f"Select {SAMPLE}").check()
    page.get_by_role("button", name="Run 1 video").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="None").click()
    assert dialog.get_by_role("button", name="Run", exact=True).is_disabled()
    dialog.get_by_label("answers").check()
    expect(dialog.get_by_text("also run, since these need them")).to_contain_text(
        "captions, questions", use_inner_text=True
    )
    dialog.get_by_role("button", name="Run", exact=True).click()
    dialog.wait_for(state="detached")
    wait_for_job(page)
    expect(page.locator(".dl-job")).to_contain_text("3 stages", use_inner_text=True)
    page.reload()
    page.locator("[data-name=jobs-over]", has_text="1 job done").focus()  # what is over is folded away
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Dismiss").click()
    page.wait_for_selector(".dl-job", state="detached")
    page.reload()
    page.wait_for_selector(".dl-video")
    assert page.locator(".dl-job").count() == 0


def test_a_run_can_be_stopped(empty_server: Server, page, tmp_path: Path) -> None:
    clip = short_clip(tmp_path, "long.mp4", frames=1500)
    open_page(page, empty_server.url)
    page.set_input_files("input[type=file] >> nth=0", str(clip))
    take(page)
    run_added(page)
    page.get_by_role("button", name="Stop").click(timeout=60_000)
    wait_for_job(page, "stopped")
    page.locator(".dl-stageline", has_text="stopped").wait_for()


def test_a_run_on_the_command_line_is_shown_as_running_and_what_it_could_not_read_is_not_ticked(
    empty_server: Server, page, tmp_path: Path
) -> None:
    clip, go_on = short_clip(tmp_path, "harbour.mp4"), threading.Event()

    def cut_off_later(seen: Seen) -> Reply:
        if seen.body["max_tokens"] > 1:
            go_on.wait(60)
        return Reply(text="", finish_reason="length")

    with ChatServer(cut_off_later) as model:
        open_page(page, empty_server.url)
        given = ("-w", empty_server.workspace, "--captioner", model.spec, "--stages", "scenes,captions,split")
        process = AppProcess("run", clip, *given)
        page.locator(".dl-job", has_text="captions, stage 2 of 3").wait_for(timeout=60_000)
        page.locator(".dl-stageline", has_text="captions running").wait_for()
        assert page.locator(".dl-stageline", has_text="stopped").count() == 0
        go_on.set()
        process.communicate(timeout=60)
    assert process.returncode == 1
    page.locator(".dl-stageline", has_text="captions 5 of 5 unparsed").wait_for()
    page.locator(".dl-stageline", has_text="skipped: split").wait_for()
    page.locator(".dl-stage-unparsed").wait_for()
    expect(page.locator(".dl-jobnotes")).to_contain_text("skipped: split (no full caption")


@pytest.mark.parametrize(("name", "values"), [("dailies-jsonl", "current"), ("loveu", "machine")])
def test_exports_are_downloads(server: Server, page, tmp_path: Path, name: str, values: str) -> None:
    open_page(page, server.url)
    page.get_by_role("button", name="Export").click()
    page.get_by_label("Format").select_option(name)
    page.get_by_label("Values").select_option(values)
    expect(page.get_by_role("dialog")).to_contain_text("cannot hold", use_inner_text=True)
    href = page.locator("[data-name=download]").get_attribute("href")
    assert f"/api/export/{name}?" in href and f"values={values}" in href
    assert ("evaluation=" in href) == (name == "loveu")
    with page.expect_download() as download:
        page.locator("[data-name=download]").click()
    assert download.value.suggested_filename == {"loveu": "loveu.zip"}.get(name, f"{name}.jsonl")
    assert Path(download.value.path()).stat().st_size > 1000


def test_formats_stand_under_what_they_are_for(server: Server, page) -> None:
    open_page(page, server.url)
    page.get_by_role("button", name="Export").focus()
    page.keyboard.press("Enter")
    formats = page.get_by_label("Format")
    expect(formats).to_be_focused()
    assert formats.locator("> *").evaluate_all("all => all.every((one) => one.label && one.children.length)")
    training = formats.locator("optgroup[label='training data'] option").all_inner_texts()
    assert training == ["vriptor", "framecap-sft", "framecap-dpo"]
    page.keyboard.type("framecap-dpo")
    expect(formats).to_have_value("framecap-dpo")
    expect(page.locator(".dl-formatnote")).to_contain_text("preference lines")


@pytest.mark.expect_console("400")
def test_an_export_with_nothing_in_it_says_so(empty_server: Server, page) -> None:
    counted_late: list[Any] = []
    page.route("**/api/export/srt/preview?*", lambda route: counted_late.append(route))
    open_page(page, empty_server.url)
    page.get_by_role("button", name="Export").click()
    page.get_by_label("Format").select_option("srt")
    page.locator("[data-name=download]").click()
    problem = page.get_by_role("alert").filter(has_text="no data for srt")
    problem.wait_for()
    expect(page.get_by_text("Counting ...")).to_be_visible()
    counted_late[0].continue_()
    expect(page.get_by_text("Counting ...")).to_have_count(0)
    expect(problem).to_be_visible()
    page.get_by_label("Format").select_option("vdc-captions")
    expect(page.get_by_role("dialog")).to_contain_text("there is no data for vdc-captions yet")
    assert page.locator("[data-name=download]").get_attribute("href") is None
    page.get_by_label("Format").select_option("loveu")
    expect(page.get_by_role("alert")).to_contain_text("no evaluation yet", use_inner_text=True)
    assert page.locator("[data-name=download]").get_attribute("href") is None


def test_a_video_is_removed_only_after_a_yes(server: Server, page) -> None:
    open_page(page, server.url)
    # A picture that is still being made when its video goes is answered with 404, and rightly.
    row(page, SAMPLE).locator("img").first.evaluate("i => i.decode()")
    remove = page.get_by_label(f"Remove {SAMPLE}")
    remove.click()
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    expect(row(page, SAMPLE)).to_have_count(1)
    remove.click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    page.get_by_text("No videos yet").wait_for()


@pytest.mark.parametrize("role", ["annotator", "admin"])
def test_the_links_of_a_row_stay_in_their_column(server: Server, page, role: str) -> None:
    with Desk(server) as desk:
        work_as(page, server, desk.person("links", role))
    open_page(page, server.url)
    column = page.locator(".dl-video .dl-col-links")
    edges = column.bounding_box()
    links = [link.bounding_box() for link in column.locator("a").all()]
    assert len(links) > 2
    for link in links:
        assert edges["x"] <= link["x"] and link["x"] + link["width"] <= edges["x"] + edges["width"]


def test_an_annotator_sees_no_buttons_that_would_refuse(server: Server, page) -> None:
    assert page.request.post(f"{server.url}/api/me", data={"name": "annotator"}).ok
    open_page(page, server.url)
    page.get_by_label("You are").filter(has_text="annotator · annotator").wait_for()
    page.wait_for_selector(".dl-video")
    names = page.locator("[data-name]").evaluate_all("nodes => nodes.map((n) => n.dataset.name)")
    assert "export" in names and "add" not in names and "run" not in names
    assert page.get_by_label(f"Remove {SAMPLE}").count() == 0


def test_an_empty_library_offers_the_sample_and_asks_what_to_run(empty_server: Server, page) -> None:
    open_page(page, empty_server.url)
    for name in ("Add videos", "Connect a model"):
        expect(page.get_by_role("button", name=name)).to_be_visible()
    page.get_by_role("button", name="Load the sample").focus()
    # The list is asked for anew when others change something; the focus stays where it is.
    with page.expect_response("**/api/library*"):
        page.evaluate(
            "document.dispatchEvent(new CustomEvent('dl-changed', {detail: {video: '', changes: []}}))"
        )
    page.wait_for_timeout(100)
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name=f"Run {SAMPLE}")
    dialog.wait_for(timeout=60_000)
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    expect(row(page, SAMPLE)).to_contain_text("not run yet", use_inner_text=True)
    assert page.locator(".dl-job").count() == 0
    # A server that ends while it makes the pictures writes that it gave them up.
    page.wait_for_function(
        "() => [...document.querySelectorAll('.dl-video img')].every(({ complete }) => complete)"
    )


def test_a_long_list_comes_as_it_is_scrolled_to(empty_server: Server, page, tmp_path: Path) -> None:
    lines = [{"video_id": f"v{n}", "captions": {"short_caption": "A dog."}} for n in range(150)]
    file = tmp_path / "captions.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    empty_server.command("import", str(file))
    open_page(page, empty_server.url)
    rows = page.locator(".dl-video")
    expect(rows).to_have_count(60)
    expect(page.locator(".dl-librarycount")).to_have_text("150 videos", use_inner_text=True)
    page.locator(".dl-librarybody").evaluate("body => body.scrollTo(0, body.scrollHeight)")
    expect(rows).to_have_count(120)
    assert rows.nth(100).get_attribute("data-id") != rows.nth(40).get_attribute("data-id")
    page.get_by_label("Select all videos").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Run 150 videos")).to_be_enabled()
    page.keyboard.press("/")
    page.keyboard.type("v149")
    expect(rows).to_have_count(1)
    expect(page.locator(".dl-librarycount")).to_contain_text("1 of 150 videos · 1 selected")


def test_in_a_narrow_window_the_whole_list_comes_too(empty_server: Server, page, tmp_path: Path) -> None:
    """There the page scrolls, not the list in it."""
    lines = [{"video_id": f"v{n}", "captions": {"short_caption": "A dog."}} for n in range(200)]
    file = tmp_path / "captions.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    empty_server.command("import", str(file))
    page.set_viewport_size({"width": 640, "height": 360})
    open_page(page, empty_server.url)
    rows = page.locator(".dl-video")
    rows.first.wait_for()
    page.mouse.move(300, 300)

    def scrolled() -> bool:
        page.mouse.wheel(0, 4000)
        return rows.count() == 200

    until(scrolled, page)


def test_pictures_come_ahead_so_many_at_once_and_not_those_scrolled_past(
    empty_server: Server, page, tmp_path: Path
) -> None:
    space = Workspace(empty_server.workspace)
    film = add_video(space.store, space.media, short_clip(tmp_path, "film.mp4"))
    copies = (replace(film, id=f"vid-{n:03}", title=f"{n:03}", sha256=f"{n:064}") for n in range(200))
    space.store.add(list(copies))
    space.close()
    at_once, most, asked = [0], [0], []

    def slow(route) -> None:
        asked.append(route.request.url)
        at_once[0] += 1
        most[0] = max(most[0], at_once[0])
        page.wait_for_timeout(60)
        at_once[0] -= 1
        route.continue_()

    page.route("**/strip/*.jpg", slow)
    open_page(page, empty_server.url)
    drawn = "() => document.querySelectorAll('.dl-poster img').length"
    shown = "[...document.querySelectorAll('.dl-poster img')].filter((i) => i.naturalWidth)"
    page.wait_for_function(f"{shown}.length >= 12")
    below = page.evaluate(f"{shown}.filter((i) => i.getBoundingClientRect().top > innerHeight).length")
    assert below > 0 and page.evaluate(drawn) == 60
    page.mouse.move(600, 400)
    for _ in range(12):
        page.mouse.wheel(0, 1500)
        page.wait_for_timeout(20)
    in_sight = "(i) => i.getBoundingClientRect().bottom > 0 && i.getBoundingClientRect().top < innerHeight"
    page.wait_for_function(
        f"[...document.querySelectorAll('.dl-poster img')].filter({in_sight}).every((i) => i.naturalWidth)"
    )
    assert 0 < most[0] <= 4 and len(asked) < page.evaluate(drawn) - 20
    page.unroute_all(behavior="wait")  # a picture may be on its way still


def test_the_library_is_not_read_again_where_no_job_runs(server: Server, page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_page(page, server.url)
    page.wait_for_timeout(2_500)  # the server has told how jobs stand
    # Rows that are ready at once come with the document.
    assert len([url for url in asked if "/api/library?" in url]) <= 1

"""A run's folder is dropped, then its videos; a preview says what they are, and undo takes them back."""

from __future__ import annotations

import re
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from annotation.records.captions_to_verdicts import Verdict
from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from annotation.store.store import Store
from tests.backends.clips import textured, write_clip
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.drops import asked, drop, take
from tests.exports.catalogue.test_sort_found_files import LOGS
from tests.exports.peers.peer_files import VIDEOS, lmms_log, loveu_log, vlmevalkit_log
from tests.whole_store import OF_THE_UNDO, differing, imported, records, tables

NAMES = {
    "lmms-eval old": "some/model · VDC · 2026-01-01",
    "lmms-eval": "some/model · VDC · 2026-01-01",
    "vlmevalkit": "SomeModel · VDC 8frame",
    "loveu": "some-captioner · VDC · 2026-02-03",
}


def store_of(server: Server) -> Store:
    return Store(f"sqlite:///{server.workspace / 'dailies.db'}")


def take_back(page) -> Any:
    """Ctrl+Z, and the question that comes; it is answered with the keyboard."""
    page.keyboard.press("Control+z")
    dialog = page.get_by_role("dialog", name="Take the import back?")
    dialog.wait_for()
    words = dialog.inner_text()
    page.keyboard.press("Tab")  # from Cancel to what takes it back
    page.keyboard.press("Enter")
    dialog.wait_for(state="detached")
    page.locator("[data-name=undone]").wait_for()
    return words


def as_before(store: Store, before: dict[str, Any]) -> bool:
    """Every table, but for the log of what was done."""
    return differing(before, tables(store)) <= OF_THE_UNDO - {"import_part"}


@pytest.mark.expect_console("409")
def test_every_log_is_what_import_makes_of_it_and_is_taken_back(
    empty_server: Server, page, tmp_path: Path
) -> None:
    """As a folder and as an archive, one after the other: each leaves the workspace empty again."""
    store = store_of(empty_server)
    open_page(page, empty_server.url)
    before = tables(store)
    for name, make in LOGS.items():
        log = make(tmp_path / name / "org__model")
        packed = Path(shutil.make_archive(str(tmp_path / name / "log"), "zip", log.parent, log.name))
        by_command = imported(tmp_path / name / "command", log)
        for given in (log, packed):
            drop(page, given)
            expect(asked(page).get_by_label("Name of the evaluation")).to_have_value(NAMES[name])
            assert as_before(store, before)
            take(page)
            assert [one.name for one in store.find(Evaluation)] == [NAMES[name]]
            expect(page.locator(".dl-evaluation select option", has_text=NAMES[name])).to_have_count(1)
            assert differing(records(store), records(by_command.store)) == set()
            take_back(page)
            until(partial(as_before, store, before), page)
            page.get_by_text("No videos yet").wait_for()


def folder_of_videos(home: Path) -> Path:
    """One file by its id, and one in a folder that is called by it."""
    for number, name in enumerate((f"{VIDEOS[0]}.mp4", f"deep/{VIDEOS[1]}/video.mp4")):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_clip(path, [textured(number + n // 20) for n in range(40)])
    return home


@pytest.mark.expect_console("409")
@pytest.mark.expect_console("404")  # the page still shows the video when the import goes
@pytest.mark.expect_console("it may have been removed")
def test_a_run_and_its_videos_are_dropped_corrected_and_taken_back(
    empty_server: Server, page, tmp_path: Path
) -> None:
    store = store_of(empty_server)
    open_page(page, empty_server.url)
    empty = tables(store)
    drop(page, loveu_log(tmp_path / "run of today"))
    expect(asked(page).locator(".dl-importfacts")).to_contain_text(
        "VDC · 2 videos · 2 captions · 4 questions · 4 answers · 4 verdicts · judged by some-judge"
    )
    page.keyboard.type("Tuesday")  # the name is chosen, so typing replaces it
    take(page)
    [made] = store.find(Evaluation)
    assert made.name == "Tuesday"
    expect(page).to_have_url(re.compile(f"evaluation={made.id}"))  # what was imported is what is shown
    without_files = tables(store)
    drop(page, folder_of_videos(tmp_path / "videos"))
    expect(asked(page)).to_contain_text("2 files of videos that wait for one", use_inner_text=True)
    take(page)
    assert all(Path(str(video.path)).is_file() for video in store.find(Video))
    page.keyboard.press("Escape")
    page.keyboard.press("w")  # the worst question, beside its video
    worst = page.locator(".dl-verdict")
    worst.wait_for()
    lowest = min(verdict.score for verdict in store.find(Verdict) if verdict.score is not None)
    expect(worst).to_contain_text(f"{lowest:g} of 5", use_inner_text=True)
    expect(page.locator("video")).to_have_js_property("readyState", 4)
    open_page(page, empty_server.url)
    assert "2 videos" in take_back(page).casefold()
    until(partial(as_before, store, without_files), page)
    assert not list((empty_server.workspace / "videos").glob("*"))
    page.keyboard.press("w")
    worst.wait_for()
    page.keyboard.press("e")  # a correction, which goes with the import
    page.keyboard.press("y")
    page.keyboard.press("Control+Enter")
    until(lambda: bool(tables(store)["correction"]), page)
    page.keyboard.press("Control+z")  # the correction is the last decision
    until(lambda: len(tables(store)["correction"]) == 2, page)  # taken back, and both are kept
    open_page(page, empty_server.url)  # an import is of the whole workspace
    assert "What was done on it since goes with it: 2 correction" in take_back(page)
    until(partial(as_before, store, empty), page)
    open_page(page, empty_server.url)
    page.get_by_text("No videos yet").wait_for()


def test_single_files_say_what_is_missing_and_two_runs_are_two(
    empty_server: Server, page, tmp_path: Path
) -> None:
    lmms, kit = lmms_log(tmp_path / "lmms", "head"), vlmevalkit_log(tmp_path / "kit")
    loveu = loveu_log(tmp_path / "loveu")
    open_page(page, empty_server.url)
    drop(page, next(lmms.glob("*results.json")), next(kit.glob("*tmp.pkl")), loveu / "answers.jsonl")
    dialog = asked(page)
    text = dialog.inner_text()
    assert "this is answers.jsonl of a LOVEU log; its manifest.json is missing" in text
    assert "its table of predictions SomeModel_VDC_8frame.xlsx is missing" in text
    assert "its *_samples_*.jsonl are missing: there are no results per video" in text
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    assert store_of(empty_server).count(Evaluation) == 0
    drop(page, lmms, kit)
    dialog = asked(page)
    expect(dialog.locator("h2")).to_have_text("Found: 2 evaluations", use_inner_text=True)
    expect(dialog.locator("section")).to_have_count(2)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")  # the first is left out
    take(page)
    assert [one.name for one in store_of(empty_server).find(Evaluation)] == ["SomeModel · VDC 8frame"]


def test_the_chooser_takes_a_folder(empty_server: Server, page, tmp_path: Path) -> None:
    log = vlmevalkit_log(tmp_path / "kit")
    open_page(page, empty_server.url)
    expect(page.locator("[data-name=first-folder]")).to_be_visible()
    with page.expect_file_chooser() as chooser:
        page.locator("[data-name=add]").press("Enter")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")  # files, a folder, by URL
    chooser.value.set_files(str(log))
    take(page)
    assert store_of(empty_server).count(Evaluation) == 1


def test_links_of_a_cache_do_not_come_through_a_browser(empty_server: Server, page, tmp_path: Path) -> None:
    """Chromium leaves links out of a dropped folder: the page says what to type."""
    cache = tmp_path / "datasets--some--videos"
    (cache / "snapshots" / "0a1b").mkdir(parents=True)
    (cache / "blobs").mkdir()
    shutil.move(write_clip(tmp_path / "clip.mp4", [textured(1)] * 10), cache / "blobs" / "0f")
    (cache / "snapshots" / "0a1b" / "clip.mp4").symlink_to(Path("../../blobs/0f"))
    open_page(page, empty_server.url)
    drop(page, cache)
    asked(page).locator("summary").focus()
    page.keyboard.press("Enter")
    expect(asked(page)).to_contain_text("python app.py import --videos FOLDER", use_inner_text=True)


def test_an_evaluation_of_means_alone_says_so_on_every_page(
    empty_server: Server, page, tmp_path: Path
) -> None:
    log = lmms_log(tmp_path / "whole", "head")
    means = tmp_path / "means" / "20260101_120000_results.json"
    means.parent.mkdir()
    shutil.copy(next(log.glob("*results.json")), means)
    open_page(page, empty_server.url)
    drop(page, means.parent)
    take(page)
    words = "means over all videos alone"
    expect(page.get_by_role("note").filter(has_text=words)).to_contain_text("camera_test: acc 0.5000")
    for key in ("v", "c"):
        page.keyboard.press(f"Alt+Shift+{key}")
        expect(page.locator("main").get_by_text(words)).to_contain_text("camera_test: acc 0.5000")

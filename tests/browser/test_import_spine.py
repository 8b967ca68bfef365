"""A run's folder is dropped, then its videos; a preview says what they are, and undo takes them back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from annotation.records.runs import Evaluation
from annotation.store.store import Store
from tests.backends.clips import textured, write_clip
from tests.browser.conftest import Server, expect, open_page
from tests.browser.drops import asked, drop, take
from tests.exports.catalogue.test_groups import LOGS
from tests.exports.peers.peer_files import lmms_log, loveu_log, vlmevalkit_log

NAMES = {
    "lmms-eval old": "some/model · VDC · 2026-01-01",
    "lmms-eval": "some/model · VDC · 2026-01-01",
    "vlmevalkit": "SomeModel · VDC 8frame",
    "loveu": "some-captioner · VDC · 2026-02-03",
}


def store_of(server: Server) -> Store:
    return Store(f"sqlite:///{server.workspace / 'dailies.db'}")


@pytest.mark.parametrize("shape", ["folder", "zip"])
@pytest.mark.parametrize("name", LOGS)
def test_every_log_is_one_evaluation(
    empty_server: Server, page, tmp_path: Path, name: str, shape: str
) -> None:
    log = LOGS[name](tmp_path / "org__model")
    if shape == "zip":
        log = Path(shutil.make_archive(str(tmp_path / "log"), "zip", tmp_path, log.name))
    open_page(page, empty_server.url)
    drop(page, log)
    expect(asked(page).get_by_label("Name of the evaluation")).to_have_value(NAMES[name])
    take(page)
    assert [one.name for one in store_of(empty_server).find(Evaluation)] == [NAMES[name]]
    expect(page.locator(".dl-evaluation select option", has_text=NAMES[name])).to_have_count(1)


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
    assert "its *_samples_*.jsonl are missing: no video can be shown" in text
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
    page.locator("[data-name=add-folder]").focus()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
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

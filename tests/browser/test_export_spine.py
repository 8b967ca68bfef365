"""From a new clip to an approved split over a machine's draft, and out in every format, under its writers."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from annotation.records.decisions import Person
from tests.backends.clips import textured, write_clip
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk, work_as
from tests.browser.drops import run_added, take

SPATIAL = "A grey textured wall fills the picture from edge to edge."
TEMPORAL = "The wall drifts slowly past the camera until the film ends."
SHORT = "A wall of grey noise drifts past."
CONTENT = "Noise fills the frame and slides to the left."
TEXTS = ".dl-sx-col[data-column={}]"


@pytest.mark.expect_console("409")
def test_what_people_made_is_in_every_file(empty_server: Server, page, tmp_path: Path) -> None:
    server = empty_server
    _run_a_clip(server, page, tmp_path)
    with Desk(server) as desk:
        ann, ben = desk.person("Ann"), desk.person("Ben")
        eva = desk.person("Eva", "expert")
        desk.give(ann, ["wall"], "split")
        desk.give(ben, ["wall"], "captions")
        _replace_the_split(server, page, ann)
        _correct_captions_and_script(server, page, desk, ben)
        for who, task in (("Ann", "split"), ("Ben", "captions")):
            _approve(server, page, eva, who, task)
        shown = _shown(server, page)
        _export_by_keys(server, page, tmp_path)
        _every_format(server, page, shown)


def _run_a_clip(server: Server, page, folder: Path) -> None:
    clip = folder / "wall.mp4"
    write_clip(clip, [textured(index) for index in range(48)])
    open_page(page, server.url)
    page.set_input_files("input[type=file] >> nth=0", str(clip))
    take(page)
    run_added(page)
    page.locator(".dl-job[data-state=done], .dl-job .dl-is-done").first.wait_for(timeout=120_000)


def _sit_down(page, server: Server, who: Person) -> None:
    """Another person takes the window: what the last one had open asks for no more."""
    page.goto("about:blank")
    work_as(page, server, who)


def _fill(page, words: str) -> None:
    """The whole text is replaced, by keys."""
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(words)


def _replace_the_split(server: Server, page, ann: Person) -> None:
    _sit_down(page, server, ann)
    open_page(page, f"{server.url}/split?task=split")
    page.locator(".dl-sx-row").first.wait_for()
    for key, name, words in (("2", "spatial text", SPATIAL), ("3", "temporal text", TEMPORAL)):
        page.keyboard.press(key)
        expect(page.get_by_role("textbox", name=name)).to_be_focused()
        _fill(page, words)
        page.wait_for_selector(".dl-editor .dl-saved-saved")
        page.keyboard.press("Escape")
    page.keyboard.press("Control+Shift+Enter")
    _anyway(page)
    page.locator(".dl-queue-mine .dl-is-done").wait_for()


def _anyway(page) -> None:
    """Findings that are open are asked about; the person goes on."""
    dialog = page.get_by_role("dialog")
    dialog.locator("[data-name=agree]").press("Enter")
    dialog.wait_for(state="detached")


def _correct_captions_and_script(server: Server, page, desk: Desk, ben: Person) -> None:
    _sit_down(page, server, ben)
    open_page(page, f"{server.url}/script?tab=short&task=captions")
    page.keyboard.press("e")
    page.locator("textarea:focus").wait_for()
    _fill(page, SHORT)
    page.wait_for_selector(".dl-saved-saved")
    open_page(page, f"{server.url}/script?scene=1")
    page.locator(".dl-scenecard.dl-open").wait_for()
    page.keyboard.press("e")
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(page.get_by_role("textbox", name="content")).to_be_focused()
    _fill(page, CONTENT)
    page.wait_for_selector(".dl-saved-saved")
    page.keyboard.press("Control+Shift+Enter")
    until(lambda: desk.states(ben)["wall"] == "done", page)


def _approve(server: Server, page, eva: Person, who: str, task: str) -> None:
    _sit_down(page, server, eva)
    open_page(page, f"{server.url}/{'split' if task == 'split' else 'script'}")
    other = page.locator(".dl-queue-other", has_text=f"{who} · {task}")
    other.get_by_role("button", name="Approve").press("Enter")
    if task == "split":
        _anyway(page)
    page.locator(".dl-queue-other", has_text=f"{who} · {task} · approved").wait_for()


def _shown(server: Server, page) -> dict[str, str]:
    """The texts that the Split page shows as current, read from it."""
    open_page(page, f"{server.url}/split")
    page.locator(".dl-sx-row").first.wait_for()
    found = {}
    for name in ("full", "spatial", "temporal"):
        page.keyboard.press({"full": "1", "spatial": "2", "temporal": "3"}[name])
        area = page.locator("textarea:focus")
        area.wait_for()
        found[name] = area.input_value()
        page.keyboard.press("Escape")
    assert (found["spatial"], found["temporal"]) == (SPATIAL, TEMPORAL) and found["full"]
    return found


def _export_by_keys(server: Server, page, folder: Path) -> None:
    """The dialog says whose texts a file would hold before it is written."""
    open_page(page, server.url)
    page.get_by_role("button", name="Export").press("Enter")
    formats = page.get_by_label("Format")
    expect(formats).to_be_focused()
    page.keyboard.type("carebench")
    preview = page.locator("[data-name=preview]")
    expect(preview).to_contain_text("spatial caption")
    expect(preview.locator("tbody tr")).to_have_count(2)
    expect(preview.locator("tbody tr").last).to_contain_text("Ann")
    expect(preview).to_contain_text("1 (1 by people)")
    texts = page.get_by_label("What to export")
    assert texts.locator("option:checked").inner_text() == "what counts now"
    texts.select_option(label="one person: Ben")
    expect(preview).to_contain_text("0 videos")
    texts.select_option(label="one person: Ann")
    expect(preview).to_contain_text("1 (1 by people)")
    with page.expect_download() as waiting:
        page.locator("[data-name=download]").press("Enter")
    file = folder / "of_ann.json"
    waiting.value.save_as(file)
    (record,) = json.loads(file.read_text("utf-8"))
    assert (record["video"], record["spatial_caption"], record["temporal_caption"]) == (
        "wall.mp4",
        SPATIAL,
        TEMPORAL,
    )
    page.keyboard.press("Escape")


HOLDS = {
    "carebench": ("spatial", "temporal", "full"),
    "carebench-config": ("spatial", "temporal", "full"),
    "carebench-folder": ("spatial", "temporal", "full"),
    "dailies-jsonl": ("spatial", "temporal", "full", "short", "content"),
    "vdc-captions": ("short",),
    "vript": ("content",),
    "vript-captions": ("content",),
    "vriptor-script": ("content",),
}
"""Which of the texts stand in a file of the format."""
EMPTY = re.compile(
    "nothing to write|has no|there is no|no evaluation|not installed|needs|name the evaluation"
)


def _every_format(server: Server, page, shown: dict[str, str]) -> None:
    wanted = shown | {"short": SHORT, "content": CONTENT}
    listed = page.request.get(f"{server.url}/api/formats").json()["formats"]
    written = set()
    for known in listed:
        name = known["name"]
        answer = page.request.get(f"{server.url}/api/export/{name}")
        if not answer.ok:
            assert EMPTY.search(answer.json()["error"]), (name, answer.text())
            continue
        written.add(name)
        held = _words(answer.body())
        for which in HOLDS.get(name, ()):
            assert json.dumps(wanted[which])[1:-1] in held or wanted[which] in held, (name, which)
    assert set(HOLDS) <= written


def _words(body: bytes) -> str:
    if not body.startswith(b"PK"):
        return body.decode("utf-8", "replace")
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return "\n".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())

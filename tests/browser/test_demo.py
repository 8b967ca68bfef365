"""The Demo page in a browser: the whole pipeline on a worked example and on a clip of a visitor."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.backends.clips import textured, write_clip
from tests.browser.conftest import Server, expect, open_page, serve, until
from tests.browser.test_accessibility import violations

GRADIOS_OWN = "aria-prohibited-attr"
"""It names its empty galleries by `aria-label` on a `div` without a role."""
RUN_MS = 180_000
STATIC = " The boat is folded from red paper."


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Server]:
    """`serve --demo-only`."""
    yield from serve(tmp_path / "workspace", "--demo-only")


@pytest.fixture(params=["alone", "server"])
def demo(request: pytest.FixtureRequest) -> Server:
    """The page alone, and beside the working pages."""
    return request.getfixturevalue(request.param)


def open_demo(page: Any, server: Server) -> None:
    """The page with its worked example."""
    page.goto(f"{server.url}/demo/")
    expect(page.get_by_text("answers judged right")).to_be_visible()
    expect(page.locator("#demo-player")).to_contain_text("confirmed")


def shown_frame(page: Any) -> int:
    return int(re.findall(r"#([\d,]+)", page.locator("#demo-player").inner_text())[0].replace(",", ""))


def tab(page: Any, name: str) -> None:
    page.get_by_role("tab", name=name).click()


def temporal(page: Any) -> Any:
    return page.locator("#demo-temporal").get_by_role("textbox")


def to_settle(page: Any) -> int:
    found = re.search(r"(\d+) findings? to settle", page.locator("#demo-findings").inner_text())
    return int(found[1]) if found else 0


def test_the_whole_pipeline_on_one_page(demo: Server, page, tmp_path: Path) -> None:
    open_demo(page, demo)
    assert [line for line in violations(page, "demo") if GRADIOS_OWN not in line] == []
    # The example plays.
    page.locator("#demo-player").get_by_role("button", name="Play").click()
    until(lambda: shown_frame(page) > 5, page)
    page.locator("#demo-player").get_by_role("button", name="Pause").click()
    # A question moves the player, marks the caption, and shows verdict and cause.
    page.locator("#demo-questions").get_by_text("In which direction does the camera pan").click()
    expect(page.locator("#demo-verdict")).to_contain_text("verdict: ○ no 0 of 5")
    expect(page.locator("#demo-verdict")).to_contain_text("likely cause")
    expect(page.locator("mark").first).to_contain_text("left")
    until(lambda: 12 * 25 <= shown_frame(page) < 19 * 25, page)  # the shot of the valley
    expect(page.locator("#demo-player")).to_contain_text("confirmed")
    # A clause in the wrong text is a finding until it is moved.
    tab(page, "Split")
    expect(page.locator("#demo-findings")).to_contain_text("to settle")
    before = to_settle(page)
    temporal(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type(STATIC)
    until(lambda: to_settle(page) > before, page)
    for _ in STATIC:
        page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Control+x")
    page.locator("#demo-spatial").get_by_role("textbox").click()
    page.keyboard.press("Control+End")
    page.keyboard.press("Control+v")
    until(lambda: to_settle(page) == before, page)
    with page.expect_download() as metadata:
        page.get_by_role("button", name="Download as CaReBench metadata").press("Enter")
    (record,) = json.loads(Path(metadata.value.path()).read_text())
    assert record["spatial_caption"].endswith(STATIC)
    # A clip of one's own is processed.
    clip = write_clip(tmp_path / "ours.mp4", [textured(1 + n // 50) for n in range(150)])
    page.locator("#demo-clip input[type=file]").set_input_files(clip)
    expect(page.locator("#demo-status")).to_contain_text("%")  # of the run
    expect(page.locator("#demo-status")).to_contain_text("Done.", timeout=RUN_MS)
    tab(page, "Questions")
    expect(page.locator("#demo-questions")).not_to_contain_text("camera pan over the valley")
    tab(page, "Script")
    expect(page.get_by_text("Scene 2: 2.0 to 4.0 s")).to_be_visible()
    page.get_by_text("Scene 2: 2.0 to 4.0 s").click()
    until(lambda: shown_frame(page) == 50, page)
    # A tab that is opened for the first time after the run has its results.
    tab(page, "Captions")
    expect(page.get_by_role("group", name="Detailed")).to_contain_text("In scene 2, from 2.0 s to 4.0 s")
    with page.expect_download() as everything:
        page.get_by_role("button", name="Download all").press("Enter")
    assert everything.value.suggested_filename == "ours.zip"
    names = zipfile.ZipFile(everything.value.path()).namelist()
    assert {"README.txt", "dailies.jsonl", "captions/vdc_captions.jsonl"} <= set(names)
    assert any(name.startswith("keyframes/") for name in names)


def test_questions_about_a_pasted_reference(alone: Server, page, tmp_path: Path) -> None:
    open_demo(page, alone)
    page.get_by_role("button", name="Ask about another reference").click()
    file = tmp_path / "reference.json"
    file.write_text(json.dumps({"captions": {"short_caption": "A blue boat sails. A dog barks."}}))
    page.locator("#demo-reference input[type=file]").set_input_files(file)
    expect(page.get_by_label("Short", exact=True)).to_have_value("A blue boat sails. A dog barks.")
    page.get_by_label("Camera", exact=True).fill("The camera is static.")
    page.get_by_role("button", name="Ask and judge").press("Enter")
    expect(page.locator("#demo-status")).to_contain_text("Done.", timeout=RUN_MS)
    expect(page.locator("#demo-questions")).to_contain_text("is static")


def test_keys_change_how_many_keyframes_there_are(alone: Server, page) -> None:
    open_demo(page, alone)
    tab(page, "Keyframes")
    slider = page.get_by_role("slider", name="Keyframes per method")
    slider.focus()
    slider.press("ArrowLeft")
    slider.press("ArrowLeft")
    last = page.get_by_text("the middle of interval 4 of 4")
    expect(last).to_be_visible()
    last.click()
    until(lambda: shown_frame(page) > 40 * 25, page)
    pictures = page.locator(".thumbnail-item img").filter(visible=True)
    expect(pictures).to_have_count(3 * 4)


def test_stop_ends_a_run_and_another_one_can_begin(alone: Server, page, tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "ours.mp4", [textured(1 + n // 250) for n in range(1500)])
    open_demo(page, alone)
    page.locator("#demo-clip input[type=file]").set_input_files(clip)
    stop = page.get_by_role("button", name="Stop")
    expect(stop).to_be_enabled()
    stop.press("Enter")
    expect(page.get_by_text("Stopped. The results so far are shown.")).to_be_visible()
    page.get_by_role("button", name="Run again").press("Enter")
    expect(page.locator("#demo-status")).to_contain_text("Done.", timeout=RUN_MS)
    tab(page, "Script")
    expect(page.get_by_text("Scene 2: 10.0 to 20.0 s").first).to_be_visible()


def test_the_menu_of_the_person_leads_to_it(server: Server, page) -> None:
    open_page(page, server.url)
    page.get_by_role("button", name="You are").press("Enter")
    page.get_by_role("menuitem", name="Demo page: a clip, nothing kept").focus()
    with page.context.expect_page() as opened:
        page.keyboard.press("Enter")
    demo = opened.value
    demo.get_by_text("answers judged right").wait_for()
    assert demo.url == f"{server.url}/demo/"
    with page.context.expect_page() as working:
        demo.get_by_role("link", name="Working pages").click()
    working.value.locator(".dl-video").first.wait_for()

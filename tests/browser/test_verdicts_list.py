"""Three thousand questions in one list: its end, on across pages, filters, columns, exclusion, labels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.workspace.workspace import Workspace
from benchmarks.many_verdicts import fill
from tests.browser.conftest import Server, expect, open_page, serve

VIDEOS, EACH = 150, 20
TOTAL = VIDEOS * EACH
DRAG = """document.querySelector('.dl-list').scrollTop =
  document.querySelector('.dl-canvas').clientHeight / 2"""


@pytest.fixture
def many(tmp_path: Path) -> Iterator[Server]:
    """A server with 150 videos of twenty questions, judged twice."""
    folder = tmp_path / "qa"
    folder.mkdir()
    questions = [
        {"question": f"What stands at place {i}?", "answer": f"thing {i}", "category": "object"}
        for i in range(EACH)
    ]
    rows = [{f"video-{n:03}": questions} for n in range(VIDEOS)]
    (folder / "camera.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    space = Workspace(tmp_path / "workspace")
    fill(space, folder, evaluations=2)
    space.close()
    yield from serve(tmp_path / "workspace")


def place(page, at: int) -> None:
    """Waits until the open question is this one of the list, counted from 1, and its panel is there."""
    row = page.locator(f".dl-item[aria-selected=true][aria-posinset='{at}']")
    row.wait_for()
    question = row.locator(".dl-item-words").inner_text()
    expect(page.locator(".dl-q")).to_have_text(question)


def test_a_long_list_from_end_to_label(many: Server, page) -> None:
    open_page(page, f"{many.url}/verdicts?sort=title")
    place(page, 1)
    expect(page.locator(".dl-list-foot").first).to_contain_text("3,000 questions")
    _to_the_end_and_over_pages(page)
    _a_link_finds_its_place(page)
    _filters(page)
    _two_columns(many, page)
    _exclude(page)
    _label_blind(page)


def _to_the_end_and_over_pages(page) -> None:
    drawn = page.locator(".dl-item").count()
    assert drawn < 40
    page.locator(".dl-list").focus()
    page.keyboard.press("End")
    place(page, TOTAL)
    assert page.locator(".dl-item").count() <= drawn + 1
    page.keyboard.press("PageUp")
    expect(page.locator(".dl-item[aria-selected=true]")).not_to_have_attribute("aria-posinset", str(TOTAL))
    page.keyboard.press("Control+Home")
    place(page, 1)
    for at in range(2, 4):
        page.keyboard.press("j")
        place(page, at)
    # The scrollbar dragged to the middle: rows come, the open one stays.
    page.evaluate(DRAG)
    page.wait_for_function(
        "[...document.querySelectorAll('.dl-item[data-id]')].some((i) => i.ariaPosInSet > 1470)"
    )
    middle = page.locator(".dl-item[data-id][aria-posinset='1500']")
    expect(middle).to_contain_text("What stands at place 19?")
    expect(page.locator(".dl-group-now")).to_have_text(re.compile("^video-07"))


def _a_link_finds_its_place(page) -> None:
    page.locator(".dl-item[aria-posinset='1500']").click()
    place(page, 1500)
    page.wait_for_function("new URLSearchParams(location.search).get('qa')")
    page.reload()
    place(page, 1500)
    page.keyboard.press("j")  # the next page of the list, and the next video
    place(page, 1501)
    page.keyboard.press("k")
    page.keyboard.press("k")
    place(page, 1499)


def _filters(page) -> None:
    page.get_by_role("combobox", name="Show").select_option("unparsed")
    page.wait_for_selector(".dl-item .dl-is-unparsed")
    expect(page.locator(".dl-list-foot").first).to_contain_text("shown")
    page.get_by_role("combobox", name="Show").select_option("")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("place 7?")
    expect(page.locator(".dl-item[aria-posinset='1']")).to_have_attribute("aria-setsize", str(VIDEOS))
    page.get_by_role("searchbox", name="Search").fill("")
    expect(page.locator(".dl-item[aria-posinset='1']")).to_have_attribute("aria-setsize", str(TOTAL))
    page.keyboard.press("Escape")


def _two_columns(many: Server, page) -> None:
    page.keyboard.press("Shift+f")
    page.get_by_role("combobox", name="Second evaluation").select_option(index=1)
    page.wait_for_selector(".dl-columns")
    page.get_by_label("only where they differ").check()
    page.wait_for_function("Number(document.querySelector('.dl-item').ariaSetSize) < 3000")
    marks = page.locator(".dl-item[aria-selected=true] .dl-item-verdicts .dl-mark")
    assert marks.count() == 2 and len(set(marks.all_inner_texts())) == 2
    columns = page.locator(".dl-columns .dl-verdictline")
    assert columns.count() == 2 and len(set(columns.all_inner_texts())) == 2
    assert "with=evl-" in page.url and "differs=1" in page.url


def _exclude(page) -> None:
    place(page, 1)
    page.get_by_role("listbox", name="Questions").focus()
    page.keyboard.press("x")
    page.get_by_role("textbox", name="Why can it not be answered fairly?").fill("cannot be seen")
    page.keyboard.press("Enter")
    expect(page.locator(".dl-excluded")).to_contain_text("cannot be seen")
    page.wait_for_selector(".dl-item[aria-selected=true] .dl-flag-excluded")
    page.keyboard.press("Control+z")
    expect(page.locator(".dl-excluded")).to_have_count(0)


def _label_blind(page) -> None:
    page.keyboard.press("Shift+b")
    page.wait_for_selector(".dl-blindform")
    expect(page.locator(".dl-blindmark")).to_be_visible()
    expect(page.locator(".dl-columns, .dl-raw, .dl-errorsource")).to_have_count(0)
    expect(page.locator(".dl-item .dl-is-yes, .dl-item .dl-is-no")).to_have_count(0)
    question = page.locator(".dl-q").inner_text()
    page.keyboard.press("n")
    page.keyboard.press("2")
    page.wait_for_selector(".dl-verdictline .dl-is-corrected")
    assert page.locator(".dl-q").inner_text() == question
    expect(page.locator(".dl-verdictline").last).to_contain_text(re.compile("no.*2 of 5", re.S))
    page.wait_for_selector(".dl-raw")
    expect(page.locator(".dl-list-foot").first).to_contain_text("1 labelled by you")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".dl-blindform")

"""A benchmark that was added to a copy of the program is run, looked at, corrected and scored by keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import OPEN_PAGES, expect, open_page
from tests.browser.test_library import row, short_clip, wait_for_job
from tests.chat_server import ChatServer, normal
from tests.program_copy import ProgramCopy
from tests.toy_system import LINE, add_toy_benchmark


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The server of the copy, on a workspace with the toy's reference and the clip."""
    program, space = ProgramCopy(tmp_path / "program"), tmp_path / "w"
    add_toy_benchmark(program)
    (tmp_path / "toy.jsonl").write_text(json.dumps(LINE) + "\n")
    program.app("import", tmp_path / "toy.jsonl", short_clip(tmp_path, "boat.mp4"), "--workspace", space)
    with (
        ChatServer(normal("A boat sails on a lake.")) as model,
        program.served("--workspace", space, "--captioner", model.spec) as url,
    ):
        yield url
        for page in OPEN_PAGES:
            page.close()


def test_from_the_run_to_a_corrected_figure(url: str, page) -> None:
    open_page(page, url)
    page.get_by_label("Select boat").check()
    page.get_by_role("button", name="Run 1 video").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="None").click()
    dialog.get_by_role("checkbox", name="toy_verdicts a verdict on each toy event").check()
    expect(dialog.get_by_text("also run, since these need them")).to_contain_text(
        "toy_captions", use_inner_text=True
    )
    dialog.get_by_role("button", name="Run", exact=True).click()
    dialog.wait_for(state="detached")
    wait_for_job(page)
    expect(row(page, "boat").get_by_role("img", name="toy_verdicts done")).to_be_visible()

    page.keyboard.press("Alt+Shift+v")
    page.get_by_role("tablist", name="What was judged").get_by_role("tab", name="Toy").click()
    panel = page.get_by_role("article", name="This item")
    expect(panel).to_contain_text("A boat sails on a lake.")
    expect(panel.locator(".dl-toy-event")).to_have_text("cat jumps")
    expect(panel).to_contain_text("not in the caption: cat, jumps")
    expect(page.locator(".dl-frame, .dl-strip img").first).to_be_visible()
    page.locator("[role=listbox]").first.focus()
    page.keyboard.press("1")
    expect(page.locator("[data-value=entailment][aria-pressed=true]")).to_have_count(1)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".dl-notices")).to_contain_text("Corrected")

    open_page(page, f"{url}/scores?system=toy")
    figures = page.locator('td[data-metric="stated"] .dl-scorecell > b')
    expect(figures.first).to_have_text("1.000")
    page.keyboard.press("Control+z")
    expect(figures.first).to_have_text("0.500")

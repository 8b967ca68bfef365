"""A stage that was added to a copy of the program is chosen in the dialog and runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import OPEN_PAGES, expect, open_page
from tests.browser.test_library import row, short_clip, wait_for_job
from tests.program_copy import ProgramCopy
from tests.toy_stage import LABEL, add_toy_stage


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    program = ProgramCopy(tmp_path / "program")
    add_toy_stage(program)
    program.app("run", short_clip(tmp_path, "boat.mp4"), "--stages", "probe", "--workspace", tmp_path / "w")
    with program.served("--workspace", tmp_path / "w") as url:
        yield url
        for page in OPEN_PAGES:
            page.close()


def test_it_stands_in_the_dialog_and_in_the_strip(url: str, page) -> None:
    open_page(page, url)
    expect(row(page, "boat").get_by_role("img", name="toy not run")).to_be_visible()
    page.get_by_label("Select boat").check()
    page.get_by_role("button", name="Run 1 video").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="None").click()
    dialog.get_by_role("checkbox", name=f"toy {LABEL}").check()
    expect(dialog.get_by_text("also run, since these need them")).to_contain_text(
        "probe", use_inner_text=True
    )
    dialog.get_by_role("button", name="Run", exact=True).click()
    dialog.wait_for(state="detached")
    wait_for_job(page)
    expect(row(page, "boat").get_by_role("img", name="toy done")).to_be_visible()

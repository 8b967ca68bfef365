"""Vript-RR from the Library in both settings: a real server answers, both columns stand on Scores."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import Server, expect, open_page, serve
from tests.browser.test_library import SAMPLE, wait_for_job
from tests.chat_server import ChatServer, mentions, normal, scripted

REPLIES = scripted(
    (mentions("impartial judge"), normal('So. {"rating": False}')),
    (mentions("Only give the best option"), normal("(B) it is.")),
    (mentions("temporal order of the scenes"), normal("Scene (A) Scene (B) Scene (C)")),
    (mentions("Describe this video"), normal("A boat floats.")),
    (mentions("Hint:"), normal("A boat.")),
)


@pytest.fixture
def asked(filled: Path, tmp_path: Path) -> Iterator[tuple[Server, ChatServer]]:
    """The sample with a model behind it."""
    shutil.copytree(filled, tmp_path / "workspace")
    with ChatServer(REPLIES) as model:
        for server in serve(tmp_path / "workspace", "--captioner", model.spec, "--judge", model.spec):
            yield server, model


def test_both_settings_are_run_from_the_library(asked: tuple[Server, ChatServer], page) -> None:
    server, model = asked
    open_page(page, server.url)
    page.get_by_label(f"Select {SAMPLE}").check()
    page.get_by_role("button", name="Run 1 video").click()
    dialog = page.get_by_role("dialog")
    setting = dialog.locator("select[data-name=rr-setting]")
    expect(setting).to_be_hidden()
    dialog.get_by_role("button", name="None").click()
    dialog.locator("input[name=vript_hard]").check()
    dialog.get_by_role("button", name="All usual").click()
    dialog.locator("input[name=vript_hard]").check()
    expect(setting).to_be_in_viewport(ratio=1)
    dialog.get_by_role("button", name="None").click()
    dialog.locator("input[name=vript_hard]").check()
    for part in (dialog.get_by_role("heading").first, dialog.get_by_role("button", name="Run", exact=True)):
        expect(part).to_be_in_viewport(ratio=1)  # whatever is scrolled
    setting.select_option("both")
    dialog.get_by_role("button", name="Run", exact=True).click()
    dialog.wait_for(state="detached")
    wait_for_job(page)
    choice = [one for one in model.seen if "Only give the best option" in one.user]
    assert [len(one.images) for one in choice] == [16] * 8
    open_page(page, f"{server.url}/scores?system=vript-rr")
    page.locator("select[aria-label=evaluation]").select_option(
        label=next(
            words
            for words in page.locator("select[aria-label=evaluation] option").all_inner_texts()
            if "choice, scene alone, run here" in words
        )
    )
    heads = page.locator(".dl-systemtable thead th")
    expect(heads).to_have_text(["right, scene alone", "right, whole video"])
    about = page.locator(".dl-systemabout")
    expect(about).to_contain_text("4 of 4 scenes by the cuts of a detector")
    page.locator(".dl-systemtable a").first.click()
    panel = page.locator(".dl-itempanel")
    expect(panel).to_contain_text("shown alone: scene")
    expect(panel.locator(".dl-badge", has_text="scene alone")).to_be_visible()
    page.wait_for_selector(".dl-shown.dl-is-confirmed")
    expect(page.locator(".dl-given h2")).to_contain_text("16")

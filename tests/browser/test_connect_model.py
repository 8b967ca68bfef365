"""A video that only the embedded baseline has seen says so, and how a model is connected, with real keys."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app_process import run_app
from tests.browser.conftest import ROOT, Server, expect, once, open_page, serve
from tests.chat_server import ChatServer, normal


def measure(workspace: Path) -> None:
    stages = "scenes,measurements,script,captions"
    clip = ROOT / "sample" / "clip.mp4"
    done = run_app("run", clip, "--speech", "none", "--stages", stages, "--workspace", workspace)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def measured(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Iterator[Server]:
    """The sample's film as somebody's own, with what the baseline makes of it."""
    shutil.copytree(once(tmp_path_factory, "measured", measure), tmp_path / "workspace")
    yield from serve(tmp_path / "workspace")


def test_a_model_is_tried_and_then_kept(measured: Server, page) -> None:
    server = measured
    open_page(page, server.url)
    expect(page.get_by_text("measured, not captioned").first).to_be_visible()
    with ChatServer(normal("Red <b>ink</b>.")) as model:
        page.get_by_role("button", name="Connect a model").click()
        dialog = page.get_by_role("dialog", name="Connect a model")
        expect(dialog.get_by_label("Model or address")).to_be_focused()
        dialog.get_by_label("What it is for").select_option("judge")
        expect(dialog.get_by_role("button", name="Use it")).to_be_disabled()

        dialog.get_by_role("button", name="Qwen2.5-1.5B-Instruct").click()
        expect(dialog.get_by_label("Model or address")).to_have_value(
            "llama:Qwen/Qwen2.5-1.5B-Instruct-GGUF:Q4_K_M"
        )
        dialog.get_by_label("Model or address").click()
        page.keyboard.press("Control+a")
        page.keyboard.type(model.spec)
        page.keyboard.press("Enter")
        expect(dialog.get_by_role("region", name="Reply")).to_contain_text("tiny answered in")
        expect(dialog.get_by_role("region", name="Reply")).to_contain_text("Red <b>ink</b>.")
        assert "judge =" not in settings(server), "nothing is saved by trying"
        expect(dialog.get_by_role("button", name="Use it")).to_be_focused()
        page.keyboard.press("Enter")
        expect(dialog.get_by_role("region", name="Reply")).to_contain_text("Saved: judge =")
        assert f'judge = "{model.spec}"' in settings(server)


def test_the_menu_at_ones_name_connects_one_from_any_page(measured: Server, page) -> None:
    open_page(page, f"{measured.url}/scores")
    page.get_by_role("button", name="You are").focus()
    page.keyboard.press("Enter")
    page.get_by_role("menuitem", name="Connect a model").click()
    dialog = page.get_by_role("dialog", name="Connect a model")
    expect(dialog.get_by_label("Model or address")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


@pytest.mark.expect_console("502 (Bad Gateway)")
def test_what_does_not_answer_is_said_and_not_kept(measured: Server, page) -> None:
    open_page(page, measured.url)
    page.get_by_role("button", name="Connect a model").click()
    dialog = page.get_by_role("dialog", name="Connect a model")
    page.keyboard.type("http://127.0.0.1:9/v1#m")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("region", name="Reply")).to_contain_text(
        "no server answers at http://127.0.0.1:9/v1"
    )
    expect(dialog.get_by_role("button", name="Use it")).to_be_disabled()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def settings(server: Server) -> str:
    return Path(server.workspace / "settings.toml").read_text(encoding="utf-8")

"""Verdicts: a question is put to a vision model on its frames, by key; the answer counts in no score."""

from __future__ import annotations

import json
import shutil
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import Server, expect, serve
from tests.browser.test_evidence import STRIP, open_question
from tests.chat_server import ChatServer, normal, refusing

ASKED = "stands on the hill in the sunny valley"
SAID = "A red <b>windmill</b>."


@pytest.fixture
def connected(filled: Path, tmp_path: Path) -> Iterator[tuple[Server, ChatServer]]:
    """The sample with a vision model as its captioner."""
    workspace = tmp_path / "workspace"
    shutil.copytree(filled, workspace)
    with ChatServer(normal(SAID)) as model:
        for server in serve(workspace, "--captioner", model.spec):
            yield server, model


def scores(server: Server) -> dict:
    with urllib.request.urlopen(f"{server.url}/api/scoring/table") as answer:
        return json.load(answer)


def test_the_video_is_asked_on_the_frames_of_the_question(connected: tuple[Server, ChatServer], page) -> None:
    server, model = connected
    before = scores(server)
    open_question(server, page, ASKED)
    frames = sorted(int(one.get_attribute("data-frame")) for one in page.locator(STRIP).all())
    page.keyboard.press("v")
    opinion = page.get_by_label("second opinion")
    expect(opinion).to_contain_text(SAID)
    expect(opinion).to_contain_text("counts in no score")
    thumbs = opinion.get_by_label("Frames that it was given").get_by_role("button")
    assert [one.get_attribute("title") for one in thumbs.all()] == [f"Frame {n}" for n in frames]
    (sent,) = model.seen
    assert ASKED in sent.user and len(sent.images) == len(frames)
    assert "windmill" not in sent.user  # neither the reference nor what was extracted or judged
    assert scores(server) == before
    thumbs.last.click()
    expect(page.locator(".dl-frameline b")).to_have_text(f"#{frames[-1]:,}")
    page.keyboard.press("v")
    page.wait_for_load_state("networkidle")
    assert len(model.seen) == 1  # the reply to the same request is kept
    page.reload()
    expect(opinion).to_contain_text(SAID)


@pytest.mark.expect_console("400")
@pytest.mark.expect_console("no vision model")
def test_without_a_vision_model_it_says_how_to_connect_one(server: Server, page) -> None:
    open_question(server, page, ASKED)
    page.keyboard.press("v")
    expect(page.locator(".dl-notice")).to_contain_text("no vision model is connected")


def test_whoever_labels_blind_is_not_told(connected: tuple[Server, ChatServer], page) -> None:
    server, model = connected
    open_question(server, page, ASKED)
    page.keyboard.press("v")
    expect(page.get_by_label("second opinion")).to_contain_text(SAID)
    page.keyboard.press("Shift+b")
    page.locator(".dl-part", has_text="your verdict, blind").wait_for()
    expect(page.get_by_label("second opinion")).to_have_count(0)
    page.keyboard.press("v")
    expect(page.locator(".dl-notice", has_text="then ask the video")).to_be_visible()
    assert len(model.seen) == 1


@pytest.mark.expect_console("502")
@pytest.mark.expect_console("ApiError")
def test_a_model_that_fails_says_why_and_can_be_asked_again(filled: Path, tmp_path: Path, page) -> None:
    workspace = tmp_path / "workspace"
    shutil.copytree(filled, workspace)
    with ChatServer(refusing("this model takes no pictures")) as model:
        for server in serve(workspace, "--captioner", model.spec):
            open_question(server, page, ASKED)
            page.keyboard.press("v")
            expect(page.locator(".dl-notice")).to_contain_text("takes no pictures")
            expect(page.get_by_role("button", name="ask the video")).to_be_enabled()
            expect(page.get_by_label("second opinion").get_by_role("status")).to_have_count(0)

"""A model has to be started first: every page that waits for it says what it is doing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import Server, expect, open_page, serve
from tests.fake_vllm import Conduct, fake_vllm

LOADS_S = 6.0


@pytest.fixture
def judged(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The sample, with a judge whose server is not started yet."""
    fake = fake_vllm(tmp_path, Conduct(load_s=LOADS_S))
    monkeypatch.setenv("DAILIES_VLLM", str(fake.program))
    workspace = tmp_path / "workspace"
    shutil.copytree(filled, workspace)
    yield from serve(workspace, "--judge", "vllm:tiny")


def test_judging_again_says_what_the_model_is_doing(judged: Server, page) -> None:
    open_page(page, f"{judged.url}/verdicts")
    page.locator(".dl-verdict").wait_for()
    page.keyboard.press("Shift+R")
    said = page.locator(".dl-rerunning")
    expect(said).to_contain_text("extracting and judging again")
    expect(said).to_contain_text("vllm:tiny: loading weights")
    expect(page.locator(".dl-notices")).to_contain_text("Judged again: 1 verdict")


def test_a_run_in_the_library_shows_how_its_model_loads(judged: Server, page) -> None:
    open_page(page, judged.url)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Run", exact=True).click()
    job = page.locator(".dl-job")
    expect(job).to_contain_text("vllm:tiny")
    expect(job).to_contain_text("loading weights")
    expect(job.locator(".dl-joblog")).to_contain_text("Resolved architecture: TinyForCausalLM")
    # The tiny model says nothing that the last stages can read.
    expect(job).to_contain_text("finished with problems", timeout=60_000)
    expect(job.locator(".dl-joblog")).to_have_count(0)

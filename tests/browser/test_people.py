"""People come in with a password: an admin lets somebody in, changes what they may, and keeps them out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.people import accounts
from annotation.workspace.workspace import Workspace
from tests.browser.conftest import Server, expect, serve


@pytest.fixture
def company(tmp_path: Path) -> Iterator[Server]:
    """An app that keeps passwords, with one admin."""
    space = Workspace(tmp_path / "workspace")
    accounts.set_password(space.store, space.add_person("ada", "admin").id, "secret words")
    space.close()
    yield from serve(tmp_path / "workspace", "--accounts")


def log_in(page, name: str, password: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")


@pytest.mark.expect_console("40")
def test_an_admin_lets_somebody_in_and_keeps_them_out(company: Server, browser, page) -> None:
    page.goto(company.url)
    log_in(page, "ada", "secret words")
    page.get_by_role("button", name="People").click()
    page.get_by_label("Name of somebody new").fill("bo <b>")
    page.get_by_label("Role of somebody new").select_option("annotator")
    page.get_by_label("Password of somebody new").fill("other words")
    page.keyboard.press("Enter")
    row = page.locator('[data-person="bo <b>"]')
    row.wait_for()
    expect(page.locator(".dl-audit")).to_contain_text("ada logged in")

    other = browser.new_page(viewport={"width": 1280, "height": 720})
    other.goto(company.url)
    log_in(other, "bo <b>", "other words")
    expect(other.locator(".dl-person")).to_contain_text("bo <b> · annotator")
    assert other.get_by_role("button", name="People").count() == 0

    row.get_by_role("combobox").select_option("expert")
    expect(page.locator(".dl-notices")).to_contain_text("is expert now")
    other.reload()
    expect(other.locator(".dl-person")).to_contain_text("expert")

    row.get_by_role("button", name="Keep out").click()
    page.get_by_role("button", name="Keep out").last.click()
    expect(row).to_contain_text("kept out")
    other.reload()
    other.get_by_label("Password").wait_for()
    log_in(other, "bo <b>", "other words")
    expect(other.get_by_role("alert")).to_contain_text("wrong name or password")
    other.close()

"""A person makes a token in the page; a program works with it until it is revoked there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from annotation.people import accounts
from annotation.workspace.workspace import Workspace
from tests.browser.conftest import Server, expect, serve
from tests.browser.test_accessibility import violations
from tests.browser.test_api_spine import Script, script
from tests.browser.test_people import log_in

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["script"]


@pytest.fixture
def company(tmp_path: Path) -> Iterator[Server]:
    space = Workspace(tmp_path / "workspace")
    accounts.set_password(space.store, space.add_person("rita", "researcher").id, "secret words")
    accounts.set_password(space.store, space.add_person("ada", "admin").id, "secret words")
    space.close()
    yield from serve(tmp_path / "workspace", "--accounts")


def asked(server: Server, token: str, path: str = "/api/videos") -> httpx.Response:
    return httpx.get(f"{server.url}{path}", headers={"Authorization": f"Bearer {token}"})


def open_dialog(page: Page) -> None:
    page.locator(".dl-person-open").click()
    page.get_by_role("menuitem", name="Tokens for programs").click()


def made(page: Page, words: str) -> str:
    """The caret stands in the name when the dialog opens."""
    expect(page.get_by_label("Name of the token")).to_be_focused()
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    field = page.get_by_label(f"The token {words}")
    expect(field).to_have_value(re.compile(r"dailies_[\w-]{43}"))
    return str(field.input_value())


def test_a_token_is_made_used_and_revoked(company: Server, page: Page) -> None:
    page.goto(company.url)
    log_in(page, "rita", "secret words")
    open_dialog(page)
    token = made(page, "notebook <b>")
    row = page.locator('[data-token="notebook <b>"]')
    expect(row).to_contain_text("read")
    expect(row).to_contain_text("never used")
    assert asked(company, token).status_code == 200
    assert asked(company, token, "/api/me").json()["person"]["name"] == "rita"

    assert violations(page, "tokens") == []
    page.keyboard.press("Escape")
    open_dialog(page)
    expect(row).to_contain_text("used")
    assert token not in page.content(), "it is shown once"
    row.get_by_role("button", name="Revoke").click()
    page.get_by_role("button", name="Revoke").last.click()
    expect(row).to_contain_text("revoked")
    assert asked(company, token).status_code == 401


def test_without_accounts_it_stands_in_the_menu_of_the_person(server: Server, page: Page) -> None:
    page.goto(server.url)
    open_dialog(page)
    page.get_by_label("Scope").select_option("write")
    page.get_by_label("Name of the token").focus()
    token = made(page, "agent")
    me = asked(server, token, "/api/me").json()
    assert "edit" in me["may"] and "manage" not in me["may"]
    assert asked(server, f"{token}x").status_code == 401


def test_a_script_in_javascript_works_with_a_token_alone(company: Server, script: Script) -> None:
    """Its own calls, and not those that need another scope."""
    with pytest.raises(AssertionError):
        script(code(company, "dailies_none"))
    said = company.command("account", "token", "rita", "script")
    assert said.returncode == 0, said.stderr
    told = script(code(company, said.stdout.strip()))
    assert "videos 0" in told and "the token 'script' may only read, not run" in told


CODE = """
import { Client } from '@gradio/client';
const headers = { Authorization: 'Bearer TOKEN' };
const client = await Client.connect('URL', { headers });
console.log('videos', (await client.predict('/videos', {})).data[0].length);
const run = client.predict('/run', { videos: ['x'], stages: ['probe'] });
await run.catch((error) => console.log(error.message));
process.exit(0);
"""


def code(server: Server, token: str) -> str:
    return CODE.replace("URL", server.url).replace("TOKEN", token)

"""Logging in through a provider's page, and Dailies in another site's page."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from annotation.people import accounts, openid_identities
from annotation.records.decisions import Person
from annotation.workspace.workspace import Workspace
from tests.browser.conftest import Server, expect, serve
from tests.ui.oidc_provider import CLIENT, SECRET, OpenIdProvider, running_provider


@pytest.fixture
def provider() -> Iterator[OpenIdProvider]:
    with running_provider() as found:
        found.people["bo"] = {"sub": "17", "preferred_username": "bo"}
        yield found


@pytest.fixture
def company(
    filled: Path, tmp_path: Path, provider: OpenIdProvider, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Server]:
    """The sample behind a provider."""
    monkeypatch.setenv("DAILIES_OIDC_SECRET", SECRET)
    shutil.copytree(filled, tmp_path / "workspace")
    yield from serve(tmp_path / "workspace", "--oidc", provider.url, "--oidc-client", CLIENT)


@pytest.mark.expect_console("40")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_link_leads_through_the_providers_page_and_back(
    company: Server, provider: OpenIdProvider, page, theme: str, tmp_path: Path
) -> None:
    host = provider.url.removeprefix("http://")
    page.emulate_media(color_scheme=theme)
    link = f"{company.url}/scores?evaluation=x&video=y"
    page.goto(link)
    way = page.get_by_role("link", name=f"Log in with {host}")
    expect(way).to_be_visible()
    assert page.evaluate("document.documentElement.dataset.dlTheme") == theme
    page.screenshot(path=tmp_path / f"login-{theme}.png")
    page.keyboard.press("Tab")
    expect(way).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_label("User").fill("bo")
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url(f"{company.url}/scores?**")
    page.wait_for_selector(".dl-root[data-ready]")
    assert "video=y" in page.url
    expect(page.locator(".dl-person")).to_contain_text("bo · annotator")

    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("status")).to_contain_text("You are logged out")
    page.get_by_role("link", name=f"Log out of {host} too").click()
    page.wait_for_url(f"{company.url}/login")
    assert [query["client_id"] for query in provider.ended] == [CLIENT]
    page.goto(link)
    expect(way).to_be_visible()


@pytest.mark.expect_console("40")
def test_a_session_that_ends_under_a_page_is_begun_again_in_a_window(company: Server, page) -> None:
    page.goto(f"{company.url}/script?scene=2")
    page.get_by_role("link", name="Log in with").press("Enter")
    page.get_by_label("User").fill("bo")
    page.get_by_role("button", name="Go on").press("Enter")
    page.wait_for_selector(".dl-scenecard.dl-open[data-scene='2']")
    area = page.get_by_role("textbox", name="content", exact=True)
    area.focus()
    page.context.clear_cookies()
    page.keyboard.press("Control+a")
    page.keyboard.type("Typed by bo")
    dialog = page.locator(".dl-session")
    expect(dialog).to_contain_text("Your session has ended")
    page.keyboard.press("Escape")
    way = dialog.get_by_role("button", name="Log in with")
    expect(way).to_be_focused()
    with page.expect_popup() as opened:
        page.keyboard.press("Enter")
    window = opened.value
    window.get_by_label("User").fill("bo")
    with window.expect_event("close"):
        window.get_by_role("button", name="Go on").press("Enter")
    expect(dialog).to_have_count(0)
    expect(page.locator(".dl-field-content .dl-saved")).to_contain_text("Saved")
    expect(area).to_have_value("Typed by bo")
    expect(area).to_be_focused()


@pytest.mark.expect_console("40")
def test_an_account_is_linked_by_an_admin(company: Server, provider: OpenIdProvider, page) -> None:
    provider.people["eve"] = {"sub": "66", "preferred_username": "bo"}
    for name in ("bo", "eve"):
        page.context.clear_cookies()
        page.goto(company.url)
        page.get_by_role("link", name="Log in with").click()
        page.get_by_label("User").fill(name)
        page.get_by_role("button", name="Go on").click()
        page.wait_for_selector(".dl-root[data-ready], [role=alert]")
    expect(page.get_by_role("alert")).to_contain_text("there is already an account called 'bo'")
    done = company.command("account", "link", "eve", "expert", "--issuer", provider.url, "--subject", "66")
    assert done.returncode == 0, done.stderr
    page.get_by_role("link", name="Log in with").click()
    page.get_by_label("User").fill("eve")
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".dl-person")).to_contain_text("eve · expert")
    space = Workspace(company.workspace)
    assert openid_identities.person_of(space.store, provider.url, "66").name == "eve"
    assert {p.name for p in space.store.find(Person)} >= {"bo", "eve"}
    space.close()


# --- in another site's page ---------------------------------------------------------------


class Wiki:
    """A page of another site, `localhost`, that shows one of 127.0.0.1's."""

    url = ""
    shown = ""


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    found = Wiki()

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            frame = f"<iframe src='{found.shown}' style='width:100%;height:96vh;border:0'></iframe>"
            self.wfile.write(f"<!doctype html><title>wiki</title>{frame}".encode())

        def log_message(self, *_args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    found.url = f"http://localhost:{server.server_port}"
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def with_account(filled: Path, tmp_path: Path) -> Path:
    """The sample, and somebody with a password."""
    shutil.copytree(filled, tmp_path / "workspace")
    space = Workspace(tmp_path / "workspace")
    accounts.set_password(space.store, space.add_person("ada", "admin").id, "secret words")
    space.close()
    return tmp_path / "workspace"


def test_another_sites_page_shows_nothing(with_account: Path, wiki: Wiki, browser) -> None:
    page = browser.new_page()
    for server in serve(with_account, "--accounts"):
        wiki.shown = f"{server.url}/login"
        with page.expect_console_message(lambda m: "frame-ancestors" in m.text):
            page.goto(wiki.url)
        assert page.frames[1].get_by_label("Password").count() == 0
    page.close()


def test_a_page_that_is_named_shows_everything_and_an_edit_is_saved(
    with_account: Path, wiki: Wiki, browser, tmp_path: Path
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.set_default_timeout(20_000)
    for server in serve(with_account, "--accounts", "--embed-in", wiki.url):
        wiki.shown = f"{server.url}/script?scene=5"
        page.goto(wiki.url)
        frame = page.frame_locator("iframe")
        frame.get_by_label("Name").fill("ada")
        frame.get_by_label("Password").fill("secret words")
        page.keyboard.press("Enter")
        expect(frame.locator(".dl-person")).to_contain_text("ada · admin")
        page.screenshot(path=tmp_path / "framed.png")
        [cookie] = page.context.cookies(server.url)
        assert (cookie["sameSite"], cookie["secure"]) == ("None", True)
        assert cookie["partitionKey"] == "http://localhost"
        frame.locator(".dl-scenecard.dl-open[data-scene='5']").wait_for()
        page.keyboard.press("c")
        camera = frame.get_by_role("textbox", name="camera movement")
        camera.fill("The camera stays still.")
        frame.locator(".dl-saved-saved").first.wait_for()
        page.reload()
        frame.locator(".dl-scenecard.dl-open[data-scene='5']").wait_for()
        expect(camera).to_have_value("The camera stays still.")
        frame.get_by_role("button", name="Log out").press("Enter")
        frame.get_by_role("status").filter(has_text="You are logged out").wait_for()
        page.reload()
        expect(frame.get_by_label("Password")).to_be_visible()
    page.close()


@pytest.mark.parametrize("framed", [True, False])
def test_a_provider_is_asked_in_a_tab_of_its_own(
    with_account: Path, wiki: Wiki, provider: OpenIdProvider, browser, framed: bool
) -> None:
    """Providers do not let themselves be framed."""
    page = browser.new_page()
    for server in serve(
        with_account, "--oidc", provider.url, "--oidc-client", CLIENT, "--embed-in", wiki.url
    ):
        wiki.shown = f"{server.url}/scores?video=y"
        page.goto(wiki.url if framed else wiki.shown)
        here = page.frame_locator("iframe") if framed else page
        way = here.get_by_role("link", name="Log in with")
        if not framed:
            expect(way).not_to_contain_text("tab")
            continue
        with page.expect_popup() as opened:
            way.click()
        expect(opened.value.get_by_role("link", name="Log in with")).not_to_contain_text("tab")
        assert opened.value.url == f"{server.url}/login?next=%2Fscores%3Fvideo%3Dy"
    page.close()

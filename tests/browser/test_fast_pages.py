"""A change of page is drawn from what the document knows, and shows nothing that is older than a change."""

from __future__ import annotations

import time

import pytest

from annotation.people import accounts
from annotation.records.decisions import Person
from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from benchmarks.page_times import Side, head_of, rows_of
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk
from tests.browser.test_drafts import CONTENT, field
from tests.browser.test_one_document import READY, video_id
from tests.browser.test_sessions import company, log_in

__all__ = ["company"]

PAGES = ("library", "script", "verdicts", "split", "keyframes", "scores")
SCRIPTS = """(names) => {
  const here = performance.getEntriesByType('resource').map((entry) => entry.name);
  return names.every((name) => here.some((url) => url.endsWith(`/page_${name}.js`)));
}"""


def link(page, name: str):
    return page.get_by_role("navigation", name="Pages").get_by_role("link", name=name.capitalize())


def change(page, name: str) -> None:
    link(page, name).click()
    page.wait_for_selector(READY.format(name))


def asked_by(page, server: Server) -> list[str]:
    """Paths of the requests from now on."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(server.url)))
    return asked


def first(asked: list[str], name: str) -> list[str]:
    return [path for path in asked if path.startswith(f"/api/first/{name}")]


def test_scripts_of_other_pages_come_when_the_document_rests(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?video={video_id(page, server)}")
    page.wait_for_function(SCRIPTS, arg=list(PAGES))
    page.wait_for_load_state("networkidle")
    asked = asked_by(page, server)
    for name in ("split", "verdicts", "keyframes", "scores", "library"):
        change(page, name)
    assert [path for path in asked if path.startswith("/app/")] == []


def test_a_change_of_page_asks_once_and_not_for_the_person(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?video={video_id(page, server)}")
    page.wait_for_load_state("networkidle")
    asked = asked_by(page, server)
    for name in ("split", "keyframes", "scores", "library", "verdicts", "script"):
        asked.clear()
        change(page, name)
        assert "/api/me" not in asked, name
        assert len(first(asked, name)) == 1, name
        own = {"library": "/api/library?", "scores": "/api/scoring/table?", "verdicts": "/api/verdicts?"}
        asked_for = [path for path in asked if path.startswith(own.get(name, f"/api/{name}/vid-"))]
        assert [path for path in asked_for if not path.endswith("/findings")] == [], name


def test_a_page_is_requested_while_the_pointer_rests_on_its_link(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?video={video_id(page, server)}")
    asked = asked_by(page, server)
    link(page, "split").hover()
    until(lambda: bool(first(asked, "split")), page)
    change(page, "split")
    assert len(first(asked, "split")) == 1
    page.keyboard.press("Tab")
    link(page, "keyframes").focus()
    until(lambda: bool(first(asked, "keyframes")), page)
    page.keyboard.press("Enter")
    page.wait_for_selector(READY.format("keyframes"))
    assert len(first(asked, "keyframes")) == 1


def test_a_page_that_was_requested_before_a_change_of_ones_own_is_requested_again(
    server: Server, page
) -> None:
    video = video_id(page, server)
    open_page(page, f"{server.url}/split?video={video}")
    asked = asked_by(page, server)
    link(page, "script").hover()
    until(lambda: bool(first(asked, "script")), page)
    data = page.request.get(f"{server.url}/api/script/{video}").json()
    text = data["script"][data["player"]["scenes"][0]["key"]]["script:content"]
    edit = {"subject": text["subject"], "value": "A heron waits.", "base_revision": text["revision"]}
    page.evaluate(
        """async (body) => {
          const base = document.querySelector('script[type=module]').src.replace(/lib\\/.*/, '');
          const { api } = await import(`${base}lib/requests/requests.js`);
          await api('/api/edit', body);
        }""",
        edit,
    )
    change(page, "script")
    assert len(first(asked, "script")) == 2
    expect(field(page, CONTENT).first).to_have_value("A heron waits.")


def test_a_page_that_was_requested_before_anothers_change_is_requested_again(server: Server, page) -> None:
    video = video_id(page, server)
    open_page(page, f"{server.url}/split?video={video}")
    asked = asked_by(page, server)
    link(page, "script").hover()
    until(lambda: bool(first(asked, "script")), page)
    page.evaluate(
        "() => { window.told = new Promise((go) => document.addEventListener('dl-server-changed', go)); }"
    )
    with Desk(server) as desk:
        desk.store.put(desk.store.get(Video, video))
    page.evaluate("() => window.told")
    change(page, "script")
    assert len(first(asked, "script")) == 2


@pytest.mark.expect_console("403")
def test_another_person_in_this_browser_is_noticed_when_the_page_changes(server: Server, page) -> None:
    open_page(page, f"{server.url}/script")
    assert page.request.post(f"{server.url}/api/me", data={"name": "annotator"}).ok
    link(page, "scores").click()
    dialog = page.locator(".dl-session")
    expect(dialog).to_contain_text("This browser works as annotator now")
    dialog.get_by_role("button", name="Open as annotator").click()
    page.wait_for_selector(READY.format("scores"))
    expect(page.locator(".dl-person")).to_contain_text("annotator")


@pytest.mark.expect_console("40")
def test_a_session_that_has_ended_is_noticed_when_the_page_changes(company: Server, page) -> None:
    page.goto(f"{company.url}/script")
    log_in(page, "ana")
    page.wait_for_selector(READY.format("script"))
    page.context.clear_cookies()
    link(page, "scores").click()
    expect(page.locator(".dl-session")).to_contain_text("Your session has ended")
    page.go_back()  # the dialog stays over the page that is drawn then
    expect(page.locator(".dl-session")).to_contain_text("Your session has ended")
    page.go_forward()
    page.get_by_label("Password").fill("words of ana")
    page.keyboard.press("Enter")
    page.wait_for_selector(READY.format("scores"))
    expect(page.locator(".dl-session")).to_have_count(0)


def test_another_role_is_on_the_bar_of_the_next_page(company: Server, page) -> None:
    page.goto(f"{company.url}/script")
    log_in(page, "bo")
    page.wait_for_selector(READY.format("script"))
    expect(page.locator(".dl-person")).to_contain_text("bo · annotator")
    asked = asked_by(page, company)
    with Desk(company) as desk:
        accounts.set_role(desk.store, desk.store.find(Person, name="bo")[0].id, "expert", last=True)
    until(lambda: "/api/me" in asked, page)
    page.wait_for_load_state("networkidle")
    change(page, "scores")
    expect(page.locator(".dl-person")).to_contain_text("bo · expert")


def test_an_evaluation_that_is_newer_than_the_document_is_chosen_on_the_bar(server: Server, page) -> None:
    open_page(page, f"{server.url}/script")
    with Desk(server) as desk:
        newer = Evaluation(id="evl-newer", name="a newer one", created_at=time.time())
        desk.store.add([newer])
    page.evaluate(
        """(to) => {
          const link = document.querySelector('main').appendChild(document.createElement('a'));
          link.href = to;
          link.click();
        }""",
        f"/scores?evaluation={newer.id}",
    )
    page.wait_for_selector(READY.format("scores"))
    expect(page.get_by_role("combobox", name="Evaluation", exact=True)).to_have_value(newer.id)


def test_the_times_of_pages_are_measured(server: Server, browser) -> None:
    """As in `benchmarks/page_times.py`, a few of each."""
    side = Side(server.url, browser)
    side.first("library")
    side.unseen("split")
    side.questions(2)
    rows = {row[0]: row for row in rows_of([side])}
    assert all(len(row) == len(head_of([side])) for row in rows.values())
    assert list(rows) == [
        "first page, Library, warm cache",
        "first page, Library, cold cache",
        "Split, not seen before",
        "next question, the same video",
    ]
    assert side.found["Split, not seen before"].requests[0] > 0
    assert len(side.found["next question, the same video"].ms) == 2

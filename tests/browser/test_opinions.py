"""Two people judge the same question: each sees both verdicts, takes back their own, and a rule decides."""

from __future__ import annotations

import os
from pathlib import Path

from annotation.records.decisions import Person
from tests.browser.conftest import Server, expect, open_page
from tests.browser.desk import Desk, work_as
from tests.browser.test_vript_hard import give


def judge(page, *keys: str) -> None:
    """By keys alone, as a person does."""
    page.keyboard.press("e")
    page.wait_for_selector(".dl-verdictform")
    for key in (*keys, "Enter"):
        page.keyboard.press(key)
    page.locator(".dl-verdictform").wait_for(state="detached")


def open_question(page, server: Server, verdict: str) -> None:
    open_page(page, f"{server.url}/verdicts?qa={verdict}")
    page.wait_for_selector(".dl-verdict .dl-verdictline")


def picture(page, name: str) -> None:
    if folder := os.environ.get("DAILIES_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def come_instead(page, server: Server, who: Person) -> None:
    """Another person sits down; the page of the one before asks for nothing any more."""
    page.goto("about:blank")
    work_as(page, server, who)


def test_two_people_differ_and_the_rule_decides(server: Server, page) -> None:
    with Desk(server) as desk:
        ana, eva = desk.person("ana"), desk.person("eva", "expert")
    work_as(page, server, ana)
    open_page(page, f"{server.url}/verdicts")
    page.wait_for_selector(".dl-verdict .dl-verdictline")
    shown = page.evaluate("new URLSearchParams(location.search).get('qa')")
    judge(page, "n", "1")
    line = page.locator(".dl-verdictline")
    expect(line).to_contain_text("corrected")
    page.keyboard.press("4")
    page.locator(".dl-errorsource [aria-pressed=true]", has_text="judge").wait_for()

    come_instead(page, server, eva)
    open_question(page, server, shown)
    judge(page, "y", "5")
    people = page.get_by_role("list", name="What people say").get_by_role("listitem")
    expect(people).to_have_count(2)
    expect(people.filter(has_text="ana")).to_contain_text("no · 1")
    expect(people.filter(has_text="eva")).to_contain_text("counts")
    page.get_by_role("img", name="people differ").wait_for()
    page.keyboard.press("5")
    page.locator(".dl-errorsource [aria-pressed=true]", has_text="question").wait_for()
    assert page.locator(".dl-errorsource [title='named by ana']").inner_text().endswith("judge")
    picture(page, "opinions")

    come_instead(page, server, ana)
    open_question(page, server, shown)
    page.keyboard.press("Control+z")  # the error source
    expect(page.locator(".dl-notices")).to_contain_text("Undone")
    page.keyboard.press("Control+z")  # the verdict: eva's stays
    expect(people).to_have_count(0)
    expect(line).to_contain_text("5 of 5")
    page.keyboard.press("Control+Shift+z")
    expect(people).to_have_count(2)

    come_instead(page, server, eva)
    open_page(page, f"{server.url}/scores")
    rule = page.get_by_label("Where people differ")
    expect(rule).to_have_value("latest")
    rule.press("m")
    expect(page.locator(".dl-opinionrule")).to_contain_text("1 verdict judged by several, 1 disputed")
    expect(page.locator(".dl-opinionrule")).to_contain_text("the opinion of most people counts")
    picture(page, "opinion-rule")
    open_page(page, f"{server.url}/verdicts?state=disputed&qa={shown}")
    page.get_by_role("img", name="people differ").wait_for()
    expect(line).not_to_contain_text("corrected")
    expect(page.locator(".dl-opinions .dl-hint")).to_contain_text("rule: majority")
    picture(page, "opinions-majority")


def test_two_people_read_one_item(server: Server, page) -> None:
    """Ben agrees with what counts already: that is an opinion of his, which he alone takes back."""
    with Desk(server) as desk:
        ana, ben = desk.person("ana"), desk.person("ben")
    open_page(page, f"{server.url}/")
    give(page, server)
    page.goto("about:blank")
    work_as(page, server, ana)
    open_page(page, f"{server.url}/verdicts?of=ero")
    panel = page.locator(".dl-itempanel")
    expect(panel.locator(".dl-flagline")).to_be_visible()
    link = page.url
    page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    page.locator(".dl-notice", has_text="Corrected").wait_for()

    page.goto("about:blank")  # ana's page asks for nothing more
    work_as(page, server, ben)
    open_page(page, link)
    expect(panel.locator(".dl-verdictline s")).to_have_text("BCB")
    expect(panel.get_by_role("button", name="take back")).to_have_count(0)
    page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    page.locator(".dl-notice", has_text="Corrected").wait_for()
    open_page(page, link)
    panel.get_by_role("button", name="take back").click()
    page.locator(".dl-notice", has_text="Taken back").wait_for()
    expect(panel.locator(".dl-verdictline s")).to_have_text("BCB")  # ana's stands
    expect(panel.get_by_role("button", name="take back")).to_have_count(0)

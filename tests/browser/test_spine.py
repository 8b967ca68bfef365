"""The main journey: library, the sample, its worst question, correct verdict and caption, export."""

from __future__ import annotations

import json
from pathlib import Path

from tests.browser.conftest import Server, expect, open_page

NEW_WORDS = "An old white windmill stands on the hill. "


def test_from_the_library_to_a_corrected_export(server: Server, page, tmp_path: Path) -> None:
    open_page(page, server.url)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Verdicts").click()
    page.wait_for_selector(".dl-verdict")
    question = page.locator(".dl-q").inner_text()
    assert page.locator(".dl-verdictline").inner_text().startswith("no")
    page.wait_for_selector(".dl-shown.dl-is-confirmed")

    _correct_the_verdict(page)
    _correct_the_caption(page)

    page.reload()
    page.wait_for_selector(".dl-verdict")
    assert page.locator(".dl-q").inner_text() == question
    expect(page.locator(".dl-verdictline")).to_contain_text("corrected", use_inner_text=True)
    assert NEW_WORDS.strip() in page.locator(".dl-caption").inner_text()
    assert page.locator(".dl-verdictline s").inner_text().startswith("no")
    _the_file_has_it(server, question, tmp_path)


def _correct_the_verdict(page) -> None:
    page.keyboard.press("e")
    page.get_by_role("radio", name="yes").check()
    page.get_by_role("radio", name="4").check()
    page.get_by_role("textbox", name="reason").fill("the windmill is there at 00:15")
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector(".dl-verdictline .dl-is-corrected")
    page.wait_for_selector(".dl-item[aria-selected=true] .dl-is-yes")


def _correct_the_caption(page) -> None:
    page.keyboard.press("c")
    text = page.get_by_role("textbox", name="caption")
    text.press("Control+Home")
    text.type(NEW_WORDS)
    page.wait_for_selector(".dl-saved-saved")
    page.get_by_role("button", name="Done").click()
    page.wait_for_selector(".dl-caption")
    # What was made from the old caption says so.
    page.wait_for_selector(".dl-verdict .dl-is-stale")


def _the_file_has_it(server: Server, question: str, tmp_path: Path) -> None:
    out = tmp_path / "loveu"
    done = server.command("export", "loveu", str(out), "--evaluation", "hand-written", "--json")
    assert done.returncode == 0, done.stderr
    verdicts = [json.loads(line) for line in (out / "verdicts.jsonl").read_text().splitlines()]
    mine = next(v for v in verdicts if v["question"] == question)
    assert (mine["pred"], mine["score"], mine["corrected"]) == ("yes", 4, True)
    assert (mine["machine_pred"], mine["machine_score"]) == ("no", 0)
    captions = [json.loads(line) for line in (out / "captions.jsonl").read_text().splitlines()]
    assert any(c["caption"].startswith(NEW_WORDS) for c in captions)

"""Who hears, and in which language: in the Run dialog, and for one video on Script, with keys alone."""

from __future__ import annotations

from annotation.records.runs import Run
from tests.browser.conftest import Server, expect, open_page, until
from tests.browser.desk import Desk
from tests.browser.test_prompt_versions import reach

SAMPLE = "A paper boat's day"


def languages(server: Server) -> list[str]:
    with Desk(server) as desk:
        runs = desk.store.find(Run, stage="speech", order_by=["created_at"])
        return [str(run.params.get("language", "")) for run in runs]


def test_a_video_is_heard_again_in_another_language(server: Server, page) -> None:
    open_page(page, f"{server.url}/script?tab=speech")
    about = page.locator(".dl-speechabout")
    expect(about).to_contain_text("English")
    reach(page, "Hear again")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Hear this video again")
    expect(dialog.get_by_label("Language spoken")).to_be_focused()
    expect(dialog.get_by_label("Language spoken")).to_have_value("en")
    expect(dialog.get_by_label("Language spoken").locator("option")).to_have_count(101)
    page.keyboard.type("Portug")
    expect(dialog.get_by_label("Language spoken")).to_have_value("pt")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    until(lambda: languages(server) == ["", "pt"], page, 120)
    expect(about).to_contain_text("Portuguese", timeout=120_000)


def test_the_run_dialog_says_what_a_size_costs(server: Server, page) -> None:
    open_page(page, server.url)
    reach(page, f"Select {SAMPLE}")
    page.keyboard.press("Space")
    reach(page, "Run 1 video")
    page.keyboard.press("Enter")
    group = page.get_by_role("group", name="How speech is heard")
    expect(group.get_by_role("status")).to_contain_text("Flags and settings say who hears")
    expect(group.locator("option[value=large-v3]")).to_have_count(1)
    reach(page, "Size of Whisper")
    page.keyboard.type("medium")
    expect(group.get_by_role("status")).to_contain_text(
        "up to 2.5 GB of memory, about 10.4 times as long as base"
    )
    page.keyboard.press("Home")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    expect(group.get_by_role("status")).to_contain_text("base: its weights are here")
    page.locator("input[name=speech]").focus()
    page.keyboard.press("Space")
    expect(group).to_be_hidden()

"""Undo and redo by key, across a reload, and a person's own keys."""

from __future__ import annotations

from tests.browser.conftest import Server, expect, open_page

CORRECTED = ".dl-verdictline .dl-is-corrected"
UNDONE = ".dl-notice [data-name=undone]"


def toast(page, words: str) -> None:
    page.locator(UNDONE, has_text=words).wait_for()


def chosen(page) -> int:
    """Which question of the list is open, from 0."""
    return page.evaluate(
        "[...document.querySelectorAll('.dl-item')].findIndex(i => i.ariaSelected === 'true')"
    )


def opened(page, at: int) -> None:
    page.wait_for_selector(f".dl-list .dl-item >> nth={at}")
    selected = f"document.querySelectorAll('.dl-item')[{at}]?.ariaSelected === 'true'"
    page.wait_for_function(f"{selected} && document.querySelector('.dl-verdict')")


def test_decisions_are_undone_after_a_reload(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts")
    page.wait_for_selector(".dl-verdict")
    assert page.locator(".dl-verdictline").inner_text().startswith("no")
    page.keyboard.press("e")
    page.get_by_role("radio", name="yes").check()
    page.get_by_role("radio", name="4").check()
    page.keyboard.press("Enter")
    page.wait_for_selector(CORRECTED)

    page.reload()
    page.wait_for_selector(CORRECTED)
    page.keyboard.press("Control+z")
    toast(page, "Undone: corrected the verdict on “")
    page.wait_for_selector(CORRECTED, state="detached")
    assert page.locator(".dl-verdictline").inner_text().startswith("no")
    page.wait_for_selector(".dl-item[aria-selected=true] .dl-is-no")
    page.keyboard.press("Control+z")
    page.locator(".dl-notice", has_text="There is nothing to undo").wait_for()

    page.keyboard.press("Control+Shift+z")
    toast(page, "Done again: corrected the verdict")
    page.wait_for_selector(CORRECTED)
    page.wait_for_selector(".dl-item[aria-selected=true] .dl-is-yes")

    page.keyboard.press("1")
    page.wait_for_selector(".dl-blame [aria-pressed=true]")
    here = chosen(page)  # a question that was put right may stand elsewhere in the list
    page.keyboard.press("k" if here else "j")
    opened(page, here - 1 if here else 1)
    page.keyboard.press("Control+z")  # the question that it was about opens again
    toast(page, "Undone: blamed the verdict on “")
    page.wait_for_selector(CORRECTED)
    page.wait_for_selector(".dl-blame [aria-pressed=true]", state="detached")

    _typing_is_the_browsers(page)


def _typing_is_the_browsers(page) -> None:
    page.keyboard.press("c")
    text = page.get_by_role("textbox", name="caption")
    before = text.input_value()
    text.press("Control+Home")
    text.type("jk")
    expect(text).to_have_value(f"jk{before}")
    while text.input_value() != before:
        text.press("Control+z")
    expect(page.locator(CORRECTED)).to_have_count(1)
    assert page.locator(UNDONE, has_text="corrected the verdict").count() == 0


def test_keys_are_changed_and_switched_off(server: Server, page) -> None:
    open_page(page, f"{server.url}/verdicts")
    opened(page, 0)
    page.keyboard.press("?")
    search = page.get_by_role("searchbox", name="Find a key")
    search.fill("next question")
    expect(page.locator("[data-key-row]")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.press("k")
    page.locator(".dl-keysaid.dl-refused", has_text="k is “previous question” already").wait_for()
    page.keyboard.press("Control+t")
    page.locator(".dl-keysaid.dl-refused", has_text="belongs to the browser").wait_for()
    page.keyboard.press("b")
    page.locator(".dl-keysaid", has_text="“next question” is b now").wait_for()
    page.keyboard.press("Escape")
    page.wait_for_selector(".dl-keydialog", state="detached")

    page.reload()
    opened(page, 0)
    for key in ("j", "ArrowDown", "b"):  # its own keys are free now
        page.keyboard.press(key)
    opened(page, 1)
    composing = "new KeyboardEvent('keydown', {key: 'b', isComposing: true, bubbles: true})"
    page.evaluate(f"document.body.dispatchEvent({composing})")
    page.keyboard.press("ArrowUp")
    opened(page, 0)

    page.keyboard.press("?")
    page.get_by_role("checkbox", name="Single keys work").uncheck()
    page.keyboard.press("Escape")
    page.wait_for_selector(".dl-keydialog", state="detached")
    for key in ("b", "?", "e", "1"):
        page.keyboard.press(key)
    assert page.locator(".dl-keydialog, .dl-verdictform, .dl-blame [aria-pressed=true]").count() == 0
    assert chosen(page) == 0
    page.keyboard.press("Shift+ArrowRight")  # the others go on
    page.wait_for_function("!document.querySelector('.dl-frameline b').textContent.endsWith('#0')")

    page.locator(".dl-bar [title=Keys]").press("Enter")
    page.get_by_role("button", name="Reset all").press("Enter")
    page.keyboard.press("Escape")
    page.wait_for_selector(".dl-keydialog", state="detached")
    page.keyboard.press("j")
    opened(page, 1)
    expect(page.locator(".dl-blame kbd").first).to_have_text("1", use_inner_text=True)

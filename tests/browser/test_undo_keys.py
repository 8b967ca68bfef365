"""Undo and redo by key, across a reload, and a person's own keys."""

from __future__ import annotations

from annotation.editing import edits as services
from annotation.editing.edits import Edit
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from annotation.records.videos import Scene, Video
from tests.browser.conftest import Server, expect, open_page
from tests.browser.desk import Desk

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
    page.wait_for_selector(".dl-errorsource [aria-pressed=true]")
    here = chosen(page)  # a question that was put right may stand elsewhere in the list
    page.keyboard.press("k" if here else "j")
    opened(page, here - 1 if here else 1)
    page.keyboard.press("Control+z")  # the question that it was about opens again
    toast(page, "Undone: set the error source of the verdict on “")
    page.wait_for_selector(CORRECTED)
    page.wait_for_selector(".dl-errorsource [aria-pressed=true]", state="detached")

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


def test_undo_of_many_leaves_what_somebody_else_changed_and_names_it(server: Server, page) -> None:
    with Desk(server) as desk:
        ben, video = desk.person("Ben", "expert"), desk.store.find(Video)[0]
        texts = contents(desk, video)
        assert len(texts) >= 3
        for n, text in enumerate(texts):
            _edit(desk, desk.owner, text, f"A kayak, number {n}.")
        open_page(page, f"{server.url}/script?video={video.id}")
        page.wait_for_selector(".dl-scenecard")
        _replace_by_keys(page, "kayak", "ship", len(texts))
        _edit(desk, ben, texts[1], "A ship that Ben likes.")
        page.keyboard.press("Control+z")
        toast(page, "Undone: replaced “kayak” with “ship”")
        told = page.locator(UNDONE, has_text=f"{len(texts) - 1} of {len(texts)} taken back")
        told.wait_for()
        left = page.get_by_role("list", name="Left as they are").get_by_role("listitem")
        expect(left).to_have_text([f"{video.title}, the content of scene 2: changed since by Ben"])
        kept = [f"A kayak, number {n}." if n != 1 else "A ship that Ben likes." for n in range(len(texts))]
        assert _values(desk, texts) == kept
        page.keyboard.press("Control+Shift+z")
        toast(page, f"{len(texts) - 1} of {len(texts)} done again")
        assert _values(desk, texts) == [value.replace("kayak", "ship") for value in kept]
        page.keyboard.press("Control+z")
        page.keyboard.press("Control+z")  # the decision before: the last text that was written above
        toast(page, "Undone: corrected the content of scene")
        assert _values(desk, texts)[:-1] == kept[:-1] and _values(desk, texts)[-1] != kept[-1]


def contents(desk: Desk, video: Video) -> list[Text]:
    """The contents of the scenes that count now, in order."""
    cuts = desk.store.scene_list(video.id)
    assert cuts
    order = {scene.key: scene.index for scene in desk.store.find(Scene, scene_list_id=cuts.id)}
    texts = desk.store.find(Text, video_id=video.id, kind="script:content")
    return sorted((text for text in texts if text.subject_id in order), key=lambda t: order[t.subject_id])


def _edit(desk: Desk, who: Person, text: Text, value: str) -> None:
    base = desk.store.current("text", text.id, "value").revision
    services.apply_edit(desk.store, who, Edit("text", text.id, "value", value, base))


def _values(desk: Desk, texts: list[Text]) -> list[str]:
    return [str(desk.store.current("text", text.id, "value").value) for text in texts]


def _replace_by_keys(page, find: str, by: str, count: int) -> None:
    page.keyboard.press("Control+h")
    expect(page.get_by_role("textbox", name="find", exact=True)).to_be_focused()
    page.keyboard.type(find)
    page.keyboard.press("Tab")
    page.keyboard.type(by)
    page.get_by_text(f"{count} texts found, {count} chosen").wait_for()
    page.get_by_role("button", name=f"Replace in {count} texts").press("Enter")
    page.wait_for_function("!document.querySelector('dialog')")


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
    assert page.locator(".dl-keydialog, .dl-verdictform, .dl-errorsource [aria-pressed=true]").count() == 0
    assert chosen(page) == 0
    page.keyboard.press("Shift+ArrowRight")  # the others go on
    page.wait_for_function("!document.querySelector('.dl-frameline b').textContent.endsWith('#0')")

    page.locator(".dl-bar [title=Keys]").press("Enter")
    page.get_by_role("button", name="Reset all").press("Enter")
    page.keyboard.press("Escape")
    page.wait_for_selector(".dl-keydialog", state="detached")
    page.keyboard.press("j")
    opened(page, 1)
    expect(page.locator("[data-key='verdicts.error_source_1']").first).to_have_text("1", use_inner_text=True)

"""The marked caption in an app of ten lines outside of our tree: marks, typing, late answers."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import expect, until
from tests.browser.parts_app import served_app
from tests.browser.test_firefox import WRONG, running_firefox
from tests.browser.test_firefox import installed as firefox_program
from tests.browser.test_gradio_parts import environment, serious

__all__ = ["environment"]
TEXT = "A 😀 red boat, <img src=x onerror=alert(1)> `${alert(1)}` {{value}}\n\n漢字 and a red car."
CAPTIONS = f"""
import re
import time
import gradio as gr
from dailies_gradio import Caption, MarkedCaption, Span

TEXT = {TEXT!r}
KINDS = {{"colour": "words of a colour"}}


def reds(caption):
    time.sleep(0.4)
    return [Span(*found.span(), "colour", "a colour") for found in re.finditer("red|blue", caption.text)]


def upper(caption):
    time.sleep(0.6)
    return Caption(caption.text.replace("red boat", "RED SHIP"), [])


def about(event: gr.EventData):
    return repr(event._data)


with gr.Blocks() as demo:
    read = MarkedCaption(label="Read", elem_id="read", kinds=KINDS)
    edit = MarkedCaption(Caption(TEXT), label="Edit", elem_id="edit", editable=True, kinds=KINDS, lines=3)
    sent, chosen = gr.Textbox(label="T", elem_id="sent", lines=4), gr.Textbox(label="C", elem_id="chosen")
    edit.input(reds, edit, edit, show_progress="hidden", trigger_mode="always_last")
    edit.input(repr, edit, sent, show_progress="hidden", trigger_mode="always_last")
    edit.submit(lambda caption: "submitted " + caption.text, edit, chosen)
    read.select(about, None, chosen)
    edit.select(about, None, chosen)
    gr.Button("Marks").click(reds, edit, edit)
    gr.Button("Upper").click(upper, edit, edit)
    gr.Button("Overlap").click(lambda: Caption("one two three", [
        Span(0, 7, "colour", "first"), Span(4, 13, "b", "second"), Span(4, 7, "c", "third"), Span(4, 7, "d"),
    ]), None, read)
    gr.Button("Lock").click(lambda: gr.update(editable=False, kinds={{"colour": "other words"}}), None, edit)
    gr.Button("Lines").click(lambda: Caption("a\\r\\nb red", [Span(5, 8, "colour")]), None, edit)
    gr.Button("Clear").click(lambda: (None, None), None, [read, edit])
"""


@pytest.fixture(scope="module")
def captions(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from served_app(environment, CAPTIONS, tmp_path_factory.mktemp("captions"))


@pytest.fixture
def desk(captions: str, page) -> Any:
    """The page of the captions."""
    page.goto(captions)
    page.locator("#edit textarea").wait_for()
    expect(page.locator("#edit .field")).to_have_value(TEXT)
    return page


def marks(page, where: str = "edit") -> list[str]:
    return page.locator(f"#{where} .text mark[data-span]").all_inner_texts()


def test_text_is_text_whatever_is_in_it(desk) -> None:
    assert desk.locator("#edit .text").evaluate("(node) => node.textContent") == TEXT
    assert desk.locator("#edit img").count() == 0
    desk.get_by_role("button", name="Marks").click()
    until(lambda: marks(desk) == ["red", "red"], desk)
    expect(desk.locator("#edit .legend")).to_have_text("abc words of a colour")
    assert desk.locator("#edit .field").input_value() == TEXT


def test_marks_move_with_what_is_typed_and_undo_works(desk) -> None:
    desk.get_by_role("button", name="Marks").click()
    until(lambda: marks(desk) == ["red", "red"], desk)
    field = desk.locator("#edit .field")
    field.focus()
    desk.keyboard.press("Control+Home")
    desk.keyboard.type("Look 🐈: ", delay=20)
    assert marks(desk) == ["red", "red"]
    text = "Look 🐈: " + TEXT
    spans = ", ".join(
        f"Span(start={at}, end={at + 3}, kind='colour', note='a colour')"
        for at in (text.index("red"), text.rindex("red"))
    )
    expect(desk.locator("#sent textarea")).to_have_value(f"Caption(text={text!r}, spans=({spans}))")
    for _ in range(20):
        desk.keyboard.press("Control+z")
    until(lambda: field.input_value() == TEXT, desk)
    until(lambda: marks(desk) == ["red", "red"], desk)
    desk.keyboard.press("Control+y")
    assert field.input_value() != TEXT


def test_letters_typed_while_an_answer_is_on_its_way_are_kept(desk) -> None:
    field = desk.locator("#edit .field")
    field.focus()
    desk.keyboard.press("Control+End")
    typed = " The next one is blue, and a blue one follows."
    for start in range(0, len(typed), 9):
        desk.keyboard.type(typed[start : start + 9], delay=30)
        desk.wait_for_timeout(150)
    assert field.input_value() == TEXT + typed
    assert field.evaluate("(node) => [node.selectionStart, node.value.length]") == [len16(TEXT + typed)] * 2
    until(lambda: marks(desk) == ["red", "red", "blue", "blue"], desk)
    expect(desk.locator("#sent textarea")).to_have_value(containing(f"text={TEXT + typed!r}"))


def len16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def containing(words: str) -> Any:
    return re.compile(re.escape(words))


def test_another_text_from_python_joins_what_is_typed_meanwhile(desk) -> None:
    field = desk.locator("#edit .field")
    desk.get_by_role("button", name="Upper").click()
    field.focus()
    desk.keyboard.press("Control+End")
    desk.keyboard.type(" More", delay=10)
    until(lambda: field.input_value() == TEXT.replace("red boat", "RED SHIP") + " More", desk)
    desk.keyboard.type("!")
    assert field.input_value().endswith(" More!")
    until(lambda: marks(desk) == ["red"], desk)
    field.press("Control+Enter")
    expect(desk.locator("#chosen textarea")).to_have_value(f"submitted {field.input_value()}")
    desk.get_by_role("button", name="Clear").click()
    expect(field).to_have_value("")


def test_marks_are_buttons_that_keys_reach(desk) -> None:
    desk.get_by_role("button", name="Overlap").click()
    until(lambda: marks(desk, "read") == ["one ", "two", " three"], desk)
    assert desk.locator("#read .text").inner_text() == "one two three"
    first = desk.get_by_role("button", name="one two. words of a colour: first", exact=True)
    first.press("Enter")
    answer = {"index": 0, "value": "one two", "start": 0, "end": 7, "kind": "colour", "note": "first"}
    expect(desk.locator("#chosen textarea")).to_have_value(repr({**answer, "text": "one two"}))
    expect(desk.locator("#read .note")).to_have_text("words of a colour: first")
    desk.keyboard.press("Tab")
    desk.keyboard.press("Space")
    expect(desk.locator("#chosen textarea")).to_have_value(containing("'index': 3, 'value': 'two'"))
    desk.locator("#read mark[data-span]").nth(2).click()
    expect(desk.locator("#chosen textarea")).to_have_value(containing("'note': 'second'"))
    legend = desk.locator("#read .legend > span")
    expect(legend).to_have_text(["abc words of a colour", "abc b", "abc c", "abc d"])
    lines = desk.locator("#read .legend mark").evaluate_all(
        "(all) => all.map((one) => getComputedStyle(one).textDecorationStyle)"
    )
    assert len(set(lines)) == 4
    assert desk.locator("#read mark[data-span]").nth(1).get_attribute("title").split("\n") == [
        "d", "c: third", "words of a colour: first", "b: second",
    ]  # fmt: skip


def test_a_click_on_a_mark_of_an_edited_text_selects_it_and_the_caret_shows_its_note(desk) -> None:
    desk.get_by_role("button", name="Marks").click()
    until(lambda: marks(desk) == ["red", "red"], desk)
    desk.locator("#edit mark[data-span]").nth(1).click(force=True)
    expect(desk.locator("#chosen textarea")).to_have_value(containing("'index': 1, 'value': 'red'"))
    expect(desk.locator("#edit .note")).to_have_text("words of a colour: a colour")
    desk.keyboard.press("Control+Home")
    desk.mouse.move(1, 1)
    expect(desk.locator("#edit .note")).to_have_text("")


def test_the_drawn_text_lies_under_the_typed_one(desk) -> None:
    """The same width, lines and height, also with long words and at the end of a long text."""
    field = desk.locator("#edit .field")
    for width in (1280, 390):
        desk.set_viewport_size({"width": width, "height": 800})
        for text in (TEXT, "w" * 400, "long words " * 200, "ends\n", "\n\n", "a\tb   c  \n d"):
            field.fill(text)
            sizes = desk.evaluate("""() => ['.field', '.text'].map((name) => {
              const node = document.querySelector(`#edit ${name}`);
              const { x, y, width, height } = node.getBoundingClientRect();
              return [x, y, width, height, node.scrollHeight > height + 1];
            })""")
            assert sizes[0] == sizes[1] and not sizes[0][4], (width, text[:9])
    assert desk.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_line_ends_of_other_systems_move_no_mark(desk) -> None:
    desk.get_by_role("button", name="Lines").click()
    until(lambda: marks(desk) == ["red"], desk)
    desk.locator("#edit .field").press("End")
    desk.keyboard.type("!")
    assert marks(desk) == ["red"] and desk.locator("#edit .field").input_value() == "a\nb red!"


def test_it_can_be_locked_and_renamed_while_it_stands(desk) -> None:
    desk.get_by_role("button", name="Marks").click()
    until(lambda: marks(desk) == ["red", "red"], desk)
    desk.get_by_role("button", name="Lock").click()
    expect(desk.locator("#edit .field")).to_be_hidden()
    expect(desk.locator("#edit .legend")).to_have_text("abc other words")
    expect(desk.locator("#edit mark[data-span]").first).to_have_attribute("role", "button")


@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_serious(desk, width: int) -> None:
    desk.set_viewport_size({"width": width, "height": 800})
    desk.get_by_role("button", name="Marks").click()
    desk.get_by_role("button", name="Overlap").click()
    until(lambda: len(marks(desk)) == 2 and len(marks(desk, "read")) == 3, desk)
    desk.locator("#read mark[data-span]").first.focus()
    expect(desk.locator("#read .note")).not_to_be_empty()
    assert serious(desk, "#read") == [] == serious(desk, "#edit")


def test_firefox_types_and_marks(captions: str, tmp_path: Path) -> None:
    with running_firefox(firefox_program(), tmp_path) as (firefox, log):

        def run(words: str) -> Any:
            return firefox.ask("WebDriver:ExecuteScript", {"script": words, "args": []})["value"]

        def wait(holds: str) -> None:
            end = time.monotonic() + 30
            while not run(f"return Boolean({holds})"):
                assert time.monotonic() < end, holds
                time.sleep(0.05)

        firefox.ask("WebDriver:Navigate", {"url": captions})
        wait("document.querySelector('#edit .field')")
        wait(f"document.querySelector('#edit .field').value === {json.dumps(TEXT)}")
        where = {"using": "css selector", "value": "#edit .field"}
        (element,) = firefox.ask("WebDriver:FindElement", where)["value"].values()
        firefox.ask("WebDriver:ElementSendKeys", {"id": element, "text": " Blue 🐈 blue."})
        shown = "[...document.querySelectorAll('#edit .text mark[data-span]')].map((one) => one.textContent)"
        wait(f"{shown}.join() === 'red,red,blue'")
        typed = run("return document.querySelector('#edit .field').value")
        assert typed == f"{TEXT} Blue 🐈 blue."
        wait("document.querySelector('#sent textarea').value.includes('blue.')")
        assert WRONG.findall(log.read_text(errors="replace")) == []

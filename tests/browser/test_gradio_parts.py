"""The components in an app of ten lines outside of our tree: what they name is what is on the screen."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.backends.clips import numbered, write_clip
from tests.browser.conftest import expect, once, until
from tests.browser.parts_app import install, served_app
from tests.browser.test_accessibility import FOUND, script
from tests.browser.test_firefox import installed as firefox_program
from tests.browser.test_firefox import running_firefox
from tests.parts_films import FILMS, FRAMES, HEIGHT, WIDTH, make_film

PLAYERS = """
import gradio as gr
from dailies_gradio import Film, FramePlayer, Range

RANGES = [Range(10, 20, "ten", "a"), Range(15, 40, "fifteen", "b")]
MARKS = [Range(0, 5, "<b>start</b>", "`${alert(1)}`")]


def about(event: gr.EventData):
    return repr(event._data)


with gr.Blocks() as demo:
    player = FramePlayer(label="Film", elem_id="player")
    path, number = gr.Textbox(label="Path", elem_id="path"), gr.Number(label="Number", elem_id="number")
    shown, chosen = gr.Textbox(label="S", elem_id="shown"), gr.Textbox(label="C", elem_id="chosen")
    path.submit(lambda path: Film(path, ranges=RANGES), path, player)
    number.submit(lambda number: number, number, player)
    player.frame(repr, player, shown, show_progress="hidden")
    player.select(about, None, chosen)
    other = FramePlayer(label="Other", elem_id="other", height=120)
    gr.Button("Other film").click(lambda path: path, path, other)
    gr.Button("No film").click(lambda: None, None, player)
    gr.Button("Marks").click(lambda: MARKS, None, player)
    gr.Button("Hide").click(lambda: gr.update(visible=False), None, player)
    gr.Button("Back").click(lambda: gr.update(visible=True, label="Again"), None, player)
"""
READ = """
window.barcode = (id) => {
  const video = document.querySelector(`#${id} video`);
  const canvas = Object.assign(document.createElement('canvas'), { width: WIDTH, height: HEIGHT });
  const context = canvas.getContext('2d');
  context.drawImage(video, 0, 0, canvas.width, canvas.height);
  const row = context.getImageData(0, HEIGHT / 6, WIDTH, 1).data;
  let number = 0;
  for (let bit = 0; bit < 10; bit += 1) {
    const at = 4 * Math.floor(((bit + 0.5) * WIDTH) / 10);
    if (row[at] + row[at + 1] + row[at + 2] > 375) number += 2 ** bit;
  }
  return number;
};
window.state = (id) => document.querySelector(`#${id} .state`)?.dataset.is || '';
window.named = (id) => Number(document.querySelector(`#${id} .line b`).textContent.replace(/\\D/g, ''));
undefined;
""".replace("WIDTH", str(WIDTH)).replace("HEIGHT", str(HEIGHT))
"""The number in the picture, the one in the line under it, and whether it is confirmed."""


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with `dailies_gradio` and what it needs, and no way to our checkout."""
    return once(tmp_path_factory, "parts-environment", install)


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("films")
    return {name: make_film(name, folder) for name in FILMS}


@pytest.fixture(scope="module")
def players(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from served_app(environment, PLAYERS, tmp_path_factory.mktemp("players"))


@pytest.fixture
def desk(players: str, page) -> Any:
    """The page of the players."""
    page.goto(players)
    page.wait_for_selector("#player .line")
    page.evaluate(READ)
    return page


def ask(page, field: str, value: object) -> None:
    """Write into the field and press Enter."""
    box = page.locator(f"#{field} :is(input, textarea)")
    box.fill(str(value))
    box.press("Enter")


def show(page, index: int, player: str = "player") -> None:
    """Wait until the player has confirmed this frame."""
    page.wait_for_function(
        "([id, index]) => window.named(id) === index && window.state(id) === 'confirmed'", arg=[player, index]
    )


def opened(page, film: Path) -> None:
    page.evaluate("() => { document.querySelector('#player video').src = ''; }")
    ask(page, "path", film)
    page.wait_for_function(
        "(name) => document.querySelector('#player video').src.endsWith(name)", arg=film.name
    )
    show(page, 0)


def wanted(name: str, count: int = 12) -> list[int]:
    last = 0 if name == "one.mp4" else FRAMES - 1
    dice = random.Random(name)
    return [dice.randint(0, last) for _ in range(count)] + [last, last, 0]


@pytest.mark.parametrize("name", FILMS)
def test_the_frame_shown_is_the_frame_asked_for(desk, films: dict[str, Path], name: str) -> None:
    opened(desk, films[name])
    assert desk.evaluate("barcode('player')") == 0
    for index in wanted(name):
        ask(desk, "number", index)
        show(desk, index)
        assert desk.evaluate("barcode('player')") == index
    expect(desk.locator("#shown textarea")).to_have_value("ShownFrame(frame=0, time_s=0.0, confirmed=True)")

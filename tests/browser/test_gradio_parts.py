"""The components in an app of ten lines outside of our tree: what they name is what is on the screen."""

from __future__ import annotations

import random
import re
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.backends.clips import numbered, write_clip
from tests.browser.conftest import expect, once, until
from tests.browser.parts_app import PACKAGE, install, served_app
from tests.browser.test_accessibility import FOUND, script
from tests.browser.test_firefox import WRONG, running_firefox
from tests.browser.test_firefox import installed as firefox_program
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
    number.submit(lambda number: number, number, player, trigger_mode="always_last")
    player.frame(repr, player, shown, show_progress="hidden")
    player.select(about, None, chosen)
    other = FramePlayer(label="Other", elem_id="other", height=120)
    gr.Button("Other film").click(lambda path: path, path, other)
    gr.Button("No film").click(lambda: None, None, player)
    gr.Button("Marks").click(lambda: MARKS, None, player)
    gr.Button("Hide").click(lambda: gr.update(visible=False), None, player)
    gr.Button("Back").click(lambda: gr.update(visible=True, label="Again"), None, player)
    with gr.Tab("First"):
        gr.Markdown("The other tab holds a player.")
    with gr.Tab("Second"):
        hidden = FramePlayer(elem_id="hidden")
    gr.Button("Hidden film").click(lambda path: (Film(path, 3), "film"), path, [hidden, chosen])
    gr.Button("Hidden frame").click(lambda: (7, "frame"), None, [hidden, chosen])
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


def serious(page, where: str) -> list[str]:
    """What axe finds within this component, in both themes."""
    page.evaluate(script())
    found: list[str] = []
    for dark in (False, True):
        page.evaluate("(dark) => document.body.classList.toggle('dark', dark)", dark)
        page.wait_for_timeout(400)  # Gradio fades
        found += page.evaluate(FOUND.replace("axe.run(document,", f"axe.run({where!r},"))
    return found


def ask(page, field: str, value: object) -> None:
    """Write into the field and press Enter."""
    box = page.locator(f"#{field} :is(input, textarea)")
    box.fill(str(value))
    box.press("Enter")


STATE = """(id) => {
  const video = document.querySelector(`#${id} video`);
  const { currentTime, seeking, readyState, paused } = video;
  const line = document.querySelector(`#${id} .line`).innerText;
  return JSON.stringify({ line, currentTime, seeking, readyState, paused, error: video.error?.message });
}"""


def show(page, index: int, player: str = "player") -> None:
    """Wait until the player has confirmed this frame."""
    holds = "([id, index]) => window.named(id) === index && window.state(id) === 'confirmed'"
    try:
        page.wait_for_function(holds, arg=[player, index])
    except Exception as error:
        raise AssertionError(f"frame {index} of {player}: {page.evaluate(STATE, player)}") from error


def opened(page, film: Path) -> None:
    """Show this film from its first frame on, and wait for it."""
    ask(page, "path", film)
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


FIND = "WebDriver:FindElement"
SHOWN = "return [named('player'), state('player'), barcode('player')]"


def test_firefox_shows_the_same_frames(players: str, films: dict[str, Path], tmp_path: Path) -> None:
    with running_firefox(firefox_program(), tmp_path) as (firefox, log):

        def run(words: str) -> Any:
            return firefox.ask("WebDriver:ExecuteScript", {"script": words, "args": []})["value"]

        def fill(field: str, value: object) -> None:
            where = {"using": "css selector", "value": f"#{field} :is(input, textarea)"}
            (element,) = firefox.ask(FIND, where)["value"].values()
            firefox.ask("WebDriver:ElementClear", {"id": element})
            firefox.ask("WebDriver:ElementSendKeys", {"id": element, "text": f"{value}\ue007"})

        def wait(holds: str) -> None:
            end = time.monotonic() + 30
            while not run(f"return Boolean({holds})"):
                assert time.monotonic() < end, f"{holds}: {run(SHOWN)}"
                time.sleep(0.02)

        firefox.ask("WebDriver:Navigate", {"url": players})
        for part in ("#player .line", "#number input", "#path textarea"):
            wait(f"document.querySelector('{part}')")
        run(f"const set = () => {{ {READ} }}; set();")
        for name, film in films.items():
            fill("path", film)
            wait(f"document.querySelector('#player video').src.endsWith('{name}')")
            wait("state('player') === 'confirmed'")
            for index in wanted(name, 6):
                fill("number", index)
                wait(f"named('player') === {index} && state('player') === 'confirmed'")
                assert run(SHOWN) == [index, "confirmed", index], name
        assert WRONG.findall(log.read_text(errors="replace")) == []


def test_keys_step_within_the_player_alone(desk, films: dict[str, Path]) -> None:
    opened(desk, films["25.mp4"])
    desk.get_by_role("button", name="Other film").click()
    show(desk, 0, "other")
    desk.locator("#player .line b").click()
    for key, index in [
        (".", 1), (".", 2), (",", 1), ("ArrowRight", 26), ("ArrowLeft", 1), ("Shift+ArrowRight", 10),
        ("Shift+ArrowRight", 15), (".", 16), ("Shift+ArrowLeft", 15), ("End", FRAMES - 1), (".", FRAMES - 1),
        ("Home", 0), (",", 0),
    ]:  # fmt: skip
        desk.keyboard.press(key)
        show(desk, index)
        assert desk.evaluate("barcode('player')") == index
    for _ in range(10):
        desk.keyboard.press(".")
    show(desk, 10)
    desk.locator("#other .bar").focus()
    desk.keyboard.press("ArrowUp")
    show(desk, 1, "other")
    desk.keyboard.press("ArrowRight")
    show(desk, 26, "other")
    assert desk.evaluate("[named('player'), barcode('player')]") == [10, 10]
    desk.locator("#path textarea").focus()
    for key in (".", "End", "Space", "ArrowLeft"):
        desk.keyboard.press(key)
    assert desk.locator("#path textarea").input_value().endswith(". ")
    assert desk.evaluate("[named('player'), named('other')]") == [10, 26]


def test_playing_names_what_is_shown_and_pause_stands_on_a_frame(desk, films: dict[str, Path]) -> None:
    opened(desk, films["12.mp4"])
    desk.locator("#player .line b").click()
    desk.keyboard.press("Space")
    desk.wait_for_function("() => named('player') >= 8")
    assert desk.get_by_role("button", name="Pause (Space)").is_visible()
    desk.keyboard.press("Space")
    desk.wait_for_function(
        "() => document.querySelector('#player video').paused && state('player') === 'confirmed'"
    )
    index = desk.evaluate("named('player')")
    assert desk.evaluate("barcode('player')") == index >= 8
    expect(desk.locator("#shown textarea")).to_have_value(re.compile(rf"ShownFrame\(frame={index}, .*True\)"))
    ask(desk, "number", FRAMES - 3)
    show(desk, FRAMES - 3)
    desk.get_by_role("button", name="Play (Space)").first.click()
    show(desk, FRAMES - 1)  # it stops at the end
    desk.locator("#player .screen").click()
    desk.wait_for_function("() => named('player') > 2 && named('player') < 60")


def test_ranges_are_buttons_on_the_time_axis(desk, films: dict[str, Path]) -> None:
    opened(desk, films["25.mp4"])
    second = desk.get_by_role("button", name="fifteen, b: #15 to #39, 00:00.600 to 00:01.600")
    second.press("Enter")
    show(desk, 15)
    chosen = {"index": 1, "value": "fifteen", "start": 15, "end": 40, "label": "fifteen", "kind": "b"}
    expect(desk.locator("#chosen textarea")).to_have_value(repr(chosen))
    current = desk.locator("#player .range[aria-current]")
    expect(current).to_have_text(["ten", "fifteen"])
    ask(desk, "number", 20)
    expect(current).to_have_text(["fifteen"])
    lane, box = desk.locator("#player .lane").bounding_box(), second.bounding_box()
    assert abs((box["x"] - lane["x"]) / lane["width"] - 15 / FRAMES) < 0.01
    assert abs(box["width"] / lane["width"] - 25 / FRAMES) < 0.01
    desk.get_by_role("button", name="Marks").click()
    expect(desk.locator("#player .range")).to_have_text(["<b>start</b>"])
    expect(desk.locator("#player .legend")).to_have_text("`${alert(1)}`")
    assert desk.evaluate("named('player')") == 20


def test_a_film_that_the_browser_cannot_play_is_explained(desk, tmp_path: Path) -> None:
    pictures = [numbered(index, WIDTH, HEIGHT) for index in range(5)]
    for name, codec, about in (
        ("it's new.mp4", "libx265", "hevc, mp4"),
        ("old.mpg", "mpeg2video", "mpeg2video, mpeg"),
        ("a.mkv", "mpeg4", "mpeg4, matroska"),
    ):
        film = write_clip(tmp_path / name, pictures, codec=codec)
        ask(desk, "path", film)
        message = desk.locator("#player .message")
        expect(message).to_contain_text(f"This browser cannot play {name} ({about}). Make a copy")
        quoted = shlex.quote(name) if "'" not in name else "'it'\\''s new.mp4'"
        command = f"ffmpeg -i {quoted} -c:v libx264 -pix_fmt yuv420p -fps_mode passthrough copy.mp4"
        expect(message.locator("code")).to_have_text(command)
        ask(desk, "number", 3)
        expect(desk.locator("#shown textarea")).to_have_value(
            "ShownFrame(frame=3, time_s=0.12, confirmed=False)"
        )
        until(lambda: desk.evaluate("[named('player'), state('player')]") == [3, "unconfirmed"], desk)
    opened(desk, write_clip(tmp_path / "good.mp4", pictures))
    expect(message).to_be_hidden()


@pytest.mark.expect_console("the server responded with a status of")
def test_a_file_that_cannot_be_read_is_an_error_of_gradio(desk, tmp_path: Path) -> None:
    ask(desk, "path", tmp_path / "none.mp4")
    expect(desk.get_by_text("none.mp4: the file cannot be read (No such file or directory)")).to_be_visible()
    expect(desk.locator("#player .message")).to_have_text("No film")


def test_a_player_that_was_hidden_or_emptied(desk, films: dict[str, Path]) -> None:
    opened(desk, films["25.mp4"])
    ask(desk, "number", 33)
    show(desk, 33)
    desk.get_by_role("button", name="Hide").click()
    expect(desk.locator("#player .line")).to_have_count(0)
    desk.get_by_role("button", name="Back").click()
    desk.locator("#player .line").wait_for()
    show(desk, 33)
    assert desk.evaluate("barcode('player')") == 33
    expect(desk.locator("#player .title")).to_have_text("Again")
    desk.get_by_role("button", name="No film").click()
    expect(desk.locator("#player .message")).to_have_text("No film")
    opened(desk, films["12.mp4"])


def test_a_player_in_a_tab_that_nobody_has_opened(desk, films: dict[str, Path]) -> None:
    opened(desk, films["25.mp4"])
    _told_in_another_tab(desk, "film")
    _told_in_another_tab(desk, "frame")
    desk.get_by_role("tab", name="Second").click()
    desk.locator("#hidden .line").wait_for()
    show(desk, 7, "hidden")
    assert desk.evaluate("barcode('hidden')") == 7
    desk.get_by_role("tab", name="First").click()
    _told_in_another_tab(desk, "film")
    desk.get_by_role("tab", name="Second").click()
    show(desk, 3, "hidden")
    assert desk.evaluate("barcode('hidden')") == 3


def _told_in_another_tab(desk, what: str) -> None:
    desk.get_by_role("button", name=f"Hidden {what}").click()
    expect(desk.locator("#chosen textarea")).to_have_value(what)


def test_it_says_not_confirmed_without_a_report_of_the_browser(desk, films: dict[str, Path]) -> None:
    desk.add_init_script("HTMLVideoElement.prototype.requestVideoFrameCallback = () => 0;")
    desk.reload()
    desk.wait_for_selector("#player .line")
    desk.evaluate(READ)
    ask(desk, "path", films["25.mp4"])
    desk.wait_for_function("() => state('player') === 'unconfirmed'")
    ask(desk, "number", 40)
    expect(desk.locator("#shown textarea")).to_have_value("ShownFrame(frame=40, time_s=1.6, confirmed=False)")
    expect(desk.locator("#player .state")).to_have_text("not confirmed")


def test_without_callbacks_the_clock_tells_the_frame(desk, films: dict[str, Path]) -> None:
    desk.add_init_script("delete HTMLVideoElement.prototype.requestVideoFrameCallback;")
    desk.reload()
    desk.wait_for_selector("#player .line")
    desk.evaluate(READ)
    opened(desk, films["29.97.mp4"])
    for index in (44, 89, 3):
        ask(desk, "number", index)
        show(desk, index)


@pytest.mark.parametrize("width", [1280, 390, 360])
def test_axe_finds_nothing_serious_and_nothing_is_cut_off(desk, films: dict[str, Path], width: int) -> None:
    desk.set_viewport_size({"width": width, "height": 800})
    height = desk.locator("#player .player").bounding_box()["height"]
    opened(desk, films["25.mp4"])
    screen = desk.locator("#player .screen").bounding_box()
    assert screen["height"] == pytest.approx(min(360, 0.7 * screen["width"]), abs=1)
    lane = desk.locator("#player .lane").bounding_box()["height"] + 6
    legend = desk.locator("#player .legend").bounding_box()["height"] + 6
    assert desk.locator("#player .player").bounding_box()["height"] == pytest.approx(
        height + lane + legend, abs=1
    )
    assert desk.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert serious(desk, "#player") == []


@pytest.mark.parametrize(("name", "part"), [("player", ".state[data-is='confirmed']"), ("caption", "mark")])
def test_the_examples_run(
    environment: Path, films: dict[str, Path], page, tmp_path: Path, name: str, part: str
) -> None:
    example = (PACKAGE / "examples" / f"{name}_app.py").read_text(encoding="utf-8").split("if __name__")[0]
    for url in served_app(environment, example, tmp_path, films["25.mp4"]):
        page.goto(url)
        page.locator(part).first.wait_for()
        if name == "player":
            page.get_by_text("forty", exact=True).click()
            expect(page.locator(".info b")).to_have_text("#40")
        else:
            page.locator("textarea.field").press_sequentially(" 7 more.")
            expect(page.locator(".text mark")).to_have_text(["3", "12", "7"])
        page.goto("about:blank")

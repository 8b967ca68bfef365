"""What a handler may return to the player, what it receives, and what clients and examples do with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gradio as gr
import numpy as np
import pytest
from gradio_client import Client

from backends.chat.ports import free_port
from tests.backends.clips import numbered, write_clip
from ui.gradio_parts import Film, FramePlayer, Range, ShownFrame

MOMENT = {"frame": 2, "time_s": 0.08, "confirmed": True}


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clip(tmp_path_factory.mktemp("clip") / "a <b>.mp4", map(numbered, range(5)))


@contextmanager
def called(blocks: gr.Blocks) -> Iterator[Client]:
    """A program that calls the app."""
    quiet = {
        "prevent_thread_lock": True,
        "quiet": True,
        "server_name": "127.0.0.1",
        "server_port": free_port(),
    }
    _, url, _ = blocks.launch(**quiet)
    client = Client(url, verbose=False)
    try:
        yield client
    finally:
        client.close()
        blocks.close()


def test_a_film_goes_to_the_browser_with_its_times(clip: Path) -> None:
    film = Film(clip, frame=3, ranges=[Range(0, 2, "one", "kind")])
    value = FramePlayer(height=200).postprocess(film)
    assert value["film"]["file"]["meta"] == {"_type": "gradio.FileData"}
    assert value["film"]["steps"][1::2] == [5] and value["film"]["name"] == "a <b>.mp4"
    assert value["show"] == 3
    assert value["ranges"] == [{"start": 0, "end": 2, "label": "one", "kind": "kind"}]
    assert FramePlayer().postprocess(str(clip))["show"] == 0
    json.dumps(value)


def test_the_browser_gets_the_film_from_gradios_cache(clip: Path) -> None:
    file = FramePlayer(clip).value["film"]["file"]
    assert file["url"].startswith("/gradio_api/file=") and file["path"] != str(clip)


def told(answer: dict[str, Any], name: str) -> Any:
    """What the script is told; the value and the other properties stay."""
    assert answer["__type__"] == "update" and "value" not in answer and "height" in answer["props"]
    return answer["props"][name]["content"]


def test_each_message_is_another_one() -> None:
    one, two = (FramePlayer().postprocess(4)["props"]["show"]["turn"] for _ in range(2))
    assert one < two


@pytest.mark.parametrize("number", [4, np.int64(4), 4.0, ShownFrame(4, 0.16, True)])
def test_a_number_shows_a_frame(number: Any) -> None:
    assert told(FramePlayer(height=200).postprocess(number), "show") == 4


def test_ranges_replace_the_marks_and_none_empties() -> None:
    player = FramePlayer()
    assert told(player.postprocess([]), "ranges") == []
    assert told(player.postprocess((Range(1, 2),)), "ranges")[0]["end"] == 2
    assert player.postprocess(None) is None
    assert told(player.postprocess(-3), "show") == 0


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (2.5, "an integer, not 2.5"),
        ([Range(3, 3)], "at least one frame .* not 3 to 3"),
        ([Range(-1, 3)], "not -1 to 3"),
        (True, "not bool"),
        ([1, 2], "not list"),
        (object(), "not object"),
    ],
)
def test_other_values_are_refused_in_words(value: Any, words: str) -> None:
    with pytest.raises(gr.Error, match=words):
        FramePlayer().postprocess(value)


def test_a_handler_receives_the_shown_frame(clip: Path) -> None:
    player = FramePlayer()
    assert player.preprocess({**MOMENT, "film": "film-1"}) == ShownFrame(2, 0.08, True)
    assert player.preprocess({**MOMENT, "confirmed": "yes"}) == ShownFrame(2, 0.08, False)
    for none in (None, "", {}, player.postprocess(clip), player.postprocess(3)):
        assert player.preprocess(none) is None


@pytest.mark.parametrize(
    "wrong", [{"frame": "1"}, {"frame": -1}, {"frame": 1.5}, {"time_s": None}, {"time_s": float("nan")}]
)
def test_a_client_cannot_send_anything_else(wrong: dict[str, Any]) -> None:
    with pytest.raises(gr.Error, match="needs a frame number"):
        FramePlayer().preprocess({**MOMENT, **wrong})


def test_its_events_can_be_listened_to() -> None:
    with gr.Blocks() as blocks:
        player = FramePlayer()
        for event in (player.frame, player.select, player.change):
            event(lambda: None)
        player.frame(lambda: None, trigger_mode="multiple")
        with pytest.raises(AttributeError):
            player.unheard_of(lambda: None)
    modes = [d["trigger_mode"] for d in blocks.config["dependencies"]]
    assert modes == ["always_last", "once", "always_last", "multiple"]


@pytest.fixture
def client(clip: Path) -> Iterator[Client]:
    """An app that shows a film, names the frame, and takes an update of the component."""
    with gr.Blocks(analytics_enabled=False) as blocks:
        player, words = FramePlayer(label="Film"), gr.Textbox()
        gr.Button().click(lambda: Film(clip, 1), None, player, api_name="film")
        gr.Button().click(repr, player, words, api_name="named")
        gr.Button().click(lambda: gr.update(value=3, label="Other"), None, player, api_name="update")
        gr.Button().click(lambda: str(clip.with_name("none.mp4")), None, player, api_name="missing")
    with called(blocks) as client:
        yield client


def test_programs_can_call_an_app_with_it(client: Client, clip: Path) -> None:
    schema = client.view_api(return_format="dict")["named_endpoints"]
    sent = schema["/named"]["parameters"][0]
    assert sent["python_type"]["type"].startswith("dict(frame: int (number of the frame")
    assert "film" in schema["/film"]["returns"][0]["python_type"]["type"]
    assert client.predict(MOMENT, api_name="/named") == "ShownFrame(frame=2, time_s=0.08, confirmed=True)"
    shown = client.predict(api_name="/film")
    assert Path(shown["film"]["file"]).read_bytes() == clip.read_bytes() and shown["show"] == 1
    assert told(client.predict(api_name="/update")["value"], "show") == 3
    with pytest.raises(Exception, match=r"none.mp4: the file cannot be read \(No such file"):
        client.predict(api_name="/missing")


@pytest.mark.parametrize("cached", [False, True])
def test_examples_hold_films(clip: Path, cached: bool, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRADIO_EXAMPLES_CACHE", str(tmp_path / "examples"))
    with gr.Blocks(analytics_enabled=False) as blocks:
        path, player = gr.Textbox(), FramePlayer(height=200)
        if cached:
            gr.Examples([[str(clip)]], path, player, fn=Film, cache_examples=True, api_name="example")
        else:
            gr.Examples([[Film(clip, 2)]], player, api_name="example")
    with called(blocks) as client:
        names = [c["props"]["samples"] for c in client.config["components"] if c["type"] == "dataset"]
        assert names == [[[str(clip)]]] if cached else [[["a &lt;b&gt;.mp4"]]]
        fn = next(d["id"] for d in client.config["dependencies"] if d["api_name"].startswith("example"))
        shown = client.submit(0, fn_index=fn).result()
    value = shown if cached else shown["value"]
    assert value["film"]["name"] == "a <b>.mp4" and value["show"] == (0 if cached else 2)

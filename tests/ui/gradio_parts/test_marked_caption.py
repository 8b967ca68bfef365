"""What a handler may return to the caption, what it receives, and what clients and examples do with it."""

from __future__ import annotations

from typing import Any

import gradio as gr
import pytest

from tests.ui.gradio_parts.test_frame_player import called
from ui.gradio_parts import Caption, MarkedCaption, Span

TEXT = "A 😀 red boat."
SPAN = {"start": 2, "end": 3, "kind": "k", "note": "n"}


def test_texts_and_marks_go_to_the_browser_as_they_are() -> None:
    caption = MarkedCaption()
    assert caption.postprocess(TEXT) == {"text": TEXT, "spans": []}
    assert caption.postprocess(Caption(TEXT, [Span(2, 3, "k", "n")])) == {"text": TEXT, "spans": [SPAN]}
    for marks, sent in (([Span(2, 3, "k", "n")], [SPAN]), ([], [])):
        answer = caption.postprocess(marks)
        assert answer["__type__"] == "update" and "value" not in answer
        assert answer["props"]["marks"]["content"] == sent and answer["props"]["lines"] == 6
    assert caption.postprocess(None) is None
    assert caption.preprocess({"text": TEXT, "spans": [SPAN]}) == Caption(TEXT, (Span(2, 3, "k", "n"),))
    assert caption.preprocess(None) == Caption("") == caption.preprocess("")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Caption("abc", [Span(1, 4)]), "of a text with 3 characters, not 1 to 4"),
        (Caption("abc", [Span(1, 1)]), "at least one character"),
        ([Span(-1, 2)], "not -1 to 2"),
        ([Span("0", 2)], "integers"),  # type: ignore[arg-type]
        (7, "not int"),
        (["a"], "not list"),
    ],
)
def test_other_values_are_refused_in_words(value: Any, words: str) -> None:
    with pytest.raises(gr.Error, match=words):
        MarkedCaption().postprocess(value)


@pytest.mark.parametrize(
    "wrong",
    [
        7,
        {"text": 7},
        {"text": "a", "spans": 7},
        {"text": "a", "spans": [{"start": 0}]},
        {"text": "a", "spans": [{**SPAN, "more": 1}]},
        {"text": "a", "spans": [{**SPAN, "start": 0.5, "end": 1}]},
        {"text": "abcd", "spans": [{**SPAN, "kind": None}]},
        {"text": "a", "spans": [SPAN]},
    ],
)
def test_a_client_cannot_send_anything_else(wrong: Any) -> None:
    with pytest.raises(gr.Error):
        MarkedCaption().preprocess(wrong)


def test_its_events_can_be_listened_to() -> None:
    with gr.Blocks():
        caption = MarkedCaption(editable=True)
        for event in (caption.input, caption.select, caption.change, caption.submit):
            event(lambda: None)


def test_programs_can_call_an_app_with_it() -> None:
    with gr.Blocks(analytics_enabled=False) as blocks:
        caption = MarkedCaption("first", label="Caption", kinds={"k": "words"})
        gr.Button().click(lambda c: Caption(c.text.upper(), c.spans), caption, caption, api_name="upper")
    with called(blocks) as client:
        sent = client.view_api(return_format="dict")["named_endpoints"]["/upper"]["parameters"][0]
        assert sent["python_type"]["type"].startswith("dict(text: str, spans: list[dict(start: int")
        answer = client.predict({"text": TEXT, "spans": [SPAN]}, api_name="/upper")
    assert answer == {"text": TEXT.upper(), "spans": [SPAN]}


def test_the_table_of_examples_shows_text_as_text(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("GRADIO_EXAMPLES_CACHE", str(tmp_path / "examples"))
    with gr.Blocks(analytics_enabled=False) as blocks:
        given, shown = MarkedCaption(editable=True), MarkedCaption()
        samples = [Caption("<b>red</b>", [Span(0, 3)]), "plain"]
        gr.Examples(samples, given, shown, fn=lambda c: c, cache_examples=True, api_name="example")
    with called(blocks) as client:
        table = next(c["props"] for c in client.config["components"] if c["type"] == "dataset")
        assert table["samples"] == [["&lt;b&gt;red&lt;/b&gt;"], ["plain"]]
        fns = [d["id"] for d in client.config["dependencies"] if "example" in str(d["api_name"])]
        answer = client.submit(0, fn_index=fns[-1]).result()
    assert answer == {"text": "<b>red</b>", "spans": [{"start": 0, "end": 3, "kind": "", "note": ""}]}

"""Marks every number in a caption while it is typed. `python caption_app.py`."""

import re

import gradio as gr
from dailies_gradio import Caption, MarkedCaption, Span


def numbers(caption: Caption) -> list[Span]:
    return [Span(*found.span(), "number", "a number") for found in re.finditer(r"\d+", caption.text)]


with gr.Blocks() as demo:
    caption = MarkedCaption("Two boats, 3 gulls and 12 waves.", label="Caption", editable=True)
    caption.input(numbers, caption, caption, show_progress="hidden", trigger_mode="always_last")
    demo.load(numbers, caption, caption)

if __name__ == "__main__":
    demo.launch()

"""Gradio's app for handlers that show results while they work."""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.block_function import BlockFunction

UNLIKE_ANY = object()
"""Differs from every value."""


class WholeValues(gr.Blocks):  # type: ignore[misc]  # Gradio has no types here
    """Sends each value of a working handler whole.

    Gradio sends the differences to the last value, and its page applies them in place. A component in a tab
    that was not opened yet still holds that object: its value would become the next "no change".
    """

    def handle_streaming_diffs(
        self,
        block_fn: BlockFunction,
        data: list[Any],
        session_hash: str | None,
        run: str | None,
        final: bool,
        simple_format: bool = False,
    ) -> list[Any]:
        streams = self.pending_diff_streams.get(session_hash, {}) if session_hash else {}
        if run in streams and not final:
            streams[run] = [UNLIKE_ANY] * len(data)
        sent: list[Any] = super().handle_streaming_diffs(
            block_fn, data, session_hash, run, final, simple_format
        )
        return sent

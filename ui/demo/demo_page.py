"""The Demo page: the person uploads a clip, and the page shows each stage's result when it is ready."""

from __future__ import annotations

import asyncio
import html
import shutil
import time
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import gradio as gr
from fastapi import Request
from starlette.concurrency import run_in_threadpool

from annotation.stages.stage_context import Engines
from annotation.systems.progress_captioner.keyframe_budget import BUDGET, LEAST
from annotation.workspace.limit_settings import Limits, size
from backends.errors import DailiesError
from ui.demo.clip_run import STAGES, ClipRun, RunMessage
from ui.demo.demo_files import OwnFiles
from ui.demo.shown_parts import CAPTIONS, LINE_COLUMNS, METHODS, SCRIPT, Keyframes

SAMPLE = Path(__file__).resolve().parents[2] / "sample" / "clip.mp4"
STOPPED = "Stopped. The results so far are shown."
MOST = 12
"""Most keyframes in a row; more would be too small to compare."""
POLL_S = 0.2
WORDS = {spec.name: spec.doing or spec.label for spec in STAGES}
STYLE = """
.gradio-container { max-width: 1500px !important; margin: 0 auto !important; }
.thumbnail-item {
  display: flex !important; flex-direction: column; height: auto !important; aspect-ratio: auto !important;
}
.thumbnail-item img { width: 100%; height: auto !important; aspect-ratio: 16 / 9; }
.caption-label {
  position: static !important; max-width: 100% !important;
  border: 0 !important; white-space: normal !important; line-height: 1.3 !important; text-align: left;
}
@media (max-width: 900px) { .grid-container { grid-template-columns: repeat(3, 1fr) !important; } }
"""
"""Captions are below their picture, untruncated; narrow windows have fewer pictures per line."""
PROGRESS = gr.Progress()
SPEECH, TEXT = "Speech", "Text on screen"
EMPTY = {"speech": SPEECH, "text": TEXT}
"""Tables that may be empty after a successful run, with their labels."""
Values = dict[Any, Any]


class DemoPage:
    """The components of the page, and the handlers of its buttons."""

    def __init__(
        self,
        engines: Callable[[], Engines],
        limits: Limits,
        files: OwnFiles,
        who: Callable[[Request], str],
    ) -> None:
        """`who` returns the name of the person, or raises a DailiesError if they may not run anything."""
        self.engines, self.limits, self.files, self.who = engines, limits, files, who
        self.runs: dict[str, ClipRun] = {}
        """Running clips by page."""
        with gr.Blocks(title="Dailies demo", analytics_enabled=False) as self.blocks:
            self._layout()
            self._events()
        self.blocks.queue(max_size=round(limits.demo_waiting), api_open=False)
        for block in self.blocks.blocks.values():
            block.async_move_resource_to_block_cache = _unchanged_path

    def _layout(self) -> None:
        gr.Markdown(self._words())
        self.found = gr.State(None, time_to_live=60 * self.limits.demo_minutes)
        with gr.Row():
            with gr.Column(scale=2):
                self.clip = gr.Video(label="Clip", sources=["upload"], height=300, buttons=[])
                if SAMPLE.is_file():  # an installed package does not include it
                    sample = shutil.copy(SAMPLE, self.files.for_all)
                    gr.Examples(
                        [[str(sample)]],
                        self.clip,
                        label="Or use the sample",
                        example_labels=["A paper boat's day, 54 s"],
                        cache_examples=False,
                    )
                with gr.Row():
                    self.run = gr.Button("Run", variant="primary")
                    self.stop = gr.Button("Stop", interactive=False)
                self.status = gr.Markdown("Choose a clip, then Run.", min_height=60)
            with gr.Column(scale=3):
                self.scenes = _pictures("Scenes", columns=4, height=420)
        with gr.Row():
            with gr.Column(min_width=460):
                self.speech = _table(SPEECH, LINE_COLUMNS, ("16%", "14%", "70%"))
            with gr.Column(min_width=460):
                self.text = _table(TEXT, LINE_COLUMNS, ("16%", "14%", "70%"))
        self.script = _table("Script, scene by scene", SCRIPT, ("12%", "18%", "18%", "18%", "34%"))
        self.captions = _table("Five captions", CAPTIONS, ("16%", "64%", "20%"))
        self.budget = gr.Slider(LEAST, MOST, BUDGET, step=1, label="Keyframes per method")
        self.rows = {method: _pictures(method, columns=6, height=210) for method in METHODS}
        self.parts = [self.scenes, self.speech, self.text, self.script, self.captions, *self.rows.values()]

    def _words(self) -> str:
        return (
            "# Dailies demo\n"
            f"Runs the pipeline on a clip of up to {self.limits.demo_seconds:.0f} s and "
            f"{size(self.limits.demo)}: scenes, speech, text on screen, script, captions, and the "
            "keyframes of three methods side by side. Nothing is kept: the clip and its results "
            "are deleted after "
            f"{self.limits.demo_minutes:.0f} minutes, and only you can see them."
        )

    def _events(self) -> None:
        buttons = [self.run, self.stop, self.status]
        self.run.click(
            self._run,
            [self.clip, self.budget],
            [*buttons, self.found, *self.parts],
            concurrency_limit=1,
            show_progress="full",
            show_progress_on=self.status,
            api_visibility="private",
        )
        self.stop.click(
            self._end, None, self.stop, show_progress="hidden", queue=False, api_visibility="private"
        )
        self.budget.change(
            self._choose,
            [self.found, self.budget],
            list(self.rows.values()),
            trigger_mode="always_last",
            show_progress="hidden",
            queue=False,
            api_visibility="private",
        )

    async def _run(
        self, clip: str | None, budget: float, request: gr.Request, progress: gr.Progress = PROGRESS
    ) -> AsyncIterator[Values]:
        try:
            who = self.who(request.request)
        except DailiesError as error:
            raise _error(str(error)) from None
        if not clip or not self.files.has(clip, who) or not Path(clip).is_file():
            raise _error("choose a clip first" if not clip else "this clip was deleted; choose it again")
        run = ClipRun(Path(clip), self.files.new(who), self.engines, self.limits.demo_seconds)
        problems: list[str] = []
        yield self._empty()
        self.runs[str(request.session_hash)] = run
        end = time.monotonic() + 60 * self.limits.demo_run_minutes
        with self.files.used(run.clip), self.files.used(run.home / "workspace"):
            run.start()
            try:
                async for message in self._messages_until_end(run, end):
                    progress(message.share, desc=WORDS[message.stage])
                    problems += [f"{WORDS[message.stage]}: {message.problem}"] if message.problem else []
                    if shown := self._shown(message, budget):
                        yield shown
            finally:
                self.runs.pop(str(request.session_hash), None)
                await run_in_threadpool(run.close)
        done = _plain(run.failed) or (STOPPED if run.stopped else "Done.")
        if run.stopped and time.monotonic() > end:
            done = f"The run reached the limit of {self.limits.demo_run_minutes:.0f} minutes. {STOPPED}"
        yield self._idle("\n\n".join([done, *(f"- {_plain(line)}" for line in problems)]))

    @staticmethod
    async def _messages_until_end(run: ClipRun, end: float) -> AsyncIterator[RunMessage]:
        """The messages of a run until it ends; at time `end` it is stopped."""
        running = True
        while running:
            running = run.running
            for message in run.messages():
                yield message
            if time.monotonic() > end:
                run.stop()
            await asyncio.sleep(POLL_S if running else 0)

    def close(self) -> None:
        """End all runs."""
        for run in [*self.runs.values()]:
            run.close()

    def _end(self, request: gr.Request) -> Values:
        """Stop the run of this page; it ends after its current stage."""
        if run := self.runs.get(str(request.session_hash)):
            run.stop()
        return {self.stop: gr.update(interactive=False)}

    def _empty(self) -> Values:
        return {
            self.run: gr.update(interactive=False),
            self.stop: gr.update(interactive=True),
            self.status: "",
            self.found: None,
            **dict.fromkeys(self.parts),
            self.speech: gr.update(value=None, label=SPEECH),
            self.text: gr.update(value=None, label=TEXT),
        }

    def _idle(self, words: str) -> Values:
        return {
            self.run: gr.update(interactive=True),
            self.stop: gr.update(interactive=False),
            self.status: words,
        }

    def _shown(self, message: RunMessage, budget: float) -> Values:
        if message.part is None:
            return {}
        if isinstance(message.part, Keyframes):
            return {self.found: message.part, **self._choose(message.part, budget)}
        if message.stage in EMPTY and not message.part:
            return {
                getattr(self, message.stage): gr.update(value=[], label=f"{EMPTY[message.stage]}: none found")
            }
        name = "scenes" if message.stage == "measurements" else message.stage
        return {getattr(self, name): message.part}

    def _choose(self, found: Keyframes | None, budget: float) -> Values:
        """The keyframe rows with this number of frames, with the reason for each frame."""
        rows: Mapping[str, Any] = found.rows(min(max(round(budget), LEAST), MOST)) if found else {}
        shown: Values = {}
        for method, gallery in self.rows.items():
            note, pictures = rows.get(method, ("", []))
            shown[gallery] = gr.update(value=pictures, label=f"{method}: {note}" if note else method)
        return shown


def _table(label: str, headers: tuple[str, ...], widths: tuple[str, ...]) -> gr.Dataframe:
    return gr.Dataframe(
        label=label,
        headers=list(headers),
        datatype="str",
        column_widths=list(widths),
        wrap=True,
        interactive=False,
        max_height=320,
        buttons=[],
    )


def _pictures(label: str, columns: int, height: int) -> gr.Gallery:
    return gr.Gallery(
        label=label,
        columns=columns,
        fit_columns=False,  # otherwise a single picture fills the whole width
        height=height,
        object_fit="contain",
        buttons=[],
        interactive=False,
    )


def _error(words: str) -> gr.Error:
    return gr.Error(html.escape(words), print_exception=False)


def _plain(words: str) -> str:
    """Escape text for Markdown."""
    return html.escape(words).replace("*", "&#42;").replace("_", "&#95;").replace("[", "&#91;")


async def _unchanged_path(place: str) -> str:
    """Keep the path: `OwnFiles` has already stored the file. Gradio would name a copy after its content."""
    return place

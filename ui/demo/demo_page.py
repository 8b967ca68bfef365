"""The Demo page: a worked example, then a visitor's own clip, from scenes to verdicts and split."""

from __future__ import annotations

import logging
import time
from asyncio import sleep
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import gradio as gr
from fastapi import Request
from starlette.concurrency import run_in_threadpool

from annotation.records.allowed_values import Stage, VdcAspect
from annotation.records.errors import DiskFull
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.stages.stage_context import Engines
from annotation.stages.stage_spec import StageSpec
from annotation.systems.vdc.system import ANSWERS, CAPTIONS, QUESTIONS, VERDICTS
from annotation.workspace.limit_settings import Limits, size
from backends.errors import DailiesError
from ui.demo.clips.clip_run import STAGES, ClipRun, RunMessage
from ui.demo.clips.demo_clips import DemoClip, DemoClips
from ui.demo.clips.demo_files import OwnFiles
from ui.demo.clips.own_model import OwnModel
from ui.demo.sections.captions_section import CaptionsSection
from ui.demo.sections.downloads import write_metadata, write_zip
from ui.demo.sections.keyframes_section import KeyframesSection
from ui.demo.sections.pasted_reference import keep_reference
from ui.demo.sections.questions_section import QuestionsSection
from ui.demo.sections.script_section import ScriptSection
from ui.demo.sections.section import QUIET, Desk, Section, Values, messages, own_file, plain
from ui.demo.sections.split_section import SplitSection, split_texts
from ui.demo.whole_values import WholeValues
from ui.gradio_parts.frame_player import Film, FramePlayer, Range
from ui.gradio_parts.marked_caption import Caption

log = logging.getLogger(__name__)
STOPPED = "Stopped. The results so far are shown."
EXAMPLE = "This is a worked example. Drop a clip of your own to see it processed."
POLL_S = 0.2
TYPES = [".mp4", ".webm", ".mov", ".mkv", ".avi", ".m4v"]
STYLE = (Path(__file__).resolve().parent / "demo_page.css").read_text(encoding="utf-8")
PROGRESS = gr.Progress()
CLICK_DOWNLOAD = "() => document.querySelector('#demo-file').click()"
RUNS = "runs"
"""One run at a time, of a clip or of questions; the others wait in the queue."""
ASKED: tuple[StageSpec, ...] = (CAPTIONS, QUESTIONS, ANSWERS, VERDICTS)
"""Stages after a new reference. The captions are written again only by another model."""


class DemoPage:
    """The components of the page, and the handlers that run stages."""

    def __init__(
        self,
        engines: Callable[[], Engines],
        limits: Limits,
        files: OwnFiles,
        who: Callable[[Request], str],
        *,
        public: bool,
        pages: bool,
    ) -> None:
        """`who` returns the name of the person, or raises a DailiesError if they may not run anything.

        `public`: visitors' models must have public addresses. `pages`: the working pages are served too.
        """
        self.engines, self.limits, self.files, self.who = engines, limits, files, who
        self.public = public
        self.clips = DemoClips(files)
        self._example_zip = ""
        """It is written once, because the example never changes."""
        self.runs: dict[str, ClipRun] = {}
        """Running clips by page."""
        with WholeValues(title="Dailies demo", analytics_enabled=False) as self.blocks:
            self._layout(pages=pages)
            self._events()
        self.blocks.queue(max_size=round(limits.demo_waiting), api_open=False)
        for block in self.blocks.blocks.values():
            block.async_move_resource_to_block_cache = _unchanged_path

    # --- layout -------------------------------------------------------------------------

    def _layout(self, *, pages: bool) -> None:
        gr.Markdown(self._words(pages=pages), elem_id="demo-words")
        self.key = gr.State("")  # kept while the page is open: without it the page would show the example
        with gr.Row(equal_height=False):
            with gr.Column(scale=2, min_width=320, elem_id="demo-left"):
                self.player = FramePlayer(height=420, elem_id="demo-player")
                self.status = gr.Markdown(EXAMPLE, elem_id="demo-status", min_height=24)
                with gr.Row():
                    self.run = gr.Button("Run again", min_width=90, size="md")
                    self.stop = gr.Button("Stop", interactive=False, min_width=90, size="md")
                    self.zip = gr.Button("Download all", min_width=90, size="md")
                self.file = own_file("Drop a clip of your own", TYPES, "demo-clip")
                self.download = gr.DownloadButton(visible="hidden", elem_id="demo-file")
                with gr.Accordion("Use your own model", open=False):
                    gr.Markdown(
                        "Any OpenAI-compatible server with a vision model. Address and key are used for "
                        "this run only: they are not stored."
                    )
                    self.address = gr.Textbox(label="Address", placeholder="https://host/v1", max_lines=1)
                    self.model = gr.Textbox(label="Model", max_lines=1)
                    self.secret = gr.Textbox(label="Key", type="password", max_lines=1)
            with gr.Column(scale=3, min_width=320, elem_id="demo-right"), gr.Tabs():
                self._tabs()

    def _tabs(self) -> None:
        desk = Desk(self.clips, self.who, self.key, self.player)
        with gr.Tab("Questions"):
            self.questions = QuestionsSection(desk)
        with gr.Tab("Script"):
            self.script = ScriptSection(desk)
        with gr.Tab("Captions"):
            self.captions = CaptionsSection()
        with gr.Tab("Split"):
            self.split = SplitSection(desk)
        with gr.Tab("Keyframes"):
            self.keyframes = KeyframesSection(desk)
        self.desk = desk
        self.sections: Sequence[Section] = (
            self.questions,
            self.script,
            self.captions,
            self.split,
            self.keyframes,
        )

    def _words(self, *, pages: bool) -> str:
        link = " · [Working pages](/)" if pages else ""
        return (
            f"# Dailies{link}\n"
            "Finds the scenes and the speech of a clip, writes script and captions, asks questions, and "
            "shows each with its extracted answer and verdict next to the frames. Your clip (up to "
            f"{self.limits.demo_seconds:.0f} s and {size(self.limits.demo)}) and its results are visible to "
            f"you only, and deleted after {self.limits.demo_minutes:.0f} minutes."
        )

    # --- events -------------------------------------------------------------------------

    def _events(self) -> None:
        everything = [self.player, *(one for section in self.sections for one in section.outputs)]
        running = [self.run, self.stop, self.status, self.key, *everything]
        queued: dict[str, Any] = {
            "concurrency_limit": 1,
            "concurrency_id": RUNS,
            "show_progress": "full",
            "show_progress_on": self.status,
            "api_visibility": "private",
        }
        own = [self.address, self.model, self.secret]
        quick = [self.player, *(one for one in everything if one not in self.split.outputs)]
        self.blocks.load(self._open, None, quick, **QUIET)
        self.blocks.load(self._open_split, None, list(self.split.outputs), **QUIET)
        self.file.upload(self._run, [self.file, self.key, *own], running, **queued)
        self.run.click(self._run, [self.file, self.key, *own], running, **queued)
        self.stop.click(self._end, None, self.stop, **QUIET)
        self.questions.listen(self._ask, own, running, **queued)
        for section in (self.script, self.split, self.keyframes):
            section.listen()
        self.zip.click(self._zip, self.key, self.download, **{**QUIET, "queue": True}).success(
            None, js=CLICK_DOWNLOAD, api_visibility="private"
        )
        self.split.save.click(
            self._metadata, [self.key, *self.split.values], [self.download, self.key], **QUIET
        ).success(None, js=CLICK_DOWNLOAD, api_visibility="private")

    def _open(self, request: gr.Request) -> Values:
        """The worked example, without the split: its checks load a parser at their first use."""
        shown = self._empty()
        if self.clips.has_example:
            with self.desk.clip("", request) as clip:
                shown = self._everything(clip)
        return {one: value for one, value in shown.items() if one not in self.split.outputs}

    def _open_split(self, request: gr.Request) -> Values:
        if not self.clips.has_example:
            return self.split.empty()
        with self.desk.clip("", request) as clip:
            return self.split.show(clip)

    def _empty(self) -> Values:
        shown: Values = {self.player: None}
        for section in self.sections:
            shown |= section.empty()
        return shown

    def _everything(self, clip: DemoClip) -> Values:
        shown: Values = {self.player: _film(clip)}
        for section in self.sections:
            shown |= section.show(clip)
        return shown

    # --- runs ---------------------------------------------------------------------------

    async def _run(
        self,
        file: str | None,
        key: str,
        address: str,
        model: str,
        secret: str,
        request: gr.Request,
        progress: gr.Progress = PROGRESS,
    ) -> AsyncIterator[Values]:
        """All stages of the dropped clip; without one, of a copy of the example's clip."""
        with messages():
            who = self.who(request.request)
            path = self.files.require(file, who) if file else self.clips.example_file
            engines = self._engines(address, model, secret)
        self.clips.discard(key)  # its results are replaced
        async for shown in self._run_clip(path, who, engines, {}, request, progress):
            yield shown

    async def _run_clip(
        self,
        path: Path,
        who: str,
        engines: Callable[[], AbstractContextManager[Engines]],
        reference: Mapping[VdcAspect, str],
        request: gr.Request,
        progress: gr.Progress,
    ) -> AsyncIterator[Values]:
        """All stages of a clip, in a new workspace."""
        with messages():
            clip = await run_in_threadpool(self._new_clip, who, path)
        key = self.clips.add(clip, str(request.session_hash))

        def prepare(clip: DemoClip) -> None:
            clip.add(self.limits.demo_seconds)
            keep_reference(clip, reference)

        yield {**self._busy(), **self._empty(), self.key: key}
        async for shown in self._shown_while(ClipRun(clip, STAGES, engines, prepare), key, request, progress):
            yield shown

    def _new_clip(self, who: str, path: Path) -> DemoClip:
        self.files.require_space()
        return DemoClip(self.files.new(who), path)

    async def _ask(
        self,
        key: str,
        camera: str | None,
        short: str | None,
        background: str | None,
        main_object: str | None,
        detailed: str | None,
        address: str | None,
        model: str | None,
        secret: str | None,
        request: gr.Request,
        progress: gr.Progress = PROGRESS,
    ) -> AsyncIterator[Values]:
        """Questions of a new reference, their answers and verdicts."""
        texts: dict[VdcAspect, str] = {
            "camera": camera or "",
            "short": short or "",
            "background": background or "",
            "main_object": main_object or "",
            "detailed": detailed or "",
        }
        with messages():
            who = self.who(request.request)
            engines = self._engines(address, model, secret)
        if not self.clips.is_own(key):
            # The example has references and questions of datasets: its clip is run anew without them.
            path = self.clips.example_file
            async for shown in self._run_clip(path, who, engines, texts, request, progress):
                yield shown
            return
        with self.desk.clip(key, request) as clip:
            yield {**self._busy(), **self.questions.empty()}
            run = ClipRun(clip, ASKED, engines, lambda clip: keep_reference(clip, texts))
            async for shown in self._shown_while(run, key, request, progress):
                yield shown

    def _engines(self, *given: str | None) -> Callable[[], AbstractContextManager[Engines]]:
        """`given`: address, name and key of a visitor's model; Gradio sends None for fields never used."""
        address, model, key = ((text or "").strip() for text in given)
        if not address:
            return lambda: nullcontext(self.engines())
        own = OwnModel(address, model, key)
        return lambda: own.engines(self.engines(), public=self.public)

    async def _shown_while(
        self, run: ClipRun, key: str, request: gr.Request, progress: gr.Progress
    ) -> AsyncIterator[Values]:
        """New values while the run is working, and the last ones when it has ended."""
        problems: list[str] = []
        end = time.monotonic() + 60 * self.limits.demo_run_minutes
        self.runs[str(request.session_hash)] = run
        with self.clips.used(key):
            run.start()
            try:
                async for message in _messages_until_end(run, end):
                    progress(message.share, desc=message.doing)
                    problems += [f"{message.doing}: {message.problem}"] if message.problem else []
                    if message.ended:
                        shown, problem = await run_in_threadpool(self._after, run.clip, message.ended)
                        problems += [f"{message.doing}: {problem}"] if problem else []
                        if shown:
                            yield shown
            finally:
                self.runs.pop(str(request.session_hash), None)
                await run_in_threadpool(run.close)
        done = plain(run.failed) or (STOPPED if run.stopped else "Done.")
        if run.stopped and time.monotonic() > end:
            done = f"The run reached the limit of {self.limits.demo_run_minutes:.0f} minutes. {STOPPED}"
        yield self._idle("\n\n".join([done, *(f"- {plain(line)}" for line in problems)]))

    def _after(self, clip: DemoClip, stage: Stage) -> tuple[Values, str]:
        """What a stage has changed, and why some of it cannot be shown, such as a damaged frame.

        An error that is raised here would leave the page with its buttons disabled.
        """
        shown: Values = {}
        try:
            if stage in ("probe", "scenes"):
                shown[self.player] = _film(clip)
            for section in self.sections:
                if stage in section.stages:
                    shown |= section.show(clip)
        except DailiesError as error:
            return shown, str(error)
        except Exception as error:  # the other sections and the next stages are shown all the same
            log.exception("demo")
            return shown, str(DiskFull.of(error) or "a bug in Dailies; the log has the traceback")
        return shown, ""

    def close(self) -> None:
        """End all runs, and close all clips."""
        for run in [*self.runs.values()]:
            run.close()
        self.clips.close()

    def _end(self, request: gr.Request) -> Values:
        """Stop the run of this page; it ends after its current stage."""
        if run := self.runs.get(str(request.session_hash)):
            run.stop()
        return {self.stop: gr.update(interactive=False)}

    def _busy(self) -> Values:
        return {
            self.run: gr.update(interactive=False),
            self.stop: gr.update(interactive=True),
            self.status: "",
        }

    def _idle(self, words: str) -> Values:
        return {
            self.run: gr.update(interactive=True),
            self.stop: gr.update(interactive=False),
            self.status: words,
        }

    # --- downloads ----------------------------------------------------------------------

    def _zip(self, key: str, request: gr.Request) -> str:
        with self.desk.clip(key, request) as clip:
            if key:
                return str(write_zip(clip))
            self._example_zip = self._example_zip or str(write_zip(clip))
            return self._example_zip

    def _metadata(
        self, key: str, full: Caption, spatial: Caption, temporal: Caption, request: gr.Request
    ) -> Values:
        with messages():
            key = self.clips.own(key, self.who(request.request), str(request.session_hash))
        with self.desk.clip(key, request) as clip:
            texts = split_texts(full, spatial, temporal)
            return {self.download: str(write_metadata(clip, texts)), self.key: key}


async def _messages_until_end(run: ClipRun, end: float) -> AsyncIterator[RunMessage]:
    """The messages of a run until it ends; at time `end` it is stopped."""
    running = True
    while running:
        running = run.running
        for message in run.messages():
            yield message
        if time.monotonic() > end:
            run.stop()
        await sleep(POLL_S if running else 0)


def _film(clip: DemoClip) -> Film:
    scenes = current_scenes(clip.store, clip.video.id)
    ranges = [
        Range(scene.start_frame, scene.end_frame, f"scene {scene.index + 1}", "scene") for scene in scenes
    ]
    return clip.film(0, ranges)


async def _unchanged_path(place: str) -> str:
    """Keep the path: `OwnFiles` has already stored the file. Gradio would name a copy after its content."""
    return place

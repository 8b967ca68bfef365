"""Keyframes: equally many frames of three methods, with the reason for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr

from annotation.records.allowed_values import Stage
from annotation.systems.progress_captioner.keyframe_budget import BUDGET, LEAST
from annotation.systems.progress_captioner.keyframe_rows_by_method import Row
from annotation.systems.progress_captioner.keyframes_of_video import read_sheet
from ui.demo.clips.demo_clips import DemoClip
from ui.demo.sections.section import QUIET, Desk, Values, pictures, row_of

METHODS = ("progression", "uniform", "clusters")
MOST = 12
"""Most keyframes in a row; more would be too small to compare."""


class KeyframesSection:
    """Three rows of pictures; selecting one moves the player there."""

    stages: frozenset[Stage] = frozenset({"keyframes"})

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.budget = gr.Slider(LEAST, MOST, BUDGET, step=1, label="Keyframes per method")
        self.rows = {method: pictures(method, columns=6) for method in METHODS}
        self.outputs: Sequence[gr.blocks.Block] = (*self.rows.values(), self.budget)

    def listen(self) -> None:
        self.budget.change(
            self._choose,
            [self.desk.key, self.budget],
            list(self.rows.values()),
            trigger_mode="always_last",
            **QUIET,
        )
        for method, gallery in self.rows.items():
            gallery.select(self._seek_in(method), [self.desk.key, self.budget], self.desk.player, **QUIET)

    def _seek_in(self, method: str) -> Any:
        def seek(key: str, budget: float, request: gr.Request, event: gr.SelectData) -> Any:
            with self.desk.clip(key, request) as clip:
                frames = next((row.frames for row in _rows(clip, budget) if row.method == method), ())
                index = row_of(event)
                return frames[index] if index < len(frames) else gr.skip()

        return seek

    def _choose(self, key: str, budget: float, request: gr.Request) -> Values:
        with self.desk.clip(key, request) as clip:
            return self._shown(clip, budget)

    def _shown(self, clip: DemoClip, budget: float) -> Values:
        found: dict[str, Row] = {row.method: row for row in _rows(clip, budget)}
        shown: Values = {}
        for method, gallery in self.rows.items():
            row = found.get(method)
            label = f"{method}: {row.note}" if row and row.note else method
            shown[gallery] = gr.update(value=_pictures(clip, row) if row else [], label=label)
        return shown

    def show(self, clip: DemoClip) -> Values:
        return {**self._shown(clip, BUDGET), self.budget: BUDGET}

    def empty(self) -> Values:
        return {gallery: gr.update(value=None, label=method) for method, gallery in self.rows.items()}


def _rows(clip: DemoClip, budget: float) -> list[Row]:
    sheet = read_sheet(clip.store, clip.media, clip.video.id)
    return sheet.rows_of_budget(min(max(round(budget), LEAST), MOST))


def _pictures(clip: DemoClip, row: Row) -> list[tuple[str, str]]:
    table = clip.media.table(clip.video)
    files: Mapping[int, str] = clip.pictures(row.frames)
    return [
        (files[frame], f"{table.seconds[frame]:.1f} s: {row.reasons.get(frame, '').removeprefix('kept: ')}")
        for frame in row.frames
    ]

"""Captions: the five parts of VDC, complete, with their authors."""

from __future__ import annotations

from collections.abc import Sequence

import gradio as gr

from annotation.records.allowed_values import VDC_ASPECTS, Stage
from ui.demo.clips.demo_clips import DemoClip
from ui.demo.sections.section import RULES, Values, plain
from ui.gradio_parts.marked_caption import MarkedCaption
from ui.lib.shared_wire_types import EditableText
from ui.pages.script.view import captions_json


class CaptionsSection:
    """One text per part, under a line that names the authors."""

    stages: frozenset[Stage] = frozenset({"captions"})

    def __init__(self) -> None:
        self.by = gr.Markdown("")
        self.parts = {aspect: MarkedCaption(label=_name(aspect), lines=1) for aspect in VDC_ASPECTS}
        self.outputs: Sequence[gr.blocks.Block] = (self.by, *self.parts.values())

    def show(self, clip: DemoClip) -> Values:
        rows = {aspect: _shown(clip, aspect) for aspect in VDC_ASPECTS}
        authors = dict.fromkeys(_by(row) for row in rows.values() if row)
        return {
            self.by: f"Written by {plain(', '.join(authors))}" if authors else "",
            **{part: row["value"] if (row := rows[aspect]) else "" for aspect, part in self.parts.items()},
        }

    def empty(self) -> Values:
        return {self.by: "", **dict.fromkeys(self.parts.values())}


def _shown(clip: DemoClip, aspect: str) -> EditableText | None:
    """The caption that a model or the rules wrote; else a reference."""
    rows = captions_json(clip.store, clip.video.id).get(f"vdc:{aspect}", [])
    return next((row for row in rows if row["author"] != "reference"), rows[0] if rows else None)


def _name(aspect: str) -> str:
    return aspect.replace("_", " ").capitalize()


def _by(row: EditableText) -> str:
    if row["state"] != "done":
        return f"{row['state']}: {row['reason']}"
    return RULES if row["baseline"] else row["model"] or row["author"]

"""The workspace itself as a file."""

from __future__ import annotations

from exports.files.format_types import Format
from exports.generic import dailies_jsonl

OWN: tuple[Format, ...] = (
    Format(
        name=dailies_jsonl.NAME,
        what="everything in the workspace, to move or keep it",
        group="workspace",
        suffix=".jsonl",
        cannot_hold="the video files and where they lie; a video that is there already keeps its own row",
        looks_for='a first line {"format": "dailies", ...}',
        recognise=dailies_jsonl.recognise,
        reader=dailies_jsonl.read,
        writer=dailies_jsonl.write,
    ),
)

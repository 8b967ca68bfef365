"""The workspace itself as a file."""

from __future__ import annotations

from exports.files.format_types import EVERYTHING, Format, Keeps
from exports.generic import dailies_jsonl

OWN: tuple[Format, ...] = (
    Format(
        name=dailies_jsonl.NAME,
        in_clip_zip="dailies.jsonl",
        what="everything in the workspace, for moving or archiving it",
        group="workspace",
        suffix=".jsonl",
        cannot_hold="the video files and their paths; a video that is already in the target keeps its record",
        keeps=Keeps(EVERYTHING, writer=True, several="all"),
        looks_for='a first line {"format": "dailies", ...}',
        recognise=dailies_jsonl.recognise,
        reader=dailies_jsonl.read,
        writer=dailies_jsonl.write,
    ),
)

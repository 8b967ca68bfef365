"""The workspace itself as a file."""

from __future__ import annotations

from exports import jsonl
from exports.batch import Format

OWN: tuple[Format, ...] = (
    Format(
        name=jsonl.NAME, what="everything in the workspace, to move or keep it", suffix=".jsonl",
        cannot_hold="the video files and where they lie; a video that is there already keeps its own row",
        looks_for='a first line {"format": "dailies", ...}', recognise=jsonl.recognise,
        reader=jsonl.read, writer=jsonl.write,
    ),
)  # fmt: skip

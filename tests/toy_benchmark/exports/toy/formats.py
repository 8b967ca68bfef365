"""Files of the toy benchmark."""

from __future__ import annotations

from exports.toy import lines

from exports.files.format_types import NO_HISTORY, Format, Keeps

FORMATS: tuple[Format, ...] = (
    Format(
        name=lines.NAME,
        what="references of the toy benchmark with their events",
        group="annotations of benchmarks",
        suffix=".jsonl",
        cannot_hold=f"captions of models, verdicts, {NO_HISTORY}",
        keeps=Keeps(("elements of captions",), ("names of videos",)),
        looks_for="lines with toy_video, reference and events",
        system="toy",
        recognise=lines.recognise,
        reader=lines.read,
        writer=lines.write,
    ),
)

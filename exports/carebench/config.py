"""`carebench-config`: data.config of CaReBench's evaluation code, which names its files.

`{"carebench": {"anno_path": ".../metadata.json", "data_root": ".../videos"}}`. The published sample has a
comma after its last entry, which is not valid JSON but is accepted. Written: a folder with the config and its
metadata.json. Source: MCG-NJU/CaReBench f67d9aa.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from annotation.records.errors import FormatError
from annotation.records.ids import Json
from exports.carebench import metadata as carebench
from exports.files.format_types import Batch, Output, Problem, Source, Wanted
from exports.files.read_text_and_json import MAX_DOCUMENT, Head, parse, whole_text

NAME = "carebench-config"
CONFIG, ANNOTATIONS, VIDEOS = "data.config", "metadata.json", "."
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.S)


def recognise(head: Head) -> bool:
    if head.folder:
        return CONFIG in head.names
    return '"anno_path"' in head.text[:20_000] and head.text.lstrip("\ufeff \n\r\t").startswith("{")


def read(source: Source) -> Batch:
    """Read the annotations that the config names. Raises FormatError."""
    config = source.path / CONFIG if source.path.is_dir() else source.path
    entry = read_config(config)
    annotations = _beside(config, entry["anno_path"])
    if not annotations.is_file():
        raise FormatError(
            f"{config.name}: anno_path {entry['anno_path']!r} does not exist; put metadata.json "
            "in the config's folder, or correct the path"
        )
    batch = carebench.read(replace(source, path=annotations))
    root = entry.get("data_root")
    problems = batch.problems
    if root and not _beside(config, root).is_dir():
        problems += (
            Problem(
                config.name,
                f"data_root {root!r} does not exist; attach videos with: "
                "python app.py import CONFIG --videos FOLDER",
            ),
        )
    return replace(batch, format=NAME, problems=problems)


def read_config(path: Path) -> dict[str, str]:
    """Return the entry `carebench`, or the only entry. Raises FormatError."""
    text = whole_text(path, MAX_DOCUMENT, "give a config of CaReBench")
    value = parse(without_trailing_commas(text), path.name)
    entries = [each for each in value.values() if isinstance(each, dict)] if isinstance(value, dict) else []
    entry: Json = value.get("carebench") if isinstance(value, dict) else None
    if entry is None and len(entries) == 1:
        entry = entries[0]
    if not isinstance(entry, dict) or not isinstance(entry.get("anno_path"), str):
        raise FormatError(f'{path.name}: {{"carebench": {{"anno_path": ...}}}} is missing')
    return {key: each for key, each in entry.items() if isinstance(each, str)}


def without_trailing_commas(text: str) -> str:
    """Remove commas before closing brackets, except in strings."""
    return _STRING_OR_COMMA.sub(lambda match: "" if match[0] == "," else match[0], text)


def _beside(config: Path, name: str) -> Path:
    """Return a path of the config; a missing file is looked for in the config's folder."""
    path = Path(name)
    found = path if path.is_absolute() else config.parent / path
    beside = config.parent / path.name
    return beside if not found.exists() and beside.exists() else found


def write(wanted: Wanted) -> Iterator[Output]:
    """Write the config and the annotations. Raises NotFound."""
    outputs = list(carebench.write(wanted))
    if not outputs:
        return
    entry = {"carebench": {"anno_path": ANNOTATIONS, "data_root": VIDEOS}}
    yield ANNOTATIONS, outputs[0][1]
    yield CONFIG, [json.dumps(entry, indent=4), "\n"]

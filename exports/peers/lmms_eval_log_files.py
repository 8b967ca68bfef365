"""Finds the files of an lmms-eval log: one run of several files, of every version and the aurora fork.

File names contain the task and the start time of the run; single files are recognised by content. Also
reads results, model and date, which are separate from the samples.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from annotation.records.ids import Json
from exports.files.file_bundles import Bundle, Candidate, by_folder, of_files
from exports.files.format_types import Source
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, Item, parse_document

NAME = "lmms-eval"
_TASK_FILE = re.compile(
    r"(?:\d{8}_\d{6}_)?samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl", re.IGNORECASE
)
_RESULTS = re.compile(r"(?:\d{8}_\d{6}_)?results(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?\.json", re.IGNORECASE)
_STAMP = re.compile(r"(?P<day>\d{4}-?\d\d-?\d\d)[T_](?P<hour>\d\d)[.:-]?(?P<minute>\d\d)[\d.:-]+")
"""Start time of the run, as all versions write it in file names."""


# --- recognising ----------------------------------------------------------------------


def recognise(head: Head) -> bool:
    if head.folder:
        return any(_TASK_FILE.fullmatch(name) or _RESULTS.fullmatch(name) for name in _below(head.path))
    first = head.first
    if not isinstance(first, dict):
        return head.text.lstrip().startswith("{") and '"model_configs"' in head.text and '"logs"' in head.text
    return _is_sample(first) or _is_aurora(first) or _is_results(first)


def _is_sample(value: Mapping[str, Json]) -> bool:
    return "doc_id" in value and ("filtered_resps" in value or "resps" in value)


def _is_aurora(value: Mapping[str, Json]) -> bool:
    return isinstance(value.get("logs"), list) and ("model_configs" in value or "args" in value)


def _is_results(value: Mapping[str, Json]) -> bool:
    return isinstance(value.get("results"), dict) and ("n-samples" in value or "configs" in value)


def _below(folder: Path) -> Iterator[str]:
    """Yield names of files in the folder and one level below, which may be the model's folder."""
    for path in sorted(folder.iterdir()):
        if path.is_file():
            yield path.name
        elif path.is_dir() and not path.name.startswith("."):
            yield from sorted(p.name for p in path.iterdir() if p.is_file())


# --- which files are one run ----------------------------------------------------------


@dataclass(slots=True)
class _Part:
    """Files of one folder that can be from one run."""

    files: list[Path] = field(default_factory=list)
    samples: set[str] = field(default_factory=set)
    """Tasks with samples in these files."""
    results: set[str] = field(default_factory=set)
    """Tasks with means in these files."""

    def fits(self, other: _Part) -> bool:
        """Return whether no task occurs twice. The aspects of one model may come from several starts."""
        return not (self.samples & other.samples or self.results & other.results)

    def take(self, other: _Part) -> None:
        self.files += other.files
        self.samples |= other.samples
        self.results |= other.results


def bundles(files: Sequence[Candidate]) -> list[Bundle]:
    """Return one bundle per run: the files of one folder, without two files of one task."""
    found = [of_files([file.path]) for file in files if _is_aurora_file(file)]
    for beside in by_folder(files).values():
        runs: list[_Part] = []
        for part in _parts(beside):
            fitting = next((run for run in runs if run.fits(part)), None)
            if fitting:
                fitting.take(part)
            else:
                runs.append(part)
        found += [of_files(sorted(run.files), _missing(run)) for run in runs]
    return found


def _parts(files: Sequence[Candidate]) -> list[_Part]:
    """Group the files by the time in their names, oldest first."""
    parts: dict[str, _Part] = {}
    for file in files:
        stamp = found[0] if (found := _STAMP.search(file.path.name)) else ""
        if not isinstance(file.first, dict) or _is_aurora(file.first):
            continue
        if _is_results(file.first):
            parts.setdefault(stamp, _Part()).results |= file.first["results"].keys()
        elif _is_sample(file.first):
            parts.setdefault(stamp, _Part()).samples.add(_task_of(file.path))
        else:
            continue
        parts[stamp].files.append(file.path)
    return [parts[stamp] for stamp in sorted(parts)]


def _task_of(path: Path) -> str:
    named = _TASK_FILE.fullmatch(path.name)
    return named["task"] if named else path.stem


def _is_aurora_file(file: Candidate) -> bool:
    return isinstance(file.first, dict) and _is_aurora(file.first)


def _missing(run: _Part) -> list[str]:
    if not run.samples:
        return [
            f"this is {run.files[0].name}; its *_samples_*.jsonl are missing: there are no results per video"
        ]
    if not run.results:
        return [f"this is {run.files[0].name}; its *_results.json with the model's name is missing"]
    return []


# --- reading them ---------------------------------------------------------------------


@dataclass(slots=True)
class Files:
    """Files of one log."""

    samples: list[tuple[str, Path]] = field(default_factory=list)
    """(task, file)."""
    aurora: list[tuple[str, Path]] = field(default_factory=list)
    results: list[Path] = field(default_factory=list)


def files_of(source: Source) -> Files:
    """Sort the log's files by content. Raises FormatError."""
    found, path = Files(), source.path
    paths = source.files or (sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path])
    for file in paths:
        task = _TASK_FILE.fullmatch(file.name)
        if task:
            found.samples.append((task["task"], file))
        elif file.suffix == ".jsonl" and (source.files or not path.is_dir()):
            found.samples.append((file.stem, file))
        elif file.suffix == ".json":
            _sort_document(found, file)
    return found


def _sort_document(found: Files, file: Path) -> None:
    value = parse_document(file)
    if isinstance(value, dict) and _is_results(value):
        found.results.append(file)
    elif isinstance(value, dict) and _is_aurora(value):
        found.aurora.append((file.stem, file))


def results_of(intake: Intake, files: Sequence[Path]) -> dict[str, Any]:
    """Return the newest results, with tasks that only older files contain."""
    documents = [(file, parse_document(file)) for file in files]
    if not documents:
        return {}
    newest, tasks = files[-1], dict[str, Any]()
    for file, document in documents:
        said = document["results"]
        if file != newest and said.keys() & documents[-1][1]["results"].keys():
            intake.problem(file.name, f"the newer {newest.name} is used instead")
        tasks |= said
    return {**documents[-1][1], "results": tasks}


def aurora_items(path: Path) -> Iterator[Item]:
    """Yield the samples of the fork's document."""
    for number, value in enumerate(parse_document(path)["logs"], 1):
        yield Item(f"{path.name} log {number}", value)


def aurora_model(files: Files) -> str:
    """Return the model named in the fork's arguments; empty if there is none."""
    for _, path in files.aurora:
        arguments = parse_document(path).get("args")
        found = (
            re.search(r"(?:pretrained|model)=([^,\s\"'}\]]+)", json.dumps(arguments)) if arguments else None
        )
        if found:
            return found[1]
    return ""


def began(results: Mapping[str, Any], files: Sequence[Path]) -> tuple[str, str]:
    """Return `2026-01-01` and `12:00`, from the results or else from file names."""
    for text in (str(results.get("date") or ""), *(path.name for path in files)):
        if found := _STAMP.search(text):
            day = f"{datetime.fromisoformat(found['day']):%Y-%m-%d}"
            return day, f"{found['hour']}:{found['minute']}"
    return "", ""


def folder_model(files: Files) -> str:
    """Return the model's name from its folder, which lmms-eval names `org__model`."""
    owner, separator, model = next((p.parent.name for _, p in files.samples), "").partition("__")
    return f"{owner}/{model}" if separator and owner and model else ""

"""Names of imported evaluations, and how equal names are made unique."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from annotation.records.runs import Evaluation
from exports.files.import_intake import Intake

LONGEST_NAME = 120
LONGEST_WORDS = 50


def evaluation_name(model: str, benchmark: str, day: str = "") -> str:
    """Return a name such as `Qwen2-VL-7B · VDC · 2026-01-01`. The model's name is not shortened."""
    return " · ".join(part for part in (model, benchmark, day) if part)


def free_name(intake: Intake, wanted: str, evaluation_id: str, time: str = "") -> str:
    """Return `wanted`. If the name is taken, append the run's `time` and its folder or file name.

    An evaluation that already exists keeps its name.
    """
    source = intake.source
    if source.store is None:
        return wanted
    if known := source.store.find(Evaluation, id=evaluation_id):
        return known[0].name
    *folders, last = Path(source.place).parts or ("",)
    places = [last, *reversed(folders)] if source.path.is_dir() else [*reversed(folders), last]
    names = _names(wanted, time, places)
    name = next(one for one in names if not source.store.find(Evaluation, name=one))
    if name != wanted:
        what = f"an evaluation {wanted!r} already exists; this one is named {name!r}"
        intake.problem(source.path.name, what)
    return name


def _names(wanted: str, time: str, places: list[str]) -> Iterator[str]:
    """Yield names to try: `wanted`, then with a folder or file name of `places`, then numbered."""
    yield wanted
    start = f"{wanted} {time}".strip()
    for words in places:
        if _plain(words) and _plain(words) not in _plain(wanted):
            yield f"{start} · {words[:LONGEST_WORDS]}"
    yield from (f"{start} ({number})" for number in count(2))


def _plain(name: str) -> str:
    """Reduce to letters and digits, so that the folder `org__model` equals `org/model`."""
    return re.sub(r"\W|_", "", name).lower()

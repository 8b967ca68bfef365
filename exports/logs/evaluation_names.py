"""What evaluations of logs are called, and what tells two of one name apart."""

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
    """What people call an evaluation: `Qwen2-VL-7B · VDC · 2026-01-01`; all of the model's name stays."""
    return " · ".join(part for part in (model, benchmark, day) if part)


def free_name(intake: Intake, wanted: str, evaluation_id: str, time: str = "") -> str:
    """`wanted`; where another evaluation has that name, with the `time` of the run and its folder or file.

    An evaluation that is here already keeps its name.
    """
    source = intake.source
    if source.store is None:
        return wanted
    if known := source.store.find(Evaluation, id=evaluation_id):
        return known[0].name
    *folders, last = Path(source.place).parts or ("",)
    told = [last, *reversed(folders)] if source.path.is_dir() else [*reversed(folders), last]
    names = _names(wanted, time, told)
    name = next(one for one in names if not source.store.find(Evaluation, name=one))
    if name != wanted:
        what = f"there is an evaluation {wanted!r} already; this one is called {name!r}"
        intake.problem(source.path.name, what)
    return name


def _names(wanted: str, time: str, told: list[str]) -> Iterator[str]:
    """Names in the order in which they are tried: alone, with what is `told` of the place, then numbered."""
    yield wanted
    start = f"{wanted} {time}".strip()
    for words in told:
        if _plain(words) and _plain(words) not in _plain(wanted):
            yield f"{start} · {words[:LONGEST_WORDS]}"
    yield from (f"{start} ({number})" for number in count(2))


def _plain(name: str) -> str:
    """Letters and digits alone: the folder `org__model` says no more than `org/model`."""
    return re.sub(r"\W|_", "", name).lower()

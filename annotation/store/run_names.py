"""Display names of runs: the model, and the differences between several runs of one model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from annotation.records.ids import Json
from annotation.records.runs import Run

UNNAMED = "no model named"
SHORT_HASH = 6
"""Minimum length in characters."""
MOST_PARAMS = 4
LONGEST_VALUE = 40
DATES = ("%Y-%m-%d", "%Y-%m-%d %H:%M UTC", "%Y-%m-%d %H:%M:%S UTC")


def run_names(runs: Iterable[Run]) -> dict[str, str]:
    """Return a unique name for each of these runs, by run id.

    The name is the model. If several runs have the same model, the prompt, parameters, seed and source
    follow if they differ; then the date or time, and last a short hash of the run. Names are unique among
    the given runs only: the same run may have a shorter name elsewhere.
    """
    groups: dict[str, dict[str, Run]] = defaultdict(dict)
    for run in runs:
        groups[run.model or UNNAMED][run.id] = run
    return {
        key: f"{model} · {words}" if words else model
        for model, group in groups.items()
        for key, words in _differences(list(group.values())).items()
    }


def _differences(runs: Sequence[Run]) -> dict[str, str]:
    """Return by run id what distinguishes each run of one model from the others."""
    words = _joined(runs, *_facts(runs))
    for more in (_times, _hashes):
        for alike in _alike(runs, words):
            words |= _joined(alike, words, more(alike))
    return words


def _joined(runs: Sequence[Run], *facts: Mapping[str, str]) -> dict[str, str]:
    return {run.id: ", ".join(filter(None, (words[run.id] for words in facts))) for run in runs}


def _alike(runs: Sequence[Run], words: Mapping[str, str]) -> list[list[Run]]:
    """Return the groups of runs that still have the same words."""
    groups: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        groups[words[run.id]].append(run)
    return [group for group in groups.values() if len(group) > 1]


def _facts(runs: Sequence[Run]) -> list[dict[str, str]]:
    """Return the facts in which the runs differ; each maps run ids to words."""
    params = sorted({name for run in runs for name in run.params})
    found = [
        _fact(runs, "prompt", lambda run: run.prompt_hash[:SHORT_HASH]),
        *[f for f in (_fact(runs, name.replace("_", " "), _param(name)) for name in params) if f][
            :MOST_PARAMS
        ],
        _fact(runs, "seed", lambda run: run.seed),
        _fact(runs, "from", lambda run: run.endpoint or run.backend.removeprefix("import:")),
    ]
    return [words for words in found if words]


def _param(name: str) -> Callable[[Run], Json]:
    return lambda run: run.params.get(name)


def _fact(runs: Sequence[Run], label: str, value_of: Callable[[Run], Json]) -> dict[str, str]:
    """Return the words by run id; empty if all values are equal or one of them is too long."""
    values = {run.id: value_of(run) for run in runs}
    words = {key: _words(value) for key, value in values.items()}
    if None in words.values() or len(set(words.values())) == 1:
        return {}
    return {key: f"{label} {value}" if value else f"usual {label}" for key, value in words.items()}


def _words(value: Json) -> str | None:
    """Return a value as text: empty for None, and None if the value is too long for a name."""
    if isinstance(value, list | tuple):
        value = " ".join(str(each) for each in value) if not any(isinstance(v, dict) for v in value) else {}
    words = None if isinstance(value, dict) else "" if value is None else str(value)
    return words if words is None or len(words) <= LONGEST_VALUE else None


def _times(runs: Sequence[Run]) -> dict[str, str]:
    """Return the date of each run, with the time if two dates are equal; empty if all times are equal."""
    for form in DATES:
        times = {run.id: datetime.fromtimestamp(run.created_at, UTC).strftime(form) for run in runs}
        if len(set(times.values())) == len(times):
            return times
    return times if len(set(times.values())) > 1 else dict.fromkeys(times, "")


def _hashes(runs: Sequence[Run]) -> dict[str, str]:
    """Return the last characters of each id, as many as needed to distinguish the runs."""
    size = SHORT_HASH
    while len({run.id[-size:] for run in runs}) < len(runs):
        size += 1
    return {run.id: run.id[-size:] for run in runs}

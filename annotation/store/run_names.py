"""What runs are called beside each other: the model, and what differs between several runs of one model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from annotation.records.ids import Json
from annotation.records.runs import Run

UNNAMED = "no model named"
SHORT_HASH = 6
"""Characters at least."""
MOST_PARAMS = 4
LONGEST_VALUE = 40
DATES = ("%Y-%m-%d", "%Y-%m-%d %H:%M UTC", "%Y-%m-%d %H:%M:%S UTC")


def run_names(runs: Iterable[Run]) -> dict[str, str]:
    """A name by run id that no other of these runs has: of a model's only run it is the model.

    Where several runs are of one model, prompt, parameters, seed and source follow as far as they differ,
    then the date or time where these are alike, and a short hash of the run where nothing else differs.
    Names hold for runs that are shown together: beside others the same run may need fewer words.
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
    """By run id, what tells each of one model's runs from the others."""
    told = _joined(runs, *_facts(runs))
    for more in (_times, _hashes):
        for alike in _alike(runs, told):
            told |= _joined(alike, told, more(alike))
    return told


def _joined(runs: Sequence[Run], *facts: Mapping[str, str]) -> dict[str, str]:
    return {run.id: ", ".join(filter(None, (words[run.id] for words in facts))) for run in runs}


def _alike(runs: Sequence[Run], told: Mapping[str, str]) -> list[list[Run]]:
    """Runs of which the same is told."""
    groups: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        groups[told[run.id]].append(run)
    return [group for group in groups.values() if len(group) > 1]


def _facts(runs: Sequence[Run]) -> list[dict[str, str]]:
    """What differs between the runs, one fact after the other."""
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
    """Empty where it is the same for all, and where it is no short value."""
    values = {run.id: value_of(run) for run in runs}
    words = {key: _words(value) for key, value in values.items()}
    if None in words.values() or len(set(words.values())) == 1:
        return {}
    return {key: f"{label} {value}" if value else f"usual {label}" for key, value in words.items()}


def _words(value: Json) -> str | None:
    """A value as it is read; empty for none, None for what is too long to be a part of a name."""
    if isinstance(value, list | tuple):
        value = " ".join(str(each) for each in value) if not any(isinstance(v, dict) for v in value) else {}
    words = None if isinstance(value, dict) else "" if value is None else str(value)
    return words if words is None or len(words) <= LONGEST_VALUE else None


def _times(runs: Sequence[Run]) -> dict[str, str]:
    """The day of each, with the time where two are of one day; nothing where that is the same too."""
    for form in DATES:
        told = {run.id: datetime.fromtimestamp(run.created_at, UTC).strftime(form) for run in runs}
        if len(set(told.values())) == len(told):
            return told
    return told if len(set(told.values())) > 1 else dict.fromkeys(told, "")


def _hashes(runs: Sequence[Run]) -> dict[str, str]:
    """As many characters of the ids' ends as tell them apart."""
    size = SHORT_HASH
    while len({run.id[-size:] for run in runs}) < len(runs):
        size += 1
    return {run.id: run.id[-size:] for run in runs}

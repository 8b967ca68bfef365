"""Reads the additional fields of our exports in other tools' formats. Every field may be missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from annotation.records.allowed_values import ResultState
from annotation.records.finite_numbers import finite_float
from annotation.records.ids import Json
from annotation.replies.verdict_reply import read_verdict
from exports.files.read_text_and_json import text_at

LAST_SECOND = 253_402_300_800
"""Start of the year 10000, the end of valid times."""

Role = Literal["captions", "questions", "answers", "verdicts"]


@dataclass(frozen=True, slots=True)
class Own:
    """Evaluation of a log, as written by `exports.logs.samples_for_writers.about` or a manifest."""

    name: str = ""
    note: str = ""
    created: float | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    baseline: frozenset[str] = frozenset()
    prompt_hashes: Mapping[str, str] = field(default_factory=dict)


def roundtrip_fields_of(document: Json) -> Own:
    """Read the fields of a results or rating file; empty if another program wrote it."""
    found = document.get("dailies") if isinstance(document, dict) else None
    if not isinstance(found, dict):
        return Own()
    created, models, stages = found.get("created"), found.get("models"), found.get("baseline_stages")
    return Own(
        name=text_at(found, "name").strip(),
        note=text_at(found, "note"),
        created=utc_seconds(created),
        models={k: v for k, v in models.items() if isinstance(v, str)} if isinstance(models, dict) else {},
        baseline=frozenset(map(str, stages)) if isinstance(stages, list) else frozenset(),
    )


@dataclass(frozen=True, slots=True)
class OwnVerdict:
    """A verdict in a log."""

    state: ResultState
    pred: str
    score: float | None
    reason: str
    raw: str


def own_verdict(value: Mapping[str, Any]) -> OwnVerdict:
    """Return the written verdict. If it is inconsistent, the judge's reply is parsed instead."""
    raw, pred, score = text_at(value, "raw"), text_at(value, "pred"), score_of(value.get("score"))
    state = value.get("state")
    if state in ("unparsed", "failed", "missing"):
        return OwnVerdict(state, "", None, text_at(value, "reason"), raw)
    if state == "done" and pred in ("yes", "no"):
        return OwnVerdict("done", pred, score, text_at(value, "reason"), raw)
    return verdict_of_reply(raw)


def verdict_of_reply(raw: str) -> OwnVerdict:
    """Parse a judge's reply. The raw text is kept."""
    read = read_verdict(raw)
    return OwnVerdict(read.state, read.pred, read.score, read.reason, raw)


def utc_seconds(value: Json) -> float | None:
    """Return a time of a file in seconds, up to the year 9999; None for anything else."""
    found = finite_float(value)
    return found if found is not None and 0 <= found < LAST_SECOND else None


def score_of(value: Json) -> float | None:
    """Return a number from 0 to 5; None for anything else."""
    found = finite_float(value)
    return found if found is not None and 0 <= found <= 5 else None

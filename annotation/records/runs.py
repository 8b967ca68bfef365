"""Runs of the stages, their model calls, and the evaluations that consist of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from annotation.records.allowed_values import Stage
from annotation.records.ids import Json

RunRole = Literal["captions", "questions", "answers", "elements", "verdicts", "repeats"]
"""The role of a run in an evaluation. `repeats`: the same answers judged again by the same judge, to measure
its consistency."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One pass of one stage over any number of videos."""

    id: str
    stage: Stage
    backend: str
    """The spec as given: `baseline`, `http://host:8000/v1#model`, `import:file`."""
    model: str
    created_at: float
    endpoint: str = ""
    prompt_hash: str = ""
    params: Mapping[str, Json] = field(default_factory=dict)
    seed: int = 0
    software: Mapping[str, Json] = field(default_factory=dict)
    """Name and version of the software that made the results."""
    upstream: tuple[str, ...] = ()
    """Runs whose results this run read."""
    baseline: bool = False
    took: Mapping[str, Json] = field(default_factory=dict)
    """Totals of its model calls so far: `calls`, tokens, `cost`, `seconds` (docs/models.md); may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVideo:
    """Progress of one run on one video."""

    id: str
    run_id: str
    video_id: str
    stage: Stage
    state: Literal["queued", "running", "done", "failed", "unparsed", "missing", "skipped", "stopped"]
    """`unparsed`, `missing`: some results have this state (`ResultState`). `skipped`: nothing to do."""
    done: int = 0
    total: int = 0
    failed: int = 0
    message: str = ""
    updated_at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A named chain of runs, which is scored and compared."""

    id: str
    name: str
    created_at: float
    note: str = ""
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRun:
    """One link of an evaluation's chain."""

    id: str
    evaluation_id: str
    role: RunRole
    run_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One request to a chat model and its raw reply. Serves as evidence and as request cache."""

    id: str
    """Derived from model, full request and sample number."""
    backend: str
    model: str
    request: Mapping[str, Json]
    """The request as sent, with pictures replaced by their fingerprints."""
    reply: str
    created_at: float
    finish_reason: str = ""
    seconds: float = 0.0
    usage: Mapping[str, Json] = field(default_factory=dict)
    frames: tuple[int, ...] = ()
    note: str = ""
    """How the reply was changed before it was stored; empty if unchanged."""

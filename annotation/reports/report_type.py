"""The interface of a benchmark for `score` and the Scores page: a report on the store or on files.

A report is `{"system", "evaluation", "id", "rows": [...]}` and further fields of the system. `id` is the
evaluation's; reports on files do not have it. The rows are one long table with the same columns for all
systems: `{"group": {...}, "policy", "metric", "value", "n", "of", "low", "high"}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.stages.stage_spec import Plan
from annotation.store.store import Store

Report = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the command line. Systems ignore those they do not use."""

    evaluation: str | None = None
    """Name or id; None: the newest, or all of those in `files`."""
    policies: tuple[str, ...] = ()
    """Empty: all policies."""
    by: tuple[str, ...] = ()
    """Dimensions to group by; empty: the system's default."""
    suspects: bool = True
    """Whether flagged questions are counted."""
    embeddings: str = ""
    """Word vectors for Vript-HAL: a name or folder of sentence-transformers; empty: vectors of letters."""
    tagger: str = ""
    """Tagger and lemmatizer for Vript-HAL: a package or folder of spaCy; empty: the best one installed."""
    files: tuple[Path, ...] = ()
    """Files to read instead of the workspace. If `System.imports`, they have been imported into the store."""


@dataclass(frozen=True, slots=True)
class System:
    """One benchmark."""

    name: str
    what: str
    """Description, in one line."""
    report: Callable[[Store, Options], Sequence[Report]]
    """Returns one report for each evaluation or file. Raises NotFound, FormatError, UsageError."""
    lines: Callable[[Report], list[str]]
    """Formats a report for people."""
    imports: bool = True
    """Whether files are imported into a temporary store first; otherwise `report` reads them itself."""
    options: tuple[str, ...] = ()
    """Options of `score` that are only for this system, and for others that name them."""
    measure: Callable[[Store, int | None, Path | None], Plan] | None = None
    """Plans measurements of the workspace's videos by an embedder (`--embedder`), given the frames of each
    video and a file for the vectors. Raises UsageError."""

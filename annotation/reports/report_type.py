"""What a benchmark is to `score` and to the page Scores: a report on the store or on files.

A report is `{"system", "evaluation", "id", "rows": [...]}` and whatever else the system has to say; `id` is
the evaluation's, and is left out of a report on files. Its rows are one long table for all systems:
`{"group": {...}, "policy", "metric", "value", "n", "of", "low", "high"}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.store.store import Store

Report = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asks for; a system leaves out what it has no use for."""

    evaluation: str | None = None
    """Name or id; None: the newest, or all of those in `files`."""
    policies: tuple[str, ...] = ()
    """Empty: every one."""
    by: tuple[str, ...] = ()
    """What to group by; empty: as the system does."""
    suspects: bool = True
    """Whether questions that a check flags are counted."""
    embeddings: str = ""
    """Vectors of words, for Vript-HAL: a name or folder of sentence-transformers; empty: of letters."""
    tagger: str = ""
    """Parts of speech and lemmas, for Vript-HAL: a package or folder of spaCy; empty: the best installed."""
    files: tuple[Path, ...] = ()
    """Files that were named instead of the workspace. Where `System.imports`, the store holds them."""


@dataclass(frozen=True, slots=True)
class System:
    """One benchmark."""

    name: str
    what: str
    """In one line."""
    report: Callable[[Store, Options], Sequence[Report]]
    """One report for each evaluation or file. Raises NotFound, FormatError, UsageError."""
    lines: Callable[[Report], list[str]]
    """A report for people."""
    imports: bool = True
    """Whether files are read into a store of their own first; otherwise `report` reads them itself."""

"""Splits the points that a score lacks by error source, set by people or proposed, with denominators.

It covers the questions with a readable verdict (policy `parsed`, over questions, current values). A failed
question costs 1 / questions of the share of yes, and (5 - its score) / questions of the score. A right answer
with less than 5 also costs points of the score. So the points of a group add up to the difference from its
maximum.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotation.records.allowed_values import ErrorSourceKind
from annotation.records.runs import Evaluation
from annotation.reports.cached_error_source_proposals import Proposals, kept_proposals
from annotation.reports.unfinished_runs import partial_word
from annotation.store.store import Store
from annotation.store.verdicts.verdict_columns_cache import index_of
from annotation.store.verdicts.verdict_table import Table
from backends.errors import UsageError

BY = "error-source"
"""Name of the dimension in `score vdc --by`."""
TOP = 5.0
CAUSES: Mapping[str, str] = {
    "caption_omits": "caption omits it",
    "caption_wrong": "caption is wrong",
    "extraction": "extraction",
    "judge": "judge",
    "question": "question",
    "none": "no proposal",
    "unread": "not read yet",
    "passed": "right, with less than 5",
}
GROUPS = ("aspect", "category", "source")
MOST_GROUPS = 24


@dataclass(frozen=True, slots=True)
class Points:
    """One cell: the points that one group loses to one cause."""

    group: str
    """Empty: all questions."""
    cause: str
    """A key of `CAUSES`."""
    basis: str
    """`confirmed`: set by people; `proposed`: by the rules; empty for the last three causes."""
    accuracy: float
    """Points of the share of yes, 0 to 1."""
    score: float
    """Points of the score, 0 to 5."""
    n: int
    """Questions of the cell."""
    of: int
    """Questions of the group with a readable verdict."""
    partial: bool = False
    """Whether unread questions may still change the cell."""


@dataclass(frozen=True, slots=True)
class PointsTable:
    rows: tuple[Points, ...]
    groups: tuple[str, ...]
    """The largest groups first; `groups_left` counts those left out."""
    groups_left: int
    waiting: int
    """Number of videos whose failed questions have not been read; they have the cause `unread`."""


def points_by_cause(store: Store, evaluation_id: str, by: str = "", wait_s: float = math.inf) -> PointsTable:
    """Return rows of every group, and of all questions under an empty name. Raises NotFound, UsageError."""
    if by and by not in GROUPS:
        raise UsageError(f"group {by!r} not found for {BY}; choose from {', '.join(GROUPS)}")
    store.get(Evaluation, evaluation_id)
    proposals, unread = kept_proposals(store, evaluation_id, wait_s)
    table = index_of(store).table(evaluation_id)
    causes = _Causes(table, proposals, unread)
    groups: dict[str, list[int]] = defaultdict(list)
    for n in _readable(table):
        groups[""].append(n)
        if by:
            groups[_group(table, by, n)].append(n)
    names = sorted((name for name in groups if name), key=lambda name: (-len(groups[name]), name))
    shown = names[:MOST_GROUPS]
    rows = [row for name in ("", *shown) for row in _rows(causes, name, groups.get(name, []))]
    return PointsTable(tuple(rows), tuple(shown), len(names) - len(shown), len(unread))


def _readable(table: Table) -> list[int]:
    judged = table.has("label", "yes") | table.has("label", "no")
    rows: list[int] = (table.has("state", "done") & judged).nonzero()[0].tolist()
    return [n for n in rows if table["question"][n]]


def _group(table: Table, by: str, n: int) -> str:
    word = table.word("kind" if by == "aspect" else by, n)
    return (word.partition(":")[2] if by == "aspect" else word) or "none"


def _rows(causes: _Causes, name: str, rows: Sequence[int]) -> Iterator[Points]:
    cells: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for n in rows:
        cause, basis, failed = causes.of(n)
        score = float(causes.table["score"][n])
        lost = 0.0 if math.isnan(score) else max(0.0, TOP - score)
        if failed or lost:
            cells[cause, basis].append((float(failed), lost))
    reading = ("unread", "") in cells
    for cause in CAUSES:
        for basis in ("confirmed", "proposed", ""):
            if found := cells.get((cause, basis)):
                accuracy, score = (sum(part) / len(rows) for part in zip(*found, strict=True))
                partial = reading and (basis == "proposed" or cause == "none")
                yield Points(name, cause, basis, accuracy, score, len(found), len(rows), partial)


@dataclass(frozen=True, slots=True)
class _Causes:
    """The cause of each failed question of an evaluation, as far as it has been read."""

    table: Table
    proposals: Proposals
    unread: frozenset[str]
    """Ids of videos."""

    def of(self, n: int) -> tuple[str, str, bool]:
        """Return cause, basis, and whether the answer failed, for a row of the table."""
        table = self.table
        if table.code("label", "no") != table["label"][n]:
            return "passed", "", False
        if named := table.word("error_source", n):
            return named, "confirmed", True
        if table.word("video", n) in self.unread:
            return "unread", "", True
        proposal = self.proposals.get(table["verdict"][n])
        return (proposal.kind, "proposed", True) if proposal else ("none", "", True)


def proposed_verdicts(store: Store, evaluation_id: str, kind: ErrorSourceKind | str) -> frozenset[str]:
    """Return failed verdicts with this proposal; `none`: without a proposal. Reads all verdicts."""
    found, _waiting = kept_proposals(store, evaluation_id, math.inf)
    if kind == "none":
        table = index_of(store).table(evaluation_id)
        return frozenset(table["verdict"][table.has("label", "no")]).difference(found)
    return frozenset(key for key, one in found.items() if one.kind == kind)


# --- `score vdc --by error-source` -----------------------------------------------------


def cause_report(store: Store, evaluation_id: str, by: Sequence[str]) -> dict[str, Any]:
    """Return one long table. Raises NotFound, UsageError."""
    others = [name for name in by if name != BY]
    if len(others) > 1:
        raise UsageError(f"{BY} can be combined with one other group; choose one of {', '.join(GROUPS)}")
    dimension = others[0] if others else ""
    found = points_by_cause(store, evaluation_id, dimension)
    return {
        "evaluation": store.get(Evaluation, evaluation_id).name,
        "id": evaluation_id,
        "by": BY,
        "rows": [row for one in found.rows for row in _long(one, dimension)],
    }


def _long(one: Points, dimension: str) -> Iterator[dict[str, Any]]:
    group = {"error_source": one.cause, "basis": one.basis} | ({dimension: one.group} if one.group else {})
    for metric in ("accuracy", "score"):
        yield {
            "group": group,
            "policy": "parsed",
            "metric": f"{metric}_lost",
            "value": asdict(one)[metric],
            "n": one.n,
            "of": one.of,
            "low": None,
            "high": None,
        }


def cause_lines(found: Mapping[str, Any]) -> list[str]:
    """Format the table for people."""
    out = [f"{found['evaluation']} · where the points go (readable verdicts, over questions)"]
    for row in found["rows"]:
        group = row["group"]
        about = [value for name, value in group.items() if name not in ("error_source", "basis")]
        cause = CAUSES[group["error_source"]] + (f" ({group['basis']})" if group["basis"] else "")
        name = " · ".join([*(about or ["all questions"]), cause])
        value = f"-{row['value']:.3f}{partial_word(row)}"
        out.append(f"  {name:48} {row['metric']:13} {value}  {row['n']} of {row['of']} questions")
    return out

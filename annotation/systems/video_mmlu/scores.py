"""The scores of Video-MMLU: caption and QA by discipline, their plain means, and the final score.

Caption score: the mean of the three disciplines' accuracy on the questions about the notes. QA score: the
same on the questions about the video, by the judge and by exact match. Final: the mean of the two.
Source: LOVEU track 1B, sections 1 to 3; the reference implementation is `post_eval/calculate_scores.py` of
Video-MMLU 45b41bf.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotation.records.disciplines import DISCIPLINES, discipline
from annotation.scores.means_with_intervals import Estimate, PerVideo, estimate, estimate_of_tasks, per_video
from annotation.scores.score_table import Row
from annotation.scores.scored_item import Counted, Item
from annotation.scores.scoring_policies import POLICIES, Mean, Policy, policies_of

Task = Literal["caption", "qa"]
TASKS: Mapping[str, Task] = {"notes": "caption", "reasoning": "qa"}
"""By the part of the kind that `Item.aspect` holds."""
PEER = "video-mmlu"
Measure = Literal["accuracy", "score", "exact"]
_Values = Sequence[float | None]


def mmlu_items(items: Iterable[Item]) -> list[Item]:
    return [item for item in items if item.aspect in TASKS]


def mmlu_table(items: Sequence[Item], policies: Sequence[str] | None = None) -> list[Row]:
    """Rows of every policy: `{"task", "discipline"}`, `{"task"}` and `{"task": "final"}`.

    `accuracy` and `score` are the judge's; `exact` is exact match, averaged in the final row with the caption
    accuracy. A discipline without questions has an empty row, and every mean has a note about it.
    """
    chosen = mmlu_items(items)
    rows: list[Row] = []
    for name in policies or policies_of("mmlu"):
        rows += _Table(POLICIES[name], chosen).rows()
    return rows


@dataclass(frozen=True, slots=True)
class _Cell:
    """One discipline of one task."""

    label: str
    positions: Sequence[int]


class _Table:
    """All rows of one policy."""

    def __init__(self, policy: Policy, items: Sequence[Item]) -> None:
        self.policy, self.items = policy, items
        # Use all items: whether a video is dropped must not depend on how a table is split.
        self.counted = policy.rule(items)
        self.exact = exact_counted(policy.name, items)
        known: dict[str, int] = {}
        self.codes = [known.setdefault(item.video, len(known)) for item in items]
        self.videos = len(known)

    def rows(self) -> list[Row]:
        cells = {task: self._cells(task) for task in ("caption", "qa")}
        found: list[Row] = []
        for task, group in cells.items():
            for cell in group:
                found += self._rows({"task": task, "discipline": cell.label}, {task: [cell]}, "")
            scored = [cell for cell in group if cell.label in DISCIPLINES]
            found += self._rows({"task": task}, {task: scored}, self._note(group))
        scored_all = {
            task: [cell for cell in group if cell.label in DISCIPLINES] for task, group in cells.items()
        }
        note = "; ".join(f"{task}: {words}" for task, group in cells.items() if (words := self._note(group)))
        return found + self._rows({"task": "final"}, scored_all, note)

    def _cells(self, task: str) -> list[_Cell]:
        places: dict[str, list[int]] = {name: [] for name in DISCIPLINES}
        for position, item in enumerate(self.items):
            if TASKS[item.aspect] == task:
                # The reference script compares the three names exactly as spelled here.
                label = item.discipline if self.policy.name == PEER else discipline(item.discipline)
                places.setdefault(label or "unknown", []).append(position)
        return [_Cell(label, positions) for label, positions in places.items()]

    def _note(self, cells: Sequence[_Cell]) -> str:
        """Note on missing disciplines, and on questions outside the three."""
        missing = [c.label for c in cells if c.label in DISCIPLINES and not c.positions]
        here = [c.label for c in cells if c.label in DISCIPLINES and c.positions]
        others = [c for c in cells if c.label not in DISCIPLINES]
        if not here and not others:
            return "no questions"
        parts = []
        if missing:
            mean = f"the mean is over {_listed(here)}" if here else "no mean"
            parts.append(f"{_listed(missing)} missing, {'counts as 0' if self.policy.name == PEER else mean}")
        parts += [f"{c.label}: {len(c.positions)} questions, not in any mean" for c in others]
        return "; ".join(parts)

    def _rows(self, group: Mapping[str, str], tasks: Mapping[str, Sequence[_Cell]], note: str) -> list[Row]:
        measures: list[Measure] = ["accuracy", "score"]
        if "qa" in tasks and self.policy.name != PEER:
            measures.append("exact")
        return [
            self._row(group, tasks, note, measure, mean) for measure in measures for mean in self.policy.means
        ]

    def _row(
        self,
        group: Mapping[str, str],
        tasks: Mapping[str, Sequence[_Cell]],
        note: str,
        measure: Measure,
        mean: Mean,
    ) -> Row:
        counts = {task: self._counts(task, measure) for task in tasks}
        parts = [
            [self._per_video(cell, counts[task][1], zero="discipline" not in group) for cell in cells]
            for task, cells in tasks.items()
        ]
        found: Estimate = estimate(parts[0], mean) if len(parts) == 1 else estimate_of_tasks(parts, mean)
        n, of, videos, dropped = 0, 0, set(), Counter[str]()
        for task, cells in tasks.items():
            why, _ = counts[task]
            for position in (p for cell in cells for p in cell.positions):
                weight = self.items[position].weight_of
                of += weight
                if why[position]:
                    dropped[why[position]] += weight
                else:
                    n += weight
                    videos.add(self.codes[position])
        return Row(
            group,
            self.policy.name,
            f"{measure}_{mean}",
            found.value,
            n,
            of,
            found.low,
            found.high,
            len(videos),
            dict(dropped),
            note,
        )

    def _counts(self, task: str, measure: Measure) -> tuple[Sequence[str], _Values]:
        """The reason why each item is not counted, and the values of the counted items."""
        if measure == "exact" and task == "qa":
            return self.exact.dropped, self.exact.accuracy
        return self.counted.dropped, self.counted.score if measure == "score" else self.counted.accuracy

    def _per_video(self, cell: _Cell, values: _Values, *, zero: bool) -> PerVideo:
        if zero and not cell.positions and self.policy.name == PEER:
            return PerVideo(np.zeros(self.videos), np.ones(self.videos))
        return per_video(
            [self.codes[p] for p in cell.positions], [values[p] for p in cell.positions], self.videos
        )


def exact_counted(policy: str, items: Sequence[Item]) -> Counted:
    """Exact match needs no judge: an item counts if there is an answer."""
    counted = Counted()
    for item in items:
        if policy == "corrected" and item.excluded:
            counted.drop("excluded")
        elif item.exact is not None:
            counted.add(item.exact, item.exact)
        elif policy == "failures_as_wrong":
            counted.add(0.0, 0.0)
        else:
            counted.drop("without an answer")
    return counted


def _listed(names: Sequence[str]) -> str:
    """`Math, Physics and Chemistry`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

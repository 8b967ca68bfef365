"""Checks the summary of Video-MMLU's scripts against the judged lines.

Source: `post_eval/calculate_scores.py` of Video-MMLU 45b41bf: means over questions, accuracies in percent.
Overall figures are plain means over Math, Physics and Chemistry, spelled as here, with 0 for a missing one;
`final_score` is the mean score, 0 to 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from annotation.records.disciplines import DISCIPLINES
from annotation.records.ids import Json
from annotation.scores.replies_as_peers_read_them import as_float
from exports.files.import_intake import Intake

_CLOSE = 5e-4


def is_summary(value: Json) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("category_results"), dict)
        and isinstance(value.get("overall_results"), dict)
    )


@dataclass(slots=True)
class Figures:
    """Verdicts per discipline, as the script reads them."""

    found: dict[str, list[tuple[bool, float]]] = field(default_factory=dict)

    def add(self, label: str, verdict: Json) -> None:
        if isinstance(verdict, dict):
            score = as_float(verdict.get("score"))
            if score is not None:
                yes = str(verdict.get("pred")).lower() == "yes"
                self.found.setdefault(label, []).append((yes, score))

    def of(self, label: str) -> dict[str, float]:
        """Return the figures of one discipline under the summary's names."""
        rows = self.found.get(label, [])
        return {
            "total_samples": len(rows),
            "correct_predictions": sum(yes for yes, _ in rows),
            "accuracy": 100 * fmean(yes for yes, _ in rows) if rows else 0.0,
            "average_score": fmean(score for _, score in rows) if rows else 0.0,
        }

    def overall(self) -> dict[str, float]:
        each = [self.of(label) for label in DISCIPLINES]
        score = fmean(one["average_score"] for one in each)
        return {
            "total_samples": sum(len(rows) for rows in self.found.values()),
            "overall_accuracy": fmean(one["accuracy"] for one in each),
            "overall_average_score": score,
            "final_score": score,
        }


def compare_summary(
    intake: Intake, summaries: Mapping[str, Mapping[str, Any]], judged: Mapping[str, Figures]
) -> str:
    """Return the summaries' figures in words. Figures that differ from the lines are reported.

    Each summary is compared with the judged file that fits best, because its name does not identify one.
    """
    parts = []
    for name, summary in summaries.items():
        overall = summary["overall_results"]
        shown = ", ".join(f"{key} {value}" for key, value in overall.items())
        parts.append(f"{name}: {shown}")
        found = {file: list(_differences(summary, figures)) for file, figures in judged.items()}
        if found:
            best = min(found, key=lambda file: len(found[file]))
            for what in found[best]:
                intake.problem(name, f"{what} in {best}")
    return "Video-MMLU's own figures: " + "; ".join(parts) if parts else ""


def _differences(summary: Mapping[str, Any], figures: Figures) -> Iterator[str]:
    for label, said in summary["category_results"].items():
        if isinstance(said, dict):
            yield from _figure_differences(label, said, figures.of(label))
    for label in figures.found.keys() - summary["category_results"].keys():
        yield f"{label or 'no discipline'}: not in the summary, but {len(figures.found[label])} verdicts"
    yield from _figure_differences("overall", summary["overall_results"], figures.overall())


def _figure_differences(label: str, said: Mapping[str, Any], found: Mapping[str, float]) -> Iterator[str]:
    for key, value in found.items():
        stated = as_float(said.get(key))
        if stated is not None and abs(stated - value) > _CLOSE:
            yield f"{label}: {key} {stated:g}, but the lines give {value:g}"

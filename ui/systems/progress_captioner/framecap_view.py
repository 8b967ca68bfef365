"""FrameCapEval on the Scores page: one table of all labels, verdicts and choices."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import FrameLabel, Study
from annotation.records.runs import Evaluation
from annotation.store.store import Store
from exports.progress_captioner.framecap_report import METRICS, POLICIES, score
from ui.lib.score_system import ScoreSystem, Table
from ui.lib.score_wire_types import Metric

TITLES = {
    "balanced_accuracy": "balanced acc.",
    "true_positive_rate": "TPR",
    "true_negative_rate": "TNR",
    "sequence_accuracy": "sequences",
    "frame_accuracy": "frames",
    "selected_best": "best",
    "selected_top2": "best or second",
    "selected_none": "none",
    "agreement": "agreement",
    "kappa": "kappa",
    "decided": "decided",
}


def framecap_table(store: Store, _evaluation: Evaluation, _chosen: Mapping[str, str]) -> Table:
    found = score(store)
    judges = dict.fromkeys(row["group"]["judge"] for row in found["rows"] if "judge" in row["group"])
    return Table(
        rows=found["rows"],
        policies=POLICIES,
        metrics={name: Metric(TITLES[name], what) for name, what in METRICS.items()},
        judges=tuple(judges),
        about=" ".join(f"{note[0].upper()}{note[1:]}." for note in found["notes"]),
    )


def _there(store: Store) -> list[Evaluation]:
    """The only table, if it has any data."""
    if not (
        store.count(FrameLabel) or store.count(Study) or store.count(Verdict, subject_type="frame_match")
    ):
        return []
    return [Evaluation(id="framecap", name="all frame captions", created_at=0.0)]


FRAMECAP = ScoreSystem(
    name="framecap",
    title="FrameCapEval",
    systems=("framecap",),
    table=framecap_table,
    start="Label pairs of frames on Keyframes, Label, and judge the captions with a model: "
    "python app.py judge-captions MODEL --stages keyframes,matching",
    evaluations=_there,
)

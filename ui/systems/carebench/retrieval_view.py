"""Retrieval and ReBias on the Scores page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from annotation.records.runs import Evaluation
from annotation.store.store import Store
from annotation.systems.carebench.recall_at_k import KS, TIES, Ranked
from backends.errors import UsageError
from exports.carebench.retrieval_files import RecallSheet
from exports.carebench.retrieval_ranks import SYSTEM, held
from exports.carebench.retrieval_report import (
    TIE_RULES,
    how_measured,
    measured_rebias,
    measured_retrieval,
    published_rebias,
    published_retrieval,
)
from ui.lib.score_system import ScoreSystem, Table
from ui.lib.score_wire_types import ListedThing, Metric, SystemRow, ThingsList

METRICS: Mapping[str, Metric] = {
    **{f"R@{k}": Metric(f"R@{k}", f"share of queries with a match among the first {k}") for k in KS},
    "mean recall": Metric("mean recall", "of R@1, 5 and 10 in both directions"),
    "ReBias": Metric(
        "ReBias", "how far temporal retrieval is from spatial; 0 means balanced", None, "lower", 4
    ),
}
ABOUT = (
    "ReBias is |1 - T/S| in the paper's formula, and |1 - S/T| in its printed figures. Intervals are over "
    "videos, each resampled with all of its queries."
)


def retrieval_page(store: Store, evaluation: Evaluation, _chosen: Mapping[str, str]) -> Table:
    """Recalls per setting and direction, ReBias if both settings exist, and what the temporal text misses."""
    found = held(store, evaluation)
    settings = found.settings if isinstance(found, RecallSheet) else found
    both = {"spatial", "temporal"} <= settings.keys()
    if isinstance(found, RecallSheet):
        reports = [published_retrieval(found, evaluation.name)]
    else:
        reports = [measured_retrieval(evaluation.name, found)]
    why = ""
    try:
        reports += [_rebias(store, evaluation, found)] if both else []
    except UsageError as error:  # the recalls are valid without ReBias
        why = f"No ReBias: {error}."
    rows = [row for report in reversed(reports) for row in report["rows"]]
    missed = [one for report in reports for one in report.get("missed", ())]
    lists = [_missed_list(missed)] if both and not why and not isinstance(found, RecallSheet) else []
    how = how_measured(store, evaluation)
    if how["left_out"]:
        lists.append(_left_out_list(how["left_out"]))
    notes = [*how["about"], *(line for report in reports for line in report.get("about", ()))]
    about = " ".join([*(f"{line}." for line in notes), *([why] if why else []), ABOUT])
    return Table(_once(rows), reports[0]["policies"], METRICS, (), about, lists)


def _rebias(
    store: Store, evaluation: Evaluation, found: RecallSheet | Mapping[str, Ranked]
) -> dict[str, Any]:
    if isinstance(found, RecallSheet):
        return published_rebias(found)
    return measured_rebias(store, evaluation.name, found, TIES)


def _left_out_list(left_out: Mapping[str, str]) -> ThingsList:
    return {
        "title": "left out",
        "items": [{"text": name, "facts": why} for name, why in left_out.items()],
        "about": "Videos and captions that the figures above do not include.",
    }


def _once(rows: Sequence[SystemRow]) -> list[SystemRow]:
    """Remove duplicates: mean recalls are in both reports."""
    return list({(str(r["group"]), r["policy"], r["metric"]): r for r in rows}.values())


def _missed_list(missed: Sequence[Mapping[str, Any]]) -> ThingsList:
    """The videos to look at, each a link to its split if the video is here."""
    items: list[ListedThing] = [
        {
            "text": one["title"],
            "facts": f"spatial rank {one['spatial_rank']:g} · temporal rank {one['temporal_rank']:g}",
            "href": f"/split?{urlencode({'video': one['video_id']})}" if one["video_id"] else "",
        }
        for one in missed
    ]
    return {
        "title": "found only by the spatial text",
        "items": items,
        "about": "The spatial text ranks the video first, the temporal text does not; "
        f"{TIE_RULES['expected']}.",
        "empty": "none: the temporal text finds every video that the spatial text finds",
    }


RETRIEVAL = ScoreSystem(
    name="retrieval",
    title="Retrieval",
    systems=(SYSTEM,),
    table=retrieval_page,
    start="Import an npz of similarities or embeddings (spatial_similarity, temporal_similarity ...) or a "
    "JSON of recalls, or measure the videos of the workspace: "
    "python app.py score retrieval --embedder SPEC.",
    measures="retrieval",
)

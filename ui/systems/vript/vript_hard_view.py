"""Vript-Hard on the Scores page: three tables, each figure with a link to the items behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from annotation.records.runs import Evaluation
from annotation.store.store import Store
from annotation.systems.vript import ero_scores as vript_ero
from annotation.systems.vript import hal_scores
from annotation.systems.vript import rr_scores as vript_rr
from annotation.systems.vript.hard_replies import SETTING_WORDS
from exports.vript.hard_report import (
    ero_report,
    flags_words,
    hal_report,
    rr_report,
    scene_note,
    settings_words,
)
from ui.lib.score_system import ScoreSystem, Table, linked
from ui.lib.score_wire_types import Metric, SystemRow

READINGS = "readings"
BESIDE = "beside"
"""The column of the other setting of RR."""
UNCOMPARED = "The words are not compared yet: open a clip on Verdicts and compare them."


def _href(of: str, evaluation: Evaluation, **more: str) -> str:
    return f"/verdicts?{urlencode({'of': of, 'evaluation': evaluation.id, **more})}"


def ero_table(store: Store, evaluation: Evaluation, _chosen: Mapping[str, str]) -> Table:
    found = ero_report(store, evaluation)
    link = _href("ero", evaluation)
    rows = [linked(row, link) for row in found["rows"]]
    share = next(row for row in rows if row["policy"] == READINGS)
    # The share of readings that are not an order is shown for every policy.
    shares: list[SystemRow] = [
        {**share, "policy": policy, "href": _href("ero", evaluation, state="flagged")}
        for policy in vript_ero.POLICIES
    ]
    return Table(
        rows=[*(row for row in rows if row["policy"] != READINGS), *shares],
        policies=vript_ero.POLICIES,
        metrics={
            **{f"at_{k}": Metric(f"@{k}", f"at least {k} of three scenes in place") for k in vript_ero.KS},
            "not_an_order": Metric(
                "no order",
                "share of readings in which a scene is missing; a complete order never has "
                "exactly two in place, so only these make @2 higher than @3",
                better="lower",
            ),
        },
        judges=("the released rule",),
        about=_ero_words(found),
        lists=[
            {
                "title": "Readings that are not an order of three scenes",
                "about": "The released rule still scores them. Open one and set the order of the reply.",
                "empty": "every reading is an order of the three scenes",
                "items": [
                    {
                        "text": f"{one['order']} · {one['item']}",
                        "facts": one["why"],
                        "href": _href("ero", evaluation, item=one["id"]),
                    }
                    for one in found["flagged"]
                ],
            }
        ],
    )


def _ero_words(found: Mapping[str, Any]) -> str:
    n = len(found["flagged"])
    them = "it" if n == 1 else "them"
    return f"{flags_words(n)}: only the policy “published” scores {them}." if n else ""


def rr_table(store: Store, evaluation: Evaluation, _chosen: Mapping[str, str]) -> Table:
    found = rr_report(store, evaluation)
    rows = [linked(row, _rr_link(evaluation.id, row["group"])) for row in found["rows"]]
    metrics = {"accuracy": _right(found["setting"] if found["beside"] else "")}
    if beside := found["beside"]:
        rows += [
            {**linked(row, _rr_link(beside["id"], row["group"])), "metric": BESIDE} for row in beside["rows"]
        ]
        metrics[BESIDE] = _right(beside["setting"])
    compared = next((one for one in found["settings"] if one["policy"] == "published"), None)
    about = [
        found["kind"],
        {"whole": "with the whole video", "scene": "with the scene alone"}.get(found["setting"]),
    ]
    words = ", ".join(word for word in about if word)
    difference = f". By the published rule, {settings_words(compared)}." if compared else ""
    note = scene_note(found["scenes"])
    return Table(
        rows=rows,
        policies=vript_rr.POLICIES,
        metrics=metrics,
        about=f"{words[:1].upper()}{words[1:]}{difference}" + (f" {note}." if note else ""),
    )


def _right(setting: str) -> Metric:
    words = SETTING_WORDS.get(setting, "")
    given = f", with the {words}" if words else ""
    return Metric(
        f"right, {words}" if words else "right", f"share of the questions that were answered correctly{given}"
    )


def _rr_link(evaluation_id: str, group: Mapping[str, str]) -> str:
    place = group.get("place")
    more = {"facet": f"place:{place}"} if place else {}
    return f"/verdicts?{urlencode({'of': 'rr', 'evaluation': evaluation_id, **more})}"


def hal_table(store: Store, evaluation: Evaluation, _chosen: Mapping[str, str]) -> Table:
    found = hal_report(store, evaluation)
    link = _href("hal", evaluation)
    words = f"Words by {found['engines']}, matched if the similarity is above {found['threshold']}."
    if found["baseline"]:
        words += " Published figures use en_core_web_lg and all-mpnet-base-v2, so these are not comparable."
    return Table(
        rows=[linked(row, link) for row in found["rows"]],
        policies=hal_scores.POLICIES,
        metrics={
            "precision": Metric("precision", "matched words of the caption, over its words"),
            "recall": Metric("recall", "matched words of the caption, over the references'; may exceed 1"),
            "f1_mean_of_clips": Metric("F1, mean of clips", "as the released scorer prints it"),
            "f1_of_means": Metric("F1 of the means", "as in the paper's tables"),
            "recall_above_1": Metric("recall above 1", "share of the clips", better=""),
        },
        judges=(found["engines"],) if found["engines"] else (),
        about=words if found["compared"] else UNCOMPARED,
        lists=[
            {
                "title": "Clips with recall above 1",
                "about": "Several words of the caption match one of the references.",
                "empty": "none",
                "items": [
                    {
                        "text": one["item"],
                        "facts": one["why"],
                        "href": _href("hal", evaluation, item=one["id"]),
                    }
                    for one in found["above_one"]
                ],
            }
        ],
    )


_START = (
    "Import the annotations and a table of predictions: "
    "python app.py import {0}_annotations.jsonl {0}_mymodel.csv"
)


def _system(task: str, table: Callable[[Store, Evaluation, Mapping[str, str]], Table]) -> ScoreSystem:
    name = f"vript-{task.lower()}"
    return ScoreSystem(
        name=name, title=f"Vript-{task}", systems=(name,), table=table, start=_START.format(task)
    )


HARD = (_system("HAL", hal_table), _system("RR", rr_table), _system("ERO", ero_table))

"""Vript-Hard: `bench_utils.py` on the tables of replies that its repository holds, and on made ones."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from annotation.reports.report_type import Options
from benchmarks.peers import ours
from benchmarks.peers.figures import Figure
from benchmarks.peers.loading import file_of, load, stub
from exports.vript.hard_report import ero_reports, rr_reports

CHOICES = ["A mill.", "A kite.", "A tram.", "A kettle."]
RR_REPLIES = (
    "(A) A mill.",
    "It is (C), and not (B).",
    "B",
    "(b)",
    "the mill",
    "(E)",
    "Option (D).",
    "( A )",
    "",
)
ERO_REPLIES = (
    "Scene (A), Scene (B), Scene (C)",
    "CAB",
    "B, C, A",
    "Scene (A) then Scene (A)",
    "I think Scene (B) first.",
    "(C) (B) (A)",
    "no idea",
    "Scene (C), Scene (A), Scene (B), Scene (A)",
    "A",
    "",
)


def vript(checkout: Path, folder: Path, seed: int) -> Iterator[Figure]:
    """RR and ERO; HAL is in `vript_hal`."""
    script = file_of(
        checkout, "vript-hard/verification_pipeline/bench_utils.py", "verification_pipeline/bench_utils.py"
    )
    examples = script.parent.parent / "evaluation_output_examples"
    draw = random.Random(f"vript {seed}")
    for table in sorted((examples / "RR" / "multiplechoice").glob("*.csv")):
        yield _rr(script, table, None, folder / table.stem, table.name)
    items = [
        {
            "video_id": f"v{n // 4}",
            "clip_id": f"v{n // 4}-Scene-{n:03}",
            "question": f"What is it in {n}?",
            "hint": 'It\'s "there".',
            "multiple_choice": CHOICES,
            "open_answer": "A mill.",
            "multiple_choice_answer": draw.choice(CHOICES),
            "scene_description": "A field.",
        }
        for n in range(80)
    ]
    here = folder / "rr-made"
    rows = [{"id": str(item["clip_id"]), "pred": draw.choice(RR_REPLIES)} for item in items]
    yield _rr(script, _table(here / "RR_clip_made_multiplechoice_output.csv", rows), items, here, "made")
    for table in sorted((examples / "ERO").glob("*.csv")):
        ids = dict.fromkeys(str(i) for i in pd.read_csv(table)["id"])
        yield from _ero(script, table, _orders(draw, list(ids)), folder / table.stem, table.name)
    here = folder / "ero-made"
    made = _table(
        here / "ERO_made_output.csv", [{"id": f"e{n}", "pred": draw.choice(ERO_REPLIES)} for n in range(80)]
    )
    yield from _ero(script, made, _orders(draw, [f"e{n}" for n in range(80)]), here, "made")


def _table(path: Path, rows: Sequence[dict[str, str]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ["id", "pred"])
        table.writeheader()
        table.writerows(rows)
    return path


def _orders(draw: random.Random, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Annotations of ERO in the published shape; those of the benchmark are not in its repository."""
    scenes = " ".join(f"[Scene ({x})] What {x} shows.\n" for x in "ABC")
    text = f"Below are the descriptions of three scenes in the video: {scenes}"
    return [{"video_id": i, "question": text, "answer": "".join(draw.sample("ABC", 3))} for i in ids]


def _module(script: Path, annotations: Sequence[dict[str, Any]]) -> ModuleType:
    datasets = stub("datasets", load_dataset=lambda *_args, **_more: {"test": annotations})
    return load(script, "vript_bench", {"datasets": datasets}, round=lambda value, _digits=0: value)


def _said(module: ModuleType, scorer: Any, table: Path) -> list[str]:
    said: list[str] = []
    module.print = lambda *words: said.append(" ".join(map(str, words)))  # type: ignore[attr-defined]
    scorer.compute_scores(pd.read_csv(table))
    return said


def _rr(script: Path, table: Path, items: Sequence[dict[str, Any]] | None, folder: Path, name: str) -> Figure:
    module = _module(script, items or [])
    [line] = _said(module, module.RRScorer("clip"), table)
    found = re.search(r"acc: (\d+)/(\d+)", line)
    theirs = int(found[1]) / int(found[2]) if found else None
    store = ours.store_in(folder)
    if items:
        ours.brought(store, ours.write_lines(folder / "RR_annotations.jsonl", items))
    ours.brought(store, table)
    (report,) = rr_reports(store, Options(policies=("published",)))
    [value] = [
        row["value"] for row in report["rows"] if row["metric"] == "accuracy" and "place" not in row["group"]
    ]
    return Figure("vript (RR, ERO)", f"RR {name}", "accuracy", theirs, value)


def _ero(
    script: Path, table: Path, orders: Sequence[dict[str, Any]], folder: Path, name: str
) -> Iterator[Figure]:
    module = _module(script, orders)
    said = "\n".join(_said(module, module.EROScorer(), table))
    store = ours.store_in(folder)
    ours.brought(store, ours.write_lines(folder / "ERO_annotations.jsonl", orders))
    ours.brought(store, table)
    (report,) = ero_reports(store, Options(policies=("published",)))
    values = {row["metric"]: row["value"] for row in report["rows"]}
    for k in (1, 2, 3):
        found = re.search(rf"@{k} acc: (\d+)/(\d+)", said)  # it prints no 0
        theirs = int(found[1]) / int(found[2]) if found else 0.0
        yield Figure("vript (RR, ERO)", f"ERO {name}", f"@{k}", theirs, values[f"at_{k}"])

"""CapST of CaReBench: its `process_one_sample` and its tables, on made captions, elements and verdicts."""

from __future__ import annotations

import ast
import hashlib
import json
import logging
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from annotation.reports.report_type import Options
from annotation.store.store import Store
from benchmarks.peers import made, ours
from benchmarks.peers.figures import Figure
from benchmarks.peers.loading import Silent, file_of, load, quiet, stub
from exports.carebench.capst_report import capst_reports

LABELS = ("entailment", "neutral", "contradiction", "Entailment ")
COLUMNS = {
    ("events", "f1"): 1,
    ("events", "recall"): 2,
    ("events", "precision"): 3,
    ("objects", "f1"): 4,
    ("objects", "recall"): 5,
    ("objects", "precision"): 6,
}
"""Of its table, where each figure stands."""
Samples = Sequence[dict[str, Any]]


def carebench(checkout: Path, folder: Path, seed: int) -> Iterator[Figure]:
    """Its log read; its code again on description.json and metadata.json that we write."""
    script = file_of(checkout, "utils/dream_gpt.py")
    for name, kept in (("plain", 0.0), ("half without elements", 0.5), ("elements given", 0.25)):
        here = folder / f"capst-{name.split()[0]}"
        judge = _Judge(seed, kept)
        theirs = _run(script, _samples(seed, name), here / "CaRe-7B", judge)
        store = ours.store_in(here)
        ours.brought(store, here / "CaRe-7B" / "eval_records" / "DREAM_eval_infos.jsonl")
        yield from _compared(name, theirs, _figures(store))
        infos = ours.through(store, here, "dream-infos")
        again = ours.store_in(here / "again")
        ours.brought(again, infos)
        yield from _compared(f"{name}: out as dream-infos", theirs, _figures(again))
        document = json.loads(ours.through(store, here, "capst-description").read_text(encoding="utf-8"))
        second = [_sample(idx, entry) for idx, entry in document.items()]
        found = _run(script, second, here / "second", judge)
        yield from _compared(f"{name}: its code on our description.json", theirs, found)


def _samples(seed: int, name: str) -> Samples:
    draw = random.Random(f"capst {seed} {name}")
    return [
        {
            "idx": number,
            "dataset": "overall",
            "response": f"{made.sentence(draw)} {made.sentence(draw)} ({number})",
            "prediction": made.sentence(draw) if draw.random() < 0.95 else "",
            "events": _given(draw, name),
            "objects": _given(draw, name),
        }
        for number in range(80)
    ]


def _given(draw: random.Random, name: str) -> list[str] | None:
    """Elements that stand beside the reference already, now and then none at all."""
    if "given" not in name or draw.random() < 0.3:
        return None
    return [f"the {noun} turns" for noun in draw.sample(made.NOUNS, draw.randint(0, 5))]


def _sample(idx: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "idx": idx,
        "dataset": "overall",
        "response": entry["gt"],
        "prediction": entry["pred"],
        "events": entry["events"],
        "objects": entry["objects"],
    }


# --- its code ---------------------------------------------------------------------------------


def _run(script: Path, samples: Samples, folder: Path, judge: _Judge) -> dict[tuple[str, str], float]:
    """As `evaluate_gpt` of `tasks/captioning.py`, one sample after the other; figures unrounded."""
    tables: list[list[Any]] = []
    module = _module(script, judge, tables)
    metric = module.DREAMGPTMetric("TEST")
    folder.mkdir(parents=True)
    logging.disable(logging.CRITICAL)
    try:
        with quiet():
            for sample in samples:
                result = module.process_one_sample((sample, "made", False)) | {"subtask": sample["dataset"]}
                metric.update_metric(result)
            metric._summarize_metric_by_subtask()
            metric.save_eval_infos(str(folder))
    finally:
        logging.disable(logging.NOTSET)
    last = tables[-1]
    return {place: float(last[column]) for place, column in COLUMNS.items()}


def _module(script: Path, judge: _Judge, tables: list[list[Any]]) -> ModuleType:
    completions = SimpleNamespace(create=judge.create)
    client = SimpleNamespace(chat=SimpleNamespace(completions=completions))

    class PrettyTable:
        def __init__(self, *_: Any) -> None:
            pass

        def add_row(self, row: list[Any]) -> None:
            tables.append(row)

    stubs = {
        "pathos": stub("pathos"),
        "pathos.multiprocessing": stub("pathos.multiprocessing", ProcessingPool=Silent),
        "func_timeout": stub("func_timeout", func_set_timeout=Silent()),
        "utils": stub("utils"),
        "utils.gpt_api": stub("utils.gpt_api", azure_gpt4_client=client),
        "prettytable": stub("prettytable", PrettyTable=PrettyTable),
    }
    module = load(script, "dream_gpt", stubs, round=lambda value, _digits=0: value)
    # It imports its table when it is asked for a summary.
    inner = module.DREAMGPTMetric._summarize_metric_by_subtask

    def summary(self: Any) -> None:
        from benchmarks.peers.loading import standing_in

        with standing_in(stubs):
            inner(self)

    module.DREAMGPTMetric._summarize_metric_by_subtask = summary
    return module


class _Judge:
    """The model behind both prompts: what it says depends on nothing but the words that it is given."""

    def __init__(self, seed: int, without: float) -> None:
        """`without` is the share of extractions that find nothing."""
        self.seed, self.without = seed, without

    def create(self, *, messages: Sequence[Mapping[str, str]], **_more: Any) -> Any:
        text = messages[0]["content"]
        asked = re.search(r"Extract at most 10 key (event|object)s", text)
        if asked:
            caption = text.partition("Video Description: ")[2].partition("\n\n")[0]
            said = repr({f"{asked[1]}s": self._elements(asked[1], caption)})
        else:
            said = self._verdicts(text)
        dumped = json.dumps({"choices": [{"message": {"content": said}}]})
        return SimpleNamespace(model_dump_json=lambda: dumped)

    def _elements(self, kind: str, caption: str) -> list[str]:
        draw = self._draw(kind, caption.lower())
        if draw.random() < self.without:
            return []
        return [f'{kind} {n}: the {draw.choice(made.NOUNS)}\'s "{n}"' for n in range(draw.randint(1, 10))]

    def _verdicts(self, text: str) -> str:
        description = text.partition("Video Description:\n")[2].partition("\n\n")[0]
        listed = re.search(r"(Event|Object)s: (\[.*\])\nOutput a JSON", text, re.DOTALL)
        if listed is None:
            raise ValueError(text)
        kind = listed[1].lower()
        verdicts = [
            {kind: one, "relationship": self._draw(one, description).choice(LABELS), "reason": "made"}
            for one in ast.literal_eval(listed[2])
        ]
        return json.dumps({f"{kind}s": verdicts})

    def _draw(self, *words: str) -> random.Random:
        return random.Random(hashlib.sha256("\0".join((str(self.seed), *words)).encode()).hexdigest())


# --- ours -------------------------------------------------------------------------------------


def _figures(store: Store) -> dict[tuple[str, str], float | None]:
    (report,) = capst_reports(store, Options(policies=("carebench",)))
    return {(row["group"]["elements"], row["metric"]): row["value"] for row in report["rows"]}


def _compared(
    name: str, theirs: Mapping[tuple[str, str], float], found: Mapping[tuple[str, str], float | None]
) -> Iterator[Figure]:
    for (kind, metric), value in theirs.items():
        yield Figure("carebench (CapST)", name, f"{kind} {metric}", value, found[kind, metric])

"""`hf-dataset`: a folder for `datasets.load_dataset(FOLDER, CONFIG)` that can be uploaded to the Hub.

JSON lines and a card with the configurations `questions`, `captions` and `verdicts`, each with one split.
Source: "Manual configuration" of the Hugging Face Hub's documentation of dataset repositories.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain as joined

from annotation.records.ids import Json
from annotation.workspace.prompts_in_use import other_prompts
from exports.files.evaluations_and_corrections import load_evaluation
from exports.files.format_types import Output, Wanted
from exports.files.read_text_and_json import Head
from exports.files.write_files import json_line
from exports.generic.verdict_rows import caption_rows, verdict_rows

NAME = "hf-dataset"
CARD = "README.md"
CONFIGS = ("verdicts", "questions", "captions")
_ASKED = ("video_id", "title", "aspect", "index", "category", "question", "reference_answer", "question_id")
_MARK = "dailies-evaluation"


def recognise(head: Head) -> bool:
    if not head.folder or CARD not in head.names or not head.names & {f"{c}.jsonl" for c in CONFIGS}:
        return False
    return _MARK in head.inside(CARD).text[:2000]


def write(wanted: Wanted) -> Iterator[Output]:
    """Write the folder. A configuration without rows has no file. Raises UsageError or NotFound."""
    evaluation = load_evaluation(wanted.store, wanted.evaluation_id)
    verdicts = list(verdict_rows(wanted))
    found: dict[str, list[dict[str, Json]]] = {
        "verdicts": verdicts,
        "captions": list(caption_rows(wanted)),
        "questions": [{name: row[name] for name in _ASKED} for row in verdicts if row["question_id"]],
    }
    full = {name: found[name] for name in CONFIGS if found[name]}
    if not full:
        return
    for name, rows in full.items():
        yield f"{name}.jsonl", [json_line(row) for row in rows]
    baseline = evaluation.baseline or any(
        row["baseline"] for row in joined(*found.values()) if "baseline" in row
    )
    others = ", ".join(map(str, other_prompts(wanted.store, evaluation.id)))
    yield CARD, [_card({name: len(rows) for name, rows in full.items()}, evaluation.name, baseline, others)]


def _card(counts: dict[str, int], name: str, baseline: bool, prompts: str) -> str:
    configs = "".join(
        f"- config_name: {config}\n  default: {'true' if number == 0 else 'false'}\n  data_files:\n"
        f"  - split: test\n    path: {config}.jsonl\n"
        for number, config in enumerate(counts)
    )
    title = " ".join(name.split()) or "An evaluation"
    rows = "\n".join(f"| {config} | {count} |" for config, count in counts.items())
    metric = (
        "The embedded baseline made some of these results: the scores are not VDCscores.\n\n"
        if baseline
        else ""
    )
    if prompts:
        metric += f"Prompts: {_plain(prompts)}, not the protocol's: the scores are not VDCscores.\n\n"
    return (
        f"---\ntags:\n- {_MARK}\nconfigs:\n{configs}---\n\n# {_plain(title)}\n\n{metric}"
        "Questions, captions and verdicts of one evaluation. `machine_` columns hold the models' values, the "
        "others the current values with people's corrections.\n\n| configuration | rows |\n|---|---|\n"
        f"{rows}\n"
    )


def _plain(text: str) -> str:
    """Escape Markdown and HTML."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>()#+!|" else char for char in text)

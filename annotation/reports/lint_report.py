"""The report of `lint`: counts per check and aspect, and every finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.checks.question_checks import Asked, Defect, counts, lint
from annotation.reports.script_findings import add_scripts, script_rows
from annotation.reports.workspace_questions import from_store
from annotation.store.find_ceiling_evaluations import counting_ceiling
from annotation.store.store import Store

SHOWN = 3
"""Examples per check in the text report; `--json` has all."""


def workspace_report(store: Store) -> dict[str, Any]:
    """Return `report` for the workspace's questions, the answers its newest ceiling rejected, and its
    scripts.
    """
    ceiling = counting_ceiling(store)
    found = report(*from_store(store), ceiling=ceiling.name if ceiling else "")
    return add_scripts(found, script_rows(store))


def report(
    asked: Sequence[Asked], references: Mapping[tuple[str, str], str], *, ceiling: str = ""
) -> dict[str, Any]:
    """Return `{"questions", "references", "ceiling", "counts", "fields", "findings"}`.

    `fields` splits the counts by field; `ceiling` names the evaluation used by the check `ceiling`.
    """
    defects = list(lint(asked, references))
    return add_scripts(_report(asked, references, defects, ceiling), ())


def _report(
    asked: Sequence[Asked], references: Mapping[tuple[str, str], str], defects: Sequence[Defect], ceiling: str
) -> dict[str, Any]:
    fields = sorted({(d.check, d.field) for d in defects})
    return {
        "questions": len(asked),
        "references": len(references),
        "ceiling": ceiling,
        "counts": counts(defects),
        "fields": {
            f"{check} in {field}": counts(d for d in defects if (d.check, d.field) == (check, field))[check]
            for check, field in fields
        },
        "findings": [
            {
                "check": d.check,
                "aspect": d.asked.aspect,
                "video": d.asked.video,
                "question": d.asked.question,
                "why": d.why,
                "field": d.field,
                "answer": d.asked.answer,
                **({"id": d.asked.id} if d.asked.id else {}),
            }
            for d in defects
        ],
    }


def lines(found: Mapping[str, Any]) -> list[str]:
    """Format the counts as a table, with a few examples of each check."""
    aspects = sorted({aspect for each in found["counts"].values() for aspect in each})
    head = f"{'':24}" + "".join(f"{aspect:>14}" for aspect in aspects)
    about = f"{found['questions']:,} questions, {found['references']:,} reference captions"
    out = [about, head] if aspects else [about, "nothing found"]
    for check, each in found["counts"].items():
        if not each:
            continue
        out.append(f"{check:24}" + "".join(f"{each.get(aspect, 0):>14,}" for aspect in aspects))
        examples = [f for f in found["findings"] if f["check"] == check][:SHOWN]
        out += [_example(f)[:150] for f in examples]
    if not found["references"]:
        out.append("not_in_reference was not checked: also give the file of reference captions")
    if not found["ceiling"]:
        out.append("ceiling was not checked: first run python app.py ceiling in the workspace")
    return out


def _example(found: Mapping[str, Any]) -> str:
    if "scene" in found:
        return f"    {found['video']} scene {found['scene']}: {found['why']}"
    return f"    {found['video']}: {found['question']!r} -> {found['answer']!r}"

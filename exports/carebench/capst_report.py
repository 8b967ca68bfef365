"""`score capst`: the report on an evaluation of CapST, for the command line and the page Scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.records.runs import Evaluation, Run
from annotation.reports.evaluation_report import row_json, value_words
from annotation.reports.report_type import Options
from annotation.store.benchmark_of_evaluation import evaluations_of, find_of
from annotation.store.store import Store
from annotation.systems.carebench.capst_requests import SYSTEM
from annotation.systems.carebench.capst_scores import LETTER, POLICIES, capst_table
from annotation.systems.carebench.judged_elements import JudgedSide, capst_sides, runs_of_evaluation
from backends.errors import UsageError
from backends.text.plural import plural

GROUPS = ("category",)
METRICS: Mapping[str, str] = {
    "f1": "harmonic mean of the two means",
    "recall": "share of the reference's elements that the prediction entails",
    "precision": "share of the prediction's elements that the reference entails",
    f"recall{LETTER}": "the paper's R: over the elements of the prediction, which is precision elsewhere",
    f"precision{LETTER}": "the paper's P: over the elements of the reference, which is recall elsewhere",
}


def capst_reports(store: Store, options: Options) -> list[dict[str, Any]]:
    """Raises NotFound, UsageError."""
    unknown = sorted({*options.policies} - set(POLICIES)) or sorted({*options.by} - set(GROUPS))
    if unknown:
        known = f"policies are {', '.join(POLICIES)}, groups {', '.join(GROUPS)}"
        raise UsageError(f"no {unknown[0]!r} here; {known}")
    if options.files and not options.evaluation:
        chosen: Sequence[Evaluation] = evaluations_of(store, SYSTEM)
    else:
        chosen = [_found(store, options.evaluation or "")]
    if not chosen:
        raise UsageError(
            "these files hold no captions of CapST; give DREAM_eval_infos.jsonl or description.json"
        )
    by = "category" in options.by
    return [capst_report(store, each, options.policies, by_category=by) for each in chosen]


def _found(store: Store, wanted: str) -> Evaluation:
    if not evaluations_of(store, SYSTEM):
        raise UsageError(
            "there is no evaluation of capst yet; import metadata.json of CaReBench, then: "
            "python app.py run VIDEO --stages elements,capst"
        )
    return find_of(store, SYSTEM, wanted)


def capst_report(
    store: Store, evaluation: Evaluation, policies: Sequence[str] = (), *, by_category: bool = True
) -> dict[str, Any]:
    """`{"system", "evaluation", "id", "rows", "videos", ...}`."""
    sides = capst_sides(store, evaluation.id)
    chosen = list(policies) or list(POLICIES)
    rows = capst_table([side.to_score for side in sides], chosen, by_category=by_category)
    return {
        "system": SYSTEM,
        "evaluation": evaluation.name,
        "id": evaluation.id,
        "baseline": evaluation.baseline,
        **_engines(store, evaluation.id),
        "policies": {name: POLICIES[name].what for name in chosen},
        "metrics": dict(METRICS),
        "rows": [row_json(row) for row in rows],
        "videos": videos_json(sides),
    }


def _engines(store: Store, evaluation_id: str) -> dict[str, Any]:
    runs = runs_of_evaluation(store, evaluation_id)
    by_role = {role: store.find(Run, id=ids) for role, ids in runs.items()}
    judged = by_role.get("verdicts", [])
    return {
        "judges": sorted({run.model for run in judged}),
        "extractors": sorted({run.model for run in by_role.get("elements", [])}),
        "prompts": sorted({run.prompt_hash for run in judged if run.prompt_hash}),
    }


def videos_json(sides: Sequence[JudgedSide]) -> list[dict[str, Any]]:
    """Per video and kind the hits of each side, as `DREAM_eval_infos.jsonl` counts them: [3, 8]."""
    found: dict[str, dict[str, Any]] = {}
    for side in sides:
        entry = found.setdefault(side.video.id, {"video": side.video.id, "title": side.video.title})
        metric = "recall" if side.side == "reference" else "precision"
        hits = sum(one.label == "entailment" for one in side.judged)
        entry[f"{side.kind}s_{metric}"] = [hits, len(side.judged)]
    return list(found.values())


def lines(found: Mapping[str, Any]) -> list[str]:
    """The table for people."""
    judges = ", ".join(found["judges"]) or "none yet"
    badge = " · made by the embedded baseline: no CapST score" if found["baseline"] else ""
    out = [f"{found['evaluation']} · judge: {judges}{badge}"]
    if not found["judges"]:
        more = "python app.py run-evaluation NAME --stages elements,capst"
        out.append(f"  no verdicts: import the file, then: {more}")
    for policy, what in found["policies"].items():
        mine = [row for row in found["rows"] if row["policy"] == policy]
        out += ["", f"{policy}: {what}"]
        notes = [f"  note: {' · '.join(row['group'].values())}: {row['note']}" for row in mine if row["note"]]
        out += [*dict.fromkeys(notes), *(_line(row) for row in mine)]
    return out


def _line(row: Mapping[str, Any]) -> str:
    name = " · ".join(row["group"].values())
    metric = row["metric"].replace(LETTER, ", letter of the paper")
    dropped = ", ".join(f"{n} {why}" for why, n in row["dropped"].items())
    counted = f"{row['n']} of {row['of']} elements, {plural(row['videos'], 'video')}"
    return f"  {name:28} {metric:32} {value_words(row):26} {counted}{f' ({dropped})' if dropped else ''}"

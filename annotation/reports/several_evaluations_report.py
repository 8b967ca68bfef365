"""Compares several evaluations under one policy: figures, judges with people, and judges with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.reports.evaluation_report import report
from annotation.scores.agreement import kappa
from annotation.scores.scored_item import Item
from annotation.store.find_ceiling_evaluations import ceiling_evaluations
from annotation.store.store import Store
from annotation.store.verdicts.cached_score_items import kept_items
from backends.errors import UsageError

MOST = 6
"""Maximum number of evaluations: as many as are cached."""
ROLES = ("captions", "answers", "verdicts")


def side_by_side(store: Store, evaluation_ids: Sequence[str], policy: str) -> dict[str, Any]:
    """Return `{"policy", "rows", "pairs"}`: a row per evaluation, and a pair for every two of them.

    Raises NotFound, UsageError.
    """
    ids = list(dict.fromkeys(evaluation_ids))
    if not 1 <= len(ids) <= MOST:
        raise UsageError(f"give 1 to {MOST} evaluations to compare")
    apart = {e.id for e in ceiling_evaluations(store)}
    rows = [_row(store, key, policy) | {"ceiling": key in apart} for key in ids]
    return {"policy": policy, "rows": rows, "pairs": pairs(store, ids)}


def _row(store: Store, evaluation_id: str, policy: str) -> dict[str, Any]:
    found = report(store, evaluation_id, [policy])
    figures: dict[str, dict[str, Any]] = {}
    for row in found["rows"]:
        aspect = row["group"].get("aspect", "")
        kept = {name: row[name] for name in ("value", "low", "high", "n", "of", "partial")}
        figures.setdefault(row["metric"], {})[aspect] = kept
    evaluation = store.get(Evaluation, evaluation_id)
    agreed = found["agreement"]
    return {
        "id": evaluation_id,
        "name": evaluation.name,
        "baseline": evaluation.baseline,
        "runs": run_facts(store, evaluation_id),
        "figures": figures,
        "people": {"n": agreed["n"], "observed": agreed["observed"], "kappa": agreed["kappa"]},
    }


def run_facts(store: Store, evaluation_id: str) -> dict[str, dict[str, Any]]:
    """Return what influences figures, per role: model, prompt, number of frames."""
    links = store.find(EvaluationRun, evaluation_id=evaluation_id)
    known = {run.id: run for run in store.find(Run, id=[link.run_id for link in links])}
    facts: dict[str, dict[str, Any]] = {}
    for role in ROLES:
        runs = [known[link.run_id] for link in links if link.role == role]
        if runs:
            facts[role] = {
                "ids": sorted(run.id for run in runs),
                "model": ", ".join(sorted({r.model for r in runs})),
                "prompt": ", ".join(sorted({r.prompt_hash for r in runs if r.prompt_hash})),
                "frames": next((r.params["frames"] for r in runs if "frames" in r.params), None),
            }
    return facts


def same_answers(store: Store, evaluation_id: str) -> list[str]:
    """Return this evaluation and the others whose judges rated the same answers; oldest first."""
    mine = {x.run_id for x in store.find(EvaluationRun, evaluation_id=evaluation_id, role="answers")}
    links = store.find(EvaluationRun, role="answers", run_id=sorted(mine)) if mine else []
    ids = {link.evaluation_id for link in links} | {evaluation_id}
    found = store.find(Evaluation, id=sorted(ids), order_by=["created_at"])
    return [evaluation.id for evaluation in found]


# --- judges against each other ----------------------------------------------------------


def pairs(store: Store, evaluation_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return for every pair: questions with two readable verdicts, share of flips, Cohen's kappa."""
    verdicts = {key: _verdicts(kept_items(store, key).items) for key in evaluation_ids}
    found = []
    for a, b in combinations(evaluation_ids, 2):
        cells = {(x, y): 0 for x in ("yes", "no") for y in ("yes", "no")}
        for question, word in verdicts[a].items():
            if question in verdicts[b]:
                cells[word, verdicts[b][question]] += 1
        n = sum(cells.values())
        flips = cells["yes", "no"] + cells["no", "yes"]
        found.append(
            {
                "a": a,
                "b": b,
                "n": n,
                "flips": flips,
                "share": flips / n if n else None,
                "kappa": kappa(cells) if n else None,
                "confusion": [{"a": x, "b": y, "n": count} for (x, y), count in cells.items()],
            }
        )
    return found


def _verdicts(items: Sequence[Item]) -> dict[str, str]:
    return {
        i.question: "yes" if i.accuracy >= 0.5 else "no"
        for i in items
        if i.question and i.state == "done" and i.accuracy is not None
    }


# --- the ceiling ----------------------------------------------------------------------


def ceiling_of(store: Store, evaluation_id: str) -> dict[str, Any] | None:
    """Return the figures of the reference captions, with this evaluation's judge if such a ceiling exists.

    `{"id", "name", "same_judge", "figures": {metric: {aspect: value}}}`. Returns None if there is no ceiling,
    and for a ceiling itself.
    """
    found = ceiling_evaluations(store)
    if not found or any(e.id == evaluation_id for e in found):
        return None
    judge = _judge(store, evaluation_id)
    alike = [e for e in found if _judge(store, e.id) == judge]
    chosen = alike[0] if alike else next((e for e in found if not e.baseline), found[0])
    rows = report(store, chosen.id, ["parsed"])["rows"]
    figures: dict[str, dict[str, Any]] = {}
    for row in rows:
        figures.setdefault(row["metric"], {})[row["group"].get("aspect", "")] = row["value"]
    return {
        "id": chosen.id,
        "name": chosen.name,
        "same_judge": bool(alike),
        "baseline": chosen.baseline,
        "figures": figures,
    }


def _judge(store: Store, evaluation_id: str) -> str:
    facts: Mapping[str, Any] = run_facts(store, evaluation_id).get("verdicts", {})
    return str(facts.get("model", ""))

"""Method descriptions for figures in a paper: models, prompts, policies, kinds of intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.version import VERSION
from annotation.reports.report_type import Report
from annotation.scores.compare_two_evaluations import FLIPS
from annotation.scores.means_with_intervals import DRAWS, LEVEL
from annotation.store.store import Store
from annotation.workspace.prompts_in_use import HASH, labels_by_hash, other_prompts

ROLES = {
    "captions": "captions by",
    "questions": "questions by",
    "answers": "answers extracted by",
    "elements": "events and objects by",
    "verdicts": "judged by",
    "repeats": "judged again by",
}
"""In the order of the work."""
INTERVALS = f"{LEVEL:.0%} percentile bootstrap over videos ({DRAWS:,} draws)"


@dataclass(frozen=True, slots=True)
class Model:
    """The model of one part of an evaluation, and its prompt."""

    role: str
    name: str
    prompt_hash: str
    """Empty if the prompt is unknown, as in a log."""
    version: str
    """Label of a version of the prompt; empty for the protocol's prompt and for unknown ones."""
    baseline: bool


def models_with_prompts(store: Store, evaluation_id: str) -> list[Model]:
    """Return each model once, in the order of the work."""
    links = store.find(EvaluationRun, evaluation_id=evaluation_id)
    runs = [(link.role, store.get(Run, link.run_id)) for link in links if link.role in ROLES]
    labels = labels_by_hash(store)
    found = {
        Model(role, run.model, run.prompt_hash, labels.get(run.prompt_hash, ""), run.baseline)
        for role, run in runs
    }
    order = list(ROLES)
    return sorted(found, key=lambda model: (order.index(model.role), model.name, model.prompt_hash))


def methods(store: Store, found: Report) -> str:
    """Describe a report of `score` in one line."""
    names = [*found.get("policies", {})] or dict.fromkeys(row["policy"] for row in found["rows"])
    notes = ["n: counted verdicts, of all verdicts"]
    if any(row.get("low") is not None for row in found["rows"]):
        notes.append(f"intervals: {INTERVALS}")
    return _line([*_chain(store, str(found["evaluation"])), _policies(found, names), *notes])


def comparison_methods(store: Store, found: Report) -> str:
    """Describe a report of `compare` in one line."""
    parts = [f"{side}: {'; '.join(_chain(store, str(found[side.lower()])))}" for side in "AB"]
    notes = (
        f"B minus A on the questions counted in both under the policy {found['policy']}, mean over videos",
        f"intervals: {INTERVALS}",
        f"p: sign-flip permutation test over videos ({FLIPS:,} random signs)",
    )
    return _line([*parts, *notes])


def _policies(found: Report, names: Iterable[str]) -> str:
    known = found.get("policies", {})
    return "policy " + "; ".join(f"{name}: {known[name]}" if name in known else name for name in names)


def _chain(store: Store, name: str) -> list[str]:
    """Return the evaluation and its models; without models if it was read from files that do not name any."""
    evaluations: Sequence[Evaluation] = store.find(Evaluation, name=name)
    models = [model for each in evaluations for model in models_with_prompts(store, each.id)]
    baseline = any(each.baseline for each in evaluations) or any(model.baseline for model in models)
    others = [one for each in evaluations for one in other_prompts(store, each.id)]
    named = ", ".join(map(str, others))
    own = [f"not by the protocol's prompts ({named}): not a published metric"] if others else []
    note = ["partly made by the embedded baseline: not a published metric"] if baseline else []
    return [f'evaluation "{name}"', *map(_model_words, models), *own, *note]


def _model_words(model: Model) -> str:
    version = f"“{model.version}” " if model.version else ""
    prompt = f"prompt {version}{model.prompt_hash[:HASH]}" if model.prompt_hash else "prompt not recorded"
    return f"{ROLES[model.role]} {model.name or 'unknown'} ({prompt})"


def _line(parts: Sequence[str]) -> str:
    return " ".join(f"{'. '.join([*parts, f'Dailies {VERSION}'])}.".split())

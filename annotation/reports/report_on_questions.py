"""Reports of the systems whose evaluations consist of questions (`SystemSpec.chain`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.pipeline.question_chains import chain_of_evaluation
from annotation.reports.evaluation_report import report
from annotation.reports.report_type import Options
from annotation.store.benchmark_of_evaluation import find_of_questions, plain_evaluations
from annotation.store.store import Store
from backends.errors import UsageError


def reports_on_questions(store: Store, options: Options, system: str, by: str) -> list[dict[str, Any]]:
    """Return `evaluation_report.report` of each evaluation, grouped by `by` unless the options set groups."""
    chosen = chosen_evaluations(store, system, options)
    policies = list(options.policies) or None
    return [
        {"system": system} | report(store, each, policies, options.by or (by,), suspects=options.suspects)
        for each in chosen
    ]


def chosen_evaluations(store: Store, system: str, options: Options) -> Sequence[str]:
    """Return ids of the named evaluation, else of the newest, or of all created from `options.files`.

    Raises NotFound, UsageError.
    """
    if options.evaluation:
        return [find_of_questions(store, options.evaluation)]
    everything = sorted(plain_evaluations(store), key=lambda e: (not e.baseline, e.created_at))
    found = [e.id for e in everything if chain_of_evaluation(store, e.id).benchmark == system]
    found = found if options.files else found[-1:]
    if not any(found):
        raise UsageError(
            f"no evaluation of {system} found; create one with: python app.py run, or import a log"
        )
    return found

"""`score` and `compare`: one long table for every system."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from annotation.errors import UsageError
from ui.commands.options import (
    DEFAULT_WORKSPACE,
    DatabaseOption,
    JsonOption,
    WorkspaceOption,
    open_workspace,
    show,
)

SYSTEMS = {"vdc": "aspect", "video-mmlu": "discipline"}
"""The benchmarks, and what each is grouped by unless told otherwise."""


def add_to(cli: typer.Typer) -> None:
    """Make the two commands known."""
    cli.command()(score)
    cli.command()(compare)


def score(
    system: Annotated[str, typer.Argument(help=f"{', '.join(SYSTEMS)}.")],
    files: Annotated[
        list[Path] | None, typer.Argument(help="Logs or evaluations to score without importing them.")
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    evaluation: Annotated[
        str | None, typer.Option(help="Name or id of the evaluation; default: the newest.")
    ] = None,
    policy: Annotated[
        str | None, typer.Option(help="Policies, separated by commas; default: every one.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="aspect, category, discipline, source, length; several with commas."),
    ] = None,
    suspects: Annotated[
        bool, typer.Option("--suspects/--no-suspects", help="Count questions that the checks doubt.")
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Score evaluations under every policy, each figure with its denominator and interval."""
    from exports.score_report import lines, report

    if system not in SYSTEMS:
        raise UsageError(f"no system {system!r}; choose from {', '.join(SYSTEMS)}")
    policies = [name.strip() for name in policy.split(",")] if policy else None
    groups = [name.strip() for name in (by or SYSTEMS[system]).split(",")]
    with _store(files or [], workspace, database) as store:
        chosen = _evaluations(store, system, evaluation, bool(files))
        reports = [report(store, each, policies, groups, suspects=suspects) for each in chosen]
    more, published = _published(system)
    shown: Any = [{"system": system} | found | more for found in reports]
    show(
        shown[0] if len(shown) == 1 else shown, as_json,
        lambda: [*(x for r in reports for x in lines(r)), *published],
    )  # fmt: skip


def _published(system: str) -> tuple[dict[str, Any], list[str]]:
    """Published figures beside one's own, as JSON and as lines; those of VDC stand on the page Scores."""
    if system != "video-mmlu":
        return {}, []
    from annotation.scores.published import published_mmlu

    rows = published_mmlu()
    head = "published, in percent: final, caption, QA (32 frames, judge Qwen2.5-72B; prompts differ)"
    lines = [f"  {row.model:20} {row.final:6.2f} {row.caption:6.2f} {row.qa:6.2f}" for row in rows]
    return {"published": [asdict(row) for row in rows]}, ["", head, *lines]


def compare(
    a: Annotated[str, typer.Argument(metavar="EVALUATION_A", help="Name or id.")],
    b: Annotated[str, typer.Argument(metavar="EVALUATION_B", help="Name or id.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    policy: Annotated[str, typer.Option(help="Policy under which both are counted.")] = "parsed",
    as_json: JsonOption = False,
) -> None:
    """Compare two evaluations on the questions that both have: paired difference, test, flips."""
    from annotation.store.lists import find_evaluation
    from exports.score_report import comparison, comparison_lines

    store = open_workspace(workspace, database).store
    found = comparison(store, find_evaluation(store, a), find_evaluation(store, b), policy)
    show(found, as_json, lambda: comparison_lines(found))


@contextmanager
def _store(files: Sequence[Path], workspace: Path, database: str | None) -> Iterator[Any]:
    """The workspace's store, or one in a temporary folder that holds the files alone."""
    if not files:
        yield open_workspace(workspace, database).store
        return
    from exports import formats

    with tempfile.TemporaryDirectory(prefix="dailies-score-") as folder:
        space = open_workspace(Path(folder), None)
        try:
            for file in files:
                formats.commit(space.store, formats.read(file, space.store))
            yield space.store
        finally:
            space.close()


def _evaluations(store: Any, system: str, wanted: str | None, every: bool) -> list[str]:
    from annotation.records import Evaluation
    from annotation.store.lists import find_evaluation
    from annotation.store.score_items import mmlu_evaluations

    if wanted:
        return [find_evaluation(store, wanted)]
    of_mmlu = mmlu_evaluations(store)
    everything = sorted(store.find(Evaluation), key=lambda e: (not e.baseline, e.created_at))
    found = [e.id for e in everything if (e.id in of_mmlu) == (system == "video-mmlu")]
    found = found if every else found[-1:]
    if not any(found):
        raise UsageError(
            f"there is no evaluation of {system}; make one with: python app.py run, or import a log"
        )
    return found

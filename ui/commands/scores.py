"""`score` and `compare`: prints the scores of every benchmark as one long table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backends.errors import UsageError
from ui.commands.late_help import command_with_help
from ui.commands.options import (
    DEFAULT_WORKSPACE,
    DatabaseOption,
    EmbedderOption,
    JsonOption,
    TableOption,
    WorkspaceOption,
    known_style,
    open_workspace,
    passing_workspace,
    show,
    some_path,
)
from ui.commands.terminal_output import say

if TYPE_CHECKING:
    from annotation.reports.report_type import Report, System
    from annotation.store.store import Store
    from exports.files.format_types import Problem

MOST_PROBLEMS = 8
"""Number of problems of a file that are printed."""


def add_to(cli: typer.Typer) -> None:
    """Register the two commands."""
    cli.command(cls=command_with_help(_help))(score)
    cli.command()(compare)


def _help(declared: Mapping[str, str]) -> dict[str, str]:
    """Return help texts with the names of the benchmarks, and of those that use an option."""
    from exports.catalogue.report_registry import REPORTS

    options = dict.fromkeys(option for report in REPORTS.values() for option in report.options)
    users = {o: ", ".join(name for name, report in REPORTS.items() if o in report.options) for o in options}
    return {"system": f"{', '.join(REPORTS)}."} | {
        option: f"{names}: {declared[option][:1].lower()}{declared[option][1:]}"
        for option, names in users.items()
    }


def score(
    system: Annotated[str, typer.Argument(help="Name of the benchmark.")] = "",
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Logs or evaluations to score without importing them.", parser=some_path),
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    evaluation: Annotated[
        str | None, typer.Option(help="Name or id of the evaluation; default: the newest.")
    ] = None,
    policy: Annotated[str | None, typer.Option(help="Policies, separated by commas; default: all.")] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="Groups, separated by commas: aspect, category, discipline, source, length, error-source."
        ),
    ] = None,
    suspects: Annotated[
        bool, typer.Option("--suspects/--no-suspects", help="Count questions that the checks flag.")
    ] = True,
    embeddings: Annotated[
        str, typer.Option(help="Word vectors: a sentence-transformers model (name or folder).")
    ] = "",
    tagger: Annotated[
        str, typer.Option(help="Part-of-speech tagger: a spaCy model (package or folder).")
    ] = "",
    embedder: EmbedderOption = None,
    frames: Annotated[int | None, typer.Option(min=1, help="Frames per video; default: 32.")] = None,
    npz: Annotated[
        Path | None,
        typer.Option(help="File to write the embeddings of --embedder to.", parser=some_path),
    ] = None,
    table: TableOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score evaluations under every policy; each score has its denominator and interval."""
    from annotation.reports.paper_tables import score_lines
    from annotation.reports.report_type import Options
    from annotation.reports.unfinished_runs import marked
    from exports.catalogue.report_registry import REPORTS

    style = known_style(table, as_json)
    if system not in REPORTS:
        what = f"unknown benchmark {system!r}" if system else "give a benchmark"
        raise UsageError(f"{what}; choose from {', '.join(REPORTS)}")
    known = REPORTS[system]
    measured, incomplete = _measured(known, files, evaluation, workspace, database, embedder, frames, npz)
    with _store((known.imports and files) or [], workspace, database) as store:
        options = Options(
            measured or evaluation,
            _names(policy),
            _names(by),
            suspects,
            embeddings,
            tagger,
            tuple(files or ()),
        )
        found = [marked(store, each) for each in known.report(store, options)]
        printed = [score_lines(store, each, style) if style else _lines(known, each) for each in found]
    shown = found[0] if len(found) == 1 else found
    show(shown, as_json, lambda: [line for lines in printed for line in lines])
    if incomplete:
        raise typer.Exit(1)


def _measured(
    system: System,
    files: Sequence[Path] | None,
    evaluation: str | None,
    workspace: Path,
    database: str | None,
    embedder: str | None,
    frames: int | None,
    npz: Path | None,
) -> tuple[str | None, bool]:
    """Embed the videos of the workspace if --embedder is given.

    Returns the id of the resulting evaluation, and whether anything failed.
    """
    if embedder is None:
        if frames is not None or npz is not None:
            raise UsageError("--frames and --npz need --embedder; give one, such as --embedder baseline")
        return None, False
    if system.measure is None:
        raise UsageError(f"--embedder applies to {_measurable()}, not to {system.name}")
    if files or evaluation:
        raise UsageError("--embedder measures the videos of the workspace; remove the files and --evaluation")
    from ui.commands.measure_videos import measure

    space = open_workspace(workspace, database)
    return measure(space, system.measure(space.store, frames, npz), embedder)


def _measurable() -> str:
    """`retrieval and rebias`."""
    from exports.catalogue.report_registry import REPORTS

    return " and ".join(name for name, report in REPORTS.items() if report.measure)


def _names(value: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip()) if value else ()


def compare(
    a: Annotated[str, typer.Argument(metavar="EVALUATION_A", help="Name or id.")],
    b: Annotated[str, typer.Argument(metavar="EVALUATION_B", help="Name or id.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    policy: Annotated[str, typer.Option(help="Policy used for both.")] = "parsed",
    table: TableOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare two evaluations on their common questions: paired difference, test, flips."""
    from annotation.reports.evaluation_report import comparison, comparison_lines
    from annotation.reports.paper_tables import comparison_paper_lines
    from annotation.store.evaluation_by_name import find_evaluation

    style = known_style(table, as_json)
    store = open_workspace(workspace, database).store
    found = comparison(store, find_evaluation(store, a), find_evaluation(store, b), policy)
    show(
        found,
        as_json,
        lambda: comparison_paper_lines(store, found, style) if style else comparison_lines(found),
    )


def _lines(system: System, found: Report) -> list[str]:
    """Return a report as lines of text; the second line reports whether it is partial."""
    from annotation.reports.unfinished_runs import unfinished_lines

    head, *rest = system.lines(found)
    return [head, *unfinished_lines(found), *rest]


def _print_problems(problems: Sequence[Problem]) -> None:
    """Print the problems of a file, at most `MOST_PROBLEMS`."""
    for problem in problems[:MOST_PROBLEMS]:
        say(f"{problem.where}: {problem.what}")
    if len(problems) > MOST_PROBLEMS:
        say(f"and {len(problems) - MOST_PROBLEMS:,} more; python app.py import lists all of them")


@contextmanager
def _store(files: Sequence[Path], workspace: Path, database: str | None) -> Iterator[Store]:
    """Yield the store of the workspace, or a temporary store that contains only the files."""
    if not files:
        yield open_workspace(workspace, database).store
        return
    from exports.catalogue import format_registry as formats

    with passing_workspace() as space:
        for file in files:
            batch = formats.read(file, space.store)
            formats.commit(space.store, batch)
            _print_problems(batch.problems)
        yield space.store

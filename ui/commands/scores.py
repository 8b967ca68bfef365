"""`score` and `compare`: one long table for every system."""

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
"""Of a file, that are printed one by one."""


def add_to(cli: typer.Typer) -> None:
    """Make the two commands known."""
    cli.command(cls=command_with_help(_help))(score)
    cli.command()(compare)


def _help(declared: Mapping[str, str]) -> dict[str, str]:
    """The names of the benchmarks, and of those that an option is for."""
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
    policy: Annotated[
        str | None, typer.Option(help="Policies, separated by commas; default: every one.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="aspect, category, discipline, source, length, error-source; several with commas."),
    ] = None,
    suspects: Annotated[
        bool, typer.Option("--suspects/--no-suspects", help="Count questions that the checks flag.")
    ] = True,
    embeddings: Annotated[
        str, typer.Option(help="Vectors of words, a name or folder of sentence-transformers.")
    ] = "",
    tagger: Annotated[str, typer.Option(help="Parts of speech, a package or folder of spaCy.")] = "",
    embedder: EmbedderOption = None,
    frames: Annotated[int | None, typer.Option(min=1, help="Frames of each video; default: 32.")] = None,
    npz: Annotated[
        Path | None,
        typer.Option(help="File for the vectors of --embedder.", parser=some_path),
    ] = None,
    table: TableOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score evaluations under every policy, each figure with its denominator and interval."""
    from annotation.reports.paper_tables import score_lines
    from annotation.reports.report_type import Options
    from annotation.reports.unfinished_runs import marked
    from exports.catalogue.report_registry import REPORTS

    style = known_style(table, as_json)
    if system not in REPORTS:
        what = f"no system {system!r}" if system else "name a system"
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
    """With --embedder: have the videos here looked at first.

    The id of the evaluation that comes of it, and whether something could not be looked at.
    """
    if embedder is None:
        if frames is not None or npz is not None:
            raise UsageError("--frames and --npz belong to --embedder; name one, such as --embedder baseline")
        return None, False
    if system.measure is None:
        raise UsageError(f"--embedder is for {_measurable()}, not for {system.name}")
    if files or evaluation:
        raise UsageError("--embedder measures the videos of the workspace; leave out files and --evaluation")
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
    policy: Annotated[str, typer.Option(help="Policy under which both are counted.")] = "parsed",
    table: TableOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare two evaluations on the questions that both have: paired difference, test, flips."""
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
    """A report for people, whose second line says whether it is partial."""
    from annotation.reports.unfinished_runs import unfinished_lines

    head, *rest = system.lines(found)
    return [head, *unfinished_lines(found), *rest]


def _say_problems(problems: Sequence[Problem]) -> None:
    """What of a file is not in the figures; long lists are shortened."""
    for problem in problems[:MOST_PROBLEMS]:
        say(f"{problem.where}: {problem.what}")
    if len(problems) > MOST_PROBLEMS:
        say(f"and {len(problems) - MOST_PROBLEMS:,} more; python app.py import names them all")


@contextmanager
def _store(files: Sequence[Path], workspace: Path, database: str | None) -> Iterator[Store]:
    """The workspace's store, or one in a temporary folder that holds the files alone."""
    if not files:
        yield open_workspace(workspace, database).store
        return
    from exports.catalogue import format_registry as formats

    with passing_workspace() as space:
        for file in files:
            batch = formats.read(file, space.store)
            formats.commit(space.store, batch)
            _say_problems(batch.problems)
        yield space.store

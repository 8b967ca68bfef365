"""`prompt`: versions of the extractor's and the judge's prompt, tried on labelled verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ui.commands.command_group import CommandGroup
from ui.commands.options import (
    DEFAULT_WORKSPACE,
    ChatOption,
    DatabaseOption,
    JsonOption,
    WorkspaceOption,
    open_workspace,
    show,
    some_path,
)
from ui.commands.terminal_output import say, stoppable

if TYPE_CHECKING:
    from annotation.records.prompt_versions import PromptVersion
    from annotation.workspace.workspace import Workspace

prompt_cli = typer.Typer(
    cls=CommandGroup, help="Manage versions of the extractor's and the judge's prompt.", no_args_is_help=True
)
NameArgument = Annotated[
    str,
    typer.Argument(
        help="vdc_verdict (judge), vdc_answer (extractor), mmlu_verdict_notes or mmlu_verdict_quiz "
        "(judges of Video-MMLU)."
    ),
]
EvaluationArgument = Annotated[str, typer.Argument(help="Name or id of an evaluation with labels.")]
VersionArgument = Annotated[
    str, typer.Argument(help="Name of a version or the beginning of its hash; usual: the default prompt.")
]
USUAL = "usual"


def add_to(cli: typer.Typer) -> None:
    """Register the commands."""
    cli.add_typer(prompt_cli, name="prompt")


@prompt_cli.command("show")
def show_versions(
    name: NameArgument,
    evaluation: EvaluationArgument,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the versions of a prompt, with the agreement of the judge and people for each."""
    space = open_workspace(workspace, database)
    _show(space, name, evaluation, as_json)


@prompt_cli.command()
def add(
    name: NameArgument,
    label: Annotated[str, typer.Argument(help="Name of the new version.")],
    file: Annotated[
        Path, typer.Argument(help="File with the prompt, in the form of a prompt file.", parser=some_path)
    ],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a version of a prompt. The prompt in use does not change."""
    from annotation.editing.write_prompt_versions import add_version, known_prompt
    from annotation.prompts.prompt_files import read_prompt
    from annotation.workspace.prompts_in_use import HASH

    space = open_workspace(workspace, database)
    read = read_prompt(known_prompt(name), file)
    made = add_version(space.store, space.owner(), space.prompts, name, label, read.system, read.user)
    found = {"id": made.id, "prompt": name, "label": made.label, "hash": made.hash}
    show(found, as_json, lambda: [f"{made.label}  {made.hash[:HASH]}"])


@prompt_cli.command("try")
def try_version(
    name: NameArgument,
    version: VersionArgument,
    evaluation: EvaluationArgument,
    held_back: Annotated[
        bool,
        typer.Option("--held-back", help="Use the held-back half; the person and the time are recorded."),
    ] = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    extractor: ChatOption = None,
    judge: ChatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Repeat the labelled verdicts with a version: one half of them, or the half that is held back."""
    from annotation.pipeline.engines import choose, make_engines
    from annotation.pipeline.prompt_trials import trial_of
    from annotation.store.evaluation_by_name import find_evaluation
    from ui.commands.run_stages import run_plan

    space = open_workspace(workspace, database)
    chosen = _version(space, name, version)
    key = find_evaluation(space.store, evaluation)
    plan = trial_of(space, space.owner(), key, name, chosen, held_back=held_back)
    choice = choose(space.settings, extractor=extractor, judge=judge)
    with stoppable() as stop:
        outcome = run_plan(space, make_engines(choice, space), plan, stop)
    for problem in outcome.problems:
        say(problem)
    _show(space, name, key, as_json)
    raise typer.Exit(outcome.exit_code)


@prompt_cli.command()
def use(
    name: NameArgument,
    version: VersionArgument,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
) -> None:
    """Use a version from the next run on, in this workspace; `usual` restores the default prompt."""
    from annotation.editing.write_prompt_versions import put_into_use

    space = open_workspace(workspace, database)
    chosen = _version(space, name, version)
    changed = put_into_use(space.store, space.owner(), name, chosen)
    who = chosen.label if chosen else "the default prompt"
    say(f"{name}: {who} {'is' if changed else 'was already'} in use")


def _version(space: Workspace, name: str, version: str) -> PromptVersion | None:
    """Return a version, or None for the default prompt. Raises NotFound, UsageError."""
    from annotation.editing.write_prompt_versions import known_prompt
    from annotation.workspace.prompts_in_use import find_version

    return None if version == USUAL else find_version(space.store, known_prompt(name), version)


def _show(space: Workspace, name: str, evaluation: str, as_json: bool) -> None:
    from annotation.reports.prompt_versions_report import workshop, workshop_lines
    from annotation.store.evaluation_by_name import find_evaluation

    found = workshop(space.store, space.prompts, find_evaluation(space.store, evaluation), name)
    show(found, as_json, lambda: workshop_lines(found))

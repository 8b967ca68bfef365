"""Flags that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from ui.console import print_json

WorkspaceOption = Annotated[
    Path, typer.Option("--workspace", "-w", help="Folder of the workspace.", envvar="DAILIES_WORKSPACE")
]
DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--database",
        help="Database URL; default: a SQLite file in the workspace.",
        envvar="DAILIES_DATABASE",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
ChatOption = Annotated[
    str | None,
    typer.Option(
        help="Chat engine: baseline, vllm:MODEL, or http://host:port/v1#model. Default: settings.toml."
    ),
]
EmbedderOption = Annotated[
    str | None,
    typer.Option(
        help="Vectors of texts and videos, for retrieval: baseline, http://host:port/v1#model, or a name or "
        "folder of sentence-transformers."
    ),
]
RrSettingOption = Annotated[
    str,
    typer.Option(
        help="Stage vript_hard: what goes with a question of Vript-RR: whole (the whole video), scene (its "
        "scene alone), both."
    ),
]
DEFAULT_WORKSPACE = Path("workspace")


def open_workspace(workspace: Path, database: str | None) -> Any:
    """Imports late: a command that needs no workspace starts fast."""
    from annotation.workspace import Workspace

    return Workspace(workspace, database)


def show(value: Any, as_json: bool, lines: Callable[[], Iterable[str]]) -> None:
    """The facts as JSON, or as lines for people."""
    if as_json:
        print_json(value)
    else:
        sys.stdout.write("".join(f"{line}\n" for line in lines()))

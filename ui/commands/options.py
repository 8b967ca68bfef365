"""Flags that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from ui.commands.terminal_output import print_json

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
        help="Chat engine: baseline, vllm:MODEL, llama:FILE, or http://host:port/v1#model. Default: "
        "settings.toml."
    ),
]
EmbedderOption = Annotated[
    str | None,
    typer.Option(
        help="Vectors of texts and videos, for retrieval: baseline, http://host:port/v1#model, or a name or "
        "folder of sentence-transformers."
    ),
]
SpeechOption = Annotated[
    str | None, typer.Option(help="Whisper size (base, small ...), a folder with weights, or none.")
]
OcrOption = Annotated[str | None, typer.Option(help="Who reads text in the picture: rapidocr, or none.")]
LanguageOption = Annotated[str | None, typer.Option(help="Spoken language (en, de ...); default: detected.")]
DetectorOption = Annotated[
    str | None,
    typer.Option(
        help="Scene detector: default, adaptive, content, threshold, hash, histogram, vript, transnetv2; "
        "several with +, parameters after a colon."
    ),
]
ReaderOption = Annotated[
    str | None, typer.Option(help="Who decodes the frames given to models: pyav (default) or decord.")
]
PresetOption = Annotated[str | None, typer.Option(help="vript: scenes as in the Vript dataset.")]
StagesOption = Annotated[str | None, typer.Option(help="Stages, separated by commas; default: all.")]
AgainOption = Annotated[bool, typer.Option("--again", help="Ask once more where a reply could not be read.")]
DEFAULT_WORKSPACE = Path("workspace")


def open_workspace(workspace: Path, database: str | None) -> Any:
    """Imports late: a command that needs no workspace starts fast."""
    from annotation.workspace.workspace import Workspace

    return Workspace(workspace, database)


def show(value: Any, as_json: bool, lines: Callable[[], Iterable[str]]) -> None:
    """The facts as JSON, or as lines for people."""
    if as_json:
        print_json(value)
    else:
        sys.stdout.write("".join(f"{line}\n" for line in lines()))

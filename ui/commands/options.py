"""Flags that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backends.errors import UsageError
from ui.commands.terminal_output import print_json

if TYPE_CHECKING:
    from annotation.stages.spending import Cap
    from annotation.workspace.workspace import Workspace


def some_place(text: str) -> str:
    """Parse a flag or argument that is a path or URL.

    An empty text is refused, because it would mean the current folder.
    """
    if not text:
        raise typer.BadParameter("empty path; give a file or folder (is a shell variable unset?)")
    return text


def some_path(text: str) -> Path:
    """Parse a flag or argument that is a path; see `some_place`."""
    return Path(some_place(text))


WorkspaceOption = Annotated[
    Path,
    typer.Option(
        "--workspace",
        "-w",
        help="Folder of the workspace.",
        envvar="DAILIES_WORKSPACE",
        parser=some_path,
    ),
]
VideoArgument = Annotated[Path, typer.Argument(parser=some_path)]
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
        help="Embeddings of texts and pictures, for retrieval and the stage picture_vectors: baseline, "
        "http://host:port/v1#model, or a sentence-transformers model (name or folder)."
    ),
]
SpeechOption = Annotated[
    str | None,
    typer.Option(help="Whisper size (base, small ...), folder with weights, batched:SIZE, or none."),
]
OcrOption = Annotated[
    str | None, typer.Option(help="Engine that reads text in the picture: rapidocr or none.")
]
LanguageOption = Annotated[str | None, typer.Option(help="Spoken language (en, de ...); default: detected.")]
DetectorOption = Annotated[
    str | None,
    typer.Option(
        help="Scene detector: default, adaptive, content, threshold, hash, histogram, vript, transnetv2; "
        "combine several with +, give parameters after a colon."
    ),
]
ReaderOption = Annotated[
    str | None, typer.Option(help="Decoder of the frames given to models: pyav (default) or decord.")
]
PresetOption = Annotated[str | None, typer.Option(help="vript: scenes as in the Vript dataset.")]
AgainOption = Annotated[bool, typer.Option("--again", help="Repeat requests whose reply could not be read.")]
MostCallsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Stop after this many model calls; results so far are kept. Calls of the baseline do not count.",
    ),
]
MostCostOption = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="Stop before the calls cost more than this, by [prices] in settings.toml; results so far are "
        "kept.",
    ),
]
EstimateOption = Annotated[
    bool,
    typer.Option(
        "--estimate",
        help="Only print an estimate: calls, tokens, time, and cost if prices are set.",
    ),
]
TableOption = Annotated[
    str | None,
    typer.Option(
        help="Print a table for a paper: markdown or latex (booktabs), with n, intervals and a methods line."
    ),
]
DEFAULT_WORKSPACE = Path("workspace")


def open_workspace(workspace: Path, database: str | None) -> Workspace:
    """Open an existing workspace. Raises UsageError if there is none.

    Imports late, so that commands without a workspace start fast.
    """
    from annotation.workspace.workspace import Workspace

    return Workspace.existing(workspace, database)


def open_or_make_workspace(workspace: Path, database: str | None) -> Workspace:
    """Open a workspace; create it if it does not exist."""
    from annotation.workspace.workspace import Workspace

    return Workspace(workspace, database)


@contextmanager
def passing_workspace() -> Iterator[Workspace]:
    """Create an empty workspace in a temporary folder and remove it at the end."""
    with TemporaryDirectory(prefix="dailies-") as folder:
        space = open_or_make_workspace(Path(folder), None)
        try:
            yield space
        finally:
            space.close()


@contextmanager
def workspace_or_passing(workspace: Path, database: str | None) -> Iterator[Workspace]:
    """Open the workspace; if it does not exist, create a temporary one with the settings of its folder."""
    from annotation.workspace.workspace import SETTINGS, is_workspace

    if is_workspace(workspace, database):
        yield open_workspace(workspace, database)
        return
    with passing_workspace() as space:
        if (written := workspace.expanduser() / SETTINGS).is_file():
            (space.path / SETTINGS).write_bytes(written.read_bytes())
        yield space


def cap_of(most_calls: int | None, most_cost: float | None) -> Cap:
    """Return the flags as a `Cap`."""
    from annotation.stages.spending import Cap

    return Cap(most_calls, most_cost)


def known_style(table: str | None, as_json: bool) -> str:
    """Return the style given with `--table`, or "" if none is given. Raises UsageError."""
    from annotation.reports.paper_tables import STYLES

    if table is not None and (as_json or table not in STYLES):
        why = "--table and --json exclude each other; give one" if as_json else f"unknown table {table!r}"
        raise UsageError(f"{why}; choose from {', '.join(STYLES)}")
    return table or ""


def show(value: Any, as_json: bool, lines: Callable[[], Iterable[str]]) -> None:
    """Print a value as JSON, or as lines of text."""
    if as_json:
        print_json(value)
    else:
        sys.stdout.write("".join(f"{line}\n" for line in lines()))

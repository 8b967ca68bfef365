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
    """A path or URL as it was typed: what every flag and argument for one is read with.

    An empty one is refused, since it would mean the current folder.
    """
    if not text:
        raise typer.BadParameter("it is empty; name a file or folder (is a shell variable unset?)")
    return text


def some_path(text: str) -> Path:
    """As `some_place`, of paths."""
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
        help="Vectors of texts and pictures, for retrieval and stage picture_vectors: baseline, "
        "http://host:port/v1#model, or a name or folder of sentence-transformers."
    ),
]
SpeechOption = Annotated[
    str | None,
    typer.Option(help="Whisper size (base, small ...), a folder with weights, batched:SIZE, or none."),
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
AgainOption = Annotated[bool, typer.Option("--again", help="Ask once more where a reply could not be read.")]
MostCallsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Stop after so many calls of models; what is done is kept. The baseline's do not count.",
    ),
]
MostCostOption = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="Stop before the calls cost more than this, by [prices] in settings.toml; as --most-calls.",
    ),
]
EstimateOption = Annotated[
    bool,
    typer.Option(
        "--estimate",
        help="Only print what would be asked: calls, tokens, time, and cost where prices are set.",
    ),
]
TableOption = Annotated[
    str | None,
    typer.Option(help="For a paper: markdown or latex (booktabs), with n, intervals and a methods line."),
]
DEFAULT_WORKSPACE = Path("workspace")


def open_workspace(workspace: Path, database: str | None) -> Workspace:
    """A workspace that is there: what most commands work on. Raises UsageError where there is none.

    Imports late: a command that needs no workspace starts fast.
    """
    from annotation.workspace.workspace import Workspace

    return Workspace.existing(workspace, database)


def open_or_make_workspace(workspace: Path, database: str | None) -> Workspace:
    """For the commands that put the first things into a workspace."""
    from annotation.workspace.workspace import Workspace

    return Workspace(workspace, database)


@contextmanager
def passing_workspace() -> Iterator[Workspace]:
    """An empty workspace in a temporary folder, for what is only looked at."""
    with TemporaryDirectory(prefix="dailies-") as folder:
        space = open_or_make_workspace(Path(folder), None)
        try:
            yield space
        finally:
            space.close()


@contextmanager
def workspace_or_passing(workspace: Path, database: str | None) -> Iterator[Workspace]:
    """The workspace that is there; if there is none yet, an empty one with its settings that is not kept."""
    from annotation.workspace.workspace import SETTINGS, is_workspace

    if is_workspace(workspace, database):
        yield open_workspace(workspace, database)
        return
    with passing_workspace() as space:
        if (written := workspace.expanduser() / SETTINGS).is_file():
            (space.path / SETTINGS).write_bytes(written.read_bytes())
        yield space


def cap_of(most_calls: int | None, most_cost: float | None) -> Cap:
    """As `Cap`."""
    from annotation.stages.spending import Cap

    return Cap(most_calls, most_cost)


def known_style(table: str | None, as_json: bool) -> str:
    """What `--table` asks for; empty: nothing. Raises UsageError."""
    from annotation.reports.paper_tables import STYLES

    if table is not None and (as_json or table not in STYLES):
        why = "--table and --json are two; give one" if as_json else f"no table {table!r}"
        raise UsageError(f"{why}; choose from {', '.join(STYLES)}")
    return table or ""


def show(value: Any, as_json: bool, lines: Callable[[], Iterable[str]]) -> None:
    """The facts as JSON, or as lines for people."""
    if as_json:
        print_json(value)
    else:
        sys.stdout.write("".join(f"{line}\n" for line in lines()))

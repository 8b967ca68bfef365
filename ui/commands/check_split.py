"""`check-split`: runs the checks of the Split page on a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from annotation.records.errors import FormatError
from backends.text.file_encoding import read_text
from ui.commands.options import JsonOption, some_path
from ui.commands.terminal_output import print_json, say

FIELDS = ("full", "spatial", "temporal")


def add_to(cli: typer.Typer) -> None:
    """Register the command."""
    cli.command("check-split")(check_split)


def check_split(
    file: Annotated[
        Path, typer.Argument(help='JSON lines `{"full", "spatial", "temporal"}`.', parser=some_path)
    ],
    as_json: JsonOption = False,
) -> None:
    """Check splits of full captions; print one JSON result per line of the file, `{"findings": [...]}`.

    For a line that cannot be read the result is `{"error": ...}`, and the exit status is 1.
    """
    results = [_result(number, line) for number, line in _lines(file)]
    errors = [result["error"] for result in results if "error" in result]
    if errors and len(errors) == len(results):
        raise FormatError(f"{file}: {errors[0]}; give JSON lines with the texts full, spatial and temporal")
    if as_json:
        print_json(results)
    else:
        for result in results:
            typer.echo(json.dumps(result, ensure_ascii=False))
    for error in errors:
        say(f"{file}: {error}")
    if errors:
        raise typer.Exit(1)


def _lines(file: Path) -> list[tuple[int, str]]:
    try:
        text = read_text(file)
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{file}: {error}; give a text file of JSON lines") from error
    return [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]


def _result(number: int, line: str) -> dict[str, Any]:
    from annotation.systems.carebench.split_checks.all_checks import check_split as check
    from annotation.systems.carebench.split_checks.finding import Texts

    try:
        row = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        return {"error": f"line {number} is not JSON: {error}"}
    wrong = [name for name in FIELDS if not isinstance(row, dict) or not isinstance(row.get(name), str)]
    if wrong:
        return {"error": f"line {number}: missing text {', '.join(wrong)}"}
    findings = check(Texts(*(row[name] for name in FIELDS)))
    return {
        "findings": [
            {"check": f.check, "side": f.side, "start": f.start, "end": f.end, "text": f.text, "why": f.why}
            for f in findings
        ]
    }

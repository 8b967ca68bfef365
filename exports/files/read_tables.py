"""Reads tables (xlsx, tsv, csv, JSON) as rows of text. Errors name the file and the row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from annotation.records.errors import FormatError
from annotation.records.ids import Json
from exports.files.read_text_and_json import MAX_DOCUMENT, json_items, open_file, open_text, plain
from exports.files.reading_progress import has_read

CELL = 32_767
"""Longest text of a spreadsheet cell, in characters; longer texts are cut by the spreadsheet."""
SUFFIXES = (".xlsx", ".tsv", ".csv", ".json", ".jsonl")


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row by column name. Empty cells are missing."""

    where: str
    cells: dict[str, Json]

    def text(self, column: str) -> str:
        value = self.cells.get(column)
        return "" if value is None else str(value)


def table_rows(path: Path) -> Iterator[TableRow]:
    """Yield the rows of a table with one of the suffixes above. Raises FormatError."""
    if path.suffix.lower() == ".xlsx":
        yield from _xlsx(path)
    elif path.suffix.lower() in (".tsv", ".csv"):
        yield from _separated(path, "\t" if path.suffix.lower() == ".tsv" else ",")
    else:
        for item in json_items(path):
            if not isinstance(item.value, dict):
                raise FormatError(f"{item.where}: not an object; give a list of rows")
            yield TableRow(item.where, {k: v for k, v in item.value.items() if v is not None})


def csv_rows(path: Path) -> Iterator[TableRow]:
    """Yield the rows of a comma-separated table with any file name. Raises FormatError."""
    yield from _separated(path, ",")


def columns(path: Path) -> list[str]:
    """Return the column names, taken from the first row if there is no header. Raises FormatError."""
    first = next(table_rows(path), None)
    return list(first.cells) if first else []


def _xlsx(path: Path) -> Iterator[TableRow]:
    import openpyxl  # takes half a second to import

    with open_file(path):
        pass
    try:
        with ZipFile(path) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
        if unpacked > MAX_DOCUMENT:
            raise FormatError(f"{path.name}: larger than {MAX_DOCUMENT >> 20} MB when unpacked")
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            rows = book.worksheets[0].iter_rows(values_only=True)
            header = [str(cell) for cell in next(rows, ()) if cell is not None]
            for number, row in enumerate(rows, 2):
                cells = {k: _cell(v) for k, v in zip(header, row, strict=False) if v is not None}
                if cells:
                    yield TableRow(f"{path.name} row {number}", cells)
        finally:
            book.close()
    except FormatError:
        raise
    except (BadZipFile, KeyError, ValueError, IndexError, OSError, TypeError) as error:
        raise FormatError(f"{path.name}: not a readable workbook ({error})") from error
    except Exception as error:  # the XML parser raises its own exceptions
        raise FormatError(f"{path.name}: not a readable workbook ({type(error).__name__})") from error


def _cell(value: Any) -> Json:
    return value if isinstance(value, str | int | float | bool) else str(value)


def _separated(path: Path, separator: str) -> Iterator[TableRow]:
    csv.field_size_limit(64 << 20)
    with open_text(path) as file:
        lines = io.TextIOWrapper(file, "utf-8-sig", newline="")
        reader = csv.DictReader(_counted(lines, path.name), delimiter=separator)
        try:
            for row in reader:
                if None in row:
                    raise FormatError(f"{path.name} line {reader.line_num}: more cells than the header")
                where = f"{path.name} line {reader.line_num}"
                yield TableRow(where, {plain(k, where): plain(v, where) for k, v in row.items() if v})
        except (csv.Error, UnicodeDecodeError) as error:
            raise FormatError(f"{path.name} line {reader.line_num + 1}: {error}; save it as UTF-8") from error


def _counted(lines: Iterable[str], name: str) -> Iterator[str]:
    for line in lines:
        has_read(name, len(line.encode()))
        yield line

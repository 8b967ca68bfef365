"""How far the reading of files has come: bytes and records are counted once each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exports.catalogue import format_registry as formats
from exports.files.read_tables import csv_rows
from exports.files.read_text_and_json import json_items
from exports.files.reading_progress import Progress, followed
from tests.databases import new_store

ROWS = [{"q": "Ist das ein Café?", "a": "はい"}] * 50


def counted(read: object) -> tuple[int, int]:
    """Bytes and records at the end."""
    seen: list[Progress] = []
    with followed(seen.append):
        read()  # type: ignore[operator]
    return seen[-1].size, seen[-1].records


FILES = {
    "a.csv": "q,a\n" + "Ist das ein Café?,はい\n" * 50,
    "lines.jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS),
    "one-line.json": json.dumps(ROWS, ensure_ascii=False),
    "indented.json": json.dumps(ROWS, ensure_ascii=False, indent=2),
}


@pytest.mark.parametrize("name", FILES)
def test_the_bytes_of_a_file_are_counted_once(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(FILES[name], encoding="utf-8")
    read = csv_rows if name.endswith(".csv") else json_items
    assert counted(lambda: list(read(file)))[0] == file.stat().st_size


def test_files_that_are_read_again_without_a_bad_one_are_counted_once(tmp_path: Path) -> None:
    folder = tmp_path / "qa"
    folder.mkdir()
    lines = "".join(json.dumps({f"v{n}": [{"question": "q", "answer": "a"}]}) + "\n" for n in range(20))
    for aspect in ("camera", "detailed"):
        (folder / f"{aspect}.jsonl").write_text(lines)
    store = new_store(tmp_path)
    size, records = counted(lambda: formats.read(folder, store))
    assert size == 2 * len(lines)
    (folder / "short.jsonl").write_text(lines + "no JSON\n")
    assert counted(lambda: formats.read(folder, store)) == (size, records)

"""A long file is read as a stream: what it brings waits on disk, and is written a block at a time."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from annotation.records.captions_to_verdicts import Text
from annotation.records.videos import Video
from annotation.store import import_spool
from annotation.store.import_spool import Spool
from annotation.store.rows import to_row
from annotation.store.store import Store
from exports.catalogue import format_registry as formats
from exports.files.write_files import json_line

LINES, LETTERS = 2_000, 5_000
VIDEO = Video(id="vid-1", title="boat", created_at=0.0)


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_spool, "BLOCK", 50)


def text(n: int, value: str) -> Text:
    return Text(
        id=f"txt-{n}",
        video_id=VIDEO.id,
        kind="vdc:short",
        subject_type="video",
        subject_id=VIDEO.id,
        value=value,
        created_at=float(n),
    )


def test_of_records_on_disk_the_last_counts_in_their_order() -> None:
    found = Spool()
    found.add(VIDEO)
    for n in range(175):
        found.add(text(n % 120, f"words {n}"))
    assert found.counts() == {"Video": 1, "Text": 120} and len(found) == 121
    assert [(one.id, one.value) for one in found.of_kind(Text)] == [
        (f"txt-{n % 120}", f"words {n}") for n in range(55, 175)
    ]
    assert [type(one) for one in found][:2] == [Video, Text]


def test_a_long_file_takes_little_memory(tmp_path: Path, store: Store) -> None:
    """A million lines took 5.6 GB."""
    path = tmp_path / "workspace.jsonl"
    kinds = {"Video": 1, "Text": LINES}
    with path.open("w", encoding="utf-8") as file:
        file.write(json_line({"format": "dailies", "version": 2, "records": kinds}))
        file.write(json_line({"record": "Video", **to_row(VIDEO)}))
        for n in range(LINES):
            file.write(json_line({"record": "Text", **to_row(text(n, "x" * LETTERS))}))
    tracemalloc.start()
    try:
        batch = formats.read(path, store, "dailies-jsonl")
        after_reading = tracemalloc.get_traced_memory()[1]
        formats.commit(store, batch)
        after_writing = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert store.count(Text) == LINES
    assert max(after_reading, after_writing) < path.stat().st_size / 4

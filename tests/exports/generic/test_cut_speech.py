"""Speech that a person cut: subtitles and the complete format have the lines as they count now."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.store.current_speech import spoken
from annotation.store.store import Store
from exports.catalogue import format_registry as formats
from tests.databases import new_store
from tests.exports.world import filled_store

PIECES = [{"start_s": 1.5, "end_s": 1.8, "text": "So:"}, {"start_s": 1.8, "end_s": 2.25, "text": "a --> b"}]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = filled_store(tmp_path)
    store.correct("segment", "seg-1", "pieces", PIECES, person_id="per-1", base_revision=0)
    store.correct("segment", "seg-2", "pieces", [], person_id="per-1", base_revision=0)
    return store


def test_subtitles_have_the_lines_that_count_or_what_was_heard(store: Store, tmp_path: Path) -> None:
    (now,) = formats.write(store, "srt", tmp_path / "now")
    blocks = now.read_text(encoding="utf-8").strip().split("\n\n")
    assert [block.split("\n")[1:] for block in blocks[1:]] == [
        ["00:00:01,500 --> 00:00:01,800", "So:"],
        ["00:00:01,800 --> 00:00:02,250", "a → b"],
    ]
    (heard,) = formats.write(store, "srt", tmp_path / "heard", values="machine")
    assert heard.read_text(encoding="utf-8").count("Heard") == 3


def test_pieces_come_back_with_everything_else(store: Store, tmp_path: Path) -> None:
    (file,) = formats.write(store, "dailies-jsonl", tmp_path / "all.jsonl")
    other = new_store(tmp_path, "other")
    formats.commit(other, formats.read(file, other))
    assert [line.timed for line in spoken(other, "vid-1")] == [line.timed for line in spoken(store, "vid-1")]
    assert other.current("segment", "seg-1", "pieces").value == PIECES

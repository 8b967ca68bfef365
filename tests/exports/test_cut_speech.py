"""Speech that a person cut: subtitles and the complete format have the lines as they count now."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config

from annotation.speech_lines import spoken
from annotation.store.database import MIGRATIONS
from annotation.store.store import Store
from exports import formats
from tests.exports.world import fill, new_store

PIECES = [{"start_s": 1.5, "end_s": 1.8, "text": "So:"}, {"start_s": 1.8, "end_s": 2.25, "text": "a --> b"}]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = fill(new_store(tmp_path))
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


def test_segments_of_an_older_database_can_be_cut(store: Store) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with store.engine.connect().execution_options(writes=True) as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0002")
        command.upgrade(config, "head")
        connection.commit()
    pieces = store.current("segment", "seg-0", "pieces")
    assert (pieces.value, pieces.revision, pieces.corrected) == (None, 0, False)
    store.correct("segment", "seg-0", "pieces", [], person_id="per-1", base_revision=0)
    assert all(line.segment_id != "seg-0" for line in spoken(store, "vid-1"))

"""An import is taken back on every database: also one that changed what was there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from annotation.editing.edits import Edit, apply_edit, exclude
from annotation.editing.take_back_import import lost_of, take_back
from annotation.records.captions_to_verdicts import Question
from annotation.records.decisions import Correction, Person
from annotation.records.videos import Video
from annotation.store import tables as t
from annotation.store.import_log import ImportLog
from annotation.store.store import Store
from exports.catalogue import format_registry as formats
from tests.databases import new_store
from tests.exports.peers.peer_files import QUESTIONS, VIDEOS, lmms_log, loveu_log, vlmevalkit_log

ME = Person(id="per-me", name="reviewer", role="expert", created_at=1.0)
YOU = Person(id="per-you", name="second reviewer", role="expert", created_at=1.0)
KINDS = {"lmms-eval": lambda at: lmms_log(at, "v0.3"), "vlmevalkit": vlmevalkit_log, "loveu": loveu_log}


def tables(store: Store) -> Mapping[str, list[Any]]:
    """Every row; which videos changed is a count that only grows."""
    with store.reading() as conn:
        return {
            table.name: sorted(map(tuple, conn.execute(select(table)).all()), key=repr)
            for table in t.metadata.sorted_tables
            if table is not t.video_change
        }


def bring(store: Store, path: Path) -> str:
    log = ImportLog(f"imp-{path.name}")
    formats.commit(store, formats.read(path, store), log)
    return log.id


def remove(store: Store, import_id: str) -> None:
    with store.writing() as conn:
        take_back(conn, import_id)


def questions(tmp_path: Path) -> Path:
    folder = tmp_path / "qa"
    folder.mkdir()
    lines = ({video: [q | {"category": "motion"} for q in QUESTIONS]} for video in VIDEOS)
    (folder / "camera.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def patch(tmp_path: Path, folder: Path) -> Path:
    """Questions corrected and excluded in another workspace."""
    other = new_store(tmp_path, "other")
    bring(other, folder)
    other.add([ME])
    first, second = other.find(Question, order_by=["id"])[:2]
    apply_edit(other, ME, Edit("question", first.id, "text", "How does it move?", 0, "clearer"))
    exclude(other, ME, second.id, "nobody can know")
    made = formats.write(other, "vdc-qa-patch", tmp_path / "patch.jsonl")[0]
    other.close()
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_is_as_before(store: Store, tmp_path: Path, kind: str) -> None:
    bring(store, questions(tmp_path))
    before = tables(store)
    made = bring(store, KINDS[kind](tmp_path / "log"))
    assert tables(store) != before
    remove(store, made)
    assert tables(store) == before


def test_corrections_that_a_file_brought_go_and_those_made_since_stay(store: Store, tmp_path: Path) -> None:
    folder = questions(tmp_path)
    bring(store, folder)
    log = bring(store, loveu_log(tmp_path / "log"))
    store.add([YOU])
    before = tables(store)
    made = bring(store, patch(tmp_path, folder))
    [corrected] = store.find(Correction)
    assert store.current("question", corrected.subject_id, "text").value == "How does it move?"
    remove(store, made)
    assert tables(store) == before
    made = bring(store, tmp_path / "patch.jsonl")
    since = apply_edit(store, YOU, Edit("question", corrected.subject_id, "text", "Which way?", 1, ""))
    assert since
    remove(store, made)
    assert store.current("question", corrected.subject_id, "text").value == "Which way?"
    with store.reading() as conn:
        assert lost_of(conn, log) == {}


def test_a_dataset_stays_while_a_log_needs_it(store: Store, tmp_path: Path) -> None:
    made = bring(store, questions(tmp_path))
    log = bring(store, loveu_log(tmp_path / "log"))
    remove(store, made)
    assert store.count(Question) == 4 and store.count(Video) == 2  # the third video had no other use
    remove(store, log)
    assert store.count(Question) == 4  # nobody took these back: their import did not know of the log

"""A workspace of an earlier release is brought up to date in place, with the work in it."""

from __future__ import annotations

import logging
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, select, text

from annotation.editing import undo_and_redo
from annotation.editing.dismissed_findings import dismissals
from annotation.pipeline.doctor import examine
from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.decisions import Correction, Dismissal, ErrorSource, Exclusion, Person
from annotation.records.elements import Finding
from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from annotation.store import opinion_rules
from annotation.store import tables as t
from annotation.store.store import Store
from annotation.store.tables import metadata
from annotation.store.verdicts.filter_and_order import VerdictFilter
from annotation.workspace.workspace import Workspace
from tests.annotation.store.verdict_pages import verdicts
from tests.old_workspaces import old_workspace


@pytest.fixture
def space(database: str, tmp_path: Path) -> Workspace:
    """The workspace of 0.1.0, opened by this version."""
    return Workspace(tmp_path / "space", old_workspace(tmp_path / "space", database))


def verdict_now(store: Store, said: str) -> list[tuple[object, str, str, bool, str]]:
    """Label and score, error source and its owner's note of the verdicts on a question."""
    found = []
    for one in store.find(Verdict, subject_type="answer", order_by=["id"]):
        now = store.current("verdict", one.id, "verdict")
        if now.corrected and said in str(now.value["label"]):
            found.append((now.value["score"], now.state, now.error_source, now.confirmed, one.label))
    return found


def test_the_schema_is_the_declared_one(space: Workspace) -> None:
    with space.store.writing() as conn:
        assert str(conn.scalar(select(t.workspace.c.id))).startswith("wsp-")
        context = MigrationContext.configure(conn, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_what_people_did_is_there(space: Workspace) -> None:
    store = space.store
    # Two people corrected one verdict, the second confirmed another.
    assert (3.0, "done", "judge", False, "no") in verdict_now(store, "yes")
    assert (0.0, "done", "caption_omits", True, "no") in verdict_now(store, "no")
    of_verdicts = [c for c in store.find(Correction) if c.subject_type == "verdict"]
    people = {person.id: person.name for person in store.find(Person)}
    assert Counter(people[c.person_id] for c in of_verdicts)["second annotator"] == 2
    assert [one.note for one in store.find(ErrorSource) if one.kind == "judge"] == ["too strict"]
    assert [one.reason for one in store.find(Exclusion)] == ["two answers are right"]
    [finding] = store.find(Finding)
    assert dismissals(store, [finding.id])[finding.id].reason == "it is right here"
    assert store.count(Dismissal) == 1
    own = store.find(Text, person_id="per-second")
    assert [text.value for text in own if text.kind == "vdc:camera"] == ["My own camera caption."]
    short = store.find(Text, kind="vdc:short", order_by=["created_at"])[0]
    assert store.current("text", short.id, "value").value.endswith("from dawn to night 🚤.")
    assert store.find(Video)[0].path == "/films/clip.mp4"


def test_lists_show_what_people_said(space: Workspace) -> None:
    found = Counter[str]()
    for evaluation in space.store.find(Evaluation):
        found += Counter(verdicts(space.store, VerdictFilter(evaluation.id)).counts)
    assert (found["error_source"], found["confirmed"]) == (2, 19)


def test_decisions_of_before_are_undone_and_redone(space: Workspace) -> None:
    store = space.store
    owner = space.owner()
    undone = [undo_and_redo.undo(store, owner) for _ in range(5)]
    done = [turn.action.what.split()[0] for turn in undone if turn]
    assert done == ["gave", "waived", "picked", "excluded", "blamed"]
    assert store.find(Exclusion, order_by=["created_at"])[-1].reason == ""
    assert "judge" not in {row[2] for row in verdict_now(store, "yes")}
    # A verdict of theirs that another person has judged since is still theirs to take back.
    taken = undo_and_redo.undo(store, owner)
    assert taken is not None and taken.action.changes[0].kind == "opinion"
    assert undo_and_redo.redo(store, owner) is not None


def test_what_counts_is_what_the_rules_of_today_say(space: Workspace) -> None:
    c = t.current.c
    counts = select(c.subject_id, c.value, c.revision, c.corrected, c.error_source, c.disputed)
    with space.store.writing() as conn:
        before = conn.execute(counts.where(c.subject_type == "verdict").order_by(c.subject_id)).all()
        opinion_rules.count_anew(conn)
        assert conn.execute(counts.where(c.subject_type == "verdict").order_by(c.subject_id)).all() == before


def test_what_was_taken_back_for_all_stays_so(database: str, tmp_path: Path) -> None:
    url = old_workspace(tmp_path / "space", database)
    engine = create_engine(url)
    with engine.begin() as conn:
        people = dict(conn.execute(text("SELECT name, id FROM person")).all())
        second = people.pop("second annotator")
        values = {"second": second, "other": min(people.values())}
        where = "subject_type = 'judgement' AND person_id = :second"
        query = f"SELECT subject_id, revision FROM correction WHERE {where} ORDER BY revision DESC LIMIT 1"
        values |= dict(conn.execute(text(query), values).mappings().one())
        conn.execute(
            text(
                "INSERT INTO correction (id, subject_type, subject_id, field, value, cleared, revision,"
                " person_id, reason, created_at) VALUES ('cor-back', 'judgement', :subject_id, 'verdict',"
                " 'null', true, :revision + 1, :other, '', 4e9)"
            ),
            values,
        )
        conn.execute(
            text(
                "UPDATE current SET corrected = false, revision = :revision + 1"
                " WHERE subject_type = 'judgement' AND subject_id = :subject_id"
            ),
            values,
        )
    engine.dispose()
    store = Workspace(tmp_path / "space", url).store
    with store.writing() as conn:
        opinion_rules.count_anew(conn)
        assert opinion_rules.verdicts_of_people(conn, [values["subject_id"]]) == {values["subject_id"]: []}
    assert not store.current("verdict", values["subject_id"], "verdict").corrected


def test_undo_gives_nobody_the_verdict_of_another(space: Workspace) -> None:
    store = space.store
    [second] = store.find(Person, name="second annotator")
    while (turn := undo_and_redo.undo(store, second)) is not None:
        assert turn.action.state == "undone"
    with store.reading() as conn:
        given = opinion_rules.verdicts_of_people(conn, [one.id for one in store.find(Verdict)])
    assert second.id not in {one.person_id for people in given.values() for one in people}


def test_texts_that_cannot_be_stored_are_mended_once(
    database: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = old_workspace(tmp_path / "space", database)
    if url.startswith("sqlite"):
        with sqlite3.connect(tmp_path / "space" / "dailies.db") as conn:
            conn.execute("UPDATE dataset SET name = 'a' || char(0) || 'b' WHERE id = 'dst-nul'")
        conn.close()
    with caplog.at_level(logging.WARNING):
        space = Workspace(tmp_path / "space", url)
    [own] = space.store.find(Text, kind="vdc:camera", person_id="per-second")
    assert space.store.current("text", own.id, "value").value == "a \ufffd b"
    assert "mended: current" in caplog.text
    found = [row for row in examine(space) if row["what"] == "mended text"]
    assert any("was 'a \\ud83d b'" in row["found"] for row in found)
    if space.store.engine.dialect.name == "sqlite":
        assert any("was 'a\\x00b'" in row["found"] for row in found)
    space.close()
    again = Workspace(tmp_path / "space", url)
    assert len([row for row in examine(again) if row["what"] == "mended text"]) == len(found)
    again.close()

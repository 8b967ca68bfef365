"""A workspace of 0.2.0 is brought up to date in place, with the work in it."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from annotation.editing import undo_and_redo
from annotation.editing.dismissed_findings import dismissals
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Correction, ErrorSource, Exclusion, Person, Selection
from annotation.records.elements import Finding
from annotation.records.version import VERSION
from annotation.records.videos import Video
from annotation.store.opinion_rules import verdicts_of_people
from annotation.store.tables import metadata
from annotation.texts.which_text_counts import counting_texts
from annotation.workspace.workspace import Workspace
from backends.errors import UsageError
from tests.old_workspaces import RELEASES, dump_of, old_workspace
from tests.release_workspace import CAMERA, NAMES, SPATIAL, WHY_EXCLUDED


@pytest.fixture
def space(database: str, tmp_path: Path) -> Workspace:
    """The workspace of 0.2.0, opened by this version."""
    return Workspace(tmp_path / "space", old_workspace(tmp_path / "space", database, "0.2.0"))


def test_every_release_has_its_workspace() -> None:
    assert all(dump_of(release).is_file() for release in RELEASES) and VERSION in RELEASES


def test_the_schema_is_the_declared_one(space: Workspace) -> None:
    with space.store.writing() as conn:
        context = MigrationContext.configure(conn, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_texts_count_as_they_did(space: Workspace) -> None:
    (video,) = space.store.find(Video)
    texts = counting_texts(space.store, None, video_ids=[video.id])[video.id]
    people = {person.id: person.name for person in space.store.find(Person)}
    camera, spatial = texts["vdc:camera"], texts["carebench:spatial"]
    assert (camera.value, people[camera.writer.id], camera.standing) == (CAMERA, NAMES[0], "approved")
    assert (spatial.value, people[spatial.writer.id]) == (SPATIAL, space.owner().name)


def test_opinions_are_there_and_the_blind_one_is_known(space: Workspace) -> None:
    store = space.store
    people = {person.id: person.name for person in store.find(Person)}
    with store.reading() as conn:
        given = verdicts_of_people(conn, [one.id for one in store.find(Verdict)])
    mine = {
        (people[one.person_id], one.value["label"], one.value["score"])
        for said in given.values()
        for one in said
        if people[one.person_id] in NAMES
    }
    assert mine == {(NAMES[0], "yes", 4), (NAMES[1], "yes", 3), (NAMES[1], "yes", 5)}
    blind = [one.value["label"] for one in store.find(Correction, subject_type="verdict") if one.blind]
    assert "no" in blind
    sources = [(people[one.person_id], one.kind, one.note) for one in store.find(ErrorSource)]
    assert (NAMES[0], "judge", "too strict") in sources


def test_decisions_are_there_and_can_be_undone_and_redone(space: Workspace) -> None:
    store = space.store
    assert WHY_EXCLUDED in [one.reason for one in store.find(Exclusion)]
    findings = [one.id for one in store.find(Finding, check="lost")]
    assert "it is right here" in [one.reason for one in dismissals(store, findings).values()]
    (ben,) = store.find(Person, name=NAMES[1])
    redone = undo_and_redo.redo(store, ben)
    assert redone is not None and not redone.left
    assert store.find(Selection, person_id=ben.id, order_by=["created_at"])[-1].frames == (3, 40)
    while (turn := undo_and_redo.undo(store, ben)) is not None:
        assert not turn.left


def test_a_database_of_a_development_version_before_it_is_refused(tmp_path: Path) -> None:
    """Such a one may lack columns of 0.2.0."""
    url = old_workspace(tmp_path / "space", release="0.2.0")
    engine = sa.create_engine(url)
    with engine.begin() as conn:
        conn.execute(sa.text("UPDATE alembic_version SET version_num = '0.2.0_opinions'"))
    engine.dispose()
    with pytest.raises(UsageError, match="created by a newer version of Dailies"):
        Workspace(tmp_path / "space", url)

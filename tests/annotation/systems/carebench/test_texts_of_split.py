"""Beside a full caption stand only the sides that were made from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.editing import edits as services
from annotation.editing.edits import OwnText
from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.systems.carebench.findings_of_split import findings_of_split
from annotation.systems.carebench.texts_of_split import texts_of_split
from annotation.workspace.workspace import Workspace
from tests.databases import new_workspace

OLD = "This video shows a man in a kitchen. He wears a red coat. He fills the kettle and waits."
NEW = "This video shows a robot in a hall. The robot is green. It lifts a crate."
ABOUT = {"video_id": "vid-1", "subject_type": "video", "subject_id": "vid-1"}


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """A model's detailed caption and its split of it."""
    made = new_workspace(tmp_path / "workspace")
    run = Run(id="run-1", stage="split", backend="http://127.0.0.1:1/v1#m", model="m", created_at=2.0)
    mine = {"run_id": run.id, "created_at": 2.0, **ABOUT}
    made.store.add(
        [
            Video(id="vid-1", title="film", created_at=1.0),
            run,
            Text(id="txt-full", kind="vdc:detailed", value=OLD, **mine),
            Text(
                id="txt-s", kind="carebench:spatial", value="A red coat.", source_text_id="txt-full", **mine
            ),
            Text(id="txt-t", kind="carebench:temporal", value="He waits.", source_text_id="txt-full", **mine),
        ]
    )
    yield made
    made.close()


def write(space: Workspace, kind: str, value: str, source: str | None = None) -> str:
    own = OwnText("vid-1", kind, value, source_text_id=source)
    return services.write_text(space.store, space.owner(), own).subject_id


def test_the_split_of_another_caption_starts_empty(space: Workspace) -> None:
    assert texts_of_split(space.store, "vid-1").spatial.value == "A red coat."
    mine = write(space, "carebench:full", NEW)
    found = texts_of_split(space.store, "vid-1")
    assert (found.full.value, found.spatial.shown, found.temporal.shown) == (NEW, None, None)
    video = space.store.get(Video, "vid-1")
    assert {one.found.check for one in findings_of_split(space.store, video, found.values)} == {"length"}
    write(space, "carebench:spatial", "A green robot.", mine)
    found = texts_of_split(space.store, "vid-1")
    assert (found.spatial.value, found.temporal.value) == ("A green robot.", "")


def test_a_split_of_another_caption_is_shown_where_it_is_named(space: Workspace) -> None:
    write(space, "carebench:full", NEW)
    column = texts_of_split(space.store, "vid-1", {"spatial": "txt-s"}).spatial
    assert (column.value, column.of_other) == ("A red coat.", True)
    assert [text.id for text, _ in column.written] == ["txt-s"]
    back = texts_of_split(space.store, "vid-1", {"full": "txt-full"})
    assert (back.spatial.value, back.spatial.of_other) == ("A red coat.", False)


def test_a_caption_that_is_kept_keeps_its_split(space: Workspace) -> None:
    kept = write(space, "carebench:full", OLD, "txt-full")
    found = texts_of_split(space.store, "vid-1")
    assert found.full.shown and found.full.shown.id == kept
    assert (found.spatial.value, found.spatial.of_other) == ("A red coat.", False)


def test_sides_without_a_full_caption_are_shown(space: Workspace) -> None:
    space.store.add([Video(id="vid-2", title="bare", created_at=1.0)])
    own = OwnText("vid-2", "carebench:spatial", "A hall.")
    services.write_text(space.store, space.owner(), own)
    assert texts_of_split(space.store, "vid-2").spatial.value == "A hall."

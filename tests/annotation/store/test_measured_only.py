"""A video is only measured while all words of its captions are the baseline's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.editing import edits as services
from annotation.editing.edits import Edit, OwnText
from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.store.videos.library_index import videos_of
from annotation.workspace.workspace import Workspace
from tests.databases import new_workspace

ABOUT = {"video_id": "vid-1", "subject_type": "video", "subject_id": "vid-1", "run_id": "run-1"}


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    made = new_workspace(tmp_path / "workspace")
    made.store.add(
        [
            Video(id="vid-1", title="film", created_at=1.0),
            Run(id="run-1", stage="captions", backend="baseline", model="b", created_at=1.0, baseline=True),
            Text(id="txt-1", kind="vdc:short", value="A pan.", created_at=1.0, baseline=True, **ABOUT),
            Text(id="txt-2", kind="vdc:camera", value="A pan.", created_at=1.0, baseline=True, **ABOUT),
        ]
    )
    yield made
    made.close()


def measured_only(space: Workspace) -> bool:
    return bool(videos_of(space.store).flags("measured_only")[0])


def test_a_corrected_caption_of_the_baseline_is_a_persons(space: Workspace) -> None:
    assert measured_only(space)
    services.apply_edit(space.store, space.owner(), Edit("text", "txt-1", "value", "A man reads.", 0))
    assert not measured_only(space)
    services.apply_edit(space.store, space.owner(), Edit("text", "txt-1", "value", None, 1, cleared=True))
    assert measured_only(space)


@pytest.mark.parametrize("kind", ["vdc:short", "script:content", "carebench:full", "carebench:overview"])
def test_a_persons_own_text_is_a_caption_while_it_has_words(space: Workspace, kind: str) -> None:
    made = services.write_text(space.store, space.owner(), OwnText("vid-1", kind, "A man reads."))
    assert not measured_only(space)
    if kind == "vdc:short":
        edit = Edit("text", made.subject_id, "value", "", made.revision)
        services.apply_edit(space.store, space.owner(), edit)
        assert measured_only(space)


def test_a_field_that_was_only_opened_is_no_caption(space: Workspace) -> None:
    part = {**ABOUT, "run_id": None, "person_id": space.owner().id}
    space.store.add([Text(id="txt-3", kind="carebench:misc", value="", created_at=2.0, **part)])
    assert measured_only(space)

"""What a page may take back: decisions on its video alone, and what lies beyond is named."""

from __future__ import annotations

from annotation.editing import edits as services
from annotation.editing import undo_and_redo
from annotation.editing.decision_log import Change
from annotation.editing.edits import OwnText
from annotation.editing.undo_and_redo import Beyond, Turn, redo, undo
from annotation.editing.undo_reach import Reach
from annotation.records.videos import Video
from annotation.store.store import Store
from tests.annotation.editing.test_undo_log import CAPTION, ME, caption, filled, write

__all__ = ["filled"]


def on_videos(store: Store, what: str, kind: str, subject: tuple[str, ...], video_id: str | None) -> None:
    """A decision of this kind in the log; what it changed is not laid here."""
    undo_and_redo.record(store, ME, video_id, what, [Change(kind, subject, False, True)])  # type: ignore[arg-type]


def test_undo_stays_within_the_video_of_its_page_and_names_what_lies_beyond(filled: Store) -> None:
    filled.add([Video(id="vid-2", title="kite", created_at=1.0)])
    on_videos(filled, "added 3 files", "import", ("imp-1",), None)
    write(filled, "mine", 0)
    on_videos(filled, "joined kite with boat", "join", ("jon-1", "vid-1", "vid-9"), "vid-1")
    services.write_text(filled, ME, OwnText("vid-2", "vdc:short", "a kite"))
    here = Reach("vid-1")
    done = undo(filled, ME, here)
    assert isinstance(done, Turn) and done.action.what == "corrected the short caption"
    beyond = undo(filled, ME, here)
    assert isinstance(beyond, Beyond) and beyond.action.video_id == "vid-2"
    assert isinstance(redo(filled, ME, here), Turn) and caption(filled) == "mine"
    assert isinstance(redo(filled, ME, here), type(None))
    # On a page of many videos what changes the workspace is beyond it.
    on_videos(filled, "added 1 file", "import", ("imp-2",), None)
    done = undo(filled, ME, Reach(workspace=False))
    assert isinstance(done, Turn) and done.action.video_id == "vid-2"
    done = undo(filled, ME, Reach("vid-2"))
    assert isinstance(done, Beyond) and done.action.what == "added 1 file"


def test_a_decision_on_several_videos_is_in_the_way_of_those_before_it(filled: Store) -> None:
    write(filled, "mine", 0)
    before = filled.current("text", "txt-1", "value")
    with filled.writing() as conn:
        after = filled.correct_in(
            conn, ("text", "txt-1", "value"), "ours", person_id=ME.id, base_revision=before.revision
        )
        changes = [undo_and_redo.value_change(before, after)]
        undo_and_redo.record_in(conn, ME.id, None, "replaced “mine” by “ours” in 2 texts", changes)
    stays = undo(filled, ME, Reach("vid-1"))
    assert isinstance(stays, Beyond) and caption(filled) == "ours"
    done = undo(filled, ME, Reach(action_id=stays.action.id))
    assert isinstance(done, Turn) and caption(filled) == "mine"
    assert undo(filled, ME, Reach(action_id=stays.action.id)) is None
    assert isinstance(undo(filled, ME, Reach("vid-1")), Turn) and caption(filled) == CAPTION

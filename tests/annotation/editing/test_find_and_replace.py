"""Find and replace: what is found, what is left alone, and that one undo takes all of it back."""

from __future__ import annotations

import pytest

from annotation.editing import edits as services
from annotation.editing import undo_and_redo
from annotation.editing.edits import Edit
from annotation.editing.find_and_replace import Search, preview, replace
from annotation.editing.speech_line_decisions import split_line
from annotation.records.captions_to_verdicts import Text
from annotation.records.errors import NotAllowed
from annotation.records.runs import Run
from annotation.records.videos import Scene, SceneList, Video
from annotation.store.store import Store
from backends.errors import UsageError
from tests.annotation.editing.test_speech_line_decisions import ANN, BOB, seen, speech  # noqa: F401 - a video with three lines


def text(key: str, value: str, **more: object) -> Text:
    fixed = {
        "id": f"txt-{key}",
        "video_id": "vid-1",
        "kind": "vdc:short",
        "subject_type": "video",
        "subject_id": "vid-1",
        "value": value,
        "created_at": 1.0,
        "run_id": f"run-{key}",
    }
    return Text(**(fixed | more))  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def texts(store: Store, speech: None) -> None:  # noqa: F811
    store.add(
        [
            BOB,
            Video(id="vid-2", title="other", created_at=1.0),
            *(
                Run(id=f"run-{key}", stage="captions", backend="b", model="m", created_at=1.0)
                for key in "abcd"
            ),
            SceneList(id="scl-1", video_id="vid-1", created_at=1.0, detector={"name": "x"}),
            Scene(
                id="scn-1",
                scene_list_id="scl-1",
                video_id="vid-1",
                key="sck-1",
                index=0,
                start_frame=0,
                end_frame=9,
                start_pts=0,
                end_pts=9,
                start_s=0.0,
                end_s=1.0,
            ),
            text("a", "A boat, two Boats, a boathouse."),
            text("b", "The boat.", kind="script:content", subject_type="scene", subject_id="sck-1"),
            text("c", "An old boat.", kind="script:content", subject_type="scene", subject_id="sck-gone"),
            text("d", "boat", video_id="vid-2", subject_id="vid-2"),
            text("bobs", "Bob's boat.", run_id=None, person_id="per-2"),
        ]
    )


def found(store: Store, **search: object) -> dict[str, str]:
    hits = preview(store, ANN, Search(**search)).hits  # type: ignore[arg-type]
    return {hit.subject[1]: hit.after for hit in hits}


def test_what_would_change_is_shown_and_texts_of_scenes_that_are_gone_are_not(store: Store) -> None:
    after = found(store, find="boat", replace="ship", video_id="vid-1")
    assert after == {
        "txt-a": "A ship, two ships, a shiphouse.",
        "txt-b": "The ship.",
        "txt-bobs": "Bob's ship.",
    }
    assert set(found(store, find="boat")) == {"txt-a", "txt-b", "txt-bobs", "txt-d"}
    assert store.current("text", "txt-a", "value").revision == 0


def test_whole_words_and_case(store: Store) -> None:
    assert found(store, find="boat", replace="x", whole_word=True, video_id="vid-1")["txt-a"] == (
        "A x, two Boats, a boathouse."
    )
    assert set(found(store, find="Boat", match_case=True)) == {"txt-a"}
    assert found(store, find=".", replace=r"\1!", video_id="vid-2") == {}


def test_all_chosen_texts_change_together_and_one_undo_takes_them_back(store: Store) -> None:
    search = Search("o", "0", video_id="vid-1")
    hits = [h for h in preview(store, ANN, search).hits if h.allowed]
    assert {"seg-0", "seg-1", "txt-a", "txt-b"} == {h.subject[1] for h in hits}
    done = replace(store, ANN, search, [(h.subject, h.revision) for h in hits])
    assert (done.texts, done.stale) == (4, ())
    assert store.current("segment", "seg-1", "text").value == "Three f0ur."
    undone = undo_and_redo.undo(store, ANN)
    assert undone and undone.action.what == "replaced “o” with “0” in 4 texts"
    assert store.current("segment", "seg-1", "text").value == "Three four."
    assert store.current("text", "txt-b", "value").value == "The boat."


def test_undo_takes_back_all_that_nobody_else_changed_and_names_the_rest(store: Store) -> None:
    more = [text(str(n), f"boat {n}", run_id="run-a") for n in range(70)]
    store.add(more)
    edit = Edit("text", "txt-a", "value", "Mine.", 0)
    services.apply_edit(store, ANN, edit)  # the decision before
    search = Search("boat", "ship", video_id="vid-1")
    chosen = [(("text", one.id, "value"), 0) for one in more]
    assert replace(store, ANN, search, chosen).texts == 70
    store.correct("text", "txt-7", "value", "ship 7 by Bob", person_id="per-2", base_revision=1)

    def values() -> list[str]:
        now = store.currents("text", [one.id for one in more], "value")
        return [str(now[one.id].value) for one in more]

    kept = [f"boat {n}" if n != 7 else "ship 7 by Bob" for n in range(70)]
    turn = undo_and_redo.undo(store, ANN)
    assert turn and len(turn.action.changes) == 69 and values() == kept
    assert [str(left) for left in turn.left] == ["boat, the short caption: changed since by bob"]
    again = undo_and_redo.redo(store, ANN)
    assert again and again.action.changes == turn.action.changes
    assert values() == [f"ship {n}" if n != 7 else "ship 7 by Bob" for n in range(70)]
    assert undo_and_redo.undo(store, ANN) and values() == kept
    before = undo_and_redo.undo(store, ANN)
    assert before and before.action.what == "corrected the short caption"
    assert undo_and_redo.undo(store, ANN) is None


def test_speech_that_was_cut_since_does_not_stop_undo(store: Store) -> None:
    search = Search("o", "0", video_id="vid-1")
    hits = [h for h in preview(store, ANN, search).hits if h.allowed]
    replace(store, ANN, search, [(h.subject, h.revision) for h in hits])
    split_line(store, BOB, "vid-1", seen(store, "seg-1"), 5)
    turn = undo_and_redo.undo(store, ANN)
    assert turn and len(turn.action.changes) == 3
    (left,) = turn.left
    assert left.change.subject[1] == "seg-1" and "this line has been split, merged or moved" in left.why
    assert store.current("text", "txt-b", "value").value == "The boat."
    assert undo_and_redo.undo(store, ANN) is None


def test_a_text_that_changed_after_the_preview_is_left_alone_and_named(store: Store) -> None:
    search = Search("boat", "ship", video_id="vid-1")
    hits = [h for h in preview(store, ANN, search).hits if h.allowed]
    store.correct("text", "txt-b", "value", "A boat by Bob.", person_id="per-2", base_revision=0)
    done = replace(store, ANN, search, [(h.subject, h.revision) for h in hits])
    assert (done.texts, [s[1] for s in done.stale]) == (1, ["txt-b"])
    assert store.current("text", "txt-b", "value").value == "A boat by Bob."


def test_speech_that_was_cut_is_searched_in_its_pieces(store: Store) -> None:
    from annotation.store.current_speech import spoken

    split_line(store, ANN, "vid-1", seen(store, "seg-1"), 5)
    (hit,) = preview(store, ANN, Search("four", "4")).hits
    assert (hit.subject, hit.before, hit.after) == (
        ("segment", "seg-1", "pieces"),
        "Three\nfour.",
        "Three\n4.",
    )
    replace(store, ANN, Search("four", "4"), [(hit.subject, hit.revision)])
    assert [line.text for line in spoken(store, "vid-1")][1:3] == ["Three", "4."]


def test_another_persons_text_is_shown_but_not_changed(store: Store) -> None:
    search = Search("boat", "ship", video_id="vid-1")
    hit = next(h for h in preview(store, ANN, search).hits if h.subject[1] == "txt-bobs")
    assert not hit.allowed
    with pytest.raises(NotAllowed):
        replace(store, ANN, search, [(hit.subject, hit.revision)])
    with pytest.raises(UsageError, match="type what to find"):
        preview(store, ANN, Search(""))

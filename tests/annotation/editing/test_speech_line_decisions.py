"""Speech cut by people, in the store: what counts then, what undo brings back, what nobody may lose."""

from __future__ import annotations

import pytest

from annotation.editing import edits as services
from annotation.editing import undo_and_redo
from annotation.editing.edits import Edit
from annotation.editing.speech_line_decisions import (
    SeenLine,
    merge_lines,
    move_line,
    restore_line,
    split_line,
)
from annotation.editing.undo_reach import Reach
from annotation.records.decisions import Person
from annotation.records.errors import StaleEdit
from annotation.records.runs import Run
from annotation.records.videos import Measurement, Segment, Video
from annotation.store.current_speech import heard, speech_states, spoken
from annotation.store.store import Store
from backends.errors import UsageError
from backends.video_and_word_types import Word

ANN = Person(id="per-1", name="ann", role="annotator", created_at=1.0)
BOB = Person(id="per-2", name="bob", role="annotator", created_at=1.0)
SAID = (("seg-0", 0.0, 2.0, "One two."), ("seg-1", 2.0, 4.0, "Three four."), ("seg-2", 6.0, 7.0, "Five."))


@pytest.fixture(autouse=True)
def speech(store: Store) -> None:
    store.add(
        [
            ANN,
            Video(id="vid-1", title="boat", created_at=1.0),
            Run(id="run-1", stage="speech", backend="whisper", model="base", created_at=1.0),
            Measurement(
                id="msr-1",
                video_id="vid-1",
                run_id="run-1",
                subject_type="video",
                subject_id="vid-1",
                kind="speech_gaps",
                value={"gaps": []},
            ),
            *(
                Segment(
                    id=key,
                    video_id="vid-1",
                    run_id="run-1",
                    index=n,
                    start_s=start,
                    end_s=end,
                    text=text,
                    language="en",
                    avg_logprob=-0.1,
                    no_speech_prob=0.0,
                    words=words(text, start),
                )
                for n, (key, start, end, text) in enumerate(SAID)
            ),
        ]
    )


def words(text: str, start: float) -> tuple[Word, ...]:
    return tuple(
        Word(text=word, start_s=start + n, end_s=start + n + 0.6, probability=0.9)
        for n, word in enumerate(text.split())
    )


def seen(store: Store, segment_id: str, piece: int = 0) -> SeenLine:
    state = next(s for s in speech_states(store, "vid-1") if s.segment.id == segment_id)
    return SeenLine(segment_id, piece, state.text.revision, state.pieces.revision)


def lines(store: Store) -> list[tuple[float, float, str]]:
    return [line.timed for line in spoken(store, "vid-1")]


AS_HEARD = [(0.0, 2.0, "One two."), (2.0, 4.0, "Three four."), (6.0, 7.0, "Five.")]


def test_a_line_is_split_where_its_words_were_heard(store: Store) -> None:
    split_line(store, ANN, "vid-1", seen(store, "seg-1"), 5)
    assert lines(store)[1:3] == [(2.0, 2.8, "Three"), (2.8, 4.0, "four.")]
    assert [line.timed for line in heard(store, "vid-1")] == AS_HEARD


def test_a_correction_of_the_words_is_split_with_them(store: Store) -> None:
    services.apply_edit(store, ANN, Edit("segment", "seg-1", "text", "Three, four!", 0))
    split_line(store, ANN, "vid-1", seen(store, "seg-1"), 6)
    assert [text for _, _, text in lines(store)] == ["One two.", "Three,", "four!", "Five."]


def test_a_merge_over_two_segments_is_one_decision(store: Store) -> None:
    merge_lines(store, ANN, "vid-1", seen(store, "seg-0"), seen(store, "seg-1"))
    assert lines(store) == [(0.0, 4.0, "One two. Three four."), (6.0, 7.0, "Five.")]
    undone = undo_and_redo.undo(store, ANN, Reach("vid-1"))
    assert undone and undone.action.what == "merged two lines of speech" and len(undone.action.changes) == 2
    assert lines(store) == AS_HEARD
    undo_and_redo.redo(store, ANN, Reach("vid-1"))
    assert len(lines(store)) == 2


def test_a_merge_of_which_one_line_was_changed_since_stays_whole(store: Store) -> None:
    store.add([BOB])
    merge_lines(store, ANN, "vid-1", seen(store, "seg-0"), seen(store, "seg-1"))
    split_line(store, BOB, "vid-1", seen(store, "seg-0"), 7)
    now = lines(store)
    with pytest.raises(StaleEdit, match="merged two lines of speech: not undone; changed since by bob"):
        undo_and_redo.undo(store, ANN)
    assert lines(store) == now


def test_only_neighbours_are_merged(store: Store) -> None:
    with pytest.raises(UsageError, match="the one after it"):
        merge_lines(store, ANN, "vid-1", seen(store, "seg-0"), seen(store, "seg-2"))


def test_an_end_that_runs_into_the_next_line_moves_that_line_too(store: Store) -> None:
    move_line(store, ANN, "vid-1", seen(store, "seg-0"), 0.0, 2.1)
    assert lines(store)[:2] == [(0.0, 2.1, "One two."), (2.1, 4.0, "Three four.")]
    move_line(store, ANN, "vid-1", seen(store, "seg-2"), 5.9, 7.0)
    assert lines(store)[1:] == [(2.1, 4.0, "Three four."), (5.9, 7.0, "Five.")]
    with pytest.raises(UsageError, match="neighbouring line"):
        move_line(store, ANN, "vid-1", seen(store, "seg-2"), 2.12, 7.0)


def test_what_was_heard_comes_back_with_what_neighbours_took(store: Store) -> None:
    split_line(store, ANN, "vid-1", seen(store, "seg-1"), 5)
    merge_lines(store, ANN, "vid-1", seen(store, "seg-0"), seen(store, "seg-1"))
    split_line(store, ANN, "vid-1", seen(store, "seg-0"), 3)
    assert [text for _, _, text in lines(store)] == ["One", "two. Three", "four.", "Five."]
    restore_line(store, ANN, "vid-1", seen(store, "seg-1"))
    assert lines(store) == AS_HEARD


@pytest.mark.parametrize("cut", [False, True])
def test_what_was_heard_comes_back_in_its_own_words(store: Store, cut: bool) -> None:
    services.apply_edit(store, ANN, Edit("segment", "seg-1", "text", "Three, more!", 0))
    if cut:
        split_line(store, ANN, "vid-1", seen(store, "seg-1"), 6)
    changed = lines(store)
    restore_line(store, ANN, "vid-1", seen(store, "seg-1"))
    assert lines(store) == AS_HEARD
    undo_and_redo.undo(store, ANN)
    assert lines(store) == changed
    undo_and_redo.redo(store, ANN)
    assert lines(store) == AS_HEARD
    with pytest.raises(UsageError, match="as transcribed"):
        restore_line(store, ANN, "vid-1", seen(store, "seg-1"))


def test_who_saw_an_older_state_is_told(store: Store) -> None:
    old = seen(store, "seg-1")
    split_line(store, ANN, "vid-1", old, 5)
    with pytest.raises(StaleEdit):
        move_line(store, ANN, "vid-1", old, 2.0, 3.9)
    with pytest.raises(UsageError, match="split, merged or moved"):
        services.apply_edit(store, ANN, Edit("segment", "seg-1", "text", "not seen by anybody", 0))


def test_pieces_are_text_edits_too(store: Store) -> None:
    split_line(store, ANN, "vid-1", seen(store, "seg-1"), 5)
    pieces = store.current("segment", "seg-1", "pieces")
    changed = [pieces.value[0] | {"text": "Three,"}, pieces.value[1]]
    services.apply_edit(store, ANN, Edit("segment", "seg-1", "pieces", changed, pieces.revision))
    assert lines(store)[1] == (2.0, 2.8, "Three,")
    with pytest.raises(UsageError, match="order of time"):
        services.apply_edit(store, ANN, Edit("segment", "seg-1", "pieces", changed[::-1], 2))

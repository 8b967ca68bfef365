"""Decisions that say what was said before: which of them are steps of undo."""

from __future__ import annotations

from annotation.editing import edits as services
from annotation.editing import undo_and_redo
from annotation.editing.decision_log import Change
from annotation.editing.edits import Edit, OwnText
from annotation.editing.undo_and_redo import redo, undo
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from annotation.store.store import Store
from annotation.texts.writers import words_by, writer
from tests.annotation.editing.test_undo_log import (
    ME,
    OTHER,
    caption,
    filled,
    write,
)

__all__ = ["filled"]


def judge(store: Store, person: Person, label: str) -> None:
    value, base = {"label": label, "score": 1.0}, store.current("verdict", "jdg-1", "verdict").revision
    services.apply_edit(store, person, Edit("verdict", "jdg-1", "verdict", value, base))


def test_a_decision_that_changes_nothing_is_none(filled: Store) -> None:
    assert (
        undo_and_redo.record(filled, ME, "vid-1", "nothing", [Change("error_source", ("jdg-1",), 1, 1)])
        is None
    )
    services.set_error_source(filled, ME, "jdg-1", "")
    assert undo_and_redo.actions(filled, ME.id) == []


def test_the_same_words_again_are_no_decision_and_undo_takes_the_one_before(filled: Store) -> None:
    write(filled, "mine", 0)
    judge(filled, ME, "no")
    services.set_error_source(filled, ME, "jdg-1", "caption_wrong", "blurred")
    steps, rows = (
        len(undo_and_redo.actions(filled, ME.id)),
        len(filled.history("verdict", "jdg-1", "verdict")),
    )
    write(filled, "mine", 1)
    judge(filled, ME, "no")
    services.set_error_source(filled, ME, "jdg-1", "caption_wrong", "blurred")
    assert len(undo_and_redo.actions(filled, ME.id)) == steps
    assert len(filled.history("text", "txt-1", "value")) == 1
    assert len(filled.history("verdict", "jdg-1", "verdict")) == rows


def test_who_says_the_same_again_after_somebody_else_decides_and_undo_takes_that(filled: Store) -> None:
    judge(filled, ME, "no")
    services.set_error_source(filled, ME, "jdg-1", "caption_wrong")
    judge(filled, OTHER, "yes")
    services.set_error_source(filled, OTHER, "jdg-1", "judge")
    judge(filled, ME, "no")
    services.set_error_source(filled, ME, "jdg-1", "caption_wrong")
    now = filled.current("verdict", "jdg-1", "verdict")
    assert (now.by, now.error_source) == (ME.id, "caption_wrong")
    for what in ("set the error source of", "corrected the verdict on"):
        turn = undo(filled, ME)
        assert turn and turn.action.what.startswith(what)
    assert filled.history("verdict", "jdg-1", "verdict")[-1].value["label"] == "no", "as it was said before"
    assert len([a for a in undo_and_redo.actions(filled, ME.id) if a.state == "done"]) == 2


def test_words_kept_under_ones_own_name_are_given_back_by_undo(filled: Store) -> None:
    """Each time to the one who had them, as often as it is undone and redone."""
    write(filled, "theirs", 0, OTHER)
    write(filled, "theirs", 1)
    text = filled.get(Text, "txt-1")

    def by() -> str:
        return writer(filled, text, filled.current("text", "txt-1", "value")).id

    assert by() == ME.id
    for turn, name in ((undo, OTHER.id), (redo, ME.id), (undo, OTHER.id), (redo, ME.id)):
        assert turn(filled, ME) is not None
        assert (caption(filled), by()) == ("theirs", name)
    write(filled, "other", filled.current("text", "txt-1", "value").revision)
    for name in (ME.id, OTHER.id):
        assert undo(filled, ME) is not None
        assert (caption(filled), by()) == ("theirs", name)


def test_a_text_that_begins_without_words_is_no_decision(filled: Store) -> None:
    write(filled, "mine", 0)
    services.write_text(filled, ME, OwnText("vid-1", "vdc:camera", "  "))
    turn = undo(filled, ME)
    assert turn and turn.action.what == "corrected the short caption"


def test_who_takes_a_correction_back_still_said_what_they_said_before_it(filled: Store) -> None:
    def mine() -> object:
        words = words_by(filled.history("text", "txt-1", "value"), ME.id)
        return words and words.value

    write(filled, "mine", 0)
    write(filled, "theirs", 1, OTHER)
    write(filled, "mine again", 2)
    for turn, said in ((undo, "mine"), (redo, "mine again"), (undo, "mine")):
        assert turn(filled, ME) is not None
        assert mine() == said
    assert caption(filled) == "theirs"

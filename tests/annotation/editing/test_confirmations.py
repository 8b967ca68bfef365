"""A verdict that a person saves as it is, is a confirmation: that person's opinion, and no correction."""

from __future__ import annotations

import pytest

from annotation.editing import edits as services
from annotation.editing import undo_and_redo
from annotation.editing.edits import Edit
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Person
from annotation.store.store import Store
from backends.errors import UsageError
from tests.annotation.store.test_store import chain

ANN = Person(id="per-1", name="annotator", role="annotator", created_at=1.0)
AS_JUDGED = {"label": "yes", "score": 4.8}


@pytest.fixture(autouse=True)
def judged(store: Store) -> None:
    store.add(chain())


def say(store: Store, value: object, cleared: bool = False) -> None:
    now = store.current("verdict", "jdg-1", "verdict")
    services.apply_edit(store, ANN, Edit("verdict", "jdg-1", "verdict", value, now.revision, cleared=cleared))


def marks(store: Store) -> tuple[bool, bool, bool]:
    """Whether a person's value counts, whether it is another than the judge's, whether it is the same."""
    now = store.current("verdict", "jdg-1", "verdict")
    return now.corrected, now.changed, now.confirmed


def test_the_same_verdict_is_a_confirmation_another_a_correction(store: Store) -> None:
    assert marks(store) == (False, False, False)
    say(store, AS_JUDGED)
    assert marks(store) == (True, False, True)
    assert store.history("verdict", "jdg-1", "verdict")[0].person_id == ANN.id
    say(store, {"label": "yes", "score": 5})
    assert marks(store) == (True, True, False)
    say(store, AS_JUDGED)
    assert marks(store) == (True, False, True)
    say(store, None, cleared=True)
    assert marks(store) == (False, False, False)


def test_what_was_done_is_named_and_undone(store: Store) -> None:
    say(store, AS_JUDGED)
    undone = undo_and_redo.undo(store, ANN)
    assert undone is not None and undone.action.what.startswith("confirmed the verdict on")
    assert marks(store) == (False, False, False)
    redone = undo_and_redo.redo(store, ANN)
    assert redone is not None and marks(store) == (True, False, True)
    say(store, None, cleared=True)
    took = undo_and_redo.undo(store, ANN)
    assert took is not None and took.action.what.startswith("cleared the confirmation of the verdict on")


def test_a_person_who_reads_what_the_judge_could_not_corrects(store: Store) -> None:
    run = {"run_id": "run-1", "video_id": "vid-1", "created_at": 3.0}
    store.add(
        [
            Verdict(
                id="jdg-2",
                subject_type="answer",
                subject_id="ans-1",
                label="",
                score=None,
                value_type="yes_no_score",
                state="unparsed",
                **run,
            )
        ]
    )
    services.apply_edit(store, ANN, Edit("verdict", "jdg-2", "verdict", {"label": "no", "score": 0}, 0))
    now = store.current("verdict", "jdg-2", "verdict")
    assert (now.changed, now.confirmed, now.state) == (True, False, "done")


def test_a_label_that_no_score_counts_is_refused(store: Store) -> None:
    for label in ("Yes", "maybe", "y" * 5000):
        with pytest.raises(UsageError, match=r"a verdict here must be yes or no, not '[Yym]") as refused:
            say(store, {"label": label, "score": 4})
        assert len(str(refused.value)) < 100
    assert store.history("verdict", "jdg-1", "verdict") == []


def test_only_verdicts_are_confirmed(store: Store) -> None:
    text = store.current("text", "txt-1", "value")
    services.apply_edit(store, ANN, Edit("text", "txt-1", "value", text.value, 0))
    assert not store.current("text", "txt-1", "value").confirmed


def test_a_reason_comes_back_with_its_verdict(store: Store) -> None:
    def reason() -> str:
        return store.history("verdict", "jdg-1", "verdict")[-1].reason

    for score, why in ((2, "the hat is red"), (3, "seen in frame 3")):
        now = store.current("verdict", "jdg-1", "verdict")
        value = {"label": "no", "score": score}
        edit = Edit("verdict", "jdg-1", "verdict", value, now.revision, reason=why)
        services.apply_edit(store, ANN, edit)
    undo_and_redo.undo(store, ANN)
    assert reason() == "the hat is red"
    undo_and_redo.undo(store, ANN)
    undo_and_redo.redo(store, ANN)
    assert reason() == "the hat is red"
    undo_and_redo.redo(store, ANN)
    assert reason() == "seen in frame 3"

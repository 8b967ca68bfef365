"""Undo and redo of every kind of decision, on both databases."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

import pytest

from annotation.editing import edits as services
from annotation.editing import undo_and_redo
from annotation.editing.decision_log import Change
from annotation.editing.edits import Edit, OwnText
from annotation.editing.undo_and_redo import redo, undo
from annotation.editing.undo_reach import Reach
from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.decisions import Assignment, Dismissal, Exclusion, Person, Selection
from annotation.records.elements import Finding
from annotation.records.errors import NotAllowed, NotFound, StaleEdit
from annotation.records.videos import Scene, SceneList, Video
from annotation.store.exclusions import exclusions
from annotation.store.store import Store
from backends.errors import UsageError
from backends.video_and_word_types import VideoFacts
from tests.annotation.store.test_store import CAPTION, chain

ME = Person(id="per-1", name="annotator", role="annotator", created_at=1.0)
OTHER = Person(id="per-2", name="expert", role="expert", created_at=1.0)
FACTS = VideoFacts(
    stream_index=0,
    frames=90,
    duration_s=3.0,
    width=4,
    height=2,
    rotation=0,
    sample_aspect="1:1",
    fps_avg=30.0,
    vfr=False,
    codec="h264",
    pixel_format="yuv420p",
    time_base="1/90000",
    start_pts=0,
    start_s=0.0,
    audio=False,
    browser_playable=True,
)


@pytest.fixture
def filled(store: Store) -> Iterator[Store]:
    """One video with a caption, a question, an answer, a verdict, and three scenes."""
    store.add([*chain(), OTHER, *cuts("scl-1", [0, 30, 60, 90], created_at=1.0)])
    store.put(Video(id="vid-1", title="boat", created_at=1.0, facts=FACTS))
    yield store


def cuts(list_id: str, edges: list[int], created_at: float, person_id: str | None = None) -> list:
    scenes = [
        Scene(
            id=f"{list_id}-{n}",
            scene_list_id=list_id,
            video_id="vid-1",
            key=f"key-{n}",
            index=n,
            start_frame=start,
            end_frame=end,
            start_pts=start,
            end_pts=end,
            start_s=start / 30,
            end_s=end / 30,
        )
        for n, (start, end) in enumerate(pairwise(edges))
    ]
    made_by = {"person_id": person_id} if person_id else {"detector": {"name": "adaptive"}}
    return [SceneList(id=list_id, video_id="vid-1", created_at=created_at, **made_by), *scenes]


def write(store: Store, value: str, base: int, person: Person = ME, **more: object) -> None:
    services.apply_edit(store, person, Edit("text", "txt-1", "value", value, base, **more))


def caption(store: Store) -> str:
    return str(store.current("text", "txt-1", "value").value)


def edges(store: Store) -> list[int]:
    now = store.scene_list("vid-1")
    assert now
    return [s.start_frame for s in store.find(Scene, scene_list_id=now.id, order_by=["index"])]


def test_a_correction_is_undone_and_redone_and_its_history_keeps_both(filled: Store) -> None:
    write(filled, "A blue boat.", 0)
    done = undo(filled, ME)
    assert done and done.action.what == "corrected the short caption"
    now = filled.current("text", "txt-1", "value")
    assert (now.value, now.corrected, now.revision) == (CAPTION, False, 2)
    assert redo(filled, ME)
    now = filled.current("text", "txt-1", "value")
    assert (now.value, now.corrected, now.revision) == ("A blue boat.", True, 3)
    assert [c.cleared for c in filled.history("text", "txt-1", "value")] == [False, True, False]
    assert redo(filled, ME) is None


def test_decisions_are_undone_in_turn_and_a_new_one_ends_redo(filled: Store) -> None:
    write(filled, "one", 0)
    services.set_error_source(filled, ME, "jdg-1", "judge")
    write(filled, "two", 1)
    for _ in range(3):
        assert undo(filled, ME)
    assert undo(filled, ME) is None
    assert caption(filled) == CAPTION
    assert redo(filled, ME)
    assert caption(filled) == "one"
    write(filled, "three", filled.current("text", "txt-1", "value").revision)
    assert redo(filled, ME) is None
    assert undo(filled, ME) and undo(filled, ME)
    assert (caption(filled), filled.current("verdict", "jdg-1", "verdict").error_source) == (CAPTION, "")


def test_a_verdict_comes_back_as_the_machine_gave_it(filled: Store) -> None:
    value = {"label": "no", "score": 1}
    services.apply_edit(filled, ME, Edit("verdict", "jdg-1", "verdict", value, 0, "wrong colour"))
    done = undo(filled, ME)
    assert done and done.action.what == "corrected the verdict on “What colour?”"
    now = filled.current("verdict", "jdg-1", "verdict")
    assert (now.value, now.corrected, now.state) == ({"label": "yes", "score": 4.8}, False, "done")
    redo(filled, ME)
    assert filled.current("verdict", "jdg-1", "verdict").value == {"label": "no", "score": 1.0}


def test_an_exclusion_is_undone_and_redone(filled: Store) -> None:
    def reason() -> str:
        found = exclusions(filled).get("qst-1")
        return found.reason if found else ""

    made = services.exclude(filled, ME, "qst-1", " its answer is a placeholder ")
    assert made and (made.person_id, made.video_id) == ("per-1", "vid-1")
    assert reason() == "its answer is a placeholder"
    assert services.exclude(filled, OTHER, "qst-1", "its answer is a placeholder") == made  # nothing new
    done = undo(filled, ME)
    assert done and done.action.what == "excluded the question “What colour?”"
    assert reason() == ""
    assert redo(filled, ME) and reason() == "its answer is a placeholder"
    services.exclude(filled, OTHER, "qst-1", "")
    assert (reason(), filled.count(Exclusion)) == ("", 4)
    with pytest.raises(StaleEdit, match="not undone; changed since by expert"):
        undo(filled, ME)
    assert undo(filled, OTHER) and reason() == "its answer is a placeholder"


def test_the_newest_word_on_a_question_counts_when_the_clock_was_set_back(filled: Store) -> None:
    late = time.time() + 1000
    filled.add(
        [
            Exclusion(
                id="exc-9",
                question_id="qst-1",
                video_id="vid-1",
                person_id="per-2",
                reason="early bird",
                created_at=late,
            )
        ]
    )
    services.exclude(filled, ME, "qst-1", "")
    assert exclusions(filled) == {}
    assert filled.find(Exclusion, reason="")[0].created_at > late


def test_only_those_who_may_edit_exclude_and_with_a_reason_of_some_length(filled: Store) -> None:
    with pytest.raises(NotAllowed):
        services.exclude(filled, None, "qst-1", "why not")
    with pytest.raises(NotFound):
        services.exclude(filled, ME, "qst-2", "why not")
    with pytest.raises(UsageError, match="2,000 characters"):
        services.exclude(filled, ME, "qst-1", "x" * 2001)
    assert filled.count(Exclusion) == 0


def test_taking_a_correction_back_can_be_undone(filled: Store) -> None:
    write(filled, "one", 0)
    write(filled, "", 1, cleared=True)
    assert caption(filled) == CAPTION
    done = undo(filled, ME)
    assert done and done.action.what == "cleared the correction of the short caption"
    assert caption(filled) == "one"


def test_saves_of_one_visit_are_one_step_until_a_rest(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = time.time()
    monkeypatch.setattr(time, "time", lambda: clock)
    for n, value in enumerate(["A", "A b", "A bl"]):
        write(filled, value, n, visit="v1")
    clock += undo_and_redo.REST_S + 1
    write(filled, "A blue", 3, visit="v1")
    write(filled, "A blue boat", 4, visit="v2")
    for expected in ("A blue", "A bl", CAPTION):
        assert undo(filled, ME)
        assert caption(filled) == expected
    assert undo(filled, ME) is None


def test_typing_that_ends_where_it_began_is_no_step(filled: Store) -> None:
    write(filled, "one", 0)
    write(filled, "one two", 1, visit="v")
    write(filled, "one", 2, visit="v")
    assert undo(filled, ME)
    assert caption(filled) == CAPTION


def test_another_persons_change_between_is_not_taken_into_the_step(filled: Store) -> None:
    write(filled, "mine", 0, visit="v")
    write(filled, "theirs", 1, OTHER)
    write(filled, "theirs and mine", 2, visit="v")
    assert undo(filled, ME)
    assert caption(filled) == "theirs"


def test_what_somebody_else_changed_since_stays_and_undo_goes_on_to_the_step_before(filled: Store) -> None:
    services.set_error_source(filled, ME, "jdg-1", "judge")
    write(filled, "mine", 0)
    write(filled, "theirs", 1, OTHER)
    with pytest.raises(StaleEdit, match="corrected the short caption: not undone; changed since by expert"):
        undo(filled, ME)
    assert caption(filled) == "theirs"
    done = undo(filled, ME)
    assert done and done.action.what.startswith("set the error source")
    assert redo(filled, ME) and redo(filled, ME) is None


def test_each_person_has_a_list_of_their_own(filled: Store) -> None:
    write(filled, "mine", 0)
    assert undo(filled, OTHER) is None
    with pytest.raises(NotAllowed):
        undo(filled, None)
    assert caption(filled) == "mine"


def test_a_error_source_and_its_withdrawal_come_back(filled: Store) -> None:
    services.set_error_source(filled, ME, "jdg-1", "judge", "lenient")
    services.set_error_source(filled, ME, "jdg-1", "")

    def now() -> str:
        return filled.current("verdict", "jdg-1", "verdict").error_source

    undo(filled, ME)
    assert now() == "judge"
    undo(filled, ME)
    assert now() == ""
    redo(filled, ME)
    assert now() == "judge"


def test_a_text_of_ones_own_goes_and_the_one_it_replaced_comes_back(filled: Store) -> None:
    first, second = (
        services.write_text(filled, ME, OwnText("vid-1", "vdc:camera", words, anew=True)).subject_id
        for words in ("still", "pans")
    )

    def live() -> list[str]:
        texts = filled.find(Text, person_id=ME.id, kind="vdc:camera")
        now = filled.currents("text", [text.id for text in texts], "value")
        return [text.id for text in texts if not now[text.id].superseded]

    assert live() == [second]
    undo(filled, ME)
    assert live() == [first]
    undo(filled, ME)
    assert live() == []
    redo(filled, ME)
    assert live() == [first]


def test_keyframes_come_back(filled: Store) -> None:
    def now() -> tuple[int, ...]:
        rows = filled.find(Selection, person_id=ME.id, order_by=["created_at"])
        return rows[-1].frames

    services.pick_frames(filled, ME, "vid-1", [3, 1])
    services.pick_frames(filled, ME, "vid-1", [1, 3, 9])
    undo(filled, ME)
    assert now() == (1, 3)
    undo(filled, ME)
    assert now() == ()
    redo(filled, ME)
    assert now() == (1, 3)


def test_cuts_come_back_as_a_new_version(filled: Store) -> None:
    for n, new in enumerate(([0, 31, 60, 90], [0, 60, 90])):
        before = filled.scene_list("vid-1")
        assert before
        filled.add(cuts(f"scl-p{n}", new, time.time(), ME.id))
        undo_and_redo.record(
            filled, ME, "vid-1", "moved a cut", [Change("cuts", ("vid-1",), before.id, f"scl-p{n}")]
        )
    undo(filled, ME)
    assert edges(filled) == [0, 31, 60]
    undo(filled, ME)
    assert edges(filled) == [0, 30, 60]
    redo(filled, ME)
    assert edges(filled) == [0, 31, 60]
    newest = filled.scene_list("vid-1")
    assert newest and newest.person_id == ME.id and newest.parent_id
    assert [s.key for s in filled.find(Scene, scene_list_id=newest.id)] == ["key-0", "key-1", "key-2"]


def test_assignments_and_dismissals_come_back(filled: Store) -> None:
    finding = Finding(
        id="fin-1",
        video_id="vid-1",
        check="c",
        subject_type="text",
        subject_id="txt-1",
        why="w",
        created_at=1.0,
    )
    task = Assignment(
        id="asg-1", video_id="vid-1", person_id=ME.id, task="script", state="open", created_at=1.0
    )
    dismissal = Dismissal(id="wai-1", finding_id="fin-1", person_id=ME.id, reason="right", created_at=1.0)
    filled.add([finding, task, dismissal])
    given = Change("assignment", ("vid-1", ME.id, "script"), None, {"state": "open", "note": ""})
    undo_and_redo.record(
        filled, ME, None, "gave work", [given, Change("dismissal", ("fin-1", ME.id), None, "right")]
    )
    undo(filled, ME)
    rows = filled.find(Assignment, person_id=ME.id, order_by=["created_at"])
    assert (rows[-1].state, filled.find(Dismissal)) == ("withdrawn", [])
    redo(filled, ME)
    rows = filled.find(Assignment, person_id=ME.id, order_by=["created_at"])
    assert (rows[-1].state, [w.reason for w in filled.find(Dismissal)]) == ("open", ["right"])


def two_changes(store: Store, *, whole: bool) -> None:
    """One decision of mine on the caption and the answer; then somebody else changes the answer."""
    write(store, "boat and dock", 0)
    services.apply_edit(store, ME, Edit("answer", "ans-1", "value", "crimson", 0))
    kept = [change for action in undo_and_redo.actions(store, ME.id) for change in action.changes]
    undo_and_redo.record(store, ME, "vid-1", "replaced two words", kept, whole=whole)
    services.apply_edit(store, OTHER, Edit("answer", "ans-1", "value", "scarlet", 1))


def test_changes_that_depend_on_each_other_are_undone_together_or_not_at_all(filled: Store) -> None:
    two_changes(filled, whole=True)
    with pytest.raises(StaleEdit):
        undo(filled, ME)
    assert caption(filled) == "boat and dock"
    assert filled.current("answer", "ans-1", "value").value == "scarlet"


def test_what_somebody_else_changed_is_left_and_named_and_the_rest_is_undone_and_redone(
    filled: Store,
) -> None:
    two_changes(filled, whole=False)
    turn = undo(filled, ME)
    assert turn and [change.subject[1] for change in turn.action.changes] == ["txt-1"]
    assert [str(left) for left in turn.left] == [
        "boat, the extracted answer to “What colour?”: changed since by expert"
    ]
    assert caption(filled) == CAPTION
    assert filled.current("answer", "ans-1", "value").value == "scarlet"
    again = redo(filled, ME)
    assert again and again.left == () and again.action.changes == turn.action.changes
    assert [change.subject[1] for change in again.action.left_alone] == ["ans-1"]
    assert caption(filled) == "boat and dock"
    assert filled.current("answer", "ans-1", "value").value == "scarlet"


def test_one_video_can_be_asked_for(filled: Store) -> None:
    filled.add([Video(id="vid-2", title="dock", created_at=2.0)])
    write(filled, "mine", 0)
    services.write_text(filled, ME, OwnText("vid-2", "vdc:short", "a dock"))
    assert [a.video_id for a in undo_and_redo.actions(filled, ME.id)] == ["vid-2", "vid-1"]
    done = undo(filled, ME, Reach("vid-1"))
    assert done and done.action.video_id == "vid-1"
    assert caption(filled) == CAPTION


def test_decisions_go_with_their_video_and_what_is_gone_is_said(filled: Store) -> None:
    write(filled, "mine", 0)
    kept = undo_and_redo.actions(filled, ME.id)[0].changes
    undo_and_redo.record(filled, ME, None, "replaced in all videos", kept)
    filled.remove_video("vid-1")
    assert [a.what for a in undo_and_redo.actions(filled, ME.id)] == ["replaced in all videos"]
    with pytest.raises(StaleEdit, match="replaced in all videos: not undone; removed since"):
        undo(filled, ME)
    assert undo(filled, ME) is None
    assert filled.count(Verdict) == 0

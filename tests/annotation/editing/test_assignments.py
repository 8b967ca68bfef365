"""Queues: who may say what, what comes next, and that only people finish work."""

from __future__ import annotations

import pytest

from annotation.editing import assignments, undo_and_redo
from annotation.editing.assignments import Place, all_work, following, place_of, resume, work_of
from annotation.records.allowed_values import Role
from annotation.records.decisions import Assignment, Person
from annotation.records.errors import NotAllowed, NotFound, StaleEdit
from annotation.records.videos import Video
from annotation.store.store import Store
from backends.errors import UsageError


def person(store: Store, name: str, role: Role) -> Person:
    made = Person(id=f"per-{name}", name=name, role=role, created_at=1.0)
    store.add([made])
    return made


@pytest.fixture
def ann(store: Store) -> Person:
    return person(store, "ann", "annotator")


@pytest.fixture
def eva(store: Store) -> Person:
    return person(store, "eva", "expert")


@pytest.fixture
def videos(store: Store) -> list[str]:
    found = [Video(id=f"vid-{n}", title=f"film {n}", created_at=float(n)) for n in range(4)]
    store.add(found)
    return [video.id for video in found]


def states(store: Store, who: Person) -> list[tuple[str, str]]:
    return [(row.video_id, row.state) for row in work_of(store, who.id)]


def test_a_queue_keeps_the_order_in_which_work_was_given(
    store: Store, ann: Person, eva: Person, videos: list[str]
) -> None:
    order = [videos[2], videos[0], videos[3]]
    assert len(assignments.assign(store, eva, order, ann.id, "script")) == 3
    again = assignments.assign(store, eva, [*order, videos[1]], ann.id, "script")
    assert [row.video_id for row in again] == [videos[1]]
    assert states(store, ann) == [(video, "open") for video in [*order, videos[1]]]
    assert work_of(store, eva.id) == []


def test_two_tasks_and_two_people_on_one_video_are_apart(
    store: Store, ann: Person, eva: Person, videos: list[str]
) -> None:
    for who, task in ((ann, "script"), (ann, "verdicts"), (eva, "script")):
        assignments.assign(store, eva, videos[:1], who.id, task)
    assignments.set_state(store, ann, Place(videos[0], ann.id, "script"), "done")
    found = {(place.person_id, place.task): row.state for place, row in all_work(store).items()}
    assert found == {(ann.id, "script"): "done", (ann.id, "verdicts"): "open", (eva.id, "script"): "open"}


def test_next_goes_around_and_takes_the_same_task_first(
    store: Store, ann: Person, eva: Person, videos: list[str]
) -> None:
    assignments.assign(store, eva, videos[:3], ann.id, "script")
    assignments.assign(store, eva, videos[:1], ann.id, "verdicts")

    def after(video: str, task: str = "script") -> tuple[str, str] | None:
        to = following(work_of(store, ann.id), Place(video, ann.id, task))
        return (to.video_id, to.task) if to else None

    assert after(videos[2]) == (videos[0], "script")
    assignments.set_state(store, ann, Place(videos[1], ann.id, "script"), "skipped")
    assert after(videos[0]) == (videos[2], "script")
    for video in (videos[0], videos[2]):
        assignments.set_state(store, ann, Place(video, ann.id, "script"), "done")
    assert after(videos[2]) == (videos[0], "verdicts")
    assert after(videos[0], "verdicts") is None


def test_resume_is_where_one_stopped(store: Store, ann: Person, eva: Person, videos: list[str]) -> None:
    def at() -> str | None:
        row = resume(work_of(store, ann.id))
        return row.video_id if row else None

    assert at() is None
    assignments.assign(store, eva, videos, ann.id, "script")
    assert at() == videos[0]
    assignments.set_state(store, eva, Place(videos[3], ann.id, "script"), "returned", "the cut is late")
    assert at() == videos[3]
    for video in (videos[2], videos[1]):
        assignments.begin(store, ann, Place(video, ann.id, "script"))
    assert at() == videos[1]
    for video in videos:
        assignments.set_state(store, ann, Place(video, ann.id, "script"), "done")
    assert at() is None


def test_opening_finished_or_other_peoples_work_changes_nothing(
    store: Store, ann: Person, eva: Person, videos: list[str]
) -> None:
    assignments.assign(store, eva, videos[:1], ann.id, "script")
    place = Place(videos[0], ann.id, "script")
    assert assignments.begin(store, eva, place) is None
    assignments.set_state(store, ann, place, "done")
    assert assignments.begin(store, ann, place) is None
    assert states(store, ann) == [(videos[0], "done")]


@pytest.mark.parametrize("state", ["flagged", "returned"])
def test_a_flag_and_a_return_need_words(
    store: Store, ann: Person, eva: Person, videos: list[str], state: str
) -> None:
    assignments.assign(store, eva, videos[:1], ann.id, "script")
    who, place = (ann if state == "flagged" else eva), Place(videos[0], ann.id, "script")
    with pytest.raises(UsageError, match="short note"):
        assignments.set_state(store, who, place, state, "  ")
    row = assignments.set_state(store, who, place, state, " two films in one ")
    assert (row.state, row.note) == (state, "two films in one")


def test_who_may_say_what(store: Store, ann: Person, eva: Person, videos: list[str]) -> None:
    other = person(store, "bob", "annotator")
    with pytest.raises(NotAllowed):
        assignments.assign(store, ann, videos, other.id, "script")
    assignments.assign(store, ann, videos, ann.id, "script")  # one may take work oneself
    assignments.assign(store, eva, videos[:1], eva.id, "script")
    mine = Place(videos[0], ann.id, "script")
    for who, place, state in (
        (other, mine, "done"),
        (eva, mine, "done"),
        (ann, mine, "approved"),
        (ann, mine, "withdrawn"),
        (eva, Place(videos[0], eva.id, "script"), "approved"),
    ):
        with pytest.raises(NotAllowed):
            assignments.set_state(store, who, place, state)
    assignments.set_state(store, ann, mine, "done")
    assert assignments.set_state(store, eva, mine, "approved").state == "approved"


def test_what_somebody_else_said_meanwhile_is_not_overwritten(
    store: Store, ann: Person, eva: Person, videos: list[str]
) -> None:
    assignments.assign(store, eva, videos[:1], ann.id, "script")
    place = Place(videos[0], ann.id, "script")
    assignments.begin(store, ann, place)  # another window: no conflict
    assignments.set_state(store, ann, place, "done", base="open")
    assignments.set_state(store, eva, place, "returned", "look at scene 4", base="done")
    with pytest.raises(StaleEdit, match="returned"):
        assignments.set_state(store, ann, place, "open", base="done")
    assert states(store, ann) == [(videos[0], "returned")]


def test_withdrawn_work_is_gone_until_it_is_given_again(
    store: Store, ann: Person, eva: Person, videos: list[str]
) -> None:
    assignments.assign(store, eva, videos[:2], ann.id, "script")
    place = Place(videos[0], ann.id, "script")
    assignments.set_state(store, eva, place, "withdrawn")
    assert states(store, ann) == [(videos[1], "open")]
    with pytest.raises(UsageError, match="no longer assigned"):
        assignments.set_state(store, ann, place, "done")
    with pytest.raises(NotAllowed):
        assignments.withdraw(store, ann, videos, ann.id, "script")
    assert [r.video_id for r in assignments.withdraw(store, eva, videos, ann.id, "script")] == [videos[1]]
    assert work_of(store, ann.id) == []
    undo_and_redo.undo(store, eva)
    assignments.assign(store, eva, videos[:1], ann.id, "script")
    assert states(store, ann) == [(videos[1], "open"), (videos[0], "open")]
    assert store.count(Assignment) == 6  # nothing is overwritten


@pytest.mark.parametrize(
    ("videos_given", "to", "task", "error"),
    [
        (["vid-0"], "per-ann", "sleep", UsageError),
        (["vid-0"], "nobody", "script", NotFound),
        (["vid-none"], "per-ann", "script", NotFound),
        ([], "per-ann", "script", UsageError),
    ],
)
def test_what_does_not_exist_cannot_be_given(
    store: Store,
    ann: Person,
    eva: Person,
    videos: list[str],
    videos_given: list[str],
    to: str,
    task: str,
    error: type[Exception],
) -> None:
    with pytest.raises(error):
        assignments.assign(store, eva, videos_given, to, task)
    assert store.count(Assignment) == 0


def test_a_row_names_its_place(store: Store, ann: Person, videos: list[str]) -> None:
    (row,) = assignments.assign(store, ann, videos[:1], ann.id, "split")
    assert place_of(row) == Place(videos[0], ann.id, "split")


def test_work_that_was_begun_stays_given_when_giving_it_is_undone(
    store: Store, ann: Person, eva: Person, videos: list[str]
) -> None:
    assignments.assign(store, eva, videos, ann.id, "script")
    assignments.begin(store, ann, Place(videos[1], ann.id, "script"))
    turn = undo_and_redo.undo(store, eva)
    assert turn and len(turn.action.changes) == len(videos) - 1
    assert [str(left) for left in turn.left] == ["film 1, script by ann: changed since by ann"]
    assert states(store, ann) == [(videos[1], "working")]
    undo_and_redo.redo(store, eva)
    assert sorted(states(store, ann)) == [(v, "working" if v == videos[1] else "open") for v in videos]


def test_what_was_said_and_given_can_be_undone_and_redone(
    store: Store, ann: Person, eva: Person, videos: list[str]
) -> None:
    assignments.assign(store, eva, videos[:2], ann.id, "script")
    place = Place(videos[0], ann.id, "script")
    assignments.begin(store, ann, place)
    assignments.set_state(store, ann, place, "skipped", "no sound")
    assert states(store, ann) == [(videos[0], "skipped"), (videos[1], "open")]
    done = undo_and_redo.undo(store, ann)
    assert done and "skipped" in done.action.what
    assert states(store, ann) == [(videos[0], "working"), (videos[1], "open")]
    undo_and_redo.redo(store, ann)
    row = work_of(store, ann.id)[0]
    assert (row.state, row.note) == ("skipped", "no sound")
    assert undo_and_redo.undo(store, ann) and undo_and_redo.undo(store, ann) is None  # opening is no decision
    assignments.assign(store, eva, videos[2:3], ann.id, "split")
    undo_and_redo.undo(store, eva)
    assert len(states(store, ann)) == 2

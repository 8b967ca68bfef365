"""Sharing videos out among people: loads, the overlap, what is covered, and that it is one decision."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from annotation.editing import assignments, undo_and_redo
from annotation.editing.assignments import Place, all_work, work_of
from annotation.editing.share_work import Amount, Part, deal, share
from annotation.records.decisions import Assignment, Person
from annotation.records.errors import NotAllowed, NotFound
from annotation.records.videos import Video
from annotation.store.store import Store
from backends.errors import UsageError

COUNTS = some.integers(0, 60)
PEOPLE = some.integers(1, 7)


def takers_of(dealt: list[list[int]]) -> Counter[int]:
    return Counter(video for mine in dealt for video in mine)


@given(videos=COUNTS, people=PEOPLE, data=some.data())
def test_shared_evenly_every_video_is_covered_and_the_overlap_is_exact(
    videos: int, people: int, data: some.DataObject
) -> None:
    copies = data.draw(some.integers(1, people))
    overlap = data.draw(some.integers(0, videos))
    dealt = deal(videos, people, copies=copies, overlap=overlap)
    loads, takers = [len(mine) for mine in dealt], takers_of(dealt)
    assert max(loads) - min(loads) <= 1
    assert all(mine == sorted(set(mine)) for mine in dealt)
    assert set(takers) == set(range(videos))
    if copies < people:
        assert Counter(takers.values()) == +Counter({people: overlap, copies: videos - overlap})
    else:
        assert set(takers.values()) <= {people}


@given(videos=COUNTS, people=PEOPLE, data=some.data())
def test_a_number_each_is_never_exceeded_and_reached_while_there_are_videos(
    videos: int, people: int, data: some.DataObject
) -> None:
    copies = data.draw(some.integers(1, people))
    each = data.draw(some.integers(0, 30))
    overlap = data.draw(some.integers(0, min(videos, each)))
    dealt = deal(videos, people, copies=copies, each=each, overlap=overlap)
    loads, takers = [len(mine) for mine in dealt], takers_of(dealt)
    assert max(loads) <= each and max(loads) - min(loads) <= 1
    if copies < people:
        assert sum(count == people for count in takers.values()) == overlap
    assert set(takers) == set(range(len(takers)))  # what is left over is at the end of the list
    if len(takers) < videos:
        assert people * each - sum(loads) < copies


def test_the_overlap_is_spread_over_the_list() -> None:
    dealt = deal(20, 4, overlap=4)
    assert sorted(set.intersection(*map(set, dealt))) == [0, 5, 10, 15]


def test_partners_change() -> None:
    pairs = Counter(
        pair for takers in _people_of(deal(60, 4, copies=2)).values() for pair in combinations(takers, 2)
    )
    assert len(pairs) == 6 and max(pairs.values()) - min(pairs.values()) <= 1


def _people_of(dealt: list[list[int]]) -> dict[int, list[int]]:
    videos = sorted({video for mine in dealt for video in mine})
    return {video: [n for n, mine in enumerate(dealt) if video in mine] for video in videos}


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"videos": 3, "people": 0}, "at least one person"),
        ({"videos": 3, "people": 1, "copies": 2}, "each video needs 2 people"),
        ({"videos": 3, "people": 2, "overlap": 4}, "overlap is 4 of 3 videos"),
        ({"videos": 9, "people": 2, "overlap": 4, "each": 3}, "overlap of 4 videos; give 4 or more"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(numbers: dict[str, int], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        deal(**numbers)


def test_a_percentage_is_rounded_up() -> None:
    assert Amount(overlap=10, percent=True).overlap_of(15) == 2
    assert Amount(overlap=10).overlap_of(15) == 10


# --- in a store ------------------------------------------------------------------------


@pytest.fixture
def people(store: Store) -> dict[str, Person]:
    roles = {"ann": "annotator", "ben": "annotator", "cem": "annotator", "eva": "expert", "max": "expert"}
    made = [
        Person(id=f"per-{name}", name=name, role=role, created_at=1.0)  # type: ignore[arg-type]
        for name, role in roles.items()
    ]
    store.add(made)
    return {person.name: person for person in made}


@pytest.fixture
def videos(store: Store) -> list[str]:
    found = [Video(id=f"vid-{n}", title=f"film {n}", created_at=float(n)) for n in range(7)]
    store.add(found)
    return [video.id for video in found]


def ids(people: dict[str, Person], *names: str) -> list[str]:
    return [people[name].id for name in names]


def queue(store: Store, person: Person, task: str) -> list[str]:
    return [row.video_id for row in work_of(store, person.id) if row.task == task]


def test_a_whole_workflow_is_one_decision_that_can_be_undone(
    store: Store, people: dict[str, Person], videos: list[str]
) -> None:
    parts = [
        Part("aspects", ids(people, "ann", "ben", "cem"), copies=2),
        Part("merge", ids(people, "eva", "max")),
        Part("split", ids(people, "ann")),
    ]
    shared = share(store, people["eva"], videos, parts)
    assert [one.left for one in shared] == [0, 0, 0]
    assert sorted(len(queue(store, people[name], "aspects")) for name in ("ann", "ben", "cem")) == [4, 5, 5]
    assert sorted(len(queue(store, people[name], "merge")) for name in ("eva", "max")) == [3, 4]
    assert queue(store, people["ann"], "split") == videos
    (action,) = undo_and_redo.actions(store, people["eva"].id)
    assert action.what == "gave 7 videos to 5 people (aspects, merge, split)"
    undo_and_redo.undo(store, people["eva"])
    assert all_work(store) == {}


def test_later_tasks_share_the_videos_of_the_first(
    store: Store, people: dict[str, Person], videos: list[str]
) -> None:
    parts = [Part("aspects", ids(people, "ann", "ben"), copies=2), Part("merge", ids(people, "eva"))]
    shared = share(store, people["eva"], videos, parts, Amount(each=3))
    assert (shared[0].left, shared[0].everyone, shared[1].left) == (4, 3, 0)
    assert queue(store, people["eva"], "merge") == videos[:3] == queue(store, people["ann"], "aspects")


def test_what_is_given_already_stays_and_is_counted(
    store: Store, people: dict[str, Person], videos: list[str]
) -> None:
    assignments.assign(store, people["eva"], videos[:1], people["ann"].id, "script")
    assignments.set_state(store, people["ann"], Place(videos[0], people["ann"].id, "script"), "done")
    parts = [Part("script", ids(people, "ann", "ben"))]
    looked = share(store, people["eva"], videos, parts, Amount(overlap=1), write=False)
    assert store.count(Assignment) == 2
    (shared,) = share(store, people["eva"], videos, parts, Amount(overlap=1))
    assert looked == [shared] and shared.everyone == 1
    assert shared.new == {people["ann"].id: 3, people["ben"].id: 4}
    assert work_of(store, people["ann"].id)[0].state == "done"
    (again,) = share(store, people["eva"], videos, parts, Amount(overlap=1))
    assert again.videos == shared.videos and not again.new


@pytest.mark.parametrize(
    ("giver", "parts", "error"),
    [
        ("ann", [("script", ("ann", "ben"))], NotAllowed),
        ("eva", [("script", ("ann",)), ("sleep", ("ann",))], UsageError),
        ("eva", [("aspects", ("ann", "ben")), ("merge", ("ben",))], UsageError),
        ("eva", [("aspects", ("ann", "eva")), ("merge", ("eva",))], UsageError),
        ("eva", [("script", ("ann",)), ("script", ("nobody",))], NotFound),
        ("eva", [("script", ())], UsageError),
    ],
)
def test_if_one_part_is_refused_nothing_is_given(
    store: Store,
    people: dict[str, Person],
    videos: list[str],
    giver: str,
    parts: list[tuple[str, tuple[str, ...]]],
    error: type[Exception],
) -> None:
    asked = [Part(task, [f"per-{name}" for name in names]) for task, names in parts]
    with pytest.raises(error):
        share(store, people[giver], videos, asked)
    with pytest.raises(NotFound):
        share(store, people["eva"], [*videos, "vid-none"], [Part("script", ids(people, "ann", "ben"))])
    assert store.count(Assignment) == 0 and undo_and_redo.actions(store, people[giver].id) == []

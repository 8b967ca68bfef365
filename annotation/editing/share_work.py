"""Shares videos out among several people: evenly or a number each, with an overlap that everyone gets."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.editing.assignments import Place, give
from annotation.people import hidden_texts
from annotation.records.decisions import Assignment, Person
from annotation.store.store import Store
from backends.errors import UsageError


@dataclass(frozen=True, slots=True)
class Part:
    """A task and the people who share it."""

    task: str
    people: Sequence[str]
    """Their ids."""
    copies: int = 1
    """Number of people for each video outside the overlap."""


@dataclass(frozen=True, slots=True)
class Amount:
    """How many videos of the first task each person gets."""

    each: int | None = None
    """Videos of one person, the overlap included; None: all videos are shared evenly."""
    overlap: float = 0
    """Videos that everyone gets."""
    percent: bool = False
    """Whether `overlap` is a percentage of the videos, rounded up."""

    def overlap_of(self, videos: int) -> int:
        return math.ceil(videos * self.overlap / 100) if self.percent else int(self.overlap)


@dataclass(frozen=True, slots=True)
class Shared:
    """The result for one task."""

    task: str
    videos: dict[str, list[str]]
    """Video ids by person id, in the given order."""
    new: Counter[str]
    """Number of assignments that did not exist, by person id."""
    everyone: int
    """Number of videos that everyone gets."""
    left: int
    """Number of videos that are given to no one."""


def deal(
    videos: int, people: int, *, copies: int = 1, each: int | None = None, overlap: int = 0
) -> list[list[int]]:
    """Return the positions of the videos of each person, in ascending order.

    `overlap` videos, spread over the list, go to everyone; each of the others goes to `copies` people. With
    `each`, videos at the end of the list may be left over. The numbers of videos of two people differ by at
    most one. Raises UsageError if the numbers do not fit.
    """
    _check(videos, people, copies, each, overlap)
    rest = videos - overlap
    if each is not None:
        rest = min(rest, people * (each - overlap) // copies)
    shared = overlap + rest
    everyone = {number * shared // overlap for number in range(overlap)}
    found: list[list[int]] = [[] for _ in range(people)]
    together: Counter[frozenset[int]] = Counter()
    for video in range(shared):
        takers = range(people) if video in everyone else _least_busy(found, together, copies)
        for person in takers:
            found[person].append(video)
    return found


def _check(videos: int, people: int, copies: int, each: int | None, overlap: int) -> None:
    if not people:
        raise UsageError("choose at least one person")
    if copies > people:
        raise UsageError(f"each video needs {copies} people; choose {copies} or more")
    if overlap > videos:
        raise UsageError(f"the overlap is {overlap} of {videos} videos; make it smaller")
    if each is not None and each < overlap:
        raise UsageError(
            f"everyone gets the overlap of {overlap} videos; give {overlap} or more to each person"
        )


def _least_busy(found: list[list[int]], together: Counter[frozenset[int]], copies: int) -> list[int]:
    """Return the people for the next video: fewest videos first, then new partners."""
    chosen: list[int] = []
    for _ in range(copies):
        others = (person for person in range(len(found)) if person not in chosen)
        chosen.append(
            min(others, key=lambda one: (len(found[one]), sum(together[frozenset((one, x))] for x in chosen)))
        )
    together.update(frozenset((a, b)) for n, a in enumerate(chosen) for b in chosen[:n])
    return chosen


def share(
    store: Store,
    person: Person | None,
    video_ids: Sequence[str],
    parts: Sequence[Part],
    amount: Amount = Amount(),
    *,
    write: bool = True,
) -> list[Shared]:
    """Share videos out for one or more tasks, as one decision. Existing assignments are unchanged.

    `amount` is about the first task; the others share its videos evenly. `write` False: only return what
    would be given. Raises NotAllowed, NotFound, UsageError.
    """
    _apart(store, parts)
    videos, found = list(dict.fromkeys(video_ids)), list[Shared]()
    for number, part in enumerate(parts):
        people = list(dict.fromkeys(part.people))
        each, overlap = (amount.each, amount.overlap_of(len(videos))) if number == 0 else (None, 0)
        dealt = deal(len(videos), len(people), copies=part.copies, each=each, overlap=overlap)
        named = {who: [videos[n] for n in mine] for who, mine in zip(people, dealt, strict=True)}
        used = set().union(*dealt)
        everyone = len(used.intersection(*dealt)) if len(people) > 1 else 0
        found.append(Shared(part.task, named, Counter(), everyone, len(videos) - len(used)))
        videos = [video for n, video in enumerate(videos) if n in used]
    _count(found, give(store, person, _places(found, videos), write=write))
    return found


def _apart(store: Store, parts: Sequence[Part]) -> None:
    """Check that no one merges texts of their own. Raises UsageError."""
    people: dict[str, set[str]] = defaultdict(set)
    for part in parts:
        people[part.task].update(part.people)
    for person_id in sorted(people[hidden_texts.WRITE] & people[hidden_texts.MERGE]):
        name = store.get(Person, person_id).name
        raise UsageError(f"{name} cannot both write and merge; choose another expert to merge")


def _places(found: Sequence[Shared], videos: Sequence[str]) -> list[Place]:
    """Return all assignments, each person's in the order of the videos."""
    at = {video: n for n, video in enumerate(videos)}
    places = [Place(v, who, one.task) for one in found for who, mine in one.videos.items() for v in mine]
    return sorted(places, key=lambda place: at[place.video_id])


def _count(found: Sequence[Shared], new: Sequence[Assignment]) -> None:
    by_task = {one.task: one.new for one in found}
    for row in new:
        by_task[row.task][row.person_id] += 1

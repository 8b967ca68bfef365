"""Responses of the Library and the queues, and the background jobs that every page shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from annotation.store.verdicts.video_order import VideoSort
from backends.protocols import Loading


class StageState(TypedDict):
    """The state of a stage with a video; `none`: not started."""

    stage: str
    state: str
    message: str
    done: NotRequired[int]
    total: NotRequired[int]
    failed: NotRequired[int]


class AspectMean(TypedDict):
    """Mean score of one aspect, 0 to 5, over `n` readable verdicts of `of`."""

    kind: str
    score: float
    accuracy: float | None
    n: int
    of: int


class Work(TypedDict):
    """One piece of work with its current state."""

    video: str
    person_id: str
    person: str
    task: str
    state: str
    note: str
    at: float
    unfinished: bool


class WorkLink(TypedDict):
    """The next piece of work; its task determines the page."""

    video: str
    title: str
    task: str


class MyWork(Work):
    next: WorkLink | None


class LibraryRow(TypedDict):
    """One video. Values that are read from the file are null if there is none."""

    id: str
    title: str
    where: str
    """What distinguishes it from other videos of this title, such as its folder; empty: no other has it."""
    category: str
    created_at: float
    file: bool
    why_no_file: str
    duration_s: float | None
    frames: int | None
    clips: int
    clips_here: int
    poster: int | None
    """Frame index of the thumbnail."""
    problems: list[str]
    playable: bool
    unplayable_why: str
    stages: list[StageState]
    mean: AspectMean | None
    """Mean over all its verdicts; its `kind` is empty."""
    worst: AspectMean | None
    aspects: list[AspectMean]
    verdicts: dict[str, int]
    """Number of verdicts in each state."""
    corrected: int
    work: list[Work]
    findings: int | None
    """Number of open findings in its script; null: not counted yet, so request it again."""
    same_file_as: str
    """Title of another video here with the same file content; empty: none."""
    measured_only: bool
    """Whether all of its captions are from the baseline."""


class PersonName(TypedDict):
    id: str
    name: str


LibrarySort = Literal[VideoSort, "newest"]
"""`newest`: most recently added first."""


class StageSetting(TypedDict):
    """A setting of a stage that people choose before a run."""

    name: str
    label: str
    options: dict[str, str]
    """The values, each with its label. The first is the default."""


class StageFacts(TypedDict):
    """A stage in the dialog that chooses stages."""

    name: str
    label: str
    needs: list[str]
    """Names of stages that run with it."""
    usual: bool
    """Whether it runs if no stage is named."""
    choice: StageSetting | None


class LibraryList(TypedDict):
    videos: list[LibraryRow]
    """The videos of this page."""
    fit: int
    """Number of videos that match the search and the filters."""
    total: int
    measured_only: int
    """Number of all videos with captions from the embedded baseline only."""
    workers: list[PersonName]
    stages: list[StageFacts]
    """All stages, in the order in which they run."""


class LibraryPage(LibraryList):
    evaluation: str


class VideoOrder(TypedDict):
    videos: list[str]
    """Ids."""
    evaluation: str


class JobFacts(TypedDict):
    """A background job. Times are Unix seconds; 0: not yet."""

    id: str
    state: str
    video: str
    video_id: str
    stage: str
    done: int
    total: int
    videos_done: int
    videos: int
    started: float
    stage_started: float
    finished: float
    problems: Sequence[str]
    """The newest problems."""
    problems_total: int
    video_ids: list[str]
    stages: list[str]
    elapsed_s: float
    plan: str
    evaluation: str
    notes: list[str]
    loading: Loading | None
    rate: float | None
    """Items per second."""
    left_s: float | None
    took: str
    """A summary of its model calls after it has ended; empty if it made none."""


class Taker(PersonName):
    merges: bool
    """Whether the person may merge the texts of others."""


class QueueCounts(TypedDict):
    """Numbers of videos in a queue; a video may have several tasks."""

    left: int
    """Those with unfinished work."""
    of: int


class Queue(QueueCounts):
    resume: WorkLink | None
    tasks: list[str]
    people: list[Taker]
    """People to whom the current person may assign work."""


class QueueBar(QueueCounts):
    """The work on one video, with the counts of the current person's queue."""

    mine: list[MyWork]
    others: list[Work]


class NextWork(QueueCounts):
    next: WorkLink | None


class WorkSaid(NextWork):
    work: Work


class WorkGiven(TypedDict):
    given: int
    already: int


class PersonShare(PersonName):
    videos: int
    given: int
    """Number of these that the person did not have for the task."""


class TaskShare(TypedDict):
    """How the videos of one task are shared out."""

    task: str
    people: list[PersonShare]
    everyone: int
    """Number of videos that all of the people get."""
    left: int
    """Number of videos that no one gets."""


class WorkShared(TypedDict):
    parts: list[TaskShare]
    refused: str
    """Of a preview: why the videos cannot be shared out like this; else empty."""


class WorkWithdrawn(TypedDict):
    withdrawn: int


class WorkState(TypedDict):
    state: str

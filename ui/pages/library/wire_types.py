"""What the Library and the queues are sent, and what every page is sent of runs in the background."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from annotation.store.verdicts.video_order import VideoSort
from backends.protocols import Loading


class StageState(TypedDict):
    """How far a stage is with a video; `none`: not begun."""

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
    """One piece of work as it stands."""

    video: str
    person_id: str
    person: str
    task: str
    state: str
    note: str
    at: float
    unfinished: bool


class WorkLink(TypedDict):
    """A piece of work to go on with; its task decides the page."""

    video: str
    title: str
    task: str


class MyWork(Work):
    next: WorkLink | None


class LibraryRow(TypedDict):
    """One video. Without a file, what would come of it is null."""

    id: str
    title: str
    category: str
    created_at: float
    file: bool
    why_no_file: str
    duration_s: float | None
    frames: int | None
    clips: int
    clips_here: int
    poster: int | None
    """The frame that stands for the video."""
    problems: list[str]
    playable: bool
    unplayable_why: str
    stages: list[StageState]
    mean: AspectMean | None
    """Of all its verdicts; its `kind` is empty."""
    worst: AspectMean | None
    aspects: list[AspectMean]
    verdicts: dict[str, int]
    """How many of each state."""
    corrected: int
    work: list[Work]
    findings: int | None
    """Open ones in its script; null: not counted yet, so ask again."""
    same_file_as: str
    """Title of another video here whose file holds the same; empty: none."""
    measured_only: bool
    """Whether its captions are the baseline's alone."""


class PersonName(TypedDict):
    id: str
    name: str


LibrarySort = Literal[VideoSort, "newest"]
"""`newest`: what was added last first."""


class StageFacts(TypedDict):
    """What the dialog that chooses stages shows of one."""

    name: str
    label: str
    needs: list[str]
    """Names of stages that run with it."""
    usual: bool
    """Whether it runs if no stage is named."""


class LibraryList(TypedDict):
    videos: list[LibraryRow]
    """Those of the page."""
    fit: int
    """How many fit what was searched and filtered."""
    total: int
    measured_only: int
    """Videos that only the embedded baseline has captioned, of all."""
    workers: list[PersonName]
    stages: list[StageFacts]
    """All stages, in the order in which they run."""


class LibraryPage(LibraryList):
    evaluation: str


class VideoTitle(TypedDict):
    id: str
    title: str


class VideoOrder(TypedDict):
    videos: list[str]
    """Ids."""
    evaluation: str


class JobFacts(TypedDict):
    """A run in the background. Times are Unix seconds; 0: not yet."""

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
    """The newest."""
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
    """What its model calls took, once it is over, in words; empty where none were made."""


class Queue(TypedDict):
    left: int
    of: int
    resume: WorkLink | None
    tasks: list[str]
    people: list[PersonName]
    """To whom one may give work."""


class QueueBar(TypedDict):
    """The work on one video."""

    mine: list[MyWork]
    others: list[Work]
    left: int
    of: int


class NextWork(TypedDict):
    next: WorkLink | None
    left: int
    of: int


class WorkSaid(NextWork):
    work: Work


class WorkGiven(TypedDict):
    given: int
    already: int


class WorkWithdrawn(TypedDict):
    withdrawn: int


class WorkState(TypedDict):
    state: str

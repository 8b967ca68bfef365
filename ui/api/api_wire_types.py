"""What routes of several pages send: who one is, jobs, files, accounts, undo, findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from annotation.people.permissions import Scope
from annotation.people.personal_tokens import State as TokenState
from annotation.people.who_labels_blind import Mode
from annotation.pipeline.open_models import ModelList
from annotation.records.allowed_values import Role
from backends.protocols import Loading
from exports.files.format_types import Problem
from ui.lib.shared_wire_types import DismissalFacts
from ui.pages.library.wire_types import JobFacts
from ui.pages.verdicts.wire_types import EvaluationFacts


class PersonFacts(TypedDict):
    id: str
    name: str
    role: str


class LoginWays(TypedDict):
    password: bool
    provider: str
    """The host of the OpenID provider; empty: there is none."""


class Me(TypedDict):
    """Who is asking, who else works here, and which evaluations there are."""

    person: PersonFacts | None
    locked: bool
    passwords: bool
    leaves: bool
    login: LoginWays
    people: list[PersonFacts]
    may: list[str]
    evaluations: list[EvaluationFacts]
    items: dict[str, int]
    """Per system how many evaluations of items there are."""
    workspace: str
    workspace_id: str
    blind: Mode | None


class BlindPerson(PersonFacts):
    on: bool
    locked: bool


class LoadingNow(TypedDict):
    loading: Loading | None


class JudgedAgain(TypedDict):
    evaluation: str
    verdicts: list[str]
    failed: int


class UploadLimit(TypedDict):
    upload: int
    """Bytes."""


class FileTaken(TypedDict):
    """What came of one file: a video, records, or why it cannot be read."""

    file: str
    video: NotRequired[str]
    title: NotRequired[str]
    format: NotRequired[str]
    records: NotRequired[dict[str, int]]
    evaluations: NotRequired[list[str]]
    """Names of those that it became."""
    problems: NotRequired[Sequence[Problem]]
    error: NotRequired[str]
    known: NotRequired[bool]
    """Whether the same content was here already."""
    join: NotRequired[list[str]]
    """Ids of the video that has this content and of the one that waits for it: they may be joined."""


class FilesTaken(TypedDict):
    files: list[FileTaken]
    job: JobFacts | None


class SampleTaken(TypedDict):
    video: str


class HeapTaken(TypedDict):
    """Files that are not imported yet."""

    id: str


class HeapProgress(TypedDict):
    """How far the reading of the files has come."""

    file: str
    """The one that is read now; empty before the first."""
    share: float
    """Of all bytes, 0 to 1."""
    records: int
    """Made of them."""


class HeapEvaluation(TypedDict):
    id: str
    name: str
    known: bool
    """Whether it is here already."""


class HeapThing(TypedDict):
    """An evaluation or a dataset among them, and what it would bring."""

    id: str
    format: str
    what: str
    name: str
    files: list[str]
    benchmarks: list[str]
    evaluations: list[HeapEvaluation]
    models: dict[str, str]
    counts: dict[str, int]
    new: dict[str, int]
    problems: Sequence[Problem]
    problem_count: int
    missing: list[str]
    error: str


class HeapFile(TypedDict):
    file: str
    title: str


class HeapAgain(TypedDict):
    file: str
    place: str
    title: str
    """Of the video that has this content."""


class HeapRest(TypedDict):
    file: str
    place: str
    """In the heap: what `by_hand` of the import calls it."""


class HeapWaiting(TypedDict):
    id: str
    title: str


class HeapVideos(TypedDict):
    """The videos among them: those that videos here wait for, and the rest."""

    files: int
    fit: int
    fitting: list[HeapFile]
    rest: list[HeapRest]
    rest_count: int
    again: list[HeapAgain]
    """Files whose content is here already."""
    unclear: Sequence[Problem]
    without: int
    """Videos that would still be without a file."""
    waiting: list[HeapWaiting]
    """The first of those."""
    add_rest: bool
    """Whether the rest are new videos, as far as can be told."""


class HeapPreview(TypedDict):
    id: str
    things: list[HeapThing]
    videos: HeapVideos
    unread: Sequence[Problem]
    unread_count: int


class HeapImported(TypedDict):
    files: list[FileTaken]
    evaluations: list[str]
    added: list[str]
    attached: int
    missing: int
    undo: str
    """Id of the import; empty where nothing was written."""


class UrlTaken(TypedDict):
    url: str
    video: NotRequired[str]
    title: NotRequired[str]
    error: NotRequired[str]


class UrlsTaken(TypedDict):
    files: list[UrlTaken]
    job: JobFacts | None


class JoinChoice(TypedDict):
    """A video that another one may be one with."""

    id: str
    title: str
    file: bool
    """Whether it has a file."""
    why: str
    """Why it is offered; empty where it was searched for."""


class JoinChoices(TypedDict):
    video: JoinChoice
    others: list[JoinChoice]


class VideosJoined(TypedDict):
    kept: str
    title: str
    joined: str
    """Title of the other."""
    undo: str


class VideoRemoved(TypedDict):
    removed: str
    title: str


class ExportFormat(TypedDict):
    name: str
    group: str
    what: str
    cannot_hold: str
    evaluation: Literal["none", "optional", "needed"]
    texts: bool
    """Whether whose texts it holds can be chosen."""


class NamedPerson(TypedDict):
    id: str
    name: str


class ExportChoices(TypedDict):
    formats: list[ExportFormat]
    people: list[NamedPerson]
    """Who wrote or corrected a text."""


class PreviewCell(TypedDict):
    count: int
    by: list[str]
    """Names of those who wrote the texts; empty for records."""


class PreviewRow(TypedDict):
    video: str
    cells: dict[str, PreviewCell]
    """By field; fields that would be empty are left out."""


class ExportPreview(TypedDict):
    """What a file would hold."""

    says: list[str]
    fields: list[str]
    totals: dict[str, str]
    """By field, of all videos."""
    rows: list[PreviewRow]
    """The first by name."""
    more: int
    """How many rows are not shown."""


class AccountFacts(TypedDict):
    id: str
    name: str
    role: Role
    created_at: float
    has_password: bool
    disabled: bool
    seen_at: float | None


class Accounts(TypedDict):
    people: list[AccountFacts]
    passwords: bool


class TokenFacts(TypedDict):
    """A personal token, without the token itself."""

    id: str
    name: str
    scope: Scope
    state: TokenState
    created_at: float
    until: float
    used_at: float | None
    """When it was used last, exact to a minute; null: never."""


class MadeToken(TokenFacts):
    token: str


class PasswordChanged(TypedDict):
    changed: bool


class ChangedSubject(TypedDict):
    kind: str
    subject: list[str]


class Decision(TypedDict):
    """One decision of a person."""

    id: str
    what: str
    state: str
    at: float
    video_id: str | None
    video_title: str
    changes: list[ChangedSubject]
    of: int
    """How many subjects the decision was about."""


class LeftAlone(TypedDict):
    """What others have changed since, so that it stays."""

    video_id: str
    video_title: str
    where: str
    why: str
    changes: list[ChangedSubject]


class Turned(TypedDict):
    """What an undo or a redo did; null: there was nothing within reach."""

    action: Decision | None
    left: list[LeftAlone]
    beyond: Decision | None
    """The decision that comes next and is beyond the reach: it stays as it is."""


class Dismissed(TypedDict):
    id: str
    dismissal: DismissalFacts | None
    saved_at: float


class ProposedClause(TypedDict):
    full: tuple[int, int]
    """Code points of the full caption."""
    spatial: str
    temporal: str
    reason: str


class ProposedSplit(TypedDict):
    model: str
    baseline: bool
    full: str
    clauses: list[ProposedClause]


class ModelOffers(ModelList):
    """What can be connected on the server's machine."""

    settings: dict[str, str]
    """Engines by role, as the workspace's settings name them."""


class ModelKept(TypedDict):
    role: str
    spec: str
    overruled_by: str
    """The engine that a flag of the command line names instead; empty: none does."""

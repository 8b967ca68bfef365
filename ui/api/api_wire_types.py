"""Responses of routes that several pages use: people, jobs, files, accounts, undo, findings."""

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
from ui.pages.verdicts.item_wire_types import ItemKind
from ui.pages.verdicts.wire_types import EvaluationFacts, EvaluationName


class PersonFacts(TypedDict):
    id: str
    name: str
    role: str


class LoginWays(TypedDict):
    password: bool
    provider: str
    """The host of the OpenID provider; empty: none."""


class Me(TypedDict):
    """The current person, the other people here, and the evaluations."""

    person: PersonFacts | None
    locked: bool
    passwords: bool
    leaves: bool
    login: LoginWays
    people: list[PersonFacts]
    may: list[str]
    evaluations: list[EvaluationFacts]
    items: list[ItemKind]
    """The kinds of items on Verdicts, in the order of the switch."""
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
    """In bytes."""


class FileTaken(TypedDict):
    """The result for one file: a video, records, or why it cannot be read."""

    file: str
    video: NotRequired[str]
    title: NotRequired[str]
    format: NotRequired[str]
    records: NotRequired[dict[str, int]]
    evaluations: NotRequired[list[str]]
    """Names of the evaluations imported from the file."""
    problems: NotRequired[Sequence[Problem]]
    error: NotRequired[str]
    known: NotRequired[bool]
    """Whether a file with the same content was already here."""
    join: NotRequired[list[str]]
    """Ids of the video with this content and of the one that waits for it: they may be joined."""


class FilesTaken(TypedDict):
    files: list[FileTaken]
    job: JobFacts | None


class SampleTaken(TypedDict):
    video: str


class HeapTaken(TypedDict):
    """Files that are not imported yet."""

    id: str


class HeapProgress(TypedDict):
    """The reading progress of the files."""

    file: str
    """The file being read; empty before the first one."""
    share: float
    """Share of all bytes read, 0 to 1."""
    records: int
    """Number of records read from the files."""


class HeapEvaluation(TypedDict):
    id: str
    name: str
    known: bool
    """Whether it is already here."""


class HeapThing(TypedDict):
    """An evaluation or a dataset among the files, and what it would import."""

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
    """Title of the video that has this content."""


class HeapRest(TypedDict):
    file: str
    place: str
    """The file's place in the heap: its key in `by_hand` of the import."""


class HeapWaiting(TypedDict):
    id: str
    title: str


class HeapVideos(TypedDict):
    """The videos among the files: those that videos here wait for, and the others."""

    files: int
    fit: int
    fitting: list[HeapFile]
    rest: list[HeapRest]
    rest_count: int
    again: list[HeapAgain]
    """Files whose content is already here."""
    unclear: Sequence[Problem]
    without: int
    """Number of videos that would still lack a file."""
    waiting: list[HeapWaiting]
    """The first of these videos."""
    add_rest: bool
    """Whether the other files would become new videos, by default."""


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
    """Id of the import, for undo; empty if nothing was written."""


class UrlTaken(TypedDict):
    url: str
    video: NotRequired[str]
    title: NotRequired[str]
    error: NotRequired[str]


class UrlsTaken(TypedDict):
    files: list[UrlTaken]
    job: JobFacts | None


class JoinChoice(TypedDict):
    """A video that another one may be joined with."""

    id: str
    title: str
    file: bool
    """Whether it has a file."""
    why: str
    """Why it is suggested; empty for a search result."""


class JoinChoices(TypedDict):
    video: JoinChoice
    others: list[JoinChoice]


class VideosJoined(TypedDict):
    kept: str
    title: str
    joined: str
    """Title of the video that was joined into this one."""
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
    evaluations: list[EvaluationName]
    """Evaluations that can be written, newest first."""
    benchmark: bool
    """Whether those are the evaluations of a benchmark other than VDC and Video-MMLU."""
    texts: bool
    """Whether the format has texts, so that their author can be chosen."""


class NamedPerson(TypedDict):
    id: str
    name: str


class ExportChoices(TypedDict):
    formats: list[ExportFormat]
    people: list[NamedPerson]
    """People who wrote or corrected a text."""


class PreviewCell(TypedDict):
    count: int
    by: list[str]
    """Names of the texts' authors; empty for records."""


class PreviewRow(TypedDict):
    video: str
    cells: dict[str, PreviewCell]
    """By field, without empty fields."""


class ExportPreview(TypedDict):
    """The content of an export file."""

    says: list[str]
    fields: list[str]
    totals: dict[str, str]
    """By field, over all videos."""
    rows: list[PreviewRow]
    """The first rows by name."""
    more: int
    """Number of rows that are left out."""


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
    """A personal token, without its secret."""

    id: str
    name: str
    scope: Scope
    state: TokenState
    created_at: float
    until: float
    used_at: float | None
    """Time of the last use, to the minute; null: never used."""


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
    """Number of subjects of the decision."""


class LeftAlone(TypedDict):
    """A value that stays as it is because others have changed it since."""

    video_id: str
    video_title: str
    where: str
    why: str
    changes: list[ChangedSubject]


class Turned(TypedDict):
    """The result of an undo or a redo; null: there was nothing to undo or redo within reach."""

    action: Decision | None
    left: list[LeftAlone]
    beyond: Decision | None
    """The decision that comes next but is out of reach; it was not undone."""


class Dismissed(TypedDict):
    id: str
    dismissal: DismissalFacts | None
    saved_at: float


class ProposedClause(TypedDict):
    full: tuple[int, int]
    """Start and end in code points of the full caption."""
    spatial: str
    temporal: str
    reason: str


class ProposedSplit(TypedDict):
    model: str
    baseline: bool
    full: str
    clauses: list[ProposedClause]


class ModelOffers(ModelList):
    """The models that can be connected on the server's machine."""

    settings: dict[str, str]
    """Engines by role, as set in the workspace."""


class ModelKept(TypedDict):
    role: str
    spec: str
    overruled_by: str
    """The engine that a command line flag sets instead; empty: none does."""

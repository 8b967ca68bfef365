"""Responses of the Verdicts page: the list, one verdict, one question. Items: `item_wire_types`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from annotation.checks.question_checks import Check
from annotation.records.allowed_values import OpinionRule
from annotation.records.ids import Json
from annotation.store.verdicts.filter_and_order import Beside, Sort
from annotation.systems.vdc.error_source_proposals import Proposal
from ui.lib.shared_wire_types import (
    EditableText,
    EditableVerdict,
    EditableWords,
    HistoryEntry,
    NamedErrorSource,
    RunFacts,
    Saved,
    VerdictValue,
    VideoTitle,
)


class EvaluationName(TypedDict):
    id: str
    name: str
    baseline: bool


class EvaluationFacts(EvaluationName):
    note: str
    created_at: float
    verdicts: int
    """Number of its verdicts."""
    ceiling: bool
    """Whether its captions are the reference captions."""


# --- the list of verdicts -------------------------------------------------------------


class VerdictLine(TypedDict):
    """One line of the list."""

    verdict_id: str
    video_id: str
    video_title: str
    question_id: str | None
    """Null for a verdict on a video's aspect as a whole."""
    kind: str
    question: str
    state: str
    label: str
    score: float | None
    corrected: bool
    stale: bool
    error_source: str
    baseline: bool
    confirmed: bool
    disputed: bool
    """Whether people disagree."""
    flag: str
    """`excluded`, `suspect` or empty."""
    beside: NotRequired[tuple[Beside | None, ...]]
    """Per requested other evaluation; null if it lacks the question."""
    hidden: bool
    """Whether the verdict is hidden from the current person."""
    contradicts: bool
    """Whether label and score contradict each other."""


class VerdictList(TypedDict):
    """A page of the list. `groups` and `facets` come with the first page, and with one found by `at`."""

    rows: list[VerdictLine]
    total: int
    offset: int
    counts: dict[str, int]
    """Number of verdicts in each state, before the filters by state and words."""
    position: int | None
    """Position of the verdict that `at` names."""
    sort: Sort
    blind: bool
    groups: NotRequired[Sequence[int]]
    """Rows per video; empty if the list is not sorted by videos, or has too many."""
    facets: NotRequired[dict[str, list[str]]]
    """The values of each facet, by name."""


class VerdictsPage(VerdictList):
    evaluation: str


class NextVerdict(TypedDict):
    """The next open verdict; `position` is null if there is none."""

    position: int | None
    verdict_id: NotRequired[str]
    video_id: NotRequired[str]


# --- one verdict ----------------------------------------------------------------------


class OpinionRuleFacts(TypedDict):
    name: OpinionRule
    what: str


class Opinion(TypedDict):
    """One person's opinion of a verdict."""

    person: str
    by: str
    value: VerdictValue
    confirms: bool
    counts: bool
    given_blind: str
    """The label that the person gave before they saw the judge's; empty if there is none."""
    reason: str
    at: float


class Opinions(TypedDict):
    """People's opinions of a verdict and its error source, and the rule that selects the one that counts."""

    opinion_rule: OpinionRuleFacts
    opinions: list[Opinion]
    error_sources: list[NamedErrorSource]


class ReplyEnd(TypedDict):
    """Empty if no reply was kept."""

    finish_reason: NotRequired[str]
    note: NotRequired[str]
    """How the reply was changed before it was stored."""


class AnswerValue(EditableWords):
    reason: str
    source: str
    """`caption`, `video` or `imported`."""


class LoggedAnswer(TypedDict):
    """A question of an aspect with its answer in a log."""

    question: str
    reference: str
    answer: str


class OtherVerdict(TypedDict):
    """Another verdict on the same question."""

    id: str
    run: str
    model: str
    baseline: bool
    state: str
    label: str
    score: float | None
    stale: bool
    superseded: bool
    created_at: float
    answer: str


class AnswerBeside(TypedDict):
    value: str
    state: str
    corrected: bool


class VerdictBeside(TypedDict):
    """The question in another evaluation; `id` is empty, and most is left out, if it lacks the question."""

    evaluation: str
    name: str
    id: str
    state: NotRequired[str]
    label: NotRequired[str]
    score: NotRequired[float | None]
    corrected: NotRequired[bool]
    confirmed: NotRequired[bool]
    stale: NotRequired[bool]
    baseline: NotRequired[bool]
    model: NotRequired[str]
    answer: NotRequired[AnswerBeside]
    caption: NotRequired[str | None]
    span: NotRequired[tuple[int, int] | None]


class SecondOpinion(TypedDict):
    """The answer of a vision model that got the question with some frames."""

    model: str
    value: str
    state: str
    reason: str
    frames: list[int]
    at: float


class Evidence(TypedDict):
    """The evidence of a verdict: an answer to a question, or all answers of a log on one aspect."""

    kind: str | None
    from_video: bool
    """Whether its question is answered from the video, without a caption."""
    index: NotRequired[int]
    category: NotRequired[str]
    question: NotRequired[EditableWords]
    reference: NotRequired[EditableWords]
    answer: NotRequired[AnswerValue]
    question_id: NotRequired[str]
    question_source: NotRequired[str]
    answer_frames: NotRequired[list[int]]
    """The frames given with an answer from the video."""
    caption: NotRequired[EditableText | None]
    span: NotRequired[tuple[int, int] | None]
    """The span of the caption that supports the answer, in code points."""
    answer_run: NotRequired[RunFacts | None]
    mean: NotRequired[dict[str, Json]]
    """For an aspect: the figures of the log."""
    no_verdict: NotRequired[str]
    """For an aspect: why people cannot give a verdict if the log keeps a mean; else empty."""
    answers: NotRequired[list[LoggedAnswer]]
    history: NotRequired[list[HistoryEntry]]
    """Changes of the verdict and of its evidence; those without `what` are of the verdict."""
    others: NotRequired[list[OtherVerdict]]
    second_opinions: NotRequired[list[SecondOpinion]]
    """Newest first; left out while the verdict is hidden."""


class VerdictEvidence(Opinions, Evidence):
    """Everything about one verdict. `call_id`, `call` and `contradicts` are left out while it is hidden."""

    id: str
    baseline: bool
    video: VideoTitle
    verdict: EditableVerdict
    machine_state: str
    raw: str
    reason: str
    superseded: bool
    run: RunFacts | None
    call_id: NotRequired[str | None]
    call: NotRequired[ReplyEnd]
    error_source: str
    proposed_source: Proposal | None
    """The proposal of the rules for a failed question; null: none, or hidden for now."""
    contradicts: NotRequired[bool]
    beside: list[VerdictBeside]


class VerdictDetail(VerdictEvidence):
    hidden: bool


# --- the frames of a question ----------------------------------------------------------


class PinnedBy(TypedDict):
    person: str
    by: str


class PinnedFrame(TypedDict):
    frame: int
    pinned: list[PinnedBy]


class EvidenceRow(PinnedFrame):
    """A relevant frame for a question."""

    at_s: float | None
    """None for a frame that a person found."""
    reasons: list[str]
    """The reasons for this frame, in words."""


class SceneFrame(TypedDict):
    scene: int
    frame: int
    """A clear frame of the scene."""


class QuestionEvidence(TypedDict):
    """Pinned frames first, then the best one. Empty for a video without a file."""

    frames: list[EvidenceRow]
    found: bool
    """False: no evidence for a place was found; the frames are one per scene, in order."""
    scenes: list[SceneFrame]


class SecondOpinions(TypedDict):
    """The second opinions of one question, newest first."""

    second_opinions: list[SecondOpinion]


class PinsNow(Saved):
    pins: list[PinnedFrame]


# --- one question ---------------------------------------------------------------------


class QuestionFinding(TypedDict):
    check: Check
    field: Literal["question", "answer", "category"]
    why: str
    suspect: bool
    """Whether it is a reason to exclude the question."""


class ExclusionFacts(TypedDict):
    """Who excluded a question, when and why."""

    by: str
    person_id: str
    at: float
    reason: str


class QuestionCeiling(TypedDict):
    """The verdict on the answer taken from the question's own reference caption."""

    verdict_id: str
    question_id: str
    answer: str
    state: str
    label: str
    score: float | None
    stale: bool
    evaluation: str
    evaluation_name: str


class QuestionFacts(TypedDict):
    id: str
    video_id: str
    kind: str
    index: int
    category: str
    question: EditableWords
    reference: EditableWords
    findings: list[QuestionFinding]
    exclusion: ExclusionFacts | None
    ceiling: QuestionCeiling | None


class ExclusionSaved(Saved):
    exclusion: ExclusionFacts | None
    """Null: the question counts."""

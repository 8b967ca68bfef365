"""Types of responses that several pages use; routes are annotated with them, and /openapi.json lists them.

One class per shape, with the same name as in TypeScript. Shapes of a single page are in its own
wire_types.py. TypedDict comes from typing_extensions: pydantic does not support the one in typing of Python
3.11.
"""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from annotation.editing.dismissed_findings import Found
from annotation.records.ids import Json


class Place(TypedDict):
    video_id: str
    kind: str
    scene: str


"""The place of a person's own text."""


class EditableField(TypedDict):
    """What an editor needs in addition to the value."""

    subject: list[str]
    """Type, id and field."""
    revision: int
    corrected: bool
    confirmed: bool
    stale: bool
    state: str


class EditableValue(EditableField):
    value: Json
    machine: Json


class EditableWords(EditableField):
    value: str
    machine: str


class VerdictValue(TypedDict):
    label: str
    score: float | None


class EditableVerdict(EditableField):
    """Without values while the verdict is hidden from the person."""

    value: VerdictValue | None
    machine: VerdictValue | None


class EditableText(EditableWords):
    """A caption with its author and state."""

    id: str
    kind: str
    reason: str
    author: str
    """Author of the words before they were corrected."""
    baseline: bool
    corrected_by: str
    """Name of the person whose correction is shown; empty if the text is not corrected."""
    frames: list[int]
    created_at: float
    person: str
    place: Place | None
    model: str
    """Name of the run's model, if runs are shown separately; else empty."""


class HistoryEntry(TypedDict):
    """One change of a field."""

    revision: int
    value: Json
    cleared: bool
    reason: str
    by: str
    at: float
    blind: bool
    """For verdicts: whether it was given before the judge's was shown."""
    what: NotRequired[str]
    """What was changed, in a list with changes of several things."""


class VideoTitle(TypedDict):
    id: str
    title: str


class SceneRow(TypedDict):
    key: str
    index: int
    start: int
    end: int
    start_s: float
    end_s: float
    measurements: dict[str, Any]
    """Figures by kind of measurement (backends/measurements)."""
    missing: NotRequired[bool]
    """For a film made of clips: whether this clip is missing here."""


class SpeechLine(TypedDict):
    """A line of speech. In a segment that was cut, `text` is edited as a part of the list `pieces`."""

    id: str
    segment: str
    piece: int
    cut: bool
    pieces: Json
    revisions: list[int]
    """Revisions of the text and of the pieces."""
    start_s: float
    end_s: float
    avg_logprob: float
    no_speech_prob: float
    words: list[tuple[str, float, float, float]]
    """Word, start and end in seconds, probability."""
    text: EditableWords


class Speech(TypedDict):
    """The lines that count now, and the stretches that voice detection left out."""

    heard: bool
    segments: list[SpeechLine]
    gaps: list[list[float]]
    language: NotRequired[str]
    language_probability: NotRequired[float]
    model: NotRequired[str]


class ScreenLine(TypedDict):
    """A line of text in the picture, with the frames that show it."""

    text: str
    score: float
    start_s: float
    end_s: float
    frame: int
    """The frame in which the text was read best."""
    first: int
    last: int


class PlayerData(TypedDict):
    """Data for the player. Without a file, only the first four fields and what a dataset states are set."""

    id: str
    title: str
    file: bool
    why: str
    playable: NotRequired[bool]
    copy: NotRequired[bool]
    needs_copy: NotRequired[bool]
    problems: NotRequired[list[str]]
    frames: NotRequired[int]
    duration_s: NotRequired[float]
    width: NotRequired[int]
    height: NotRequired[int]
    fps: NotRequired[float]
    vfr: NotRequired[bool]
    codec: NotRequired[str]
    strip: NotRequired[list[int]]
    opens: NotRequired[int]
    slates: NotRequired[list[int]]
    scenes: NotRequired[list[SceneRow]]
    proposal: NotRequired[bool]
    speech: NotRequired[Speech]
    screen_texts: NotRequired[list[ScreenLine]]
    untimed: NotRequired[bool]


class RunFacts(TypedDict):
    """A run as pages show it."""

    id: str
    stage: str
    model: str
    backend: str
    endpoint: str
    prompt_hash: str
    params: dict[str, Any]
    software: dict[str, Any]
    baseline: bool
    created_at: float


class DismissalFacts(TypedDict):
    by: str
    person_id: str
    reason: str
    at: float


class Finding(TypedDict):
    """What a check found in a text."""

    id: str
    check: str
    why: str
    text: str
    start: int | None
    end: int | None
    dismissal: DismissalFacts | None
    finding: Found


class NamedErrorSource(TypedDict):
    """The error source of a verdict that one person named."""

    person: str
    by: str
    kind: str


class ErrorSourceNow(TypedDict):
    """The error source that counts, and what each person named, as far as the current person may see it."""

    error_source: str
    named: list[NamedErrorSource]
    saved_at: float


class OpinionRuleNow(TypedDict):
    rule: str


class Saved(TypedDict):
    saved_at: float


class SavedValue(EditableValue, Saved):
    given: str
    """What the person did with their verdict: corrected, confirmed or taken back. Empty for other values."""


class SavedText(EditableText, Saved): ...


class EstimateLine(TypedDict):
    """Calls of one model that one stage would make."""

    stage: str
    model: str
    baseline: bool
    calls: int
    kept: int
    """Number of replies already in the cache."""
    pictures: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float | None
    cost: float | None


class JobEstimate(TypedDict):
    """Model calls that a job would make, without those of the embedded baseline."""

    calls: int
    kept: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float | None
    """None if the speed of a model is not known."""
    cost: float | None
    """None if a model has no price."""
    currency: str
    lines: list[EstimateLine]
    """By stage and model, including the baseline's."""
    notes: list[str]

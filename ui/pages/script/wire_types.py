"""Responses of the Script page: scenes with their texts, the cuts and their authors, find and replace."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from annotation.records.ids import Json
from annotation.store.cut_versions import CutBy
from annotation.systems.vript.camera_claims import Claim
from ui.lib.shared_wire_types import EditableText, Finding, PlayerData, VideoTitle

# --- scenes and their texts -----------------------------------------------------------


class VideoHead(VideoTitle):
    category: str
    """Its discipline if it has no category."""


class FieldText(EditableText):
    """The text of a field that is shown first."""

    others: list[EditableText]
    """Texts of other authors, the next one first."""


class SceneFinding(Finding):
    aspect: str
    """The field that the finding is in, or `speech`."""


class CutsNow(TypedDict):
    """The version of the scenes that counts, and jobs that may change it."""

    id: str
    """Id of the version; empty: no scenes yet."""
    proposal: bool
    working: bool
    """Whether a job will process this video."""
    detection: Literal["running", "waiting", ""]
    share: float
    """Progress of the detection, 0 to 1."""


# --- cuts -----------------------------------------------------------------------------


class DetectorFacts(TypedDict):
    name: str
    params: dict[str, Json]
    """Default values by name."""


class DetectionFacts(TypedDict):
    """One version of the cuts as a detector found it."""

    id: str
    detector: str
    """Empty if a dataset provides the cuts."""
    params: dict[str, Json]
    version: str
    at: float
    asked: bool
    """Whether a person requested it for a comparison."""


class CutsMade(TypedDict):
    """The author of the version that counts, and the detection it is based on."""

    person: str
    """Empty: no person has changed the cuts."""
    what: str
    at: float
    detection: DetectionFacts | None


class CutCounts(TypedDict):
    """Number of cuts by author."""

    detector: int
    person: int
    given_up: int


class CutMark(TypedDict):
    """A text whose scene has other frames than it was written for. Frames are [first, first after)."""

    scene: str
    was: list[int]
    now: list[int]
    why: str


class LostSceneRow(TypedDict):
    """A scene of an earlier version that has texts or other work."""

    key: str
    start: int
    end: int
    start_s: float
    end_s: float
    merged: bool
    """Whether all of it is in the scene that has its frames now."""


class CutEdits(TypedDict):
    """Facts about the cuts, in addition to the scenes."""

    base: str
    """The version that counts; empty: no scenes yet."""
    by: dict[str, CutBy]
    """By scene, the author of the cut at its start."""
    recut: list[str]
    """Scenes whose start or end differs from the detector's."""
    given_up: list[int]
    """Cuts of the detector that people removed or moved, as the first frames after them."""
    made: CutsMade
    counts: CutCounts
    marks: dict[str, CutMark]
    """By text, the reason to check it again."""
    lost: dict[str, list[LostSceneRow]]
    """By the scene that has their frames now."""
    detections: list[DetectionFacts]
    """Detections to compare the cuts with, newest first."""


class CutsChanged(TypedDict):
    base: str
    """The new version."""
    what: str


class TextsSettled(TypedDict):
    settled: int
    """Number of texts that a person marked as right for the new cuts."""


class DetectionWork(TypedDict):
    """A detection in the background."""

    detector: str
    state: Literal["waiting", "running", "done", "failed", "stopped"]
    done: int
    total: int
    list: str
    """The version that it found; empty until then."""
    why: str
    """A one-line reason for a failure."""


class CutWorkNow(TypedDict):
    """Background work on the cuts of a video."""

    measuring: bool
    detection: DetectionWork | None


class CutPlace(TypedDict):
    frame: int
    at_s: float
    by: CutBy
    """Author of the current cut here; empty if there is none."""


class MovedCut(CutPlace):
    to: int
    to_s: float


class CutsDifference(TypedDict):
    """The changes if a detection replaced the current cuts."""

    detection: DetectionFacts
    base: str
    scenes: int
    """Number of scenes it found."""
    scenes_now: int
    same: int
    """Number of cuts at the same frame."""
    added: list[CutPlace]
    removed: list[CutPlace]
    moved: list[MovedCut]


# --- the page -------------------------------------------------------------------------


Claims = dict[str, Claim]
"""By scene: does the text about the camera match the measurement?"""


class ScriptPage(TypedDict):
    """One video with everything that the page shows first."""

    video: VideoHead
    player: PlayerData
    script: dict[str, dict[str, FieldText]]
    """By scene and kind of text."""
    limits: dict[str, int]
    """Word limit by kind of text."""
    claims: Claims
    captions: dict[str, list[EditableText]]
    """By kind, of every author."""
    edits: CutEdits
    cuts: CutsNow


# --- speech ---------------------------------------------------------------------------


class SpeechSize(TypedDict):
    """A size of Whisper and its cost, int8 on a CPU."""

    name: str
    download_mb: int
    memory_gb: float
    times_base: float
    """Run time relative to `base`, estimated from its number of parameters."""
    here: bool
    """Whether its weights are on this machine; else they are downloaded from the model hub at first use."""


class SpeechChoices(TypedDict):
    """The choices for speech to text."""

    sizes: list[SpeechSize]
    languages: list[str]
    """Codes, such as `pt`."""

"""What the Script page is sent: scenes with their texts, the cuts and whose they are, find and replace."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from annotation.records.ids import Json
from annotation.store.cut_versions import CutBy
from annotation.systems.vript.camera_claims import Claim
from ui.lib.shared_wire_types import EditableText, Finding, PlayerData
from ui.pages.library.wire_types import VideoTitle

# --- scenes and their texts -----------------------------------------------------------


class VideoHead(VideoTitle):
    category: str
    """Its discipline where it has no category."""


class FieldText(EditableText):
    """The text of a field that is shown first."""

    others: list[EditableText]
    """Those of other authors, the next one first."""


class SceneFinding(Finding):
    aspect: str
    """The field that it is about, or `speech`."""


class CutsNow(TypedDict):
    """Which scenes count, and what is being done about it."""

    id: str
    """Of the version; empty: there are no scenes yet."""
    proposal: bool
    working: bool
    """Whether a job has this video before it."""
    detection: Literal["running", "waiting", ""]
    share: float
    """How far the detection is, 0 to 1."""


# --- cuts -----------------------------------------------------------------------------


class DetectorFacts(TypedDict):
    name: str
    params: dict[str, Json]
    """By name; as they are unless others are given."""


class DetectionFacts(TypedDict):
    """One version of the cuts as a detector found it."""

    id: str
    detector: str
    """Empty where a dataset told of the cuts."""
    params: dict[str, Json]
    version: str
    at: float
    asked: bool
    """Whether somebody wanted it for a comparison."""


class CutsMade(TypedDict):
    """Who made the version that counts, from which detection."""

    person: str
    """Empty: nobody changed the cuts."""
    what: str
    at: float
    detection: DetectionFacts | None


class CutCounts(TypedDict):
    """Cuts by whose they are."""

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
    """A scene of an earlier version that something was written on."""

    key: str
    start: int
    end: int
    start_s: float
    end_s: float
    merged: bool
    """Whether it lies whole in the scene that has its frames now."""


class CutEdits(TypedDict):
    """The cuts beside the scenes themselves."""

    base: str
    """The version that counts; empty: there are no scenes yet."""
    by: dict[str, CutBy]
    """By scene, who put the cut at which it begins."""
    recut: list[str]
    """Scenes that begin or end elsewhere than a detector said."""
    given_up: list[int]
    """Cuts of the detector that people took away or moved, as first frames after them."""
    made: CutsMade
    counts: CutCounts
    marks: dict[str, CutMark]
    """By text, what to look at again."""
    lost: dict[str, list[LostSceneRow]]
    """By the scene that has their frames now."""
    detections: list[DetectionFacts]
    """What the cuts can be compared with, the newest first."""


class CutsChanged(TypedDict):
    base: str
    """The new version."""
    what: str


class TextsSettled(TypedDict):
    settled: int
    """Texts that a person called right for the new cuts."""


class DetectionWork(TypedDict):
    """A detection in the background."""

    detector: str
    state: Literal["waiting", "running", "done", "failed", "stopped"]
    done: int
    total: int
    list: str
    """The version that it found; empty before that."""
    why: str
    """What went wrong, in one line."""


class CutWorkNow(TypedDict):
    """What is being done about the cuts of a video in the background."""

    measuring: bool
    detection: DetectionWork | None


class CutPlace(TypedDict):
    frame: int
    at_s: float
    by: CutBy
    """Whose cut it is now; empty where there is none."""


class MovedCut(CutPlace):
    to: int
    to_s: float


class CutsDifference(TypedDict):
    """What a detection would change if it took the place of the cuts that count."""

    detection: DetectionFacts
    base: str
    scenes: int
    """That it found."""
    scenes_now: int
    same: int
    """Cuts at the same frame."""
    added: list[CutPlace]
    removed: list[CutPlace]
    moved: list[MovedCut]


# --- the page -------------------------------------------------------------------------


class ScriptPage(TypedDict):
    """One video with everything that the page shows of it at first."""

    video: VideoHead
    player: PlayerData
    script: dict[str, dict[str, FieldText]]
    """By scene and kind of text."""
    limits: dict[str, int]
    """Words that a kind of text may have."""
    claims: dict[str, Claim]
    """By scene: does what is written of the camera fit the measurement?"""
    captions: dict[str, list[EditableText]]
    """By kind, of every author."""
    edits: CutEdits
    cuts: CutsNow


# --- speech ---------------------------------------------------------------------------


class SpeechSize(TypedDict):
    """A size of Whisper and what it costs, int8 on a CPU."""

    name: str
    download_mb: int
    memory_gb: float
    times_base: float
    """How much longer than `base` it takes, as its parameters say."""
    here: bool
    """Whether its weights are on this machine; else they are fetched from the model hub at first use."""


class SpeechChoices(TypedDict):
    """What can be chosen for speech to text."""

    sizes: list[SpeechSize]
    languages: list[str]
    """Codes, such as `pt`."""

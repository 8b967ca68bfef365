"""Videos and their contents: scenes, speech, frames, measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation.records.allowed_values import SubjectType
from annotation.records.ids import Json
from backends.video_and_word_types import VideoFacts, Word

BY_SECOND = "frames_by_second"
"""Key in a video's `extra`: its frames were counted at one per second, before its file was found."""

FOLDER = "folder"
"""Key in a video's `extra`: the folder of its file in an upload or archive; the file itself was moved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A named collection with its format and version."""

    id: str
    name: str
    format: str
    version: str = ""
    about: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipPart:
    """One part of a video whose file was joined from clip files."""

    name: str
    path: str | None
    """The clip's file on this machine; None if it is missing, and the part is a single placeholder frame."""
    start_frame: int
    end_frame: int
    """First frame after the part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Video:
    """A video. It may have no file, because logs refer to videos on other machines."""

    id: str
    title: str
    created_at: float
    category: str = ""
    discipline: str = ""
    action: str = ""
    """Action label (ProgressCaptioner), or empty."""
    path: str | None = None
    """Path of the file on this machine; None if it is not here."""
    sha256: str | None = None
    facts: VideoFacts | None = None
    clips: tuple[ClipPart, ...] = ()
    """The parts, if the file was joined from clip files; otherwise empty."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Other fields of the source, kept for export."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """The id of a video in a dataset."""

    id: str
    dataset_id: str
    alias: str
    video_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneList:
    """One version of a video's cuts, from a detector run or a person."""

    id: str
    video_id: str
    created_at: float
    detector: Mapping[str, Json] = field(default_factory=dict)
    """`name`, `params`, `version`; empty if a person made the list."""
    run_id: str | None = None
    person_id: str | None = None
    parent_id: str | None = None
    """The version this one was edited from."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One scene [start, end) of one version of the cuts."""

    id: str
    scene_list_id: str
    video_id: str
    key: str
    """Texts refer to this key. It does not change if a later version moves the scene's start or end."""
    index: int
    start_frame: int
    end_frame: int
    """First frame after the scene."""
    start_pts: int
    end_pts: int
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One segment of speech. Times are seconds from the start of the presentation."""

    id: str
    video_id: str
    run_id: str
    index: int
    start_s: float
    end_s: float
    text: str
    language: str
    avg_logprob: float
    no_speech_prob: float
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One frame of the pinned stream."""

    id: str
    video_id: str
    index: int
    """In presentation order, from 0."""
    pts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenText:
    """One line of text on screen as read by an engine, with the range of frames that show it."""

    id: str
    video_id: str
    run_id: str
    index: int
    """In order of first appearance, from 0."""
    text: str
    """The reading with the highest score."""
    score: float
    """Confidence of the engine, 0 to 1."""
    box: tuple[float, float, float, float]
    """Left, top, right, bottom in `frame`, as fractions of the displayed picture."""
    frame: int
    """The frame with the highest score."""
    pts: int
    """Timestamp of that frame."""
    first_frame: int
    """The first examined frame that shows it."""
    last_frame: int
    """The last examined frame that shows it."""
    start_s: float
    """Start of the first frame, in seconds from the start of the presentation."""
    end_s: float
    """End of the last frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """A measurement with its numbers. Model output is never stored as a measurement."""

    id: str
    video_id: str
    run_id: str
    subject_type: SubjectType
    subject_id: str
    """A scene's `key`, or a video's id."""
    kind: str
    """`camera_motion`, `shot_scale`, `brightness`, `palette`, `sharpness`, `cut_strength`,
    `moving_object`, `clear_frames`, `speech_gaps`, `language`, `text_frames`,
    `picture_vectors`."""
    value: Mapping[str, Json]
    """For a scene also `frames`: the range [first, after the last) that was measured."""

"""Videos and what is found in them: scenes, speech, frames, measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation.records.allowed_values import SubjectType
from annotation.records.ids import Json
from backends.video_and_word_types import VideoFacts, Word


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
    """One part of a video whose film was joined from clip files."""

    name: str
    path: str | None
    """The clip's file on this machine; None where it is missing: then the part is one frame, a slate."""
    start_frame: int
    end_frame: int
    """First frame of the film that is not in the part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Video:
    """A video. It may have no file: logs name videos that are elsewhere."""

    id: str
    title: str
    created_at: float
    category: str = ""
    discipline: str = ""
    action: str = ""
    """Action label (ProgressCaptioner), empty when there is none."""
    path: str | None = None
    """Where the file is on this machine; None while it is not here."""
    sha256: str | None = None
    facts: VideoFacts | None = None
    clips: tuple[ClipPart, ...] = ()
    """The parts of its film, where that was joined from clip files; empty for a file of its own."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Fields of the source that have no place elsewhere, kept for export."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """The id that a video has in a dataset."""

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
    """`name`, `params`, `version`; empty when a person made the list."""
    run_id: str | None = None
    person_id: str | None = None
    parent_id: str | None = None
    """The version this one was edited from."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """[start, end) of one version of the cuts."""

    id: str
    scene_list_id: str
    video_id: str
    key: str
    """Stays the same when a later version moves this scene's ends: texts hang on it."""
    index: int
    start_frame: int
    end_frame: int
    """First frame that is not in the scene."""
    start_pts: int
    end_pts: int
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One stretch of speech. Times are seconds from the start of the presentation."""

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
    """One line of text in the picture, as an engine read it, over the frames in which it was seen."""

    id: str
    video_id: str
    run_id: str
    index: int
    """In the order in which lines were first seen, from 0."""
    text: str
    """As it was read best."""
    score: float
    """How sure the engine was, 0 to 1."""
    box: tuple[float, float, float, float]
    """Left, top, right, bottom as shares of the displayed picture, in `frame`."""
    frame: int
    """Where it was read best."""
    pts: int
    """Time stamp of that frame."""
    first_frame: int
    """The first that shows it, of the frames that were looked at."""
    last_frame: int
    """The last of them that shows it."""
    start_s: float
    """When the first begins, seconds from the start of the presentation."""
    end_s: float
    """When the last ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What was measured, with its numbers; never what a model says."""

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
    """Of a scene also `frames`: [first, first after) of what was looked at."""

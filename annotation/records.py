"""The nouns. Every record is frozen; machine output and human correction are different records.

Ids of machine output are made from what the output was made of (`record_id`), so
that work which was interrupted and repeated gives the same rows. Ids of what people
do are random (`new_id`). Times of day are UTC seconds since 1970.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Json = Any
"""Anything that JSON can hold."""

SubjectType = Literal[
    "video", "scene", "frame", "segment", "text", "question", "answer", "judgement",
    "element", "frame_pair", "frame_match", "ero_item", "rr_item", "hal_item", "video_aspect", "selection",
    "frame_change", "frame_sequence",
]  # fmt: skip
"""What a text, measurement, judgement, correction or finding is about."""

VdcAspect = Literal["camera", "short", "background", "main_object", "detailed"]
"""The five parts of a VDC caption (AuroraCap, section 3)."""

TextKind = Literal[
    "vdc:camera", "vdc:short", "vdc:background", "vdc:main_object", "vdc:detailed",
    "script:shot_type", "script:camera_movement", "script:content", "script:scene_title",
    "mmlu:notes", "mmlu:reasoning",
    "carebench:overview", "carebench:object", "carebench:action", "carebench:misc",
    "carebench:full", "carebench:spatial", "carebench:temporal",
    "frame", "speech",
    "vript:hal", "vript:rr", "vript:rr_open", "vript:ero",
]  # fmt: skip
"""What kind of caption a text is. Those of Vript-Hard are what a model replied to an item."""

ResultState = Literal["done", "unparsed", "failed", "missing"]
"""`unparsed`: a reply came and could not be read. `failed`: no reply came. `missing`: never asked.

None of the last three is a score, and none is zero.
"""

Stage = Literal[
    "probe", "scenes", "speech", "measurements", "script", "captions", "split",
    "frames", "keyframes", "changes", "matching", "questions", "answers", "verdicts", "elements", "capst",
    "vript_hard", "retrieval", "import", "fetch",
]  # fmt: skip
"""One step of the pipeline."""

BlameKind = Literal["caption_omits", "caption_wrong", "extraction", "judge", "question"]
WordKind = Literal["verb", "noun", "propn"]
"""Parts of speech that Vript-HAL compares."""
Role = Literal["annotator", "expert", "researcher", "admin"]
AssignmentState = Literal[
    "open", "working", "done", "skipped", "flagged", "returned", "approved", "withdrawn"
]
"""`flagged`: the person asks somebody else to look. `returned`: somebody else asks for it again."""
ValueType = Literal[
    "yes_no_score", "entailment", "progression", "letter", "order", "rank", "score_only", "match"
]  # fmt: skip
"""How `Judgement.value` is to be read."""

VDC_ASPECTS: tuple[VdcAspect, ...] = ("camera", "short", "background", "main_object", "detailed")
SCRIPT_FIELDS = ("shot_type", "camera_movement", "content", "scene_title")


_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode
_quoted = json.encoder.encode_basestring
"""As `_canonical` of a text, without a look at what it is: imports ask for a million digests."""


def digest(*parts: Json) -> str:
    """A short stable fingerprint of JSON-like values (80 bits, hexadecimal)."""
    canonical = f"[{','.join([_quoted(p) if type(p) is str else _canonical(p) for p in parts])}]"
    return hashlib.blake2b(canonical.encode(), digest_size=10).hexdigest()


def record_id(prefix: str, *parts: Json) -> str:
    """The id of a record that is determined by `parts`."""
    return f"{prefix}-{digest(*parts)}"


def new_id(prefix: str) -> str:
    """The id of something that a person did."""
    return f"{prefix}-{secrets.token_hex(10)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoFacts:
    """What a demux of the pinned video stream found."""

    stream_index: int
    """Index of the one video stream that player, detector and reader all use."""
    frames: int
    """Frames that are presented: edit lists applied, undecodable tails not counted."""
    duration_s: float
    """From the first frame's start to the last frame's end, seconds."""
    width: int
    """As displayed: pixel shape and rotation applied."""
    height: int
    rotation: int
    """Degrees clockwise that a player turns the coded picture: 0, 90, 180 or 270."""
    sample_aspect: str
    """Pixel shape of the coded picture, `16:11`; `1:1` when square or unknown."""
    fps_avg: float
    vfr: bool
    """Whether frame intervals differ by more than rounding."""
    codec: str
    pixel_format: str
    time_base: str
    """Seconds per PTS unit as a fraction, `1/12800`."""
    start_pts: int
    """PTS of the first presented frame."""
    start_s: float
    """Where the container's presentation begins, seconds; browsers call this 0."""
    audio: bool
    browser_playable: bool
    """Whether Chromium, Firefox and Safari can be expected to show it as it is."""
    unplayable_why: str = ""
    """One line, when it is not playable."""
    problems: tuple[str, ...] = ()
    """What is damaged, in words; empty when nothing was noticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A named collection with its format and version."""

    id: str
    name: str
    format: str
    version: str = ""
    about: Mapping[str, Json] = field(default_factory=dict)


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
class Word:
    """One spoken word."""

    text: str
    start_s: float
    end_s: float
    probability: float


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
    `moving_object`, `speech_gaps`, `language`."""
    value: Mapping[str, Json]
    """Of a scene also `frames`: [first, first after) of what was looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A caption of any kind. Its author is a run, a person, or the reference of a dataset."""

    id: str
    video_id: str
    kind: TextKind
    subject_type: SubjectType
    subject_id: str
    """The video's id, a scene's `key`, a frame's id or a segment's id."""
    value: str
    created_at: float
    state: ResultState = "done"
    reason: str = ""
    """Why it is not `done`, or that fewer frames were given than asked for."""
    run_id: str | None = None
    person_id: str | None = None
    dataset_id: str | None = None
    source_text_id: str | None = None
    """The text it was made from, where it was made from one (splits)."""
    source_hash: str = ""
    """Fingerprint of what it was made from; a different one now means it is stale."""
    frames: tuple[int, ...] = ()
    """Indices of the frames that the model was given."""
    call_id: str | None = None
    baseline: bool = False
    """Made by the embedded baseline, not by a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with its reference answer."""

    id: str
    video_id: str
    kind: TextKind
    """The caption that it asks about."""
    index: int
    text: str
    reference: str
    created_at: float
    category: str = ""
    run_id: str | None = None
    person_id: str | None = None
    dataset_id: str | None = None
    source_text_id: str | None = None
    source_hash: str = ""
    call_id: str | None = None
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkItem:
    """One entry of a benchmark: what is asked, and what is right. Its line of the file is kept whole."""

    id: str
    video_id: str
    dataset_id: str
    task: Literal["hal", "rr", "ero"]
    """Of Vript-Hard: captions against words of a reference, questions, order of scenes."""
    name: str
    """What files call it: the id of a clip, or of a video."""
    index: int
    """Its line in the file, from 0."""
    value: Mapping[str, Json]
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a caption (or a model that saw the video) answers to a question."""

    id: str
    video_id: str
    question_id: str
    run_id: str
    source: Literal["caption", "video", "imported"]
    value: str
    created_at: float
    state: ResultState = "done"
    reason: str = ""
    text_id: str | None = None
    """The caption that was searched."""
    source_hash: str = ""
    """Fingerprint of that caption's value and of the question."""
    span_start: int | None = None
    """First character of the supporting words in the caption."""
    span_end: int | None = None
    call_id: str | None = None
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict."""

    id: str
    video_id: str
    run_id: str
    subject_type: SubjectType
    subject_id: str
    value_type: ValueType
    created_at: float
    state: ResultState
    label: str = ""
    """`yes`/`no`, `entailment`/`neutral`/`contradiction`, `A`/`B`/`C`, an order; empty if not done."""
    score: float | None = None
    """0 to 5 for `yes_no_score`, kept raw (4.8 stays 4.8)."""
    reason: str = ""
    """Why it is not `done`, or the judge's own reason."""
    raw: str = ""
    """The judge's reply, untouched."""
    kind: TextKind | None = None
    """The aspect, where a log holds no more than video and aspect."""
    source_hash: str = ""
    call_id: str | None = None
    baseline: bool = False
    extra: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One pass of one stage over any number of videos."""

    id: str
    stage: Stage
    backend: str
    """The spec that was typed: `baseline`, `http://host:8000/v1#model`, `import:file`."""
    model: str
    created_at: float
    endpoint: str = ""
    prompt_hash: str = ""
    params: Mapping[str, Json] = field(default_factory=dict)
    seed: int = 0
    software: Mapping[str, Json] = field(default_factory=dict)
    """Name and version of what did the work."""
    upstream: tuple[str, ...] = ()
    """Runs whose results this one read."""
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVideo:
    """How far one run is with one video."""

    id: str
    run_id: str
    video_id: str
    stage: Stage
    state: Literal["queued", "running", "done", "failed", "stopped"]
    done: int = 0
    total: int = 0
    failed: int = 0
    message: str = ""
    updated_at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A named chain of runs: this is what is scored and compared."""

    id: str
    name: str
    created_at: float
    note: str = ""
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRun:
    """One link of an evaluation's chain."""

    id: str
    evaluation_id: str
    role: Literal["captions", "questions", "answers", "elements", "verdicts"]
    run_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A person's value laid over the machine's. Appended, never changed."""

    id: str
    subject_type: SubjectType
    subject_id: str
    field: str
    """`value` of a text or answer, `text` or `reference` of a question, `verdict` of a judgement."""
    value: Json
    """The new value; ignored when `cleared`."""
    cleared: bool
    """Whether this takes the overlay away, so that the machine's value shows again."""
    revision: int
    """1 for the first change of this field, then counting."""
    person_id: str
    reason: str
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Keyframes picked by a method or a person."""

    id: str
    video_id: str
    method: str
    """`progression`, `uniform`, `clusters` or `person`."""
    frames: tuple[int, ...]
    reasons: Mapping[str, Json]
    """Per candidate frame index (as text): why it was kept or dropped."""
    created_at: float
    run_id: str | None = None
    person_id: str | None = None
    params: Mapping[str, Json] = field(default_factory=dict)
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameLabel:
    """A person's word on whether the action moves on between two frames (FrameCapEval).

    People label for themselves, none over another: the newest row of a person and pair counts.
    """

    id: str
    video_id: str
    first: int
    """Index of the earlier frame."""
    second: int
    """Index of the later frame."""
    person_id: str
    label: Literal["yes", "no", "uncertain", ""]
    """Empty: taken back."""
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A blind comparison of frame captions: people choose the best and second best per frame."""

    id: str
    name: str
    """No other study has it."""
    runs: tuple[str, ...]
    """The runs whose captions are compared, 2 to 5."""
    sequences: tuple[Mapping[str, Json], ...]
    """`{"video_id", "frames"}` of each sequence, in the order in which they are shown."""
    seed: int
    """It decides, with the number of the sequence, the order in which the captions stand."""
    person_id: str
    """Who made it."""
    created_at: float
    closed_at: float | None = None
    """When the last answer came; models are named from then on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyChoice:
    """What a person chose for one frame of a study. The newest row counts."""

    id: str
    study_id: str
    video_id: str
    sequence: int
    """Number of the sequence, from 0."""
    frame: int
    """Frame index."""
    person_id: str
    best: str | None
    """The run whose caption is the best; None: none of them will do. `-`: taken back."""
    second: str | None
    """The run whose caption is the second best, if one was chosen."""
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementList:
    """One extraction of the events, or of the objects, of a caption (CapST). It may hold none."""

    id: str
    video_id: str
    text_id: str
    kind: Literal["event", "object"]
    created_at: float
    state: ResultState = "done"
    reason: str = ""
    """Why it is not `done`, or what was left out of it."""
    run_id: str | None = None
    """None where it came with the caption's dataset."""
    source_hash: str = ""
    call_id: str | None = None
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """An atomic event or object of a caption (CapST).

    One that a person added has no words of its own: they are its first correction. A correction to
    no words takes an element out.
    """

    id: str
    video_id: str
    text_id: str
    kind: Literal["event", "object", "verb", "noun", "propn"]
    """The last three are words of a caption, as Vript-HAL compares them."""
    index: int
    value: str
    created_at: float
    run_id: str | None = None
    person_id: str | None = None
    list_id: str | None = None
    """The extraction that it belongs to; None for a person's, and for what came without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check found."""

    id: str
    video_id: str
    check: str
    subject_type: SubjectType
    subject_id: str
    why: str
    created_at: float
    text: str = ""
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A person's word that a finding is in order."""

    id: str
    finding_id: str
    person_id: str
    reason: str
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Blame:
    """Whose fault a verdict is, in a person's view. The newest row counts; an empty kind withdraws."""

    id: str
    video_id: str
    judgement_id: str
    person_id: str
    kind: BlameKind | Literal[""]
    created_at: float
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """A person's word that a question cannot be answered fairly: it is not to be counted.

    The newest row of a question counts; an empty reason withdraws.
    """

    id: str
    question_id: str
    video_id: str
    person_id: str
    reason: str
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Someone who works here."""

    id: str
    name: str
    role: Role
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A video given to a person for a task. The newest row of the three counts."""

    id: str
    video_id: str
    person_id: str
    task: str
    """One of `annotation.assignments.TASKS`."""
    state: AssignmentState
    created_at: float
    note: str = ""
    """Why it was flagged, returned or skipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """What a full caption was joined from. The newest whose `hash` is that of the caption tells of it."""

    id: str
    video_id: str
    person_id: str
    text_id: str
    """The full caption."""
    hash: str
    """Fingerprint of its value when it was joined."""
    parts: Mapping[str, Json]
    """By part (`overview` ...): `text_id` and `revision` of the merged part, `how` it came about (`taken`,
    `edited` or `own`), and for the first two `from_id`, `from_revision` and `by`: the annotator's text."""
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One request to a chat model and its raw reply: evidence, and the request cache."""

    id: str
    """Made from model, full request and sample number."""
    backend: str
    model: str
    request: Mapping[str, Json]
    """As sent; pictures are replaced by their fingerprints."""
    reply: str
    created_at: float
    finish_reason: str = ""
    seconds: float = 0.0
    usage: Mapping[str, Json] = field(default_factory=dict)
    frames: tuple[int, ...] = ()


Record = (
    Dataset | Video | Alias | Person | Run | RunVideo | Evaluation | EvaluationRun | SceneList
    | Scene | Segment | Frame | Measurement | ModelCall | Text | Question | Answer | Judgement
    | Correction | Selection | FrameLabel | Study | StudyChoice | ElementList | Element | Finding | Waiver
    | Blame | Exclusion | Assignment | Merge | BenchmarkItem
)  # fmt: skip
"""Everything that the store holds, in an order in which each may be written."""

"""Protocols of the engines. Each protocol has one contract test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from backends.video_and_word_types import VideoFacts, Word

Picture = npt.NDArray[np.uint8]
"""A picture as displayed: (height, width, 3), RGB, square pixels, rotation applied."""

Progress = Callable[[int, int], None]
"""`progress(done, total)`. It may raise `Stopped` to end the work."""


# --- video ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PtsTable:
    """The frames of the pinned stream in presentation order."""

    pts: npt.NDArray[np.int64]
    """(frames,) presentation timestamps, strictly ascending."""
    keyframes: npt.NDArray[np.int64]
    """(keyframes,) PTS of the frames at which decoding can start."""
    time_base: str
    """Seconds per unit as a fraction, `1/12800`."""
    start_s: float
    """Start of the container's presentation in seconds; subtracted in `seconds`."""
    end_s: float
    """End of the last frame, on the same axis as `seconds`."""

    @property
    def seconds(self) -> npt.NDArray[np.float64]:
        """(frames,) presentation times on the axis of a browser's `currentTime`."""
        num, den = self.time_base.split("/")
        return np.asarray(self.pts * (int(num) / int(den)) - self.start_s, np.float64)


class FrameReader(Protocol):
    """Random access to the frames of one file. Not thread-safe: one reader per thread."""

    facts: VideoFacts
    table: PtsTable

    def frame(self, index: int, *, width: int | None = None) -> Picture:
        """Return frame `index`, scaled to `width` pixels wide if given.

        Raises IndexError if the index is not in the table, MediaError if the frame cannot be decoded.
        """
        ...

    def frames(self, indices: Iterable[int], *, width: int | None = None) -> Iterator[tuple[int, Picture]]:
        """Yield several frames in ascending order; seeks only where that is faster than decoding on."""
        ...

    def close(self) -> None: ...


# --- scenes ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SceneCuts:
    """A detector's result for one video."""

    starts: tuple[int, ...]
    """First frame of every scene, ascending; the first is 0."""
    detector: Mapping[str, Any]
    """`name`, `params`, `version`."""


class SceneDetector(Protocol):
    name: str

    @property
    def params(self) -> Mapping[str, Any]:
        """Everything except the video that the cuts depend on."""
        ...

    def detect(
        self,
        path: Path,
        table: PtsTable,
        facts: VideoFacts,
        progress: Progress | None = None,
        notes: Path | None = None,
    ) -> SceneCuts:
        """Return the cuts of the pinned stream as frame indices of `table`.

        `notes` is a folder for intermediate results. After an interruption, the next pass resumes from them
        and returns the same cuts. The caller deletes the folder when the result is stored.
        """
        ...


# --- speech ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SpeechSegment:
    start_s: float
    end_s: float
    text: str
    avg_logprob: float
    no_speech_prob: float
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """Speech of one file; times on the axis of a browser's `currentTime`."""

    segments: tuple[SpeechSegment, ...]
    language: str
    language_probability: float
    duration_s: float
    gaps: tuple[tuple[float, float], ...]
    """Ranges without speech, found by voice activity detection; seconds."""
    model: str
    params: Mapping[str, Any]


class SpeechEngine(Protocol):
    name: str
    language: str
    """The expected language; empty to detect it."""

    def check(self) -> str:
        """Return the source of the weights in one line. Raises BackendUnavailable with what to type."""
        ...

    def transcribe(
        self, path: Path, progress: Progress | None = None, notes: Path | None = None
    ) -> Transcript:
        """Return the transcript; it is empty if the file has no audio.

        Raises BackendUnavailable (no weights), MediaError. `notes` as for `SceneDetector.detect`.
        """
        ...


# --- text on screen -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScreenLine:
    """A line of text in one picture."""

    text: str
    score: float
    """Confidence of the engine, 0 to 1."""
    box: tuple[float, float, float, float]
    """Left, top, right, bottom of the upright rectangle around the line, as shares of the picture, 0 to 1."""


class TextReader(Protocol):
    """Reads the text in pictures. Thread-safe."""

    name: str

    @property
    def params(self) -> Mapping[str, Any]:
        """Everything except the picture that the lines depend on."""
        ...

    def check(self) -> str:
        """Return the source of the weights in one line. Raises BackendUnavailable with what to type."""
        ...

    def read(self, picture: Picture) -> tuple[ScreenLine, ...]:
        """Return the lines from top to bottom, then left to right; empty if the picture has no text.

        Raises BackendUnavailable.
        """
        ...


# --- chat -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a user message: text, or a JPEG picture."""

    text: str = ""
    jpeg: bytes = b""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request to a chat model. Equal requests share one result."""

    stage: str
    """What is requested: a kind of text, such as `vdc:camera`, or `questions`, `answer`, `verdict` ..."""
    system: str
    user: tuple[Part, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Structured facts about the subject, as JSON-like values. `baseline` answers from them;
    engines that read prompts ignore them."""
    schema: Mapping[str, Any] | None = None
    """JSON schema of the reply; None for free text."""
    max_tokens: int = 1024
    temperature: float = 0.0
    seed: int = 0
    sample: int = 0
    """0 for a single answer; 1, 2 ... for further votes on the same request."""
    frames: tuple[int, ...] = ()
    """Indices of the frames whose pictures are in `user`."""
    prefix: str = ""
    """Requests with the same prefix key start with the same content (same caption, same frames)."""
    fewer_frames: bool = False
    """Whether the request is about a stretch of video, so that fewer of its frames can answer it too.

    Not part of the cache key."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    text: str
    finish_reason: str
    """`stop`, `length`, or the server's value."""
    seconds: float
    usage: Mapping[str, Any] = field(default_factory=dict)
    prompt: str = ""
    """Text of the prompt if known. A reply that only repeats it is not an answer."""


@dataclass(frozen=True, slots=True)
class Loading:
    """Startup progress of an engine."""

    what: str
    """The engine's name as the user typed it."""
    phase: str
    """Phase in plain words: `loading weights`, `restarting after a crash` ..."""
    share: float | None
    """Progress of the phase, 0 to 1; None if unknown."""
    seconds: float
    """Seconds since the start began."""
    lines: tuple[str, ...] = ()
    """Latest lines of the engine's log."""
    ready: bool = False


Tell = Callable[[Loading], None]


def ignore_progress(_loading: Loading) -> None:
    """Discard startup progress."""


class ChatModel(Protocol):
    """`backend` is the name as typed, `model` the answering model; `baseline` marks the embedded engine."""

    backend: str
    model: str
    endpoint: str
    baseline: bool
    concurrency: int
    """Upper limit of useful parallel requests; the pipeline starts with fewer and adapts."""

    def check(self) -> str:
        """Describe the server in one line. Raises BackendUnavailable with the command to type."""
        ...

    def prepare(self, *, pictures: bool, tell: Tell, stop: Event) -> None:
        """Start the engine if needed and wait until it answers. Called once before a run.

        With `pictures`, check that the model accepts pictures. `tell` receives the progress, also when the
        engine restarts later. Raises BackendUnavailable, and Stopped if `stop` is set while waiting.
        """
        ...

    def complete(self, request: ChatRequest, stop: Event | None = None) -> ChatReply:
        """Return the reply. Thread-safe. Raises RequestRefused (RequestTooLarge if fewer pictures may fit),
        RequestFailed, BackendUnavailable; and Stopped soon after `stop` is set, even if the engine hangs."""
        ...

    def close(self) -> None: ...


# --- measurements ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Measured:
    """One measurement of a range of frames."""

    kind: str
    value: Mapping[str, Any]


class SceneMeasurer(Protocol):
    """Measures one scene at a time. `name` contains the version."""

    name: str

    def measure(self, reader: FrameReader, start: int, end: int) -> Sequence[Measured]:
        """Return all measurements of frames [start, end)."""
        ...

    def colours(self, picture: Picture) -> Sequence[Mapping[str, Any]]:
        """Return the main colours of one picture: `{name, hex, share}`, largest first."""
        ...


# --- words ----------------------------------------------------------------------------


class Tagger(Protocol):
    """Splits an English text into words with their parts of speech."""

    name: str
    """Model and version."""
    baseline: bool
    """True if the benchmark's published figures use a different tagger."""
    stop_words: frozenset[str]

    def words(self, text: str) -> list[tuple[str, str]]:
        """Return (word as written, universal part of speech: VERB, NOUN ...), in order."""
        ...

    def lemma(self, word: str) -> str:
        """Return the dictionary form of a single word."""
        ...


class Embeddings(Protocol):
    """Vectors of words or sentences."""

    name: str
    baseline: bool
    """True if the benchmark's published figures use different vectors."""

    def encode(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the vectors, (words, d); their lengths differ."""
        ...


# --- texts and videos in one space ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """Prompts for embedding models that follow instructions; other models ignore them."""

    text: Callable[[str], tuple[str, tuple[Part, ...]]]
    """Returns the system message (may be empty) and the user message for a text."""
    video: Callable[[Sequence[bytes]], tuple[str, tuple[Part, ...]]]
    """Returns the same for the frames of a video, JPEGs in order."""
    hash: str
    """Hash of both prompts."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors in the order of the input."""

    rows: npt.NDArray[np.float64]
    """(n, d), finite; rows need not be normalised but are never zero."""
    cut: tuple[bool, ...] = ()
    """For each text, whether the model's length limit cut its end off. Empty: none was cut."""


class JointEmbeddings(Protocol):
    """Embeds texts and videos in one space, compared by cosine similarity. Thread-safe."""

    backend: str
    """The engine's name as the user typed it."""
    model: str
    endpoint: str
    baseline: bool
    how: str
    """One line that describes how frames become one vector."""
    key: str
    """Fingerprint of everything except texts and frames that the vectors depend on."""
    prompt_hash: str
    """Empty for a model without prompts."""
    concurrency: int
    """Upper limit of useful parallel requests."""

    def check(self) -> str:
        """Describe the engine in one line. Raises BackendUnavailable with the command to type."""
        ...

    def texts(self, texts: Sequence[str]) -> Embedded:
        """Return (texts, d). Raises RequestRefused, RequestFailed, BackendUnavailable."""
        ...

    def videos(self, videos: Sequence[Sequence[Picture]]) -> Embedded:
        """Return (videos, d), one row for the frames of each video. Raises as `texts`."""
        ...

    def close(self) -> None: ...

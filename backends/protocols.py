"""What an engine of each kind must be able to do. One contract test per protocol."""

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
    """(frames,) presentation time stamps, strictly ascending."""
    keyframes: npt.NDArray[np.int64]
    """(keyframes,) PTS of the frames at which decoding can start."""
    time_base: str
    """Seconds per unit as a fraction, `1/12800`."""
    start_s: float
    """Where the container's presentation begins, seconds; subtracted in `seconds`."""
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
        """Frame `index`; scaled to `width` pixels wide when given.

        Raises IndexError beyond the table, MediaError where it cannot be decoded.
        """
        ...

    def frames(self, indices: Iterable[int], *, width: int | None = None) -> Iterator[tuple[int, Picture]]:
        """Several frames, in ascending order, without seeking where decoding on is cheaper."""
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
        """What the cuts depend on, beside the video."""
        ...

    def detect(
        self,
        path: Path,
        table: PtsTable,
        facts: VideoFacts,
        progress: Progress | None = None,
        notes: Path | None = None,
    ) -> SceneCuts:
        """Cuts on the pinned stream, as frame indices of `table`.

        `notes` is a folder for what a pass that is stopped has found: the next one goes on from
        there, with the same result. The caller deletes it once the result is kept.
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
    """Stretches that voice activity detection left out, seconds."""
    model: str
    params: Mapping[str, Any]


class SpeechEngine(Protocol):
    name: str
    language: str
    """The one that is expected; empty: it is detected."""

    def check(self) -> str:
        """Where the weights come from, in one line. Raises BackendUnavailable with what to type."""
        ...

    def transcribe(
        self, path: Path, progress: Progress | None = None, notes: Path | None = None
    ) -> Transcript:
        """Raises BackendUnavailable (no weights), MediaError (no audio is an empty transcript).

        `notes` as for `SceneDetector.detect`.
        """
        ...


# --- text on screen -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScreenLine:
    """A line of text in one picture."""

    text: str
    score: float
    """How sure the engine is, 0 to 1."""
    box: tuple[float, float, float, float]
    """Left, top, right, bottom as shares of the displayed picture, 0 to 1; upright, around the line."""


class TextReader(Protocol):
    """Reads the text in pictures. Thread-safe."""

    name: str

    @property
    def params(self) -> Mapping[str, Any]:
        """What the lines depend on, beside the picture."""
        ...

    def check(self) -> str:
        """Where the weights come from, in one line. Raises BackendUnavailable with what to type."""
        ...

    def read(self, picture: Picture) -> tuple[ScreenLine, ...]:
        """Lines from top to bottom, neighbours from left to right; none where there is no text.

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
    """One question to a chat model. Equal requests are the same request."""

    stage: str
    """`script`, `vdc:camera`, `mmlu:notes`, `questions`, `answer`, `verdict`, `frames`,
    `progression`, `split`."""
    system: str
    user: tuple[Part, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What is known beside the words, in JSON-like values. `baseline` answers from these;
    engines that read prompts ignore them."""
    schema: Mapping[str, Any] | None = None
    """JSON schema of the reply; None for free text."""
    max_tokens: int = 1024
    temperature: float = 0.0
    seed: int = 0
    sample: int = 0
    """0 for the one answer that is wanted; 1, 2 ... for further votes on the same request."""
    frames: tuple[int, ...] = ()
    """Indices of the frames whose pictures are in `user`."""
    prefix: str = ""
    """Requests with the same prefix key share their beginning (same caption, same frames)."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    text: str
    finish_reason: str
    """`stop`, `length` or what the server said."""
    seconds: float
    usage: Mapping[str, Any] = field(default_factory=dict)
    prompt: str = ""
    """The words that were asked, where they are known: what only repeats them is no answer."""


@dataclass(frozen=True, slots=True)
class Loading:
    """How far an engine is with getting ready."""

    what: str
    """The engine, as it was typed."""
    phase: str
    """`loading weights`, `restarting after a crash` ..., in words for people."""
    share: float | None
    """Of the phase, 0 to 1; None where it is not known."""
    seconds: float
    """Since it began to start."""
    lines: tuple[str, ...] = ()
    """Latest lines of its log."""
    ready: bool = False


Tell = Callable[[Loading], None]


def unheard(_loading: Loading) -> None:
    """The `Tell` of those who do not want to hear."""


class ChatModel(Protocol):
    """`backend` is what was typed; `model` what answers; `baseline` marks the embedded engine."""

    backend: str
    model: str
    endpoint: str
    baseline: bool
    concurrency: int
    """Most requests worth having in flight; the pipeline starts with few and adapts."""

    def check(self) -> str:
        """One line about what answers there. Raises BackendUnavailable with the command to type."""
        ...

    def prepare(self, *, pictures: bool, tell: Tell, stop: Event) -> None:
        """Once before a run: start what has to be started, and wait until it answers.

        With `pictures`, make sure that it takes pictures. `tell` receives the progress, also later, when
        it has to be started again. Raises BackendUnavailable, and Stopped when `stop` is set meanwhile.
        """
        ...

    def complete(self, request: ChatRequest, stop: Event | None = None) -> ChatReply:
        """Thread-safe. Raises RequestRefused (RequestTooLarge where fewer pictures may fit), RequestFailed
        or BackendUnavailable; and Stopped soon after `stop` was set, whatever the engine does."""
        ...

    def close(self) -> None: ...


# --- measurements ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Measured:
    """One measurement of a stretch of frames."""

    kind: str
    value: Mapping[str, Any]


class SceneMeasurer(Protocol):
    """Measures one scene at a time. `name` holds the version."""

    name: str

    def measure(self, reader: FrameReader, start: int, end: int) -> Sequence[Measured]:
        """Everything found in frames [start, end)."""
        ...

    def colours(self, picture: Picture) -> Sequence[Mapping[str, Any]]:
        """Main colours of one picture: `{name, hex, share}`, largest first."""
        ...


# --- words ----------------------------------------------------------------------------


class Tagger(Protocol):
    """Words of an English text with their parts of speech."""

    name: str
    """Model and version."""
    baseline: bool
    """Whether it is another one than a benchmark's figures rest on."""
    stop_words: frozenset[str]

    def words(self, text: str) -> list[tuple[str, str]]:
        """(word as written, universal part of speech: VERB, NOUN ...), in order."""
        ...

    def lemma(self, word: str) -> str:
        """The dictionary form of a word that stands by itself."""
        ...


class Embeddings(Protocol):
    """Vectors of words or sentences."""

    name: str
    baseline: bool
    """Whether they are other ones than a benchmark's figures rest on."""

    def encode(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        """(words, d), of any length."""
        ...


# --- texts and videos in one space ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """How a model that follows instructions is asked for a vector; others have no use for it."""

    text: Callable[[str], tuple[str, tuple[Part, ...]]]
    """System message (may be empty) and user message for a text."""
    video: Callable[[Sequence[bytes]], tuple[str, tuple[Part, ...]]]
    """The same for the frames of a video, JPEGs in their order."""
    hash: str
    """Of both prompts."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors, in the order of what was given."""

    rows: npt.NDArray[np.float64]
    """(n, d), finite, of any length but none of length 0."""
    cut: tuple[bool, ...] = ()
    """Of texts: whether the end was not read because the model takes no more. Empty: none was cut."""


class JointEmbeddings(Protocol):
    """Vectors of texts and of videos that are compared by cosine. Thread-safe."""

    backend: str
    """What was typed."""
    model: str
    endpoint: str
    baseline: bool
    how: str
    """How frames become one vector, in a line."""
    key: str
    """Fingerprint of all that the vectors depend on, beside texts and frames."""
    prompt_hash: str
    """Empty for a model that is asked without words."""
    concurrency: int
    """Most requests worth having in flight."""

    def check(self) -> str:
        """One line about what answers. Raises BackendUnavailable with what to type."""
        ...

    def texts(self, texts: Sequence[str]) -> Embedded:
        """(texts, d). Raises RequestRefused, RequestFailed, BackendUnavailable."""
        ...

    def videos(self, videos: Sequence[Sequence[Picture]]) -> Embedded:
        """(videos, d), one row for the frames of each video. Raises as `texts`."""
        ...

    def close(self) -> None: ...

"""Retrieval by embeddings: the vectors of videos and of their captions, each computed once.

Frames as in CaReBench's retrieval (`tasks/retrieval.py`, `utils/video.py`): 32, each from the middle
of an equal interval, at no more than 230,400 pixels. A shorter video gives all its frames; the
benchmark's code then repeats the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from annotation.stages.media_library import path_of
from annotation.stages.probe_scenes_speech import facts_of
from annotation.stages.stage_context import Context
from annotation.stages.stage_spec import Plan, StageSpec
from annotation.stages.vector_files import FOLDER, KeptVectors, Row
from annotation.systems.carebench.recall_at_k import Setting, cosine
from backends.chat.limiter import AdaptiveLimiter
from backends.digest import digest
from backends.errors import MediaError, RequestFailed, RequestRefused
from backends.protocols import Embedded, JointEmbeddings
from backends.video_and_word_types import VideoFacts

FRAMES = 32
MOST_PIXELS = 230_400


@dataclass(frozen=True, slots=True)
class Subject:
    """A video and its captions."""

    video: Video
    name: str
    """Name in files; unique."""
    texts: Mapping[str, str]
    """`{"general": words, "spatial": ..., "temporal": ...}`; missing texts are omitted."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Vectors of all readable videos."""

    engine: JointEmbeddings
    frames: int
    videos: tuple[str, ...]
    """Names, V."""
    rows: NDArray[np.float32]
    """(V, d)"""
    texts: Mapping[str, tuple[tuple[str, ...], NDArray[np.float32]]]
    """`{setting: (names of the videos that the texts belong to, (T, d))}`"""
    cut: int
    """Number of texts that exceed the model's input length."""
    lost: Mapping[str, str]
    """`{name of a video: reason why it could not be embedded}`"""

    def settings(self) -> list[Setting]:
        """One retrieval per kind of text, among all videos."""
        column = {name: n for n, name in enumerate(self.videos)}
        found = []
        for name, (homes, rows) in self.texts.items():
            positive = np.zeros((len(homes), len(self.videos)), bool)
            positive[np.arange(len(homes)), [column[home] for home in homes]] = True
            similarity = cosine(rows.astype(np.float64), self.rows.astype(np.float64))
            found.append(Setting(name, similarity, positive, homes, self.videos))
        return found


def plan_embeddings(
    subjects: Sequence[Subject],
    frames: int,
    keep: Callable[[Context, Gathered], Evaluation],
    notes: Sequence[str] = (),
) -> Plan:
    """A pass that embeds every subject; `keep` receives the vectors once all of them are ready."""
    work = _Work(subjects, frames, keep)
    return Plan(
        name=f"retrieval, {frames} frames of each video",
        videos=tuple(one.video for one in subjects),
        stages=(StageSpec("retrieval", "vectors of videos and captions", work.run, engines=("embedder",)),),
        settle=work.settle,
        notes=tuple(notes),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    row: Row
    texts: Mapping[str, tuple[Row, bool]]


class _Work:
    """Results of one pass so far. Thread-safe."""

    def __init__(
        self, subjects: Sequence[Subject], frames: int, keep: Callable[[Context, Gathered], Evaluation]
    ) -> None:
        self._subjects = {one.video.id: one for one in subjects}
        self._frames, self._keep = frames, keep
        self._found: dict[str, _Found] = {}
        self._lost: dict[str, str] = {}
        self._limiter: AdaptiveLimiter | None = None
        self._kept: Evaluation | None = None
        self._lock = Lock()

    def run(self, context: Context, video: Video) -> None:
        """Embed one video and its texts. Unreadable files and texts are skipped, with the reason."""
        engine = context.engines.embedder()
        try:
            with self._slot(engine):
                found = self._look(context, engine, self._subjects[video.id])
        except (MediaError, RequestRefused) as error:
            with self._lock:
                self._lost[video.id] = str(error)
            raise
        except RequestFailed as error:
            raise RequestFailed(f"{error}; the scores need this video") from error
        with self._lock:
            self._found[video.id] = found

    def _slot(self, engine: JointEmbeddings) -> AdaptiveLimiter:
        with self._lock:
            if self._limiter is None:
                self._limiter = AdaptiveLimiter(engine.concurrency)
                if hasattr(engine, "on_pressure"):
                    engine.on_pressure = self._limiter.back_off
            return self._limiter

    def _look(self, context: Context, engine: JointEmbeddings, subject: Subject) -> _Found:
        kept = KeptVectors(context.workspace.media / FOLDER / engine.key)
        total = len(subject.texts) + 1
        texts: dict[str, tuple[Row, bool]] = {}
        for name, words in subject.texts.items():
            context.progress(subject.video, "retrieval", len(texts), total)
            key = digest("text", words)
            texts[name] = kept.get(key) or _put(kept, key, engine.texts([words]))
        context.progress(subject.video, "retrieval", len(texts), total)
        return _Found(self._video(context, engine, kept, subject.video), texts)

    def _video(self, context: Context, engine: JointEmbeddings, kept: KeptVectors, video: Video) -> Row:
        path_of(video)  # reports a missing file even if its vector is cached
        indices = middle_frames(len(context.media.table(video).pts), self._frames)
        width = frame_width(facts_of(video))
        reader = context.engines.reader
        key = digest("video", video.sha256 or video.path or video.id, indices, width, reader)
        known = kept.get(key)
        if known is None:
            pictures = context.media.frames(video, indices, width, reader)
            known = _put(kept, key, engine.videos([pictures]))
        return known[0]

    def settle(self, context: Context) -> Evaluation | None:
        """The evaluation, once every video is embedded or skipped."""
        with self._lock:
            whole = len(self._found) + len(self._lost) == len(self._subjects)
            if whole and self._found and self._kept is None:
                self._kept = self._keep(context, self._gathered(context.engines.embedder()))
            return self._kept

    def _gathered(self, engine: JointEmbeddings) -> Gathered:
        found = [(one, self._found[key]) for key, one in self._subjects.items() if key in self._found]
        names = {name: None for one, _ in found for name in one.texts}
        texts = {
            name: (
                tuple(one.name for one, each in found if name in each.texts),
                np.array([each.texts[name][0] for _, each in found if name in each.texts]),
            )
            for name in sorted(names)
        }
        videos, rows = tuple(one.name for one, _ in found), np.array([each.row for _, each in found])
        return Gathered(
            engine,
            self._frames,
            videos,
            rows,
            texts,
            sum(cut for _, each in found for _, cut in each.texts.values()),
            {self._subjects[key].name: why for key, why in self._lost.items()},
        )


def _put(kept: KeptVectors, key: str, made: Embedded) -> tuple[Row, bool]:
    return kept.put(key, made.rows[0], bool(made.cut and made.cut[0]))


def middle_frames(count: int, frames: int) -> tuple[int, ...]:
    """Indices in the middle of equal intervals of `count` frames; all frames if there are fewer."""
    bounds = np.linspace(0, count, min(frames, count) + 1).astype(int)
    return tuple(int(start + end - 1) // 2 for start, end in pairwise(bounds))


def frame_width(facts: VideoFacts) -> int:
    """Width in pixels of the frames sent to the model."""
    shape = facts.width / facts.height
    return max(1, min(facts.width, int(sqrt(MOST_PIXELS * shape))))


def run_params(gathered: Gathered) -> dict[str, Any]:
    """Parameters that a run records about its vectors."""
    return {"frames": gathered.frames, "how": gathered.engine.how, "most_pixels": MOST_PIXELS}

"""The most relevant frames of each question, as small JPEGs within a size limit.

Pinned frames come before frames found for the question. All first frames are added before any second frame,
so that the limit affects all questions equally.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation.editing.pinned_frames import pinned_frames
from annotation.pipeline.evidence.question_frames import question_frames
from annotation.pipeline.evidence.search_words import query_of
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.store.store import Store
from backends.errors import MediaError
from exports.offline_report.contents import ReportedQuestion

MOST = 3
"""Frames per question."""
WIDTH = 256
BYTES = 30_000
"""Bytes of pictures per question: 30 MB for 1,000 questions; the rest of the report is text."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A frame of a question."""

    file: str
    frame: int
    why: str


@dataclass(slots=True)
class Pictures:
    """Pictures of a report, and what was left out."""

    files: dict[str, Path] = field(default_factory=dict)
    """Names in the report, with the paths of the JPEGs."""
    of: dict[str, list[Picture]] = field(default_factory=lambda: defaultdict(list))
    """By answer id."""
    without: set[str] = field(default_factory=set)
    """Ids of videos whose file is missing or unreadable."""
    dropped: int = 0
    """Number of frames beyond the limit."""


def pictures_of(store: Store, media: MediaLibrary | None, asked: Sequence[ReportedQuestion]) -> Pictures:
    """Return the pictures, creating missing JPEGs; without `media` there are none."""
    made = Pictures()
    chosen = list(_chosen(store, media, asked, made)) if media else []
    bytes_left = BYTES * len(asked)
    for rank in range(MOST):
        for answer_id, frames in chosen:
            if rank >= len(frames):
                continue
            picture, path = frames[rank]
            size = 0 if picture.file in made.files else path.stat().st_size
            if size > bytes_left:
                made.dropped += 1
                continue
            bytes_left -= size
            made.files[picture.file] = path
            made.of[answer_id].append(picture)
    return made


Chosen = tuple[str, list[tuple[Picture, Path]]]


def _chosen(
    store: Store, media: MediaLibrary, asked: Sequence[ReportedQuestion], made: Pictures
) -> Iterator[Chosen]:
    """Yield the frames of each answer, video by video."""
    of_video: dict[str, list[ReportedQuestion]] = defaultdict(list)
    for one in asked:
        of_video[one.row.question.video_id].append(one)
    pinned = pinned_frames(store, {one.row.question.id for one in asked})
    for number, (video_id, questions) in enumerate(of_video.items(), 1):
        video = store.get(Video, video_id)
        if video.facts is None or not video.path:
            made.without.add(video_id)
            continue
        for one in questions:
            pins = [frame for each in pinned.get(one.row.question.id, ()) for frame in each.frames]
            try:
                frames = _frames(store, media, video, one, pins)
            except MediaError:
                made.without.add(video_id)
                break
            yield one.row.answer.id, _jpegs(media, video, number, frames)


def _frames(
    store: Store, media: MediaLibrary, video: Video, one: ReportedQuestion, pins: Sequence[int]
) -> list[tuple[int, str]]:
    """Return frames with reasons, at most MOST. Raises MediaError."""
    found = question_frames(store, media, video, query_of(store, one.row.answer)).frames
    frames = dict.fromkeys(pins, "pinned by a person")
    for each in found:
        frames.setdefault(each.frame, "; ".join(reason.words for reason in each.reasons))
    return list(frames.items())[:MOST]


def _jpegs(
    media: MediaLibrary, video: Video, number: int, frames: Sequence[tuple[int, str]]
) -> list[tuple[Picture, Path]]:
    made = []
    for frame, why in frames:
        try:
            (path,) = media.thumbnails(video, [frame], WIDTH)
        except (MediaError, IndexError):  # frames in damaged parts have no picture
            continue
        made.append((Picture(f"video-{number}-frame-{frame}.jpg", frame, why), path))
    return made

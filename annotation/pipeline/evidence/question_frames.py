"""Finds the relevant frames for a question, each with its reasons, for the Verdicts page."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from annotation.pipeline.evidence.frame_of_moment import FrameChoice, Look, Seen, seen_of
from annotation.pipeline.evidence.moments import Known, Moment
from annotation.pipeline.evidence.moments_from_store import known_of
from annotation.pipeline.evidence.question_vector_files import with_vector
from annotation.pipeline.evidence.ranking import Query, Ranked, Reason, rank
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.store.cache_parts import LastUsed
from annotation.store.store import Store
from backends.errors import MediaError
from backends.measurements.clear_frames import looked_at
from backends.measurements.sampling import WIDTH
from backends.text.sentences import sentences

MOST = 6
"""Maximum number of frames of a question."""
MOST_DECODED = 4096
APART_S = 3.0
"""Minimum seconds between two frames of one scene."""
NOTHING = Reason("order", "no source points to a place: one frame per scene, in order")


@dataclass(frozen=True, slots=True)
class EvidenceFrame:
    """One frame and the reasons for it."""

    frame: int
    scene: int
    """-1 in a video without scenes."""
    at_s: float
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class EvidenceFrames:
    frames: tuple[EvidenceFrame, ...]
    """Best first; in order of time if nothing was found."""
    found: bool
    """Whether any source points to a place."""


def question_frames(store: Store, media: MediaLibrary, video: Video, query: Query) -> EvidenceFrames:
    """Return at most `MOST` frames. Raises MediaError if the file cannot be read."""
    known = known_of(store, video)
    return frames_of(known, look_at(store, media, video), with_vector(media.folder, known, query))


def frames_of(known: Known, look: Look, query: Query) -> EvidenceFrames:
    """Same as `question_frames`, from the facts about a video."""
    choice = FrameChoice(known, look)
    frames = tuple(_chosen(known, choice, rank(known, query)))
    if frames:
        return EvidenceFrames(frames, found=True)
    frames = tuple(_one_per_scene(known, lambda moment: choice.of(moment, None)))
    return EvidenceFrames(frames or tuple(_one_per_scene(known, choice.brightest)), found=False)


class DecodedFrames(LastUsed[tuple[str, int], Seen]):
    """Cache of frames that were decoded because they were not measured."""

    def __init__(self) -> None:
        super().__init__(MOST_DECODED)
        self.lock = threading.Lock()


def look_at(store: Store, media: MediaLibrary, video: Video) -> Look:
    """Return a function that decodes frames which were not measured."""
    decoded = store.kept(DecodedFrames, DecodedFrames)

    def look(indices: Sequence[int]) -> list[Seen]:
        with decoded.lock:
            missing = [index for index in indices if decoded.use((video.id, index)) is None]
        try:
            with media.reader(video) as reader:
                found = [seen_of(row) for row in looked_at(reader, missing, WIDTH)] if missing else []
        except MediaError:  # the range is damaged and has no frame to show
            found = []
        with decoded.lock:
            for one in found:
                decoded.keep((video.id, one.frame), one)
            return [seen for index in indices if (seen := decoded.use((video.id, index)))]

    return look


def _chosen(known: Known, choice: FrameChoice, ranked: Sequence[Ranked]) -> Iterator[EvidenceFrame]:
    """Yield frames in order of rank, without near-duplicates."""
    taken: list[Seen] = []
    times: list[tuple[int, float]] = []
    for one in ranked:
        moment = known.moments[one.moment]
        near = [at for scene, at in times if scene == moment.scene]
        middle = (moment.start_s + moment.end_s) / 2 if one.at_s is None else one.at_s
        if near and (one.at_s is None or min(abs(at - middle) for at in near) < APART_S):
            continue
        seen = choice.of(moment, one.at_s)
        if seen is None or any(seen.alike(other) for other in taken):
            continue
        taken.append(seen)
        times.append((moment.scene, middle))
        yield EvidenceFrame(seen.frame, moment.scene, moment.seconds_of(seen.frame), tuple(one.reasons))
        if len(taken) == MOST:
            return


def _one_per_scene(known: Known, choose: Callable[[Moment], Seen | None]) -> Iterator[EvidenceFrame]:
    """Yield one frame per scene; of more than `MOST` scenes, some at equal steps."""
    first: dict[int, list[int]] = {}
    for n, moment in enumerate(known.moments):
        first.setdefault(n if moment.scene < 0 else moment.scene, []).append(n)
    scenes = [parts[len(parts) // 2] for parts in first.values()]
    step = max(1.0, len(scenes) / MOST)
    for k in range(min(MOST, len(scenes))):
        number = scenes[int((k + 0.5) * step) if step > 1 else k]
        seen = choose(known.moments[number])
        if seen is not None:
            moment = known.moments[number]
            yield EvidenceFrame(seen.frame, moment.scene, moment.seconds_of(seen.frame), (NOTHING,))


def scene_frames(store: Store, video: Video) -> list[tuple[int, int]]:
    """Return (scene index, clear frame) for the row of all scenes, without decoding frames."""
    known = known_of(store, video)
    choice = FrameChoice(known, lambda _indices: [])
    found: dict[int, int] = {}
    for moment in known.moments:
        if moment.scene >= 0 and moment.scene not in found:
            seen = choice.of(moment, None)
            found[moment.scene] = seen.frame if seen else (moment.start + moment.end) // 2
    return sorted(found.items())


def sentence_around(caption: str, span: tuple[int, int] | None) -> str:
    """Return the sentence of a caption that contains the marked range; empty if nothing is marked."""
    if span is None:
        return ""
    return next((s.text for s in sentences(caption) if s.start <= span[0] < s.end), "")

"""Reads the facts about a video's moments from the store, cached until the video changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from annotation.pipeline.evidence.moments import (
    Known,
    Moment,
    Pictures,
    Words,
    cut_in_parts,
    moment_at,
    moments_between,
    moments_of_scene,
)
from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import Run
from annotation.records.videos import Frame, Measurement, Scene, Video
from annotation.stages.frames_shown_to_models import is_missing, slates
from annotation.stages.measurement_stage import measured
from annotation.stages.newest_screen_texts import screen_texts
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.store.cache_parts import LastUsed, Renewed
from annotation.store.current_speech import lines_of, speech_states, words_of
from annotation.store.store import Store
from annotation.systems.progress_captioner.imported_frame_embeddings import unpack

KEPT = 32
"""Maximum number of cached videos; the least recently used one is removed."""
_NUMBER_OF_SCENE = re.compile(r"^Scene \d+(?: of \d+)?(?:: |$)")
"""Prefix of the titles written by the baseline."""
PICTURES = "picture_vectors"
"""Kind of the measurement with vectors of a video's frames and the key of the model."""


class KnownVideos(Renewed):
    """Cache of the facts about videos. Thread-safe."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._kept: LastUsed[str, Known] = LastUsed(KEPT)

    def of(self, video: Video) -> Known:
        """Return the current facts."""
        with self.changes() as changes:
            changes.drop(self._kept)
            return self._kept.made(video.id, lambda: read_known(self.store, video))


def known_of(store: Store, video: Video) -> Known:
    """Return the facts about the video's moments."""
    return store.kept(KnownVideos, lambda: KnownVideos(store)).of(video)


def read_known(store: Store, video: Video) -> Known:
    without = slates(video)
    scenes = [scene for scene in current_scenes(store, video.id) if not is_missing(scene, without)]
    moments = cut_in_parts([_moment(scene) for scene in scenes] or _whole(video))
    by_key = {scene.key: scene.index for scene in scenes}
    words = (
        *_scene_words(store, video.id, by_key, moments),
        *_frame_words(store, video.id, moments),
        *_speech_words(store, video.id, moments),
        *_screen_words(store, video.id, moments),
    )
    found = {by_key[key]: values for key, values in measured(store, video.id).items() if key in by_key}
    return Known(moments, words, found, video.facts is not None, _pictures(store, video))


def _pictures(store: Store, video: Video) -> Pictures | None:
    """Return the vectors of the latest model for the current file."""
    measured = store.find(Measurement, video_id=video.id, kind=PICTURES)
    found = {m.run_id: m.value for m in measured if m.value["file"] == video.sha256}
    if not found:
        return None
    runs = store.find(Run, id=list(found), order_by=["created_at", "id"])
    value = found[runs[-1].id]
    return Pictures(value["engine"], value["name"], tuple(value["frames"]), unpack(value))


def _moment(scene: Scene) -> Moment:
    return Moment(scene.index, scene.start_frame, scene.end_frame, scene.start_s, scene.end_s)


def _whole(video: Video) -> list[Moment]:
    if video.facts is None or not video.facts.frames:
        return []
    return [Moment(-1, 0, video.facts.frames, 0.0, video.facts.duration_s)]


def _scene_words(
    store: Store, video_id: str, by_key: dict[str, int], moments: Sequence[Moment]
) -> Iterator[Words]:
    """Yield one text per scene and author, joined from all fields."""
    texts = store.find(Text, video_id=video_id, subject_type="scene", order_by=["created_at", "id"])
    wrote: dict[tuple[str, str], list[str]] = {}
    for text, value in _now(store, [text for text in texts if text.subject_id in by_key]):
        source = text.run_id or text.person_id or text.dataset_id or ""
        if text.kind != "speech":  # speech has times, see `_speech_words`
            words = _NUMBER_OF_SCENE.sub("", value) if text.kind == "script:scene_title" else value
            wrote.setdefault((text.subject_id, source), []).append(words)
    for (key, _author), values in wrote.items():
        yield Words("script", "\n".join(values), moments_of_scene(moments, by_key[key]))


def _frame_words(store: Store, video_id: str, moments: Sequence[Moment]) -> Iterator[Words]:
    texts = store.find(Text, video_id=video_id, kind="frame")
    if not texts:
        return
    frames = {frame.id: frame.index for frame in store.find(Frame, video_id=video_id)}
    for text, value in _now(store, [text for text in texts if text.subject_id in frames]):
        index = frames[text.subject_id]
        for at in moment_at(moments, index):
            yield Words("frame caption", value, (at,), at_s=moments[at].seconds_of(index))


def _speech_words(store: Store, video_id: str, moments: Sequence[Moment]) -> Iterator[Words]:
    states = speech_states(store, video_id)
    by_id = {state.segment.id: state for state in states}
    for line in lines_of(states):
        if line.text.strip():
            spoken = words_of(line, by_id[line.segment_id], states)
            times = tuple((word.text, word.start_s) for word in spoken)
            within = moments_between(moments, line.start_s, line.end_s)
            yield Words("speech", line.text, within, times, line.start_s)


def _screen_words(store: Store, video_id: str, moments: Sequence[Moment]) -> Iterator[Words]:
    """Yield lines of text on screen. The time of a line is that of the frame in which it was read best."""
    for line in screen_texts(store, video_id):
        within = moments_between(moments, line.start_s, line.end_s)
        best = moment_at(moments, line.frame)
        at_s = moments[best[0]].seconds_of(line.frame) if best else line.start_s
        yield Words("text on screen", line.text, within, at_s=at_s)


def _now(store: Store, texts: Sequence[Text]) -> list[tuple[Text, str]]:
    """Return the texts that count, with their current values."""
    now = ((text, str(one.value or "")) for text, one in store.not_superseded(texts))
    return [(text, value) for text, value in now if value.strip()]

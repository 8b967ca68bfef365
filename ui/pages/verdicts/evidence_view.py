"""The relevant frames for a question, as sent to the Verdicts page, without anything from a judge."""

from __future__ import annotations

from annotation.editing.pinned_frames import pinned_frames
from annotation.pipeline.evidence.question_frames import EvidenceFrame, question_frames, scene_frames
from annotation.pipeline.evidence.ranking import Query
from annotation.pipeline.evidence.search_words import query_of
from annotation.records.captions_to_verdicts import Answer, Verdict
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.store.store import Store
from backends.errors import MediaError
from ui.lib.view_parts import people_by_id
from ui.pages.verdicts.wire_types import EvidenceRow, PinnedBy, QuestionEvidence, SceneFrame

ROOM = 6
"""Frames in the strip, unless people pinned more."""


def evidence_json(store: Store, media: MediaLibrary, verdict_id: str) -> QuestionEvidence:
    """Pinned frames first, then those that were found. Raises NotFound."""
    verdict = store.get(Verdict, verdict_id)
    video = store.get(Video, verdict.video_id)
    if verdict.subject_type != "answer" or video.facts is None or not video.path:
        return _nothing()
    answer = store.get(Answer, verdict.subject_id)
    return _evidence(store, media, video, query_of(store, answer), pins_of(store, answer.question_id))


def words_evidence_json(store: Store, media: MediaLibrary, video_id: str, query: Query) -> QuestionEvidence:
    """The same for a sentence of a caption, or for an unsaved question; these cannot have pins.

    Raises NotFound.
    """
    video = store.get(Video, video_id)
    if video.facts is None or not video.path:
        return _nothing()
    return _evidence(store, media, video, query, {})


def _nothing() -> QuestionEvidence:
    return {"frames": [], "found": False, "scenes": []}


def _evidence(
    store: Store, media: MediaLibrary, video: Video, query: Query, pins: dict[int, list[PinnedBy]]
) -> QuestionEvidence:
    try:
        found = question_frames(store, media, video, query)
    except MediaError:  # the player reports problems with the file
        return _nothing()
    rows = _pinned_rows(pins, found.frames) + [_row(one) for one in found.frames if one.frame not in pins]
    scenes: list[SceneFrame] = [
        {"scene": scene, "frame": frame} for scene, frame in scene_frames(store, video)
    ]
    return {"frames": rows[: max(ROOM, len(pins))], "found": found.found, "scenes": scenes}


def pins_of(store: Store, question_id: str) -> dict[int, list[PinnedBy]]:
    """By frame who pinned it."""
    people = people_by_id(store)
    found: dict[int, list[PinnedBy]] = {}
    for one in pinned_frames(store, [question_id]).get(question_id, []):
        for frame in one.frames:
            found.setdefault(frame, []).append({"person": one.person_id, "by": people[one.person_id].name})
    return dict(sorted(found.items()))


def _row(one: EvidenceFrame) -> EvidenceRow:
    reasons = [reason.words for reason in one.reasons]
    return {"frame": one.frame, "at_s": one.at_s, "reasons": reasons, "pinned": []}


def _pinned_rows(pins: dict[int, list[PinnedBy]], found: tuple[EvidenceFrame, ...]) -> list[EvidenceRow]:
    """The pinned frames, with the reasons of those that were found too."""
    by_frame = {one.frame: one for one in found}
    return [
        {
            "frame": frame,
            "at_s": by_frame[frame].at_s if frame in by_frame else None,
            "reasons": [reason.words for reason in by_frame[frame].reasons] if frame in by_frame else [],
            "pinned": people,
        }
        for frame, people in pins.items()
    ]

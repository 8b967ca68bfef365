"""The Keyframes page as data: candidates with captions, progression, selections side by side."""

from __future__ import annotations

from typing import Any

from annotation.frame_wording import other_frames
from annotation.pipeline.frames import pair_inputs
from annotation.pipeline.media import MediaLibrary
from annotation.records import Frame, Judgement, Person, Run, Selection, Text, Video
from annotation.store.store import Store
from ui.views.common import people_by_id, player_json, run_json, text_json

METHODS = ("progression", "uniform", "clusters", "person")


def keyframes_json(
    store: Store, media: MediaLibrary, video_id: str, *, player: bool = True
) -> dict[str, Any]:
    """Without `player` its part is None, for a page that has it already. Raises NotFound."""
    video = store.get(Video, video_id)
    captions = _captions(store, video.id)
    return {
        "video": {"id": video.id, "title": video.title, "action": video.action},
        "player": player_json(store, media, video) if player else None,
        "frames": _frames(media, video, captions),
        "pairs": _pairs(store, video, {i: str(text["value"]) for i, text in captions.items()}),
        "selections": _selections(store, video.id),
    }  # fmt: skip


def _frames(media: MediaLibrary, video: Video, captions: dict[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """The candidates in order; `seconds` is None while the file is not here."""
    seconds: list[float] = media.table(video).seconds.tolist() if video.facts and video.path else []
    return [
        {"index": index, "seconds": seconds[index] if index < len(seconds) else None,
         "caption": captions[index], "other_frames": other_frames(str(captions[index]["value"]))}
        for index in sorted(captions)
    ]  # fmt: skip


def _captions(store: Store, video_id: str) -> dict[int, dict[str, Any]]:
    """The newest run's caption of every candidate frame, by frame index."""
    index_of = {frame.id: frame.index for frame in store.find(Frame, video_id=video_id)}
    texts = store.find(Text, video_id=video_id, kind="frame", order_by=["created_at"])
    now = store.currents("text", [text.id for text in texts], "value")
    people = people_by_id(store)
    texts = [text for text in texts if not now[text.id].superseded]
    newest = texts[-1].run_id if texts else None
    return {
        index_of[text.subject_id]: text_json(text, now[text.id], people)
        for text in texts
        if text.run_id == newest
    }


def _pairs(store: Store, video: Video, captions: dict[int, str]) -> list[dict[str, Any]]:
    """What the judge said of each pair of neighbours; stale when a caption has changed since."""
    found = store.find(Judgement, video_id=video.id, subject_type="frame_pair", order_by=["created_at"])
    now = store.currents("judgement", [j.id for j in found], "verdict")
    newest = {_pair(j): j for j in found if not now[j.id].superseded}
    return [
        {"id": j.id, "frames": list(pair), "label": now[j.id].value["label"], "state": now[j.id].state,
         "reason": j.reason, "raw": j.raw, "difference": j.extra.get("difference"), "baseline": j.baseline,
         "stale": _stale(j, [captions[i] for i in pair if i in captions], video.action)}
        for pair, j in sorted(newest.items())
    ]  # fmt: skip


def _pair(judgement: Judgement) -> tuple[int, ...]:
    return tuple(int(index) for index in judgement.extra.get("frames", ()))


def _stale(judgement: Judgement, captions: list[str], action: str) -> bool:
    if not judgement.source_hash or len(captions) != 2:
        return False
    return pair_inputs((captions[0], captions[1]), action) != judgement.source_hash


def _selections(store: Store, video_id: str) -> list[dict[str, Any]]:
    """The newest selection of each method, and of each person; methods in their fixed order."""
    people = people_by_id(store)
    found = store.find(Selection, video_id=video_id, order_by=["created_at"])
    newest = {(s.method, s.person_id or ""): s for s in found if s.method in METHODS}
    runs = {run.id: run for run in store.find(Run, id=[s.run_id for s in newest.values() if s.run_id])}
    return [
        {"method": s.method, "frames": list(s.frames), "reasons": dict(s.reasons), "baseline": s.baseline,
         "run": run_json(runs.get(s.run_id or "")), "by": _name(people, s.person_id),
         "person_id": s.person_id, "created_at": s.created_at}
        for s in sorted(newest.values(), key=lambda s: (METHODS.index(s.method), s.created_at))
    ]  # fmt: skip


def _name(people: dict[str, Person], person_id: str | None) -> str:
    return people[person_id].name if person_id in people else ""

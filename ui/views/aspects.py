"""CaReBench annotation as data: the four fields to write, two writers beside the merge, progress."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from annotation import aspects
from annotation.aspect_progress import IDLE_S, STATES, VideoProgress, mean_agreement, progress
from annotation.aspect_sight import MERGE, WRITE, AspectSight
from annotation.aspects import HEADS, Part
from annotation.carebench import ASPECTS, WORD_RANGE
from annotation.pipeline.media import MediaLibrary
from annotation.records import Assignment, Merge, Person, Video
from annotation.store.store import Store
from ui.views.assignments import work_json
from ui.views.common import people_by_id, player_json, text_json

PAGE = 100
"""Videos in one answer of the progress."""
HOW = {
    "agreement": "Between the writers of a video, once all are done, by part. ROUGE-L: F1 of the longest "
    "common subsequence of words. Shared words: of the content words of either text, the share that both "
    "hold. Means over videos.",
    "minutes": f"Active minutes: a gap between two saves counts up to {IDLE_S / 60:.0f} minutes, longer ones "
    "do not.",
}


def aspects_json(
    store: Store, media: MediaLibrary, me: Person, video_id: str, sight: AspectSight, *, player: bool = True
) -> dict[str, Any]:
    """One video for the tabs Write and Merge, without texts that the asker may not see. Raises NotFound."""
    video = store.get(Video, video_id)
    people = people_by_id(store)
    writers = aspects.work_on(store, video.id, WRITE)
    mergers = aspects.work_on(store, video.id, MERGE)
    merger = next((row for row in mergers if row.person_id == me.id), mergers[0] if mergers else None)
    found = progress(store, [video.id])
    return {
        "video": {"id": video.id, "title": video.title},
        "player": player_json(store, media, video) if player else None,
        "parts": [[name, HEADS[name]] for name in ASPECTS], "words": list(WORD_RANGE),
        "state": found[0].state if found else "",
        "agreement": {name: asdict(both) for name, both in found[0].agreement.items()} if found else {},
        "writers": [_writer(store, row, people, sight) for row in writers],
        "merge": _merge(store, merger, people, sight),
        "split": [work_json(row, people, sight) for row in aspects.work_on(store, video.id, "split")],
    }  # fmt: skip


def _writer(store: Store, row: Assignment, people: dict[str, Person], sight: AspectSight) -> dict[str, Any]:
    return {
        "work": work_json(row, people, sight), "id": row.person_id, "name": people[row.person_id].name,
        "texts": _seen(store, aspects.parts_of(store, row.video_id, row.person_id), people, sight),
    }  # fmt: skip


def _seen(
    store: Store, parts: Mapping[str, Part], people: dict[str, Person], sight: AspectSight
) -> dict[str, Any] | None:
    """The person's texts by part; None when they are not to be seen."""
    texts = [part.text for part in parts.values()]
    if len(sight.shown(store, texts)) < len(texts):
        return None
    return {name: text_json(part.text, part.now, people) for name, part in parts.items()}


def _merge(
    store: Store, row: Assignment | None, people: dict[str, Person], sight: AspectSight
) -> dict[str, Any] | None:
    """Who merges, their four parts, and the full caption with where it came from."""
    if row is None:
        return None
    full = aspects.full_of(store, row.video_id, row.person_id)
    seen = full is not None and bool(sight.shown(store, [full.text]))
    made = aspects.merge_of(store, full)
    return {
        "work": work_json(row, people, sight), "id": row.person_id, "name": people[row.person_id].name,
        "texts": _seen(store, aspects.parts_of(store, row.video_id, row.person_id), people, sight),
        "full": text_json(full.text, full.now, people) if full and seen else None,
        "from": _sources(made, people) if made and seen else None,
    }  # fmt: skip


def _sources(made: Merge, people: dict[str, Person]) -> dict[str, Any]:
    """By part: `taken`, `edited` or `own`, and from whom."""
    return {
        name: {"how": part["how"], "by": people[part["by"]].name if part.get("by") in people else ""}
        for name, part in made.parts.items()
    }


# --- progress ------------------------------------------------------------------------------


def progress_json(store: Store, sight: AspectSight, offset: int = 0, limit: int = PAGE) -> dict[str, Any]:
    """States of all videos, people, and a page of videos: what needs somebody first."""
    found = sorted(progress(store), key=lambda video: (STATES.index(video.state), video.video_id))
    people = people_by_id(store)
    titles = {v.id: v.title for v in store.find(Video, id=[video.video_id for video in found])}
    states = Counter(video.state for video in found)
    return {
        "of": len(found), "states": [{"state": state, "n": states[state]} for state in STATES],
        "people": _people(found, people),
        "agreement": {
            name: asdict(mean) | {"n": n} for name, (mean, n) in mean_agreement(found).items()
        },
        "parts": [[name, HEADS[name]] for name in ASPECTS], "words": list(WORD_RANGE), "how": HOW,
        "videos": [_row(v, titles, people, sight) for v in found[offset : offset + limit]],
        "offset": offset,
    }  # fmt: skip


def _row(
    video: VideoProgress, titles: dict[str, str], people: dict[str, Person], sight: AspectSight
) -> dict[str, Any]:
    return {
        "id": video.video_id, "title": titles.get(video.video_id, ""), "state": video.state,
        "work": [
            work_json(row, people, sight) | (_written(video, row.person_id) if row.task == WRITE else {})
            for row in video.work
        ],
        "agreement": {name: asdict(both) for name, both in video.agreement.items()},
    }  # fmt: skip


def _written(video: VideoProgress, who: str) -> dict[str, Any]:
    return {"words": video.words.get(who, 0), "minutes": _round(video.minutes.get(who))}


def _people(found: Sequence[VideoProgress], people: dict[str, Person]) -> list[dict[str, Any]]:
    """Per person and task: how many videos are in which state; of writers also words and minutes."""
    rows: dict[tuple[str, str], list[tuple[VideoProgress, Assignment]]] = defaultdict(list)
    for video in found:
        for row in video.work:
            rows[row.person_id, row.task].append((video, row))
    return [
        {
            "id": who, "name": people[who].name, "role": people[who].role, "task": task, "of": len(work),
            "states": dict(Counter(row.state for _, row in work)),
        }
        | (_writing(who, [video for video, _ in work]) if task == WRITE else {})
        for (who, task), work in sorted(rows.items(), key=lambda item: (item[0][1] != WRITE, item[0][1],
                                                                        people[item[0][0]].name))
    ]  # fmt: skip


def _writing(who: str, videos: Sequence[VideoProgress]) -> dict[str, Any]:
    words = [video.words[who] for video in videos if video.words.get(who)]
    minutes = [video.minutes[who] for video in videos if who in video.minutes]
    return {
        "words": {"mean": round(fmean(words)) if words else None, "n": len(words)},
        "minutes": {"mean": _round(fmean(minutes)) if minutes else None, "n": len(minutes)},
    }


def _round(minutes: float | None) -> float | None:
    return None if minutes is None else round(minutes, 1)

"""CaReBench annotation as data: the four fields to write, two writers and the merge, and progress."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from annotation.people.hidden_texts import ASPECTS, MERGE, WRITE, AspectSight
from annotation.records.decisions import Assignment, Person
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.store.store import Store
from annotation.systems.carebench import write_merge_approve
from annotation.systems.carebench.origin_of_merged_part import Part, rewritten
from annotation.systems.carebench.progress_time_and_agreement import (
    IDLE_S,
    STATES,
    VideoProgress,
    mean_agreement,
    progress,
)
from annotation.systems.carebench.split_requests import WORD_RANGE
from annotation.systems.carebench.write_merge_approve import HEADS
from annotation.texts.writers import writer
from ui.lib.shared_wire_types import EditableText
from ui.lib.view_parts import people_by_id, player_json, text_json
from ui.pages.library.assignments_view import work_json
from ui.pages.split.wire_types import (
    AspectsPage,
    AspectsProgress,
    MeanMinutes,
    MeanWords,
    MergeWork,
    PartSource,
    PartsWork,
    PersonProgress,
    ProgressNotes,
    VideoState,
    Written,
)

PAGE = 100
"""Videos per response of the progress."""
HOW: ProgressNotes = {
    "agreement": "Between the writers of a video, once all are done, by part. ROUGE-L: F1 of the longest "
    "common subsequence of words. Shared words: the share of the content words that both texts contain. "
    "Means over videos.",
    "minutes": f"Active minutes: gaps between two saves count if they are at most {IDLE_S / 60:.0f} minutes "
    "long.",
}


def aspects_json(
    store: Store, media: MediaLibrary, me: Person, video_id: str, sight: AspectSight, *, player: bool = True
) -> AspectsPage:
    """One video for the tabs Write and Merge, without texts that are hidden from the person.

    Raises NotFound.
    """
    video = store.get(Video, video_id)
    people = people_by_id(store)
    writers = write_merge_approve.work_on(store, video.id, WRITE)
    mergers = write_merge_approve.work_on(store, video.id, MERGE)
    merger = next((row for row in mergers if row.person_id == me.id), mergers[0] if mergers else None)
    found = progress(store, [video.id])
    return {
        "video": {"id": video.id, "title": video.title},
        "player": player_json(store, media, video) if player else None,
        "parts": [(name, HEADS[name]) for name in ASPECTS],
        "words": WORD_RANGE,
        "state": found[0].state if found else "",
        "agreement": found[0].agreement if found else {},
        "writers": [_writer(store, row, people, sight) for row in writers],
        "merge": _merge(store, merger, people, sight),
        "split": [
            work_json(row, people, sight) for row in write_merge_approve.work_on(store, video.id, "split")
        ],
    }


def _writer(store: Store, row: Assignment, people: dict[str, Person], sight: AspectSight) -> PartsWork:
    return {
        "work": work_json(row, people, sight),
        "id": row.person_id,
        "name": people[row.person_id].name,
        "texts": _seen(
            store, write_merge_approve.parts_of(store, row.video_id, row.person_id), people, sight
        ),
    }


def _seen(
    store: Store, parts: Mapping[str, Part], people: dict[str, Person], sight: AspectSight
) -> dict[str, EditableText] | None:
    """The person's texts by part; None if they are hidden."""
    texts = [part.text for part in parts.values()]
    if len(sight.shown(store, texts)) < len(texts):
        return None
    return {name: _text(store, part, people) for name, part in parts.items()}


def _text(store: Store, part: Part, people: dict[str, Person]) -> EditableText:
    return text_json(part.text, part.now, people, writer(store, part.text, part.now))


def _merge(
    store: Store, row: Assignment | None, people: dict[str, Person], sight: AspectSight
) -> MergeWork | None:
    """The merger, their four parts, and the full caption with its sources."""
    if row is None:
        return None
    full = write_merge_approve.full_of(store, row.video_id, row.person_id)
    seen = full is not None and bool(sight.shown(store, [full.text]))
    made = write_merge_approve.merge_of(store, full)
    mine = write_merge_approve.parts_of(store, row.video_id, row.person_id)
    texts = _seen(store, mine, people, sight)
    return {
        "work": work_json(row, people, sight),
        "id": row.person_id,
        "name": people[row.person_id].name,
        "texts": texts,
        "full": _text(store, full, people) if full and seen else None,
        "from": _sources(store, row.video_id, made.parts, people) if made and seen else None,
        "sources": _sources(
            store, row.video_id, write_merge_approve.sources_of(store, row.video_id, mine), people
        )
        if texts
        else None,
        "approved": row.versions.get(full.text.id) if full and seen and row.state == "approved" else None,
    }


def _sources(
    store: Store, video_id: str, found: Mapping[str, Mapping[str, Any]], people: dict[str, Person]
) -> dict[str, PartSource]:
    """By part: `taken`, `edited` or `own`, the writer, and the words used if they have changed since."""
    writers = {
        part["by"]: write_merge_approve.parts_of(store, video_id, part["by"])
        for part in found.values()
        if "by" in part
    }
    return {
        name: {
            "how": part["how"],
            "by": people[part["by"]].name if part.get("by") in people else "",
            "person": part.get("by", ""),
            "revision": part.get("from_revision"),
            "was": rewritten(store, part, writers.get(part.get("by", ""), {}).get(name)),
        }
        for name, part in found.items()
    }


# --- progress ------------------------------------------------------------------------------


def progress_json(store: Store, sight: AspectSight, offset: int = 0, limit: int = PAGE) -> AspectsProgress:
    """States of all videos, people, and a page of videos; those that need work come first."""
    found = sorted(progress(store), key=lambda video: (STATES.index(video.state), video.video_id))
    people = people_by_id(store)
    titles = {v.id: v.title for v in store.find(Video, id=[video.video_id for video in found])}
    states = Counter(video.state for video in found)
    return {
        "of": len(found),
        "states": [{"state": state, "n": states[state]} for state in STATES],
        "people": _people(found, people),
        "agreement": {
            name: {"rouge_l": mean.rouge_l, "shared": mean.shared, "n": n}
            for name, (mean, n) in mean_agreement(found).items()
        },
        "parts": [(name, HEADS[name]) for name in ASPECTS],
        "words": WORD_RANGE,
        "how": HOW,
        "videos": [_row(v, titles, people, sight) for v in found[offset : offset + limit]],
        "offset": offset,
    }


def _row(
    video: VideoProgress, titles: dict[str, str], people: dict[str, Person], sight: AspectSight
) -> VideoState:
    return {
        "id": video.video_id,
        "title": titles.get(video.video_id, ""),
        "state": video.state,
        "work": [{**work_json(row, people, sight), **_written(video, row)} for row in video.work],
        "agreement": video.agreement,
    }


def _written(video: VideoProgress, row: Assignment) -> Written:
    if row.task != WRITE:
        return {}
    minutes = video.minutes.get(row.person_id)
    return {"words": video.words.get(row.person_id, 0), "minutes": _round(minutes)}


def _people(found: Sequence[VideoProgress], people: dict[str, Person]) -> list[PersonProgress]:
    """Per person and task the number of videos in each state; for writers also words and minutes."""
    rows: dict[tuple[str, str], list[tuple[VideoProgress, Assignment]]] = defaultdict(list)
    for video in found:
        for row in video.work:
            rows[row.person_id, row.task].append((video, row))
    order = sorted(rows, key=lambda key: (key[1] != WRITE, key[1], people[key[0]].name))
    return [_person(people[who], task, rows[who, task]) for who, task in order]


def _person(who: Person, task: str, given: Sequence[tuple[VideoProgress, Assignment]]) -> PersonProgress:
    found: PersonProgress = {
        "id": who.id,
        "name": who.name,
        "role": who.role,
        "task": task,
        "of": len(given),
        "states": dict(Counter(str(row.state) for _, row in given)),
    }
    if task == WRITE:
        videos = [video for video, _ in given]
        found["words"] = _mean_words([video.words.get(who.id, 0) for video in videos])
        found["minutes"] = _mean_minutes([v.minutes[who.id] for v in videos if who.id in v.minutes])
    return found


def _mean_words(counts: Sequence[int]) -> MeanWords:
    """Mean over the videos with any words."""
    words = [count for count in counts if count]
    return {"mean": round(fmean(words)) if words else None, "n": len(words)}


def _mean_minutes(minutes: Sequence[float]) -> MeanMinutes:
    return {"mean": _round(fmean(minutes)) if minutes else None, "n": len(minutes)}


def _round(minutes: float | None) -> float | None:
    return None if minutes is None else round(minutes, 1)

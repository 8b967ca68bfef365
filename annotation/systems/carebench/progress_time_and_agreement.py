"""Progress of CaReBench annotation: states of videos, work and time per person, and agreement of writers.

Minutes are active minutes: the time between two saves, or between opening the work and the first save,
counts if it is at most `IDLE_S`. Longer gaps (a break, watching the video for long) are not counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Any, Literal, get_args

from sqlalchemy import Select, case, func, literal_column, select, union_all

from annotation.editing import assignments
from annotation.people.hidden_texts import ASPECTS, FINISHED, MERGE, PARTS, WRITE
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Assignment, Merge
from annotation.store import tables as t
from annotation.store.store import Store
from backends.text.rouge_l_and_shared_words import rouge_l, shared_words

IDLE_S = 180.0
State = Literal["given", "writing", "returned", "done", "merged", "approved", "split", "split approved"]
STATES: tuple[State, ...] = get_args(State)
"""State of a video, in the order of the work; `done`: all writers are done, and nothing is merged yet."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Similarity of two texts, each value 0 to 1; see `backends.text.rouge_l_and_shared_words`."""

    rouge_l: float
    shared: float


@dataclass(frozen=True, slots=True)
class VideoProgress:
    """Progress of one assigned video."""

    video_id: str
    state: State
    work: tuple[Assignment, ...]
    """All work on the parts, the merging and the split, in the order of assignment."""
    words: Mapping[str, int] = field(default_factory=dict)
    """Number of words in the four parts together, by writer."""
    minutes: Mapping[str, float] = field(default_factory=dict)
    """Active minutes by writer; writers without saves are omitted."""
    agreement: Mapping[str, Likeness] = field(default_factory=dict)
    """By part, the mean over pairs of writers; only if all writers are done."""


def progress(store: Store, video_ids: Sequence[str] | None = None) -> list[VideoProgress]:
    """Videos with assignments for the parts, the merging or the split; None selects all videos."""
    where: dict[str, Any] = {} if video_ids is None else {"video_id": list(video_ids)}
    rows = assignments.current(store.find(Assignment, task=(WRITE, MERGE, "split"), **where)).values()
    by_video: dict[str, list[Assignment]] = defaultdict(list)
    for row in rows:
        by_video[row.video_id].append(row)
    given = {video: work for video, work in by_video.items() if any(w.task != "split" for w in work)}
    merged = {row.video_id for row in store.find(Merge, **where)}
    texts, minutes = _texts(store, given), _minutes(store)
    return [
        _video(video, work, video in merged, texts.get(video, {}), minutes.get(video, {}))
        for video, work in given.items()
    ]


def _video(
    video: str,
    work: Sequence[Assignment],
    merged: bool,
    texts: Mapping[str, Mapping[str, str]],
    minutes: Mapping[str, float],
) -> VideoProgress:
    writers = [w for w in work if w.task == WRITE]
    mine = {w.person_id: texts.get(w.person_id, {}) for w in writers}
    done = bool(writers) and all(w.state in FINISHED for w in writers)
    return VideoProgress(
        video,
        state_of(work, merged),
        tuple(work),
        {who: sum(len(value.split()) for value in parts.values()) for who, parts in mine.items()},
        {who: minutes[who] for who in mine if who in minutes},
        agreement(list(mine.values())) if done else {},
    )


def state_of(work: Sequence[Assignment], merged: bool) -> State:
    """`merged`: whether the parts are joined to a full caption."""
    states = {task: [w.state for w in work if w.task == task] for task in (WRITE, MERGE, "split")}
    if "approved" in states[MERGE]:
        split = states["split"]
        return "split approved" if "approved" in split else "split" if "done" in split else "approved"
    if "returned" in states[WRITE]:
        return "returned"
    if all(state in FINISHED for state in states[WRITE]):
        return "merged" if merged else "done"
    return "given" if all(state == "open" for state in states[WRITE]) else "writing"


# --- agreement -----------------------------------------------------------------------------


def agreement(writers: Sequence[Mapping[str, str]]) -> dict[str, Likeness]:
    """By part, over all pairs of its writers. `writers`: text by part."""
    found = {}
    for name in ASPECTS:
        texts = [parts[name] for parts in writers if parts.get(name, "").strip()]
        pairs = [(rouge_l(*two), shared_words(*two)) for two in combinations(texts, 2)]
        whole = [(f, s) for f, s in pairs if f is not None and s is not None]
        if whole:
            found[name] = Likeness(fmean(f for f, _ in whole), fmean(s for _, s in whole))
    return found


def mean_agreement(videos: Iterable[VideoProgress]) -> dict[str, tuple[Likeness, int]]:
    """By part: the mean over the videos that have a value, and the number of these videos."""
    found: dict[str, list[Likeness]] = defaultdict(list)
    for video in videos:
        for name, likeness in video.agreement.items():
            found[name].append(likeness)
    return {
        name: (Likeness(fmean(x.rouge_l for x in all_), fmean(x.shared for x in all_)), len(all_))
        for name in ASPECTS
        if (all_ := found[name])
    }


# --- the store -----------------------------------------------------------------------------


def _texts(store: Store, videos: Iterable[str]) -> dict[str, dict[str, dict[str, str]]]:
    """`{video: {person: {part: value}}}` of the current four parts."""
    texts = [x for x in store.find(Text, kind=PARTS, run_id=None, video_id=list(videos)) if x.person_id]
    found: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for text, now in store.not_superseded(texts):
        part = text.kind.partition(":")[2]
        found[text.video_id][str(text.person_id)][part] = str(now.value)
    return found


def _minutes(store: Store) -> dict[str, dict[str, float]]:
    """`{video: {person: active minutes}}` from the times of saves, and of opening and ending the work."""
    events = _events().subquery()
    e = events.c
    before = func.lag(e.at).over(partition_by=(e.video_id, e.person_id), order_by=e.at)
    gaps = select(e.video_id, e.person_id, (e.at - before).label("gap")).subquery()
    active = func.sum(case((gaps.c.gap <= IDLE_S, gaps.c.gap), else_=literal_column("0.0")))
    query = select(gaps.c.video_id, gaps.c.person_id, active).group_by(gaps.c.video_id, gaps.c.person_id)
    found: dict[str, dict[str, float]] = defaultdict(dict)
    with store.reading() as conn:
        for video, person, seconds in conn.execute(query):
            if seconds:
                found[video][person] = seconds / 60
    return found


def _events() -> Select[tuple[str, str, float]]:
    """Video, person and time of every action of a writer on their own parts."""
    text, correction, work = t.text.c, t.correction.c, t.assignment.c
    mine = (text.kind.in_(PARTS), text.person_id.is_not(None))
    saves = (
        select(text.video_id, text.person_id, correction.created_at.label("at"))
        .join_from(
            t.correction, t.text, (correction.subject_id == text.id) & (correction.subject_type == "text")
        )
        .where(*mine, correction.person_id == text.person_id)
    )
    steps = select(work.video_id, work.person_id, work.created_at.label("at")).where(
        work.task == WRITE, work.state.in_(("working", "done"))
    )
    begun = select(text.video_id, text.person_id, text.created_at.label("at")).where(*mine)
    both = union_all(saves, steps, begun).subquery()
    return select(both.c.video_id, both.c.person_id, both.c.at)

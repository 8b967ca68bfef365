"""The Library page as data: one row per video, those that need review first."""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import exists, func, select

from annotation.editing.assignments import UNFINISHED, videos_with_work
from annotation.editing.join_videos import same_bytes
from annotation.people.hidden_texts import AspectSight
from annotation.pipeline.jobs_across_processes import Job
from annotation.pipeline.stage_registry import SHOWN_ONCE_RUN, STAGES, is_usual
from annotation.records.decisions import Person
from annotation.records.runs import RunVideo
from annotation.records.videos import Video
from annotation.stages.media_library import poster_of, remote_url
from annotation.stages.stage_spec import StageChoice, StageSpec, names_of
from annotation.store import tables as t
from annotation.store.bulk_rows import among
from annotation.store.store import Store
from annotation.store.verdicts.figures_per_video import (
    AspectScore,
    aspect_scores,
    verdict_counts,
    video_scores,
)
from annotation.store.verdicts.slow_counts_cache import KeptCounts
from annotation.store.verdicts.video_order import video_order
from annotation.store.videos.library_index import Videos, videos_of
from ui.pages.library.assignments_view import work_by_video
from ui.pages.library.stage_states import stage_states
from ui.pages.library.videos_of_one_title import places_of
from ui.pages.library.wire_types import (
    AspectMean,
    JobFacts,
    LibraryList,
    LibraryRow,
    LibrarySort,
    PersonName,
    StageFacts,
    StageSetting,
    StageState,
    Work,
)
from ui.systems.system_list import SYSTEMS

PAGE = 60
"""Videos per response by default."""


@dataclass(frozen=True, slots=True)
class LibraryRequest:
    """Filter, order and page of the list."""

    evaluation: str = ""
    """Evaluation whose scores and verdicts are shown."""
    words: str = ""
    """Words to find in title, category, discipline, id or the names used by datasets; all must match."""
    sort: LibrarySort = "need"
    work: str = ""
    """`nobody`, `flagged`, `left` (own, unfinished), or the id of a person."""
    me: str = ""
    offset: int = 0
    limit: int | None = None
    blind: bool = False
    """Whether to leave out people's corrections of verdicts from the counts, for people who label blind."""


def library_json(
    store: Store,
    asked: LibraryRequest,
    copies: Callable[[Video], bool] = lambda _video: False,
    sight: AspectSight | None = None,
    jobs: Sequence[Job] = (),
) -> LibraryList:
    """A page of the videos in the requested order (`annotation.store.verdicts.video_order`), or newest first.

    `copies` returns whether a video has a playable copy; `sight` is what the person may see of others' work;
    `jobs` are those of all processes on the workspace folder.
    """
    videos = videos_of(store)
    order = _chosen(store, videos, asked)
    end = None if asked.limit is None else asked.offset + asked.limit
    ids = [videos.ids[place] for place in order[asked.offset : end].tolist()]
    return {
        "videos": _rows(store, asked, ids, copies, sight, jobs),
        "fit": len(order),
        "total": len(videos),
        "measured_only": int(videos.flags("measured_only").sum()),
        "workers": _workers(store),
        "stages": [_stage_facts(spec) for spec in STAGES],
    }


def _stage_facts(spec: StageSpec) -> StageFacts:
    return {
        "name": spec.name,
        "label": spec.label,
        "needs": list(spec.needs),
        "usual": spec.when != "on_demand",
        "choice": _setting(spec.choice) if spec.choice else None,
    }


def _setting(choice: StageChoice) -> StageSetting:
    return {"name": choice.name, "label": choice.label, "options": dict(choice.options)}


def order_json(store: Store, asked: LibraryRequest) -> list[str]:
    """Ids of all matching videos, in the Library's order."""
    videos = videos_of(store)
    return [videos.ids[place] for place in _chosen(store, videos, asked).tolist()]


def _chosen(store: Store, videos: Videos, asked: LibraryRequest) -> NDArray[np.intp]:
    """Indices of the matching videos, in the requested order."""
    mask = videos.fits(asked.words) if asked.words.strip() else np.ones(len(videos), np.bool_)
    if asked.work:
        mask &= _with_work(store, videos, asked)
    order = _order(store, videos, asked)
    found: NDArray[np.intp] = order[mask[order]]
    return found


def _order(store: Store, videos: Videos, asked: LibraryRequest) -> NDArray[np.intp]:
    if asked.sort == "newest":
        return np.argsort(-videos.created(), kind="stable")
    return video_order(store, videos, asked.evaluation, asked.sort)


def _with_work(store: Store, videos: Videos, asked: LibraryRequest) -> NDArray[np.bool_]:
    mine = asked.work == "left"
    states = {"flagged": ("flagged",), "left": UNFINISHED}.get(asked.work)
    person = asked.me if mine else "" if asked.work in ("flagged", "nobody") else asked.work
    found = videos_with_work(store, person, states)
    places = videos.places()
    mask = np.zeros(len(videos), np.bool_)
    mask[[places[video_id] for video_id in found if video_id in places]] = True
    return ~mask if asked.work == "nobody" else mask


def _workers(store: Store) -> list[PersonName]:
    """People who have ever been assigned work."""
    with store.reading() as conn:
        ids = set(conn.scalars(select(t.assignment.c.person_id).distinct()))
    return [{"id": p.id, "name": p.name} for p in store.find(Person, order_by=["name"]) if p.id in ids]


def _rows(
    store: Store,
    asked: LibraryRequest,
    ids: list[str],
    copies: Callable[[Video], bool],
    sight: AspectSight | None,
    jobs: Sequence[Job],
) -> list[LibraryRow]:
    """The rows of these videos, in this order."""
    evaluation_id = asked.evaluation
    videos = {video.id: video for video in store.find(Video, id=ids)}
    scores: dict[str, list[AspectScore]] = defaultdict(list)
    for score in aspect_scores(store, evaluation_id, ids) if evaluation_id else ():
        scores[score.video_id].append(score)
    means = (
        {score.video_id: score for score in video_scores(store, evaluation_id, ids)} if evaluation_id else {}
    )
    verdicts = verdict_counts(store, evaluation_id, ids) if evaluation_id else {}
    stages, work = _stages(store, ids, jobs), work_by_video(store, ids, sight)
    corrected = _corrections(store, ids, verdicts=not asked.blind)
    known, findings = videos_of(store), finding_counts(store, ids)
    same = same_bytes(store, list(videos.values()))
    where = places_of(store, known, list(videos))
    places, measured = known.places(), known.flags("measured_only")
    rows = []
    for v in (videos[video_id] for video_id in ids if video_id in videos):
        row = _row(
            v, stages[v.id], scores[v.id], verdicts.get(v.id, {}), corrected.get(v.id, 0), work.get(v.id, [])
        )
        row["mean"] = _aspect(means[v.id]) if v.id in means else None
        row["playable"] = row["playable"] or copies(v)
        row["findings"] = findings.get(v.id)
        row["where"] = where.get(v.id, "")
        row["same_file_as"] = same[v.id][0].title if v.id in same else ""
        row["measured_only"] = v.id in places and bool(measured[places[v.id]])
        rows.append(row)
    return rows


class _FindingCounts(KeptCounts):
    """Counts of open findings in the texts of all systems."""


def finding_counts(store: Store, video_ids: Sequence[str]) -> dict[str, int]:
    """Number of open findings in the texts of these videos, as far as they are counted yet."""
    return store.kept(_FindingCounts, lambda: _FindingCounts(store, _open_findings)).of(video_ids)


def _open_findings(store: Store, video_ids: Sequence[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for system in SYSTEMS:
        if system.open_findings:
            found.update(system.open_findings(store, video_ids))
    return found


def _row(
    video: Video,
    stages: list[StageState],
    scores: Sequence[AspectScore],
    verdicts: dict[str, int],
    corrected: int,
    work: list[Work],
) -> LibraryRow:
    worst = min(scores, key=lambda s: (s.score, s.kind), default=None)
    return {
        "id": video.id,
        "title": video.title,
        "where": "",
        "category": video.category or video.discipline,
        "created_at": video.created_at,
        "file": not _why_no_file(video),
        "why_no_file": _why_no_file(video),
        "duration_s": video.facts.duration_s if video.facts else None,
        "frames": video.facts.frames if video.facts else None,
        "clips": len(video.clips),
        "clips_here": sum(clip.path is not None for clip in video.clips),
        "poster": poster_of(video.facts.frames) if video.facts and video.facts.frames else None,
        "problems": list(video.facts.problems) if video.facts else [],
        "playable": video.facts.browser_playable if video.facts else True,
        "unplayable_why": video.facts.unplayable_why if video.facts else "",
        "stages": stages,
        "mean": None,
        "worst": _aspect(worst) if worst else None,
        "aspects": [_aspect(s) for s in sorted(scores, key=lambda s: s.kind)],
        "verdicts": verdicts,
        "corrected": corrected,
        "work": work,
        "findings": None,
        "same_file_as": "",
        "measured_only": False,
    }


def _why_no_file(video: Video) -> str:
    """A one-line reason; empty if the file exists."""
    if (url := remote_url(video)) and not (video.path and Path(video.path).is_file()):
        return f"not downloaded yet; Run downloads it from {url}"
    if not video.path:
        return "named by an imported file; add the video itself to see its frames"
    if not Path(video.path).is_file():
        return "the file was moved or deleted; put it back, or add it again from its new place"
    return ""


def _aspect(score: AspectScore) -> AspectMean:
    accuracy = None if score.accuracy is None else round(score.accuracy, 4)
    return {
        "kind": score.kind,
        "score": round(score.score, 3),
        "accuracy": accuracy,
        "n": score.n,
        "of": score.of,
    }


def _stages(store: Store, ids: list[str], jobs: Sequence[Job]) -> dict[str, list[StageState]]:
    rows: dict[str, list[RunVideo]] = defaultdict(list)
    for row in store.find(RunVideo, video_id=ids):
        rows[row.video_id].append(row)
    at_work: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        for video in job.videos:
            at_work[video.id].append(job)
    return {
        video_id: stage_states(names_of(STAGES), rows[video_id], at_work[video_id], SHOWN_ONCE_RUN)
        for video_id in ids
    }


class _Corrected(KeptCounts):
    """Counts of values that people have corrected."""


class _CorrectedTexts(KeptCounts):
    """The same without verdicts."""


def _corrections(store: Store, ids: list[str], *, verdicts: bool) -> dict[str, int]:
    """Number of values that people have corrected for each video, with or without verdicts.

    A person's changes of their own text are not corrections.
    """
    kind = _Corrected if verdicts else _CorrectedTexts
    kept = store.kept(kind, lambda: kind(store, partial(_count_corrections, verdicts=verdicts)))
    return kept.of(ids, wait_s=math.inf)


def _count_corrections(store: Store, ids: Sequence[str], *, verdicts: bool) -> dict[str, int]:
    c, text, correction = t.current.c, t.text.c, t.correction.c
    own = (  # stored as corrections of an empty record
        exists()
        .where(c.subject_type == "text", text.id == c.subject_id)
        .where(correction.id == c.correction_id, correction.person_id == text.person_id)
    )
    query = select(c.video_id, func.count()).where(
        among(c.video_id, ids), c.corrected.is_(True), c.confirmed.is_(False), ~own
    )
    if not verdicts:
        query = query.where(c.subject_type != "verdict")
    with store.reading() as conn:
        return {video_id: n for video_id, n in conn.execute(query.group_by(c.video_id))}


def job_json(job: Job) -> JobFacts:
    """A background job with its rate and the remaining time of its stage."""
    titles = {video.id: video.title for video in job.videos}
    now = job.finished or time.time()
    rate, left_s = pace(job.done, job.total, now - job.stage_started)
    return {
        "id": job.id,
        "state": job.state,
        "video": titles.get(job.video_id, ""),
        "video_id": job.video_id,
        "stage": job.stage,
        "done": job.done,
        "total": job.total,
        "videos_done": job.videos_done,
        "videos": len(job.videos),
        "started": job.started,
        "stage_started": job.stage_started,
        "finished": job.finished,
        "problems": job.problems[-5:],
        "problems_total": len(job.problems),
        "video_ids": list(titles),
        "stages": _counted(job),
        "elapsed_s": round(now - job.started, 1),
        "plan": job.plan.name if job.plan else "",
        "evaluation": job.evaluation_id,
        "notes": [*(job.plan.notes if job.plan else ()), *([skipped] if (skipped := _skipped(job)) else [])],
        "loading": job.loading,
        "took": job.took,
        "rate": rate,
        "left_s": left_s,
    }


def _skipped(job: Job) -> str:
    """Skipped stages with the reason and, for several videos, the number of videos; or empty."""
    counted, of = _counted(job), len(job.videos)
    found = [
        f"{stage}{f', {n} of {of} videos' if of > 1 else ''} ({why})"
        for stage, why, n in job.skipped
        if stage in counted
    ]
    return f"skipped: {'; '.join(found)}" if found else ""


def _counted(job: Job) -> list[str]:
    """The stages to list: all chosen ones, or for usual jobs those in a video's strip and the current one."""
    usual = is_usual(job.stages)
    now = "" if job.finished else job.stage
    return [s for s in job.stages if not usual or s not in SHOWN_ONCE_RUN or s == now]


SETTLED_S = 2.0
"""Seconds into a stage before its rate is shown: earlier rates mostly measure the startup."""


def pace(done: int, total: int, elapsed_s: float) -> tuple[float | None, float | None]:
    """Items per second, and seconds until all are done; None while they cannot be estimated."""
    if done <= 0 or elapsed_s < SETTLED_S:
        return None, None
    rate = done / elapsed_s
    return round(rate, 3), round(max(0, total - done) / rate, 1)

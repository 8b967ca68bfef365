"""The Library page as data: one row per video, needs review first."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import and_, case, func, select

from annotation.people.carebench_text_access import AspectSight
from annotation.pipeline.jobs_across_processes import Job
from annotation.pipeline.stage_registry import ASKED_FOR, NEEDS, STAGES
from annotation.records.allowed_values import Stage
from annotation.records.runs import RunVideo
from annotation.records.videos import Video
from annotation.stages.media_library import remote_url
from annotation.store import tables as t
from annotation.store.store import Store
from annotation.store.verdicts.cached_counts import KeptCounts
from annotation.store.verdicts.video_figures import AspectScore, aspect_scores, verdict_counts
from annotation.systems.vript.scripts import open_counts
from ui.pages.library.assignments_view import work_by_video
from ui.pages.library.wire_types import (
    AspectMean,
    JobFacts,
    LibraryList,
    LibraryRow,
    StageState,
    VideoTitle,
    Work,
)

SHOWN_STAGES: tuple[Stage, ...] = (*STAGES, *ASKED_FOR)
"""In the order in which they run."""
WHERE_IT_APPLIES: tuple[Stage, ...] = ("elements", "capst", *ASKED_FOR)
"""Not shown as missing: they have work where a CaReBench reference is, or run where they are named."""


def library_json(
    store: Store,
    evaluation_id: str,
    words: str = "",
    copies: frozenset[str] = frozenset(),
    sight: AspectSight | None = None,
    *,
    counts: bool = True,
) -> LibraryList:
    """Videos by what they need of a person: stages that failed, then low scores, then the rest by title.

    `words` are looked for in title, category and discipline. Scores and verdicts are those of the evaluation.
    `copies` are the ids of videos with a playable copy; `sight` is what the asker may see of others' work.
    `counts`: whether the findings in scripts are counted, too.
    """
    videos = [v for v in store.find(Video, order_by=["title"]) if _fits(v, words)]
    scores: dict[str, list[AspectScore]] = defaultdict(list)
    for score in aspect_scores(store, evaluation_id) if evaluation_id else ():
        scores[score.video_id].append(score)
    stages = _stages(store)
    verdicts, texts = verdict_counts(store, evaluation_id), _text_counts(store)
    work, measured = work_by_video(store, sight), _measured_only(store)
    rows = [
        _row(v, stages[v.id], scores[v.id], verdicts.get(v.id, {}), texts.get(v.id, 0), work.get(v.id, []))
        for v in videos
    ]
    findings = script_counts(store, [video.id for video in videos]) if counts else {}
    for row in rows:
        row["playable"] = row["playable"] or row["id"] in copies
        row["findings"] = findings.get(row["id"], 0)
        row["measured_only"] = row["id"] in measured
    rows.sort(key=_need)
    needs, named = ({stage: list(NEEDS.get(stage, ())) for stage in some} for some in (STAGES, ASKED_FOR))
    return {"videos": rows, "total": store.count(Video), "stages": needs, "named_stages": named}


class _ScriptCounts(KeptCounts):
    """Open findings in scripts."""


def script_counts(store: Store, video_ids: Sequence[str]) -> dict[str, int]:
    """How many open findings the scripts of these videos have, as far as they are counted by now."""
    return store.kept(_ScriptCounts, lambda: _ScriptCounts(store, open_counts)).of(video_ids)


def order_json(store: Store, evaluation_id: str) -> list[VideoTitle]:
    """Id and title of every video, in the Library's order."""
    return [
        {"id": row["id"], "title": row["title"]}
        for row in library_json(store, evaluation_id, counts=False)["videos"]
    ]


def _fits(video: Video, words: str) -> bool:
    held = " ".join((video.title, video.category, video.discipline)).lower()
    return all(word in held for word in words.lower().split())


def _row(
    video: Video,
    stages: Sequence[RunVideo],
    scores: Sequence[AspectScore],
    verdicts: dict[str, int],
    corrected: int,
    work: list[Work],
) -> LibraryRow:
    newest: dict[str, RunVideo] = {row.stage: row for row in sorted(stages, key=lambda r: r.updated_at)}
    worst = min(scores, key=lambda s: s.score, default=None)
    return {
        "id": video.id,
        "title": video.title,
        "category": video.category or video.discipline,
        "created_at": video.created_at,
        "file": not _why_no_file(video),
        "why_no_file": _why_no_file(video),
        "duration_s": video.facts.duration_s if video.facts else None,
        "frames": video.facts.frames if video.facts else None,
        "clips": len(video.clips),
        "clips_here": sum(clip.path is not None for clip in video.clips),
        "poster": video.facts.frames // 3 if video.facts else None,
        "problems": list(video.facts.problems) if video.facts else [],
        "playable": video.facts.browser_playable if video.facts else True,
        "unplayable_why": video.facts.unplayable_why if video.facts else "",
        "stages": [
            _stage(newest.get(name), name)
            for name in SHOWN_STAGES
            if name in newest or name not in WHERE_IT_APPLIES
        ],
        "worst": _aspect(worst) if worst else None,
        "aspects": [_aspect(s) for s in sorted(scores, key=lambda s: s.kind)],
        "verdicts": verdicts,
        "corrected": corrected,
        "work": work,
        "findings": 0,
        "measured_only": False,
    }


def _why_no_file(video: Video) -> str:
    """One line, empty when the file is there."""
    if (url := remote_url(video)) and not (video.path and Path(video.path).is_file()):
        return f"not in the workspace; Run fetches it from {url}"
    if not video.path:
        return "named by an imported file; add the video itself to see its frames"
    if not Path(video.path).is_file():
        return "the file was moved or deleted; put it back, or add it from where it is now"
    return ""


def _stage(row: RunVideo | None, name: str) -> StageState:
    if row is None:
        return {"stage": name, "state": "none", "message": ""}
    return {
        "stage": name,
        "state": row.state,
        "done": row.done,
        "total": row.total,
        "failed": row.failed,
        "message": row.message,
    }


def _aspect(score: AspectScore) -> AspectMean:
    accuracy = None if score.accuracy is None else round(score.accuracy, 4)
    return {
        "kind": score.kind,
        "score": round(score.score, 3),
        "accuracy": accuracy,
        "n": score.n,
        "of": score.of,
    }


def _need(row: LibraryRow) -> tuple[bool, float, str, str]:
    broken = any(stage["state"] in ("failed", "stopped") for stage in row["stages"])
    worst = row["worst"]["score"] if row["worst"] else 9.0
    return (not broken, worst, row["title"].lower(), row["id"])


def _stages(store: Store) -> dict[str, list[RunVideo]]:
    found: dict[str, list[RunVideo]] = defaultdict(list)
    for row in store.find(RunVideo):
        found[row.video_id].append(row)
    return found


def _text_counts(store: Store) -> dict[str, int]:
    """How many values of each video people have corrected."""
    # Found through the corrections: they are few, and the current values are many.
    subject = (t.correction.c.subject_type, t.correction.c.subject_id, t.correction.c.field)
    changed = select(*subject).distinct().subquery()
    c, made = t.current.c, changed.c
    same = and_(c.subject_type == made.subject_type, c.subject_id == made.subject_id, c.field == made.field)
    query = select(c.video_id, func.count()).select_from(changed).join(t.current, same)
    with store.reading() as conn:
        rows = conn.execute(query.where(c.corrected.is_(True), c.confirmed.is_(False)).group_by(c.video_id))
        return {video_id: n for video_id, n in rows}


def _measured_only(store: Store) -> set[str]:
    """Videos whose scripts, captions and notes are all the baseline's."""
    c = t.text.c
    captions = c.kind.like("vdc:%") | c.kind.like("script:%") | c.kind.like("mmlu:%")
    others = func.sum(case((c.baseline.is_(True), 0), else_=1))
    query = select(c.video_id).where(captions).group_by(c.video_id).having(others == 0)
    with store.reading() as conn:
        return set(conn.scalars(query))


def job_json(job: Job) -> JobFacts:
    """A background job with its rate and the time that its stage still needs."""
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
        "stages": list(job.stages),
        "elapsed_s": round(now - job.started, 1),
        "plan": job.plan.name if job.plan else "",
        "evaluation": job.evaluation_id,
        "notes": list(job.plan.notes) if job.plan else [],
        "loading": job.loading,
        "rate": rate,
        "left_s": left_s,
    }


SETTLED_S = 2.0
"""Seconds into a stage before its rate is told: until then it says more about the start."""


def pace(done: int, total: int, elapsed_s: float) -> tuple[float | None, float | None]:
    """Items per second, and seconds until all are done; None while nothing can be said."""
    if done <= 0 or elapsed_s < SETTLED_S:
        return None, None
    rate = done / elapsed_s
    return round(rate, 3), round(max(0, total - done) / rate, 1)

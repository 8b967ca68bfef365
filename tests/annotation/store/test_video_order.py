"""Orders of videos: each sorts by what it is named after, and the Library and Verdicts stand alike."""

from __future__ import annotations

import random
from typing import get_args

import pytest

from annotation.records.captions_to_verdicts import Answer, Question, Verdict
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, EvaluationRun, Run, RunVideo
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.store.verdicts.figures_per_video import aspect_scores, video_scores
from annotation.store.verdicts.filter_and_order import VerdictFilter
from annotation.store.verdicts.video_order import VideoSort
from tests.annotation.store.verdict_pages import verdicts
from ui.pages.library.video_list import LibraryRequest, order_json

ASPECTS = ("camera", "short", "background")
EACH = 4
BAD = 10


def judged(video: Video, aspect: str, scores: list[float]) -> list[Record]:
    found: list[Record] = []
    for n, score in enumerate(scores):
        key = f"{video.id}-{aspect}-{n}"
        kind = f"vdc:{aspect}"
        found += [
            Question(
                id=f"qst-{key}",
                video_id=video.id,
                kind=kind,
                index=n,
                text="What?",
                reference="this",
                created_at=1.0,
            ),
            Answer(
                id=f"ans-{key}",
                video_id=video.id,
                question_id=f"qst-{key}",
                run_id="run-a",
                source="imported",
                value="that",
                created_at=1.0,
            ),
            Verdict(
                id=f"jdg-{key}",
                video_id=video.id,
                run_id="run-a",
                subject_type="answer",
                subject_id=f"ans-{key}",
                value_type="yes_no_score",
                created_at=1.0,
                state="done",
                label="yes" if score > 2 else "no",
                score=score,
                kind=kind,
            ),
        ]
    return found


def evaluation() -> list[Record]:
    return [
        Run(id="run-a", stage="verdicts", backend="import:x", model="a", created_at=1.0),
        Evaluation(id="evl-a", name="a", created_at=1.0),
        EvaluationRun(id="evr-a", evaluation_id="evl-a", role="verdicts", run_id="run-a"),
    ]


def library(store: Store, sort: VideoSort) -> list[str]:
    return order_json(store, LibraryRequest("evl-a", sort=sort))


def listed(store: Store, sort: VideoSort) -> list[str]:
    rows = verdicts(store, VerdictFilter("evl-a", sort=sort), 0, 10_000).rows
    return list(dict.fromkeys(row.video_id for row in rows))


@pytest.mark.parametrize("order", [library, listed])
def test_videos_that_are_bad_as_a_whole_come_first_by_mean(store: Store, order) -> None:
    """Each of the others has one aspect that is worse than any of the bad ones."""
    records = evaluation()
    for n in range(3 * BAD):
        video = Video(id=f"vid-{n}", title=f"clip {n}", created_at=1.0)
        bad = n % 3 == 1
        records.append(video)
        for aspect in ASPECTS:
            low = 1.0 if bad else 0.0 if aspect == "short" else 5.0
            records += judged(video, aspect, [low] * EACH)
    store.add(records)
    bad_ones = {f"vid-{n}" for n in range(3 * BAD) if n % 3 == 1}
    assert set(order(store, "mean")[:BAD]) == bad_ones
    assert set(order(store, "need")[:BAD]) == bad_ones
    assert not set(order(store, "aspect")[:BAD]) & bad_ones


@pytest.mark.parametrize("sort", get_args(VideoSort))
@pytest.mark.parametrize("seed", range(3))
def test_library_and_verdicts_have_one_order(store: Store, sort: VideoSort, seed: int) -> None:
    """Of few scores, so that many are equal, and of titles that people sort otherwise than bytes do."""
    draw = random.Random(seed)
    records = evaluation()
    failed = Run(id="run-f", stage="captions", backend="b", model="m", created_at=1.0)
    records.append(failed)
    for n in range(24):
        title = draw.choice([f"clip {n}", f"Clip {n}", f"clip {n % 3}", f"{n} clips"])
        video = Video(id=f"vid-{n:02}", title=title, created_at=float(draw.randrange(3)))
        records.append(video)
        for aspect in draw.sample(ASPECTS, draw.randrange(4)):
            records += judged(video, aspect, [draw.choice([0.0, 5.0])] * EACH)
        if draw.random() < 0.2:
            records.append(
                RunVideo(
                    id=f"rv-{n}",
                    run_id="run-f",
                    video_id=video.id,
                    stage="captions",
                    state="failed",
                    updated_at=1.0,
                )
            )
    store.add(records)
    here = listed(store, sort)
    assert here == [video for video in library(store, sort) if video in here]
    every = [video.id for video in store.find(Video)]
    means = {one.video_id: one.score for one in video_scores(store, "evl-a", every)}
    lowest: dict[str, float] = {}
    for one in aspect_scores(store, "evl-a"):
        lowest[one.video_id] = min(one.score, lowest.get(one.video_id, 9.0))
    broken = {row.video_id for row in store.find(RunVideo)}
    keys = {
        "mean": lambda video: means.get(video, 9.0),
        "aspect": lambda video: lowest.get(video, 9.0),
        "need": lambda video: (video not in broken, means.get(video, 9.0)),
        "title": lambda _video: 0,
    }
    by_title = library(store, "title")
    assert library(store, sort) == sorted(by_title, key=keys[sort])
    # As people sort titles: case ignored, and numbers by their value.
    titles = {video.id: video.title.lower().split() for video in store.find(Video)}
    words = [tuple(int(w) if w.isdigit() else w for w in titles[video]) for video in by_title]
    assert [w for w in words if w[0] == "clip"] == sorted(w for w in words if w[0] == "clip")

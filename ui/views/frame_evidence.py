"""What became of frame captions as training data, per sequence: votes, matches, outcomes, preferences."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

from annotation import studies
from annotation.frame_sequences import Frames, Said, caption_runs, captions_of, evidence, said
from annotation.framecap import Evidence, majority, preferences
from annotation.pipeline.media import MediaLibrary
from annotation.records import Person, Run, Video
from annotation.store.store import Store


def evidence_json(store: Store, media: MediaLibrary, video_id: str, person: Person) -> dict[str, Any]:
    """Every judged sequence of a video with all models' captions of it. Raises NotFound."""
    video = store.get(Video, video_id)
    found = evidence(store, video.id)
    runs = {run.id: run for run in caption_runs(store)}
    heard = said(store, captions_of(store, runs, video.id))
    groups: dict[Frames, list[Evidence]] = defaultdict(list)
    for one in found:
        groups[one.frames].append(one)
    hidden = studies.hidden_runs(store, person)
    times = media.table(video).seconds.tolist() if video.facts and video.path else []
    return {
        "video": {"id": video.id, "title": video.title, "action": video.action, "file": bool(times)},
        "preferences": len(preferences(found)),
        "accepted": sum(one.outcome == "accepted" for one in found),
        "sequences": [
            {
                "frames": [{"index": i, "seconds": times[i] if i < len(times) else None} for i in frames],
                "changes": [_votes(heard, video.id, pair) for pair in pairwise(frames)],
                "models": [_model(one, runs, hidden) for one in group],
            }
            for frames, group in sorted(groups.items())
        ],
    }  # fmt: skip


def _votes(heard: Said, video_id: str, pair: tuple[int, int]) -> dict[str, Any]:
    """Over all models and judges."""
    labels = [x for (_, v, p), given in heard.changes.items() if (v, p) == (video_id, pair) for x in given]
    votes = Counter(labels)
    return {"yes": votes["yes"], "no": votes["no"], "uncertain": votes["uncertain"], "word": majority(labels)}


def _model(one: Evidence, runs: dict[str, Run], hidden: frozenset[str]) -> dict[str, Any]:
    run = runs[one.run_id]
    return {
        "run": run.id, "model": studies.HIDDEN if run.id in hidden else run.model, "baseline": run.baseline,
        "captions": list(one.captions), "choices": list(one.choices), "correct": list(one.correct),
        "passed": one.passed, "outcome": one.outcome,
    }  # fmt: skip

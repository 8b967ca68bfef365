"""Results of frame captions as training data, per sequence: votes, matches, outcomes, preferences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise

from annotation.records.decisions import Person
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.store.run_names import run_names
from annotation.store.store import Store
from annotation.systems.progress_captioner import studies
from annotation.systems.progress_captioner.frame_sequences import (
    Frames,
    Judged,
    caption_runs,
    captions_of,
    evidence,
    read_judged,
)
from annotation.systems.progress_captioner.preference_pairs import Evidence, majority, preferences
from ui.pages.keyframes.wire_types import ChangeVotes, FrameEvidence, ModelEvidence


def evidence_json(store: Store, media: MediaLibrary, video_id: str, person: Person) -> FrameEvidence:
    """Every judged sequence of a video with all models' captions of it. Raises NotFound."""
    video = store.get(Video, video_id)
    found = evidence(store, video.id)
    runs = {run.id: run for run in caption_runs(store)}
    names = run_names(runs.values())
    judged = read_judged(store, captions_of(store, runs, video.id))
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
                "changes": [_votes(judged, video.id, pair) for pair in pairwise(frames)],
                "models": [_model(one, runs[one.run_id], names, hidden) for one in group],
            }
            for frames, group in sorted(groups.items())
        ],
    }


def _votes(judged: Judged, video_id: str, pair: tuple[int, int]) -> ChangeVotes:
    """Votes of all judges, over all models."""
    labels = [x for (_, v, p), given in judged.changes.items() if (v, p) == (video_id, pair) for x in given]
    votes = Counter(labels)
    return {"yes": votes["yes"], "no": votes["no"], "uncertain": votes["uncertain"], "word": majority(labels)}


def _model(one: Evidence, run: Run, names: Mapping[str, str], hidden: frozenset[str]) -> ModelEvidence:
    return {
        "run": run.id,
        "name": studies.HIDDEN if run.id in hidden else names[run.id],
        "baseline": run.baseline,
        "captions": list(one.captions),
        "choices": list(one.choices),
        "correct": list(one.correct),
        "passed": one.passed,
        "outcome": one.outcome,
    }

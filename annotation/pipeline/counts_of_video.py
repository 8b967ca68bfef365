"""Counts the current results of a video."""

from __future__ import annotations

from collections import Counter
from typing import Any

from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.decisions import Selection
from annotation.records.videos import Segment, Video
from annotation.stages.newest_screen_texts import screen_texts
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.store.store import Store


def video_summary(store: Store, video: Video) -> dict[str, Any]:
    """Count the results that no newer ones replace: scenes, speech, lines of text, captions, questions,
    verdicts.
    """
    texts = [text for text, _ in store.not_superseded(store.find(Text, video_id=video.id))]
    answers = store.not_superseded(store.find(Answer, video_id=video.id))
    selections = store.find(Selection, video_id=video.id, order_by=["created_at", "id"])
    verdicts = store.not_superseded(store.find(Verdict, video_id=video.id, subject_type="answer"))
    return {
        "video": video.id,
        "title": video.title,
        "file": video.path,
        "scenes": len(current_scenes(store, video.id)),
        "segments": store.count(Segment, video_id=video.id),
        "text_lines": len(screen_texts(store, video.id)),
        "captions": dict(Counter(_group(t.kind) for t in texts if t.state == "done")),
        "captions_not_done": dict(Counter(t.state for t in texts if t.state != "done")),
        "questions": store.count(Question, video_id=video.id),
        "answers": dict(Counter(a.state for a, _ in answers)),
        "verdicts": dict(Counter(_verdict(v) for v, _ in verdicts)),
        "keyframes": {s.method: len(s.frames) for s in selections if _usual(s)},
    }


def _group(kind: str) -> str:
    return kind if kind == "frame" else kind.split(":", 1)[0]


def _usual(selection: Selection) -> bool:
    """Return whether the selection has its usual size, not one copied from another for a comparison."""
    return selection.params.get("size_of", "") in ("", "progression" if selection.method == "uniform" else "")


def _verdict(verdict: Verdict) -> str:
    return verdict.label if verdict.state == "done" else verdict.state

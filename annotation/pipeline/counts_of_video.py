"""What is there of a video, counted."""

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
    """Counts of what nothing newer replaces: scenes, speech, lines of text, captions, questions, verdicts."""
    texts = _counted(store, Text, "text", "value", video)
    answers = _counted(store, Answer, "answer", "value", video)
    selections = store.find(Selection, video_id=video.id, order_by=["created_at", "id"])
    verdicts = _counted(store, Verdict, "verdict", "verdict", video)
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
        "answers": dict(Counter(a.state for a in answers)),
        "verdicts": dict(Counter(_verdict(v) for v in verdicts if v.subject_type == "answer")),
        "keyframes": {s.method: len(s.frames) for s in selections if _usual(s)},
    }


def _counted(store: Store, kind: Any, subject: Any, field: str, video: Video) -> list[Any]:
    found = store.find(kind, video_id=video.id)
    now = store.currents(subject, [record.id for record in found], field)
    return [record for record in found if not now[record.id].superseded]


def _group(kind: str) -> str:
    return kind if kind == "frame" else kind.split(":", 1)[0]


def _usual(selection: Selection) -> bool:
    """Not a row that was given another one's size to be compared with it."""
    return selection.params.get("size_of", "") in ("", "progression" if selection.method == "uniform" else "")


def _verdict(verdict: Verdict) -> str:
    return verdict.label if verdict.state == "done" else verdict.state

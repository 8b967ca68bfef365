"""What a workspace holds, noun by noun, without ids and times: what a round trip is measured by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from annotation.records.captions_to_verdicts import Answer, BenchmarkItem, Question, Text, Verdict
from annotation.records.decisions import (
    Assignment,
    Correction,
    ErrorSource,
    Exclusion,
    FrameLabel,
    Person,
    Selection,
    Study,
)
from annotation.records.elements import Element, Finding
from annotation.records.runs import Evaluation, ModelCall, Run
from annotation.records.videos import Alias, Measurement, Scene, Segment, Video
from annotation.store.store import Store
from backends.digest import digest

Facts = Mapping[str, set[str]]


def facts(store: Store, values: str = "current") -> Facts:
    """`{noun: its facts}`; of what people corrected, the values that are asked for."""
    return {noun: {digest(fact) for fact in read(_Reader(store, values))} for noun, read in NOUNS.items()}


class _Reader:
    def __init__(self, store: Store, values: str) -> None:
        self.store, self.values = store, values
        named: dict[str, set[str]] = {}
        for alias in store.find(Alias):
            named.setdefault(alias.video_id, set()).add(alias.alias)
        self.names = {
            video.id: sorted(named.get(video.id) or {video.title})[0] for video in store.find(Video)
        }
        self.aliases, self.titles = named, [video.title for video in store.find(Video)]
        self.scenes = {scene.key: scene.index for scene in store.find(Scene)}

    def now(self, kind: Any, ids: Iterable[str], field: str) -> dict[str, Any]:
        """By id, what counts now or what the machine said; what newer results replaced is left out."""
        found = self.store.currents(kind, list(ids), field)
        return {
            key: one.value if self.values == "current" else one.machine
            for key, one in found.items()
            if not one.superseded
        }

    def texts(self, *kinds: str, dataset: bool | None = None) -> list[Any]:
        found = [
            text
            for text in self.store.find(Text)
            if text.kind.startswith(kinds)
            and text.state == "done"
            and (dataset is None or bool(text.dataset_id) == dataset)
        ]
        now = self.now("text", [text.id for text in found], "value")
        return [
            [text.kind, self.scenes.get(text.subject_id, -1), now[text.id]]
            for text in found
            if text.id in now
        ]

    def questions(self) -> dict[str, list[str]]:
        found = self.store.find(Question)
        ids = [one.id for one in found]
        words, answers = self.now("question", ids, "text"), self.now("question", ids, "reference")
        return {one.id: [one.kind, words[one.id], answers[one.id]] for one in found}

    def answers(self) -> dict[str, list[Any]]:
        asked, found = self.questions(), self.store.find(Answer)
        now = self.now("answer", [one.id for one in found], "value")
        return {one.id: [*asked[one.question_id], now[one.id]] for one in found if one.id in now}

    def verdicts(self) -> list[tuple[list[Any], Verdict]]:
        """Those on answers that count, each with the question."""
        said = self.answers()
        found = [one for one in self.store.find(Verdict) if one.subject_id in said]
        now = self.now("verdict", [one.id for one in found], "verdict")
        return [([*said[one.subject_id], now[one.id]], one) for one in found if one.id in now]


NOUNS: Mapping[str, Callable[[_Reader], Iterable[Any]]] = {
    "names of videos": lambda r: {*r.titles, *(name for names in r.aliases.values() for name in names)},
    "categories of videos": lambda r: [v.category for v in r.store.find(Video) if v.category],
    "disciplines of videos": lambda r: [v.discipline for v in r.store.find(Video) if v.discipline],
    "reference captions of VDC": lambda r: r.texts("vdc:", dataset=True),
    "captions of models": lambda r: r.texts("vdc:", dataset=False),
    "captions that failed": lambda r: [t.reason for t in r.store.find(Text) if t.state == "failed"],
    "captions of CaReBench": lambda r: r.texts("carebench:"),
    "reference notes": lambda r: r.texts("mmlu:"),
    "titles of scenes": lambda r: r.texts("script:scene_title"),
    "shot types and camera movements": lambda r: r.texts("script:shot_type", "script:camera_movement"),
    "descriptions of scenes": lambda r: r.texts("script:content"),
    "captions of frames": lambda r: [t[2] for t in r.texts("frame")],
    "questions": lambda r: r.questions().values(),
    "categories of questions": lambda r: [[q.text, q.category] for q in r.store.find(Question) if q.category],
    "answers": lambda r: r.answers().values(),
    "verdicts": lambda r: [found for found, _ in r.verdicts()],
    "replies of judges": lambda r: [one.raw for _, one in r.verdicts() if one.raw],
    "evaluations": lambda r: [[one.name, one.note] for one in r.store.find(Evaluation)],
    "models of runs": lambda r: [[one.stage, one.model] for one in r.store.find(Run)],
    "people": lambda r: [one.name for one in r.store.find(Person)],
    "corrections": lambda r: [[one.subject_type, one.value] for one in r.store.find(Correction)],
    "error sources": lambda r: [[one.kind, one.note] for one in r.store.find(ErrorSource)],
    "exclusions": lambda r: [one.reason for one in r.store.find(Exclusion)],
    "elements of captions": lambda r: [
        [one.kind, value]
        for one in r.store.find(Element)
        for value in [r.now("element", [one.id], "value")[one.id]]
        if value
    ],
    "verdicts on elements": lambda r: [
        [one.label, one.reason] for one in r.store.find(Verdict) if one.subject_type == "element"
    ],
    "times of scenes": lambda r: [[s.index, s.start_s, s.end_s] for s in r.store.find(Scene)],
    "frame numbers of scenes": lambda r: [[s.index, s.start_frame, s.end_frame] for s in r.store.find(Scene)],
    "speech": lambda r: [
        [round(s.start_s, 3), round(s.end_s, 3), text]
        for s in r.store.find(Segment)
        for text in [r.now("segment", [s.id], "text")[s.id]]
    ],
    "words of speech": lambda r: [w.text for s in r.store.find(Segment) for w in s.words],
    "items of Vript-Hard": lambda r: [one.value for one in r.store.find(BenchmarkItem)],
    "replies to Vript-Hard": lambda r: [t[2] for t in r.texts("vript:")],
    "labels of frames": lambda r: [one.label for one in r.store.find(FrameLabel)],
    "matching of frame captions": lambda r: [
        one.label for one in r.store.find(Verdict) if one.subject_type == "frame_match"
    ],
    "keyframes and sequences of frames": lambda r: [
        [one.method, one.frames] for one in r.store.find(Selection)
    ],
    "findings": lambda r: [[one.check, one.why] for one in r.store.find(Finding)],
    "assignments": lambda r: [one.task for one in r.store.find(Assignment)],
    "studies": lambda r: [one.name for one in r.store.find(Study)],
    "measurements": lambda r: [[one.kind, one.value] for one in r.store.find(Measurement)],
    "requests to models": lambda r: [one.request for one in r.store.find(ModelCall)],
}
"""In the order in which documentation names them."""

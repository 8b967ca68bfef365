"""The judged elements of a CapST evaluation, read from the store, with their captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.records import fingerprints
from annotation.records.allowed_values import ResultState
from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.runs import EvaluationRun
from annotation.records.videos import Video
from annotation.store.bulk_rows import chunks
from annotation.store.store import Current, Store
from annotation.systems.carebench.capst_requests import KINDS, ElementKind
from annotation.systems.carebench.capst_scores import ElementVerdict, Side, SideName
from annotation.systems.carebench.current_elements import (
    ElementNow,
    Elements,
    elements_of,
    predicted_captions,
    reference_captions,
)


@dataclass(frozen=True, slots=True)
class Judged:
    """One element and the judge's verdict; `verdict` is None if it is not judged yet."""

    one: ElementNow
    verdict: Verdict | None
    now: Current | None
    stale: bool

    @property
    def counted(self) -> ElementVerdict:
        if self.verdict is None or self.now is None:
            return ElementVerdict("missing", "")
        human = str(self.now.value["label"]) if self.now.corrected else ""
        label = self.verdict.label if self.verdict.state == "done" else ""
        return ElementVerdict(self.verdict.state, label, human, self.stale)

    @property
    def label(self) -> str:
        """The current label, or the state if there is none."""
        counted = self.counted
        return counted.human or counted.label or counted.state


@dataclass(frozen=True, slots=True)
class JudgedSide:
    """The elements of one kind of one caption of a video."""

    video: Video
    kind: ElementKind
    side: SideName
    own: Text
    """The caption that contains the elements."""
    other: Text
    """The caption that they are judged by."""
    elements: Elements | None
    judged: tuple[Judged, ...]

    @property
    def to_score(self) -> Side:
        state: ResultState = "missing" if self.elements is None else "done"
        if self.elements and self.elements.found:
            state = self.elements.found.state
        verdicts = tuple(one.counted for one in self.judged)
        return Side(self.video.id, self.kind, self.side, state, verdicts, self.video.category)


def runs_of_evaluation(store: Store, evaluation_id: str) -> dict[str, list[str]]:
    """`{role: run ids}`."""
    runs: dict[str, list[str]] = {}
    for link in store.find(EvaluationRun, evaluation_id=evaluation_id, order_by=["id"]):
        runs.setdefault(link.role, []).append(link.run_id)
    return runs


def capst_sides(store: Store, evaluation_id: str, video_id: str = "") -> list[JudgedSide]:
    """Four sides for each video that has a predicted and a reference caption, by title."""
    runs = runs_of_evaluation(store, evaluation_id)
    predicted = predicted_captions(store, runs.get("captions", []))
    if video_id:
        predicted = {key: text for key, text in predicted.items() if key == video_id}
    reference = reference_captions(store, predicted)
    there = [key for key in predicted if key in reference]
    texts = {text.id: text for key in there for text in (predicted[key], reference[key])}
    found = elements_of(store, texts, runs.get("elements", []))
    known = _Known(store, runs.get("verdicts", []), found, texts)
    videos = [v for group in chunks(there) for v in store.find(Video, id=list(group))]
    sides: list[JudgedSide] = []
    for video in sorted(videos, key=lambda video: (video.title, video.id)):
        pair: Mapping[SideName, Text] = {"reference": reference[video.id], "prediction": predicted[video.id]}
        sides += [known.side(video, kind, name, pair) for kind in KINDS for name in pair]
    return sides


class _Known:
    """Data from which sides are built."""

    def __init__(
        self,
        store: Store,
        runs: Sequence[str],
        found: Mapping[tuple[str, ElementKind], Elements],
        texts: Mapping[str, Text],
    ) -> None:
        self.found = found
        self.values = {k: str(now.value) for k, now in store.currents("text", texts, "value").items()}
        ids = [one.element.id for elements in found.values() for one in elements.kept]
        verdicts = (
            [
                j
                for group in chunks(ids)
                for j in store.find(
                    Verdict,
                    run_id=list(runs),
                    subject_id=list(group),
                    subject_type="element",
                    order_by=["created_at", "id"],
                )
            ]
            if runs
            else []
        )
        self.of = {j.subject_id: (j, now) for j, now in store.not_superseded(verdicts)}

    def side(
        self, video: Video, kind: ElementKind, name: SideName, pair: Mapping[SideName, Text]
    ) -> JudgedSide:
        own, other = pair[name], pair["prediction" if name == "reference" else "reference"]
        elements = self.found.get((own.id, kind))
        judged = tuple(self._judged(one, other) for one in (elements.kept if elements else ()))
        return JudgedSide(video, kind, name, own, other, elements, judged)

    def _judged(self, one: ElementNow, other: Text) -> Judged:
        if one.element.id not in self.of:
            return Judged(one, None, None, False)
        verdict, now = self.of[one.element.id]
        read = fingerprints.of_entailment(one.words, self.values[other.id])
        stale = bool(verdict.source_hash) and verdict.source_hash != read
        return Judged(one, verdict, now, stale)

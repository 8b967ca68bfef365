"""The events of a reference, beside a caption of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.elements import Element
from annotation.records.runs import EvaluationRun
from annotation.store.store import Current, Store

KIND = "toy:caption"
SYSTEM = "toy"


@dataclass(frozen=True, slots=True)
class JudgedEvent:
    """One event with its verdict."""

    element: Element
    verdict: Verdict
    now: Current
    caption: Text


def reference(store: Store, video_id: str) -> Text | None:
    """Return the caption of the dataset."""
    return next((t for t in store.find(Text, video_id=video_id, kind=KIND) if t.dataset_id), None)


def events(store: Store, text_id: str) -> list[Element]:
    """Return the events of a caption, in their order."""
    return store.find(Element, text_id=text_id, kind="event", order_by=["index"])


def judged_events(store: Store, evaluation_id: str) -> list[JudgedEvent]:
    """Return the verdicts of an evaluation, by video and event."""
    links = store.find(EvaluationRun, evaluation_id=evaluation_id)
    runs = {link.role: link.run_id for link in links}
    captions = {text.video_id: text for text in store.find(Text, run_id=runs["captions"], kind=KIND)}
    verdicts = store.not_superseded(store.find(Verdict, run_id=runs["verdicts"]))
    elements = {e.id: e for e in store.find(Element, id=[verdict.subject_id for verdict, _ in verdicts])}
    found = [
        JudgedEvent(elements[verdict.subject_id], verdict, now, captions[verdict.video_id])
        for verdict, now in verdicts
    ]
    return sorted(found, key=lambda one: (one.element.video_id, one.element.index))

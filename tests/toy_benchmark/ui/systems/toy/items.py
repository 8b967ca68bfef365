"""Events of the toy benchmark on the Verdicts page."""

from __future__ import annotations

from typing import Literal

from annotation.systems.toy.events import SYSTEM, JudgedEvent, judged_events

from annotation.records.errors import NotFound
from annotation.records.videos import Video
from annotation.store.store import Store
from ui.lib.item_sources import Detail, ItemSource, evaluation_of
from ui.lib.item_wire_types import ItemChoice, ItemFacts, ItemRow
from ui.lib.view_parts import history_json, people_by_id

WORDS = {"entailment": "the caption states it", "neutral": "the caption does not state it"}


class ToyItem(ItemFacts):
    of: Literal["toy"]
    event: str
    caption: str


def rows(store: Store, evaluation_id: str) -> list[ItemRow]:
    titles = {video.id: video.title for video in store.find(Video)}
    return [_row(one, titles[one.element.video_id]) for one in judged_events(store, evaluation_id)]


def _row(one: JudgedEvent, title: str) -> ItemRow:
    label = str(one.now.value["label"])
    return ItemRow(
        id=one.verdict.id,
        video_id=one.element.video_id,
        title=title,
        text=one.element.value,
        note=one.verdict.reason,
        state=label,
        label=" ",
        rank=float(label == "entailment"),
        corrected=one.now.changed,
        confirmed=one.now.confirmed,
    )


def detail(store: Store, item_id: str) -> Detail:
    """Raises NotFound."""
    every = judged_events(store, evaluation_of(store, item_id))
    one = next((one for one in every if one.verdict.id == item_id), None)
    if one is None:
        raise NotFound("this event was not found; open the list again")
    video = store.get(Video, one.element.video_id)
    choices: list[ItemChoice] = [{"value": v, "words": words, "mark": v} for v, words in WORDS.items()]
    shown = {
        "video": {"id": video.id, "title": video.title},
        "choices": choices,
        "frames": list(one.caption.frames),
        "model": "toy",
        "event": one.element.value,
        "caption": one.caption.value,
    }
    judged = {
        "label": str(one.now.value["label"]),
        "machine": {"label": one.now.machine["label"], "score": None},
        "machine_state": one.verdict.state,
        "corrected": one.now.changed,
        "confirmed": one.now.confirmed,
        "reason": one.verdict.reason,
        "history": history_json(store.history("verdict", item_id, "verdict"), people_by_id(store)),
    }
    return Detail("toy", shown, judged, one.now.state, one.now.revision)


EVENTS = ItemSource(
    name="toy",
    label="Toy",
    title="Toy: events",
    systems=(SYSTEM,),
    what="event",
    wire=ToyItem,
    rows=rows,
    detail=detail,
)

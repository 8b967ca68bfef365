"""CapST on the Verdicts page: each event and object of one caption, judged against the other caption."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from annotation.people.hidden_texts import aspect_sight_of
from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.decisions import Person
from annotation.records.errors import NotFound
from annotation.records.runs import ModelCall, Run
from annotation.store.store import Store
from annotation.systems.carebench.capst_requests import LABELS, SYSTEM
from annotation.systems.carebench.capst_scores import SIDES
from annotation.systems.carebench.current_elements import REFERENCE
from annotation.systems.carebench.judged_elements import Judged, JudgedSide, capst_sides
from annotation.systems.vdc.supporting_spans import supporting_span
from annotation.texts.writers import writer
from backends.text.storable_text import is_storable
from ui.lib.item_sources import Detail, ItemSource, evaluation_of
from ui.lib.item_wire_types import ItemRow
from ui.lib.view_parts import history_json, people_by_id, run_json, text_json, value_json
from ui.systems.carebench.wire_types import (
    CaptionWithSpans,
    ElementItem,
    ElementJudged,
    ElementList,
    ElementShown,
)

RANKS: Mapping[str, float] = {"contradiction": 0.0, "neutral": 1.0, "unparsed": 2.0, "failed": 3.0}
WORDS = {
    "entailment": "the caption states it",
    "neutral": "the caption does not mention it",
    "contradiction": "the caption contradicts it",
}
_SIDES = {"reference": "of the reference", "prediction": "of the prediction"}


def capst_rows(store: Store, evaluation_id: str) -> list[ItemRow]:
    """Every element that was judged, by video, kind and side."""
    return [
        _row(side, one) for side in capst_sides(store, evaluation_id) for one in side.judged if one.verdict
    ]


def _row(side: JudgedSide, one: Judged) -> ItemRow:
    assert one.verdict and one.now
    facets = {"elements": f"{side.kind}s", "side": side.side}
    return ItemRow(
        id=one.verdict.id,
        video_id=side.video.id,
        title=side.video.title,
        text=one.one.words,
        note=f"{side.kind} {_SIDES[side.side]}",
        state=one.label,
        label=" ",
        rank=RANKS.get(one.label, 5.0),
        corrected=one.now.changed,
        confirmed=one.now.confirmed,
        stale=one.stale,
        facets=facets | ({"category": side.video.category} if side.video.category else {}),
    )


def capst_detail(store: Store, item_id: str) -> Detail:
    """Raises NotFound."""
    sides, side, one = _found(store, item_id)
    assert one.now
    shown, judged = _shown(store, sides, side, one), _judged(store, sides, one)
    return Detail("capst", shown, judged, one.now.state, one.now.revision, {"raw", "others"})


def _found(store: Store, item_id: str) -> tuple[Sequence[JudgedSide], JudgedSide, Judged]:
    """All sides of the item's video, the element's own side, and the element. Raises NotFound."""
    verdict = store.get(Verdict, item_id)
    sides = capst_sides(store, evaluation_of(store, item_id), verdict.video_id)
    found = [(s, j) for s in sides for j in s.judged if j.verdict and j.verdict.id == item_id]
    if not found:
        raise NotFound("this element no longer exists; reload the list")
    return sides, *found[0]


def _shown(store: Store, sides: Sequence[JudgedSide], side: JudgedSide, one: Judged) -> ElementShown:
    assert one.verdict
    people = people_by_id(store)
    element = one.one.element
    return {
        "video": {"id": side.video.id, "title": side.video.title},
        "choices": [{"value": label, "words": WORDS[label], "mark": label} for label in LABELS],
        "kind": side.kind,
        "side": side.side,
        "baseline": one.verdict.baseline,
        "model": store.get(Run, one.verdict.run_id).model,
        "element": {
            **value_json(one.one.now, "element", element.id, "value"),
            "id": element.id,
            "by": people[element.person_id].name if element.person_id in people else "",
        },
        "captions": {
            name: _caption(store, text, one.one.words, people)
            for name, text in ((side.side, side.own), (_other(side.side), side.other))
        },
        "lists": [_list_json(each) for each in sides],
        "frames": list(side.other.frames or side.own.frames),
    }


def _other(name: str) -> str:
    return next(side for side in SIDES if side != name)


def _caption(store: Store, text: Text, words: str, people: dict[str, Person]) -> CaptionWithSpans:
    """A caption with the span of words that supports the element."""
    now = store.current("text", text.id, "value")
    span = supporting_span(str(now.value), "", words)
    return {**text_json(text, now, people, writer(store, text, now)), "spans": [span] if span else []}


def _list_json(side: JudgedSide) -> ElementList:
    """The elements of one side in words, without verdicts on them."""
    return {
        "kind": side.kind,
        "side": side.side,
        "text": side.own.id,
        "state": side.to_score.state,
        "stale": bool(side.elements and side.elements.stale),
        "elements": [
            {
                "id": one.one.element.id,
                "words": one.one.words,
                "corrected": one.one.now.corrected,
                "item": one.verdict.id if one.verdict else "",
            }
            for one in side.judged
        ],
    }


def _judged(store: Store, sides: Sequence[JudgedSide], one: Judged) -> ElementJudged:
    assert one.verdict and one.now
    verdict, now = one.verdict, one.now
    return {
        "label": str(now.value["label"]),
        "machine": {"label": now.machine["label"], "score": now.machine["score"]},
        "machine_state": verdict.state,
        "corrected": now.changed,
        "confirmed": now.confirmed,
        "reason": verdict.reason,
        "stale": one.stale,
        "raw": _raw(store, verdict),
        "history": history_json(store.history("verdict", verdict.id, "verdict"), people_by_id(store)),
        "run": run_json(store.get(Run, verdict.run_id)),
        "others": {each.one.element.id: each.label for side in sides for each in side.judged},
    }


def _raw(store: Store, verdict: Verdict) -> str:
    """The whole reply, which also contains the verdicts on the list's other elements."""
    if not verdict.raw:
        return "".join(call.reply for call in store.find(ModelCall, id=verdict.call_id or ""))
    try:
        formatted = json.dumps(json.loads(verdict.raw), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):  # imported by dailies-jsonl, which accepts any text
        return verdict.raw
    return formatted if is_storable(formatted) else verdict.raw


def captions_of(store: Store, item_id: str) -> list[str]:
    """The captions that an item quotes: people who may not read them may not see the item."""
    _, side, _ = _found(store, item_id)
    return [side.own.id, side.other.id]


def closed_videos(store: Store, person: Person) -> set[str]:
    """The videos whose reference caption is hidden from this person for now."""
    hidden = aspect_sight_of(store, person).hidden
    return {video_id for video_id, kinds in hidden.items() if REFERENCE in kinds}


CAPST_ITEMS = ItemSource(
    name="capst",
    label="CapST",
    title="CapST: events and objects",
    systems=(SYSTEM,),
    what="element",
    wire=ElementItem,
    rows=capst_rows,
    detail=capst_detail,
    captions_of=captions_of,
    closed_videos=closed_videos,
    place=1,
)

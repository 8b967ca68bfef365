"""Current items of Vript-Hard, each with a model's reply and the reading of that reply."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import select

from annotation.records.captions_to_verdicts import BenchmarkItem, Text, Verdict
from annotation.records.ids import Json
from annotation.records.runs import EvaluationRun, Run
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks
from annotation.store.store import Current, Store
from annotation.systems.vript.ero_scores import EroItem
from annotation.systems.vript.hard_replies import NONE, answer_letter, answer_order, places_of
from annotation.systems.vript.rr_scores import RrItem

OPEN: Literal["vript:rr_open"] = "vript:rr_open"


@dataclass(frozen=True, slots=True)
class HardRow:
    """One reply, its item and its reading."""

    verdict: Verdict
    now: Current
    item: BenchmarkItem | None
    """None if the annotations are not imported."""
    text: Text | None
    """The reply text."""
    title: str
    """Title of the video."""
    place: str = ""
    """For RR: position of the scene in the video, such as `40 %`."""

    @property
    def label(self) -> str:
        """The current letter, order or rating; empty if there is none."""
        return str(self.now.value["label"]) if self.now.state == "done" else ""

    @property
    def value(self) -> Mapping[str, Json]:
        return self.item.value if self.item else {}

    @property
    def name(self) -> str:
        """Name of the item in files; without annotations, its name in the table of replies."""
        return self.item.name if self.item else str(self.verdict.extra.get("id") or "")

    @property
    def replied(self) -> bool:
        return self.text is not None and self.text.state == "done"

    @property
    def setting(self) -> str:
        """`whole`, `scene`, or empty."""
        return str(self.verdict.extra.get("setting", ""))

    @property
    def scene(self) -> Mapping[str, Json]:
        """`annotation.systems.vript.hard_frames.Given.about` of a scene shown alone; else empty."""
        found = self.verdict.extra.get("scene")
        return found if isinstance(found, Mapping) else {}


def hard_rows(store: Store, evaluation_id: str, ids: Sequence[str] = ()) -> list[HardRow]:
    """Current readings, in the order of the benchmark; `ids` filters them."""
    runs = _runs(store, evaluation_id)
    where: dict[str, Any] = {"id": list(ids)} if ids else {}
    judged = store.find(
        Verdict,
        run_id=runs["verdicts"],
        subject_type=["ero_item", "rr_item"],
        order_by=["created_at", "id"],
        **where,
    )
    now = store.currents("verdict", [j.id for j in judged], "verdict")
    texts = {
        text.subject_id: text
        for text in store.find(
            Text, run_id=runs["captions"], subject_type=["ero_item", "rr_item"], order_by=["created_at", "id"]
        )
    }
    items = _items(store, {j.subject_id for j in judged})
    titles, places = _titles(store, {j.video_id for j in judged}), _places(store, items)
    rows = [
        HardRow(
            j,
            now[j.id],
            items.get(j.subject_id),
            texts.get(j.subject_id),
            titles.get(j.video_id, ""),
            places.get(j.subject_id, ""),
        )
        for j in (judged if ids else _newest_each(judged, now))
    ]
    return sorted(rows, key=lambda row: (row.item.index if row.item else 1 << 30, row.verdict.subject_id))


def _newest_each(judged: Sequence[Verdict], now: Mapping[str, Current]) -> list[Verdict]:
    """One verdict per item and kind: a person's before a judge's, a judge's before none; then newest."""

    def weight(verdict: Verdict) -> tuple[bool, bool, float, str]:
        current = now[verdict.id]
        return current.corrected, current.state != "missing", verdict.created_at, verdict.id

    best: dict[tuple[str, str | None], Verdict] = {}
    for verdict in judged:
        key = (verdict.subject_id, verdict.kind)
        if not now[verdict.id].superseded and (key not in best or weight(verdict) > weight(best[key])):
            best[key] = verdict
    return list(best.values())


def _runs(store: Store, evaluation_id: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for link in store.find(EvaluationRun, evaluation_id=evaluation_id):
        found[link.role].append(link.run_id)
    return found


def _items(store: Store, ids: set[str]) -> dict[str, BenchmarkItem]:
    return {
        item.id: item for group in chunks(sorted(ids)) for item in store.find(BenchmarkItem, id=list(group))
    }


def _titles(store: Store, ids: set[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    with store.reading() as conn:
        for group in chunks(sorted(ids)):
            query = select(t.video.c.id, t.video.c.title).where(among(t.video.c.id, group))
            found.update({row.id: row.title for row in conn.execute(query)})
    return found


def _places(store: Store, items: Mapping[str, BenchmarkItem]) -> dict[str, str]:
    """For RR: positions by all questions of the video, not only those of this evaluation."""
    videos = {item.video_id for item in items.values() if item.task == "rr"}
    clips: dict[str, list[str]] = defaultdict(list)
    for group in chunks(sorted(videos)):
        for item in store.find(BenchmarkItem, video_id=list(group), task="rr", order_by=["index", "id"]):
            clips[item.video_id].append(item.name)
    place = {
        (video, clip): words for video, names in clips.items() for clip, words in places_of(names).items()
    }
    return {item.id: place.get((item.video_id, item.name), "") for item in items.values()}


def model_of(store: Store, evaluation_id: str) -> str:
    """Name of the model that replied."""
    links = store.find(EvaluationRun, evaluation_id=evaluation_id, role="captions")
    return store.get(Run, links[0].run_id).model if links else ""


# --- input of the scores ----------------------------------------------------------


def right_answer(row: HardRow) -> str:
    """The order, the letter, or the text of an open answer; empty if it is unknown.

    Without annotations, it is the value of `gt` in the table of replies.
    """
    value = row.value if row.item else _from_table(row)
    if row.verdict.subject_type == "ero_item":
        return answer_order(value.get("answer"))
    if row.verdict.kind == OPEN:
        return str(value.get("open_answer") or "")
    return answer_letter(value.get("multiple_choice") or (), value.get("multiple_choice_answer"))


def _from_table(row: HardRow) -> dict[str, Json]:
    """`gt` of the table in the form of an annotation."""
    gt = row.verdict.extra.get("gt")
    return {"answer": gt, "open_answer": gt, "multiple_choice_answer": gt} if gt else {}


def ero_item(row: HardRow) -> EroItem:
    order = "" if row.label == NONE else row.label
    return EroItem(row.verdict.video_id, order, right_answer(row), row.replied, row.now.corrected)


def rr_item(row: HardRow) -> RrItem:
    is_open, right = row.verdict.kind == OPEN, right_answer(row)
    correct: bool | None = None
    if row.label and (row.label != NONE or row.now.corrected):
        correct = row.label == "yes" if is_open else row.label == right
    name = row.item.name if row.item else row.verdict.subject_id
    known = row.now.state == "done" if is_open else bool(right)  # the rest are not rated yet
    return RrItem(row.verdict.video_id, name, row.place, correct, row.replied, known)

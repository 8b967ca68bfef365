"""Clips of Vript-HAL: the current words of each caption, and which of them occur in the references."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.records.captions_to_verdicts import BenchmarkItem, Text, Verdict
from annotation.records.elements import Element
from annotation.records.runs import EvaluationRun, Run
from annotation.store.store import Current, Store
from annotation.systems.vript.hal_scores import MATCHED, ClipScore, HalItem, many_to_one, why_above_one

KIND = "vript:hal"


@dataclass(frozen=True, slots=True)
class HalWord:
    """One word of the caption."""

    verdict: Verdict
    now: Current
    word: str
    part: str
    """`verb`, `noun` or `propn`."""

    @property
    def matched(self) -> bool:
        return bool(self.now.value["label"] == MATCHED)

    @property
    def best(self) -> str:
        """The nearest reference word."""
        return str(self.verdict.extra.get("best", ""))

    @property
    def similarity(self) -> float:
        return float(self.verdict.extra.get("similarity", 0.0))


@dataclass(frozen=True, slots=True)
class HalClip:
    """One caption with its words; empty if the words are not compared yet."""

    asked: Verdict
    """The verdict on the clip, which identifies its row and its link."""
    compared: Verdict | None
    """The comparison result of the whole clip."""
    item: BenchmarkItem | None
    text: Text
    words: tuple[HalWord, ...]

    @property
    def references(self) -> int:
        return len(self.compared.extra.get("references", ())) if self.compared else 0

    @property
    def counted(self) -> HalItem:
        matched = sum(word.matched for word in self.words)
        return HalItem(self.text.video_id, matched, len(self.words), self.references)

    @property
    def score(self) -> ClipScore | None:
        return self.counted.score

    @property
    def corrected(self) -> bool:
        return any(word.now.corrected for word in self.words)

    @property
    def above_one(self) -> str:
        """Reason why recall exceeds 1; empty if it does not."""
        shared = many_to_one((word.word, word.best) for word in self.words if word.matched)
        counted = self.counted
        return why_above_one(counted.matched, counted.references, shared)


def hal_clips(store: Store, evaluation_id: str, subject_ids: Sequence[str] = ()) -> list[HalClip]:
    """Captions of an evaluation with the results of the latest comparison; `subject_ids` filters them."""
    runs = _runs(store, evaluation_id)
    where: dict[str, Any] = {"subject_id": list(subject_ids)} if subject_ids else {}
    texts = {
        t.subject_id: t
        for t in store.find(Text, run_id=runs["captions"], kind=KIND, order_by=["created_at", "id"], **where)
    }
    about = store.find(
        Verdict, run_id=runs["verdicts"], subject_type="hal_item", order_by=["created_at", "id"], **where
    )
    asked = {j.subject_id: j for j in about if "columns" in j.extra}
    newest = newest_comparison(store, evaluation_id)
    compared = {j.subject_id: j for j in about if newest and j.run_id == newest.id}
    items = {item.id: item for item in store.find(BenchmarkItem, id=list(texts))}
    words = _words(store, newest.id, [texts[s].id for s in compared if s in texts]) if newest else {}
    clips = [
        HalClip(
            asked[subject], compared.get(subject), items.get(subject), text, tuple(words.get(text.id, ()))
        )
        for subject, text in texts.items()
        if subject in asked
    ]
    return sorted(clips, key=lambda clip: (clip.item.index if clip.item else 1 << 30, clip.asked.subject_id))


def _runs(store: Store, evaluation_id: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for link in store.find(EvaluationRun, evaluation_id=evaluation_id):
        found[link.role].append(link.run_id)
    return found


def newest_comparison(store: Store, evaluation_id: str) -> Run | None:
    """The run of the latest word comparison; None if there is none."""
    runs = store.find(Run, id=_runs(store, evaluation_id)["verdicts"], order_by=["created_at", "id"])
    found = [run for run in runs if run.params.get("compares") == "words"]
    return found[-1] if found else None


def _words(store: Store, run_id: str, text_ids: Sequence[str]) -> Mapping[str, list[HalWord]]:
    """Words by text, in the order of the caption."""
    elements = store.find(Element, text_id=list(text_ids), run_id=run_id, order_by=["text_id", "index"])
    judged = {
        j.subject_id: j
        for j in store.find(Verdict, run_id=run_id, subject_type="element", order_by=["created_at", "id"])
    }
    now = store.currents("verdict", [j.id for j in judged.values()], "verdict")
    found: dict[str, list[HalWord]] = defaultdict(list)
    for element in elements:
        if verdict := judged.get(element.id):
            word = HalWord(verdict, now[verdict.id], element.value, element.kind)
            found[element.text_id].append(word)
    return found

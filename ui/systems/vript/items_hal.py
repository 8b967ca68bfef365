"""Vript-HAL on the Verdicts page: every word of a caption, matched or invented, and the words it missed."""

from __future__ import annotations

from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Correction, Person
from annotation.records.errors import NotFound
from annotation.store.store import Store
from annotation.systems.vript.hal_items import HalClip, HalWord, hal_clips, newest_comparison
from annotation.systems.vript.hal_scores import INVENTED, MATCHED, THRESHOLD
from annotation.systems.vript.hard_items import model_of
from backends.errors import UsageError
from ui.lib.item_sources import Detail, ItemChange, ItemSource, correct_verdict, evaluation_of
from ui.lib.item_wire_types import ItemRow
from ui.lib.shared_wire_types import HistoryEntry
from ui.lib.view_parts import history_json, people_by_id
from ui.systems.vript.wire_types import ClipItem, ClipJudged, ClipShown, ComparedWord

LONGEST = 90
WORD_LABELS = (MATCHED, INVENTED)


def hal_rows(store: Store, evaluation_id: str) -> list[ItemRow]:
    return [_row(clip) for clip in hal_clips(store, evaluation_id)]


def _row(clip: HalClip) -> ItemRow:
    score, invented = clip.score, sum(not word.matched for word in clip.words)
    note = "words not compared yet"
    if score:
        note = f"precision {score.precision:.2f} · recall {score.recall:.2f} · {invented} invented"
    state: str = clip.text.state if clip.text.state != "done" else "missing"
    if clip.compared:
        state = "unparsed" if score is None else "flagged" if clip.above_one else "done"
    return ItemRow(
        id=clip.asked.id,
        video_id=clip.text.video_id,
        title=clip.item.name if clip.item else "",
        text=" ".join(clip.text.value.split())[:LONGEST] or "(no caption in the file)",
        note=note,
        state=state,
        label=f"{score.f1:.2f}" if score else "",
        rank=score.f1 if score else 9.0,
        score=score.f1 if score else None,
        corrected=clip.corrected,
        flag="recall above 1" if clip.above_one else "",
    )


def hal_detail(store: Store, item_id: str) -> Detail:
    """Raises NotFound."""
    evaluation, asked = evaluation_of(store, item_id), store.get(Verdict, item_id)
    found = hal_clips(store, evaluation, [asked.subject_id])
    if not found:
        raise NotFound("this clip no longer exists; reload the list")
    clip = found[0]
    state = "done" if clip.compared else "missing"
    return Detail("hal", _shown(store, evaluation, clip), _judged(store, evaluation, clip), state, 0)


def _shown(store: Store, evaluation: str, clip: HalClip) -> ClipShown:
    value = clip.item.value if clip.item else {}
    return {
        "video": {"id": clip.text.video_id, "title": clip.item.name if clip.item else ""},
        "choices": [],
        "name": clip.item.name if clip.item else "",
        "known": clip.item is not None,
        "reply": {"value": clip.text.value, "state": clip.text.state},
        "frames": list(clip.text.frames),
        "model": model_of(store, evaluation),
        "references": [str(text) for text in value.get("content") or () if isinstance(text, str)],
    }


def _judged(store: Store, evaluation: str, clip: HalClip) -> ClipJudged:
    run, score, counted = newest_comparison(store, evaluation), clip.score, clip.counted
    return {
        "label": "",
        "corrected": clip.corrected,
        "compared": clip.compared is not None,
        "engines": run.model if run else "",
        "baseline": bool(run and run.baseline),
        "threshold": THRESHOLD,
        "missed": list(clip.compared.extra.get("missed", ())) if clip.compared else [],
        "reference_words": list(clip.compared.extra.get("references", ())) if clip.compared else [],
        "matched": counted.matched,
        "predicted": counted.predicted,
        "counted_references": counted.references,
        "precision": score.precision if score else None,
        "recall": score.recall if score else None,
        "f1": score.f1 if score else None,
        "flag": clip.above_one,
        "reason": clip.compared.reason if clip.compared else "",
        "history": _history(store, clip),
        "words": [_word_json(word) for word in clip.words],
    }


def _word_json(word: HalWord) -> ComparedWord:
    return {
        "id": word.verdict.id,
        "word": word.word,
        "part": word.part,
        "best": word.best,
        "similarity": word.similarity,
        "matched": word.matched,
        "corrected": word.now.changed,
        "confirmed": word.now.confirmed,
        "machine": word.verdict.label == MATCHED,
        "base_revision": word.now.revision,
    }


def _history(store: Store, clip: HalClip) -> list[HistoryEntry]:
    """Changes of any word, newest first."""
    names = {word.verdict.id: word.word for word in clip.words if word.now.revision}
    if not names:
        return []
    found = store.find(
        Correction, subject_type="verdict", subject_id=list(names), order_by=["created_at", "id"]
    )
    entries = history_json(found, people_by_id(store))
    return [
        {**entry, "what": names[correction.subject_id]}
        for entry, correction in zip(entries, reversed(found), strict=True)
    ]


def correct_word(store: Store, person: Person | None, item_id: str, change: ItemChange) -> None:
    """Set one word, named by `target`. Raises NotFound for a word of another clip, UsageError, StaleEdit."""
    asked = store.get(Verdict, item_id)
    clips = hal_clips(store, evaluation_of(store, item_id), [asked.subject_id])
    if change.target not in {word.verdict.id for clip in clips for word in clip.words}:
        raise NotFound("this word is not in the latest comparison; open the clip again")
    if not change.cleared and change.value not in WORD_LABELS:
        raise UsageError(f"choose {' or '.join(WORD_LABELS)} for a word")
    correct_verdict(store, person, item_id, change)


HAL = ItemSource(
    name="hal",
    label="HAL",
    title="Vript-HAL: words of captions",
    systems=("vript-hal",),
    what="clip",
    wire=ClipItem,
    rows=hal_rows,
    detail=hal_detail,
    correct=correct_word,
    done="compared",
)

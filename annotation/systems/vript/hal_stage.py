"""Vript-HAL: compare the words of captions with those of the references, using word engines.

Each word of a caption becomes an `Element` with a verdict, `matched` or `invented`, which a person can
correct; the verdict on the clip stores the reference data. The same engines give the same records.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from annotation.people.permissions import require
from annotation.records.captions_to_verdicts import BenchmarkItem, Text, Verdict
from annotation.records.decisions import Person
from annotation.records.elements import Element
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import EvaluationRun, Run
from annotation.store.store import Store
from annotation.systems.vript.hal_items import hal_clips
from annotation.systems.vript.hal_scores import (
    INVENTED,
    MATCHED,
    THRESHOLD,
    Compared,
    clip_score,
    compare_words,
    content_words,
    counted_words,
)
from backends.embeddings.spacy_and_word_vectors import make_embeddings, make_tagger
from backends.errors import UsageError
from backends.protocols import Embeddings, Tagger

PART_NAMES: Mapping[str, str] = {"VERB": "verb", "NOUN": "noun", "PROPN": "propn"}


def compare_as(store: Store, person: Person | None, evaluation_id: str) -> Run:
    """Like `compare_with`, for a person who may run engines. Raises NotAllowed, BackendUnavailable."""
    require(person, "run")
    return compare_with(store, evaluation_id)


def compare_with(store: Store, evaluation_id: str, embeddings: str = "", tagger: str = "") -> Run:
    """Compare every caption of an evaluation; results of the same engines are reused.

    `tagger` and `embeddings` are specs. Raises BackendUnavailable; UsageError if there is nothing to compare,
    or if no clip has a reference.
    """
    words = _Words(make_tagger(tagger), make_embeddings(embeddings))
    clips = [clip for clip in hal_clips(store, evaluation_id) if clip.text.state == "done"]
    known = [(clip.text, clip.item) for clip in clips if clip.item and references_of(clip.item)]
    if not known:
        raise UsageError("no reference captions found; import HAL_annotations.jsonl")
    run = _run(evaluation_id, [text for text, _ in known], words.tagger, words.embeddings)
    link = record_id("evr", evaluation_id, "verdicts", run.id)
    records: list[Record] = [
        run,
        EvaluationRun(id=link, evaluation_id=evaluation_id, role="verdicts", run_id=run.id),
    ]
    for text, item in known:
        records += words.records(run, text, item)
    store.add(records)
    return run


def references_of(item: BenchmarkItem) -> list[str]:
    """The captions of a clip's annotation."""
    content = item.value.get("content")
    texts = content if isinstance(content, list) else [content]
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _run(evaluation_id: str, texts: Sequence[Text], tagger: Tagger, embeddings: Embeddings) -> Run:
    engines = {"tagger": tagger.name, "vectors": embeddings.name, "threshold": THRESHOLD}
    return Run(
        id=record_id("run", "hal", evaluation_id, engines, [text.id for text in texts]),
        stage="verdicts",
        backend="words",
        model=f"{tagger.name} + {embeddings.name}",
        created_at=time.time(),
        params={"system": "vript-hal", "compares": "words", **engines},
        upstream=tuple(sorted({text.run_id for text in texts if text.run_id})),
        baseline=tagger.baseline or embeddings.baseline,
    )


class _Words:
    """Cache of tags and vectors, so that each is computed once."""

    def __init__(self, tagger: Tagger, embeddings: Embeddings) -> None:
        self.tagger, self.embeddings = tagger, embeddings
        self._known: dict[str, NDArray[np.float64]] = {}

    def counted(self, texts: Sequence[str]) -> dict[str, str]:
        found = [content_words(self.tagger.words(text), self.tagger.lemma) for text in texts]
        return counted_words(found, self.tagger.stop_words, self.tagger.lemma)

    def vectors(self, words: Sequence[str]) -> NDArray[np.float64]:
        """(words, d). New words are sent to the engine together: one batch takes as long as one word."""
        new = [word for word in dict.fromkeys(words) if word not in self._known]
        if new:
            self._known.update(zip(new, self.embeddings.encode(new), strict=True))
        return np.array([self._known[word] for word in words] or np.zeros((0, 1)), np.float64)

    def records(self, run: Run, text: Text, item: BenchmarkItem) -> Iterator[Record]:
        """A verdict on the clip, and an element with its verdict for each word of the caption."""
        predicted, reference = self.counted([text.value]), self.counted(references_of(item))
        names, others = list(predicted), list(reference)
        compared = compare_words(names, others, self.vectors(names), self.vectors(others))
        yield _clip_verdict(run, text, compared, others)
        for index, match in enumerate(compared.words):
            element = Element(
                id=record_id("elm", run.id, text.id, match.word),
                video_id=text.video_id,
                text_id=text.id,
                kind=PART_NAMES[predicted[match.word]],
                index=index,
                value=match.word,
                created_at=run.created_at,
                run_id=run.id,
            )
            yield element
            yield Verdict(
                id=record_id("jdg", run.id, element.id),
                video_id=text.video_id,
                run_id=run.id,
                subject_type="element",
                subject_id=element.id,
                value_type="match",
                created_at=run.created_at,
                state="done",
                label=MATCHED if match.matched else INVENTED,
                kind="vript:hal",
                baseline=run.baseline,
                extra={"best": match.best, "similarity": round(match.similarity, 4)},
            )


def _clip_verdict(run: Run, text: Text, compared: Compared, references: Sequence[str]) -> Verdict:
    matched = sum(word.matched for word in compared.words)
    score = clip_score(matched, len(compared.words), compared.references)
    return Verdict(
        id=record_id("jdg", run.id, text.subject_id),
        video_id=text.video_id,
        run_id=run.id,
        subject_type="hal_item",
        subject_id=text.subject_id,
        value_type="score_only",
        created_at=run.created_at,
        state="done" if score else "unparsed",
        kind="vript:hal",
        reason="" if score else "no counted word in the caption or in its references",
        baseline=run.baseline,
        extra={"references": list(references), "missed": list(compared.missed)},
    )

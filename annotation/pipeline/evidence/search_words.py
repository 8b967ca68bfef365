"""Builds the query for the frames of a question: its words, its reference answer, and the caption."""

from __future__ import annotations

from annotation.pipeline.evidence.question_frames import sentence_around
from annotation.pipeline.evidence.ranking import Query
from annotation.records.captions_to_verdicts import Answer, Question
from annotation.store.store import Store
from annotation.systems.vdc.supporting_spans import supporting_span


def query_of(store: Store, answer: Answer) -> Query:
    """Return the query from current values, without verdicts."""
    question = store.get(Question, answer.question_id)
    asked = str(store.current("question", question.id, "text").value)
    reference = str(store.current("question", question.id, "reference").value)
    return Query(asked, reference, _caption_sentence(store, answer, asked))


def _caption_sentence(store: Store, answer: Answer, asked: str) -> str:
    """Return the sentence of the answer's caption around the marked range."""
    if not answer.text_id:
        return ""
    caption = str(store.current("text", answer.text_id, "value").value or "")
    value = str(store.current("answer", answer.id, "value").value or "")
    return sentence_around(caption, supporting_span(caption, asked, value))

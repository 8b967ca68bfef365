"""What the frames of a question are looked for by: its words, its reference, and what the caption says."""

from __future__ import annotations

from annotation.pipeline.evidence.question_frames import sentence_around
from annotation.pipeline.evidence.ranking import Query
from annotation.records.captions_to_verdicts import Answer, Question
from annotation.store.store import Store
from annotation.systems.vdc.supporting_spans import supporting_span


def query_of(store: Store, answer: Answer) -> Query:
    """Of current values; nothing of what a judge said."""
    question = store.get(Question, answer.question_id)
    asked = str(store.current("question", question.id, "text").value)
    reference = str(store.current("question", question.id, "reference").value)
    return Query(asked, reference, _said(store, answer, asked))


def _said(store: Store, answer: Answer, asked: str) -> str:
    """What the answer's caption says around the marked place."""
    if not answer.text_id:
        return ""
    caption = str(store.current("text", answer.text_id, "value").value or "")
    value = str(store.current("answer", answer.id, "value").value or "")
    return sentence_around(caption, supporting_span(caption, asked, value))

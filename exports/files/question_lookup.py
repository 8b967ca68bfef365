"""Finds a log's questions in the store, by video, aspect, text and reference answer."""

from __future__ import annotations

from collections import defaultdict

from annotation.records.captions_to_verdicts import Answer, Question
from annotation.store.store import Store

Words = tuple[str, str]


class QuestionPool:
    """Returns each question at most once, because real files repeat a question about one video."""

    def __init__(self, store: Store | None, answers_run_id: str) -> None:
        """`answers_run_id` is the run of the log's answers, which exists if the log was imported before."""
        self._store, self._run_id = store, answers_run_id
        self._videos: dict[str, dict[tuple[str, Words], list[Question]]] = {}
        self._taken: set[str] = set()
        self._answered: set[str] = set()
        """Questions that already have one of the log's answers."""

    def take(self, video_id: str, kind: str, words: Words, index: int) -> Question | None:
        """Return a question with these words, current or as imported; None if there is none.

        Prefers a question answered by this log, then one of a dataset, then one with this index.
        """
        found = [q for q in self._of(video_id).get((kind, words), ()) if q.id not in self._taken]
        if not found:
            return None
        best = min(found, key=lambda q: self._order(q, index))
        self._taken.add(best.id)
        return best

    def _order(self, question: Question, index: int) -> tuple[bool, bool, bool, int, str]:
        new = question.id not in self._answered
        return new, question.dataset_id is None, question.index != index, question.index, question.id

    def has(self, video_id: str, kind: str, words: Words) -> bool:
        """Return whether such a question exists, taken or not."""
        return (kind, words) in self._of(video_id)

    def _of(self, video_id: str) -> dict[tuple[str, Words], list[Question]]:
        if video_id not in self._videos:
            self._videos[video_id] = self._load(video_id)
        return self._videos[video_id]

    def _load(self, video_id: str) -> dict[tuple[str, Words], list[Question]]:
        questions = self._store.find(Question, video_id=video_id) if self._store else []
        ids = [question.id for question in questions]
        pool: dict[tuple[str, Words], list[Question]] = defaultdict(list)
        if self._store is None or not questions:
            return pool
        answers = self._store.find(Answer, video_id=video_id, run_id=self._run_id)
        self._answered |= {answer.question_id for answer in answers}
        asked = self._store.currents("question", ids, "text")
        references = self._store.currents("question", ids, "reference")
        for question in questions:
            now = (str(asked[question.id].value), str(references[question.id].value))
            for words in {now, (question.text, question.reference)}:
                pool[question.kind, words].append(question)
        return pool

"""Which questions are in doubt, kept while the server runs: only what has changed is checked again."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from sqlalchemy import and_, select

from annotation import lint
from annotation.store import tables as t
from annotation.store.ceilings import refused_by_ceiling
from annotation.store.exclusions import exclusions
from annotation.store.lists import Doubts
from annotation.store.store import Store
from annotation.store.verdict_index import index_of
from annotation.store.verdict_table import Asked
from exports.asked import aspect_of
from exports.score_report import DOUBTFUL


@dataclass(frozen=True, slots=True)
class _Checked:
    asked: Asked
    reference: str
    """The reference caption that the answer was looked for in."""
    doubted: bool


class SuspectQuestions:
    """Of one store. The checks look at one question at a time, so each is checked when it changes."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._known: dict[str, _Checked] = {}
        self._for: dict[str, Asked] | None = None
        self._found: frozenset[str] = frozenset()

    @property
    def ready(self) -> bool:
        return self._for is not None

    def find(self) -> frozenset[str]:
        """Ids of the questions that a check doubts, or that their own reference caption does not answer."""
        with self._lock:
            questions = index_of(self.store).questions()
            if questions is not self._for:  # another dict whenever anything has changed
                self._found = self._check(questions)
                self._for = questions
            return self._found

    def _check(self, questions: dict[str, Asked]) -> frozenset[str]:
        references = _references(self.store)
        known = self._known
        for question_id, asked in questions.items():
            reference = references.get((asked.video, asked.kind), "")
            old = known.get(question_id)
            if old is None or old.asked is not asked or old.reference != reference:
                known[question_id] = _Checked(asked, reference, _doubted(asked, reference))
        found = {question_id for question_id in questions if known[question_id].doubted}
        return frozenset(found | set(refused_by_ceiling(self.store)))


def _doubted(asked: Asked, reference: str) -> bool:
    aspect = aspect_of(asked.kind)
    one = lint.Asked(
        video=asked.video, aspect=aspect, question=asked.text, answer=asked.reference, category=asked.category
    )
    defects = lint.lint([one], {(asked.video, aspect): reference} if reference else None)
    return any(defect.check in DOUBTFUL for defect in defects)


def _references(store: Store) -> dict[tuple[str, str], str]:
    """The captions of datasets as they read now, by video and kind."""
    text, now = t.text.c, t.current.c
    query = (
        select(text.video_id, text.kind, now.value)
        .join(t.current, and_(now.subject_type == "text", now.subject_id == text.id, now.field == "value"))
        .where(text.dataset_id.is_not(None))
    )
    with store.reading() as conn:
        return {(row[0], row[1]): str(row[2]) for row in conn.execute(query)}


def suspects_of(store: Store) -> SuspectQuestions:
    """The store's own, made on first use."""
    return store.kept(SuspectQuestions, lambda: SuspectQuestions(store))


def doubts(store: Store, *, needed: bool) -> Doubts:
    """Questions in doubt. Unless `needed`, suspects are left out while they are not known yet."""
    suspects = suspects_of(store)
    found = suspects.find() if needed or suspects.ready else frozenset()
    return Doubts(found, frozenset(exclusions(store)))

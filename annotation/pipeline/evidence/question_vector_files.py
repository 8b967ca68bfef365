"""Vectors of questions, as an image-text model gave them: small files in the media folder, one per text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from annotation.pipeline.evidence.moments import Known
from annotation.pipeline.evidence.ranking import Query
from annotation.stages.vector_files import FOLDER, KeptVectors
from backends.digest import digest
from backends.protocols import JointEmbeddings

Asked = tuple[str, str]
"""Question and reference answer."""


class QuestionVectors:
    """Those of one model, by its key (`JointEmbeddings.key`)."""

    def __init__(self, media: Path, key: str) -> None:
        self._kept = KeptVectors(media / FOLDER / key)

    def has(self, asked: Asked) -> bool:
        return self._kept.get(_key(asked)) is not None

    def embed(self, engine: JointEmbeddings, some: list[Asked]) -> None:
        made = engine.texts([_words(asked) for asked in some])
        for n, asked in enumerate(some):
            self._kept.put(_key(asked), made.rows[n], bool(made.cut and made.cut[n]))

    def given(self, query: Query) -> Query:
        """The query with its vector, where that is kept."""
        kept = self._kept.get(_key((query.question, query.reference)))
        return query if kept is None else replace(query, vector=kept[0])


def with_vector(media: Path, known: Known, query: Query) -> Query:
    """The query with its vector, where the model that embedded the video's pictures was given it too."""
    return query if known.pictures is None else QuestionVectors(media, known.pictures.engine).given(query)


def _words(asked: Asked) -> str:
    return " ".join(asked).strip()


def _key(asked: Asked) -> str:
    return digest("text", _words(asked))

"""Vectors of questions by an image-text model, stored in the media folder as one small file per text."""

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
    """The vectors of one model, given by its key (`JointEmbeddings.key`)."""

    def __init__(self, media: Path, key: str) -> None:
        self._kept = KeptVectors(media / FOLDER / key)

    def has(self, asked: Asked) -> bool:
        return self._kept.get(_key(asked)) is not None

    def embed(self, engine: JointEmbeddings, some: list[Asked]) -> None:
        made = engine.texts([_words(asked) for asked in some])
        for n, asked in enumerate(some):
            self._kept.put(_key(asked), made.rows[n], bool(made.cut and made.cut[n]))

    def given(self, query: Query) -> Query:
        """Return the query with its vector, if that is stored."""
        kept = self._kept.get(_key((query.question, query.reference)))
        return query if kept is None else replace(query, vector=kept[0])


def with_vector(media: Path, known: Known, query: Query) -> Query:
    """Return the query with its vector, if the model of the video's pictures embedded it too."""
    return query if known.pictures is None else QuestionVectors(media, known.pictures.engine).given(query)


def _words(asked: Asked) -> str:
    return " ".join(asked).strip()


def _key(asked: Asked) -> str:
    return digest("text", _words(asked))

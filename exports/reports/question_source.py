"""Questions to check, out of files of any format that holds questions, or out of a workspace.

A file of VDCscore questions is taken line by line: an import keeps the first of two lists of one video,
but a check of the file must see both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlalchemy import Connection, select

from annotation.checks.question_checks import Asked
from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.texts import Question, Text
from annotation.records.videos import Alias, Video
from annotation.store import tables as t
from annotation.store.bulk_rows import chunks
from annotation.store.ceilings import refused_by_ceiling
from annotation.store.store import Store
from backends.errors import UsageError
from exports.catalogue import registry as formats
from exports.files.reading import json_lines
from exports.vdc import vdc_qa

References = dict[tuple[str, str], str]
"""(video, aspect) to the reference caption."""


def aspect_of(kind: str) -> str:
    """`camera` of `vdc:camera`."""
    return kind.partition(":")[2] or kind


def from_files(paths: Sequence[Path], aspect: str | None = None) -> tuple[list[Asked], References]:
    """Everything that the files ask, and the reference captions in them. Raises FormatError, UsageError."""
    asked: list[Asked] = []
    references: References = {}
    for path in paths:
        if formats.detect(path) == vdc_qa.NAME:
            asked += _vdc_lists(path, aspect)
        else:
            found, captions = _from_batch(path)
            asked += found
            references |= captions
    if not asked:
        names = ", ".join(path.name for path in paths)
        raise UsageError(f"no questions in {names}; name files of questions (python app.py export --list)")
    return asked, references


def _vdc_lists(path: Path, aspect: str | None) -> Iterator[Asked]:
    files = [path / f"{name}.jsonl" for name in VDC_ASPECTS] if path.is_dir() else [path]
    for file in files:
        if not file.is_file():
            continue
        about = aspect or (file.stem.lower() if file.stem.lower() in VDC_ASPECTS else file.stem)
        for item in json_lines(file):
            for video, entries in item.value.items() if isinstance(item.value, dict) else ():
                yield from _entries(item.where, video, about, entries)


def _entries(where: str, video: str, aspect: str, entries: object) -> Iterator[Asked]:
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            words = {key: entry.get(key) for key in ("question", "answer", "category")}
            texts = {key: value if isinstance(value, str) else "" for key, value in words.items()}
            yield Asked(video=video, aspect=aspect, group=where, **texts)


def _from_batch(path: Path) -> tuple[list[Asked], References]:
    records = formats.read(path).records
    names = {r.id: r.title for r in records.of_kind(Video)}
    names |= {r.video_id: r.alias for r in records.of_kind(Alias)}
    asked = [_asked(r, names.get(r.video_id, r.video_id)) for r in records.of_kind(Question)]
    captions = {
        (names.get(r.video_id, r.video_id), aspect_of(r.kind)): r.value
        for r in records.of_kind(Text)
        if r.dataset_id and not r.run_id and not r.person_id
    }
    return asked, captions


def from_store(store: Store, video_id: str = "") -> tuple[list[Asked], References]:
    """The workspace's questions as they read now, and the captions of datasets; of one video, or of all.

    `video` is the video's id in the workspace.
    """
    q, x = t.question.c, t.text.c
    questions = select(q.id, q.video_id, q.kind, q.text, q.reference, q.category)
    texts = select(x.id, x.video_id, x.kind, x.value).where(x.dataset_id.is_not(None))
    if video_id:
        questions, texts = questions.where(q.video_id == video_id), texts.where(x.video_id == video_id)
    with store.reading() as conn:
        now = _corrected(conn)
        rows = conn.execute(questions.order_by(q.video_id, q.kind, q.index)).all()
        captions = conn.execute(texts).all()
    refused = refused_by_ceiling(store, [row.id for row in rows] if video_id else None)
    references = {
        (row.video_id, aspect_of(row.kind)): now.get((row.id, "value"), row.value) for row in captions
    }
    asked = [
        Asked(
            video=row.video_id,
            aspect=aspect_of(row.kind),
            question=now.get((row.id, "text"), row.text),
            answer=now.get((row.id, "reference"), row.reference),
            category=row.category,
            id=row.id,
            ceiling=refused.get(row.id),
        )
        for row in rows
    ]
    return asked, references


def _corrected(conn: Connection) -> dict[tuple[str, str], str]:
    """What people made of questions and texts, found through the few corrections there are."""
    c, made = t.current.c, t.correction.c
    kinds = ("question", "text")
    ids = conn.scalars(select(made.subject_id).where(made.subject_type.in_(kinds)).distinct()).all()
    found: dict[tuple[str, str], str] = {}
    for group in chunks(ids):
        query = select(c.subject_id, c.field, c.value).where(
            c.subject_type.in_(kinds), c.subject_id.in_(group), c.corrected.is_(True)
        )
        found |= {(row[0], row[1]): str(row[2]) for row in conn.execute(query)}
    return found


def _asked(question: Question, video: str) -> Asked:
    return Asked(
        video=video,
        aspect=aspect_of(question.kind),
        question=question.text,
        answer=question.reference,
        category=question.category,
        id=question.id,
    )

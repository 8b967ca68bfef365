"""The writer of a text's words: its author, or the person whose correction is current."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import select

from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Correction, Person, is_again, revision_brought_back
from annotation.records.runs import Run
from annotation.records.videos import Dataset
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks
from annotation.store.rows import from_row
from annotation.store.store import Current, Store


@dataclass(frozen=True, slots=True)
class Writer:
    """A person, the reference of a dataset, or a run of a model."""

    kind: Literal["person", "dataset", "run"]
    id: str


def author(text: Text) -> Writer:
    """Return the author of the record. Corrections do not change it."""
    if text.person_id:
        return Writer("person", text.person_id)
    if text.dataset_id:
        return Writer("dataset", text.dataset_id)
    return Writer("run", text.run_id or "")


def written_by(store: Store, texts: Iterable[tuple[Text, Current]]) -> dict[str, tuple[Writer, float]]:
    """Return `{text id: (writer of its current words, time)}`; times in seconds since 1970."""
    rows = list(texts)
    made = histories(store, [text.id for text, now in rows if now.corrected])
    found: dict[str, tuple[Writer, float]] = {}
    for text, now in rows:
        words = words_now(made.get(text.id, ())) if now.corrected else None
        found[text.id] = (
            (Writer("person", words.person_id), words.created_at)
            if words
            else (author(text), text.created_at)
        )
    return found


def writer(store: Store, text: Text, now: Current) -> Writer:
    """Return the writer of the current words of one text."""
    return written_by(store, [(text, now)])[text.id][0]


def histories(store: Store, text_ids: Iterable[str]) -> dict[str, list[Correction]]:
    """Return `{text id: corrections, oldest first}`, without texts that have none."""
    c = t.correction.c
    found: dict[str, list[Correction]] = defaultdict(list)
    with store.reading() as conn:
        for group in chunks(text_ids):
            query = select(t.correction).where(c.subject_type == "text", among(c.subject_id, group))
            for row in conn.execute(query.order_by(c.revision)).mappings():
                found[row["subject_id"]].append(from_row(Correction, row))
    return dict(found)


def words_now(history: Sequence[Correction]) -> Correction | None:
    """Return the correction that wrote the current words; None if the machine's value was restored.

    Undo writes a new correction, which may restore words of another person. The writer is then the person of
    the restored revision, even if someone else wrote the same words later.
    """
    if not history or history[-1].cleared:
        return None
    last = history[-1]
    if not is_again(last):
        return last
    same = [one for one in history[:-1] if not one.cleared and one.value == last.value]
    for at, earlier in enumerate(history):
        if earlier.revision == revision_brought_back(last) and earlier in same:
            return words_now(history[: at + 1])
    written = [one for one in same if not is_again(one)]
    return written[-1] if written else last


def words_by(history: Sequence[Correction], person_id: str) -> Correction | None:
    """Return the correction with the last words of a person; None if there are none or they are withdrawn.

    After an undo, these are the person's words before the undone correction.
    """
    end = next((n for n in range(len(history), 0, -1) if history[n - 1].person_id == person_id), 0)
    of = revision_brought_back(history[end - 1]) if end else 0
    before = next((n for n, one in enumerate(history[:end], 1) if of and one.revision == of), 0)
    if before:
        return words_by(history[:before], person_id)
    words = words_now(history[:end])
    return words if words and words.person_id == person_id else None


def writer_names(store: Store) -> Mapping[Writer, str]:
    """Return the name of each writer: a person's or a dataset's name, or a run's model."""
    names = {Writer("person", one.id): one.name for one in store.find(Person)}
    names |= {Writer("dataset", one.id): one.name for one in store.find(Dataset)}
    return names | {Writer("run", one.id): one.model for one in store.find(Run)}


def people_who_wrote(store: Store) -> list[Person]:
    """Return the people who wrote or corrected a text, sorted by name."""
    text, change = t.text.c, t.correction.c
    own = select(text.person_id).where(text.person_id.is_not(None))
    corrected = select(change.person_id).where(change.subject_type == "text")
    with store.reading() as conn:
        ids = set(conn.scalars(own.union(corrected)))
    return store.find(Person, id=sorted(ids), order_by=["name", "id"])

"""Who may read what others write for a CaReBench caption, and until when one may write: decided here alone.

Two annotators write the four parts of a caption without seeing each other's. Until all who were
given the task `aspects` on a video are done,
- somebody who was given it sees no other person's CaReBench text of that video, nor what a machine
  made of one, whatever their role;
- everybody else sees the four parts only with the right to assign (experts), and the rest as before.
Once the others' texts are open to a person, that person's own four parts are closed for them.

Whoever answers a request that gives texts asks `aspect_sight_of`, and passes them through `AspectSight`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, select

from annotation.people.permissions import may
from annotation.records.captions_to_verdicts import Text
from annotation.records.constants_of_systems import ASPECTS
from annotation.records.decisions import Person
from annotation.records.errors import NotAllowed
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks
from annotation.store.store import Store

WRITE, MERGE = "aspects", "merge"
"""The tasks of assignments that this is about."""
PARTS = tuple(f"carebench:{name}" for name in ASPECTS)
ALL = (*PARTS, "carebench:full", "carebench:spatial", "carebench:temporal")
FINISHED = ("done", "approved")
UNFINISHED = ("open", "working", "returned")
WRITERS = 2
"""A single writer's parts stay closed until they are merged: the second may still be chosen."""
NOT_YET = "another annotator's text: it is shown when all who write this video's parts are done"
OVER = "the other annotator's text is open to you now, so yours stays as it is; an expert may give it back"
NOT_WORKING = "you said that your parts of this video are ready; reopen the work before you change them"


@dataclass(frozen=True, slots=True)
class Writing:
    """How far the writing on one video is."""

    writers: Mapping[str, str] = field(default_factory=dict)
    """State by person."""
    merged: bool = False

    @property
    def over(self) -> bool:
        """Whether the parts are open to all."""
        done = all(state in FINISHED for state in self.writers.values())
        return done and (len(self.writers) >= WRITERS or self.merged)


def writing_in(conn: Connection, video_ids: Sequence[str] | None = None) -> dict[str, Writing]:
    """By video, of those on which somebody was given the parts to write; None: all videos."""
    c = t.assignment.c
    query = select(c.video_id, c.person_id, c.task, c.state).where(c.task.in_((WRITE, MERGE)))
    query = query.order_by(c.created_at, c.id)
    newest: dict[tuple[str, str, str], str] = {}
    for group in [None] if video_ids is None else chunks(video_ids):
        rows = conn.execute(query if group is None else query.where(among(c.video_id, group)))
        newest.update({(row.video_id, row.task, row.person_id): row.state for row in rows})
    writers: dict[str, dict[str, str]] = defaultdict(dict)
    for (video, task, person), state in newest.items():
        if task == WRITE and state != "withdrawn":
            writers[video][person] = state
    merged = {v for (v, task, _), state in newest.items() if task == MERGE and state in FINISHED}
    return {video: Writing(states, video in merged) for video, states in writers.items()}


@dataclass(frozen=True, slots=True)
class AspectSight:
    """What one person may see of CaReBench texts."""

    person_id: str
    hidden: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By video, the kinds of other people's texts that are not shown."""

    def shown(self, store: Store, texts: Iterable[Text]) -> list[Text]:
        """Those of the texts that the person may see, in their order."""
        rows = list(texts)
        made_of = {r.source_text_id for r in rows if r.run_id and r.source_text_id and self._closed(r)}
        by_people = {x.id: x.person_id for x in store.find(Text, id=sorted(made_of))} if made_of else {}
        return [r for r in rows if self._sees(r, by_people.get(r.source_text_id or ""))]

    def _closed(self, text: Text) -> bool:
        return text.kind in self.hidden.get(text.video_id, ())

    def _sees(self, text: Text, source_by: str | None) -> bool:
        return not self._closed(text) or (text.person_id or source_by) in (None, self.person_id)

    def require(self, store: Store, text_id: str) -> None:
        """Raises NotAllowed for a text that is not to be seen, NotFound."""
        if not self.shown(store, [store.get(Text, text_id)]):
            raise NotAllowed(NOT_YET)

    def hides_work_of(self, video_id: str, person_id: str, task: str) -> bool:
        """Whether what is said of that person's work may quote a text that is not to be seen."""
        return task in (WRITE, MERGE) and video_id in self.hidden and person_id != self.person_id

    def hides_any(self, store: Store) -> bool:
        """Whether the workspace holds a text that this person may not see: for files that hold everything."""
        for group in chunks(self.hidden):
            if len(self.shown(store, texts := store.find(Text, video_id=list(group), kind=ALL))) < len(texts):
                return True
        return False


def aspect_sight_of(store: Store, person: Person, video_id: str = "") -> AspectSight:
    """What this person may see now, of one video or of all."""
    with store.reading() as conn:
        found = writing_in(conn, [video_id] if video_id else None)
    expert = may(person, "assign")
    hidden = {
        video: ALL if person.id in writing.writers else PARTS
        for video, writing in found.items()
        if not writing.over and not (expert and person.id not in writing.writers)
    }
    return AspectSight(person.id, hidden)


def require_sight(store: Store, person: Person, text_id: str) -> None:
    """For a request that names one text. Raises NotAllowed, NotFound."""
    text = store.get(Text, text_id)
    if text.kind in ALL:
        aspect_sight_of(store, person, text.video_id).require(store, text_id)


# --- until when one may write --------------------------------------------------------------


def closed_for(conn: Connection, person_id: str, text_ids: Iterable[str]) -> str:
    """Why the person may not change these texts now: parts of their own that they handed in; else empty."""
    c = t.text.c
    videos: set[str] = set()
    for group in chunks(text_ids):
        mine = (among(c.id, group), c.person_id == person_id, c.kind.in_(PARTS))
        videos.update(conn.scalars(select(c.video_id).where(*mine)))
    return closed_on(conn, person_id, sorted(videos)) if videos else ""


def closed_on(conn: Connection, person_id: str, video_ids: Sequence[str]) -> str:
    """As `closed_for`, of the parts of whole videos."""
    for writing in writing_in(conn, video_ids).values():
        state = writing.writers.get(person_id)
        if state and state not in UNFINISHED:
            return OVER if writing.over else NOT_WORKING
    return ""


def reopening(conn: Connection, video_id: str, person_id: str, task: str, state: str) -> str:
    """Why the person's own work on the parts cannot go back to `state`; empty where it can."""
    if task != WRITE or state not in UNFINISHED:
        return ""
    writing = writing_in(conn, [video_id]).get(video_id)
    return OVER if writing and person_id in writing.writers and writing.over else ""


def refuse_readers(store: Store, person: Person, video_ids: Sequence[str]) -> None:
    """Who has read another annotator's texts does not take a video by themselves. Raises NotAllowed."""
    sight = aspect_sight_of(store, person)
    texts = [x for v in video_ids for x in store.find(Text, video_id=v, kind=ALL) if x.person_id]
    if any(text.person_id != person.id for text in sight.shown(store, texts)):
        raise NotAllowed("another annotator's text of such a video is open to you; ask an expert for it")

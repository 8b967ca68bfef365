"""Access to the texts of a CaReBench caption: who may read others' texts, and when writing ends.

Two annotators write the four parts of a caption without seeing each other's texts. Until all people with the
task `aspects` on a video are done:
- people with this task do not see other people's CaReBench texts of the video, or what a machine derived
  from them, whatever their role;
- other people see the four parts only if they may assign work (experts); other texts are not restricted.
As soon as a person can see the others' texts, they can no longer change their own four parts.

Every response that contains texts must filter them with the `AspectSight` from `aspect_sight_of`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, select

from annotation.people.permissions import may
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from annotation.records.errors import NotAllowed
from annotation.records.system_facts import kinds_with
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks
from annotation.store.store import Store

WRITE, MERGE = "aspects", "merge"
"""The tasks of assignments that control access."""
PARTS = kinds_with("written_apart")
"""Kinds of text that several people write without seeing each other's texts."""
ASPECTS = tuple(kind.partition(":")[2] for kind in PARTS)
"""The parts' names, in their order."""
ALL = kinds_with("hidden_from_writers")
FINISHED = ("done", "approved")
UNFINISHED = ("open", "working", "returned")
WRITERS = 2
"""The parts of a single writer stay hidden until they are merged, because a second writer may be added."""
NOT_YET = "another annotator's text: it is shown when all writers of this video's parts are done"
OVER = "you can now see the other annotator's text, so yours is final; an expert can return it to you"
NOT_WORKING = "you have marked your parts of this video as ready; reopen the work before you change them"


@dataclass(frozen=True, slots=True)
class Writing:
    """Progress of the writing on one video."""

    writers: Mapping[str, str] = field(default_factory=dict)
    """State of the assignment by person id."""
    merged: bool = False

    @property
    def over(self) -> bool:
        """Whether everyone may see the parts."""
        done = all(state in FINISHED for state in self.writers.values())
        return done and (len(self.writers) >= WRITERS or self.merged)


def writing_in(conn: Connection, video_ids: Sequence[str] | None = None) -> dict[str, Writing]:
    """Return the state of the writing by video id, for videos with writers. `video_ids` None: all videos."""
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
    """The CaReBench texts that one person may see."""

    person_id: str
    hidden: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Kinds of other people's texts that are hidden, by video id."""

    def shown(self, store: Store, texts: Iterable[Text]) -> list[Text]:
        """Return the texts that the person may see, in the given order."""
        rows = list(texts)
        made_of = {r.source_text_id for r in rows if r.run_id and r.source_text_id and self._closed(r)}
        by_people = {x.id: x.person_id for x in store.find(Text, id=sorted(made_of))} if made_of else {}
        return [r for r in rows if self._sees(r, by_people.get(r.source_text_id or ""))]

    def _closed(self, text: Text) -> bool:
        return text.kind in self.hidden.get(text.video_id, ())

    def _sees(self, text: Text, source_by: str | None) -> bool:
        return not self._closed(text) or (text.person_id or source_by) in (None, self.person_id)

    def require(self, store: Store, text_id: str) -> None:
        """Check that the person may see a text. Raises NotAllowed, NotFound."""
        if not self.shown(store, [store.get(Text, text_id)]):
            raise NotAllowed(NOT_YET)

    def hides_work_of(self, video_id: str, person_id: str, task: str) -> bool:
        """Whether messages about that person's work may quote a hidden text."""
        return task in (WRITE, MERGE) and video_id in self.hidden and person_id != self.person_id

    def hides_any(self, store: Store) -> bool:
        """Whether the workspace has a text that this person may not see. Full exports depend on this."""
        for group in chunks(self.hidden):
            if len(self.shown(store, texts := store.find(Text, video_id=list(group), kind=ALL))) < len(texts):
                return True
        return False


def aspect_sight_of(store: Store, person: Person, video_id: str = "") -> AspectSight:
    """Return what this person may see now, for one video or for all."""
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
    """Check that a person may see one text. Raises NotAllowed, NotFound."""
    text = store.get(Text, text_id)
    if text.kind in ALL:
        aspect_sight_of(store, person, text.video_id).require(store, text_id)


# --- when writing ends ---------------------------------------------------------------------


def closed_for(conn: Connection, person_id: str, text_ids: Iterable[str]) -> str:
    """Return why the person may not change these texts (they handed in their parts), or an empty string."""
    c = t.text.c
    videos: set[str] = set()
    for group in chunks(text_ids):
        mine = (among(c.id, group), c.person_id == person_id, c.kind.in_(PARTS))
        videos.update(conn.scalars(select(c.video_id).where(*mine)))
    return closed_on(conn, person_id, sorted(videos)) if videos else ""


def closed_on(conn: Connection, person_id: str, video_ids: Sequence[str]) -> str:
    """Same as `closed_for`, for all parts of these videos."""
    for writing in writing_in(conn, video_ids).values():
        state = writing.writers.get(person_id)
        if state and state not in UNFINISHED:
            return OVER if writing.over else NOT_WORKING
    return ""


def reopening(conn: Connection, video_id: str, person_id: str, task: str, state: str) -> str:
    """Return why the person's work on the parts cannot return to `state`, or an empty string."""
    if task != WRITE or state not in UNFINISHED:
        return ""
    writing = writing_in(conn, [video_id]).get(video_id)
    return OVER if writing and person_id in writing.writers and writing.over else ""


def refuse_readers(store: Store, person: Person, video_ids: Sequence[str]) -> None:
    """Raise NotAllowed if a person who can see another annotator's texts assigns themselves such a video."""
    sight = aspect_sight_of(store, person)
    texts = [x for v in video_ids for x in store.find(Text, video_id=v, kind=ALL) if x.person_id]
    if any(text.person_id != person.id for text in sight.shown(store, texts)):
        raise NotAllowed(
            "you can see another annotator's text of one of these videos; ask an expert to assign it"
        )

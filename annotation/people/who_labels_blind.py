"""Blind labelling: who labels blind, and what such a person may see of a verdict.

This module alone decides it. `ui.pages.verdicts.blind_view` applies it to the data of one verdict or question
on the Verdicts page.

Before a person who labels blind has labelled a verdict, they do not receive its label, score, raw reply,
reason or error source, or the labels of others. They also receive nothing that is computed from verdicts,
because a sort or a count would reveal them. Every response about verdicts must be filtered with the `Sight`
from `sight_of`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection, Select, func, insert, select

from annotation.people.permissions import may, require
from annotation.records.decisions import Person
from annotation.records.errors import NotAllowed
from annotation.records.ids import new_id
from annotation.store import tables as t
from annotation.store.store import Store
from annotation.store.verdicts.filter_and_order import Sort, VerdictFilter, VerdictRow

BLIND_SORT: Sort = "title"
"""The only order that does not depend on verdicts."""
BLIND_STATES = ("open", "corrected")
NOT_WHILE_BLIND = (
    "this shows verdicts, and you label blind; end blind labelling on Verdicts, or ask a researcher to end it"
)


@dataclass(frozen=True, slots=True)
class Mode:
    """Whether a person labels blind, and whether they may end it."""

    on: bool
    locked: bool
    """Whether someone else switched it on. Then only a person with the right `blind` can switch it off."""


def mode_of(store: Store, person_id: str) -> Mode:
    """Return the mode of a person. The latest decision counts."""
    c = t.blind_mode.c
    query = select(c.on, c.by_id).where(c.person_id == person_id).order_by(c.created_at.desc(), c.id.desc())
    with store.reading() as conn:
        row = conn.execute(query.limit(1)).one_or_none()
    return Mode(bool(row and row.on), bool(row and row.on and row.by_id != person_id))


def gives_blind(store: Store, person: Person, verdict_id: str) -> bool:
    """Whether a label that this person gives now is given before they have seen the verdict."""
    if not mode_of(store, person.id).on:
        return False
    c = t.correction.c
    mine = _labels_of(person.id).where(c.subject_id == verdict_id).limit(1)
    with store.reading() as conn:
        return conn.scalar(mine) is None


def _labels_of(person_id: str) -> Select[tuple[str]]:
    """Select the ids of all verdicts that a person has ever labelled."""
    c = t.correction.c
    return select(c.subject_id).where(
        c.person_id == person_id, c.subject_type == "verdict", c.cleared.is_(False)
    )


def set_mode(store: Store, person: Person | None, person_id: str, on: bool) -> Mode:
    """Switch blind labelling on or off, for oneself or for someone else.

    Raises NotAllowed, NotFound.
    """
    who = require(person, "edit")
    about = store.get(Person, person_id)
    if who.id != about.id:
        require(who, "blind")
    with store.writing() as conn:
        if who.id == about.id and not on and mode_of(store, about.id).locked and not may(who, "blind"):
            raise NotAllowed("someone else switched blind labelling on for you; ask a researcher to end it")
        row = {
            "id": new_id("bld"),
            "person_id": about.id,
            "by_id": who.id,
            "on": on,
            "created_at": _after(conn, about.id),
        }
        conn.execute(insert(t.blind_mode).values(row))
        return mode_of(store, about.id)


def _after(conn: Connection, person_id: str) -> float:
    """Return the current time, or a time just after the last decision if that lies in the future."""
    c = t.blind_mode.c
    last = conn.scalar(select(func.max(c.created_at)).where(c.person_id == person_id))
    return max(time.time(), (last or 0.0) + 1e-6)


@dataclass(frozen=True, slots=True)
class Sight:
    """The verdicts that one person may see."""

    blind: bool = False
    labelled: frozenset[str] = frozenset()
    """Verdicts that the person has labelled; only filled while they label blind."""

    def sees(self, verdict_id: str) -> bool:
        return not self.blind or verdict_id in self.labelled

    def require_open(self) -> None:
        """Check access to figures over many verdicts. Raises NotAllowed."""
        if self.blind:
            raise NotAllowed(NOT_WHILE_BLIND)

    def narrowed(self, wanted: VerdictFilter) -> VerdictFilter:
        """Return the filter without parts that would reveal verdicts."""
        if not self.blind:
            return wanted
        return replace(
            wanted,
            sort=BLIND_SORT,
            states=tuple(s for s in wanted.states if s in BLIND_STATES),
            error_source="",
            flag="excluded" if wanted.flag == "excluded" else "",
            beside=(),
            differs=False,
            labelled=self.labelled,
        )

    def row(self, row: VerdictRow) -> VerdictRow:
        """Return a row of the list, with hidden values removed."""
        if self.sees(row.verdict_id):
            return row
        # A question may be suspect because of a verdict on its reference caption.
        flag = row.flag if row.flag == "excluded" else ""
        return replace(
            row,
            state="hidden",
            label="",
            score=None,
            corrected=False,
            confirmed=False,
            disputed=False,
            stale=False,
            error_source="",
            flag=flag,
            beside=(),
            hidden=True,
        )

    def counts(self, counts: Mapping[str, int]) -> dict[str, int]:
        if not self.blind:
            return dict(counts)
        return {"all": counts["all"], "labelled": counts["corrected"], "open": counts["open"]}


def sight_of(store: Store, person: Person) -> Sight:
    """Return what this person may see now."""
    if not mode_of(store, person.id).on:
        return Sight()
    with store.reading() as conn:
        return Sight(True, frozenset(conn.scalars(_labels_of(person.id))))

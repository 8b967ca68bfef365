"""Which version of a prompt is in use, inside transactions: the newest row of a prompt counts."""

from __future__ import annotations

from sqlalchemy import Connection, select

from annotation.editing.newest_record import later_than
from annotation.records.errors import NotFound
from annotation.records.ids import Json, new_id
from annotation.records.prompt_versions import PromptUse
from annotation.store import tables as t
from annotation.store.store import Store
from annotation.workspace.prompts_in_use import use_in


def use_now(_store: Store, conn: Connection, subject: tuple[str, ...]) -> str | None:
    """The version's id; None: the prompt of the files. `subject` is the prompt's name."""
    use = use_in(conn, subject[0])
    return use.version_id if use else None


def use_by(conn: Connection, subject: tuple[str, ...]) -> str | None:
    """Who said so."""
    use = use_in(conn, subject[0])
    return use.person_id if use else None


def lay_use(store: Store, conn: Connection, subject: tuple[str, ...], state: Json, person_id: str) -> None:
    """Another row, which counts from now on. Raises NotFound."""
    c = t.prompt_version.c
    if state is not None and not conn.scalar(
        select(c.id).where(c.id == state, c.prompt == subject[0]).limit(1)
    ):
        raise NotFound(f"there is no version {state!r} of {subject[0]}")
    before = use_in(conn, subject[0])
    row = PromptUse(
        id=new_id("pru"),
        prompt=subject[0],
        version_id=state,
        person_id=person_id,
        created_at=later_than(before),
    )
    store.add_in(conn, [row])

"""The log of what people decided: one row per decision, which undo and redo take from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from sqlalchemy import Connection, select

from annotation.records.ids import Json
from annotation.store import tables as t

ChangeKind = Literal[
    "value",
    "text",
    "opinion",
    "error_source",
    "exclusion",
    "keyframes",
    "pinned_frames",
    "action",
    "cuts",
    "assignment",
    "dismissal",
    "frame_label",
    "study_choice",
    "import",
    "join",
    "prompt",
]
State = Literal["done", "undone", "dropped"]
"""`dropped`: neither undone nor redone any more."""


@dataclass(frozen=True, slots=True)
class Change:
    """One subject of a decision, before and after it."""

    kind: ChangeKind
    subject: tuple[str, ...]
    """`value`: subject type, id, field. `text`: video, author, kind, what it is about. `opinion` (of a
    verdict), `error_source`: verdict, person. `exclusion`: question. `pinned_frames`: question, person.
    `keyframes`: video, person. `action`, `cuts`: video. `assignment`: video, person, task. `dismissal`:
    finding, person. `frame_label`: video, first and second frame, person. `study_choice`: study, sequence,
    frame, person. `import`: the import. `join`: itself, the video that stays and the one that goes. `prompt`:
    its name."""
    before: Json
    after: Json
    """`value`: {"cleared", "value", "revision", "by"}. `opinion`: {"cleared", "value", "reason",
    "revision"}. `text`: the text's id or None. `error_source`: {"kind", "note", "proposed", "since"};
    0.1.0 kept less. `exclusion`: the reason or "".
    `keyframes`, `pinned_frames`: list of frame indices. `action`: the label. `cuts`: id of a scene list.
    `assignment`: {"state", "note"} or None. `dismissal`: the reason or None. `frame_label`: the label or
    "". `study_choice`: {"best", "second"} or None. `import`, `join`: whether it is here. `prompt`: the
    version in use or None."""


@dataclass(frozen=True, slots=True)
class Action:
    """One decision of a person: what one press of undo takes back."""

    id: str
    person_id: str
    video_id: str | None
    """None for a decision on several videos."""
    what: str
    """As a toast says it: "corrected the content of scene 3"."""
    changes: tuple[Change, ...]
    """What undo or redo takes next."""
    state: State
    visit: str
    """The visit of a text field that it belongs to, else empty."""
    created_at: float
    updated_at: float
    whole: bool = False
    """The changes depend on each other: they are undone together or not at all."""
    left_alone: tuple[Change, ...] = ()
    """Changes that an undo or redo left alone, since somebody else had changed the same."""


def stack(person_id: str, video_id: str | None, *states: State) -> Any:
    """A person's decisions in these states, as a query; on one video, if given."""
    c = t.action.c
    query = select(t.action).where(c.person_id == person_id, c.state.in_(states))
    return query if video_id is None else query.where(c.video_id == video_id)


def top(conn: Connection, person_id: str, video_id: str | None, state: State) -> Action | None:
    """What undo (`done`: the last) or redo (`undone`: the first) takes next."""
    at = t.action.c.created_at
    query = stack(person_id, video_id, state).order_by(at.desc() if state == "done" else at).limit(1)
    row = conn.execute(query).mappings().one_or_none()
    return from_row(row) if row else None


def to_row(action: Action) -> dict[str, Any]:
    """As a row of the table."""
    lists = {"changes": action.changes, "left_alone": action.left_alone}
    return asdict(action) | {name: [asdict(one) for one in many] for name, many in lists.items()}


def from_row(row: Any) -> Action:
    """Of a row of the table."""
    lists = {
        name: tuple(Change(c["kind"], tuple(c["subject"]), c["before"], c["after"]) for c in row[name])
        for name in ("changes", "left_alone")
    }
    return Action(**{**row, **lists})

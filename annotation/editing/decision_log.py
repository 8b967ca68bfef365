"""The log of people's decisions: one row per decision, used by undo and redo."""

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
"""`dropped`: can be neither undone nor redone."""


@dataclass(frozen=True, slots=True)
class Change:
    """One subject of a decision, with its state before and after."""

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
    """One decision of a person: one step of undo."""

    id: str
    person_id: str
    video_id: str | None
    """None for a decision on several videos."""
    what: str
    """Text for a toast: "corrected the content of scene 3"."""
    changes: tuple[Change, ...]
    """Changes to undo or redo next."""
    state: State
    visit: str
    """Visit of a text field during which the change was made; empty for other changes."""
    created_at: float
    updated_at: float
    whole: bool = False
    """Whether the changes must be undone together."""
    left_alone: tuple[Change, ...] = ()
    """Changes skipped by an undo or redo, because another person had changed the same subject."""


def stack(person_id: str, video_id: str | None, *states: State) -> Any:
    """Query a person's decisions in these states, optionally on one video."""
    c = t.action.c
    query = select(t.action).where(c.person_id == person_id, c.state.in_(states))
    return query if video_id is None else query.where(c.video_id == video_id)


def top(conn: Connection, person_id: str, video_id: str | None, state: State) -> Action | None:
    """Return the decision to undo (`done`: the last) or redo (`undone`: the first) next."""
    at = t.action.c.created_at
    query = stack(person_id, video_id, state).order_by(at.desc() if state == "done" else at).limit(1)
    row = conn.execute(query).mappings().one_or_none()
    return from_row(row) if row else None


def to_row(action: Action) -> dict[str, Any]:
    """Convert a decision to a row of the table."""
    lists = {"changes": action.changes, "left_alone": action.left_alone}
    return asdict(action) | {name: [asdict(one) for one in many] for name, many in lists.items()}


def from_row(row: Any) -> Action:
    """Convert a row of the table to a decision."""
    lists = {
        name: tuple(Change(c["kind"], tuple(c["subject"]), c["before"], c["after"]) for c in row[name])
        for name in ("changes", "left_alone")
    }
    return Action(**{**row, **lists})

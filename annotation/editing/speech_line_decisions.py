"""Edits lines of speech: split, merge, move, and restore the transcription.

Each edit is one decision: all segments that it affects change in one transaction, and one undo reverts it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from annotation.editing import undo_and_redo
from annotation.people.permissions import require
from annotation.records.decisions import Person
from annotation.records.errors import NotFound, StaleEdit
from annotation.records.ids import Json
from annotation.records.split_merge_move_speech import SHORTEST_S, Piece, merge, move, pieces_json, split
from annotation.records.videos import Video
from annotation.store.current_speech import Line, SpeechState, lines_of, speech_states
from annotation.store.store import Current, Store
from backends.errors import UsageError

TAKEN_S = 0.001
"""If a segment's first line starts at least this much later than the segment, its start was moved away."""


@dataclass(frozen=True, slots=True)
class SeenLine:
    """A line as the page showed it. The change is refused if the segment has changed since."""

    segment_id: str
    piece: int
    text_revision: int
    pieces_revision: int


class _Change:
    """One change of a video's speech, inside a write transaction."""

    def __init__(self, store: Store, conn: Connection, person: Person, video_id: str) -> None:
        self.store, self.conn, self.person, self.video_id = store, conn, person, video_id
        self.states = speech_states(store, video_id)
        self.of = {state.segment.id: state for state in self.states}

    def state(self, seen: SeenLine) -> SpeechState:
        """Return the state of the line's segment. Raises NotFound, StaleEdit."""
        state = self.of.get(seen.segment_id)
        if state is None:
            raise NotFound("this line of speech no longer exists; reload the speech")
        if (state.text.revision, state.pieces.revision) != (seen.text_revision, seen.pieces_revision):
            raise StaleEdit(
                "another person has changed this line; check it and try again",
                current=" ".join(piece.text for piece in state.now.lines),
                revision=state.pieces.revision,
            )
        return state

    def set_pieces(self, what: str, pieces: Mapping[str, Sequence[Piece]]) -> None:
        """Set the pieces of segments."""
        self._record(what, [(i, "pieces", pieces_json(new)) for i, new in pieces.items()])

    def restore(self, what: str, states: Sequence[SpeechState]) -> None:
        """Restore the transcribed words and times of segments."""
        fields = ("pieces", "text")  # the text of a segment can be changed only while it is not split
        corrected = [(s.segment.id, name) for name in fields for s in states if _now(s, name).corrected]
        if not corrected:
            raise UsageError("this line is already as transcribed")
        self._record(what, [(segment_id, name, None) for segment_id, name in corrected])

    def _record(self, what: str, values: Sequence[tuple[str, str, Json]]) -> None:
        """Record one decision: values by segment and field; None removes a correction."""
        changes = []
        for segment_id, name, value in values:
            before = _now(self.of[segment_id], name)
            correction = self.store.correct_in(
                self.conn,
                ("segment", segment_id, name),
                value,
                person_id=self.person.id,
                reason=what,
                base_revision=before.revision,
                cleared=value is None,
            )
            changes.append(undo_and_redo.value_change(before, correction))
        undo_and_redo.record_in(self.conn, self.person.id, self.video_id, what, changes, whole=True)


def _now(state: SpeechState, field: str) -> Current:
    return state.text if field == "text" else state.pieces


def split_line(
    store: Store, person: Person | None, video_id: str, line: SeenLine, caret: int, at_s: float | None = None
) -> None:
    """Split a line before character `caret`, at `at_s` seconds if that is inside the line.

    Raises NotAllowed, NotFound, StaleEdit, UsageError.
    """
    editor, video = require(person, "edit"), store.get(Video, video_id)
    with store.writing() as conn:
        change = _Change(store, conn, editor, video.id)
        pieces = split(change.state(line).now, line.piece, caret, at_s)
        change.set_pieces("split a line of speech", {line.segment_id: pieces})


def merge_lines(
    store: Store, person: Person | None, video_id: str, line: SeenLine, following: SeenLine
) -> None:
    """Merge a line with the next one. Raises as `split_line`."""
    editor, video = require(person, "edit"), store.get(Video, video_id)
    with store.writing() as conn:
        change = _Change(store, conn, editor, video.id)
        first, second = change.state(line), change.state(following)
        places = [(at.segment_id, at.piece) for at in lines_of(change.states)]
        here = (line.segment_id, line.piece), (following.segment_id, following.piece)
        if here not in itertools.pairwise(places):
            raise UsageError("only a line and the one after it can be merged")
        pieces = merge(first.now, line.piece, second.now, following.piece)
        change.set_pieces("merged two lines of speech", pieces)


def move_line(
    store: Store, person: Person | None, video_id: str, line: SeenLine, start_s: float, end_s: float
) -> None:
    """Change the times of a line. A neighbour that it would overlap is shortened.

    Raises as `split_line`.
    """
    editor, video = require(person, "edit"), store.get(Video, video_id)
    with store.writing() as conn:
        change = _Change(store, conn, editor, video.id)
        change.state(line)
        lines = lines_of(change.states)
        places = [(one.segment_id, one.piece) for one in lines]
        if (line.segment_id, line.piece) not in places:
            raise NotFound("this line of speech no longer exists; reload the speech")
        at = places.index((line.segment_id, line.piece))
        moved = [(lines[at], start_s, end_s), *_pushed(lines, at, start_s, end_s)]
        change.set_pieces("moved a line of speech", _moved_pieces(change.of, moved))


def _pushed(lines: Sequence[Line], at: int, start_s: float, end_s: float) -> list[tuple[Line, float, float]]:
    """Return neighbours to shorten: those that did not overlap the line before and would now."""
    own = lines[at]
    pushed = []
    before = lines[at - 1] if at else None
    after = lines[at + 1] if at + 1 < len(lines) else None
    if before and before.end_s <= own.start_s and before.end_s > start_s:
        pushed.append((before, before.start_s, start_s))
    if after and after.start_s >= own.end_s and after.start_s < end_s:
        pushed.append((after, end_s, after.end_s))
    if any(end - start < SHORTEST_S for _, start, end in pushed):
        raise UsageError("the neighbouring line would be empty; merge the two, or move that one first")
    return pushed


def _moved_pieces(
    of: Mapping[str, SpeechState], moved: Sequence[tuple[Line, float, float]]
) -> dict[str, Sequence[Piece]]:
    now = {line.segment_id: of[line.segment_id].now for line, _, _ in moved}
    for line, start, end in moved:
        segment = now[line.segment_id]
        now[line.segment_id] = segment.with_pieces(move(segment, line.piece, start, end))
    return {segment_id: segment.lines for segment_id, segment in now.items()}


def restore_line(store: Store, person: Person | None, video_id: str, line: SeenLine) -> None:
    """Restore a segment's transcription, and that of segments whose lines were merged or shared with it.

    Raises as `split_line`.
    """
    editor, video = require(person, "edit"), store.get(Video, video_id)
    with store.writing() as conn:
        change = _Change(store, conn, editor, video.id)
        change.state(line)
        ids = [state.segment.id for state in change.states]
        first = last = ids.index(line.segment_id)
        while first > 0 and _gave_away(change.states[first]):
            first -= 1
        while last + 1 < len(ids) and _gave_away(change.states[last + 1]):
            last += 1
        cut = [s for s in change.states[first : last + 1] if s.pieces.value is not None]
        own = change.of[line.segment_id]
        change.restore("restored speech as transcribed", cut if own in cut else [own, *cut])


def _gave_away(state: SpeechState) -> bool:
    """Return whether the segment's beginning is now part of the previous line."""
    pieces = state.now.pieces
    if pieces is None:
        return False
    return not pieces or pieces[0].start_s > state.segment.start_s + TAKEN_S

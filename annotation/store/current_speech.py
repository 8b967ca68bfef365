"""The current speech of a video: the transcription with people's corrections and cuts.

Every reader of speech uses this module: stages, pages, subtitles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.records.runs import Run
from annotation.records.split_merge_move_speech import Piece, SegmentNow, read_pieces, timed_words
from annotation.records.videos import Measurement, Segment
from annotation.store.store import Current, Store
from backends.video_and_word_types import Word


@dataclass(frozen=True, slots=True)
class SpeechState:
    """A segment with the current values of its text and of its cuts."""

    segment: Segment
    text: Current
    pieces: Current

    @property
    def now(self) -> SegmentNow:
        s = self.segment
        return SegmentNow(
            s.id, s.start_s, s.end_s, str(self.text.value), read_pieces(self.pieces.value), s.words
        )


@dataclass(frozen=True, slots=True)
class Line:
    """One line of speech. Times are seconds from the start of the presentation."""

    segment_id: str
    piece: int
    """Index of the line within its segment, from 0."""
    start_s: float
    end_s: float
    text: str

    @property
    def timed(self) -> tuple[float, float, str]:
        return self.start_s, self.end_s, self.text


def newest_speech_run(store: Store, video_id: str) -> str | None:
    """Return the id of the newest transcription run, even if it found no speech; None if there is none."""
    heard = {m.run_id for m in store.find(Measurement, video_id=video_id, kind="speech_gaps")}
    heard |= {s.run_id for s in store.find(Segment, video_id=video_id)}
    runs = store.find(Run, id=sorted(heard), order_by=["created_at", "id"])
    return runs[-1].id if runs else None


def speech_states(store: Store, video_id: str) -> list[SpeechState]:
    """Return the segments of the newest transcription with people's changes, in order of time."""
    run = newest_speech_run(store, video_id)
    if run is None:
        return []
    segments = store.find(Segment, video_id=video_id, run_id=run, order_by=["start_s", "index"])
    ids = [s.id for s in segments]
    texts, pieces = store.currents("segment", ids, "text"), store.currents("segment", ids, "pieces")
    return [SpeechState(s, texts[s.id], pieces[s.id]) for s in segments]


def spoken(store: Store, video_id: str) -> list[Line]:
    """Return the current lines in order of time, without empty ones."""
    return [line for line in lines_of(speech_states(store, video_id)) if line.text.strip()]


def heard(store: Store, video_id: str) -> list[Line]:
    """Return the lines as the machine transcribed them, without corrections."""
    segments = (state.segment for state in speech_states(store, video_id))
    return [Line(s.id, 0, s.start_s, s.end_s, s.text) for s in segments if s.text.strip()]


def lines_of(states: Sequence[SpeechState]) -> list[Line]:
    """Return every line, including empty ones, in order of time."""
    lines = [
        Line(state.segment.id, number, piece.start_s, piece.end_s, piece.text)
        for state in states
        for number, piece in enumerate(state.now.lines)
    ]
    return sorted(lines, key=lambda line: line.start_s)  # stable: lines with the same start keep their order


def words_of(line: Line, state: SpeechState, states: Sequence[SpeechState]) -> tuple[Word, ...]:
    """Return the words of the line with their transcribed times, from any nearby segment."""
    if not state.text.corrected and state.pieces.value is None:
        return state.segment.words
    words = [word for near in states for word in near.segment.words if _near(near.segment, line)]
    return timed_words(Piece(line.start_s, line.end_s, line.text), words)


def _near(segment: Segment, line: Line) -> bool:
    return segment.end_s >= line.start_s - 1 and segment.start_s <= line.end_s + 1

"""People's labels of progress between two frames (FrameCapEval). Each person labels independently.

Labels of judges and of other people for a pair are hidden until the person has labelled the pair.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, get_args

from annotation.editing import undo_and_redo
from annotation.editing.decision_log import Change
from annotation.editing.newest_row import FRAME_LABEL
from annotation.people.permissions import require
from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.decisions import FrameLabel, Person
from annotation.records.videos import Frame, Video
from annotation.store.store import Store
from annotation.systems.progress_captioner.frame_sequences import Pair, captions_of, neighbours, sequences_of
from annotation.systems.progress_captioner.requests import Progression
from backends.errors import UsageError

LABELS: tuple[Progression, ...] = ("yes", "no", "uncertain")
LabelOf = dict[tuple[str, Pair], dict[str, FrameLabel]]
"""`{(video, pair): {person id: current label}}`."""


def labels(store: Store, video_id: str = "") -> LabelOf:
    """The latest label of every person and pair, without withdrawn labels."""
    where: dict[str, Any] = {"video_id": video_id} if video_id else {}
    found: LabelOf = defaultdict(dict)
    for row in store.find(FrameLabel, order_by=["created_at", "id"], **where):
        found[row.video_id, (row.first, row.second)][row.person_id] = row
    kept = {key: {who: row for who, row in rows.items() if row.label} for key, rows in found.items()}
    return {key: rows for key, rows in kept.items() if rows}


def pairs_of(store: Store, video_id: str) -> list[Pair]:
    """Pairs to label: neighbours in every sequence, and pairs that a judge or a person has labelled."""
    texts = store.find(Text, video_id=video_id, kind="frame")
    captions = captions_of(store, {text.run_id for text in texts if text.run_id}, video_id)
    captioned = {index for about in captions.values() for index in about}
    if not captioned:
        captioned = {frame.index for frame in store.find(Frame, video_id=video_id)}
    judged = store.find(Verdict, video_id=video_id, subject_type="frame_pair")
    compared = {(int(j.extra["frames"][0]), int(j.extra["frames"][1])) for j in judged if "frames" in j.extra}
    people = {pair for _, pair in labels(store, video_id)}
    return sorted({*neighbours(sequences_of(store, video_id, captioned)), *compared, *people})


def label_pair(store: Store, person: Person | None, video_id: str, pair: Pair, label: str) -> FrameLabel:
    """Set the person's label; an empty label withdraws it. Raises NotAllowed, NotFound, UsageError."""
    editor, video = require(person, "edit"), store.get(Video, video_id)
    if label and label not in get_args(Progression):
        raise UsageError(f"label {label!r} not found; choose from {', '.join(LABELS)}")
    if pair not in pairs_of(store, video.id):
        raise UsageError(f"{video.title} has no pair of frames {pair[0]} and {pair[1]}; reload the page")
    subject = (video.id, str(pair[0]), str(pair[1]), editor.id)
    with store.writing() as conn:
        before = FRAME_LABEL.now(store, conn, subject)
        row = FRAME_LABEL.append(store, conn, subject, label)
        done = f"labelled frames {pair[0]} and {pair[1]}"
        undo_and_redo.record_in(
            conn, editor.id, video.id, done, [Change("frame_label", subject, before, label)]
        )
    return row

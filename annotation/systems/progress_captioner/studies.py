"""Blind user studies of frame captions (ProgressCaptioner, supplement 2.1).

Per sequence the captions of 2 to 5 models are shown without model names, in an order drawn from the
study's seed. Per frame a person chooses the best and the second best, or none. Model names are
shown only after the study is closed.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.editing import undo_and_redo
from annotation.editing.decision_log import Change
from annotation.editing.newest_row import STUDY_CHOICE, WITHDRAWN
from annotation.people.permissions import may, require
from annotation.records.decisions import Person, Study, StudyChoice
from annotation.records.errors import NotAllowed
from annotation.records.ids import new_id
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.systems.progress_captioner.frame_sequences import captions_of, sequences_of
from backends.errors import UsageError

FEWEST, MOST = 2, 5
HIDDEN = "shown when the study is closed"
"""Placeholder for a model's name."""
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Pick:
    """A choice by places in the shuffled order, from 0; both are None if no caption was chosen."""

    best: int | None
    second: int | None = None


def create(
    store: Store,
    person: Person | None,
    name: str,
    run_ids: Sequence[str],
    *,
    most: int | None = None,
    seed: int | None = None,
) -> Study:
    """Create a study over every sequence that all these runs captioned, or over `most` drawn from them.

    Raises NotAllowed, NotFound, UsageError.
    """
    maker, name = require(person, "assign"), name.strip()
    if not name or len(name) > LONGEST_NAME:
        raise UsageError(f"a study needs a name of at most {LONGEST_NAME} characters")
    _require_free(store, name)
    runs = [store.get(Run, run_id).id for run_id in dict.fromkeys(run_ids)]
    if not FEWEST <= len(runs) <= MOST:
        raise UsageError(f"a study compares {FEWEST} to {MOST} models' captions, not {len(runs)}")
    seed = secrets.randbelow(2**31) if seed is None else seed
    sequences = shared_sequences(store, runs)
    if not sequences:
        raise UsageError(
            "these models have no captioned sequence of frames in common; run them over the same frames"
        )
    if most is not None and most < len(sequences):
        chosen = np.random.default_rng(seed).choice(len(sequences), most, replace=False)
        sequences = [sequences[int(place)] for place in sorted(chosen)]
    study = Study(
        id=new_id("std"),
        name=name,
        runs=tuple(runs),
        sequences=tuple(sequences),
        seed=seed,
        person_id=maker.id,
        created_at=time.time(),
    )
    with store.writing():
        _require_free(store, name)
        store.add([study])
    return study


def _require_free(store: Store, name: str) -> None:
    if store.find(Study, name=name):
        raise UsageError(f"a study {name!r} already exists; choose another name")


def shared_sequences(store: Store, run_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Sequences of which every run has all captions: `{"video_id", "frames"}`."""
    captions = captions_of(store, run_ids)
    found = []
    for video in store.find(Video, order_by=["created_at", "id"]):
        sides = [set(captions.get((run_id, video.id), {})) for run_id in run_ids]
        common = set.intersection(*sides)
        if common:
            found += [
                {"video_id": video.id, "frames": list(s)} for s in sequences_of(store, video.id, common)
            ]
    return found


def order_of(study: Study, sequence: int) -> tuple[str, ...]:
    """The runs in the display order of their captions in this sequence; the same for every person."""
    places = np.random.default_rng([study.seed, sequence]).permutation(len(study.runs))
    return tuple(study.runs[int(place)] for place in places)


def choose(
    store: Store, person: Person | None, study_id: str, place: tuple[int, int], pick: Pick | None
) -> StudyChoice:
    """Store a person's choice for one frame at `place` (sequence, frame index); pick None withdraws it.

    Raises NotAllowed, NotFound, UsageError.
    """
    editor, study = require(person, "edit"), store.get(Study, study_id)
    sequence, frame = place
    if not 0 <= sequence < len(study.sequences) or frame not in study.sequences[sequence]["frames"]:
        raise UsageError("this frame is not in the study; reload the page")
    state = _state(study, sequence, pick) if pick else None
    subject = (study.id, str(sequence), str(frame), editor.id)
    with store.writing() as conn:
        if store.get(Study, study.id).closed_at is not None:
            raise UsageError(f"the study {study.name!r} is closed and accepts no more choices")
        before = STUDY_CHOICE.now(store, conn, subject)
        row = STUDY_CHOICE.append(store, conn, subject, state)
        done = f"chose a caption of frame {frame} in the study {study.name}"
        change = Change("study_choice", subject, before, state)
        undo_and_redo.record_in(conn, editor.id, row.video_id, done, [change])
    return row


def _state(study: Study, sequence: int, pick: Pick) -> dict[str, str | None]:
    """Map the picked places to runs. Raises UsageError."""
    order = order_of(study, sequence)
    if pick.best is None and pick.second is not None:
        raise UsageError("choose the best before the second best")
    if pick.best is not None and pick.best == pick.second:
        raise UsageError("the best and the second best must be different captions")
    places = {"best": pick.best, "second": pick.second}
    if any(at is not None and not 0 <= at < len(order) for at in places.values()):
        raise UsageError(f"there are {len(order)} captions to choose from")
    return {name: None if at is None else order[at] for name, at in places.items()}


def choices(store: Store, study: Study, person_id: str = "") -> dict[tuple[int, int, str], StudyChoice]:
    """`{(sequence, frame, person id): current choice}`, without withdrawn choices."""
    where: dict[str, Any] = {"person_id": person_id} if person_id else {}
    rows = store.find(StudyChoice, study_id=study.id, order_by=["created_at", "id"], **where)
    found = {(row.sequence, row.frame, row.person_id): row for row in rows}
    return {key: row for key, row in found.items() if row.best != WITHDRAWN}


def close(store: Store, person: Person | None, study_id: str) -> Study:
    """Close a study to choices and show model names; irreversible. Raises NotAllowed, NotFound."""
    require(person, "assign")
    with store.writing():
        study = store.get(Study, study_id)
        if study.closed_at is None:
            study = replace(study, closed_at=time.time())
            store.put(study)
    return study


def takes_part(store: Store, person: Person) -> list[Study]:
    """Open studies in which this person has made a choice."""
    found = [study for study in store.find(Study) if study.closed_at is None]
    return [study for study in found if choices(store, study, person.id)]


def hidden_runs(store: Store, person: Person) -> frozenset[str]:
    """Runs whose models are hidden from this person: those of open studies in which they take part."""
    if may(person, "assign"):
        return frozenset()
    return frozenset(run_id for study in takes_part(store, person) for run_id in study.runs)


def require_names(store: Store, person: Person) -> None:
    """Guard for views that show model names. Raises NotAllowed for participants in an open study."""
    mine = [] if may(person, "assign") else takes_part(store, person)
    if mine:
        raise NotAllowed(
            f"you take part in the study {mine[0].name!r}, which hides the models' names until it is closed"
        )

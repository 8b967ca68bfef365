"""Makes the workspace of this release that later releases are tested on: `python -m tests.release_workspace`.

The sample through every stage, then people's work through the services of the pages. docs/development.md
says when it is made.
"""

from __future__ import annotations

import gzip
import shutil
import sqlite3
import tempfile
from dataclasses import replace
from pathlib import Path

from annotation.editing import assignments, edits, undo_and_redo
from annotation.editing.assignments import Place
from annotation.editing.cut_edits import CutEdit, change_cuts
from annotation.editing.dismissed_findings import Found, dismiss
from annotation.editing.edits import Edit, OwnText
from annotation.people import who_labels_blind
from annotation.records.captions_to_verdicts import Question, Text, Verdict
from annotation.records.decisions import Person
from annotation.records.version import VERSION
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from tests.browser.conftest import fill
from tests.old_workspaces import dump_of

NAMES = ("first of the release", "second of the release")
SPATIAL = "A paper boat floats on a blue river. A white windmill stands on a hill."
CAMERA = "The camera follows the boat ⛵, then it stays still."
WHY_EXCLUDED = "two answers are right"


def work(space: Workspace) -> None:
    """What two annotators and the owner do; `test_upgrade_from_0_2_0` looks for it."""
    store, owner = space.store, space.owner()
    ann, ben = (space.add_person(name, "annotator") for name in NAMES)
    (video,) = store.find(Video)
    _judge_verdicts(store, ann, ben)
    _write_texts(store, owner, ann, video)
    question = store.find(Question, video_id=video.id, order_by=["id"])[0]
    edits.exclude(store, ben, question.id, WHY_EXCLUDED)
    finding = Found(
        video_id=video.id,
        check="lost",
        subject_type="video",
        subject_id=video.id,
        key="full | a boat",
        why="it is in neither text",
    )
    dismiss(store, ben, finding, "it is right here")
    media, cuts = MediaLibrary(space.media), store.scene_list(video.id)
    change_cuts(store, media, ann, video.id, cuts.id if cuts else "", CutEdit("split", 12))
    media.close()
    edits.pick_frames(store, ben, video.id, [3, 40])
    undo_and_redo.undo(store, ben)


def _judge_verdicts(store: Store, ann: Person, ben: Person) -> None:
    judged = store.find(Verdict, subject_type="answer", state="done", label="no", order_by=["id"])
    free = [one.id for one in judged if not store.history("verdict", one.id, "verdict")]
    both, blind = free[:2]
    _judge(store, ann, both, "yes", 4)
    _judge(store, ben, both, "yes", 3)
    edits.set_error_source(store, ann, both, "judge", "too strict")
    who_labels_blind.set_mode(store, ben, ben.id, on=True)
    _judge(store, ben, blind, "no", 0)
    who_labels_blind.set_mode(store, ben, ben.id, on=False)
    _judge(store, ben, blind, "yes", 5)


def _judge(store: Store, person: Person, verdict_id: str, label: str, score: float) -> None:
    said = store.history("verdict", verdict_id, "verdict")
    value, base = {"label": label, "score": score}, said[-1].revision if said else 0
    edits.apply_edit(store, person, Edit("verdict", verdict_id, "verdict", value, base))


def _write_texts(store: Store, owner: Person, ann: Person, video: Video) -> None:
    edits.write_text(store, ann, OwnText(video.id, "vdc:camera", CAMERA))
    draft = store.find(Text, video_id=video.id, kind="carebench:spatial", order_by=["created_at"])[-1]
    base = store.current("text", draft.id, "value").revision
    edits.apply_edit(store, owner, Edit("text", draft.id, "value", SPATIAL, base))
    assignments.assign(store, owner, [video.id], ann.id, "captions")
    place = Place(video.id, ann.id, "captions")
    assignments.set_state(store, ann, place, "done")
    assignments.set_state(store, owner, place, "approved")


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    fill(folder)
    space = Workspace(folder)
    work(space)
    space.store.put(_elsewhere(space.store.find(Video)[0]))
    space.close()
    with sqlite3.connect(folder / "dailies.db") as conn:
        lines = "\n".join(conn.iterdump())
    conn.close()
    target = dump_of(VERSION)
    target.write_bytes(gzip.compress(lines.encode(), 9, mtime=0))
    shutil.rmtree(folder)
    print(f"{target}: {target.stat().st_size:,} bytes")


def _elsewhere(video: Video) -> Video:
    """The paths of this machine stay out of the file."""
    return replace(video, path="/films/clip.mp4")


if __name__ == "__main__":
    main()

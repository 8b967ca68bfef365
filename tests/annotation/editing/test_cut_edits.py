"""Cuts changed by people, on a real store: versions, undo, texts kept and marked, two people at once."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from annotation.editing import undo_and_redo
from annotation.editing.cut_edits import CutEdit, adopt, change_cuts
from annotation.editing.edits import Edit, OwnText, apply_edit, write_text
from annotation.editing.texts_to_review import looks_right, open_marks
from annotation.records.captions_to_verdicts import Text
from annotation.records.current_cuts import CANDIDATE
from annotation.records.decisions import Dismissal, Person
from annotation.records.elements import Finding
from annotation.records.errors import NotAllowed, NotFound, StaleEdit
from annotation.records.runs import Run
from annotation.records.videos import Scene, SceneList, Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.probe_scenes_speech import scene_records
from annotation.store.cut_versions import CutHistory, lost_scenes
from annotation.store.store import Store
from backends.errors import UsageError
from backends.protocols import PtsTable, SceneCuts
from backends.video.pts_tables import save_table

FRAMES = 400
VIDEO = Video(id="vid-1", title="boat", created_at=1.0)
ANN = Person(id="per-1", name="ann", role="annotator", created_at=1.0)
BEN = Person(id="per-2", name="ben", role="annotator", created_at=1.0)


def variable_table() -> PtsTable:
    """400 frames of 40 and 20 ms in turn, presentation from 0.1 s."""
    pts = np.concatenate(([100], 100 + np.cumsum(np.tile([40, 20], FRAMES // 2))[:-1])).astype(np.int64)
    return PtsTable(pts=pts, keyframes=pts[:1], time_base="1/1000", start_s=0.1, end_s=float(pts[-1]) / 1000)


class Cutting:
    """A video with four scenes of a detector, a text on each, and the requests of a page."""

    def __init__(self, store: Store, media: MediaLibrary) -> None:
        self.store, self.media = store, media
        save_table(variable_table(), media.folder / VIDEO.id / "pts.npz")
        store.add([VIDEO, ANN, BEN])
        self.detect("found", 0, 100, 200, 300)
        self.keys = [scene.key for scene in self.scenes()]
        run = Run(id="run-s", stage="script", backend="baseline", model="m", created_at=time.time())
        store.add([run, *(self._text(n, key, run) for n, key in enumerate(self.keys))])

    @staticmethod
    def _text(n: int, key: str, run: Run) -> Text:
        return Text(
            id=f"txt-{n}",
            video_id=VIDEO.id,
            kind="script:content",
            subject_type="scene",
            subject_id=key,
            value=f"Scene {n}.",
            created_at=time.time(),
            run_id=run.id,
        )

    def detect(self, name: str, *starts: int, note: str = "") -> str:
        run = Run(id=f"run-{name}", stage="scenes", backend=name, model=name, created_at=time.time())
        cuts = SceneCuts(starts=starts, detector={"name": name, "params": {}, "version": "1"})
        self.store.add([run, *scene_records(f"scl-{name}", run, VIDEO, cuts, variable_table(), note=note)])
        return f"scl-{name}"

    def base(self) -> str:
        now = self.store.scene_list(VIDEO.id)
        return now.id if now else ""

    def scenes(self, version: str = "") -> list[Scene]:
        return self.store.find(Scene, scene_list_id=version or self.base(), order_by=["index"])

    def cut(
        self, kind: str, frame: int, by: int = 0, person: Person | None = ANN, base: str = ""
    ) -> SceneList:
        edit = CutEdit(kind, frame, by)
        return change_cuts(self.store, self.media, person, VIDEO.id, base or self.base(), edit)

    def starts(self) -> list[int]:
        return [scene.start_frame for scene in self.scenes()]

    def marked(self) -> set[str]:
        return set(open_marks(CutHistory(self.store, VIDEO.id)))


@pytest.fixture
def cutting(store: Store, tmp_path: Path) -> Iterator[Cutting]:
    media = MediaLibrary(tmp_path / "media")
    yield Cutting(store, media)
    media.close()


def same(scenes: list[Scene]) -> list[tuple[object, ...]]:
    """All that a scene is, beside the version that it stands in."""
    return [
        (s.key, s.index, s.start_frame, s.end_frame, s.start_pts, s.end_pts, s.start_s, s.end_s)
        for s in scenes
    ]


def test_every_change_is_a_version_with_the_files_own_times(cutting: Cutting) -> None:
    first = cutting.base()
    made = cutting.cut("split", 151)
    assert (made.parent_id, made.person_id, made.note) == (first, ANN.id, "split scene 2 at frame 151")
    one, two = cutting.scenes()[1:3]
    table = variable_table()
    assert (one.end_frame, one.end_pts, one.end_s) == (two.start_frame, two.start_pts, two.start_s)
    assert (two.start_pts, two.start_s) == (int(table.pts[151]), pytest.approx(table.seconds[151]))
    assert (one.key, two.key) == (cutting.keys[1], two.key) and two.key not in cutting.keys
    assert same(cutting.scenes(first))[0] == same(cutting.scenes())[0]
    assert len(cutting.scenes(first)) == 4  # the detector's version is as it was


@pytest.mark.parametrize("seed", range(4))
def test_undo_returns_every_earlier_version_bit_for_bit(cutting: Cutting, seed: int) -> None:
    dice = random.Random(seed)
    versions = [same(cutting.scenes())]
    while len(versions) < 12:
        kind, by = dice.choice(("split", "merge", "nudge")), dice.choice((-5, -1, 1, 5))
        frame = dice.choice(cutting.starts()) if kind == "nudge" else dice.randrange(FRAMES)
        try:
            cutting.cut(kind, frame, by)
        except UsageError:
            continue
        versions.append(same(cutting.scenes()))
        assert versions[-1][0][2] == 0 and versions[-1][-1][3] == FRAMES
        assert all(a[3] == b[2] for a, b in zip(versions[-1], versions[-1][1:], strict=False))
    for earlier in reversed(versions[:-1]):
        assert undo_and_redo.undo(cutting.store, ANN)
        assert same(cutting.scenes()) == earlier
    for later in versions[1:]:
        assert undo_and_redo.redo(cutting.store, ANN)
        assert same(cutting.scenes()) == later
    assert CutHistory(cutting.store, VIDEO.id).origin.id == "scl-found"


def test_a_change_of_cuts_that_are_no_longer_there_is_refused(cutting: Cutting) -> None:
    base = cutting.base()
    cutting.cut("nudge", 200, 3)
    before = cutting.store.count(SceneList), cutting.store.count(Scene)
    with pytest.raises(StaleEdit) as refused:
        cutting.cut("split", 150, person=BEN, base=base)
    assert refused.value.current == cutting.base()
    with pytest.raises(UsageError, match="no frame left"):
        cutting.cut("nudge", 100, -100)
    assert (cutting.store.count(SceneList), cutting.store.count(Scene)) == before
    with pytest.raises(NotAllowed):
        cutting.cut("split", 150, person=None)


def test_of_two_people_at_once_one_wins_and_the_other_is_told(cutting: Cutting) -> None:
    base = cutting.base()

    def go(person: Person) -> str:
        try:
            return cutting.cut("split", 50, person=person, base=base).id
        except StaleEdit:
            return "stale"

    with ThreadPoolExecutor(2) as pool:
        ends = list(pool.map(go, (ANN, BEN)))
    assert sorted(end == "stale" for end in ends) == [False, True]
    assert cutting.starts() == [0, 50, 100, 200, 300]


def test_texts_of_scenes_whose_cuts_moved_are_kept_and_marked(cutting: Cutting) -> None:
    cutting.cut("nudge", 200, 1)
    assert cutting.marked() == {"txt-1", "txt-2"}
    mark = open_marks(CutHistory(cutting.store, VIDEO.id))["txt-1"]
    assert (mark.was, mark.now) == ((100, 200), (100, 201))
    cutting.cut("nudge", 201, -1)  # back where it was, by hand
    assert cutting.marked() == set()
    cutting.cut("nudge", 200, 2)
    edit = Edit("text", "txt-1", "value", "Longer by two frames.", 0)
    apply_edit(cutting.store, ANN, edit)
    assert cutting.marked() == {"txt-2"}
    undo_and_redo.undo(cutting.store, ANN)  # the old words again, written for the old frames
    assert cutting.marked() == {"txt-1", "txt-2"}
    undo_and_redo.redo(cutting.store, ANN)
    assert cutting.marked() == {"txt-2"}
    undo_and_redo.undo(cutting.store, ANN)
    undo_and_redo.undo(cutting.store, ANN)
    assert cutting.marked() == set()


def test_looks_right_settles_a_scene_until_its_cuts_move_again(cutting: Cutting) -> None:
    cutting.cut("nudge", 200, 5)
    key = cutting.keys[1]
    assert looks_right(cutting.store, ANN, VIDEO.id, key) == 1
    assert cutting.marked() == {"txt-2"}
    assert [f.check for f in cutting.store.find(Finding)] == ["cut_moved"]
    assert [w.person_id for w in cutting.store.find(Dismissal)] == [ANN.id]
    cutting.cut("nudge", 100, 1)
    assert cutting.marked() == {"txt-0", "txt-1", "txt-2"}
    cutting.cut("nudge", 101, -1)
    assert cutting.marked() == {"txt-2"}
    assert undo_and_redo.undo(cutting.store, ANN) and undo_and_redo.undo(cutting.store, ANN)  # both nudges
    assert (
        undo_and_redo.undo(cutting.store, ANN).action.what
        == "marked the texts of scene 2 as right for its new cuts"
    )
    assert cutting.marked() == {"txt-1", "txt-2"}
    with pytest.raises(NotFound):
        looks_right(cutting.store, ANN, VIDEO.id, "sck-gone")


def test_a_merged_scenes_texts_stay_in_sight_wherever_its_frames_are(cutting: Cutting) -> None:
    cutting.cut("nudge", 200, 50)
    cutting.cut("merge", 120)
    history = CutHistory(cutting.store, VIDEO.id)
    (lost,) = lost_scenes(history)
    assert (lost.key, lost.now_in, lost.merged) == (cutting.keys[2], cutting.keys[1], True)
    assert (lost.start_frame, lost.end_frame) == (250, 300)
    assert cutting.marked() == {"txt-1"}
    made = cutting.cut("split", 240)  # the longer part, 100 to 239, keeps the key
    (lost,) = lost_scenes(CutHistory(cutting.store, VIDEO.id))
    assert lost.now_in == cutting.scenes(made.id)[2].key and lost.now_in not in cutting.keys
    for _ in range(2):
        undo_and_redo.undo(cutting.store, ANN)
    assert lost_scenes(CutHistory(cutting.store, VIDEO.id)) == []


def test_what_a_person_wrote_on_a_scene_that_was_undone_stays_in_sight(cutting: Cutting) -> None:
    cutting.cut("split", 150)
    new = cutting.scenes()[2]
    write_text(cutting.store, BEN, OwnText(VIDEO.id, "script:content", "Mine.", new.key))
    undo_and_redo.undo(cutting.store, ANN)
    (lost,) = lost_scenes(CutHistory(cutting.store, VIDEO.id))
    assert (lost.key, lost.now_in) == (new.key, cutting.keys[1])


def test_whose_cut_it_is_goes_by_where_it_is(cutting: Cutting) -> None:
    def whose() -> list[str]:
        history = CutHistory(cutting.store, VIDEO.id)
        return [history.cut_by(scene) for scene in history.scenes]

    cutting.cut("split", 150)
    cutting.cut("nudge", 300, -2)
    assert whose() == ["", "detector", "person", "detector", "person"]
    history = CutHistory(cutting.store, VIDEO.id)
    assert history.given_up() == [300]
    assert [history.recut(scene) for scene in history.scenes] == [False, True, True, True, True]
    cutting.cut("nudge", 298, 2)
    cutting.cut("merge", 149)
    assert whose() == ["", "detector", "detector", "detector"]
    assert not any(CutHistory(cutting.store, VIDEO.id).recut(scene) for scene in cutting.scenes())


def test_another_detection_replaces_a_persons_cuts_only_with_a_yes(cutting: Cutting) -> None:
    cutting.cut("nudge", 200, 10)
    mine = cutting.base()
    cutting.detect("later", 0, 50, 205)
    candidate = cutting.detect("other", 0, 98, 210, 250, note=CANDIDATE)
    assert cutting.base() == mine
    with pytest.raises(StaleEdit):
        adopt(cutting.store, cutting.media, ANN, VIDEO.id, "scl-found", candidate)
    with pytest.raises(NotFound):
        adopt(cutting.store, cutting.media, ANN, VIDEO.id, mine, mine)  # a person's, not a detector's
    made = adopt(cutting.store, cutting.media, ANN, VIDEO.id, mine, candidate)
    assert (made.run_id, made.detector["name"], made.person_id) == ("run-other", "other", ANN.id)
    assert cutting.starts() == [0, 98, 210, 250]
    assert [scene.key for scene in cutting.scenes()][:2] == cutting.keys[:2]
    history = CutHistory(cutting.store, VIDEO.id)
    assert history.origin == made and history.cut_by(cutting.scenes()[1]) == "detector"
    assert undo_and_redo.undo(cutting.store, ANN)
    assert cutting.starts() == [0, 100, 210, 300]
    assert CutHistory(cutting.store, VIDEO.id).origin.id == "scl-found"


def test_a_candidate_counts_for_nothing_before_that(cutting: Cutting) -> None:
    cutting.detect("other", 0, 10, note=CANDIDATE)
    assert cutting.base() == "scl-found"
    cutting.cut("split", 5)
    assert cutting.starts() == [0, 5, 100, 200, 300] and cutting.marked() == {"txt-0"}


def test_a_video_that_nobody_has_cut_can_be_cut(cutting: Cutting) -> None:
    bare = Video(id="vid-2", title="bare", created_at=1.0)
    cutting.store.add([bare])
    save_table(variable_table(), cutting.media.folder / bare.id / "pts.npz")
    for edit in (CutEdit("split", 0), CutEdit("merge", 0), CutEdit("nudge", 40, 1)):
        with pytest.raises(UsageError, match="no scenes yet; find them with d"):
            change_cuts(cutting.store, cutting.media, ANN, bare.id, "", edit)
    change_cuts(cutting.store, cutting.media, ANN, bare.id, "", CutEdit("split", 40))
    now = cutting.store.scene_list(bare.id)
    assert [s.start_frame for s in cutting.scenes(now.id)] == [0, 40]
    assert CutHistory(cutting.store, bare.id).cut_by(cutting.scenes(now.id)[1]) == "person"
    undo_and_redo.undo(cutting.store, ANN)
    assert cutting.scenes(cutting.store.scene_list(bare.id).id) == []

"""Labels of frame pairs and studies in the store: whose counts, what undo does, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.editing import undo_and_redo
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import FrameLabel, Person, Study, StudyChoice
from annotation.records.errors import NotAllowed
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.videos import Frame, Video
from annotation.store.store import Store
from annotation.systems.progress_captioner import studies
from annotation.systems.progress_captioner.frame_labels import label_pair, labels, pairs_of
from annotation.systems.progress_captioner.studies import Pick
from backends.errors import UsageError

ANN, BEN = (Person(id=f"per-{n}", name=n, role="annotator", created_at=1.0) for n in ("ann", "ben"))
EVA = Person(id="per-eva", name="eva", role="expert", created_at=1.0)


def records(frames: int = 4, models: int = 3) -> list[Record]:
    found: list[Record] = [ANN, BEN, EVA]
    for v in range(2):
        found.append(Video(id=f"vid-{v}", title=f"film {v}", created_at=float(v)))
        found += [Frame(id=f"frm-{v}-{i}", video_id=f"vid-{v}", index=i * 10, pts=i) for i in range(frames)]
    for m in range(models):
        found.append(Run(id=f"run-{m}", stage="frames", backend="x", model=f"model {m}", created_at=1.0))
        found += [
            Text(
                id=f"txt-{m}-{v}-{i}",
                video_id=f"vid-{v}",
                kind="frame",
                subject_type="frame",
                subject_id=f"frm-{v}-{i}",
                value=f"{m} says {i}",
                created_at=1.0,
                run_id=f"run-{m}",
            )
            for v in range(2)
            for i in range(frames)
        ]
    return found


@pytest.fixture
def store(tmp_path: Path):
    found = Store(f"sqlite:///{tmp_path}/dailies.db")
    found.add(records())
    yield found
    found.close()


def test_each_person_has_a_label_and_the_newest_counts(store: Store) -> None:
    assert pairs_of(store, "vid-0") == [(0, 10), (10, 20), (20, 30)]
    label_pair(store, ANN, "vid-0", (0, 10), "yes")
    label_pair(store, ANN, "vid-0", (0, 10), "no")
    label_pair(store, BEN, "vid-0", (0, 10), "uncertain")
    assert {who: row.label for who, row in labels(store)["vid-0", (0, 10)].items()} == {
        ANN.id: "no",
        BEN.id: "uncertain",
    }
    label_pair(store, ANN, "vid-0", (0, 10), "")
    assert list(labels(store, "vid-0")["vid-0", (0, 10)]) == [BEN.id]
    assert store.count(FrameLabel) == 4


def test_a_label_is_undone_and_done_again(store: Store) -> None:
    label_pair(store, ANN, "vid-0", (0, 10), "yes")
    label_pair(store, ANN, "vid-0", (0, 10), "no")
    assert undo_and_redo.undo(store, ANN) is not None
    assert labels(store)["vid-0", (0, 10)][ANN.id].label == "yes"
    undo_and_redo.undo(store, ANN)
    assert labels(store) == {}
    undo_and_redo.redo(store, ANN)
    assert labels(store)["vid-0", (0, 10)][ANN.id].label == "yes"


def test_what_is_no_label_is_refused(store: Store) -> None:
    for pair, label in (((0, 20), "yes"), ((0, 10), "maybe")):
        with pytest.raises(UsageError):
            label_pair(store, ANN, "vid-0", pair, label)
    with pytest.raises(NotAllowed):
        label_pair(store, None, "vid-0", (0, 10), "yes")


def made(store: Store, **more: object) -> Study:
    return studies.create(store, EVA, "which", ["run-0", "run-1", "run-2"], seed=11, **more)  # type: ignore[arg-type]


def test_a_study_shuffles_per_sequence_and_for_everybody_alike(store: Store) -> None:
    study = made(store)
    assert [s["frames"] for s in study.sequences] == [[0, 10, 20, 30]] * 2
    orders = {studies.order_of(study, n) for n in range(30)}
    assert len(orders) == 6 and all(sorted(order) == sorted(study.runs) for order in orders)
    assert studies.order_of(store.get(Study, study.id), 3) == studies.order_of(study, 3)
    drawn = studies.create(store, EVA, "fewer", ["run-0", "run-1"], most=1, seed=2)
    assert len(drawn.sequences) == 1


def test_choices_are_of_runs_and_the_newest_counts(store: Store) -> None:
    study = made(store)
    order = studies.order_of(study, 1)
    studies.choose(store, ANN, study.id, (1, 10), Pick(0))
    studies.choose(store, ANN, study.id, (1, 10), Pick(2, 0))
    studies.choose(store, BEN, study.id, (1, 10), Pick(None))
    found = studies.choices(store, study)
    mine, other = found[1, 10, ANN.id], found[1, 10, BEN.id]
    assert (mine.best, mine.second, mine.video_id) == (order[2], order[0], "vid-1")
    assert (other.best, other.second) == (None, None)
    undo_and_redo.undo(store, ANN)
    assert studies.choices(store, study, ANN.id)[1, 10, ANN.id].best == order[0]
    undo_and_redo.undo(store, ANN)
    assert studies.choices(store, study, ANN.id) == {}
    studies.choose(store, BEN, study.id, (1, 10), None)
    assert studies.choices(store, study) == {} and store.count(StudyChoice) == 6


@pytest.mark.parametrize(
    ("place", "pick"),
    [((0, 5), Pick(0)), ((9, 0), Pick(0)), ((0, 0), Pick(3)), ((0, 0), Pick(1, 1)), ((0, 0), Pick(None, 1))],
)
def test_what_cannot_be_chosen(store: Store, place: tuple[int, int], pick: Pick) -> None:
    study = made(store)
    with pytest.raises(UsageError):
        studies.choose(store, ANN, study.id, place, pick)


def test_who_may_make_and_close_a_study_and_who_is_kept_from_names(store: Store) -> None:
    study = made(store)
    for refused in (
        lambda: studies.create(store, ANN, "mine", ["run-0", "run-1"]),
        lambda: studies.close(store, ANN, study.id),
    ):
        with pytest.raises(NotAllowed):
            refused()
    for runs in (["run-0"], ["run-0", "run-0"]):
        with pytest.raises(UsageError):
            studies.create(store, EVA, "few", runs)
    with pytest.raises(UsageError):
        made(store)  # the name is taken
    studies.require_names(store, ANN)
    studies.choose(store, ANN, study.id, (0, 0), Pick(0))
    with pytest.raises(NotAllowed, match="which"):
        studies.require_names(store, ANN)
    studies.require_names(store, EVA)
    studies.close(store, EVA, study.id)
    studies.require_names(store, ANN)
    with pytest.raises(UsageError):
        studies.choose(store, ANN, study.id, (0, 10), Pick(0))

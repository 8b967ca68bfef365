"""Which text counts, case by case; random work is in `tests/exports/shown_and_written`."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.editing import assignments, edits, undo_and_redo
from annotation.editing.assignments import Place
from annotation.editing.edits import Edit, OwnText
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from annotation.records.errors import NotFound
from annotation.records.runs import Run
from annotation.records.videos import Dataset, Frame, Video
from annotation.store.store import Store
from annotation.systems.vdc.scoring_stages import reference_for
from annotation.texts.which_text_counts import COUNTING, REFERENCES, Whose, counting_texts
from annotation.texts.whose_texts import read_whose
from annotation.texts.writers import writer
from backends.errors import UsageError
from exports.catalogue import format_registry as formats
from exports.generic.text_rows import text_rows

ANN, BEN, EVA = (
    Person(id=f"per-{name}", name=name, role=role, created_at=1.0)
    for name, role in (("ann", "annotator"), ("ben", "expert"), ("eva", "expert"))
)
VIDEO = Video(id="vid-1", title="boat", created_at=1.0)
SPLIT = ("carebench:spatial", "carebench:temporal")


@pytest.fixture
def drafts(store: Store) -> Store:
    """A machine's caption and its split of it, a dataset's short caption."""
    runs = [
        Run(id=f"run-{n}", stage=n, backend="x", model=f"m-{n}", created_at=1.0)
        for n in ("captions", "split")
    ]
    about = {"video_id": "vid-1", "subject_type": "video", "subject_id": "vid-1", "created_at": 2.0}
    store.add(
        [
            *runs,
            VIDEO,
            ANN,
            BEN,
            EVA,
            Dataset(id="dst-1", name="VDC", format="vdc"),
            Text(id="txt-all", kind="vdc:detailed", value="All of it.", run_id="run-captions", **about),
            Text(id="txt-short", kind="vdc:short", value="A boat.", dataset_id="dst-1", **about),
            *(
                Text(
                    id=f"txt-{kind}",
                    kind=kind,
                    value=f"Draft of {kind}.",
                    run_id="run-split",
                    source_text_id="txt-all",
                    baseline=True,
                    **about,
                )
                for kind in SPLIT
            ),
        ]
    )
    return store


def change(store: Store, who: Person, text_id: str, words: str) -> None:
    base = store.current("text", text_id, "value").revision
    edits.apply_edit(store, who, Edit("text", text_id, "value", words, base))


def test_a_split_that_was_corrected_and_approved_is_exported(drafts: Store, tmp_path: Path) -> None:
    assignments.assign(drafts, EVA, ["vid-1"], ANN.id, "split")
    for kind in SPLIT:
        change(drafts, ANN, f"txt-{kind}", f"Ann's {kind}.")
    place = Place("vid-1", ANN.id, "split")
    assignments.set_state(drafts, ANN, place, "done")
    assignments.set_state(drafts, EVA, place, "approved")
    found = counting_texts(drafts, SPLIT)["vid-1"]
    assert {(one.value, one.writer.id, one.standing) for one in found.values()} == {
        (f"Ann's {kind}.", ANN.id, "approved") for kind in SPLIT
    }
    (file,) = formats.write(drafts, "carebench", tmp_path / "out.json")
    text = file.read_text("utf-8")
    assert all(
        words in text for words in ("Ann's carebench:spatial.", "Ann's carebench:temporal.", "All of it.")
    )


def test_one_person_s_words_are_in_one_file_whoever_changed_them_since(drafts: Store, tmp_path: Path) -> None:
    change(drafts, ANN, "txt-all", "Ann corrected the machine.")
    edits.write_text(drafts, ANN, OwnText("vid-1", "vdc:short", "Ann's own short caption."))
    change(drafts, BEN, "txt-all", "Ben changed it again.")
    (file,) = formats.write(drafts, "vdc-captions", tmp_path / "ann.jsonl", whose="ann")
    text = file.read_text("utf-8")
    assert "Ann corrected the machine." in text and "Ann's own short caption." in text
    assert counting_texts(drafts, ["vdc:detailed"])["vid-1"]["vdc:detailed"].value == "Ben changed it again."


def test_an_undone_text_is_not_a_reference(drafts: Store) -> None:
    edits.write_text(drafts, ANN, OwnText("vid-1", "vdc:short", "A ship."))
    assert reference_for(drafts, "vid-1", "short")[1] == "A ship."
    undo_and_redo.undo(drafts, ANN)
    text, words = reference_for(drafts, "vid-1", "short")
    assert (text and text.id, words) == ("txt-short", "A boat.")


def test_what_undo_brings_back_belongs_to_who_wrote_it(drafts: Store) -> None:
    change(drafts, ANN, "txt-all", "Ann's words.")
    change(drafts, BEN, "txt-all", "Ben's words.")
    undo_and_redo.undo(drafts, BEN)
    one = counting_texts(drafts, ["vdc:detailed"])["vid-1"]["vdc:detailed"]
    assert (one.value, one.writer.id) == ("Ann's words.", ANN.id)
    assert writer(drafts, one.text, one.now).id == ANN.id
    of_ben = counting_texts(drafts, ["vdc:detailed"], Whose("person", BEN.id))
    assert of_ben == {}


def test_references_leave_out_what_a_machine_began(drafts: Store) -> None:
    change(drafts, ANN, "txt-all", "Ann corrected the machine.")
    assert set(counting_texts(drafts, ["vdc:detailed", "vdc:short"], REFERENCES)["vid-1"]) == {"vdc:short"}


def test_rows_name_every_kind_of_subject(drafts: Store) -> None:
    frame = Frame(id="frm-1", video_id="vid-1", index=3, pts=3)
    about = {"video_id": "vid-1", "subject_type": "frame", "subject_id": "frm-1", "created_at": 2.0}
    drafts.add([frame, Text(id="txt-f", kind="frame", value="A sail.", run_id="run-captions", **about)])
    (row,) = text_rows(drafts, ["frame"])
    assert (row["about"], row["subject_id"], row["text"]) == ("frame", "frm-1", "A sail.")


def test_whose_is_a_choice_or_a_person(drafts: Store) -> None:
    assert (read_whose(drafts, ""), read_whose(drafts, "counting")) == (COUNTING, COUNTING)
    assert read_whose(drafts, "ann") == read_whose(drafts, ANN.id) == Whose("person", ANN.id)
    with pytest.raises(NotFound, match="counting, references, or a person: 'ann', 'ben', 'eva'"):
        read_whose(drafts, "zoe")
    with pytest.raises(UsageError, match="no machine values"):
        counting_texts(drafts, ["vdc:short"], Whose("person", ANN.id), "machine")

"""Texts that a person writes where there were none: made once, typed on, taken away as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.editing import edits as services
from annotation.editing import undo_and_redo
from annotation.editing.edits import Edit, OwnText
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Correction, Person
from annotation.records.errors import StaleEdit
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace

VIDEO = Video(id="vid-1", title="A boat", created_at=1.0)
ANA = Person(id="per-ana", name="ana", role="annotator", created_at=1.0)
EVA = Person(id="per-eva", name="eva", role="expert", created_at=2.0)
KIND = "vdc:short"


@pytest.fixture
def desk(store: Store) -> Store:
    store.add([VIDEO, ANA, EVA])
    return store


def write(desk: Store, words: str, base: int = 0, visit: str = "v1", who: Person = ANA) -> Correction:
    return services.write_text(desk, who, OwnText(VIDEO.id, KIND, words, base_revision=base, visit=visit))


def edit(desk: Store, text_id: str, words: str, base: int, who: Person = ANA, visit: str = "v1") -> None:
    services.apply_edit(desk, who, Edit("text", text_id, "value", words, base, visit=visit))


def standing(desk: Store) -> list[str]:
    """The texts of this kind that count."""
    now = desk.currents("text", [text.id for text in desk.find(Text, kind=KIND)], "value")
    return [str(one.value) for one in now.values() if not one.superseded]


def test_the_first_words_make_the_text_and_the_rest_changes_it(desk: Store) -> None:
    first = write(desk, "A bo")
    edit(desk, first.subject_id, "A boat", first.revision)
    assert standing(desk) == ["A boat"]
    assert len(desk.find(Text, kind=KIND)) == 1
    assert desk.current("text", first.subject_id, "value").machine == ""


def test_a_second_window_does_not_make_a_second_text(desk: Store) -> None:
    first = write(desk, "Window one.")
    with pytest.raises(StaleEdit) as refused:
        write(desk, "Window two.", visit="v2")
    assert (refused.value.current, refused.value.revision) == ("Window one.", 1)
    assert refused.value.subject == ("text", first.subject_id, "value")
    write(desk, "Both windows.", base=1, visit="v2")
    assert standing(desk) == ["Both windows."]


def test_the_same_words_sent_twice_are_one_change(desk: Store) -> None:
    """A page that is left sends what was typed; the next page finds its draft and sends it too."""
    first = write(desk, "A bo")
    edit(desk, first.subject_id, "A boat", first.revision)
    edit(desk, first.subject_id, "A boat", first.revision)
    again = write(desk, "A boat", base=0)
    assert again.revision == first.revision + 1
    assert len(desk.history("text", first.subject_id, "value")) == 2
    edit(desk, first.subject_id, "A red boat", again.revision, EVA)
    with pytest.raises(StaleEdit):
        edit(desk, first.subject_id, "A red boat", first.revision)
    assert len(desk.find(Text, kind=KIND)) == 1


def test_two_people_each_write_their_own(desk: Store) -> None:
    write(desk, "By ana.")
    write(desk, "By eva.", who=EVA)
    assert sorted(standing(desk)) == ["By ana.", "By eva."]


def test_one_undo_takes_a_text_away_that_was_typed_in_one_visit(desk: Store) -> None:
    first = write(desk, "A")
    for n, words in enumerate(("A boat", "A boat sails"), 1):
        edit(desk, first.subject_id, words, n)
    undone = undo_and_redo.undo(desk, ANA)
    assert undone is not None and undone.action.what == "wrote the short caption"
    assert standing(desk) == [] and undo_and_redo.undo(desk, ANA) is None
    undo_and_redo.redo(desk, ANA)
    assert standing(desk) == ["A boat sails"]


def test_a_later_visit_is_undone_by_itself(desk: Store) -> None:
    first = write(desk, "A boat")
    edit(desk, first.subject_id, "A ship", 1, visit="v2")
    undone = undo_and_redo.undo(desk, ANA)
    assert undone is not None and undone.action.what == "changed the short caption"
    assert standing(desk) == ["A boat"]


def test_undo_does_not_take_away_a_text_in_which_another_person_wrote(desk: Store) -> None:
    first = write(desk, "Ana's words")
    edit(desk, first.subject_id, "Eva's words", 1, EVA)
    with pytest.raises(StaleEdit, match="not undone; changed since by eva"):
        undo_and_redo.undo(desk, ANA)
    assert standing(desk) == ["Eva's words"]


def test_typing_after_another_person_is_a_step_of_its_own(desk: Store) -> None:
    first = write(desk, "Ana's words")
    edit(desk, first.subject_id, "Eva's words", 1, EVA)
    edit(desk, first.subject_id, "Ana's second words", 2)
    undo_and_redo.undo(desk, ANA)
    assert standing(desk) == ["Eva's words"]
    with pytest.raises(StaleEdit, match="changed since by eva"):
        undo_and_redo.undo(desk, ANA)
    undo_and_redo.undo(desk, EVA)
    assert standing(desk) == ["Ana's words"]


def test_a_text_whose_words_were_all_deleted_does_not_stand_before_others(desk: Store) -> None:
    first = write(desk, "x")
    edit(desk, first.subject_id, "", 1)
    assert standing(desk) == []
    edit(desk, first.subject_id, "A boat", 2)
    assert standing(desk) == ["A boat"]


def test_an_emptied_text_does_not_come_back_beside_its_successor(desk: Store) -> None:
    first = write(desk, "x")
    edit(desk, first.subject_id, "", 1)
    write(desk, "Written anew.", visit="v2")
    edit(desk, first.subject_id, "From the old window.", 2)
    assert standing(desk) == ["Written anew."]


def test_who_changed_a_text_last_is_known(desk: Store) -> None:
    first = write(desk, "By ana.")
    assert desk.current("text", first.subject_id, "value").by == ANA.id
    edit(desk, first.subject_id, "By ana, read by eva.", 1, who=EVA)
    assert desk.current("text", first.subject_id, "value").by == EVA.id


def test_a_workspace_has_one_name_for_good(tmp_path: Path) -> None:
    names = []
    for _ in range(2):
        space = Workspace(tmp_path / "workspace")
        names.append(space.id)
        space.close()
    assert names[0] == names[1] and names[0].startswith("wsp-")

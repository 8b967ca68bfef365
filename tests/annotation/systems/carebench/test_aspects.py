"""CaReBench captions by people: fields, merging with its sources, returning, approving, progress."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.editing import assignments, undo_and_redo
from annotation.editing import edits as services
from annotation.editing.assignments import Place
from annotation.editing.edits import Edit, OwnText
from annotation.records import fingerprints
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Assignment, Correction, Merge, Person
from annotation.records.errors import NotAllowed, StaleEdit
from annotation.records.videos import Dataset
from annotation.store.store import Current
from annotation.systems.carebench import write_merge_approve
from annotation.systems.carebench.origin_of_merged_part import Version, came_from, rewritten
from annotation.systems.carebench.progress_time_and_agreement import (
    STATES,
    agreement,
    mean_agreement,
    progress,
)
from annotation.texts.which_text_counts import REFERENCES, counting_texts
from annotation.workspace.workspace import Workspace
from backends.errors import UsageError
from tests.ui.aspect_world import ANN, BEN, EVA, VIDEO, World

OTHER = Person(id="per-max", name="max", role="expert", created_at=5.0)
PLACE = Place(VIDEO, ANN.id, "aspects")


@pytest.fixture
def world(tmp_path: Path, database: str) -> Iterator[World]:
    space = Workspace(tmp_path / "workspace", database)
    yield World(space)
    space.close()


def written(world: World) -> None:
    world.give(ANN, BEN)
    world.write(ANN, "Ann saw all of the long and winding")
    world.write(BEN, "Ben heard something else near a short")
    for who in (ANN, BEN):
        world.say(who, "done")


def state(world: World) -> str:
    (found,) = progress(world.store)
    return found.state


def approve(world: World) -> list[Assignment]:
    return write_merge_approve.approve(world.store, EVA, VIDEO, world.shown(EVA))


def put(world: World, text_id: str, value: str) -> None:
    base = world.store.current("text", text_id, "value").revision
    services.apply_edit(world.store, EVA, Edit("text", text_id, "value", value, base))


def test_two_windows_make_the_same_four_fields(world: World) -> None:
    world.give(ANN)
    first, second = (write_merge_approve.begin(world.store, ANN, VIDEO) for _ in range(2))
    assert list(first) == ["overview", "object", "action", "misc"]
    assert [p.text.id for p in first.values()] == [p.text.id for p in second.values()]
    assert world.store.count(Text) == 4
    with pytest.raises(NotAllowed, match="not assigned to you"):
        write_merge_approve.begin(world.store, BEN, VIDEO)


def test_merging_begins_when_all_are_done_and_has_one_hand(world: World) -> None:
    world.store.add([OTHER])
    world.give(ANN, BEN)
    world.say(ANN, "done")
    with pytest.raises(UsageError, match="still being written"):
        write_merge_approve.begin_merge(world.store, EVA, VIDEO)
    world.say(BEN, "done")
    with pytest.raises(NotAllowed):
        write_merge_approve.begin_merge(world.store, ANN, VIDEO)
    write_merge_approve.begin_merge(world.store, EVA, VIDEO)
    with pytest.raises(NotAllowed, match="eva is merging"):
        write_merge_approve.begin_merge(world.store, OTHER, VIDEO)
    with pytest.raises(UsageError, match="only experts"):
        assignments.assign(world.store, EVA, [VIDEO], ANN.id, "merge")


def test_a_caption_is_joined_in_order_and_says_what_it_came_from(world: World) -> None:
    written(world)
    with pytest.raises(NotAllowed, match="Merge tab"):
        write_merge_approve.write_full(world.store, EVA, VIDEO)
    ids = {
        name: part.text.id for name, part in write_merge_approve.begin_merge(world.store, EVA, VIDEO).items()
    }
    put(world, ids["overview"], "Ann saw all of the long and winding overview.")
    bens = write_merge_approve.parts_of(world.store, VIDEO, BEN.id)
    put(world, ids["object"], bens["object"].value)
    put(world, ids["object"], "Ben heard something else near a short green object.")
    # As like Ben's as the objects are, but typed into an empty field.
    put(world, ids["action"], bens["action"].value)
    put(world, ids["action"], "")
    put(world, ids["action"], "Ben heard something else near a short green action.")
    with pytest.raises(UsageError, match="Misc is empty"):
        write_merge_approve.write_full(world.store, EVA, VIDEO)
    put(world, ids["misc"], " The end. ")
    made = write_merge_approve.write_full(world.store, EVA, VIDEO)
    full = write_merge_approve.full_of(world.store, VIDEO, EVA.id)
    assert full is not None and full.value == (
        "Ann saw all of the long and winding overview. Ben heard something else near a short green object. "
        "Ben heard something else near a short green action. The end."
    )
    assert {name: (part["how"], part.get("by")) for name, part in made.parts.items()} == {
        "overview": ("taken", ANN.id),
        "object": ("edited", BEN.id),
        "action": ("own", None),
        "misc": ("own", None),
    }
    theirs = write_merge_approve.parts_of(world.store, VIDEO, ANN.id)["overview"]
    assert made.parts["overview"]["from_id"] == theirs.text.id and made.parts["overview"]["revision"] == 1


def test_joining_again_lays_over_what_is_there_and_undo_brings_its_sources_back(world: World) -> None:
    written(world)
    ids = world.merge(EVA, "Merged is the")
    first = write_merge_approve.write_full(world.store, EVA, VIDEO)
    source = world.value(first.text_id)
    made_of = {"source_text_id": first.text_id, "source_hash": fingerprints.of_text(source)}
    own = OwnText(VIDEO, "carebench:spatial", "x", **made_of)
    side_id = services.write_text(world.store, EVA, own).subject_id
    put(world, ids["misc"], "Another end.")
    with pytest.raises(UsageError, match="changed since they were joined"):
        approve(world)
    with pytest.raises(StaleEdit):
        write_merge_approve.write_full(world.store, EVA, VIDEO, base_revision=3)
    assert world.store.count(Merge) == 1
    second = write_merge_approve.write_full(world.store, EVA, VIDEO)
    assert second.text_id == first.text_id and world.value(first.text_id).endswith("Another end.")
    assert world.store.current("text", side_id, "value").stale

    def source_of_now() -> Merge | None:
        return write_merge_approve.merge_of(
            world.store, write_merge_approve.full_of(world.store, VIDEO, EVA.id)
        )

    assert source_of_now() == second
    undo_and_redo.undo(world.store, EVA)
    assert world.value(first.text_id) == source and source_of_now() == first
    assert not world.store.current("text", side_id, "value").stale


def test_returned_work_says_where_and_approval_is_one_decision(world: World) -> None:
    written(world)
    world.merge(EVA, "Merged is the")
    with pytest.raises(UsageError, match="no full caption"):
        approve(world)
    write_merge_approve.write_full(world.store, EVA, VIDEO)
    row = write_merge_approve.return_work(world.store, EVA, PLACE, "which hand?", "action", "winding")
    assert (row.state, row.note) == ("returned", "Actions “winding”: which hand?")
    for words, where in (("", "action"), ("x", "sound")):
        with pytest.raises(UsageError):
            write_merge_approve.return_work(world.store, EVA, PLACE, words, where)
    with pytest.raises(UsageError, match="still being written"):
        approve(world)
    assert state(world) == "returned"
    assignments.begin(world.store, ANN, PLACE)
    assert state(world) == "writing"  # again, though there is a merged caption
    world.say(ANN, "done")
    approve(world)
    states = {(r.person_id, r.task): r.state for r in assignments.all_work(world.store).values()}
    assert set(states.values()) == {"approved"} and len(states) == 3
    for act in (
        lambda: write_merge_approve.write_full(world.store, EVA, VIDEO),
        lambda: write_merge_approve.return_work(world.store, EVA, PLACE, "once more"),
    ):
        with pytest.raises(UsageError, match="approved"):
            act()
    undo_and_redo.undo(world.store, EVA)
    assert state(world) == "merged"
    undo_and_redo.redo(world.store, EVA)
    write_merge_approve.reopen(world.store, EVA, VIDEO)
    assert state(world) == "merged"


def test_words_that_were_rewritten_since_they_were_merged_are_told(world: World) -> None:
    written(world)
    ids = world.merge(EVA, "Merged is the")
    old = "Ben heard something else near a short object."
    put(world, ids["object"], old)
    joined = write_merge_approve.write_full(world.store, EVA, VIDEO)
    theirs = write_merge_approve.parts_of(world.store, VIDEO, BEN.id)["object"]
    assert joined.parts["object"]["how"] == "taken" and joined.parts["object"]["from_revision"] == 1
    assert rewritten(world.store, joined.parts["object"], theirs) is None
    write_merge_approve.return_work(world.store, EVA, Place(VIDEO, BEN.id, "aspects"), "which one?", "object")
    new = "A wholly different sentence stands here now."
    services.apply_edit(world.store, BEN, Edit("text", theirs.text.id, "value", new, 1))
    world.say(BEN, "done")
    theirs = write_merge_approve.parts_of(world.store, VIDEO, BEN.id)["object"]
    assert rewritten(world.store, joined.parts["object"], theirs) == old
    # The merged part holds the words of then, whoever looks for them, and joining again says so.
    found = write_merge_approve.sources_of(
        world.store, VIDEO, write_merge_approve.parts_of(world.store, VIDEO, EVA.id)
    )
    assert found["object"] == {"how": "taken", "by": BEN.id, "from_id": theirs.text.id, "from_revision": 1}
    page = world.read(EVA, "aspects")["merge"]
    assert {key: page["from"]["object"][key] for key in ("how", "by", "was")} == {
        "how": "taken",
        "by": "ben",
        "was": old,
    }
    assert page["sources"]["object"]["was"] == old and page["sources"]["misc"]["was"] is None
    put(world, ids["object"], new)
    assert write_merge_approve.write_full(world.store, EVA, VIDEO).parts["object"]["from_revision"] == 2
    assert world.read(EVA, "aspects")["merge"]["from"]["object"]["was"] is None


def test_approval_is_of_the_versions_that_were_shown_and_keeps_them(world: World) -> None:
    written(world)
    world.merge(EVA, "Merged is the")
    write_merge_approve.write_full(world.store, EVA, VIDEO)
    before = world.shown(EVA)
    part = write_merge_approve.parts_of(world.store, VIDEO, BEN.id)["action"]
    write_merge_approve.return_work(world.store, EVA, Place(VIDEO, BEN.id, "aspects"), "who?", "action")
    services.apply_edit(world.store, BEN, Edit("text", part.text.id, "value", "Rewritten.", 1))
    world.say(BEN, "done")
    with pytest.raises(StaleEdit, match="changed since this page was shown: Actions by ben; check"):
        write_merge_approve.approve(world.store, EVA, VIDEO, before)
    with pytest.raises(StaleEdit, match="the full caption by eva"):
        write_merge_approve.approve(world.store, EVA, VIDEO, {})
    with world.client(EVA) as app:
        refused = app.post(f"/api/aspects/{VIDEO}/approve", json={"versions": before, "sure": True})
        assert refused.status_code == 409 and "Actions by ben" in refused.json()["error"]
        assert app.post(f"/api/aspects/{VIDEO}/approve").status_code == 422
    with pytest.raises(UsageError, match="on its Merge tab"):
        world.say(EVA, "approved", task="merge")
    assert state(world) == "merged"
    now = world.shown(EVA)
    rows = write_merge_approve.approve(world.store, EVA, VIDEO, now)
    assert {key: value for row in rows for key, value in row.versions.items()} == now
    undo_and_redo.undo(world.store, EVA)
    undo_and_redo.redo(world.store, EVA)
    kept = {r.person_id: r.versions for r in assignments.all_work(world.store).values()}
    assert kept[BEN.id][part.text.id] == 2
    page = world.read(EVA, "aspects")["merge"]
    assert page["approved"] == page["full"]["revision"] == 0
    full = write_merge_approve.full_of(world.store, VIDEO, EVA.id)
    assert full is not None
    put(world, full.text.id, "Changed after all.")
    page = world.read(EVA, "aspects")["merge"]
    assert (page["approved"], page["full"]["revision"]) == (0, 1)


def test_an_approval_is_not_done_again_over_other_words(world: World) -> None:
    written(world)
    world.merge(EVA, "Merged is the")
    full = write_merge_approve.write_full(world.store, EVA, VIDEO)
    approve(world)
    undo_and_redo.undo(world.store, EVA)
    world.store.correct(
        "text", full.text_id, "value", "By another window.", person_id=EVA.id, base_revision=0
    )
    with pytest.raises(StaleEdit, match="approved the merged caption: not redone; the texts that were"):
        undo_and_redo.redo(world.store, EVA)
    assert state(world) == "merged"


def test_what_is_approved_goes_before_the_reference_and_that_before_work_in_hand(world: World) -> None:
    data = Dataset(id="dat-1", name="CaReBench", format="carebench")
    kind = "carebench:full"
    reference = Text(
        id="txt-r",
        video_id=VIDEO,
        kind=kind,
        subject_type="video",
        subject_id=VIDEO,
        value="reference",
        created_at=1.0,
        dataset_id=data.id,
    )
    world.store.add([data, reference])

    def counts() -> str:
        return counting_texts(world.store, [kind], REFERENCES)[VIDEO][kind].text.id

    written(world)
    world.merge(EVA, "Merged is the")
    merged = write_merge_approve.write_full(world.store, EVA, VIDEO).text_id
    assert counts() == "txt-r"
    approve(world)
    assert counts() == merged
    by_hand = services.write_text(world.store, BEN, OwnText(VIDEO, kind, "by hand")).subject_id
    assert counts() == merged  # though it is newer
    write_merge_approve.reopen(world.store, EVA, VIDEO)
    assert counts() == by_hand


def test_a_video_goes_through_its_states(world: World) -> None:
    world.give(ANN, BEN)
    seen = [state(world)]
    assignments.begin(world.store, ANN, PLACE)
    seen.append(state(world))
    for who in (ANN, BEN):
        world.say(who, "done")
    seen.append(state(world))
    world.say(EVA, "returned", of=ANN)
    assert state(world) == "returned"
    world.say(ANN, "done")
    world.merge(EVA, "Merged is the")
    write_merge_approve.write_full(world.store, EVA, VIDEO)
    seen.append(state(world))
    approve(world)
    seen.append(state(world))
    world.give(ANN, task="split")
    world.say(ANN, "done", task="split")
    seen.append(state(world))
    world.say(EVA, "approved", task="split", of=ANN)
    seen.append(state(world))
    assert seen == [name for name in STATES if name != "returned"]


def test_minutes_leave_pauses_out_and_count_the_writer_alone(world: World) -> None:
    text = Text(
        id="txt-1",
        video_id=VIDEO,
        kind="carebench:misc",
        subject_type="video",
        subject_id=VIDEO,
        value="",
        created_at=1010.0,
        person_id=ANN.id,
    )
    steps = (("open", 0.0), ("working", 1000.0), ("done", 1700.0))
    work = [
        Assignment(id=f"asg-{n}", video_id=VIDEO, person_id=ANN.id, task="aspects", state=said, created_at=at)
        for n, (said, at) in enumerate(steps)
    ]
    world.store.add([text, *work])

    def saved(n: int, at: float, by: str) -> Correction:
        return Correction(
            id=f"cor-{n}",
            subject_type="text",
            subject_id="txt-1",
            field="value",
            value="x",
            cleared=False,
            revision=n,
            person_id=by,
            reason="",
            created_at=at,
        )

    saves = [
        saved(1, 1070.0, ANN.id),
        saved(2, 1100.0, EVA.id),
        saved(3, 1190.0, ANN.id),
        saved(4, 1640.0, ANN.id),
    ]
    world.store.restore((), saves)
    (found,) = progress(world.store)
    # 10 + 60 + 120 s, a break of 450 s that is not counted, 60 s to the end.
    assert found.minutes == {ANN.id: pytest.approx(250 / 60)}


def test_agreement_is_a_mean_over_videos_that_have_both(world: World) -> None:
    one, other = {"overview": "a red cat runs", "misc": "x"}, {"overview": "a black cat runs", "misc": " "}
    found = agreement([one, other])
    assert list(found) == ["overview"]
    assert (found["overview"].rouge_l, found["overview"].shared) == (pytest.approx(0.75), pytest.approx(0.5))
    written(world)
    (video,) = progress(world.store)
    means = mean_agreement([video, video])
    assert means["misc"][1] == 2 and 0 < means["misc"][0].rouge_l < 1
    world.say(EVA, "returned", of=ANN)
    assert progress(world.store)[0].agreement == {}


def test_whose_words_a_part_holds(world: World) -> None:
    now = Current(
        value="one two three four five six",
        machine="",
        revision=2,
        corrected=True,
        stale=False,
        superseded=False,
        state="done",
        error_source="",
    )
    text = Text(
        id="txt-1",
        video_id=VIDEO,
        kind="carebench:misc",
        subject_type="video",
        subject_id=VIDEO,
        value="",
        created_at=1.0,
        person_id=ANN.id,
    )
    theirs = {ANN.id: [Version(text.id, now.revision, str(now.value)), Version(text.id, 1, "an older text")]}
    taken = came_from([" one two three four five six "], theirs)
    assert taken == {"how": "taken", "by": ANN.id, "from_id": "txt-1", "from_revision": 2}
    edited = ["one two three nine", "one two three four five six"]
    assert came_from(edited, theirs)["how"] == "edited"
    assert came_from(["an older text"], theirs) == taken | {"from_revision": 1}
    typed_alike, typed_over = edited[:1], ["seven eight", *edited]
    assert came_from(typed_alike, theirs) == came_from(typed_over, theirs) == {"how": "own"}
    assert came_from(["x"], {}) == came_from([], theirs) == {"how": "own"}

"""Two annotators write blind: no route gives either a word of the other's before all are done."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.editing import assignments, find_and_replace, undo_and_redo
from annotation.editing import edits as services
from annotation.editing.assignments import Place
from annotation.editing.edits import Edit, OwnText
from annotation.editing.find_and_replace import Search
from annotation.records.captions_to_verdicts import Text
from annotation.records.errors import NotAllowed, StaleEdit
from annotation.records.runs import Run
from annotation.systems.carebench import write_merge_approve
from exports.catalogue.format_registry import FORMATS
from tests.databases import new_workspace
from tests.ui.aspect_world import ANN, BEN, CID, EVA, VIDEO, World
from tests.ui.every_route import ENDLESS
from tests.ui.test_blind import IN_PATH
from ui.routers import ROUTERS

SECRET = "zebrafinch"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    space = new_workspace(tmp_path / "workspace")
    yield World(space)
    space.close()


def merged_and_returned(world: World) -> list[str]:
    """Ben's parts, a merge and what a machine made of it all hold the secret; Ann writes again."""
    world.give(ANN, BEN)
    world.write(ANN, "Plain words about the")
    ids = [*world.write(BEN, f"A {SECRET} is the").values()]
    for who in (ANN, BEN):
        world.say(who, "done")
    ids += world.merge(EVA, f"The {SECRET} and the").values()
    full = write_merge_approve.write_full(world.store, EVA, VIDEO).text_id
    own = OwnText(VIDEO, "carebench:spatial", f"{SECRET} rock", source_text_id=full)
    spatial = services.write_text(world.store, EVA, own).subject_id
    world.store.add([Run(id="run-s", stage="split", backend="baseline", model="m", created_at=1.0)])
    machine = Text(
        id="txt-machine",
        video_id=VIDEO,
        kind="carebench:temporal",
        subject_type="video",
        subject_id=VIDEO,
        value=f"A {SECRET} flies.",
        created_at=9.0,
        run_id="run-s",
        source_text_id=full,
    )
    world.store.add([machine])
    write_merge_approve.return_work(
        world.store, EVA, Place(VIDEO, BEN.id, "aspects"), "too long", "object", SECRET
    )
    world.say(EVA, "returned", of=ANN)
    return [*ids, full, spatial, machine.id]


def addresses(ids: list[str]) -> Iterator[str]:
    """Every GET route of ours, filled in with the texts of others; a new parameter is added to IN_PATH."""
    here = dict(IN_PATH) | {
        "video_id": [VIDEO],
        "subject_type": ["text"],
        "subject_id": ids,
        "field": ["value"],
        "name": [name for name, known in FORMATS.items() if known.writer and known.evaluation != "needed"],
    }
    asked = [f"{side}={one}" for one in ids for side in ("full", "spatial")]
    queries = {"/api/split/{video_id}": ["", *asked]}
    for router in ROUTERS:
        for route in router.routes:
            if "GET" in route.methods and route.path.startswith("/api/") and route.path != ENDLESS:
                names = [part[1:-1] for part in route.path.split("/") if part.startswith("{")]
                for values in itertools.product(*(here[name] for name in names)):
                    path = route.path.format(**dict(zip(names, values, strict=True)))
                    yield from (f"{path}?{query}" for query in queries.get(route.path, [""]))


def tells(world: World, who: object, ids: list[str]) -> set[str]:
    """The addresses whose answer holds the secret."""
    found = set()
    with world.client(who) as app:  # type: ignore[arg-type]
        for address in addresses(ids):
            answer = app.get(address)
            assert answer.status_code < 500, address
            if SECRET in answer.text:
                found.add(address.partition("?")[0])
    return found


def test_no_get_route_tells_a_writer_what_others_wrote(world: World) -> None:
    ids = merged_and_returned(world)
    assert tells(world, ANN, ids) == set()
    # Somebody who was given no part of it may read what was merged, not what the two wrote.
    # The first answers of Split are those of its own routes.
    merged = {f"/api/split/{VIDEO}", "/api/first/split", f"/api/aspects/{VIDEO}", *histories(ids[8:])}
    assert tells(world, CID, ids) <= merged
    assert world.read(CID, "aspects")["writers"][1]["texts"] is None
    expert = tells(world, EVA, ids)
    assert {
        f"/api/split/{VIDEO}",
        f"/api/aspects/{VIDEO}",
        "/api/export/dailies-jsonl",
        "/api/library",
        "/api/queue/" + VIDEO,
        *histories(ids[:8]),
    } <= expert
    for who in (ANN, BEN):
        world.say(who, "done")
    assert {f"/api/split/{VIDEO}", f"/api/aspects/{VIDEO}"} <= tells(world, ANN, ids)


def histories(ids: list[str]) -> list[str]:
    return [f"/api/history/text/{one}/value" for one in ids]


def test_no_change_tells_either(world: World) -> None:
    ids = merged_and_returned(world)
    with world.client(ANN) as app:
        for one in ids:
            body = {"subject": ["text", one, "value"], "value": "x", "base_revision": 0}
            made = {"video_id": VIDEO, "kind": "carebench:spatial", "value": "", "source_text_id": one}
            find = {"find": "the", "replace": "a", "texts": [{"subject": body["subject"], "revision": 1}]}
            for path, sent in (("edit", body), ("text", made), ("replace", find)):
                answer = app.post(f"/api/{path}", json=sent)
                assert answer.status_code == 403 and SECRET not in answer.text, (path, one)
        hits = app.post("/api/replace/preview", json={"find": SECRET}).json()
        assert hits == {"hits": [], "texts": 0}
        mine = app.post("/api/replace/preview", json={"find": "plain words"}).json()
        assert mine["texts"] == 4
        for path in ("write", "merge", "full", "approve", "return"):
            body = {"person": BEN.id, "note": "x", "versions": {}}
            answer = app.post(f"/api/aspects/{VIDEO}/{path}", json=body)
            assert answer.status_code in (200, 403) and SECRET not in answer.text, path


def test_an_experts_own_writing_is_blind_too(world: World) -> None:
    world.give(EVA, BEN)
    ids = world.write(BEN, f"A {SECRET} is the")
    mine = world.write(EVA, "Mine is the")
    assert tells(world, EVA, [*ids.values()]) == set()
    with pytest.raises(NotAllowed):
        services.apply_edit(world.store, EVA, Edit("text", ids["misc"], "value", "x", 1))
    world.say(BEN, "done")
    world.say(EVA, "done")
    assert f"/api/aspects/{VIDEO}" in tells(world, EVA, [*ids.values()])
    assert world.value(mine["misc"]) == "Mine is the misc."


def test_an_undo_that_is_refused_does_not_say_to_what_a_text_was_changed(world: World) -> None:
    world.give(BEN)
    ids = world.write(BEN, "Ben tells of the")
    services.apply_edit(world.store, EVA, Edit("text", ids["misc"], "value", "Eva was here.", 1))
    services.apply_edit(world.store, BEN, Edit("text", ids["misc"], "value", f"The {SECRET}.", 2))
    world.give(EVA)
    with world.client(EVA) as app:
        answers = [app.post("/api/undo", json={}) for _ in range(3)]
        assert all(SECRET not in answer.text for answer in answers)
        assert 409 in [answer.status_code for answer in answers]


def test_what_is_handed_in_stays_as_it_is_once_it_is_open(world: World) -> None:
    world.give(ANN, BEN)
    ids = world.write(ANN, "Ann tells of the")
    world.write(BEN, "Ben tells of the")
    place, edit = Place(VIDEO, ANN.id, "aspects"), Edit("text", ids["misc"], "value", "Other words.", 1)
    world.say(ANN, "done")
    with pytest.raises(NotAllowed, match="reopen the work"):
        services.apply_edit(world.store, ANN, edit)
    world.say(ANN, "working")  # Ben still writes: nothing was open
    services.apply_edit(world.store, ANN, edit)
    world.say(ANN, "done")
    world.say(BEN, "done")
    with pytest.raises(NotAllowed, match="you can now see"):
        assignments.set_state(world.store, ANN, place, "open")
    with pytest.raises(StaleEdit, match="you can now see"):
        undo_and_redo.undo(world.store, ANN)  # that the work is done
    with pytest.raises(StaleEdit, match="you can now see"):
        undo_and_redo.undo(world.store, ANN)  # and the last words
    for kind in ("carebench:misc",):
        with pytest.raises(NotAllowed):
            services.write_text(world.store, ANN, OwnText(VIDEO, kind, "again"))
    with pytest.raises(NotAllowed):
        find_and_replace.replace(world.store, ANN, Search("Other"), [(("text", ids["misc"], "value"), 2)])
    assert world.value(ids["misc"]) == "Other words."
    world.say(EVA, "returned", of=ANN)
    services.apply_edit(world.store, ANN, Edit("text", ids["misc"], "value", "Mended words.", 2))


def test_nobody_takes_a_video_whose_texts_they_have_read(world: World) -> None:
    world.give(ANN, BEN)
    for who in (ANN, BEN):
        world.write(who, "Words of the")
        world.say(who, "done")
    with pytest.raises(NotAllowed, match="you can see another annotator's text"):
        assignments.assign(world.store, CID, [VIDEO], CID.id, "aspects")
    world.give(CID)  # an expert may know better
    assert write_merge_approve.begin(world.store, CID, VIDEO).keys() == {
        "overview",
        "object",
        "action",
        "misc",
    }


def test_a_single_writers_parts_wait_for_the_second_or_the_merge(world: World) -> None:
    world.give(BEN)
    ids = [*world.write(BEN, f"A {SECRET} is the").values()]
    world.say(BEN, "done")
    assert tells(world, CID, ids) == set()
    world.merge(EVA, "Merged is the")
    write_merge_approve.write_full(world.store, EVA, VIDEO)
    write_merge_approve.approve(world.store, EVA, VIDEO, world.shown(EVA))
    assert f"/api/aspects/{VIDEO}" in tells(world, CID, ids)


def test_the_formats_without_hidden_texts_hold_none(world: World, tmp_path: Path) -> None:
    ids = merged_and_returned(world)
    without = [one.name for one in FORMATS.values() if one.without_hidden_texts]
    with world.client(EVA) as app:
        for name in without:
            assert SECRET not in app.get(f"/api/export/{name}").text, name
        assert SECRET in app.get("/api/export/carebench").text
    with world.client(ANN) as app:
        refused = app.get("/api/export/carebench")
        assert refused.status_code == 403 and "other annotators" in refused.json()["error"]
    assert len(ids) == 11 and len(without) == 11

"""Done and Approve name what is open, and are said once the person is sure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.editing import edits as services
from annotation.editing.edits import Edit, OwnText
from annotation.systems.carebench import write_merge_approve
from tests.databases import new_workspace
from tests.ui.aspect_world import ANN, BEN, EVA, VIDEO, World

LONG = " ".join(["A man in a red coat fills the kettle and waits by the window."] * 13)
"""169 words."""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    space = new_workspace(tmp_path / "workspace")
    yield World(space)
    space.close()


def say(world: World, who: Any, task: str, state: str = "done", **more: Any) -> Any:
    with world.client(who) as app:
        body = {"video": VIDEO, "task": task, "state": state, **more}
        return app.post("/api/queue/state", json=body)


def points(answer: Any) -> list[str]:
    assert answer.status_code == 409, answer.text
    found: list[str] = answer.json()["points"]
    assert all(one in answer.json()["error"] for one in found)
    return found


def state_of(world: World, who: Any, task: str) -> str:
    return {w.person_id: w.state for w in write_merge_approve.work_on(world.store, VIDEO, task)}[who.id]


def test_parts_that_are_short_or_empty_are_handed_in_only_when_the_writer_is_sure(world: World) -> None:
    world.give(ANN)
    ids = world.write(ANN, "Few words of the")
    edit = Edit("text", ids["misc"], "value", "", world.store.current("text", ids["misc"], "value").revision)
    services.apply_edit(world.store, ANN, edit)
    assert points(say(world, ANN, "aspects")) == ["Misc is empty", "15 words: 135 short of 150"]
    assert state_of(world, ANN, "aspects") != "done"
    assert say(world, ANN, "aspects", sure=True).status_code == 200
    assert state_of(world, ANN, "aspects") == "done"


def test_an_approval_is_taken_back_only_when_the_writer_is_sure(world: World) -> None:
    for task in ("script", "split"):
        world.give(ANN, task=task)
        assert say(world, ANN, task, sure=True).status_code == 200
        assert say(world, EVA, task, "approved", person=ANN.id, sure=True).status_code == 200
        assert points(say(world, ANN, task, "open")) == [
            "this work is approved; reopening it withdraws the approval"
        ]
        assert state_of(world, ANN, task) == "approved"
        assert say(world, ANN, task, "open", sure=True).status_code == 200
        assert state_of(world, ANN, task) == "open"


def test_parts_in_order_are_handed_in_at_once(world: World) -> None:
    world.give(ANN)
    world.write(ANN, " ".join(["word"] * 40))
    assert say(world, ANN, "aspects").status_code == 200


def test_a_state_that_ends_no_work_asks_nothing(world: World) -> None:
    world.give(ANN)
    world.write(ANN, "Few words of the")
    assert say(world, ANN, "aspects", "skipped").status_code == 200
    assert say(world, ANN, "aspects", "open").status_code == 200


def test_who_may_not_approve_is_refused_and_reads_nothing(world: World) -> None:
    world.give(ANN)
    world.write(ANN, "Few words of the")
    refused = say(world, BEN, "aspects", "approved", person=ANN.id)
    assert refused.status_code == 403 and "words" not in refused.json()["error"]


def test_approving_a_merged_caption_names_its_length_and_rewritten_words(world: World) -> None:
    world.give(ANN, BEN)
    for who in (ANN, BEN):
        world.write(who, f"{who.name} saw the long and winding")
        world.say(who, "done")
    merged = write_merge_approve.begin_merge(world.store, EVA, VIDEO)
    anns = write_merge_approve.parts_of(world.store, VIDEO, ANN.id)
    for name, part in merged.items():
        edit = Edit("text", part.text.id, "value", anns[name].value, part.now.revision)
        services.apply_edit(world.store, EVA, edit)
    write_merge_approve.write_full(world.store, EVA, VIDEO)
    world.say(EVA, "returned", of=ANN)
    world.type(ANN, {name: part.text.id for name, part in anns.items()}, "Ann says something else of her")
    world.say(ANN, "done")
    with world.client(EVA) as app:
        versions = world.shown(EVA)
        asked = points(app.post(f"/api/aspects/{VIDEO}/approve", json={"versions": versions}))
        assert asked[0].startswith("Overview: ann has rewritten it since") and len(asked) == 5
        assert asked[-1] == "28 words: 122 short of 150"
        body = {"versions": versions, "sure": True}
        assert app.post(f"/api/aspects/{VIDEO}/approve", json=body).status_code == 200


def test_a_split_names_empty_sides_and_findings_that_nobody_dismissed(world: World) -> None:
    world.give(ANN, task="split")
    assert points(say(world, ANN, "split")) == ["no full caption yet"]
    full = services.write_text(world.store, EVA, OwnText(VIDEO, "carebench:full", LONG)).subject_id
    assert points(say(world, ANN, "split")) == ["the spatial text is empty", "the temporal text is empty"]
    for side, words in (("spatial", "A man in a red coat runs."), ("temporal", LONG)):
        own = OwnText(VIDEO, f"carebench:{side}", words, source_text_id=full)
        services.write_text(world.store, ANN, own)
    [open_findings] = points(say(world, ANN, "split"))
    assert "to settle" in open_findings and "action in spatial 1" in open_findings
    _dismiss_all(world)
    assert say(world, ANN, "split").status_code == 200


def _dismiss_all(world: World) -> None:
    with world.client(ANN) as app:
        for one in app.get(f"/api/split/{VIDEO}?player=false").json()["findings"]:
            body = {"finding": one["finding"], "reason": "seen"}
            assert app.post("/api/dismiss", json=body).status_code == 200


def test_a_split_of_a_caption_that_has_changed_is_approved_only_on_purpose(world: World) -> None:
    world.give(ANN, task="split")
    full = services.write_text(world.store, EVA, OwnText(VIDEO, "carebench:full", LONG)).subject_id
    with world.client(ANN) as app:
        for side in ("spatial", "temporal"):
            body = {"video_id": VIDEO, "kind": f"carebench:{side}", "value": LONG, "source_text_id": full}
            assert app.post("/api/text", json=body).status_code == 200
    base = world.store.current("text", full, "value").revision
    services.apply_edit(world.store, EVA, Edit("text", full, "value", f"{LONG} It rains.", base))
    world.say(ANN, "done", task="split")
    asked = points(say(world, EVA, "split", "approved", person=ANN.id))
    assert asked[0] == "the full caption has changed since the spatial text was made from it"
    assert state_of(world, ANN, "split") == "done"
    assert say(world, EVA, "split", "approved", person=ANN.id, sure=True).status_code == 200
    assert state_of(world, ANN, "split") == "approved"

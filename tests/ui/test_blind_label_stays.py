"""A label that was given blind is the one that the judge is compared with, whatever is said later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.editing import undo_and_redo
from annotation.people import who_labels_blind
from annotation.people.who_labels_blind import mode_of, set_mode
from annotation.records.decisions import Correction
from annotation.scores.agreement import agreement
from annotation.scores.next_to_label import next_labels, people_mean
from annotation.scores.scored_item import Item
from annotation.store.verdicts.cached_score_items import kept_items
from annotation.workspace.workspace import Workspace
from exports.catalogue import format_registry as formats
from tests.databases import new_workspace
from tests.ui.test_blind import ANN, BEN, RITA, app_of, chain
from ui.auth.current_person import COOKIE

VERDICT = "jdg-a-0-0"
"""The judge says yes, with 5."""


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    made = new_workspace(tmp_path / "workspace")
    made.store.restore(chain(0))
    set_mode(made.store, RITA, ANN.id, True)
    yield made
    made.close()


def give(client: TestClient, label: str, verdict: str = VERDICT) -> None:
    """As the page does: over the revision that it shows."""
    shown = client.get(f"/api/verdicts/{verdict}").json()
    body = {
        "subject": ["verdict", verdict, "verdict"],
        "value": {"label": label, "score": 5 if label == "yes" else 0},
        "base_revision": shown["verdict"]["revision"],
    }
    assert client.post("/api/edit", json=body | {"cleared": not label}).status_code == 200


def item(space: Workspace, verdict: str = VERDICT) -> Item:
    return next(one for one in kept_items(space.store, "evl-a").items if one.verdict == verdict)


def table(space: Workspace) -> dict[tuple[str, str], int]:
    """Judge and person."""
    confusion = agreement(kept_items(space.store, "evl-a").items).confusion
    return {pair: n for pair, n in confusion.items() if n}


def test_a_label_that_was_changed_after_the_judge_was_shown_counts_as_it_was_given(space: Workspace) -> None:
    with app_of(space) as client:
        give(client, "no")
        assert client.get(f"/api/verdicts/{VERDICT}").json()["raw"]  # the judge is shown now
        give(client, "yes")
        shown = client.get(f"/api/verdicts/{VERDICT}").json()
    assert [(one["value"]["label"], one["given_blind"]) for one in shown["opinions"]] == [("yes", "no")]
    assert [(e["value"]["label"], e["blind"]) for e in shown["history"]] == [("yes", False), ("no", True)]
    assert table(space) == {("yes", "no"): 1}
    found = item(space)
    assert (found.human_accuracy, found.label_accuracy, found.label_score) == (1.0, 0.0, 0.0)
    assert people_mean([found, found, found]).estimate.value == 0.0


def test_it_stays_when_it_is_taken_back_or_undone(space: Workspace) -> None:
    with app_of(space) as client:
        give(client, "no")
        give(client, "")
        assert table(space) == {("yes", "no"): 1} and item(space).human_accuracy is None
        give(client, "yes")
        assert table(space) == {("yes", "no"): 1}
        give(client, "no", "jdg-a-1-2")
        assert undo_and_redo.undo(space.store, ANN)
    assert table(space) == {("yes", "no"): 2}
    waiting = {one.verdict for one in next_labels(kept_items(space.store, "evl-a").items)}
    assert not waiting & {VERDICT, "jdg-a-1-2"}


def test_what_is_said_with_open_eyes_counts_as_it_is_said_last(space: Workspace) -> None:
    with app_of(space) as client:
        client.cookies.set(COOKIE, BEN.id)
        give(client, "no")
        give(client, "yes")
    assert table(space) == {("yes", "yes"): 1}
    assert not any(one.blind for one in space.store.find(Correction))


def test_a_label_from_before_blind_labelling_is_not_blind(space: Workspace) -> None:
    set_mode(space.store, RITA, ANN.id, False)
    with app_of(space) as client:
        give(client, "no")
        set_mode(space.store, RITA, ANN.id, True)
        give(client, "yes")
    assert table(space) == {("yes", "yes"): 1}


@pytest.mark.parametrize("rule", ["latest", "majority", "adjudicated"])
def test_opinions_of_several_count_by_the_rule_with_the_blind_label(space: Workspace, rule: str) -> None:
    with app_of(space) as client:
        give(client, "no")
        give(client, "yes")
        client.cookies.set(COOKIE, RITA.id)
        assert client.post("/api/opinion-rule", json={"rule": rule}).status_code == 200
        give(client, "no")
    assert item(space).label_accuracy == 0.0
    assert item(space).human_accuracy == {"latest": 0.0, "majority": None, "adjudicated": 0.0}[rule]


def test_the_label_is_still_blind_in_another_workspace(space: Workspace, tmp_path: Path) -> None:
    with app_of(space) as client:
        give(client, "no")
        give(client, "yes")
    file = tmp_path / "all.jsonl"
    formats.write(space.store, "dailies-jsonl", file)
    other = new_workspace(tmp_path / "other")
    formats.commit(other.store, formats.read(file, other.store))
    assert table(other) == {("yes", "no"): 1}
    other.close()


def test_blind_labelling_ends_also_where_the_clock_was_set_back(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(who_labels_blind.time, "time", lambda: 1_000.0)
    assert not set_mode(space.store, RITA, ANN.id, False).on
    assert not mode_of(space.store, ANN.id).on
    assert set_mode(space.store, RITA, ANN.id, True).on and not set_mode(space.store, RITA, ANN.id, False).on

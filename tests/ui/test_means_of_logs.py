"""A mean over a video's questions, which a log keeps in place of verdicts: nobody says yes or no to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.people.who_labels_blind import set_mode
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Person
from annotation.reports.evaluation_report import lines, report
from annotation.store.store import Store
from annotation.store.verdicts.filter_and_order import FlaggedQuestions, VerdictFilter, View
from annotation.workspace.workspace import Workspace
from exports.catalogue import format_registry as formats
from tests.databases import new_workspace
from tests.exports.peers.peer_files import lmms_log, vlmevalkit_log
from ui.lib.chosen_evaluation import pick_evaluation
from ui.web_app import build_app

VALUE = {"label": "yes", "score": 3.0}


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """A log of lmms-eval: three videos, a mean of each."""
    made = new_workspace(tmp_path / "workspace")
    formats.commit(made.store, formats.read(lmms_log(tmp_path / "log", "v0.3"), made.store))
    yield made
    made.close()


@pytest.fixture
def client(space: Workspace) -> Iterator[TestClient]:
    with TestClient(build_app(space, lambda: make_engines(EngineChoice(speech="none"), space))) as client:
        yield client


def label(store: Store, verdict: Verdict, person: Person) -> None:
    """A label on a mean, as an earlier version took it."""
    store.correct("verdict", verdict.id, "verdict", VALUE, person_id=person.id, base_revision=0)


def sent(client: TestClient, verdict: Verdict, **more: object) -> tuple[int, str]:
    body = {"subject": ["verdict", verdict.id, "verdict"], "base_revision": 0, "value": VALUE, "reason": ""}
    answer = client.post("/api/edit", json=body | more, headers={"Sec-Fetch-Site": "same-origin"})
    return answer.status_code, answer.text


@pytest.mark.parametrize("blind", [False, True])
def test_a_persons_verdict_on_a_mean_is_refused(client: TestClient, space: Workspace, blind: bool) -> None:
    set_mode(space.store, space.owner(), space.owner().id, blind)
    [mean, *_] = space.store.find(Verdict)
    status, words = sent(client, mean)
    assert status == 400 and "one mean for all questions" in words
    assert not space.store.history("verdict", mean.id, "verdict")
    detail = client.get(f"/api/verdicts/{mean.id}").json()
    assert detail["no_verdict"] and detail["no_verdict"] in words and detail["hidden"] == blind


def test_what_an_earlier_version_took_can_be_taken_back(client: TestClient, space: Workspace) -> None:
    [mean, *_] = space.store.find(Verdict)
    label(space.store, mean, space.owner())
    assert sent(client, mean, base_revision=1, cleared=True, value=None)[0] == 200
    assert not space.store.current("verdict", mean.id, "verdict").corrected


def test_the_one_verdict_that_vlmevalkit_keeps_is_no_mean(
    client: TestClient, space: Workspace, tmp_path: Path
) -> None:
    formats.commit(space.store, formats.read(vlmevalkit_log(tmp_path / "run"), space.store))
    [verdict, *_] = space.store.find(Verdict, value_type="yes_no_score")
    assert sent(client, verdict)[0] == 200
    assert client.get(f"/api/verdicts/{verdict.id}").json()["no_verdict"] == ""


def test_labels_on_means_count_nowhere(client: TestClient, space: Workspace) -> None:
    store = space.store
    before = client.get("/api/scoring/table").json()
    other = space.add_person("ben", "annotator")
    for mean in store.find(Verdict):
        for person in (space.owner(), other):
            label(store, mean, person)
    after = client.get("/api/scoring/table").json()
    assert after["rows"] == before["rows"] and after["people"] == before["people"]
    assert (after["agreement"]["n"], after["agreement"]["means"]) == (0, 3)
    assert after["people"]["accuracy"]["of"] == 0
    assert after["opinions"]["people"] == after["opinions"]["several"] == 0
    assert "3 means over a video's questions left out" in "\n".join(
        lines(report(store, pick_evaluation(store)))
    )


def test_means_are_not_to_be_labelled(client: TestClient, space: Workspace) -> None:
    assert client.get("/api/scoring/table").json()["next"] == []
    evaluation = pick_evaluation(space.store)
    for labelled in (None, frozenset[str]()):
        wanted = VerdictFilter(evaluation, labelled=labelled)
        view = View(space.store, wanted, FlaggedQuestions())
        assert (view.counts()["open"], view.next_open("")) == (0, None)

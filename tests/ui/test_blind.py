"""Blind labelling: nothing that the server sends to such a person depends on what a judge or others said."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from annotation.people.who_labels_blind import mode_of, set_mode
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.records.captions_to_verdicts import Answer, BenchmarkItem, Question, Text, Verdict
from annotation.records.decisions import Correction, ErrorSource, Person
from annotation.records.errors import NotAllowed
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Dataset, Video
from annotation.stages.stage_context import Engines
from annotation.workspace.workspace import Workspace
from tests.databases import new_workspace
from tests.ui.agents import ask
from tests.ui.every_route import ENDLESS
from tests.ui.programs import call
from tests.ui.test_endpoint_roles import TOOLS
from ui.api.endpoints.registry import READING
from ui.auth.current_person import COOKIE
from ui.routers import ROUTERS
from ui.web_app import build_app

SAME_SITE = {"Sec-Fetch-Site": "same-origin"}
ANN = Person(id="per-ann", name="ann", role="annotator", created_at=2.0)
BEN = Person(id="per-ben", name="ben", role="annotator", created_at=3.0)
RITA = Person(id="per-rita", name="rita", role="researcher", created_at=1.0)
OWNER = Person(id="per-owner", name="owner", role="admin", created_at=0.5)
VIDEOS, EACH = 3, 4


def chain(says: int) -> list[Record]:
    """Two evaluations, one of them a ceiling. `says` turns verdicts, labels and error sources round."""
    records: list[Record] = [OWNER, RITA, ANN, BEN]
    for name, backend in (("a", "import:x"), ("b", "reference")):
        evaluation = Evaluation(id=f"evl-{name}", name=name, created_at=float(ord(name)))
        records.append(evaluation)
        for role in ("captions", "answers", "verdicts"):
            run = Run(id=f"run-{name}-{role}", stage=role, backend=backend, model="m", created_at=1.0)
            link = EvaluationRun(
                id=f"evr-{name}-{role}", evaluation_id=evaluation.id, role=role, run_id=run.id
            )
            records += [run, link]
    for v in range(VIDEOS):
        records += [Video(id=f"vid-{v}", title=f"film {v}", created_at=1.0)]
        records += [
            Text(
                id=f"txt-{name}-{v}",
                video_id=f"vid-{v}",
                kind="vdc:short",
                subject_type="video",
                subject_id=f"vid-{v}",
                value="A red boat.",
                created_at=1.0,
                run_id=f"run-{name}-captions",
            )
            for name in ("a", "b")
        ]
        records += [r for n in range(EACH) for r in _question(v, n, says)]
    return [*records, *_items(says)]


SCENES = "Scene (A) x Scene (B) y Scene (C) z"


def _items(says: int) -> Iterator[Record]:
    """An evaluation of the order of scenes: three replies, and what was read of each."""
    yield Dataset(id="dst-ero", name="Vript-ERO", format="vript-hard")
    yield Evaluation(id="evl-ero", name="ero", created_at=1.0)
    for role in ("captions", "verdicts"):
        run = Run(
            id=f"run-ero-{role}",
            stage=role,
            backend="import:x",
            model="m",
            created_at=1.0,
            params={"system": "vript-ero"},
        )
        yield run
        yield EvaluationRun(id=f"evr-ero-{role}", evaluation_id="evl-ero", role=role, run_id=run.id)
    for v in range(VIDEOS):
        yield BenchmarkItem(
            id=f"itm-{v}",
            video_id=f"vid-{v}",
            dataset_id="dst-ero",
            task="ero",
            name=f"film {v}",
            index=v,
            created_at=1.0,
            value={"question": SCENES, "answer": "CAB"},
        )
        about: dict[str, Any] = {
            "video_id": f"vid-{v}",
            "subject_type": "ero_item",
            "subject_id": f"itm-{v}",
            "created_at": 1.0,
            "kind": "vript:ero",
        }
        yield Text(id=f"txt-ero-{v}", run_id="run-ero-captions", value="a reply", **about)
        label = ("CAB", "BCB", "ABC")[(v + says) % 3]
        yield Verdict(
            id=f"jdg-ero-{v}",
            run_id="run-ero-verdicts",
            value_type="order",
            state="done",
            label=label,
            raw=f"raw reply {label}",
            reason=f"judge's reason {label}",
            **about,
        )


def _question(v: int, n: int, says: int) -> Iterator[Record]:
    question = Question(
        id=f"qst-{v}-{n}",
        video_id=f"vid-{v}",
        kind="vdc:short",
        index=n,
        created_at=1.0,
        text=f"What is {n}?",
        reference="red",
    )
    yield question
    for name in ("a", "b"):
        answer = Answer(
            id=f"ans-{name}-{v}-{n}",
            video_id=question.video_id,
            question_id=question.id,
            value="red",
            run_id=f"run-{name}-answers",
            source="caption",
            text_id=f"txt-{name}-{v}",
            created_at=1.0,
        )
        yield answer
        yield _verdict(answer, f"jdg-{name}-{v}-{n}", f"run-{name}-verdicts", (v + n + says) % 3)


def _verdict(answer: Answer, verdict_id: str, run_id: str, turn: int) -> Verdict:
    label, score, state = (("yes", 5.0, "done"), ("no", 1.0, "done"), ("", None, "unparsed"))[turn]
    return Verdict(
        id=verdict_id,
        video_id=answer.video_id,
        run_id=run_id,
        subject_type="answer",
        subject_id=answer.id,
        value_type="yes_no_score",
        created_at=1.0,
        state=state,
        label=label,
        score=score,
        raw=f"raw reply {turn}",
        reason=f"judge's reason {turn}",
    )


def said(says: int) -> tuple[list[Correction], list[ErrorSource]]:
    """What another person labelled and set the error source of: the second time one verdict less."""
    corrections = [
        Correction(
            id=f"cor-{v}",
            subject_type="verdict",
            subject_id=f"jdg-a-{v}-0",
            field="verdict",
            value={"label": ("yes", "no")[(v + says) % 2], "score": (4, 0)[(v + says) % 2]},
            cleared=False,
            revision=1,
            person_id=BEN.id,
            reason=f"ben's reason {says}",
            created_at=5.0 + v,
        )
        for v in range(VIDEOS - says)
    ]
    order = {"label": "CAB", "score": None}  # as the judge says: one confirmation, the first time alone
    corrections += [replace(corrections[0], id="cor-e", subject_id="jdg-ero-0", value=order)] * (1 - says)
    error_sources = [
        ErrorSource(
            id=f"blm-{n}",
            video_id="vid-0",
            verdict_id=f"jdg-a-0-{n}",
            person_id=BEN.id,
            kind=("judge", "question")[(n + says) % 2],
            created_at=6.0,
            note=f"note {says}",
        )
        for n in range(2)
    ]
    return corrections, error_sources


def made(folder: Path, says: int) -> Workspace:
    space = new_workspace(folder / str(says) / "workspace")
    corrections, error_sources = said(says)
    space.store.restore([*chain(says), *error_sources], corrections)
    set_mode(space.store, RITA, ANN.id, True)
    return space


def app_of(space: Workspace) -> TestClient:
    def engines() -> Engines:
        return make_engines(EngineChoice(speech="none"), space)

    return TestClient(build_app(space, engines, for_agents=True), headers=SAME_SITE, cookies={COOKIE: ANN.id})


@pytest.fixture
def worlds(tmp_path: Path) -> Iterator[tuple[TestClient, TestClient]]:
    """Two servers that differ in nothing but what judges and other people said."""
    spaces = [made(tmp_path, says) for says in (0, 1)]
    with app_of(spaces[0]) as one, app_of(spaces[1]) as other:
        yield one, other
    for space in spaces:
        space.close()


IN_PATH = {
    "verdict_id": ["jdg-a-0-0", "jdg-a-1-2", "jdg-b-2-1"],
    "video_id": ["vid-0"],
    "question_id": ["qst-0-0", "qst-1-1"],
    "of": ["ero", "rr"],
    "item_id": ["jdg-ero-0", "jdg-ero-2"],
    "study_id": ["std-0"],
    "number": ["0"],
    "detection": ["scl-0"],
    "subject_type": ["verdict"],
    "subject_id": ["jdg-a-0-0"],
    "field": ["verdict"],
    "name": ["dailies-jsonl", "verdicts-csv", "loveu", "vdc-qa"],
    "kind": ["json", "sheet"],
    "heap_id": ["hea-0"],
}
"""What stands for a parameter of a path. A route with another one has to be thought of here."""
SORTS = ("need", "mean", "aspect", "title", "verdict", "newest", "unsure", "differs")
STATES = ("yes", "no", "unparsed", "failed", "stale", "corrected", "error_source", "open")
QUERIES: dict[str, list[str]] = {
    "/api/videos/{video_id}/evidence": ["words=A+dog"],
    "/api/verdicts": [
        *(f"sort={sort}&with=evl-b" for sort in SORTS),
        *(f"state={state}" for state in STATES),
        *(f"error_source={kind}" for kind in ("any", "none", "judge")),
        "differs=true&with=evl-b",
        *(f"flag={flag}" for flag in ("suspect", "sound", "excluded")),
        "at=jdg-a-2-3",
        "evaluation=evl-b",
    ],
    "/api/verdicts/next": ["at=jdg-a-0-0&sort=verdict", "state=no", "sort=mean"],
    "/api/verdicts/{verdict_id}": ["", "with=evl-b"],
    "/api/items/{of}": ["", "sort=title", "state=flagged", "state=no", "state=corrected", "q=bcb"],
    "/api/items/{of}/next": ["", "state=yes"],
}
NOT_OURS = {"/api/actions", "/api/jobs"}
"""What the person did, and what runs: times that differ from one server to the other."""


def addresses() -> Iterator[str]:
    """Every GET route of ours, with each way to fill it in."""
    for router in ROUTERS:
        for route in router.routes:
            if "GET" in route.methods and route.path.startswith("/api/") and route.path != ENDLESS:
                yield from _filled(route.path)


def _filled(path: str) -> Iterator[str]:
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    for values in itertools.product(*(IN_PATH[name] for name in names)):
        here = path.format(**dict(zip(names, values, strict=True)))
        yield from (f"{here}?{query}" for query in QUERIES.get(path, [""]))


def test_no_answer_depends_on_what_was_said(worlds: tuple[TestClient, TestClient]) -> None:
    one, other = worlds
    seen = 0
    for address in addresses():
        if address.partition("?")[0] in NOT_OURS:
            continue
        first, second = one.get(address), other.get(address)
        assert first.status_code in (200, 400, 403, 404), address
        assert (first.status_code, _timeless(first.json())) == (
            second.status_code,
            _timeless(second.json()),
        ), address
        assert "raw reply" not in first.text and "'s reason" not in first.text, address
        seen += first.status_code == 200
    assert seen > 35


def _timeless(data: Any) -> Any:
    """Without what tells the two workspaces apart: their ids, and the times at which they were made."""
    if isinstance(data, dict):
        apart = ("saved_at", "updated_at", "workspace_id")
        return {k: _timeless(v) for k, v in data.items() if k not in apart}
    return [_timeless(value) for value in data] if isinstance(data, list | tuple) else data


ASKED: dict[str, list[dict[str, Any]]] = {
    "videos": [{}, {"evaluation": "a"}, {"search": "film"}],
    "verdicts": [
        *({"sort": sort} for sort in SORTS),
        *({"state": [state]} for state in STATES),
        *({"error_source": kind} for kind in ("any", "none", "judge")),
        *({"flag": flag} for flag in ("suspect", "sound", "excluded")),
        {"evaluation": "b"},
    ],
    "question": [{"verdict": verdict} for verdict in IN_PATH["verdict_id"]],
    "evidence": [{"verdict": verdict} for verdict in IN_PATH["verdict_id"]],
    "frames": [{"video": "vid-0", "frames": [0]}],
    "scores": [{}, {"by": "aspect"}],
    "compare": [{"a": "a", "b": "b"}],
    "label_next": [{}],
    "export": [{"format": name, "evaluation": "a"} for name in IN_PATH["name"]],
    "evaluations": [{}],
    "runs": [{}],
    "formats": [{}],
}
"""What programs ask; the other endpoints that read are asked about a video."""


def test_no_answer_to_a_program_depends_on_what_was_said(worlds: tuple[TestClient, TestClient]) -> None:
    told = 0
    for name in (*(endpoint.__name__ for endpoint in READING), "export"):
        for given in ASKED.get(name, [{"video": "vid-0", "run": "job-0"}]):
            first, second = (call(client, name, given) for client in worlds)
            assert first[0] in ("complete", "error") and _timeless(first) == _timeless(second), (name, given)
            assert "raw reply" not in str(first) and "'s reason" not in str(first), (name, given)
            told += first[0] == "complete"
    assert told > 35


def test_answers_to_a_program_do_differ_for_who_sees(worlds: tuple[TestClient, TestClient]) -> None:
    for client in worlds:
        client.cookies.set(COOKIE, BEN.id)
    for name in ("videos", "verdicts", "question", "scores", "label_next"):
        first, second = (call(client, name, ASKED[name][0]) for client in worlds)
        assert first[0] == "complete" and first != second, name


def test_the_same_requests_do_differ_for_who_sees(worlds: tuple[TestClient, TestClient]) -> None:
    """Else the test above would compare nothing."""
    for client in worlds:
        client.cookies.set(COOKIE, BEN.id)
    for address in (
        "/api/verdicts?sort=verdict",
        "/api/verdicts/jdg-a-1-2",
        "/api/library",
        "/api/scoring/table",
        "/api/videos",
        "/api/items/ero",
        "/api/items/ero/jdg-ero-0",
        "/api/history/verdict/jdg-a-0-0/verdict",
    ):
        first, second = (client.get(address) for client in worlds)
        assert first.status_code == 200 and first.json() != second.json(), address


def test_a_verdict_shows_after_ones_own(worlds: tuple[TestClient, TestClient]) -> None:
    client = worlds[0]
    before = client.get("/api/verdicts/jdg-a-0-0").json()
    assert before["hidden"] and before["verdict"]["value"] is None and before["raw"] == ""
    body = {"subject": ["verdict", "jdg-a-0-0", "verdict"], "value": {"label": "no", "score": 0}}
    # What others said meanwhile is no conflict, so that a refusal tells nothing of it.
    assert client.post("/api/edit", json=body | {"base_revision": 0}).status_code == 200
    after = client.get("/api/verdicts/jdg-a-0-0").json()
    assert (
        not after["hidden"] and after["raw"] == "raw reply 0" and after["verdict"]["value"]["label"] == "no"
    )
    page = client.get("/api/verdicts", params={"state": "corrected"}).json()
    assert [row["verdict_id"] for row in page["rows"]] == ["jdg-a-0-0"] and page["counts"]["labelled"] == 1
    rest = client.get("/api/verdicts", params={"state": "open"}).json()
    assert rest["total"] == VIDEOS * EACH - 1 and all(row["hidden"] for row in rest["rows"])


def test_an_order_shows_after_ones_own(worlds: tuple[TestClient, TestClient]) -> None:
    client = worlds[0]
    rows = client.get("/api/items/ero").json()["rows"]
    assert [row["state"] for row in rows] == ["hidden"] * VIDEOS and not any(row["label"] for row in rows)
    before = client.get("/api/items/ero/jdg-ero-1").json()
    assert before["hidden"] and before["reply"]["value"] == "a reply" and before["scenes"]["B"] == "y"
    assert "label" not in before and "spans" not in before and "history" not in before
    body = {"value": "CAB", "base_revision": before["base_revision"]}
    after = client.post("/api/items/ero/jdg-ero-1", json=body).json()
    assert not after["hidden"] and after["label"] == "CAB" and after["machine"]["label"] == "BCB"
    counts = client.get("/api/items/ero").json()["counts"]
    assert counts["corrected"] == 1 and counts["hidden"] == VIDEOS - 1 and "flagged" not in str(counts["yes"])


def test_who_may_switch_it(tmp_path: Path) -> None:
    space = made(tmp_path, 0)
    store = space.store
    assert mode_of(store, ANN.id).on and mode_of(store, ANN.id).locked
    for person, about in ((ANN, ANN), (BEN, ANN), (ANN, BEN)):
        with pytest.raises(NotAllowed):
            set_mode(store, person, about.id, person is not ANN or about is BEN)
            set_mode(store, person, about.id, False)
    assert set_mode(store, BEN, BEN.id, True).on and not set_mode(store, BEN, BEN.id, False).on
    assert not set_mode(store, RITA, ANN.id, False).on
    # What one switched on oneself, one may switch off.
    assert not set_mode(store, ANN, ANN.id, True).locked and not set_mode(store, ANN, ANN.id, False).on
    space.close()


def test_no_answer_to_an_agent_depends_on_what_was_said(worlds: tuple[TestClient, TestClient]) -> None:
    tools = {name: ASKED.get(name, [{"video": "vid-0"}]) for name in TOOLS}
    asked = [("tools/call", {"name": name, "arguments": given}) for name in tools for given in tools[name]]
    asked += [("resources/list", {}), ("resources/read", {"uri": "dailies://evaluations/evl-a"})]
    asked += [("resources/read", {"uri": f"dailies://questions/{one}"}) for one in IN_PATH["verdict_id"]]
    asked += [("prompts/get", {"name": "why_low", "arguments": {"video": "vid-0"}})]
    told = 0
    for method, params in asked:
        first, second = (ask(client, method, params) for client in worlds)
        assert first == second, (method, params)
        assert "raw reply" not in str(first) and "'s reason" not in str(first), (method, params)
        told += first[0] == "complete" and not first[1].get("isError")
    assert told > 30
    refused = ask(worlds[0], "prompts/get", {"name": "why_low", "arguments": {"video": "vid-0"}})
    assert refused[0] == "error" and "label blind" in refused[1]

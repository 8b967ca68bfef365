"""Labels and studies on the server: what a person is told before and after their own word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.people.who_labels_blind import set_mode
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Person
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.workspace.workspace import Workspace
from tests.annotation.systems.progress_captioner.test_frame_labels import ANN, BEN, EVA, records
from tests.databases import new_workspace
from ui.auth.current_person import COOKIE
from ui.web_app import build_app

SAME_SITE = {"Sec-Fetch-Site": "same-origin"}
RITA = Person(id="per-rita", name="rita", role="researcher", created_at=0.5)


def judged(label: str) -> list[Record]:
    """A judge's word on the first pair of the first video."""
    run = Run(
        id="run-j", stage="keyframes", backend="x", model="the judge", created_at=2.0, upstream=("run-0",)
    )
    return [
        run,
        Verdict(
            id="jdg-1",
            video_id="vid-0",
            run_id=run.id,
            subject_type="frame_pair",
            subject_id="pair-1",
            value_type="progression",
            created_at=2.0,
            state="done",
            label=label,
            raw=f"raw {label}",
            extra={"frames": [0, 10]},
        ),
    ]


def opened(folder: Path, label: str) -> tuple[Workspace, TestClient]:
    space = new_workspace(folder / label / "workspace")
    space.store.add([RITA, *records(), *judged(label)])
    app = build_app(space, lambda: make_engines(EngineChoice(speech="none"), space))
    return space, TestClient(app, headers=SAME_SITE, cookies={COOKIE: ANN.id})


@pytest.fixture
def worlds(tmp_path: Path) -> Iterator[list[tuple[Workspace, TestClient]]]:
    """Two servers whose judges say the opposite."""
    made = [opened(tmp_path, label) for label in ("yes", "no")]
    with made[0][1], made[1][1]:
        yield made
    for space, _ in made:
        space.close()


@pytest.fixture
def client(worlds) -> TestClient:
    return worlds[0][1]


def acting(client: TestClient, person: Person) -> TestClient:
    client.cookies.set(COOKIE, person.id)
    return client


def say(client: TestClient, label: str, first: int = 0, second: int = 10) -> int:
    body = {"video_id": "vid-0", "first": first, "second": second, "label": label}
    return client.post("/api/frame-labels", json=body).status_code


def test_nothing_of_judges_or_others_before_ones_own_label(worlds) -> None:
    pages = []
    for space, client in worlds:
        assert say(acting(client, BEN), space.store.get(Verdict, "jdg-1").label) == 200
        pages.append(acting(client, ANN).get("/api/frame-labels/vid-0").text)
    assert pages[0] == pages[1] and "the judge" not in pages[0]
    _, client = worlds[0]
    assert say(client, "no") == 200
    first, *rest = client.get("/api/frame-labels/vid-0").json()["pairs"]
    assert first["mine"] == "no" and [j["label"] for j in first["judges"]] == ["yes"]
    assert first["judges"][0]["judge"] == "the judge" and first["judges"][0]["captions"] == "model 0"
    assert first["others"] == [{"by": "ben", "label": "yes"}]
    assert all(pair["judges"] is None and pair["others"] is None for pair in rest)
    assert say(client, "") == 200
    assert client.get("/api/frame-labels/vid-0").json()["pairs"][0]["judges"] is None


def test_a_blind_person_sees_no_verdict_on_the_strip_either(worlds) -> None:
    texts = []
    for space, client in worlds:
        set_mode(space.store, RITA, ANN.id, True)
        texts.append(acting(client, ANN).get("/api/keyframes/vid-0?player=false").text)
    assert texts[0] == texts[1] and '"pairs":[]' in texts[0]
    say(worlds[0][1], "no")
    found = worlds[0][1].get("/api/keyframes/vid-0?player=false").json()
    assert [p["frames"] for p in found["pairs"]] == [[0, 10]]


def test_what_is_refused(client: TestClient) -> None:
    assert say(client, "maybe") == 400 and say(client, "yes", 0, 20) == 400
    assert client.get("/api/frame-labels/vid-9").status_code == 404
    assert client.get("/api/study-models").status_code == 403
    body = {"name": "mine", "runs": ["run-0", "run-1"]}
    assert client.post("/api/studies", json=body).status_code == 403


def new_study(client: TestClient) -> str:
    models = acting(client, EVA).get("/api/study-models").json()
    assert [(m["model"], m["captions"]) for m in models] == [(f"model {n}", 8) for n in range(3)]
    made = client.post("/api/studies", json={"name": "which", "runs": [m["id"] for m in models]})
    assert made.status_code == 200 and made.json()["sequences"] == 2
    acting(client, ANN)
    return made.json()["id"]


def test_models_are_named_when_the_study_is_closed_and_not_before(client: TestClient) -> None:
    study = new_study(client)
    page = client.get(f"/api/studies/{study}/sequences/0")
    told = page.text + client.get("/api/studies").text + client.get(f"/api/studies/{study}/result").text
    assert "model 0" not in told and "run-" not in told
    captions = page.json()["frames"][1]["captions"]
    assert sorted(captions) == ["0 says 1", "1 says 1", "2 says 1"]
    best = captions.index("2 says 1")
    body = {"sequence": 0, "frame": 10, "best": best, "second": (best + 1) % 3}
    assert client.post(f"/api/studies/{study}/choices", json=body).status_code == 200
    assert client.get(f"/api/studies/{study}/sequences/0").json()["frames"][1]["mine"] == {
        "best": best,
        "second": (best + 1) % 3,
    }
    assert "run-" not in client.get("/api/actions").text
    # Who takes part gets no names elsewhere either.
    assert "model 0" not in client.get("/api/keyframes/vid-0?player=false").text
    refused = client.get("/api/export/dailies-jsonl")
    assert refused.status_code == 403 and "which" in refused.json()["error"]
    assert acting(client, BEN).get("/api/export/dailies-jsonl").status_code == 200
    assert client.post(f"/api/studies/{study}/close").status_code == 403
    assert acting(client, EVA).post(f"/api/studies/{study}/close").status_code == 200
    found = acting(client, ANN).get(f"/api/studies/{study}/sequences/0").json()
    assert found["models"][best] == "model 2"
    rows = client.get(f"/api/studies/{study}/result").json()["rows"]
    assert {r["group"]["captions"]: r["value"] for r in rows if r["metric"] == "selected_best"} == {
        "model 0": 0.0,
        "model 1": 0.0,
        "model 2": 1.0,
    }
    assert client.post(f"/api/studies/{study}/choices", json=body).status_code == 400
    assert client.get("/api/export/dailies-jsonl").status_code == 200


def test_the_scores_page_shows_the_table(client: TestClient) -> None:
    acting(client, EVA)
    listed = {s["name"]: s["evaluations"] for s in client.get("/api/scoring/systems").json()}
    assert listed["framecap"] == 0
    say(client, "yes")
    found = client.get("/api/scores/system/framecap").json()
    assert found["evaluation"] == "all frame captions" and "uncertain_is_no" in found["policies"]
    row = next(r for r in found["rows"] if r["metric"] == "true_positive_rate")
    assert (row["group"], row["value"], row["n"]) == ({"captions": "model 0", "judge": "the judge"}, 1.0, 1)


def matched(letters: dict[str, str]) -> list[Record]:
    """What a judge chose for the four frames of the first video, by captioner."""
    frames = [0, 10, 20, 30]
    run = Run(id="run-m", stage="matching", backend="x", model="the matcher", created_at=3.0)
    return [
        run,
        *(
            Verdict(
                id=f"jdg-{name}-{n}",
                video_id="vid-0",
                run_id=run.id,
                subject_type="frame_match",
                subject_id=f"{name}-{n}",
                value_type="letter",
                created_at=3.0,
                state="done",
                label=letter,
                extra={"sequence": frames, "frame": frames[n], "own": "ABCD"[n], "captions_run": name},
            )
            for name, chosen in letters.items()
            for n, letter in enumerate(chosen)
        ),
    ]


def test_pairs_can_be_inspected(worlds) -> None:
    space, client = worlds[0]
    space.store.add(matched({"run-0": "ABCD", "run-1": "AEEE", "run-2": "ABDC"}))
    found = client.get("/api/frame-evidence/vid-0").json()
    assert (found["accepted"], found["preferences"]) == (1, 1)
    (sequence,) = found["sequences"]
    assert [f["index"] for f in sequence["frames"]] == [0, 10, 20, 30]
    assert [(m["name"], "".join(m["choices"]), m["outcome"]) for m in sequence["models"]] == [
        ("model 0", "ABCD", "accepted"),
        ("model 1", "AEEE", "rejected"),
        ("model 2", "ABDC", "undecided"),
    ]
    assert sequence["models"][2]["correct"] == [True, True, False, False]
    study = new_study(client)
    assert client.post(
        f"/api/studies/{study}/choices", json={"sequence": 0, "frame": 0, "best": 0}
    ).is_success
    assert "model 0" not in client.get("/api/frame-evidence/vid-0").text
    set_mode(space.store, RITA, ANN.id, True)
    assert client.get("/api/frame-evidence/vid-0").status_code == 403

"""The Split page's data: sentences lined up, where each went, and which author's text is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.editing import edits as services
from annotation.editing.edits import OwnText
from annotation.records import fingerprints
from annotation.records.captions_to_verdicts import Text
from annotation.records.errors import NotFound
from annotation.records.runs import Run
from annotation.records.videos import Dataset, Video
from annotation.workspace.workspace import Workspace
from tests.bench import Bench
from tests.databases import new_workspace
from ui.pages.split.view import aligned, split_json
from ui.web_app import build_app

ROBOT = "A small robot with green eyes stands beside a wooden crate."
LIFTS = "It slowly lifts the crate and carries it up a narrow ramp."
VOICE = "A narrator explains the purpose of the machine 🤖."
DOOR = "Finally the robot opens the heavy steel door."
FULL = f"{ROBOT} {LIFTS} {VOICE} {DOOR}"
SPATIAL = "A small robot with green eyes stands beside a crate. A red lamp hangs from the ceiling."
TEMPORAL = "The robot slowly lifts the crate and carries it up a ramp. It then opens the heavy steel door."


def cut(text: str, span: list[int]) -> str:
    return text[span[0] : span[1]]


# --- rows -----------------------------------------------------------------------------


def test_every_clause_says_where_it_went() -> None:
    rows = aligned(FULL, SPATIAL, TEMPORAL)
    assert [row["state"] for row in rows] == [
        "spatial",
        "temporal",
        "temporal",
        "neither",
        "temporal",
        "extra",
    ]
    lifts, carries = "It slowly lifts the crate", "and carries it up a narrow ramp."
    assert [cut(FULL, row["full"]) for row in rows if row["full"]] == [ROBOT, lifts, carries, VOICE, DOOR]
    assert [(row["told"], row["continues"]) for row in rows[1:3]] == [
        ("It slowly lifts the crate.", False),
        ("Carries it up a narrow ramp.", True),
    ]
    assert [cut(TEMPORAL, s) for s in rows[4]["temporal"]] == ["It then opens the heavy steel door."]
    assert rows[5]["full"] is None
    assert [cut(SPATIAL, s) for s in rows[5]["spatial"]] == ["A red lamp hangs from the ceiling."]


def test_a_clause_that_went_to_both_says_so() -> None:
    rows = aligned(ROBOT, ROBOT, ROBOT)
    assert [row["state"] for row in rows] == ["both"]


def test_a_clause_told_inside_another_is_not_lost() -> None:
    lamp = "A lamp shines on the crate."
    spatial = "A small robot with green eyes stands beside a wooden crate under a lamp that shines."
    rows = aligned(f"{ROBOT} {lamp}", spatial, "")
    assert rows[1]["state"] == "spatial"
    assert rows[1]["spatial"] == [] and [cut(spatial, s) for s in rows[1]["also"]["spatial"]] == [spatial]
    assert aligned(f"{ROBOT} {lamp}", ROBOT, "")[1]["state"] == "neither"


def test_the_place_of_a_new_clause_follows_the_order_of_the_full_caption() -> None:
    rows = aligned(FULL, SPATIAL, TEMPORAL)
    assert rows[0]["place"]["temporal"] == 0  # before what came from later sentences
    assert TEMPORAL[: rows[3]["place"]["temporal"]].endswith("up a ramp.")
    assert SPATIAL[: rows[3]["place"]["spatial"]].endswith("beside a crate.")
    assert aligned(FULL, "", "")[2]["place"] == {"spatial": 0, "temporal": 0}


def test_the_words_that_columns_share_are_marked() -> None:
    row = aligned(FULL, SPATIAL, TEMPORAL)[1]
    found = [cut(TEMPORAL, s) for s in row["shared"]["temporal"]]
    assert found == ["slowly lifts the crate"]
    assert [(cut(FULL, s[:2]), s[2]) for s in row["shared"]["full"]] == [
        ("slowly lifts the crate", "temporal")
    ]
    both = aligned(ROBOT, ROBOT, ROBOT)[0]["shared"]["full"]
    assert [entry[2] for entry in both] == ["both"]


@pytest.mark.parametrize(("full", "spatial", "temporal"), [("", "", ""), ("", ROBOT, ""), (FULL, "", "")])
def test_empty_texts_have_rows_too(full: str, spatial: str, temporal: str) -> None:
    states = {row["state"] for row in aligned(full, spatial, temporal)}
    assert states == ({"extra"} if spatial else {"neither"} if full else set())


# --- texts ----------------------------------------------------------------------------


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """A video without a file that has a full caption of a dataset, and a model's split of it."""
    made = new_workspace(tmp_path / "robot")
    about = {"video_id": "vid-1", "subject_type": "video", "subject_id": "vid-1"}
    derived = {"source_text_id": "txt-full", "source_hash": fingerprints.of_text(FULL), "run_id": "run-1"}
    made.store.add(
        [
            Dataset(id="dst-1", name="CaReBench", format="carebench"),
            Video(id="vid-1", title="robot", created_at=1.0),
            Video(id="vid-2", title="bare", created_at=1.0),
            Run(id="run-1", stage="split", backend="http://127.0.0.1:1/v1#m", model="m", created_at=2.0),
            Text(
                id="txt-full", kind="carebench:full", value=FULL, created_at=1.0, dataset_id="dst-1", **about
            ),
            Text(id="txt-s", kind="carebench:spatial", value=SPATIAL, created_at=2.0, **about, **derived),
            Text(id="txt-t", kind="carebench:temporal", value=TEMPORAL, created_at=2.0, **about, **derived),
        ]
    )
    yield made
    made.close()


@pytest.fixture
def shown(space: Workspace, bench: Bench):
    """`split_json` of the video, read anew."""
    return lambda **wanted: split_json(space.store, bench.media, "vid-1", wanted)


def test_texts_come_with_author_words_and_versions(shown) -> None:
    page = shown()
    assert {name: text["by"] for name, text in page["texts"].items()} == {
        "full": "dataset",
        "spatial": "run",
        "temporal": "run",
    }
    assert page["words"] == (150, 300)
    assert page["player"]["file"] is False
    assert [v["id"] for v in page["versions"]["spatial"]] == ["txt-s"]


def test_sides_are_stale_once_the_full_caption_changed(space: Workspace, shown) -> None:
    store, owner = space.store, space.owner()
    store.correct("text", "txt-full", "value", LIFTS, person_id=owner.id, base_revision=0)
    page = shown()
    assert page["texts"]["full"]["corrected"] and not page["texts"]["full"]["stale"]
    assert page["texts"]["spatial"]["stale"] and page["texts"]["temporal"]["stale"]
    assert len([row for row in page["rows"] if row["full"]]) == 2
    store.correct("text", "txt-full", "value", None, person_id=owner.id, base_revision=1, cleared=True)
    assert not shown()["texts"]["spatial"]["stale"]


def test_a_persons_own_text_is_shown_first_and_others_on_request(space: Workspace, shown) -> None:
    own = OwnText("vid-1", "carebench:spatial", ROBOT)
    mine = services.write_text(space.store, space.owner(), own).subject_id
    page = shown()
    assert page["texts"]["spatial"]["id"] == mine and page["texts"]["spatial"]["by"] == "person"
    assert [v["id"] for v in page["versions"]["spatial"]] == ["txt-s", mine]
    assert shown(spatial="txt-s")["texts"]["spatial"]["value"] == SPATIAL
    assert shown(spatial="txt-t")["texts"]["spatial"]["id"] == mine  # of another column: not taken


def test_a_video_without_texts_is_empty_and_unknown_ones_are_not_found(
    space: Workspace, bench: Bench
) -> None:
    page = split_json(space.store, bench.media, "vid-2", player=False)
    assert page["texts"] == {"full": None, "spatial": None, "temporal": None}
    assert page["rows"] == [] and page["player"] is None
    with pytest.raises(NotFound):
        split_json(space.store, bench.media, "vid-3")


# --- routes ---------------------------------------------------------------------------


@pytest.fixture
def client(space: Workspace, bench: Bench) -> Iterator[TestClient]:
    app = build_app(space, bench.engines)
    with TestClient(app, headers={"Sec-Fetch-Site": "same-origin"}) as found:
        yield found


def test_a_side_written_from_the_full_caption_knows_it(client: TestClient) -> None:
    body = {"video_id": "vid-1", "kind": "carebench:spatial", "value": ROBOT, "source_text_id": "txt-full"}
    mine = client.post("/api/text", json=body).json()
    text = client.get("/api/split/vid-1").json()["texts"]["spatial"]
    assert (text["id"], text["stale"]) == (mine["id"], False)
    edit = {"subject": ["text", "txt-full", "value"], "value": LIFTS, "base_revision": 0}
    assert client.post("/api/edit", json=edit).status_code == 200
    assert client.get("/api/split/vid-1").json()["texts"]["spatial"]["stale"] is True
    assert client.post("/api/text", json=body | {"source_text_id": "txt-0"}).status_code == 404


def test_the_download_holds_what_was_kept(client: TestClient) -> None:
    url = "/api/export/carebench?values=current"
    # The proposal of a machine counts while there is nothing else, and the preview says whose it is.
    draft = client.get(url).json()[0]
    shown = client.get("/api/split/vid-1").json()["texts"]
    assert (draft["spatial_caption"], draft["temporal_caption"]) == (
        shown["spatial"]["value"],
        shown["temporal"]["value"],
    )
    assert preview_of(client)["spatial_caption"] == "1 (1 by machines)"
    body = {"video_id": "vid-1", "kind": "carebench:spatial", "value": SPATIAL, "source_text_id": "txt-full"}
    client.post("/api/text", json=body)
    found = client.get(url).json()
    assert [(v["caption"], v["spatial_caption"], v["temporal_caption"]) for v in found] == [
        (FULL, SPATIAL, TEMPORAL)
    ]
    assert preview_of(client)["spatial_caption"] == "1 (1 by people)"


def preview_of(client: TestClient) -> dict[str, str]:
    return client.get("/api/export/carebench/preview").json()["totals"]


# --- findings and proposals --------------------------------------------------------------


def check(client: TestClient, **texts: str) -> dict:
    body = {"full": FULL, "spatial": SPATIAL, "temporal": TEMPORAL} | texts
    answer = client.post("/api/split/vid-1/check", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_findings_come_with_the_page_and_as_one_types(client: TestClient) -> None:
    page = client.get("/api/split/vid-1").json()
    checks = [(f["check"], f["side"], f["text"]) for f in page["findings"]]
    assert ("lost", "full", VOICE) in checks and ("length", "full", "") in checks
    assert ("invented", "spatial", "A red lamp hangs from the ceiling.") in checks
    typed = check(client, spatial="A robot sings beside a crate.")
    [action] = [f for f in typed["findings"] if f["check"] == "action_in_spatial"]
    assert (action["text"], action["start"], action["side"]) == ("sings", 8, "spatial")
    assert action["fix"]["what"] and set(action["fix"]["texts"]) == {"spatial", "temporal"}
    assert typed["rows"][0]["spatial"] and "findings" not in check(client, findings=False)
    assert client.get("/api/split/vid-1").json()["texts"]["spatial"]["value"] == SPATIAL


def test_a_dismissed_finding_stays_dismissed_through_edits_elsewhere(client: TestClient) -> None:
    [lost] = [f for f in check(client)["findings"] if f["check"] == "lost"]
    made = client.post(
        "/api/dismiss", json={"finding": lost["finding"], "reason": "told by the sound"}
    ).json()
    assert made["id"] == lost["id"]
    again = check(client, full=f"It is dark. {FULL}")
    [same] = [f for f in again["findings"] if f["check"] == "lost" and f["text"] == VOICE]
    assert same["dismissal"]["reason"] == "told by the sound" and same["start"] == lost["start"] + 12
    changed = check(client, full=FULL.replace("narrator", "speaker"))
    assert [f["dismissal"] for f in changed["findings"] if f["check"] == "lost"] == [None]


def test_parts_that_are_missing_and_captions_in_the_same_words_are_found(
    space: Workspace, client: TestClient
) -> None:
    store, extra = space.store, {"subcategory": "robots"}
    own = OwnText("vid-1", "carebench:overview", "A robot moves a crate.")
    services.write_text(store, space.owner(), own)
    long = f"{FULL} The hall is wide and cold, and dust lies on every shelf."
    for n, kind in ((3, "robots"), (4, "boats")):
        about = {"video_id": f"vid-{n}", "subject_type": "video", "subject_id": f"vid-{n}"}
        store.add(
            [
                Video(id=f"vid-{n}", title=f"twin {n}", created_at=1.0, extra={"subcategory": kind}),
                Text(
                    id=f"txt-{n}",
                    kind="carebench:full",
                    value=long,
                    created_at=1.0,
                    dataset_id="dst-1",
                    **about,
                ),
            ]
        )
    store.put(Video(id="vid-1", title="robot", created_at=1.0, extra=extra))
    found = {f["check"]: f for f in check(client)["findings"]}
    assert "“twin 3”" in found["near_duplicate"]["why"]
    missing = [f["why"] for f in check(client)["findings"] if f["check"] == "missing_aspect"]
    assert len(missing) == 3 and "“object”" in missing[0]


def test_the_baseline_proposes_every_clause_with_its_reason(client: TestClient, space: Workspace) -> None:
    made = client.post("/api/split/vid-1/proposal", json={"text_id": "txt-full"}).json()
    rows = made["clauses"]
    assert made["baseline"] and cut(FULL, rows[1]["full"]) == "It slowly lifts the crate"
    sides = [("spatial" if c["spatial"] else "") + ("temporal" if c["temporal"] else "") for c in rows]
    assert sides == ["spatial", "temporal", "temporal", "spatial", "temporal"]
    assert made["clauses"][1]["temporal"] == "It slowly lifts the crate."
    assert "lifts" in made["clauses"][1]["reason"]
    assert client.get("/api/split/vid-1").json()["texts"]["spatial"]["value"] == SPATIAL  # nothing decided
    assert client.post("/api/split/vid-2/proposal", json={"text_id": "txt-full"}).status_code == 404

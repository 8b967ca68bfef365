"""The Split page's data: sentences lined up, where each went, and which author's text is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation import fingerprints, services
from annotation.errors import NotFound
from annotation.records import Dataset, Run, Text, Video
from annotation.workspace import Workspace
from tests.bench import Bench
from ui.app import build_app
from ui.views.split import aligned, split_json

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


def test_every_sentence_says_where_it_went() -> None:
    rows = aligned(FULL, SPATIAL, TEMPORAL)
    assert [row["state"] for row in rows] == ["spatial", "temporal", "neither", "temporal", "extra"]
    assert [cut(FULL, row["full"]) for row in rows if row["full"]] == [ROBOT, LIFTS, VOICE, DOOR]
    assert [cut(TEMPORAL, s) for s in rows[3]["temporal"]] == ["It then opens the heavy steel door."]
    assert rows[4]["full"] is None
    assert [cut(SPATIAL, s) for s in rows[4]["spatial"]] == ["A red lamp hangs from the ceiling."]


def test_a_sentence_that_went_to_both_says_so() -> None:
    rows = aligned(ROBOT, ROBOT, ROBOT)
    assert [row["state"] for row in rows] == ["both"]


def test_a_sentence_told_inside_another_is_not_lost() -> None:
    lamp = "A lamp shines on the crate."
    spatial = "A small robot with green eyes stands beside a wooden crate under a lamp that shines."
    rows = aligned(f"{ROBOT} {lamp}", spatial, "")
    assert rows[1]["state"] == "spatial"
    assert rows[1]["spatial"] == [] and [cut(spatial, s) for s in rows[1]["also"]["spatial"]] == [spatial]
    assert aligned(f"{ROBOT} {lamp}", ROBOT, "")[1]["state"] == "neither"


def test_the_place_of_a_new_sentence_follows_the_order_of_the_full_caption() -> None:
    rows = aligned(FULL, SPATIAL, TEMPORAL)
    assert rows[0]["place"]["temporal"] == 0  # before what came from later sentences
    assert TEMPORAL[: rows[2]["place"]["temporal"]].endswith("up a ramp.")
    assert SPATIAL[: rows[2]["place"]["spatial"]].endswith("beside a crate.")
    assert aligned(FULL, "", "")[2]["place"] == {"spatial": 0, "temporal": 0}


def test_the_words_that_columns_share_are_marked() -> None:
    row = aligned(FULL, SPATIAL, TEMPORAL)[1]
    found = [cut(TEMPORAL, s) for s in row["shared"]["temporal"]]
    assert found == ["slowly lifts the crate and carries it up a ramp"]
    assert [(cut(FULL, s[:2]), s[2]) for s in row["shared"]["full"]] == [
        ("slowly lifts the crate and carries it up", "temporal"), ("ramp", "temporal"),
    ]  # fmt: skip
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
    made = Workspace(tmp_path / "robot")
    about = {"video_id": "vid-1", "subject_type": "video", "subject_id": "vid-1"}
    derived = {"source_text_id": "txt-full", "source_hash": fingerprints.of_text(FULL), "run_id": "run-1"}
    made.store.add([
        Dataset(id="dst-1", name="CaReBench", format="carebench"),
        Video(id="vid-1", title="robot", created_at=1.0), Video(id="vid-2", title="bare", created_at=1.0),
        Run(id="run-1", stage="split", backend="http://127.0.0.1:1/v1#m", model="m", created_at=2.0),
        Text(id="txt-full", kind="carebench:full", value=FULL, created_at=1.0, dataset_id="dst-1", **about),
        Text(id="txt-s", kind="carebench:spatial", value=SPATIAL, created_at=2.0, **about, **derived),
        Text(id="txt-t", kind="carebench:temporal", value=TEMPORAL, created_at=2.0, **about, **derived),
    ])  # fmt: skip
    yield made
    made.close()


@pytest.fixture
def shown(space: Workspace, bench: Bench):
    """`split_json` of the video, read anew."""
    return lambda **wanted: split_json(space.store, bench.media, "vid-1", wanted)


def test_texts_come_with_author_words_and_versions(shown) -> None:
    page = shown()
    assert {name: text["by"] for name, text in page["texts"].items()} == {
        "full": "dataset", "spatial": "run", "temporal": "run",
    }  # fmt: skip
    assert page["words"] == [150, 300]
    assert page["player"]["file"] is False
    assert [v["id"] for v in page["versions"]["spatial"]] == ["txt-s"]


def test_sides_are_stale_once_the_full_caption_changed(space: Workspace, shown) -> None:
    store, owner = space.store, space.owner()
    store.correct("text", "txt-full", "value", LIFTS, person_id=owner.id, base_revision=0)
    page = shown()
    assert page["texts"]["full"]["corrected"] and not page["texts"]["full"]["stale"]
    assert page["texts"]["spatial"]["stale"] and page["texts"]["temporal"]["stale"]
    assert len([row for row in page["rows"] if row["full"]]) == 1
    store.correct("text", "txt-full", "value", None, person_id=owner.id, base_revision=1, cleared=True)
    assert not shown()["texts"]["spatial"]["stale"]


def test_a_persons_own_text_is_shown_first_and_others_on_request(space: Workspace, shown) -> None:
    mine = services.write_text(space.store, space.owner(), "vid-1", "carebench:spatial", ROBOT)
    page = shown()
    assert page["texts"]["spatial"]["id"] == mine.id and page["texts"]["spatial"]["by"] == "person"
    assert [v["id"] for v in page["versions"]["spatial"]] == ["txt-s", mine.id]
    assert shown(spatial="txt-s")["texts"]["spatial"]["value"] == SPATIAL
    assert shown(spatial="txt-t")["texts"]["spatial"]["id"] == mine.id  # of another column: not taken


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
    assert client.get(url).json()[0]["spatial_caption"] == ""  # a proposal belongs to nobody yet
    body = {"video_id": "vid-1", "kind": "carebench:spatial", "value": SPATIAL, "source_text_id": "txt-full"}
    client.post("/api/text", json=body)
    found = client.get(url).json()
    assert [(v["caption"], v["spatial_caption"], v["temporal_caption"]) for v in found] == [
        (FULL, SPATIAL, "")
    ]

"""The Script page's data: which author's text stands first, what contradicts a measurement."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from annotation.editing import edits as services
from annotation.editing.edits import Edit, OwnText
from annotation.records.allowed_values import SCRIPT_FIELDS
from annotation.records.captions_to_verdicts import Text
from annotation.records.errors import NotAllowed, NotFound
from annotation.records.runs import Run
from annotation.records.videos import Dataset, Measurement, Scene, ScreenText
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.stages.stage_context import make_run
from backends.errors import UsageError
from tests.bench import Bench
from ui.pages.script.view import captions_json, claims_json, fields_json, script_json
from ui.web_app import build_app

MOVEMENT = "script:camera_movement"


@pytest.fixture
def scene(bench: Bench) -> Scene:
    return current_scenes(bench.store, bench.video.id)[0]


def another(bench: Bench, kind: str, subject: str, value: str, **more: object) -> Text:
    """A text of another run of another model, newer than all."""
    model = "model-b"
    run = replace(bench.store.find(Run, stage="script")[0], id=f"run-{model}", model=model, baseline=False)
    text = Text(
        id=f"txt-{model}-{kind}",
        video_id=bench.video.id,
        kind=kind,  # type: ignore[arg-type]
        subject_type="scene" if kind.startswith("script") else "video",
        subject_id=subject,
        value=value,
        created_at=4e9,
        run_id=run.id,
        **more,  # type: ignore[arg-type]
    )
    bench.store.add([run, text])
    return text


def correct(bench: Bench, text_id: str, value: str, base: int = 0) -> None:
    services.apply_edit(bench.store, bench.workspace.owner(), Edit("text", text_id, "value", value, base))


# --- scenes ---------------------------------------------------------------------------


def test_every_scene_has_its_four_fields_with_limits(bench: Bench) -> None:
    data = script_json(bench.store, bench.media, bench.video.id)
    keys = [s["key"] for s in data["player"]["scenes"]]
    assert len(keys) == 2 and set(data["script"]) == set(keys) == set(data["claims"])
    kinds = {f"script:{name}" for name in SCRIPT_FIELDS}
    assert all(set(fields) == kinds for fields in data["script"].values())
    assert data["limits"] == {
        "script:shot_type": 15,
        MOVEMENT: 15,
        "script:content": 150,
        "script:scene_title": 10,
    }
    text = data["script"][keys[0]]["script:content"]
    assert text["baseline"] and text["model"] and text["frames"] and text["others"] == []


def test_text_on_screen_comes_with_its_frames(bench: Bench) -> None:
    run = make_run("text", backend="rapidocr", model="rapidocr")
    line = ScreenText(
        id="sct-1",
        video_id=bench.video.id,
        run_id=run.id,
        index=0,
        text="EXIT <b>",
        score=0.98,
        box=(0.1, 0.2, 0.3, 0.4),
        frame=12,
        pts=12,
        first_frame=10,
        last_frame=20,
        start_s=0.4,
        end_s=0.84,
    )
    bench.store.add([run, line])
    player = script_json(bench.store, bench.media, bench.video.id)["player"]
    (sent,) = player["screen_texts"]
    assert (sent["text"], sent["frame"], sent["first"], sent["last"]) == ("EXIT <b>", 12, 10, 20)
    assert (sent["start_s"], sent["end_s"], sent["score"]) == (0.4, 0.84, 0.98)


def test_a_newer_model_stands_first_and_the_older_beside_it(bench: Bench, scene: Scene) -> None:
    new = another(bench, "script:content", scene.key, "A dog sits.")
    field = fields_json(bench.store, bench.video.id)[scene.key]["script:content"]
    assert (field["id"], field["model"]) == (new.id, "model-b")
    assert [other["baseline"] for other in field["others"]] == [True]


def test_a_persons_correction_is_not_hidden_by_a_newer_run(bench: Bench, scene: Scene) -> None:
    old = fields_json(bench.store, bench.video.id)[scene.key]["script:content"]
    correct(bench, old["id"], "I saw a cat.")
    another(bench, "script:content", scene.key, "A dog sits.")
    field = fields_json(bench.store, bench.video.id)[scene.key]["script:content"]
    assert field["value"] == "I saw a cat." and field["machine"] == old["value"]
    assert [other["value"] for other in field["others"]] == ["A dog sits."]


def test_what_cannot_be_read_does_not_hide_what_can(bench: Bench, scene: Scene) -> None:
    another(bench, "script:content", scene.key, "", state="unparsed", reason="no JSON in the reply")
    field = fields_json(bench.store, bench.video.id)[scene.key]["script:content"]
    assert field["state"] == "done"
    assert [(o["state"], o["reason"]) for o in field["others"]] == [("unparsed", "no JSON in the reply")]


# --- camera ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "confidence", "text", "claim"),
    [
        ("pan_left", 0.8, "The camera stays still.", "contradict"),
        ("pan_left", 0.8, "The camera pans to the left.", "agree"),
        ("pan_left", 0.1, "The camera stays still.", "cannot tell"),
        ("pan_left", 0.8, "A grey wall.", "cannot tell"),
    ],
)
def test_a_text_is_compared_with_a_sure_measurement(
    bench: Bench, label: str, confidence: float, text: str, claim: str
) -> None:
    scene = current_scenes(bench.store, bench.video.id)[1]
    measured = bench.store.find(Measurement, subject_id=scene.key, kind="camera_motion")[0]
    bench.store.put(replace(measured, value={"label": label, "confidence": confidence}))
    field = fields_json(bench.store, bench.video.id)[scene.key][MOVEMENT]
    correct(bench, field["id"], text)
    assert claims_json(bench.store, bench.video.id)[scene.key] == claim


def test_the_claims_route_follows_an_edit(bench: Bench, scene: Scene) -> None:
    measured = bench.store.find(Measurement, subject_id=scene.key, kind="camera_motion")[0]
    bench.store.put(replace(measured, value={"label": "zoom_in", "confidence": 0.9}))
    text = fields_json(bench.store, bench.video.id)[scene.key][MOVEMENT]
    url = f"/api/script/{bench.video.id}/claims"
    with TestClient(build_app(bench.workspace, bench.engines)) as client:
        for revision, (way, claim) in enumerate([("out", "contradict"), ("in", "agree")]):
            correct(bench, text["id"], f"It zooms {way}.", revision)
            assert client.get(url).json()[scene.key] == claim
        assert client.get("/api/script/vid-0/claims").status_code == 404


# --- captions -------------------------------------------------------------------------


def test_captions_show_every_author_and_first_the_text_that_counts(bench: Bench) -> None:
    store, video = bench.store, bench.video
    person = bench.workspace.add_person("second", "annotator")
    store.add([Dataset(id="dst-x", name="vdc", format="vdc-captions")])
    mine = services.write_text(store, person, OwnText(video.id, "vdc:short", "Mine.")).subject_id
    another(bench, "vdc:short", video.id, "The model's.")
    store.add(
        [
            Text(
                id="txt-ref",
                video_id=video.id,
                kind="vdc:short",
                subject_type="video",
                subject_id=video.id,
                value="True.",
                created_at=1.0,
                dataset_id="dst-x",
            )
        ]
    )
    found = captions_json(store, video.id)["vdc:short"]
    assert found[0]["id"] == mine
    assert [t["id"] for t in found if t["person"]] == [mine]
    ranks = [
        "reference"
        if t["author"] == "reference"
        else "person"
        if t["person"]
        else "baseline"
        if t["baseline"]
        else "model"
        for t in found
    ]
    assert ranks == sorted(ranks, key=["person", "reference", "model", "baseline"].index)
    assert "model-b" in [t["model"] for t in found]


# --- texts of one's own ---------------------------------------------------------------


def test_a_text_of_ones_own_on_a_scene(bench: Bench, scene: Scene) -> None:
    owner = bench.workspace.owner()
    own = OwnText(bench.video.id, "script:scene_title", "The hall", scene.key)
    text = services.write_text(bench.store, owner, own).subject_id
    field = fields_json(bench.store, bench.video.id)[scene.key]["script:scene_title"]
    assert (field["id"], field["author"], field["value"]) == (text, owner.name, "The hall")
    assert not field["corrected"] and field["place"]["scene"] == scene.key


def test_texts_on_what_is_not_there_are_refused(bench: Bench, scene: Scene) -> None:
    owner, write = bench.workspace.owner(), services.write_text
    with pytest.raises(NotFound, match="no scene"):
        write(bench.store, owner, OwnText(bench.video.id, "script:content", "x", "sck-0"))
    with pytest.raises(UsageError, match="unknown kind of text"):
        write(bench.store, owner, OwnText(bench.video.id, "vdc:weather", "x"))
    with pytest.raises(NotAllowed):
        write(bench.store, None, OwnText(bench.video.id, "vdc:short", "x"))

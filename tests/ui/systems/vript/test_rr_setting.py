"""The choice of the stage vript_hard: offered by the Library, and checked when a job starts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from tests.bench import Bench
from ui.web_app import build_app


@pytest.fixture
def client(bench: Bench) -> Iterator[TestClient]:
    headers = {"Sec-Fetch-Site": "same-origin"}
    with TestClient(build_app(bench.workspace, bench.engines), headers=headers) as found:
        yield found


def test_the_library_offers_the_choices_of_stages(client: TestClient) -> None:
    stages = client.get("/api/library").json()["stages"]
    choices = {stage["name"]: stage["choice"] for stage in stages if stage["choice"]}
    assert choices["vript_hard"]["name"] == "rr-setting"
    assert list(choices["vript_hard"]["options"]) == ["whole", "scene", "both"]


@pytest.mark.parametrize(
    ("choices", "error"),
    [
        ({"rr-setting": "half"}, "choose from whole, scene, both"),
        ({"rr_setting": "scene"}, "option rr_setting not found in any stage; choose from rr-setting"),
    ],
)
def test_unknown_choices_are_refused(
    client: TestClient, bench: Bench, choices: dict[str, str], error: str
) -> None:
    body = {"videos": [bench.video.id], "stages": ["vript_hard"], "choices": choices}
    answer = client.post("/api/jobs/estimate", json=body)
    assert answer.status_code == 400 and error in answer.json()["error"]
    assert client.post("/api/jobs", json=body).status_code == 400

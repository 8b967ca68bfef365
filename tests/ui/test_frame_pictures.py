"""A frame as a file: the very frame, in its own size, under a name that says which it is."""

from __future__ import annotations

from urllib.parse import unquote

import cv2
import numpy as np
from fastapi.testclient import TestClient

from tests.bench import Bench
from tests.ui.test_routes import client  # noqa: F401
from ui.api.media import still_name


def test_a_saved_picture_is_the_frame_pixel_by_pixel(client: TestClient, bench: Bench) -> None:  # noqa: F811
    for index in (0, 51, 99):
        answer = client.get(f"/media/{bench.video.id}/frame/{index}.png")
        found = cv2.cvtColor(cv2.imdecode(np.frombuffer(answer.content, np.uint8), 1), cv2.COLOR_BGR2RGB)
        with bench.media.reader(bench.video) as reader:
            assert np.array_equal(found, reader.frame(index))


def test_its_name_holds_title_frame_and_time(client: TestClient, bench: Bench) -> None:  # noqa: F811
    answer = client.get(f"/media/{bench.video.id}/frame/50.jpg")
    assert (answer.headers["content-type"], answer.content[:2]) == ("image/jpeg", b"\xff\xd8")
    pts = bench.media.table(bench.video).pts[50]
    said = unquote(answer.headers["content-disposition"])
    assert said.endswith(f"two shots frame 50 pts {pts} (2.000 s).jpg") and said.startswith("attachment")


def test_titles_become_names_that_file_systems_take(bench: Bench) -> None:
    name = still_name('../a:b/"c"\n?', 3, bench.media.table(bench.video), "png")
    assert name.startswith("_a_b__c___ frame 3 pts ")
    assert still_name("...", 0, bench.media.table(bench.video), "png").startswith("video frame 0")


def test_there_are_no_others(client: TestClient, bench: Bench) -> None:  # noqa: F811
    assert client.get(f"/media/{bench.video.id}/frame/100.png").status_code == 404
    assert client.get(f"/media/{bench.video.id}/frame/1.gif").status_code in (404, 422)
    assert client.get("/media/vid-0/frame/1.png").status_code == 404

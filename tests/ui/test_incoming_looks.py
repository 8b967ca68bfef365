"""Looking at files that were dropped: progress, and files that cannot be read."""

from __future__ import annotations

import json
import pickle
import re
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.intake.places_for_files import LEFT_BY_SYSTEMS, is_left_by_system
from annotation.records.decisions import Person
from tests.backends.clips import textured, write_clip
from tests.bench import Bench
from tests.databases import new_workspace
from tests.ui.test_incoming import drop, page_of, take
from ui.auth.current_person import COOKIE
from ui.pages import library


@pytest.fixture
def bench(tmp_path: Path, clip: Path) -> Iterator[Bench]:
    made = Bench(new_workspace(tmp_path / "workspace"), clip)
    yield made
    made.media.close()
    made.workspace.close()


@pytest.fixture
def client(bench: Bench) -> Iterator[TestClient]:
    with page_of(bench.workspace) as client:
        yield client


def test_the_look_at_many_questions_reports_its_progress_within_a_second(
    client: TestClient, tmp_path: Path
) -> None:
    asked = [{"question": f"What is {n}?", "answer": f"thing {n}"} for n in range(40)]
    lines = (json.dumps({f"video{n}": asked}) for n in range(1000))
    file = tmp_path / "camera.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    heap = drop(client, file)
    path = f"/api/incoming/{heap}/progress"
    assert client.get(path).json() == {"file": "", "share": 0.0, "records": 0}
    seen: list[tuple[float, int]] = []
    with ThreadPoolExecutor() as pool:
        begin = time.monotonic()
        looked = pool.submit(client.get, f"/api/incoming/{heap}")
        while not looked.done():
            now = client.get(path).json()
            assert 0 <= now["share"] <= 1
            if now["file"] == "camera.jsonl" and (not seen or now["records"] > seen[-1][1]):
                seen.append((time.monotonic() - begin, now["records"]))
            time.sleep(0.05)
    assert looked.result().json()["things"][0]["counts"]["Question"] == 40_000
    assert seen[0][0] < 1
    assert len(seen) > 2 and seen[-1][1] > 0


def test_the_progress_of_another_person_s_files_is_not_shown(
    client: TestClient, bench: Bench, tmp_path: Path
) -> None:
    file = tmp_path / "camera.jsonl"
    file.write_text(json.dumps({"video": [{"question": "What?", "answer": "it"}]}), encoding="utf-8")
    heap = drop(client, file)
    client.get(f"/api/incoming/{heap}")
    assert client.get(f"/api/incoming/{heap}/progress").json()["file"] == "camera.jsonl"
    another = Person(id="per-2", name="another", role="admin", created_at=1.0)
    bench.store.add([another])
    client.cookies.set(COOKIE, another.id)
    assert client.get(f"/api/incoming/{heap}/progress").json() == {"file": "", "share": 1.0, "records": 0}
    assert client.get(f"/api/incoming/{heap}").status_code == 404


def test_an_unreadable_file_beside_a_film_is_named_and_the_film_is_offered(
    client: TestClient, tmp_path: Path
) -> None:
    """Also a file and a folder of one name, in an archive and as they are sent."""
    place, film = tmp_path / "drop", write_clip(tmp_path / "new.mp4", [textured(7, 99.0)] * 30)
    place.mkdir()
    (place / "film.mp4").write_bytes(film.read_bytes())
    (place / "words.json").write_bytes('[{"q": "é"}]'.encode("utf-16"))
    (place / "log.json").write_bytes(pickle.dumps({"a": [1]}))
    with zipfile.ZipFile(place / "both.zip", "w") as archive:
        archive.writestr("d", "x")
        archive.writestr("d/x.json", "[]")
    heap = drop(client, place)
    for name in ("e", "e/y.json"):
        sent = client.post(f"/api/incoming/{heap}/files", files=[("files", (name, b"x"))])
        assert sent.status_code == 200, sent.text
    seen = client.get(f"/api/incoming/{heap}").json()
    assert [one["file"] for one in seen["videos"]["rest"]] == ["film.mp4"]
    named = " ".join(one["where"] for one in seen["unread"])
    assert all(name in named for name in ("words.json", "log.json", "x.json", "y.json"))
    assert seen["unread_count"] == 6
    written = client.post(f"/api/incoming/{heap}/import", json={"add_rest": True})
    assert written.status_code == 200 and len(written.json()["added"]) == 1


def test_the_page_and_the_server_leave_out_the_same_files() -> None:
    """Each has a list: the page sees files outside archives, the server those inside."""
    script = Path(library.__file__).parent / "scripts" / "dropped_files.js"
    (names,) = re.findall(r"^const HIDDEN = /\^\((.+)\)/;$", script.read_text(encoding="utf-8"), re.MULTILINE)
    hidden, *whole = names.split("|")
    assert hidden == r"\." and is_left_by_system(".any")
    assert {name.removesuffix("$").replace(r"\.", ".") for name in whole} == LEFT_BY_SYSTEMS
    assert all(name.endswith("$") for name in whole)


def test_a_damaged_film_of_an_archive_costs_only_itself(client: TestClient, tmp_path: Path) -> None:
    films = {n: write_clip(tmp_path / f"{n}.mp4", [textured(n, 90.0)] * 30).read_bytes() for n in (1, 2, 3)}
    rows = "".join(json.dumps({"video_id": f"v{n}", "short_caption": "a"}) + "\n" for n in films)
    packed = tmp_path / "films.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("captions.jsonl", rows)
        for n, film in films.items():
            archive.writestr(f"v{n}.mp4", film)
    raw = packed.read_bytes()
    packed.write_bytes(raw.replace(films[2], films[2][:-9] + b"\0" * 9, 1))
    assert packed.read_bytes() != raw
    written = take(client, packed)
    assert written["attached"] == 2
    assert [one["file"] for one in written["files"] if "cannot be unpacked" in one.get("error", "")] == [
        "v2.mp4"
    ]

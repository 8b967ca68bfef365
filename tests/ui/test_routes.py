"""The routes of a real app on a real workspace: what they give, and whom they refuse."""

from __future__ import annotations

import io
import re
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from annotation.people.passwords import hash_password
from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.videos import Video
from annotation.store.store import Store
from tests.bench import Bench
from ui.auth.current_person import COOKIE, Account, AuthRules
from ui.pages.html_documents import static_version
from ui.pages.page_list import PAGES, path_of
from ui.pages.page_table import UI
from ui.pages.unknown_address import TITLES
from ui.web_app import build_app

SAME_SITE = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def client(bench: Bench) -> Iterator[TestClient]:
    """A client of the app, working as the owner, on a clip that every stage has seen."""
    with TestClient(build_app(bench.workspace, bench.engines), headers=SAME_SITE) as found:
        yield found


@pytest.fixture
def store(bench: Bench) -> Store:
    return bench.store


def verdict_of(store: Store) -> Verdict:
    return store.find(Verdict, subject_type="answer")[0]


def edit(client: TestClient, subject: tuple[str, str, str], value: object, base: int = 0, **more: object):
    return client.post("/api/edit", json={"subject": subject, "value": value, "base_revision": base, **more})


# --- pages and media ------------------------------------------------------------------


@pytest.mark.parametrize("path", [*map(path_of, PAGES), "/favicon.ico"])
def test_pages_are_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 200


@pytest.mark.parametrize("path", [*map(path_of, PAGES)])
def test_a_document_names_our_own_files_alone_and_few(client: TestClient, path: str) -> None:
    text = client.get(path).text
    assert "http" not in text
    files = re.findall(r'(?:href|src)="([^"]+)"', text)
    answers = {file: client.get(file) for file in files}
    assert all(file.startswith("/app/") and answer.status_code == 200 for file, answer in answers.items())
    assert all("immutable" in answer.headers["cache-control"] for answer in answers.values())
    assert len(answers) <= 72 and sum(len(answer.content) for answer in answers.values()) < 560_000
    assert client.head(path).status_code == 200


@pytest.mark.parametrize(("address", "status"), [("/nope", 404), ("/verdicts?qa=%00", 400)])
def test_an_address_that_leads_nowhere_is_a_page_for_people_and_json_for_programs(
    client: TestClient, address: str, status: int
) -> None:
    page = client.get(address, headers={"accept": "text/html"})
    assert page.status_code == status and TITLES[status] in page.text
    assert 'href="/verdicts"' in page.text and page.headers["x-content-type-options"] == "nosniff"
    told = client.get("/media/vid-no/thumb/0", headers={"accept": "text/html"})
    assert told.status_code == 404 and "Page not found" not in told.text
    program = client.get(address)
    assert program.status_code == status and program.headers["content-type"] == "application/json"


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
@pytest.mark.parametrize(
    "path",
    [
        "/nope",
        "/api/nope",
        "/media/nope",
        "/app/nope",
        "/mcp/nope",
        "/scores/nope",
        "/demo/nope",
        *(
            f"{at}/gradio_api/{rest}"
            for at in ("", "/demo")
            for rest in ("nope", "call/nope", "call/v2/nope", "run/nope", "api/nope", "queue/nope")
        ),
    ],
)
def test_an_unknown_address_or_endpoint_is_404_in_one_line(
    client: TestClient, path: str, method: str
) -> None:
    sent = {"json": {"data": []}} if method in ("POST", "PUT") else {}
    told = client.request(method, path, headers={"accept": "*/*"}, **sent)
    assert told.status_code in ((404, 405) if method != "POST" else (404,)), told.text
    assert told.json().keys() == {"error"} and "\n" not in told.json()["error"]


@pytest.mark.parametrize("at", ["", "/demo"])
def test_an_unknown_number_of_an_endpoint_is_404(client: TestClient, at: str) -> None:
    body = {"data": [], "fn_index": 999, "session_hash": "x"}
    for path in ("queue/join", "run/nope"):
        told = client.post(f"{at}/gradio_api/{path}", json=body)
        assert told.status_code == 404 and "endpoint '999' not found" in told.json()["error"]


def test_an_unknown_page_of_the_demo_is_a_page_and_the_name_of_the_first_leads_to_it(
    client: TestClient,
) -> None:
    page = client.get("/demo/nope", headers={"accept": "text/html"})
    assert page.status_code == 404 and TITLES[404] in page.text
    first = client.get("/library?video=vid-1", follow_redirects=False)
    assert first.status_code == 307 and first.headers["location"] == "/?video=vid-1"


def test_a_document_names_every_script_that_its_own_import(client: TestClient) -> None:
    """Else a browser learns of them one after the other."""
    for path in ("/", "/verdicts"):
        named = set(re.findall(r'/app/\w+/([\w/]+\.js)"', client.get(path).text))
        for name in named:
            text = (UI / name).read_text(encoding="utf-8")
            for found in re.findall(r"^\s*(?:import|export)\b[^;()]*?from '([^']+)'", text, re.MULTILINE):
                assert ((UI / name).parent / found).resolve().relative_to(UI).as_posix() in named


def test_the_video_is_served_by_id_in_ranges(client: TestClient, bench: Bench) -> None:
    url = f"/media/{bench.video.id}/file"
    whole = Path(bench.video.path or "").read_bytes()
    assert client.get(url).content == whole
    part = client.get(url, headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, whole[10:20])


def test_pictures_and_times_are_of_the_same_table(client: TestClient, bench: Bench) -> None:
    times = np.frombuffer(client.get(f"/media/{bench.video.id}/pts").content, "<f8")
    assert len(times) == 101 and times[50] == pytest.approx(2.0)
    assert client.get(f"/media/{bench.video.id}/strip/99.jpg").content[:2] == b"\xff\xd8"
    assert client.get(f"/media/{bench.video.id}/strip/100.jpg").status_code == 404
    assert client.get(f"/media/{bench.video.id}/huge/1.jpg").status_code == 404


def test_a_video_removed_while_its_pictures_are_made_is_no_server_error(
    client: TestClient, bench: Bench
) -> None:
    pictures = bench.workspace.media / bench.video.id / "w960"

    def statuses(first: int) -> set[int]:
        urls = [f"/media/{bench.video.id}/preview/{index}.jpg" for index in range(first, 120, 4)]
        return {client.get(url).status_code for url in urls}

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(statuses, first) for first in range(4)]
        while len(list(pictures.glob("*.jpg"))) < 9:
            time.sleep(0.001)
        assert client.delete(f"/api/videos/{bench.video.id}").status_code == 200
        found = set().union(*(each.result() for each in asked))
    assert found <= {200, 404, 422}, found
    assert client.get(f"/media/{bench.video.id}/preview/1.jpg").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/media/../dailies.db/file",
        "/media/%2e%2e/file",
        "/media/vid-0/file",
        "/media/..%2fdailies.db/strip/1.jpg",
        "/gradio_api/file=/etc/passwd",
        "/app/../auth.py",
        f"/app/{static_version()}/lib/wire.d.ts",
    ],
)
def test_nothing_else_of_the_machine_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code in (403, 404)


def test_no_file_is_taken_or_given_by_gradio(client: TestClient) -> None:
    """Everybody who is logged in could read what one person sent: our routes are in the place of its own."""
    for path in ("file=/tmp/gradio/a/a.txt", "file/a.txt", "stream/a/b/0/a.txt", "proxy=http://127.0.0.1/"):
        assert client.get(f"/gradio_api/{path}").status_code == 404
        assert client.head(f"/gradio_api/{path}").status_code == 404
    for path in ("upload/", "upload_progress", "process_recording", "component_server"):
        assert client.post(f"/gradio_api/{path}", files={"files": ("a.txt", b"mine")}).status_code == 404
    (sent,) = client.post("/gradio_api/upload", files={"files": ("a.txt", b"mine")}).json()
    assert sent.startswith("inc-") and client.get(f"/gradio_api/file={sent}").content == b"mine"
    assert client.get("/gradio_api/info").status_code == 200


# --- edits ----------------------------------------------------------------------------


def test_an_edit_is_laid_over_and_shown_everywhere(client: TestClient, store: Store) -> None:
    verdict = verdict_of(store)
    saved = edit(
        client, ("verdict", verdict.id, "verdict"), {"label": "yes", "score": 3}, reason="seen"
    ).json()
    assert saved["corrected"] and saved["revision"] == 1
    detail = client.get(f"/api/verdicts/{verdict.id}").json()
    assert detail["verdict"]["value"] == {"label": "yes", "score": 3.0}
    assert detail["history"][0]["reason"] == "seen"
    rows = client.get("/api/verdicts", params={"state": "corrected"}).json()["rows"]
    assert [row["verdict_id"] for row in rows] == [verdict.id]


def test_the_slower_of_two_people_gets_what_is_there(client: TestClient, store: Store) -> None:
    text = store.find(Text, kind="vdc:short")[0]
    subject = ("text", text.id, "value")
    assert edit(client, subject, "mine").status_code == 200
    late = edit(client, subject, "theirs")
    assert late.status_code == 409
    assert (late.json()["current"], late.json()["revision"]) == ("mine", 1)
    assert edit(client, subject, None, 1, cleared=True).json()["value"] == text.value


@pytest.mark.parametrize("base", [1 << 63, -(1 << 63) - 1])
def test_a_revision_that_no_database_holds_is_refused(client: TestClient, store: Store, base: int) -> None:
    refused = edit(client, ("text", store.find(Text, kind="vdc:short")[0].id, "value"), "mine", base)
    assert refused.status_code == 422 and refused.json()["error"].startswith("base_revision: ")
    place = {"video_id": store.find(Video)[0].id, "kind": "vdc:short", "value": "mine"}
    assert client.post("/api/text", json=place | {"base_revision": base}).status_code == 422


@pytest.mark.parametrize(
    ("subject", "value"),
    [
        (("verdict", "jdg-0", "verdict"), {"label": "yes", "score": 1}),
        (("text", "txt-0", "value"), "x"),
        (("video", "vid-0", "title"), "x"),
        (("nonsense", "a", "b"), "x"),
    ],
)
def test_edits_of_what_is_not_there_are_refused_in_one_line(
    client: TestClient, subject: tuple[str, str, str], value: object
) -> None:
    answer = edit(client, subject, value)
    assert answer.status_code in (400, 404, 422)
    assert answer.json()["error"]


def test_error_source_counts_and_can_be_withdrawn(client: TestClient, store: Store) -> None:
    body = {"verdict_id": verdict_of(store).id, "kind": "judge"}
    assert client.post("/api/error-source", json=body).json()["error_source"] == "judge"
    assert client.get("/api/verdicts", params={"state": "error_source"}).json()["total"] == 1
    client.post("/api/error-source", json=body | {"kind": ""})
    assert client.get("/api/verdicts", params={"state": "error_source"}).json()["total"] == 0
    assert client.post("/api/error-source", json=body | {"kind": "the weather"}).status_code == 400


def test_a_persons_keyframes(client: TestClient, bench: Bench) -> None:
    body = {"video_id": bench.video.id, "frames": [50, 0, 50]}
    assert client.post("/api/keyframes", json=body).json()["frames"] == [0, 50]
    assert client.post("/api/keyframes", json=body | {"frames": [100]}).status_code == 400


# --- lists ----------------------------------------------------------------------------


def test_the_list_filters_sorts_and_pages_on_the_server(client: TestClient, store: Store) -> None:
    everything = client.get("/api/verdicts", params={"sort": "verdict"}).json()
    scores = [row["score"] for row in everything["rows"] if row["label"] == "no"]
    assert scores == sorted(scores) and everything["total"] == everything["counts"]["all"]
    page = client.get("/api/verdicts", params={"sort": "verdict", "offset": 2, "limit": 2}).json()["rows"]
    ids = [row["verdict_id"] for row in everything["rows"]]
    assert [row["verdict_id"] for row in page] == ids[2:4]
    yes = client.get("/api/verdicts", params={"state": "yes"}).json()
    assert yes["total"] == everything["counts"]["yes"]
    word = everything["rows"][0]["question"].split()[-1].strip("?")
    found = client.get("/api/verdicts", params={"q": word.upper()}).json()["rows"]
    assert everything["rows"][0]["question"] in [row["question"] for row in found]
    assert client.get("/api/verdicts", params={"q": "%"}).json()["total"] == 0


def test_every_page_has_its_data(client: TestClient, bench: Bench) -> None:
    video = bench.video.id
    assert len(client.get(f"/api/script/{video}").json()["script"]) == 2
    assert client.get("/api/library").json()["videos"][0]["id"] == video
    assert client.get(f"/api/split/{video}").json()["texts"]["spatial"]
    assert len(client.get(f"/api/keyframes/{video}").json()["frames"]) == 5
    assert client.get("/api/split/vid-0").status_code == 404


# --- files ----------------------------------------------------------------------------


def test_uploads_are_added_imported_or_named_as_unreadable(
    client: TestClient, bench: Bench, clip: Path
) -> None:
    captions = b'{"video_id": "boat", "captions": {"short_caption": "A <b>boat</b>."}}\n'
    answer = client.post(
        "/api/files",
        params={"run": False},
        files=[
            ("files", ("../../evil name.jsonl", captions)),
            ("files", ("again.mp4", clip.read_bytes())),
            ("files", ("broken.mp4", b"no video")),
            ("files", ("what.xyz", b"\x00\x01")),
        ],
    )
    rows = answer.json()["files"]
    found = {row["file"]: row for row in rows}
    assert found.keys() == {"evil name.jsonl", "again.mp4", "broken.mp4", "what.xyz"}
    assert found["evil name.jsonl"]["records"]["Text"] == 1
    assert found["again.mp4"]["known"] and found["again.mp4"]["title"] == bench.video.title
    assert found["broken.mp4"]["error"] and found["what.xyz"]["error"]
    assert {video.title for video in bench.store.find(Video)} >= {"boat"}
    assert not list(bench.workspace.path.parent.glob("evil*"))


def test_an_archive_that_leads_out_of_itself_is_refused(client: TestClient, bench: Bench) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../outside.jsonl", "{}")
    row = client.post("/api/files", files=[("files", ("log.zip", packed.getvalue()))]).json()["files"][0]
    assert "outside" in row["error"]


def test_exports_are_downloads(client: TestClient) -> None:
    names = {row["name"] for row in client.get("/api/formats").json()["formats"]}
    assert {"dailies-jsonl", "loveu", "verdicts-csv", "vdc-captions"} <= names
    evaluation = client.get("/api/library").json()["evaluation"]
    answer = client.get("/api/export/loveu", params={"evaluation": evaluation})
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert sorted(Path(n).name for n in archive.namelist()) == [
            "answers.jsonl",
            "captions.jsonl",
            "manifest.json",
            "verdicts.jsonl",
        ]
    assert client.get("/api/export/nothing").status_code == 400


def test_a_job_runs_in_the_background_and_says_how_far_it_is(client: TestClient, bench: Bench) -> None:
    started = client.post("/api/jobs", json={"videos": [bench.video.id], "stages": ["captions"]}).json()
    end = time.monotonic() + 240
    while time.monotonic() < end:
        job = next(j for j in client.get("/api/jobs").json() if j["id"] == started["id"])
        if job["finished"]:
            break
        time.sleep(0.05)
    assert job["state"] == "done" and job["problems"] == []
    assert client.post("/api/jobs", json={"videos": []}).status_code == 400
    assert client.post("/api/jobs", json={"videos": [bench.video.id], "stages": ["magic"]}).status_code == 400


# --- who may --------------------------------------------------------------------------


def test_other_sites_cannot_change_anything(client: TestClient, store: Store) -> None:
    verdict = verdict_of(store)
    body = {"verdict_id": verdict.id, "kind": "judge"}
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}):
        assert client.post("/api/error-source", json=body, headers=headers).status_code == 403
    old = TestClient(client.app)
    assert (
        old.post("/api/error-source", json=body, headers={"Origin": "http://evil.example"}).status_code == 403
    )
    assert store.current("verdict", verdict.id, "verdict").error_source == ""


@pytest.mark.parametrize(
    ("role", "path", "body", "allowed"),
    [
        ("annotator", "/api/jobs", {"videos": ["x"]}, False),
        ("annotator", "/api/rerun", {"evaluation": "x"}, False),
        ("expert", "/api/jobs", {"videos": ["x"]}, False),
        ("researcher", "/api/jobs", {"videos": ["x"]}, True),
        ("annotator", "/api/keyframes", {"video_id": "x", "frames": []}, True),
    ],
)
def test_roles_may_what_they_may(
    client: TestClient, bench: Bench, role: str, path: str, body: object, allowed: bool
) -> None:
    person = bench.workspace.add_person(f"the {role}", role)
    client.cookies.set(COOKIE, person.id)
    assert (client.post(path, json=body).status_code != 403) is allowed


def test_nobody_passes_a_locked_door_without_a_password(bench: Bench) -> None:
    accounts = [Account("ann", "annotator", hash_password("correct horse"))]
    app = build_app(bench.workspace, bench.engines, AuthRules(accounts))
    with TestClient(app, headers=SAME_SITE, follow_redirects=False) as client:
        for path in ("/api/library", f"/media/{bench.video.id}/file", "/api/export/vdc-qa", "/config"):
            assert client.get(path).status_code == 401, path
        assert client.get("/", headers={"Accept": "text/html"}).headers["location"] == "/login"
        client.cookies.set(COOKIE, bench.workspace.owner().id)  # an id alone is no key
        assert client.get("/api/library").status_code == 401
        client.cookies.clear()
        assert client.post("/login", data={"name": "ann", "password": "wrong"}).status_code == 401
        assert client.post("/login", data={"name": "ann", "password": "correct horse"}).status_code == 303
        assert client.get("/api/me").json()["person"]["name"] == "ann"
        assert client.get("/").status_code == 200
        assert client.post("/api/me", json={"person_id": bench.workspace.owner().id}).status_code == 400

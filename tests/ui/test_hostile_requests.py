"""Hostile inputs, by name, on every route that takes input: nothing outside is read, nothing runs."""

from __future__ import annotations

import io
import json
import os
import pickle
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.bench import Bench
from tests.ui.direct_client import DirectClient
from tests.ui.every_route import ROUTES, requests, with_bodies
from ui.web_app import build_app

SECRET = "the secret outside of the workspace"
SKIPPED = (
    "POST /api/jobs",
    "POST /login",
    "DELETE /api/videos/{video_id}",
    "POST /api/cuts/{video_id}/detect",
)
"""Tried by hand below, or only slow: they take ids as the others do."""
WORST = (
    "path upwards",
    "url of the cloud's metadata",
    "nul",
    "formula, HTML, template, SQL, Python",
    "lone surrogate",
)
"""One of each sort; the long tests try them all."""


def texts(outside: Path) -> dict[str, str]:
    """What is put wherever a client may put words."""
    return {
        "absolute path": str(outside),
        "path upwards": f"../../../../../../..{outside}",
        "encoded path": quote(f"../../../..{outside}", safe=""),
        "windows path": "..\\..\\..\\windows\\win.ini",
        "file url": f"file://{outside}",
        "url of the cloud's metadata": "http://169.254.169.254/latest/meta-data/",
        "url of this machine": "http://127.0.0.1:22/",
        "chained url": f"simplecache::file://{outside}",
        "url of a store": "s3://bucket/../private/a.mp4",
        "nul": "a\x00b",
        "formula, HTML, template, SQL, Python": "=cmd|' /C calc'!A0 <img src=x onerror=alert(1)>"
        "<script>alert(1)</script> {{7*7}}${7*7}#{7*7}{config} x' OR '1'='1'; DROP TABLE video; -- %_%"
        "__import__('os').system('touch canary') \u202egnp.exe",
        "lone surrogate": "\ud800",
        "long": "x" * 5_000,
        "no name": "",
        "dots": "..",
        "number": "-9223372036854775809",
        "not a number": "NaN",
    }


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    file = tmp_path / "outside.txt"
    file.write_text(SECRET, encoding="utf-8")
    return file


@pytest.fixture
def client(bench: Bench) -> Iterator[DirectClient]:
    """Errors come back as 500 and are counted, not raised."""
    app = build_app(bench.workspace, bench.engines)
    with DirectClient(app, headers={"Sec-Fetch-Site": "same-origin"}) as client:
        yield client


@pytest.mark.parametrize("kinds", [WORST, pytest.param((), marks=pytest.mark.long)], ids=["worst", "all"])
def test_words_of_clients(
    client: DirectClient,
    bench: Bench,
    outside: Path,
    monkeypatch: pytest.MonkeyPatch,
    kinds: tuple[str, ...],
) -> None:
    monkeypatch.chdir(outside.parent)
    before, wrong, tried = around(outside.parent, bench.workspace.path), [], 0
    for name in sorted(set(ROUTES) - set(SKIPPED)):
        for kind, word in texts(outside).items():
            if kinds and kind not in kinds:
                continue
            for request in requests(name, bench.video.id, word):
                answer = client.request(**request, follow_redirects=False)
                tried += 1
                if answer.status_code >= 500 or SECRET.encode() in answer.content:
                    wrong.append(f"{kind}: {request['method']} {request['url'][:90]}: {answer.status_code}")
    assert not wrong, "\n".join(sorted(set(wrong))[:40])
    assert tried > 60 * len(kinds or texts(outside))
    assert around(outside.parent, bench.workspace.path) == before
    assert client.get("/api/library").json()["videos"], "the video is still there"


def test_what_json_cannot_hold_is_refused_in_one_line(client: DirectClient, bench: Bench) -> None:
    """Python reads and writes NaN as JSON; no answer may hold it."""
    tried = 0
    for name in sorted(set(ROUTES) - set(SKIPPED)):
        for request in with_bodies(name, bench.video.id, float("nan"), str | int | float):
            answer = client.request(**request)
            tried += 1
            assert answer.status_code < 500, f"{request}: {answer.text}"
            if answer.status_code == 422:
                assert set(answer.json()) == {"error"} and "\n" not in answer.json()["error"], answer.text
    assert tried > 150
    body = {"subject": ["text", "x", "value"], "value": "", "base_revision": float("nan")}
    said = client.post("/api/edit", content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert (said.status_code, said.json()["error"][:15]) == (422, "base_revision: ")
    assert (
        client.get("/api/verdicts?limit=x").json()["error"].startswith("limit: Input should be a valid int")
    )


def around(folder: Path, workspace: Path) -> list[Path]:
    """Every file beside the workspace."""
    return sorted(f for f in folder.rglob("*") if workspace not in f.parents)


class Runs:
    """A pickle that does something."""

    def __reduce__(self) -> Any:
        return os.system, ("touch canary",)


def packed(kind: str, members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
    else:
        with tarfile.open(fileobj=out, mode="w") as archive:
            for name, content in members.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "'
    + b"ha" * 99
    + b'">'
    + b"".join(b'<!ENTITY %c "%s">' % (c, b"&%c;" % (c - 1) * 20) for c in range(ord("b"), ord("h")))
    + b"]><worksheet>&g;</worksheet>"
)
OUTWARDS = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'


SHEET = "a_VDC_8frame.xlsx"
WORKBOOK = ("[Content_Types].xml", "xl/workbook.xml")
OBJECTS = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".ljust(118)
FILES: dict[str, tuple[str, bytes]] = {
    "path as a name": ("../../../outside.json", b"[]"),
    "absolute name": ("/tmp/outside.json", b"[]"),
    "windows name": ("..\\..\\outside.json", b"[]"),
    "hidden name": (".bashrc", b"x"),
    "no name": (" ", b"x"),
    "long name": ("x" * 5000 + ".json", b"[]"),
    "nul in a name": ("a\x00.json", b"[]"),
    "device name": ("con.json", b"[]"),
    "pickle": ("MODEL_VDC_8frame.pkl", pickle.dumps(Runs())),
    "pickle under another name": ("captions.jsonl", pickle.dumps(Runs())),
    "html as a video": ("a.mp4", b"<script>alert(1)</script>"),
    "playlist as a video": ("a.mp4", b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n"),
    "concat as a video": ("a.mkv", b"ffconcat version 1.0\nfile /etc/passwd\n"),
    "svg": ("a.svg", b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
    "zip upwards": ("a.zip", packed("zip", {"../../outside2.txt": b"x"})),
    "tar upwards": ("a.tar", packed("tar", {"../../outside2.txt": b"x"})),
    "zip bomb as a spreadsheet": (SHEET, packed("zip", {"xl/worksheets/sheet1.xml": bytes(50_000_000)})),
    "laughs as a spreadsheet": (SHEET, packed("zip", dict.fromkeys(WORKBOOK, LAUGHS))),
    "entity as a spreadsheet": (SHEET, packed("zip", dict.fromkeys(WORKBOOK, OUTWARDS))),
    "pickled array": ("a.npz", packed("zip", {"embeddings.npy": OBJECTS + pickle.dumps(Runs())})),
    "deep": ("a.json", b"[" * 200_000),
    "long number": ("a.jsonl", b'{"video_id": "v", "x": ' + b"9" * 100_000 + b"}"),
    "not finite": ("a.jsonl", b'{"video_id": "v", "short_caption": "a", "x": 1e999}'),
    "python in a csv": ("a.csv", b"id,pred,gt\n1,x,\"__import__('os').system('touch canary')\"\n"),
    "formula": ("a.csv", b"id,pred\n1,=cmd|' /C calc'!A0\n"),
    "half a text": ("a.jsonl", b'{"video_id": "v\xe9'),
    "path as an id": ("a.jsonl", b'{"video_id": "../../../etc/passwd", "short_caption": "a"}\n'),
    "path in a config": ("data.config", b'{"carebench": {"anno_path": "/etc/passwd", "data_root": "/etc"},}'),
}


def test_files_of_clients(
    client: DirectClient, bench: Bench, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(outside.parent)
    before, space = around(outside.parent, bench.workspace.path), bench.workspace.path
    for kind, (name, content) in FILES.items():
        answer = client.post("/api/files?run=false", files=[("files", (name, content))])
        assert answer.status_code < 500, f"{kind}: {answer.text}"
        assert b"root:" not in answer.content, f"{kind}: /etc/passwd"
        assert str(space) not in answer.text, f"{kind}: where the workspace lies"
        assert around(outside.parent, space) == before, kind
        assert not list(space.rglob("canary")), kind
        left = [f.name for f in space.iterdir() if f.is_dir() and f.name.startswith("tmp")]
        assert not left, f"{kind}: nothing half-taken stays"


@pytest.mark.parametrize(
    ("body", "words"),
    [('{"base_revision":', "the body is not JSON: error at character 17"), ("", "body: Field required")],
)
def test_a_body_that_is_no_json_is_said(client: DirectClient, body: str, words: str) -> None:
    said = client.post("/api/edit", content=body, headers={"Content-Type": "application/json"})
    assert (said.status_code, said.json()) == (422, {"error": words})

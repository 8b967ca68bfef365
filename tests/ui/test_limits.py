"""Bounds on what comes in: each is said in a line, nothing half-taken stays, and the app goes on."""

from __future__ import annotations

import io
import socket
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from annotation.intake.archives import unpack
from annotation.intake.zip_checks import check_zip
from annotation.records.captions_to_verdicts import Text
from annotation.records.videos import Video
from annotation.workspace.limit_settings import Limits, short_name
from annotation.workspace.workspace import Workspace
from backends.errors import UsageError
from tests.bench import Bench
from tests.small_disk import fill, small_disk
from tests.ui.serving import serving
from ui.web_app import build_app

SAME = {"Sec-Fetch-Site": "same-origin"}
CAPTION = b'{"video_id": "boat", "short_caption": "A boat."}\n'


def with_limits(space: Workspace, **limits: float) -> Workspace:
    """The workspace with these in its settings."""
    rows = "".join(f"{name} = {value}\n" for name, value in limits.items())
    (space.path / "settings.toml").write_text(f"[limits]\n{rows}", encoding="utf-8")
    space.__dict__.pop("settings", None)
    space.__dict__.pop("limits", None)
    return space


def browser(bench: Bench, **limits: float) -> TestClient:
    return TestClient(
        build_app(with_limits(bench.workspace, **limits), bench.engines),
        headers=SAME,
        raise_server_exceptions=False,
    )


def left_over(space: Workspace) -> list[str]:
    return [path.name for path in space.path.iterdir() if path.name.startswith("tmp")]


def one_line(text: str) -> bool:
    return "\n" not in text.strip() and len(text) < 400


# --- uploads ---------------------------------------------------------------------------


def told_alone(app: FastAPI, length: int) -> str:
    """The answer to an upload of which nothing comes but its length."""
    head = (
        f"POST /api/files HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
    )
    with serving(app) as port, socket.create_connection(("127.0.0.1", port), timeout=30) as wire:
        wire.sendall(head.encode())
        answer = ""
        while "}" not in answer and (more := wire.recv(4096)):  # head and body may come apart
            answer += more.decode()
    return answer


def test_an_upload_that_says_its_length_is_refused_before_it_comes(bench: Bench) -> None:
    answer = told_alone(
        build_app(with_limits(bench.workspace, upload_gb=0.001), bench.engines), 2_000_000_000
    )
    assert answer.startswith("HTTP/1.1 413") and "at most 0.001 GB are allowed (upload_gb" in answer


def test_an_upload_is_counted_while_it_comes(bench: Bench) -> None:
    """Without a length: what was written of it is removed."""
    sent = 0
    with serving(build_app(with_limits(bench.workspace, upload_gb=0.002), bench.engines)) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as wire:
            wire.sendall(
                b"POST /api/files HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
                b"Content-Type: multipart/form-data; boundary=b\r\n\r\n"
            )
            start = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.mp4"\r\n\r\n'
            answer = b""
            try:
                for piece in (start, *[bytes(100_000)] * 200):
                    wire.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
                    sent += len(piece)
            except OSError:
                pass
            answer = wire.recv(4096)
        assert answer.startswith(b"HTTP/1.1 413") and b"a.mp4 has 0.0" in answer, answer
        assert left_over(bench.workspace) == []
        assert urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=30).status == 200


def test_what_fits_is_taken(bench: Bench) -> None:
    client = browser(bench, upload_gb=0.002)
    assert client.get("/api/limits").json() == {"upload": 2_000_000}
    row = client.post("/api/files?run=false", files=[("files", ("a.jsonl", CAPTION))]).json()["files"][0]
    assert row["records"]["Text"] == 1


LONG_NAMES = ("😀" * 119 + ".jsonl", "é" * 300 + ".jsonl", "a" * 2000, "a." + "b" * 300)


def test_a_long_name_is_shortened(bench: Bench) -> None:
    client = browser(bench)
    for name in LONG_NAMES:
        answer = client.post("/api/files?run=false", files=[("files", (name, CAPTION))])
        assert answer.status_code == 200, answer.text
        row = answer.json()["files"][0]
        assert row["format"] == "vdc-captions" and len(row["file"].encode()) <= 200
        assert row["file"].endswith(".jsonl") == name.endswith(".jsonl")


def test_names_are_counted_in_bytes() -> None:
    assert short_name("ship.mp4", 200) == "ship.mp4"
    assert short_name("😀" * 119 + ".mp4", 200) == "😀" * 49 + ".mp4"
    assert len(short_name("😀.😀" * 80, 200).encode()) <= 200


def test_what_is_no_form(bench: Bench) -> None:
    client = browser(bench)
    for body in (b"", b"no form", b"--x--"):
        for kind in ("text/plain", "multipart/form-data", "multipart/form-data; boundary=x"):
            answer = client.post("/api/files", content=body, headers={"Content-Type": kind})
            assert answer.status_code == 400 and one_line(answer.json()["error"]), answer.text


# --- archives --------------------------------------------------------------------------


def archive(path: Path, entries: dict[str, int]) -> Path:
    """A zip whose entries are so many zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, length in entries.items():
            with packed.open(name, "w") as file:
                for start in range(0, length, 10_000_000):
                    file.write(bytes(min(10_000_000, length - start)))
    return path


def refused(client: TestClient, path: Path) -> str:
    with path.open("rb") as file:
        answer = client.post("/api/files?run=false", files=[("files", (path.name, file))])
    assert answer.status_code == 200, answer.text
    return str(answer.json()["files"][0]["error"])


def test_many_tiny_files_are_refused_at_once(bench: Bench, tmp_path: Path) -> None:
    path = archive(tmp_path / "many.zip", {f"d/{n}.json": 2 for n in range(60_000)})
    told = "many.zip: the archive contains 60,000 files, at most 10,000 are allowed"
    assert refused(browser(bench), path).startswith(told)
    began = time.process_time()
    with zipfile.ZipFile(path) as packed:
        assert len(packed.infolist()) == 60_000
    listed = time.process_time() - began
    began = time.process_time()
    with pytest.raises(UsageError, match=told):
        check_zip(path, Limits())
    assert time.process_time() - began < listed / 5, "its list is not read"


@pytest.mark.parametrize("name", ["lying.zip", "lying.npz"])
def test_a_directory_that_lies_about_its_count(bench: Bench, tmp_path: Path, name: str) -> None:
    path = archive(tmp_path / name, {f"{n}.json": 2 for n in range(300)})
    raw = bytearray(path.read_bytes())
    end = raw.rindex(b"PK\5\6")
    raw[end + 8 : end + 12] = b"\1\0\1\0"
    path.write_bytes(raw)
    assert "at most 100 are allowed" in refused(browser(bench, archive_files=100), path)


def test_zeros_are_not_unpacked(bench: Bench, tmp_path: Path) -> None:
    path = archive(tmp_path / "zeros.zip", {"a.jsonl": 200_000_000})
    assert "times as large, at most 200 times is allowed" in refused(browser(bench), path)
    assert "zeros.zip: 200 MB unpacked, at most 150 MB are allowed" in refused(
        browser(bench, archive_gb=0.15), path
    )
    assert left_over(bench.workspace) == []


@pytest.mark.parametrize("name", ["arrays.npz", "book.xlsx"])
def test_other_archives_have_the_same_bounds(bench: Bench, tmp_path: Path, name: str) -> None:
    assert "times as large" in refused(browser(bench), archive(tmp_path / name, {"a.npy": 110_000_000}))


def test_a_tar_is_counted_and_measured_while_it_is_read(bench: Bench, tmp_path: Path) -> None:
    """It has no list of what is in it."""
    for name, contents, told in (
        ("many.tar.gz", [b"{}"] * 12, "at most 10 are allowed"),
        ("zeros.tar.gz", [bytes(110_000_000)], "times as large"),
    ):
        with tarfile.open(tmp_path / name, "w:gz") as tar:
            for number, content in enumerate(contents):
                about = tarfile.TarInfo(f"{number}.json")
                about.size = len(content)
                tar.addfile(about, io.BytesIO(content))
        assert told in refused(browser(bench, archive_files=10), tmp_path / name)


def test_a_small_one_may_be_packed_well(tmp_path: Path) -> None:
    check_zip(archive(tmp_path / "a.zip", {"a.jsonl": 90_000_000}), Limits())


def test_long_names_in_an_archive(tmp_path: Path) -> None:
    """They cost only themselves."""
    name = "d/" + "😀" * 60 + ".json"
    path = archive(tmp_path / "a.zip", {name: 2, "d/b.json": 2})
    found = unpack(path, tmp_path / "out", Limits(), lambda _: False)
    assert [one for one, _ in found.unread] == [name]
    assert "its name has 245 bytes, at most 200 are allowed" in found.unread[0][1]
    assert [file.name for file in (tmp_path / "out").rglob("*.json")] == ["b.json"]


# --- other requests --------------------------------------------------------------------


def test_long_requests(bench: Bench) -> None:
    client = browser(bench, request_mb=0.1)
    long = b'{"name": "' + b"x" * 200_000 + b'"}'
    for path in ("/api/edit", "/login", "/gradio_api/queue/join", "/nothing"):
        answer = client.post(path, content=long, headers={"Content-Type": "application/json"})
        assert answer.status_code == 413 and one_line(answer.json()["error"]), path
    for path in ("/api/edit", "/api/jobs"):
        answer = client.post(
            path, content=iter([long[:1000]] * 150), headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == 413 and "request_mb" in answer.json()["error"], answer.text


@pytest.mark.parametrize(
    "limits", [{"upload": 1}, {"upload_gb": 0}, {"upload_gb": '"much"'}, {"free_mb": -1}]
)
def test_settings_that_are_none(bench: Bench, limits: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="limits"):
        browser(bench, **limits)


def test_defaults_are_those_of_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs" / "teams.md").read_text(encoding="utf-8")
    for name in Limits.__dataclass_fields__:
        assert f"| `{name}` | {getattr(Limits(), name):,g} |" in text, name


# --- a full disk -----------------------------------------------------------------------


def test_a_full_disk_is_said_and_the_app_goes_on(bench: Bench, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 48) as disk:
        space = with_limits(Workspace(disk / "workspace"), free_mb=2)
        client = TestClient(build_app(space, bench.engines), headers=SAME, raise_server_exceptions=False)
        files = [("files", ("a.jsonl", CAPTION))]
        assert client.post("/api/files?run=false", files=files).status_code == 200
        [text] = space.store.find(Text)
        edit = {"subject": ["text", text.id, "value"], "value": "A ship.", "base_revision": 0}
        filler = fill(disk)
        assert client.get("/healthz").json() == {"status": "the disk is full"}
        assert client.get("/healthz").status_code == 503
        long = {"value": "A ship. " * 12_000}
        many = b"".join(CAPTION.replace(b"boat", b"boat%d" % n) for n in range(20_000))
        refused = {
            "save": client.post("/api/edit", json=edit | long),
            "import": client.post("/api/files?run=false", files=[("files", ("b.jsonl", many))]),
            "upload": client.post("/api/files?run=false", files=[("files", ("b.mp4", bytes(3_000_000)))]),
        }
        for what, answer in refused.items():
            assert answer.status_code == 507, (what, answer.status_code, answer.text)
            assert "free" in answer.json()["error"] and one_line(answer.json()["error"]), what
        assert client.get("/api/library").status_code == 200, "one may look"
        filler.unlink()
        assert client.get("/healthz").status_code == 200
        assert client.post("/api/edit", json=edit).status_code == 200
        assert space.store.current("text", text.id, "value").value == "A ship."
        assert space.store.count(Video) == 1, "nothing of what was refused is there"
        client.close()
        space.close()


def test_little_room_is_said_before_it_is_none(bench: Bench, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 16) as disk:
        space = Workspace(disk / "workspace")
        client = TestClient(build_app(space, bench.engines))
        answer = client.get("/healthz")
        assert answer.status_code == 503
        assert answer.json() == {"status": "less than 100 MB free on the disk of the workspace"}
        space.close()


def test_an_upload_larger_than_the_disk_is_refused_before_it_comes(bench: Bench, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 24) as disk:
        space = with_limits(Workspace(disk / "workspace"), free_mb=1)
        answer = told_alone(build_app(space, bench.engines), 1_000_000_000)
        assert (
            answer.startswith("HTTP/1.1 507")
            and "1 GB, but only" in answer
            and "are free; free some" in answer
        )
        space.close()


def test_an_import_larger_than_the_disk_is_written_whole_or_not_at_all(bench: Bench, tmp_path: Path) -> None:
    """SQLite finds the disk full in the middle of the transaction."""
    with small_disk(tmp_path / "disk", 24) as disk:
        space = with_limits(Workspace(disk / "workspace"), free_mb=1)
        client = TestClient(build_app(space, bench.engines), headers=SAME, raise_server_exceptions=False)
        words = b"A boat and a pier. " * 12
        many = b"".join(b'{"video_id": "v%d", "short_caption": "%s"}\n' % (n, words) for n in range(20_000))
        answer = client.post("/api/files?run=false", files=[("files", ("b.jsonl", many))])
        assert answer.status_code == 507 and one_line(answer.json()["error"]), answer.text
        assert (space.store.count(Video), space.store.count(Text), left_over(space)) == (0, 0, [])
        assert client.get("/healthz").status_code == 200
        assert client.post("/api/files?run=false", files=[("files", ("a.jsonl", CAPTION))]).status_code == 200
        space.close()

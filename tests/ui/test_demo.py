"""The Demo page: whose files they are, what it takes, and that nothing is left of it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np
import pytest

from annotation.people.passwords import hash_password
from annotation.records.allowed_values import Role
from annotation.records.videos import Video
from annotation.workspace.limit_settings import Limits
from backends.chat.ports import free_port
from tests.app_process import AppProcess, run_app
from tests.backends.clips import textured, write_clip
from tests.bench import Bench
from tests.ui.demo_visitor import Visitor
from tests.ui.serving import serving
from ui.auth.current_person import Account, AuthRules
from ui.demo import demo_app
from ui.demo.clips import demo_clips
from ui.demo.demo_app import demo_alone
from ui.web_app import build_app

PEOPLE: dict[str, Role] = {"ann": "annotator", "rob": "researcher", "rita": "researcher"}
LIMITS = Limits(demo_mb=1, demo_seconds=5)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the page has its files, and nobody else."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(folder / "gradio"))
    return folder


@pytest.fixture
def url(bench: Bench) -> Iterator[str]:
    """The page alone, for everybody."""
    with serving(demo_alone(bench.engines, LIMITS)) as port:
        yield f"http://127.0.0.1:{port}"


def test_a_clip_is_run_and_nothing_is_left(bench: Bench, clip: Path, temporary: Path) -> None:
    with serving(demo_alone(bench.engines, LIMITS)) as port:
        visitor = Visitor(f"http://127.0.0.1:{port}")
        (path,) = visitor.upload(clip).json()
        assert visitor.run(path).status_code == 200
        told = list(visitor.told())
        ended = told[-2] if told[-1]["msg"] == "close_stream" else told[-1]
        assert ended["success"] and "Done." in str(ended["output"]["data"])
        said = str(told)
        for words in (
            "Scene 2: 2.0 to 4.0 s",
            "Written by rules, no model",
            "the middle of interval 1 of",
        ):
            assert words in said
        pictures = {line for line in said.split("'") if line.startswith("http") and line.endswith(".jpg")}
        assert pictures and all(httpx.get(one).content[:2] == b"\xff\xd8" for one in pictures)
    assert not [one for one in temporary.rglob("*") if one.is_file()]


def test_an_upload_has_a_name_that_only_its_sender_is_told(url: str, clip: Path, temporary: Path) -> None:
    mine, other = Visitor(url), Visitor(url)
    (first,), (second,) = mine.upload(clip).json(), other.upload(clip).json()
    assert first != second, "the same content, under names that say nothing of it"
    address = "/demo/gradio_api/file="
    assert mine.client.get(address + first).content == clip.read_bytes()
    assert Path(first).parents[2] == Path(second).parents[2]
    assert not [one for one in (temporary / "gradio").glob("*/*") if one.is_file()], "Gradio's own copy"
    for name in ("/etc/passwd", f"{Path(first).parents[1]}", f"{first}/../../../x", "https://example.org/x"):
        assert mine.client.get(address + name).status_code in (403, 404), name


@pytest.mark.parametrize(
    "path",
    [
        *("stream/x", "proxy=https://example.org/", "component_server", "deep_link", "process_recording"),
        *("dev/reload", "file/etc/passwd"),
    ],
)
def test_what_the_page_does_not_need_is_closed(url: str, path: str) -> None:
    assert httpx.get(f"{url}/demo/gradio_api/{path}").status_code == 404
    assert httpx.post(f"{url}/demo/gradio_api/{path}", json={}).status_code == 404


def test_a_file_that_is_not_ones_own_is_not_run(url: str, bench: Bench) -> None:
    """Such as one of the machine that a client names."""
    visitor = Visitor(url)
    visitor.run(str(bench.video.path))
    assert not visitor.outcome()["success"]
    visitor.run("/etc/passwd")
    assert not visitor.outcome()["success"]


def test_too_long_too_large_and_no_video(url: str, tmp_path: Path) -> None:
    visitor = Visitor(url)
    (path,) = visitor.upload(write_clip(tmp_path / "long.mp4", [textured(1)] * 150)).json()
    visitor.run(path)
    assert "this clip has 6 s, and the demo accepts 5; use a smaller clip" in str(visitor.outcome())
    (tmp_path / "no.mp4").write_text("words")
    (path,) = visitor.upload(tmp_path / "no.mp4").json()
    visitor.run(path)
    assert "no.mp4" in str(visitor.outcome())
    (tmp_path / "large.mp4").write_bytes(bytes(3_000_000))
    answer = visitor.upload(tmp_path / "large.mp4")
    assert answer.status_code == 413
    assert answer.text.startswith("this clip is larger than 1 MB; shorten it, or install Dailies")
    wide = write_clip(tmp_path / "wide.mp4", [np.zeros((2176, 3856, 3), np.uint8)])
    (path,) = visitor.upload(wide).json()
    visitor.run(path)
    assert "this clip has 8,390,656 pixels, and the demo accepts 8,294,400" in str(visitor.outcome())


def test_a_full_disk_takes_no_clip(url: str, clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(clip)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=1_000))
    answer = Visitor(url).upload(clip)
    assert (answer.status_code, answer.text[:25]) == (507, "no space for another clip")


def test_no_page_comes_from_an_upload(url: str, bench: Bench, tmp_path: Path) -> None:
    """A script in one would be of the site that shows it."""
    with serving(build_app(bench.workspace, bench.engines)) as port:
        for at in (url, f"http://127.0.0.1:{port}"):
            for name in ("page.html", "picture.svg", "page.xhtml"):
                (tmp_path / name).write_text("<script>alert(1)</script>")
                visitor = Visitor(at)
                (path,) = visitor.upload(tmp_path / name).json()
                answer = visitor.client.get(f"/demo/gradio_api/file={path}")
                assert answer.headers["content-disposition"].startswith("attachment"), (at, name)
                assert answer.headers["x-content-type-options"] == "nosniff"


def test_people_who_send_the_same_clip_at_once(url: str, clip: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _n: Visitor(url).upload(clip), range(16)))
    paths = {answer.json()[0] for answer in answers}
    assert len(paths) == 16 and all(Path(path).read_bytes() == clip.read_bytes() for path in paths)


def test_an_upload_that_breaks_off_leaves_nothing(url: str, temporary: Path) -> None:
    def part() -> Iterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.mp4"\r\n\r\n'
        yield bytes(200_000)
        raise OSError("the line is gone")

    with pytest.raises(OSError, match="the line is gone"):
        httpx.post(
            f"{url}/demo/gradio_api/upload",
            content=part(),
            headers={"content-type": "multipart/form-data; boundary=x"},
        )
    end = time.monotonic() + 20
    while left := [home for home, _, names in os.walk(temporary) if names and "for_all" not in home]:
        assert time.monotonic() < end, left
        time.sleep(0.1)


def test_a_server_that_ends_takes_its_runs_along(bench: Bench, temporary: Path, tmp_path: Path) -> None:
    long = write_clip(tmp_path / "long.mp4", [textured(1 + n // 25) for n in range(1000)])
    with serving(demo_alone(bench.engines, Limits())) as port:
        visitor = Visitor(f"http://127.0.0.1:{port}")
        (path,) = visitor.upload(long).json()
        visitor.run(path)
        assert next(one for one in visitor.told() if one["msg"] == "process_generating")
    assert not [one for one in temporary.rglob("*") if one.is_file()]
    lost = temporary / "gradio" / "demo-999999999-x" / "y"
    lost.mkdir(parents=True)
    with serving(demo_alone(bench.engines, Limits())):
        assert not lost.exists(), "what a killed server has left"


def test_a_space_without_accounts_serves_it_alone(tmp_path: Path) -> None:
    port = free_port()
    words = ("serve", "--host", "0.0.0.0", "--port", port, "--workspace", tmp_path / "workspace")
    with AppProcess(*words, environment={**os.environ, "SPACE_ID": "somebody/dailies"}) as app:
        try:
            end = time.monotonic() + 60
            said = ""
            while "The Demo page of Dailies is on" not in said:
                assert app.poll() is None and time.monotonic() < end, said
                time.sleep(0.1)
                said = "".join(file.read_text() for file in (app.out, app.err) if file.exists())
        finally:
            app.kill()


@pytest.mark.parametrize("flag", ["--accounts", "--mcp", "--demo", "--insecure"])
def test_flags_of_the_other_pages_do_not_go_with_it(flag: str, tmp_path: Path) -> None:
    done = run_app("serve", "--demo-only", flag, "--workspace", tmp_path / "workspace")
    assert done.returncode == 2 and "remove the flags of the other pages" in done.stderr


def test_what_is_old_is_removed(bench: Bench, clip: Path) -> None:
    with serving(demo_alone(bench.engines, Limits(demo_minutes=0.001))) as port:
        visitor = Visitor(f"http://127.0.0.1:{port}")
        (old,) = visitor.upload(clip).json()
        end = time.monotonic() + 20
        while Path(old).exists():  # without another visitor
            assert time.monotonic() < end
            time.sleep(0.05)
        sample = next(path for path in Path(old).parents[2].rglob("*.mp4") if path.parent.name == "for_all")
        assert sample.is_file()
        visitor.run(old)
        assert not visitor.outcome()["success"]


def test_a_page_that_is_closed_leaves_nothing(
    bench: Bench, clip: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_clips, "CLOSED_S", 0.5)
    monkeypatch.setattr(demo_app, "SWEEP_S", 0.2)

    def lefts() -> list[Path]:
        walked = os.walk(temporary)  # `rglob` fails on folders that are removed meanwhile
        return [Path(home, name) for home, _, names in walked for name in names if "for_all" not in home]

    with serving(demo_alone(bench.engines, LIMITS)) as port:
        visitor = Visitor(f"http://127.0.0.1:{port}")
        with visitor.open():
            (path,) = visitor.upload(clip).json()
            visitor.run(path)
            assert visitor.outcome()["success"]
            time.sleep(1.5)
            assert Path(path).is_file() and lefts(), "as long as the page is open"
        end = time.monotonic() + 40
        while lefts():
            assert time.monotonic() < end, lefts()
            time.sleep(0.1)


def test_a_page_that_is_left_ends_its_run(url: str, clip: Path, temporary: Path) -> None:
    visitor = Visitor(url)
    (path,) = visitor.upload(clip).json()
    visitor.run(path)
    for one in visitor.told():
        if one["msg"] == "process_generating":
            break
    (path,) = visitor.upload(clip).json()
    other = Visitor(url)
    other.run(path)
    assert other.outcome()["success"], "the next one is not kept waiting"


def test_beside_the_pages_it_is_for_those_who_may_run(bench: Bench, clip: Path) -> None:
    words = hash_password("correct horse")
    accounts = [Account(name, role, words) for name, role in PEOPLE.items()]
    with serving(build_app(bench.workspace, bench.engines, AuthRules(accounts))) as port:
        url = f"http://127.0.0.1:{port}"
        assert httpx.get(f"{url}/demo/config").status_code == 401
        page = httpx.get(f"{url}/demo/", headers={"accept": "text/html"})
        assert page.status_code == 303 and page.headers["location"].startswith("/login")
        assert Visitor(url).upload(clip).status_code == 401
        sent = []
        for name, may in (("ann", False), ("rob", True), ("rita", True)):
            login = httpx.post(f"{url}/login", data={"name": name, "password": "correct horse"})
            visitor = Visitor(url, cookies=dict(login.cookies))
            answer = visitor.upload(clip)
            assert answer.status_code == (200 if may else 403), answer.text
            assert may or "may not run" in answer.text
            sent += [(visitor, path) for path in (answer.json() if may else [])]
            visitor.run(answer.json()[0] if may else "/etc/passwd")
            outcome = visitor.outcome()
            assert outcome["success"] is may and ("may not run" in str(outcome)) is not may, outcome
        for mine, path in sent:
            for other, _ in sent:
                told = other.client.get(f"/demo/gradio_api/file={path}").status_code
                assert told == (200 if other is mine else 404)
        (_, path), (other, _) = sent
        other.run(path)
        assert "choose it again" in str(other.outcome())
    assert [video.id for video in bench.store.find(Video)] == [bench.video.id]


def test_a_full_queue_says_so(bench: Bench, clip: Path) -> None:
    with serving(demo_alone(bench.engines, Limits(demo_waiting=1))) as port:
        visitors = [Visitor(f"http://127.0.0.1:{port}") for _ in range(4)]
        (path,) = visitors[0].upload(clip).json()
        answers = [visitor.run(path) for visitor in visitors]
        assert {200, 503} <= {answer.status_code for answer in answers}
        assert all("full" in answer.text for answer in answers if answer.status_code == 503)


@pytest.mark.long
def test_ten_people_wait_and_each_gets_their_own(url: str, tmp_path: Path) -> None:
    def visit(n: int) -> str:
        clip = write_clip(tmp_path / f"{n}.mp4", [textured(n)] * (25 + n))
        visitor = Visitor(url)
        (path,) = visitor.upload(clip).json()
        visitor.run(path)
        return str(list(visitor.told()))

    with ThreadPoolExecutor(10) as pool:
        told = list(pool.map(visit, range(10)))
    for n, words in enumerate(told):
        assert "Done." in words and f"Scene 1: 0.0 to {(25 + n) / 25:.1f} s" in words
    assert sum("'rank': " in words for words in told) >= 8, "they were told how many are before them"

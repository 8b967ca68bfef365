"""Connecting a model over HTTP: offered, tried, and only then written into the settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.pipeline.engines import choose, make_engines
from annotation.pipeline.model_connections import check_nameable
from annotation.workspace.workspace import Workspace, with_setting
from backends.errors import UsageError
from tests.bench import Bench
from tests.chat_server import ChatServer, Reply, Seen, normal
from tests.ui.direct_client import DirectClient
from ui.web_app import build_app


@pytest.fixture
def client(bench: Bench) -> Iterator[DirectClient]:
    space = bench.workspace
    app = build_app(space, lambda: make_engines(choose(space.settings, speech="none"), space))
    with DirectClient(app, headers={"Sec-Fetch-Site": "same-origin"}) as found:
        yield found


def settings(bench: Bench) -> str:
    return (bench.workspace.path / "settings.toml").read_text(encoding="utf-8")


def test_what_is_offered_is_the_list_of_models_without_files_of_this_machine(client: DirectClient) -> None:
    found = client.get("/api/models").json()
    assert found["machine"]["memory_gb"] > 0
    specs = [model["spec"] for model in found["models"]]
    assert "vllm:Qwen/Qwen2.5-VL-7B-Instruct" in specs
    assert not any(spec.endswith(".gguf") for spec in specs)


def test_a_model_is_kept_once_it_has_answered(client: DirectClient, bench: Bench) -> None:
    before = settings(bench)
    with ChatServer(normal("Red.")) as server:
        body = {"role": "judge", "spec": server.spec}
        refused = client.post("/api/models/use", json=body)
        assert (refused.status_code, "first" in refused.json()["error"]) == (400, True)
        answer = client.post("/api/models/test", json=body).json()
        assert (answer["model"], answer["reply"]) == ("tiny", "Red.")
        assert settings(bench) == before, "nothing is written by trying"
        as_captioner = client.post("/api/models/use", json={**body, "role": "captioner"})
        assert as_captioner.status_code == 400, "it has not answered as captioner"

        kept = client.post("/api/models/use", json=body).json()
        assert kept == {"role": "judge", "spec": server.spec, "overruled_by": ""}
        assert settings(bench) == f'{before}judge = "{server.spec}"\n'
        assert client.get("/api/models").json()["settings"] == {"judge": server.spec}
        client.post("/api/models/use", json=body)
        assert settings(bench).count("judge =") == 1
    reopened = Workspace(bench.workspace.path)
    assert choose(reopened.settings).judge == server.spec
    reopened.close()


def test_a_captioner_that_takes_no_pictures_is_not_kept(client: DirectClient, bench: Bench) -> None:
    def blind(seen: Seen) -> Reply | str:
        return Reply(status=400, error="tiny is not a multimodal model") if seen.images else "Red."

    with ChatServer(blind) as server:
        answer = client.post("/api/models/test", json={"role": "captioner", "spec": server.spec})
        assert answer.status_code == 502
        assert "does not accept pictures" in answer.json()["error"]


def test_a_flag_of_the_command_line_wins_and_is_named(bench: Bench) -> None:
    space = bench.workspace
    app = build_app(
        space, lambda: make_engines(choose(space.settings, judge="baseline", speech="none"), space)
    )
    with (
        DirectClient(app, headers={"Sec-Fetch-Site": "same-origin"}) as client,
        ChatServer(normal("Red.")) as server,
    ):
        body = {"role": "judge", "spec": server.spec}
        client.post("/api/models/test", json=body)
        assert client.post("/api/models/use", json=body).json()["overruled_by"] == "baseline"


@pytest.mark.parametrize(
    "spec",
    [
        "baseline",
        "vllm-engine:org/model",
        "llama:/models/m.gguf",
        "llama:m.gguf",
        "llama:org/repo?mmproj=/etc/passwd",
        "vllm:/models/m",
        "vllm:../m",
        "vllm:annotation/records",
        "--help",
    ],
)
def test_pages_name_no_files_of_the_servers_machine(spec: str) -> None:
    with pytest.raises(UsageError):
        check_nameable(spec)


def test_a_setting_is_written_above_the_tables_and_nothing_else_changes() -> None:
    text = '# mine\nspeech = "none"\n\n[limits]\nupload_gb = 2\n'
    once = with_setting(text, "judge", 'http://h/v1#a "b"')
    assert once == '# mine\nspeech = "none"\n\njudge = "http://h/v1#a \\"b\\""\n[limits]\nupload_gb = 2\n'
    assert with_setting(once, "judge", "baseline").count("judge") == 1
    assert with_setting("", "judge", "baseline") == 'judge = "baseline"\n'
    with pytest.raises(UsageError, match='write judge = "x" into it'):
        with_setting('speech = """\n[none\n"""\n', "judge", "x")


def test_the_file_is_replaced_whole(tmp_path: Path) -> None:
    space = Workspace(tmp_path / "w")
    space.keep_setting("judge", "baseline")
    assert space.settings == {"judge": "baseline"}
    assert not list(space.path.glob(".settings*"))
    space.close()

"""A visitor's own model: its key and address are used for one run, and recorded nowhere."""

from __future__ import annotations

import io
import json
import logging
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.workspace.limit_settings import Limits
from backends.errors import BackendUnavailable, UsageError
from tests.bench import Bench
from tests.chat_server import ChatServer, Seen, failing, normal
from tests.hostile_server import HostileServer
from tests.ui.demo_visitor import Visitor
from tests.ui.serving import serving
from ui.demo.clips.own_model import LONGEST, OwnModel
from ui.demo.demo_app import demo_alone

KEY = "sk-visitor-0123456789"
REPEATED = f"Incorrect API key provided: {KEY}"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(folder))
    monkeypatch.setenv("DAILIES_API_KEY", "sk-of-the-server")
    return folder


@pytest.fixture
def url(bench: Bench) -> Iterator[str]:
    """The page on this machine: visitors' models may be here too."""
    with serving(demo_alone(bench.engines, Limits(), public=False)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize(
    ("address", "model", "key", "words"),
    [
        ("models.example/v1", "", "", "write the address of the model like https://host/v1"),
        ("file:///etc/passwd", "", "", "write the address of the model like https://host/v1"),
        ("http://", "", "", "is not an address"),
        ("http://host:99999/v1", "m", "", "is not an address"),
        ("http://[::1/v1", "m", "", "is not an address"),
        (f"https://host:{KEY}@host/v1", "m", "", "not into the address"),
        ("https://host/v1#other", "m", "", "without \\? and #"),
        (f"https://host/v1?key={KEY}", "m", "", "without \\? and #"),
        ("https://host/\ud800", "m", "", "half a surrogate pair"),
        ("https://host/v1", "m\0", "", "a NUL character"),
        ("https://host/v1", "m", "sk-a\r\nHost: other", "characters that no key has"),
        ("https://host/v1", "m", "sk-a\nb", "characters that no key has"),
        ("https://host/v1", "m", "sk-ключ", "characters that no key has"),
        ("https://host/v1", "m", "k" * (LONGEST + 1), "at most 2,000 characters"),
        ("https://host/" + "a" * LONGEST, "m", "", "at most 2,000 characters"),
    ],
)
def test_what_is_not_an_address_or_a_key(
    bench: Bench, address: str, model: str, key: str, words: str
) -> None:
    with (
        pytest.raises(UsageError, match=words) as error,
        OwnModel(address, model, key).engines(bench.engines(), public=False),
    ):
        pass
    assert KEY not in str(error.value) and "sk-a" not in str(error.value)


def test_the_key_is_in_no_representation() -> None:
    assert KEY not in repr(OwnModel("https://host/v1", "m", KEY))


def test_private_addresses_are_for_private_servers(bench: Bench) -> None:
    with ChatServer(normal("fine")) as server:
        own = OwnModel(server.url, "", KEY)
        with own.engines(bench.engines(), public=False) as engines:
            assert engines.captioner.model == "tiny"
        asked = len(server.paths)
        with (
            pytest.raises(BackendUnavailable, match="not a public address"),
            own.engines(bench.engines(), public=True),
        ):
            pass
        assert len(server.paths) == asked


def test_it_takes_all_chat_roles_and_its_results_do_not_name_its_address(bench: Bench) -> None:
    with (
        ChatServer(normal("fine")) as server,
        OwnModel(server.url, "tiny", KEY).engines(bench.engines(), public=False) as engines,
    ):
        roles = (engines.captioner, engines.writer, engines.extractor, engines.judge)
        assert all(one is roles[0] for one in roles)
        assert "127.0.0.1" not in engines.captioner.backend + engines.captioner.endpoint


def test_another_server_has_another_name(bench: Bench) -> None:
    """Otherwise its results would be taken from the first one's."""
    names = []
    for _ in range(2):
        with (
            ChatServer(normal("fine")) as server,
            OwnModel(server.url, "tiny", "").engines(bench.engines(), public=False) as engines,
        ):
            names.append((server.port, engines.captioner.endpoint))
    (port, name), (other_port, other_name) = names
    assert (name != other_name) == (port != other_port)


def test_a_run_leaves_no_trace_of_the_key(
    url: str, clip: Path, temporary: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its server repeats the key in each reply and in errors, as some do."""

    def answer(seen: Seen) -> object:
        return failing(400, REPEATED)(seen) if seen.number % 2 else normal(REPEATED)(seen)

    caplog.set_level(logging.DEBUG)
    visitor = Visitor(url)
    with ChatServer(answer) as server:  # type: ignore[arg-type]
        (path,) = visitor.upload(clip).json()
        visitor.run(path, server.url, "tiny", KEY)
        told = list(visitor.told())
        ports = f":{server.port}"
        assert {one.headers["Authorization"] for one in server.seen} == {f"Bearer {KEY}"}
    said = json.dumps(told)
    assert "Incorrect API key provided" in said, "the replies are there"
    assert KEY not in said and KEY not in caplog.text
    assert visitor.join("_zip", [None]).status_code == 200
    (zipped,) = visitor.outcome()["output"]["data"]
    content = visitor.client.get(zipped["url"]).content
    files = [*_unpacked(content), *(one.read_bytes() for one in temporary.rglob("*") if one.is_file())]
    assert len(files) > 20
    assert not [one for one in files if KEY.encode() in one or ports.encode() in one]


def _unpacked(content: bytes) -> Iterator[bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        yield from (packed.read(name) for name in packed.namelist())


def test_errors_of_its_server_are_told(url: str, clip: Path, caplog: pytest.LogCaptureFixture) -> None:
    visitor = Visitor(url)
    (path,) = visitor.upload(clip).json()
    with ChatServer(normal("fine"), key="another") as server:
        visitor.run(path, server.url, "tiny", KEY)
        said = str(visitor.outcome())
        assert "401" in said and KEY not in said
    visitor.run(path, server.url, "tiny", KEY)  # it has ended
    assert "no server answers" in str(visitor.outcome())
    visitor.run(path, "ftp://host", "tiny", KEY)
    assert "write the address" in str(visitor.outcome())
    assert KEY not in caplog.text


@pytest.mark.parametrize(
    "mode", ["echo of the whole prompt", "braces", "lone surrogate", "NUL", "usage of another world"]
)
def test_hostile_servers(url: str, clip: Path, mode: str) -> None:
    """The run ends, and the page is ready for another one."""
    visitor = Visitor(url)
    (path,) = visitor.upload(clip).json()
    with HostileServer(mode) as server:
        address, _, model = server.spec.partition("#")
        visitor.run(path, address, model, KEY)
        outcome = visitor.outcome()
    assert outcome["success"], outcome
    assert "a bug in Dailies" not in str(outcome)

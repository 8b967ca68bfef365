"""Models of `llama:MODEL`, and the command that serves them. tests/engines tests the real server."""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path

import pytest

from backends.chat import llama_cpp_server
from backends.chat.llama_arguments import LlamaKind, find_program
from backends.chat.llama_model_files import ModelFiles, choose_files, is_on_hub, local_files
from backends.errors import BackendUnavailable, UsageError


def put(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text(name)
    return folder


@pytest.fixture
def llama_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that prints its flags, set as `DAILIES_LLAMA`, because llama.cpp may not be installed."""
    server = put(tmp_path / "bin") / "llama-server"
    server.write_text('#!/bin/sh\necho "$@"\n')
    server.chmod(0o755)
    monkeypatch.setenv("DAILIES_LLAMA", str(server))
    return server


@pytest.mark.usefixtures("llama_server")
def test_a_file_and_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = put(tmp_path / "qwen", "qwen-Q4_K_M.gguf", "mmproj-BF16.gguf", "mmproj-F16.gguf", "README.md")
    alone = LlamaKind(f"llama:{folder / 'qwen-Q4_K_M.gguf'}?threads=2")
    assert alone.model == "qwen-Q4_K_M"
    sees = LlamaKind(f"llama:{folder}")
    command = sees.command(8123)
    assert command[command.index("--mmproj") + 1] == str(folder / "mmproj-F16.gguf")
    assert command[command.index("--ctx-size") + 1] == str(4 * 16384), "of all requests together"
    command = alone.command(8123)
    assert "--mmproj" not in command
    assert command[command.index("--threads") + 1] == "2"
    assert command[command.index("--host") + 1] == "127.0.0.1"
    assert sees.endpoint == alone.endpoint, "the same weights"
    (folder / "qwen-Q4_K_M.gguf").write_text("other weights")
    assert LlamaKind(f"llama:{folder}").endpoint != sees.endpoint

    monkeypatch.chdir(tmp_path)
    assert LlamaKind("llama:qwen").model == "qwen-Q4_K_M", "a folder here comes before a name on the hub"


def test_parts_of_one_model(tmp_path: Path) -> None:
    first, second = "m-Q8_0-00001-of-00002.gguf", "m-Q8_0-00002-of-00002.gguf"
    folder = put(tmp_path, first, second)
    files = local_files(str(folder))
    assert files.name == "m-Q8_0"
    assert [Path(part).name for part in files.parts] == [first, second]
    (folder / second).unlink()
    with pytest.raises(UsageError, match="1 of the 2 parts"):
        local_files(str(folder))


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [("", "m-Q4_K_M.gguf"), ("Q8_0", "m-Q8_0.gguf"), ("q8_0", "m-Q8_0.gguf"), ("m-F16.gguf", "m-F16.gguf")],
)
def test_one_of_several(wanted: str, chosen: str) -> None:
    names = ["m-F16.gguf", "m-Q4_K_M.gguf", "m-Q8_0.gguf", "mmproj-m-F16.gguf", "config.json"]
    assert choose_files(names, wanted, "org/m").model == chosen


@pytest.mark.parametrize(
    ("names", "wanted", "said"),
    [
        (["model.safetensors"], "", "contains no model in GGUF files"),
        (["a.gguf", "b.gguf"], "", "has several models"),
        (["m-Q4_0.gguf"], "Q8_0", "no file 'Q8_0'; name one of: m-Q4_0.gguf"),
    ],
)
def test_what_cannot_be_chosen(names: list[str], wanted: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        choose_files(names, wanted, "org/m")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("llama:", "name the model"),
        ("llama:nowhere.gguf", r"no file .*nowhere.gguf; write llama:FILE.gguf"),
        ("llama:models/nowhere.gguf", "no file"),
        ("llama:{file}?ctx=4", "unknown option 'ctx'"),
        ("llama:{file}?context=many", "context must be a number"),
        ("llama:{file}?mmproj=nowhere.gguf", "mmproj names .* which is not a file"),
        ("llama:{text}", "is not a GGUF file"),
    ],
)
def test_specs_that_are_wrong(spec: str, said: str, tmp_path: Path) -> None:
    put(tmp_path, "m.gguf", "m.txt")
    with pytest.raises(UsageError, match=said):
        LlamaKind(spec.format(file=tmp_path / "m.gguf", text=tmp_path / "m.txt"))


@pytest.mark.usefixtures("llama_server")
def test_names_on_the_hub() -> None:
    assert is_on_hub("Qwen/Qwen2.5-7B-Instruct-GGUF:Q4_K_M")
    assert not is_on_hub("models/m.gguf")
    assert not is_on_hub("/models/m")
    kind = LlamaKind("llama:org/repo:Q8_0?revision=main")
    command = kind.command(8123)
    assert kind.model == "org/repo:Q8_0"
    assert command[command.index("--hub") + 1] == "org/repo"
    assert command[command.index("--file") + 1] == "Q8_0"


def test_a_llama_server_of_ones_own(
    tmp_path: Path, llama_server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program is started with its own flags, by the process that downloads the model."""
    put(tmp_path, "m.gguf")
    kind = LlamaKind(f"llama:{tmp_path / 'm.gguf'}?gpu_layers=99&parallel=1&context=1024")
    assert kind.program() == str(llama_server)
    done = subprocess.run(kind.command(8123), env=kind.environment(), capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == (
        f"--model {tmp_path / 'm.gguf'} --alias m --host 127.0.0.1 --port 8123 --ctx-size 1024 --parallel 1 "
        "--n-gpu-layers 99"
    )
    monkeypatch.setenv("DAILIES_LLAMA", str(tmp_path / "none"))
    with pytest.raises(BackendUnavailable, match=r"DAILIES_LLAMA names .*which is not a program"):
        find_program()


WITHOUT = """
import sys
sys.path = [p for p in sys.path if "-packages" not in p]
from backends.chat.llama_arguments import find_program
find_program()
"""


def test_without_llama_cpp_one_is_told_what_to_type() -> None:
    environment = {"PATH": "/nowhere", "PYTHONPATH": str(Path.cwd())}
    done = subprocess.run([sys.executable, "-c", WITHOUT], env=environment, capture_output=True, text=True)
    assert "pip install -r requirements-llama.txt" in done.stderr.splitlines()[-1]


def test_what_is_on_the_hub_is_fetched_with_its_projector(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub is unreachable here: two functions of its library are replaced, with its real errors."""
    fetched: list[str] = []

    def download(repository: str, name: str, revision: str | None) -> str:
        fetched.append(name)
        return f"/cache/{name}"

    hub = types.SimpleNamespace(
        list_repo_files=lambda repository, revision: ["m-Q4_K_M.gguf", "m-Q8_0.gguf", "mmproj-F16.gguf"],
        hf_hub_download=download,
    )
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    files = llama_cpp_server.fetch("org/m", "", "")
    assert files == ModelFiles("/cache/m-Q4_K_M.gguf", ("/cache/m-Q4_K_M.gguf",), "/cache/mmproj-F16.gguf")
    assert fetched == ["m-Q4_K_M.gguf", "mmproj-F16.gguf"]

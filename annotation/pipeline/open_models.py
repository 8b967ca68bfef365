"""The command `models`: which models this machine can run, and the command for each captioner and judge."""

from __future__ import annotations

import os
import shlex
import subprocess
import sysconfig
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from typing_extensions import TypedDict

from backends.chat.llama_arguments import program_in_words
from backends.chat.vllm_arguments import find_program
from backends.errors import BackendUnavailable

TABLE = Path(__file__).with_name("open_models.toml")
GB = 1 << 30
_DOES = {"captioner": "sees pictures", "judge": "reads text; also as extractor and writer"}
_TITLES = {"llama": "llama.cpp", "vllm": "vLLM"}


class OpenModel(TypedDict):
    """A row of `open_models.toml`, which documents the fields."""

    name: str
    roles: list[str]
    billions: float
    licence: str
    engine: Literal["llama", "vllm"]
    spec: str
    memory_gb: float
    tried: str
    note: str


class Gpu(TypedDict):
    name: str
    memory_gb: float


class Machine(TypedDict):
    memory_gb: float
    gpus: list[Gpu]


class EngineFound(TypedDict):
    engine: str
    ok: bool
    found: str
    """The path if it is installed, else the command to install it."""


class Choice(OpenModel):
    """A model, and whether this machine can run it."""

    pictures: bool
    fits: bool
    """Whether the machine has enough memory."""
    commands: dict[str, str]
    """Keyed by role."""


class ModelList(TypedDict):
    machine: Machine
    engines: list[EngineFound]
    models: list[Choice]


@cache
def open_models() -> tuple[OpenModel, ...]:
    """Return the rows in order; files in a package get the path used by pip."""
    rows = cast(list[OpenModel], tomllib.loads(TABLE.read_text(encoding="utf-8"))["model"])
    for row in rows:
        row["spec"] = row["spec"].replace("{site}", sysconfig.get_path("purelib"))
    return tuple(rows)


def model_list() -> ModelList:
    """Return installed engines and available models, those that fit first. Does not use the network."""
    machine = this_machine()
    models = sorted((_choice(model, machine) for model in open_models()), key=lambda one: not one["fits"])
    return {"machine": machine, "engines": [_engine(name) for name in _TITLES], "models": models}


def _choice(model: OpenModel, machine: Machine) -> Choice:
    spec = shlex.quote(model["spec"])
    return {
        **model,
        "pictures": "captioner" in model["roles"],
        "fits": fits(model, machine),
        "commands": {role: f"python app.py run clip.mp4 --{role} {spec}" for role in model["roles"]},
    }


def fits(model: OpenModel, machine: Machine) -> bool:
    """Compare the model's size with the machine's memory for llama.cpp, or with that of one GPU for vLLM."""
    largest = max((gpu["memory_gb"] for gpu in machine["gpus"]), default=0.0)
    return model["memory_gb"] <= (machine["memory_gb"] if model["engine"] == "llama" else largest)


def _engine(name: str) -> EngineFound:
    try:
        found = program_in_words() if name == "llama" else find_program()[0]
    except BackendUnavailable as error:
        return {"engine": _TITLES[name], "ok": False, "found": str(error)}
    return {"engine": _TITLES[name], "ok": True, "found": found}


def this_machine() -> Machine:
    """Return the memory, and the GPUs listed by NVIDIA's driver."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {"memory_gb": round(pages / GB, 1), "gpus": list(_gpus())}


def _gpus() -> Iterator[Gpu]:
    command = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    try:
        output = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return
    for line in output.splitlines():
        name, _, megabytes = line.rpartition(",")
        if megabytes.strip().isdigit():
            yield {"name": name.strip(), "memory_gb": round(int(megabytes) / 1024, 1)}


# --- for the terminal -------------------------------------------------------------------


def model_lines(found: ModelList) -> Iterator[str]:
    """Format the list for people."""
    machine = found["machine"]
    gpus = ", ".join(f"{gpu['name']} with {gpu['memory_gb']:g} GB" for gpu in machine["gpus"])
    yield f"this machine: {machine['memory_gb']:g} GB of memory, {gpus or 'no GPU found'}"
    for engine in found["engines"]:
        yield f"{'ok' if engine['ok'] else '--':3} {engine['engine']:10} {engine['found']}"
    for role in _DOES:
        yield ""
        yield f"{role}: {_DOES[role]}"
        for model in found["models"]:
            if role in model["roles"]:
                yield from _lines_of(model, role)


def _lines_of(model: Mapping[str, Any], role: str) -> Iterator[str]:
    where = "memory" if model["engine"] == "llama" else "of GPU memory"
    fit = "fits" if model["fits"] else "too large"
    facts = f"{model['billions']:g} B, {model['licence']}, {model['memory_gb']:g} GB {where}: {fit}"
    note = f"; {model['note']}" if model["note"] else ""
    yield f"  {model['name']} ({_TITLES[model['engine']]}): {facts}; {model['tried']}{note}"
    yield f"      {model['commands'][role]}"

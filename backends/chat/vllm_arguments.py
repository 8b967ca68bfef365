"""Parse `vllm:MODEL?option=value`: the model, the options, and the command that serves it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from backends.chat.spec_options import SpecForm, Wanted
from backends.errors import BackendUnavailable

PROGRAM = "DAILIES_VLLM"
"""Environment variable with the path of `vllm`, or of a Python that has it installed."""
IMAGES = 32
"""Maximum pictures per request; no stage sends more than 24."""
STRUCTURED = {"backend": "xgrammar", "disable_any_whitespace": True}
"""Without this, models may fill a JSON reply with line breaks until it is truncated."""

OPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "images": "maximum pictures per request",
        "max_model_len": "tokens of prompt and reply together",
        "dtype": "bfloat16, float16, auto ...",
        "quantization": "awq, fp8 ...",
        "kv_cache_dtype": "auto, fp8 ...",
        "gpu_memory_utilization": "share of the GPU's memory, 0 to 1; below 0.5 if two servers share the GPU",
        "tensor_parallel_size": "GPUs that share one copy of the model",
        "pipeline_parallel_size": "GPUs that share one copy of the model, by layers",
        "data_parallel_size": "copies of the model, each on separate GPUs",
        "max_num_seqs": "requests processed at a time",
        "enforce_eager": "1: faster start, slower answers",
        "seed": "seed of the server",
        "revision": "revision of the weights on the hub",
    }
)
_FLAGS = ("enforce_eager",)


FORM = SpecForm("vLLM", "Qwen/Qwen2.5-VL-7B-Instruct", OPTIONS, frozenset({"images"}))


def read_spec(spec: str) -> Wanted:
    """Parse `vllm:MODEL?max_model_len=4096&images=8`, also with `vllm-engine:`. Raises as `SpecForm.read`."""
    return FORM.read(spec)


class VllmKind:
    """Implements `ServerKind`."""

    name = endpoint = "vllm"
    title = "vLLM"
    most_at_once: int | None = None
    patience_s = 0.0

    def __init__(self, spec: str) -> None:
        self._wanted = read_spec(spec)
        self.model = self._wanted.model
        self.options = self._wanted.options

    def program(self) -> str:
        return find_program()[0]

    def command(self, port: int) -> list[str]:
        return [*find_program(), *serve_arguments(self._wanted, port)]

    def environment(self) -> dict[str, str]:
        return environment()


def find_program() -> list[str]:
    """Return the command that starts vLLM's server, without arguments.

    Raises BackendUnavailable with the command to type if vLLM is not installed.
    """
    named = os.environ.get(PROGRAM, "").strip()
    found = shutil.which(named or "vllm")
    if found is None:
        where = f"{PROGRAM} names {named}, which is not a program" if named else "vllm is not on the PATH"
        raise BackendUnavailable(
            f"{where}; install it: python3 -m venv vllm-env && vllm-env/bin/pip install -r "
            f"requirements-vllm.txt, and start Dailies with {PROGRAM}=vllm-env/bin/vllm (docs/servers.md)"
        )
    found = str(Path(found).absolute())
    if Path(found).name.startswith("python"):
        return [found, "-m", "vllm.entrypoints.cli.main", "serve"]
    return [found, "serve"]


def serve_arguments(wanted: Wanted, port: int) -> list[str]:
    """Return the arguments: the model, the address, and options for reliable JSON replies."""
    arguments = [
        wanted.model,
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--enable-prefix-caching",
        "--structured-outputs-config",
        json.dumps(STRUCTURED, separators=(",", ":")),
        "--limit-mm-per-prompt",
        json.dumps({"image": _images(wanted), "video": 0}, separators=(",", ":")),
        "--served-model-name",
        wanted.model,
    ]
    for name, value in sorted(wanted.options.items()):
        if name in _FLAGS:
            arguments += [f"--{name.replace('_', '-')}"] if value not in ("0", "false", "no") else []
        elif name != "images":
            arguments += [f"--{name.replace('_', '-')}", value]
    return arguments


def _images(wanted: Wanted) -> int:
    return int(wanted.options.get("images", IMAGES))


def engine_arguments(wanted: Wanted) -> dict[str, object]:
    """Return the same as arguments of `vllm.LLM` in this process."""
    arguments: dict[str, object] = {
        "model": wanted.model,
        "enable_prefix_caching": True,
        "structured_outputs_config": dict(STRUCTURED),
        "limit_mm_per_prompt": {"image": _images(wanted), "video": 0},
    }
    for name, value in wanted.options.items():
        if name in _FLAGS:
            arguments[name] = value not in ("0", "false", "no")
        elif name != "images":
            arguments[name] = _number(value)
    return arguments


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def environment() -> dict[str, str]:
    """Return the server's environment: that of this process, with telemetry turned off."""
    return {**os.environ, "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "PYTHONUNBUFFERED": "1"}

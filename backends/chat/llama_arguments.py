"""Parse `llama:MODEL?option=value`: the files, the options, and the command that serves them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType

from backends.chat.llama_model_files import fingerprint, is_on_hub, local_files
from backends.chat.spec_options import SpecForm
from backends.errors import BackendUnavailable, UsageError

PROGRAM = "DAILIES_LLAMA"
"""Environment variable with the path of a `llama-server` that replaces the package."""
PACKAGE = "xllamacpp"
EXAMPLE = "Qwen/Qwen2.5-7B-Instruct-GGUF:Q4_K_M"
OPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "mmproj": "file that converts pictures into tokens; default: the one in the model's folder",
        "context": "tokens of prompt and reply together, per request",
        "parallel": "requests processed at a time",
        "threads": "processors to use",
        "gpu_layers": "layers to put on a GPU, if llama.cpp was built for one",
        "revision": "revision of the files on the hub",
    }
)
FORM = SpecForm("llama.cpp", EXAMPLE, OPTIONS, frozenset({"context", "parallel", "threads", "gpu_layers"}))
CONTEXT, CONTEXT_PICTURES = 8192, 16384
"""Defaults of `context` without and with pictures: 16 pictures take about 8,000 tokens in most models."""
PARALLEL = 4
WAITING = 2
"""Requests in flight per processed request: waiting requests start as soon as another one ends."""
PATIENCE_S = 900.0
"""Minimum timeout of a request: on a CPU, a caption of 16 pictures takes minutes."""
ROOT = Path(__file__).resolve().parents[2]


class LlamaKind:
    """Implements `ServerKind`. The server's own process downloads files from the hub before it loads them."""

    name = "llama"
    title = "llama.cpp"
    patience_s = PATIENCE_S

    def __init__(self, spec: str) -> None:
        """Raises UsageError for missing files."""
        wanted = FORM.read(spec)
        self.options = wanted.options
        self.most_at_once: int | None = WAITING * self._parallel
        projector = wanted.options.get("mmproj")
        if is_on_hub(wanted.model):
            self.model, self.endpoint = wanted.model, "llama"
            repository, _, file = wanted.model.partition(":")
            self._source = ["--hub", repository, *(["--file", file] if file else [])]
        else:
            files = local_files(wanted.model)
            self.model, self.endpoint = files.name, f"llama#{fingerprint(files)}"
            self._source = ["--model", files.model]
            projector = projector or files.mmproj
        self._projector = _existing(projector) if projector else None

    @property
    def _parallel(self) -> int:
        return max(1, int(self.options.get("parallel", PARALLEL)))

    def program(self) -> str:
        return program_in_words()

    def command(self, port: int) -> list[str]:
        server = find_program()
        usual = CONTEXT_PICTURES if self._projector or "--hub" in self._source else CONTEXT
        context = int(self.options.get("context", usual)) * self._parallel
        listens = ["--alias", self.model, "--host", "127.0.0.1", "--port", str(port)]
        size = ["--ctx-size", str(context), "--parallel", str(self._parallel)]
        return [
            *(sys.executable, "-P", "-m", "backends.chat.llama_cpp_server"),
            *self._source,
            *(["--server", server] if server else []),
            *(["--mmproj", self._projector] if self._projector else []),
            *(["--revision", self.options["revision"]] if "revision" in self.options else []),
            *listens,
            *size,
            *(["--threads", self.options["threads"]] if "threads" in self.options else []),
            *(["--n-gpu-layers", self.options["gpu_layers"]] if "gpu_layers" in self.options else []),
        ]

    def environment(self) -> dict[str, str]:
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONUNBUFFERED": "1",
            "DO_NOT_TRACK": "1",
        }


def _existing(file: str) -> str:
    path = Path(file).expanduser().absolute()
    if not path.is_file():
        raise UsageError(f"llama.cpp: mmproj names {path}, which is not a file; check the path")
    return str(path)


def find_program() -> str | None:
    """Return the path of `llama-server`, or None to use the package, which has priority over the PATH.

    Raises BackendUnavailable with the command to type if neither is installed.
    """
    if named := os.environ.get(PROGRAM, "").strip():
        if found := shutil.which(named):
            return str(Path(found).absolute())
        raise BackendUnavailable(f"{PROGRAM} names {named}, which is not a program; check the path")
    if _package():
        return None
    if found := shutil.which("llama-server"):
        return str(Path(found).absolute())
    raise BackendUnavailable(
        "llama.cpp is not installed; type: pip install -r requirements-llama.txt (or put a llama-server "
        "on the PATH)"
    )


def _package() -> str | None:
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return None


def program_in_words() -> str:
    """Return the name of the server program. Raises as `find_program`."""
    return find_program() or f"{PACKAGE} {_package()}"

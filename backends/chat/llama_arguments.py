"""What `llama:MODEL?option=value` means: the files, the options, and the command that serves them."""

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
"""Environment variable with the path of a `llama-server`, to be taken instead of the package."""
PACKAGE = "xllamacpp"
EXAMPLE = "Qwen/Qwen2.5-7B-Instruct-GGUF:Q4_K_M"
OPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "mmproj": "file that turns pictures into tokens; one that lies in the folder is found",
        "context": "tokens of prompt and reply together, of each request",
        "parallel": "requests worked on at a time",
        "threads": "processors to use",
        "gpu_layers": "layers to put on a GPU, where llama.cpp was built for one",
        "revision": "of the files on the hub",
    }
)
FORM = SpecForm("llama.cpp", EXAMPLE, OPTIONS, frozenset({"context", "parallel", "threads", "gpu_layers"}))
CONTEXT, CONTEXT_PICTURES = 8192, 16384
"""Usual `context`, without and with pictures: 16 of them are about 8,000 tokens for most models."""
PARALLEL = 4
WAITING = 2
"""Requests in flight for each that is worked on: those that wait begin at once when another one ends."""
PATIENCE_S = 900.0
"""For one request: on a processor a caption of 16 pictures takes minutes."""
ROOT = Path(__file__).resolve().parents[2]


class LlamaKind:
    """Implements `ServerKind`. What is on the hub is fetched by the server's own process, before it loads."""

    name = "llama"
    title = "llama.cpp"
    patience_s = PATIENCE_S

    def __init__(self, spec: str) -> None:
        """Raises UsageError for files that are not there."""
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
        raise UsageError(f"llama.cpp: mmproj names {path}, which is no file")
    return str(path)


def find_program() -> str | None:
    """The path of `llama-server`; None for the package, which comes before one on the PATH.

    Raises BackendUnavailable with what to type where there is neither.
    """
    if named := os.environ.get(PROGRAM, "").strip():
        if found := shutil.which(named):
            return str(Path(found).absolute())
        raise BackendUnavailable(f"{PROGRAM} names {named}, which is no program")
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
    """What serves. Raises as `find_program`."""
    return find_program() or f"{PACKAGE} {_package()}"

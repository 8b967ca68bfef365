"""Serve one model with llama.cpp; download it first if it is on the model hub.

    python -m backends.chat.llama_cpp_server --alias NAME --port N
        (--model FILE | --hub REPO [--file FILE]) ...

The other flags are those of `llama-server`. With `--server PROGRAM`, that program serves the model,
otherwise the package `xllamacpp`, which contains the same server. Progress is printed to standard output,
one line per step; a fatal error is a last line `error: ...`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from backends.chat.llama_model_files import ModelFiles, choose_files
from backends.errors import BackendUnavailable, DailiesError

T = TypeVar("T")
WARNINGS = 2
"""Level of llama.cpp's log; the next level would write ten lines per request."""
LOG_S = 0.3
"""Delay for its log, which a separate thread writes."""


def main(words: list[str]) -> int:
    """Serve until the process is ended; on failure print a line and return 1."""
    given = _read(words)
    try:
        if given.hub:
            files = fetch(given.hub, given.file, given.revision)
            given.model, given.mmproj = files.model, given.mmproj or files.mmproj
        _say(f"loading weights of {given.model}")
        if given.server:
            return subprocess.run([given.server, *_flags(given)], check=False).returncode
        _serve(given)
    except DailiesError as error:
        _say(f"error: {error}")
        return 1
    return 0


def _read(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for text in ("--model", "--hub", "--server", "--mmproj", "--alias"):
        parser.add_argument(text)
    for text in ("--file", "--revision"):
        parser.add_argument(text, default="")
    parser.add_argument("--host", default="127.0.0.1")
    for number in ("--port", "--ctx-size", "--parallel", "--threads", "--n-gpu-layers"):
        parser.add_argument(number, type=int)
    return parser.parse_args(words)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


# --- the model hub ----------------------------------------------------------------------


def fetch(repository: str, file: str, revision: str) -> ModelFiles:
    """Return the files of a model on the hub as paths in its cache; download missing files.

    Raises BackendUnavailable with the reason and what to do, UsageError for a file that does not exist.
    """
    hub = import_module("huggingface_hub")
    names = _names(hub, repository, revision)
    chosen = choose_files(names, file, repository)
    needed = filter(None, (*chosen.parts, chosen.mmproj))
    paths = {name: _fetched(hub, repository, name, revision) for name in needed}
    return ModelFiles(
        paths[chosen.model],
        tuple(paths[part] for part in chosen.parts),
        paths[chosen.mmproj] if chosen.mmproj else None,
    )


def _names(hub: Any, repository: str, revision: str) -> list[str]:
    """Return the names of the repository's files, or of the cached ones if the hub does not answer."""
    try:
        return list(_asked(repository, lambda: hub.list_repo_files(repository, revision=revision or None)))
    except BackendUnavailable as unreachable:
        try:
            kept = hub.snapshot_download(repository, revision=revision or None, local_files_only=True)
        except (OSError, ValueError):
            raise unreachable from None
    _say(f"the model hub does not answer; using the files in {kept}")
    return [str(path.relative_to(kept)) for path in Path(kept).rglob("*.gguf")]


def _fetched(hub: Any, repository: str, name: str, revision: str) -> str:
    _say(f"downloading {name} from {repository}, unless it is in the cache")
    return str(_asked(repository, lambda: hub.hf_hub_download(repository, name, revision=revision or None)))


def _asked(repository: str, ask: Callable[[], T]) -> T:
    """Call the hub. Raises BackendUnavailable with the reason and what to do."""
    try:
        return ask()
    except Exception as error:
        raise _refusal(repository, error) from error


def _refusal(repository: str, error: Exception) -> BackendUnavailable:
    first = " ".join(str(error).split())[:200]
    if type(error).__name__ == "GatedRepoError":
        return BackendUnavailable(
            f"{repository} requires that you accept its terms; accept them on its page, then set HF_TOKEN"
        )
    if type(error).__name__ == "RepositoryNotFoundError":
        return BackendUnavailable(
            f"{repository} does not exist on the model hub, or it is private; set HF_TOKEN"
        )
    return BackendUnavailable(
        f"{repository} could not be downloaded from the model hub ({type(error).__name__}: {first}); "
        "download its GGUF file by other means and write llama:FILE"
    )


# --- the server -------------------------------------------------------------------------


def _flags(given: argparse.Namespace) -> list[str]:
    """Return the flags of `llama-server`."""
    names = ("model", "mmproj", "alias", "host", "port", "ctx_size", "parallel", "threads", "n_gpu_layers")
    pairs = [(f"--{name.replace('_', '-')}", getattr(given, name)) for name in names]
    return [word for flag, value in pairs if value is not None for word in (flag, str(value))]


def _serve(given: argparse.Namespace) -> None:
    """Serve with the package. Raises BackendUnavailable if the model fails to load; the log says why."""
    llama = import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path, params.model_alias = given.model, {given.alias}
    params.hostnames, params.port = [given.host], given.port
    params.n_ctx, params.n_parallel = given.ctx_size, given.parallel
    params.ui, params.cors_origins = False, ""
    params.verbosity = WARNINGS
    if given.mmproj:
        params.mmproj.path = given.mmproj
    if given.threads:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = given.threads
    if given.n_gpu_layers is not None:
        params.n_gpu_layers = given.n_gpu_layers
    try:
        server = llama.Server(params)
    except RuntimeError as error:
        time.sleep(LOG_S)
        raise BackendUnavailable(f"llama.cpp cannot load {given.model}") from error
    _say(f"listening on {server.listening_address}")
    threading.Event().wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`doctor`: what is installed, which engines answer, and what to type for the rest."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from annotation.errors import DailiesError
from annotation.pipeline.engines import choose, embedding_words
from annotation.pipeline.remote import places
from annotation.records import Video
from annotation.workspace import Workspace
from backends.chat.manners import manners
from backends.chat.openai_client import OpenAiChat
from backends.chat.registry import chat_model
from backends.chat.several import SeveralChats
from backends.chat.vllm_chat import VllmChat
from backends.embeddings.registry import joint_embeddings
from backends.protocols import ChatModel
from backends.remote.stores import PACKAGES as STORE_PACKAGES
from backends.remote.stores import is_installed
from backends.remote.urls import STORES
from backends.speech import speech_engine
from backends.video.readers import check_reader

MISSING = "not installed; type: pip install -r requirements.txt"
PACKAGES = (
    "gradio", "fastapi", "sqlalchemy", "alembic", "av", "opencv-python-headless", "scenedetect-headless",
    "faster-whisper", "urllib3",
)  # fmt: skip


def examine(workspace: Workspace, **flags: str | None) -> list[dict[str, Any]]:
    """One row per thing looked at: `{"what", "ok", "found"}`; `found` has the command where not ok."""
    choice = choose(workspace.settings, **flags)
    rows = [_row("python", True, platform.python_version())]
    rows += [_package(name) for name in PACKAGES]
    rows.append(_package("ray", "not installed; for run --cluster type: pip install -r requirements-ray.txt"))
    rows.append(_row("workspace", True, f"{workspace.path} ({workspace.store.count(Video)} videos)"))
    rows.append(_row("database", True, workspace.store.engine.dialect.name))
    rows.append(_speech(workspace, choice.speech))
    rows.append(_reader(choice.reader))
    rows.append(_embedder(workspace, choice.embedder))
    rows += _remote(workspace)
    specs = {
        "captioner": choice.captioner, "writer": choice.writer or choice.captioner,
        "extractor": choice.extractor or choice.judge, "judge": choice.judge,
    }  # fmt: skip
    return [*rows, *_chats(specs, workspace)]


def _row(what: str, ok: bool, found: str) -> dict[str, Any]:
    return {"what": what, "ok": ok, "found": found}


def _package(name: str, missing: str = MISSING) -> dict[str, Any]:
    try:
        return _row(name, True, version(name))
    except PackageNotFoundError:
        return _row(name, False, missing)


def _speech(workspace: Workspace, spec: str) -> dict[str, Any]:
    try:
        return _row(f"speech {spec}", True, speech_engine(spec, workspace.cache).check())
    except DailiesError as error:
        return _row(f"speech {spec}", False, str(error))


def _reader(name: str) -> dict[str, Any]:
    try:
        return _row(f"reader {name}", True, check_reader(name))
    except DailiesError as error:
        return _row(f"reader {name}", False, str(error))


def _embedder(workspace: Workspace, spec: str) -> dict[str, Any]:
    try:
        engine = joint_embeddings(spec, embedding_words(workspace.prompts))
        found = engine.check()
        engine.close()
        return _row("embedder", True, f"{spec}: {found}")
    except DailiesError as error:
        return _row("embedder", False, f"{spec}: {error}")


def _remote(workspace: Workspace) -> Iterator[dict[str, Any]]:
    """From where files may be fetched, and which kinds of place can be asked."""
    allowed = places(workspace)["allow"]
    said = ", ".join(allowed) or "none; URLs are fetched from places under allow in [remote] of settings.toml"
    yield _row("remote places", True, said)
    for scheme in STORES:
        package = STORE_PACKAGES[scheme]
        needed = any(place.startswith(f"{scheme}://") for place in allowed)
        found = f"{package} is not installed; type: pip install -r requirements-remote.txt"
        if is_installed(scheme):
            found = f"{package} {version(package)}"
        yield _row(f"remote {scheme}://", is_installed(scheme) or not needed, found)


def _chats(specs: Mapping[str, str], workspace: Workspace) -> Iterator[dict[str, Any]]:
    """A row per role, and what its server does differently; each server is tried once."""
    tried: set[str] = set()
    for role, spec in specs.items():
        try:
            model = chat_model(spec, folder=workspace.cache / "servers")
            yield _row(role, True, f"{spec}: {model.check()}")
        except DailiesError as error:
            yield _row(role, False, f"{spec}: {error}")
            continue
        if spec not in tried:
            tried.add(spec)
            for server in _servers(model):
                yield from _manners(role, server)
        model.close()


def _servers(model: ChatModel) -> list[OpenAiChat]:
    """Those that answer now; nothing is started."""
    if isinstance(model, SeveralChats):
        return [server for one in model.models for server in _servers(one)]
    if isinstance(model, VllmChat):
        running = model.running()
        return [running] if running else []
    return [model] if isinstance(model, OpenAiChat) else []


def _manners(role: str, server: OpenAiChat) -> Iterator[dict[str, Any]]:
    for manner in manners(server, pictures=role == "captioner"):
        yield _row(f"  {manner.what}", manner.fine, manner.said)

"""The command `doctor`: what is installed, which engines answer, and which commands fix the rest."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from sqlalchemy import select

from annotation.intake.remote_videos import places
from annotation.pipeline.engines import choose, embedding_words
from annotation.records.videos import Video
from annotation.store.tables import mended_text
from annotation.workspace.workspace import Workspace
from backends.chat.chat_on_started_server import StartedChat
from backends.chat.openai_chat import OpenAiChat
from backends.chat.registry import chat_model
from backends.chat.server_probe import server_probes
from backends.embeddings.registry import joint_embeddings
from backends.errors import DailiesError
from backends.ocr.registry import text_reader
from backends.protocols import ChatModel
from backends.remote.object_stores import PACKAGES as STORE_PACKAGES
from backends.remote.object_stores import is_installed
from backends.remote.url_rules import STORES
from backends.speech.faster_whisper_engine import speech_engine
from backends.text.plural import plural
from backends.video.reader_registry import check_reader

MISSING = "not installed; type: pip install -r requirements.txt"
PACKAGES = (
    "gradio",
    "fastapi",
    "sqlalchemy",
    "alembic",
    "av",
    "opencv-python-headless",
    "scenedetect-headless",
    "faster-whisper",
    "rapidocr",
    "urllib3",
)


def examine(workspace: Workspace, *, kept: bool = True, **flags: str | None) -> list[dict[str, Any]]:
    """Return one row per check: `{"what", "ok", "found"}`. If it failed, `found` has the command to run.

    `kept`: whether the workspace is the person's, not an empty temporary one.
    """
    choice = choose(workspace.settings, **flags)
    rows = [_row("python", True, platform.python_version())]
    rows += [_package(name) for name in PACKAGES]
    rows.append(_package("ray", "not installed; for run --cluster type: pip install -r requirements-ray.txt"))
    rows.append(
        _package("xllamacpp", "not installed; for llama:FILE type: pip install -r requirements-llama.txt")
    )
    videos = plural(workspace.store.count(Video), "video")
    here = f"{workspace.path} ({videos})"
    rows.append(_row("workspace", kept, here if kept else "none yet; create one: python app.py serve"))
    rows.append(_row("database", True, workspace.store.engine.dialect.name))
    rows += _mended(workspace)
    rows.append(_speech(workspace, choice.speech))
    rows.append(_ocr(choice.ocr))
    rows.append(_reader(choice.reader))
    rows.append(_embedder(workspace, choice.embedder))
    rows += _remote(workspace)
    specs = {
        "captioner": choice.captioner,
        "writer": choice.writer or choice.captioner,
        "extractor": choice.extractor or choice.judge,
        "judge": choice.judge,
    }
    return [*rows, *_chats(specs, workspace)]


def _mended(workspace: Workspace) -> list[dict[str, Any]]:
    """Return the values with invalid characters that were repaired when a database was upgraded."""
    with workspace.store.reading() as conn:
        rows = conn.execute(
            select(mended_text).order_by(mended_text.c.table_name, mended_text.c.row_key)
        ).all()
    return [
        _row("mended text", True, f"{r.table_name} {r.row_key}, {r.column_name}: was {r.before[:200]}")
        for r in rows
    ]


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


def _ocr(spec: str) -> dict[str, Any]:
    try:
        return _row(f"text on screen {spec}", True, text_reader(spec).check())
    except DailiesError as error:
        return _row(f"text on screen {spec}", False, str(error))


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
    """Return the places that files may be fetched from, and the supported kinds of place."""
    allowed = places(workspace)["allow"]
    said = ", ".join(allowed) or "none; URLs are fetched from places under allow in [remote] of settings.toml"
    yield _row("remote places", True, said)
    for scheme in STORES:
        package = STORE_PACKAGES[scheme]
        found = f"{package} is not installed; type: pip install -r requirements-remote.txt"
        if is_installed(scheme):
            found = f"{package} {version(package)}"
        yield _row(f"remote {scheme}://", is_installed(scheme), found)


def _chats(specs: Mapping[str, str], workspace: Workspace) -> Iterator[dict[str, Any]]:
    """Return a row per role, with the limitations of its server. Each server is tried once."""
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
                yield from _server_probes(role, server, started=isinstance(model, StartedChat))
        model.close()


def _servers(model: ChatModel) -> list[OpenAiChat]:
    """Return the servers that answer. No server is started."""
    if isinstance(model, StartedChat):
        running = model.running()
        return [running] if running else []
    return [model] if isinstance(model, OpenAiChat) else []


def _server_probes(role: str, server: OpenAiChat, *, started: bool) -> Iterator[dict[str, Any]]:
    for probe in server_probes(server, pictures=role == "captioner", started=started):
        yield _row(f"  {probe.what}", probe.fine, probe.said)

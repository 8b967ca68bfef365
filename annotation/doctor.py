"""`doctor`: what is installed, which engines answer, and what to type for the rest."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from annotation.errors import DailiesError
from annotation.pipeline.engines import choose
from annotation.records import Video
from annotation.workspace import Workspace
from backends.chat.registry import chat_model
from backends.speech import speech_engine
from backends.video.readers import check_reader

PACKAGES = (
    "gradio", "fastapi", "sqlalchemy", "alembic", "av", "opencv-python-headless", "scenedetect-headless",
    "faster-whisper", "urllib3",
)  # fmt: skip


def examine(workspace: Workspace, **flags: str | None) -> list[dict[str, Any]]:
    """One row per thing looked at: `{"what", "ok", "found"}`; `found` has the command where not ok."""
    choice = choose(workspace.settings, **flags)
    rows = [_row("python", True, platform.python_version())]
    rows += [_package(name) for name in PACKAGES]
    rows.append(_row("workspace", True, f"{workspace.path} ({workspace.store.count(Video)} videos)"))
    rows.append(_row("database", True, workspace.store.engine.dialect.name))
    rows.append(_speech(workspace, choice.speech))
    rows.append(_reader(choice.reader))
    specs = {
        "captioner": choice.captioner, "writer": choice.writer or choice.captioner,
        "extractor": choice.extractor or choice.judge, "judge": choice.judge,
    }  # fmt: skip
    return [*rows, *(_chat(role, spec) for role, spec in specs.items())]


def _row(what: str, ok: bool, found: str) -> dict[str, Any]:
    return {"what": what, "ok": ok, "found": found}


def _package(name: str) -> dict[str, Any]:
    try:
        return _row(name, True, version(name))
    except PackageNotFoundError:
        return _row(name, False, "not installed; type: pip install -r requirements.txt")


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


def _chat(role: str, spec: str) -> dict[str, Any]:
    try:
        return _row(role, True, f"{spec}: {chat_model(spec).check()}")
    except DailiesError as error:
        return _row(role, False, f"{spec}: {error}")

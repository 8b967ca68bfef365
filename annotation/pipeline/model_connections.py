"""Connects a model to the workspace from a page: tested with one request before it is added to
`settings.toml`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event, Lock
from typing import Literal

from annotation.workspace.workspace import Workspace
from backends.chat.llama_model_files import is_on_hub
from backends.chat.registry import chat_model
from backends.errors import UsageError
from backends.protocols import ChatRequest, Part, Tell

Role = Literal["captioner", "judge"]
QUESTION = "Name one colour of the rainbow, in one word."
MOST_TOKENS = 32


@dataclass(frozen=True, slots=True)
class TestCall:
    """The result of a test request."""

    model: str
    question: str
    reply: str
    seconds: float
    """Seconds of the request itself, without the start of the model."""


class ModelConnections:
    """Model connections made in one server process. Thread-safe."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._answered: set[tuple[Role, str]] = set()
        self._lock = Lock()

    def try_out(self, role: Role, spec: str, tell: Tell, stop: Event) -> TestCall:
        """Send one request, and start the model if needed. A captioner receives a picture.

        Raises UsageError for specs that pages may not use, and the errors of `ChatModel`.
        """
        spec = spec.strip()
        check_nameable(spec)
        model = chat_model(spec, folder=self._workspace.cache / "servers")
        try:
            model.check()
            model.prepare(pictures=role == "captioner", tell=tell, stop=stop)
            began = time.monotonic()
            ask = ChatRequest("probe", "", (Part(text=QUESTION),), max_tokens=MOST_TOKENS)
            reply = model.complete(ask, stop)
        finally:
            model.close()
        with self._lock:
            self._answered.add((role, spec))
        return TestCall(model.model, QUESTION, reply.text, round(time.monotonic() - began, 2))

    def keep(self, role: Role, spec: str) -> None:
        """Write the model into the workspace's settings. Raises UsageError if it was not tested before."""
        spec = spec.strip()
        with self._lock:
            tried = (role, spec) in self._answered
        if not tried:
            raise UsageError(
                f"try {spec or 'a model'} first; it can be saved after it has answered as {role}"
            )
        self._workspace.keep_setting(role, spec)


def check_nameable(spec: str) -> None:
    """Raise UsageError for specs allowed on the command line only: files on the server's machine, and engines
    inside the process.
    """
    kind, _, rest = spec.partition(":")
    model, _, options = rest.partition("?")
    if kind in ("http", "https"):
        return
    if kind not in ("llama", "vllm"):
        raise UsageError("write http://host:port/v1#MODEL, llama:ORG/REPO or vllm:ORG/REPO")
    if not is_on_hub(model) or "mmproj" in options:
        raise UsageError(
            f"pages accept models of the hub ({kind}:ORG/REPO); give files of this machine on the command "
            f"line, like serve --judge {kind}:{'FILE' if kind == 'llama' else 'FOLDER'}"
        )


def nameable(specs: Sequence[str]) -> list[str]:
    """Return the specs that pages may use."""
    found = []
    for spec in specs:
        try:
            check_nameable(spec)
        except UsageError:
            continue
        found.append(spec)
    return found

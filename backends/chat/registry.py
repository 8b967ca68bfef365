"""Create the chat model that a spec names: one line per kind."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from backends.chat.defaults import DEFAULT_CONCURRENCY, DEFAULT_TIMEOUT_S, LONGEST_REPLY
from backends.errors import UsageError
from backends.protocols import ChatModel

if TYPE_CHECKING:
    from backends.chat.model_server_process import ServerKind


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a chat model besides its spec."""

    timeout_s: float
    concurrency: int
    folder: Path
    """Folder for logs and notes of started servers."""
    longest_reply: int = LONGEST_REPLY


def chat_model(
    spec: str,
    *,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    concurrency: int = DEFAULT_CONCURRENCY,
    folder: Path | None = None,
    longest_reply: int = LONGEST_REPLY,
) -> ChatModel:
    """Return the chat model that `spec` names: `baseline`, `http(s)://host:port/v1#model`,
    `vllm:MODEL`, `vllm-engine:MODEL` or `llama:MODEL`.

    `timeout_s` applies to each attempt; `concurrency` is the maximum of parallel requests;
    `longest_reply` limits the text of a server's reply, in characters. Raises UsageError for an
    unknown kind, BackendUnavailable if the model cannot start.
    """
    options = Options(timeout_s, concurrency, folder or _temporary_folder(), longest_reply)
    spec = spec.strip()
    if _BETWEEN.search(spec):
        raise UsageError(
            "name one address per role; to use several servers of one model, put them behind a router: "
            "vllm-router --worker-urls http://a:8000 http://b:8000, or vllm serve --data-parallel-size"
        )
    kind = spec.partition(":")[0].lower()
    make = _KINDS.get(kind)
    if make is None or (kind == "baseline" and spec.lower() != kind):
        raise UsageError(f"unknown chat backend '{spec}'; {_suggestion(spec, kind)}")
    return make(spec, options)


def _temporary_folder() -> Path:
    return Path(tempfile.gettempdir()) / f"dailies-{os.getuid()}" / "servers"


def _baseline(_spec: str, _options: Options) -> ChatModel:
    from backends.chat.baseline import BaselineChat

    return BaselineChat()


def _openai(spec: str, options: Options) -> ChatModel:
    from backends.chat.openai_chat import OpenAiChat

    return OpenAiChat(
        spec,
        timeout_s=options.timeout_s,
        concurrency=options.concurrency,
        longest_reply=options.longest_reply,
    )


def _vllm(spec: str, options: Options) -> ChatModel:
    from backends.chat.vllm_arguments import VllmKind

    return _started(spec, VllmKind(spec), options)


def _llama(spec: str, options: Options) -> ChatModel:
    from backends.chat.llama_arguments import LlamaKind

    return _started(spec, LlamaKind(spec), options)


def _started(spec: str, kind: ServerKind, options: Options) -> ChatModel:
    from backends.chat.chat_on_started_server import StartedChat

    return StartedChat(
        spec,
        kind,
        options.folder,
        timeout_s=options.timeout_s,
        concurrency=options.concurrency,
        longest_reply=options.longest_reply,
    )


def _vllm_engine(spec: str, options: Options) -> ChatModel:
    from backends.chat.vllm_in_process import VllmEngine

    return VllmEngine(spec, concurrency=options.concurrency)


_KINDS: dict[str, Callable[[str, Options], ChatModel]] = {
    "baseline": _baseline,
    "http": _openai,
    "https": _openai,
    "vllm": _vllm,
    "vllm-engine": _vllm_engine,
    "llama": _llama,
}
_BETWEEN = re.compile(rf"\s*,\s*(?=(?:{'|'.join(_KINDS)}):)", re.IGNORECASE)
"""A comma separates two specs only if a kind follows it: model names may contain commas."""


def _suggestion(spec: str, kind: str) -> str:
    host, _, rest = spec.partition(":")
    if rest[:1].isdigit() or host == "localhost" or rest.startswith("//"):
        return f"did you mean http://{spec.rpartition('//')[2]}?"
    near = get_close_matches(kind, _KINDS, n=1, cutoff=0.5)
    shapes = {
        "http": "http://host:port/v1#model",
        "https": "https://host/v1#model",
        "vllm": "vllm:MODEL",
        "vllm-engine": "vllm-engine:MODEL",
        "llama": "llama:FILE.gguf",
    }
    if near:
        return f"did you mean {shapes.get(near[0], near[0])}?"
    return "use baseline, http://host:port/v1#model, vllm:MODEL or llama:FILE"

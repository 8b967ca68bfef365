"""From what was typed to a chat model: one line per kind."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from annotation.errors import BackendUnavailable, UsageError
from backends.protocols import ChatModel

DEFAULT_TIMEOUT_S = 180.0
DEFAULT_CONCURRENCY = 128
"""More than servers of models usually work on at a time, so that they never wait; they queue the rest.
Whoever stops a run waits for those in flight."""


def chat_model(
    spec: str, *, timeout_s: float = DEFAULT_TIMEOUT_S, concurrency: int = DEFAULT_CONCURRENCY
) -> ChatModel:
    """The chat model that `spec` names: `baseline`, or `http(s)://host:port/v1#model`.

    `timeout_s` is per try, `concurrency` the most requests worth having in flight. Raises UsageError
    for a kind that does not exist and BackendUnavailable for one that cannot start.
    """
    spec = spec.strip()
    kind = spec.partition(":")[0].lower()
    make = _KINDS.get(kind)
    if make is None or (kind == "baseline" and spec.lower() != kind):
        raise UsageError(f"there is no chat backend '{spec}'; {_suggestion(spec, kind)}")
    return make(spec, timeout_s, concurrency)


def _baseline(_spec: str, _timeout_s: float, _concurrency: int) -> ChatModel:
    from backends.chat.baseline import BaselineChat

    return BaselineChat()


def _openai(spec: str, timeout_s: float, concurrency: int) -> ChatModel:
    from backends.chat.openai_client import OpenAiChat

    return OpenAiChat(spec, timeout_s=timeout_s, concurrency=concurrency)


def _vllm(spec: str, _timeout_s: float, _concurrency: int) -> ChatModel:
    from backends.chat.openai_wire import serve_command

    model = spec.partition(":")[2] or "MODEL"
    raise BackendUnavailable(
        f"start the server yourself: {serve_command(model)}; then pass http://127.0.0.1:8000/v1#{model}"
    )


_KINDS: dict[str, Callable[[str, float, int], ChatModel]] = {
    "baseline": _baseline,
    "http": _openai,
    "https": _openai,
    "vllm": _vllm,
    "vllm-engine": _vllm,
}


def _suggestion(spec: str, kind: str) -> str:
    host, _, rest = spec.partition(":")
    if rest[:1].isdigit() or host == "localhost" or rest.startswith("//"):
        return f"did you mean http://{spec.rpartition('//')[2]}?"
    near = get_close_matches(kind, _KINDS, n=1, cutoff=0.5)
    shapes = {"http": "http://host:port/v1#model", "https": "https://host/v1#model", "vllm": "vllm:MODEL"}
    if near:
        return f"did you mean {shapes.get(near[0], near[0])}?"
    return "use baseline or http://host:port/v1#model"

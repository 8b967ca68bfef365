"""Format of the OpenAI chat API: addresses, message contents, schemas, error messages."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from backends.chat.kept_json_connections import StatusError
from backends.errors import UsageError
from backends.protocols import Part

_SHOWN = 300


def serve_command(model: str, port: int = 8000) -> str:
    """Return the command that starts a server for `model`.

    Without `disable_any_whitespace`, small models on vLLM may fill a JSON reply with newlines until
    it is truncated.
    """
    options = '{"backend":"xgrammar","disable_any_whitespace":true}'
    return f"vllm serve {model} --port {port} --structured-outputs-config '{options}'"


def split_spec(spec: str) -> tuple[str, str]:
    """Split `http://host:port/v1#model` into endpoint and model; `/v1` is added if the path is empty."""
    wrong = UsageError(f"'{spec}' is not an address; write http://host:port/v1#model")
    try:
        parts = urlsplit(spec)
        _ = parts.port  # raises ValueError if the port is not a number
    except ValueError as error:
        raise wrong from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise wrong
    if parts.username or parts.password:
        raise UsageError("put the key into DAILIES_API_KEY, not into the address: addresses are recorded")
    path = parts.path.rstrip("/") or "/v1"
    return f"{parts.scheme}://{parts.netloc}{path}", parts.fragment


def content(parts: tuple[Part, ...]) -> str | list[dict[str, Any]]:
    """Return a single string if there are no pictures: text-only chat templates accept nothing else."""
    if not any(part.jpeg for part in parts):
        return "\n".join(part.text for part in parts)
    content: list[dict[str, Any]] = []
    for part in parts:
        if part.text:
            content.append({"type": "text", "text": part.text})
        if part.jpeg:
            url = "data:image/jpeg;base64," + base64.b64encode(part.jpeg).decode("ascii")
            content.append({"type": "image_url", "image_url": {"url": url}})
    return content


def response_format(stage: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    name = re.sub(r"\W+", "_", stage, flags=re.ASCII).strip("_")[:64] or "reply"
    # `strict` requires closed objects, so it is set only if the schema has them.
    strict = schema.get("additionalProperties") is False
    return {
        "type": "json_schema",
        "json_schema": {"name": name, "schema": dict(schema), "strict": strict},
    }


def said(error: StatusError) -> str:
    """Return the server's message, shortened to one line."""
    body = error.body
    while isinstance(body, dict):
        body = body.get("message") or body.get("error") or body.get("detail") or str(body)
    return one_line(body or error)


def one_line(words: object) -> str:
    text = " ".join(str(words).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def some(names: list[str]) -> str:
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return ", ".join(names[:8]) + more

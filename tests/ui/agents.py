"""What agents send to /mcp, without the client of the protocol in between."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx

HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
}


def ask(client: httpx.Client, method: str, params: Mapping[str, Any]) -> tuple[str, Any]:
    """`complete` and the result, `error` and its line, or the status and what was said."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answered = client.post("/mcp", content=json.dumps(body), headers=HEADERS)
    if answered.status_code != 200:
        return str(answered.status_code), answered.json()
    told = answered.json()
    return ("error", told["error"]["message"]) if "error" in told else ("complete", told["result"])


def call_tool(client: httpx.Client, name: str, given: Mapping[str, Any]) -> tuple[str, Any]:
    """As `tests.ui.programs.call`: the answer of a tool, or {"error": its line}."""
    event, told = ask(client, "tools/call", {"name": name, "arguments": given})
    if event != "complete":
        return event, told
    text = told["content"][0]["text"]
    return ("error", {"error": text}) if told["isError"] else ("complete", json.loads(text))

"""Agents at /mcp: by the official client, and what they send without it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

Work = Callable[[ClientSession], Awaitable[None]]

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


def as_agent(url: str, headers: dict[str, str], work: Work) -> None:
    """`work` with the official client, connected to the server at `url`."""

    async def run() -> None:
        async with (
            create_mcp_http_client(headers) as http,
            streamable_http_client(f"{url}/mcp", http_client=http) as (read, write, _),
            ClientSession(read, write) as agent,
        ):
            await agent.initialize()
            await work(agent)

    with ThreadPoolExecutor(1) as another:  # Playwright keeps a loop in ours
        another.submit(anyio.run, run).result()


async def told(agent: ClientSession, name: str, **given: Any) -> Any:
    """What a tool answers."""
    found = await agent.call_tool(name, given)
    assert not found.isError, found
    return json.loads(found.content[0].text)

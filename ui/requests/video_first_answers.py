"""The first requests that pages of one video share."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

from ui.lib.page_spec import Ask
from ui.requests.first_answers import path_with


async def ask_of_video(ask: Ask, address: dict[str, str], path: str, query: str = "") -> None:
    """Ask for the order of the videos, and for `path/VIDEO` and the assignments of the one that opens."""
    order = await ask(path_with("/api/videos", {"evaluation": address.get("evaluation", "")}))
    video = address.get("video") or next(iter(order["videos"] if order else ()), "")
    if video:
        name = quote(video, safe="")
        await asyncio.gather(ask(f"{path}/{name}{query}"), ask(f"/api/queue/{name}"))

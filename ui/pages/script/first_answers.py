"""The first requests of Script: the order of the videos, and the one that opens."""

from __future__ import annotations

from urllib.parse import quote

from ui.lib.page_spec import Ask
from ui.requests.first_answers import path_with


async def script_first(ask: Ask, address: dict[str, str]) -> None:
    order = await ask(path_with("/api/videos", {"evaluation": address.get("evaluation", "")}))
    video = address.get("video") or next(iter(order["videos"] if order else ()), "")
    if video:
        await ask(f"/api/script/{quote(video, safe='')}")

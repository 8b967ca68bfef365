"""The first requests of the Library: the first rows, their assignments, and the jobs."""

from __future__ import annotations

import asyncio

from ui.lib.page_spec import Ask
from ui.requests.first_answers import path_with

ROWS = "60"
"""As many as library_state.js requests at first."""


async def library_first(ask: Ask, address: dict[str, str]) -> None:
    query = {
        "q": address.get("q", ""),
        "evaluation": address.get("evaluation", ""),
        "sort": address.get("sort") or "need",
        "work": address.get("work", ""),
        "offset": "0",
        "limit": ROWS,
    }
    await asyncio.gather(*map(ask, (path_with("/api/library", query), "/api/queue", "/api/jobs")))

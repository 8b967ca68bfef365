"""The first requests of Scores: the benchmarks, the table of one evaluation, and the jobs."""

from __future__ import annotations

import asyncio

from ui.lib.page_spec import Ask
from ui.requests.first_answers import path_with


async def scores_first(ask: Ask, address: dict[str, str]) -> None:
    table = path_with(
        "/api/scoring/table",
        {"evaluation": address.get("evaluation", ""), "by": address.get("by", ""), "q": ""},
    )
    first = (
        ["/api/scoring/systems"] if address.get("system") else ["/api/scoring/systems", table, "/api/jobs"]
    )
    await asyncio.gather(*map(ask, first))

"""The first requests of Verdicts: the list, and the first question with its frames and its player."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

from annotation.store.verdicts.filter_and_order import SORTS
from ui.lib.page_spec import Ask
from ui.requests.first_answers import path_with

IN_LIST = ("state", "aspect", "q", "evaluation", "category", "source", "discipline", "error_source", "flag")
"""Parameters of the address that the list's request uses, in the order of verdict_filters.js."""
ASKED_LATER = ("of", "task", "with", "differs")
"""With these parameters the page opens another list, or another place in it, and requests that itself."""


async def verdicts_first(ask: Ask, address: dict[str, str]) -> None:
    if any(address.get(name) for name in ASKED_LATER):
        return
    opened, video = address.get("qa", ""), address.get("video", "")
    sort = address.get("sort", "")
    query = {"sort": sort if sort in SORTS else "mean"}
    query |= {name: address[name] for name in IN_LIST if address.get(name)}
    if only := address.get("only") or ("" if opened else video):
        query["video"] = only
    query |= {"limit": "100", **({"at": opened} if opened else {"offset": "0"})}
    found = await ask(path_with("/api/verdicts", query))
    if not found or not (opened or found["rows"]):
        return
    rows = {row["verdict_id"]: row["video_id"] for row in found["rows"]}
    verdict_id = opened or next(iter(rows))
    verdict = f"/api/verdicts/{quote(verdict_id, safe='')}"
    paths = [f"{verdict}?", f"{verdict}/evidence"]  # "?": the page appends other evaluations to it
    if video := rows.get(verdict_id, video):
        paths += [f"/api/player/{quote(video, safe='')}", f"/api/queue/{quote(video, safe='')}"]
    await asyncio.gather(*map(ask, paths))

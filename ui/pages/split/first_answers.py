"""The first requests of Split: the order of the videos, and the texts of the one that opens."""

from __future__ import annotations

from ui.lib.page_spec import Ask
from ui.requests.video_first_answers import ask_of_video

OTHER_TABS = ("aspects", "merge")
"""Tasks that open another tab, which requests its data itself."""


async def split_first(ask: Ask, address: dict[str, str]) -> None:
    tab = address.get("tab") or ("" if address.get("task") in OTHER_TABS else "split")
    if tab == "split":
        await ask_of_video(ask, address, "/api/split", "?player=true")

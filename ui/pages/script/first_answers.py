"""The first requests of Script: the order of the videos, and the one that opens."""

from __future__ import annotations

from ui.lib.page_spec import Ask
from ui.requests.video_first_answers import ask_of_video


async def script_first(ask: Ask, address: dict[str, str]) -> None:
    await ask_of_video(ask, address, "/api/script")

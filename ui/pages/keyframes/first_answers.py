"""The first requests of Keyframes: the order of the videos, and the frames of the one that opens."""

from __future__ import annotations

from ui.lib.page_spec import Ask
from ui.requests.video_first_answers import ask_of_video

CHOICES = ("captions", "looks", "budget")
"""With these parameters the page requests the frames itself: not every value in an address is valid."""


async def keyframes_first(ask: Ask, address: dict[str, str]) -> None:
    if not any(address.get(name) for name in CHOICES):
        await ask_of_video(ask, address, "/api/keyframes", "?")  # "?": the page appends the choices to it

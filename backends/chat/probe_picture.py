"""A small picture, and a request that tests whether a model accepts pictures."""

from __future__ import annotations

import base64

from backends.protocols import ChatRequest, Part

SQUARES = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L2u71"
    "////m8H////6/+b9//j/wAALCABAAEABAREA/8QAFgABAQEAAAAAAAAAAAAAAAAAAAYF/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/a"
    "AAgBAQAAPwDNFIJsUgmxSCbFIAmxSCbFIJsUgmwFIJsUgmxSCbFIAmxSCbFIJsUgmx//2Q=="
)
"""64 x 64 pixels, 4 x 4 squares in two shades of grey, as JPEG."""


def shown(pictures: int, words: str, max_tokens: int) -> ChatRequest:
    """Return a request with `pictures` pictures and the text `words`."""
    parts = (*(Part(jpeg=SQUARES) for _ in range(pictures)), Part(text=words))
    return ChatRequest(stage="probe", system="", user=parts, max_tokens=max_tokens)


LOOK = shown(1, "What do you see?", 1)

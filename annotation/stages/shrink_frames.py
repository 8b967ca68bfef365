"""Repeats a request with fewer frames if the model accepts fewer pictures."""

from __future__ import annotations

from dataclasses import replace

from annotation.stages.media_library import spread
from backends.protocols import ChatRequest

STEP = 0.75
"""Share of the frames that each attempt keeps."""


def fewer_frames(request: ChatRequest, most: int | None) -> ChatRequest | None:
    """Return the request with fewer, evenly spaced frames; None if its meaning would change.

    `most` is the maximum number of pictures, if the server states it.
    """
    shown = [i for i, part in enumerate(request.user) if part.jpeg]
    if len(shown) < 2 or len(shown) != len(request.frames) or not request.fewer_frames:
        return None
    count = most if most and most < len(shown) else max(1, int(len(shown) * STEP))
    kept = spread(len(shown), count)
    dropped = set(shown) - {shown[i] for i in kept}
    return replace(
        request,
        user=tuple(part for i, part in enumerate(request.user) if i not in dropped),
        frames=tuple(request.frames[i] for i in kept),
    )


def frames_note(kept: int, of: int, most: object = None) -> str:
    """Return the note for record and page. `most`: the server's limit of pictures, if it is the cause."""
    if most:
        return f"{kept} of {of} frames: the server accepts at most {most} pictures in a request"
    return f"{kept} of {of} frames: more do not fit in the model's context"

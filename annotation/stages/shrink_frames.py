"""When a model takes fewer pictures than a request brings: the same question with fewer frames."""

from __future__ import annotations

from dataclasses import replace

from annotation.stages.media_library import spread
from backends.protocols import ChatRequest

STAGES = ("script", "vdc:", "mmlu:")
"""Questions about a stretch of video, which fewer frames show too. Pairs of frames are not among them."""
STEP = 0.75
"""What is kept with every try."""


def fewer_frames(request: ChatRequest, most: int | None) -> ChatRequest | None:
    """The request with fewer frames, evenly spread; None where that would be another question.

    `most` is how many pictures the server says that it takes, where it says so.
    """
    shown = [i for i, part in enumerate(request.user) if part.jpeg]
    if len(shown) < 2 or len(shown) != len(request.frames) or not request.stage.startswith(STAGES):
        return None
    count = max(1, min(int(len(shown) * STEP), most or len(shown)))
    kept = spread(len(shown), count)
    dropped = set(shown) - {shown[i] for i in kept}
    return replace(
        request,
        user=tuple(part for i, part in enumerate(request.user) if i not in dropped),
        frames=tuple(request.frames[i] for i in kept),
    )


def said_of(kept: int, of: int) -> str:
    """For the record and the page."""
    return f"{kept} of {of} frames: more do not fit into the model's context"

"""Which frames of a video are captioned, and how many at once (ProgressCaptioner)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from backends.errors import UsageError

CaptionMode = Literal["a", "b", "c", "page"]
"""Focus of a frame caption: `a` the object's state, `b` the body pose, `c` the
action; `page` is the prompt as printed in the paper, which names none of the three."""

MIN_WINDOW = 2

MAX_WINDOW = 6
"""Minimum and maximum number of frames per request in the method."""

FrameContext = Literal["before", "after", "both"]
"""Which caption of a frame is used when windows overlap: from the window that ends with the frame (for
keyframes), from the one that begins with it, or both in sequence (for classifying frames)."""


@dataclass(frozen=True, slots=True)
class FrameOptions:
    """How frames are chosen and captioned; the defaults are those of the method's applications."""

    per_call: int = 2
    """Number of frames per request to the model."""
    fps: float | None = None
    """Candidates per second of video; None means 1, or fewer for long videos."""
    frames: tuple[int, ...] = ()
    """Frame indices of the candidates, used instead of a rate."""
    context: FrameContext = "before"
    mode: CaptionMode = "c"
    sampling: Literal["rate", "framecapeval"] = "rate"
    """`framecapeval`: the frames of a FrameCapEval sequence (`framecapeval_frames.py`)."""
    matching: Literal["all", "distinct"] = "all"
    """Whether matching offers all frames of a sequence (FrameCapEval), or only distinct frames (FrameCap)."""

    def checked(self) -> FrameOptions:
        """Return these options. Raises UsageError for combinations that the method does not support."""
        if not MIN_WINDOW <= self.per_call <= MAX_WINDOW:
            raise UsageError(
                f"a model can get {MIN_WINDOW} to {MAX_WINDOW} frames at once, not {self.per_call}"
            )
        if self.fps is not None and not 0 < self.fps <= 60:
            raise UsageError(f"{self.fps:g} frames per second; give a rate above 0 and at most 60")
        if self.frames and (len(set(self.frames)) < 2 or min(self.frames) < 0):
            raise UsageError("choose at least two different frames, by their numbers from 0")
        if self.fps is not None and (self.frames or self.sampling != "rate"):
            raise UsageError("give a rate of frames or the frames themselves, not both")
        known: dict[str, tuple[str, ...]] = {
            "context": get_args(FrameContext),
            "mode": get_args(CaptionMode),
            "matching": ("all", "distinct"),
            "sampling": ("rate", "framecapeval"),
        }
        for name, choices in known.items():
            if (value := getattr(self, name)) not in choices:
                raise UsageError(f"{name} {value!r} not found; choose from {', '.join(choices)}")
        return self

    @property
    def params(self) -> dict[str, Any]:
        """Options that a run records besides the window; defaults are omitted."""
        usual = USUAL
        named = ("fps", "frames", "context", "mode", "sampling")
        changed = {name: getattr(self, name) for name in named if getattr(self, name) != getattr(usual, name)}
        return changed | ({"frames": list(self.frames)} if self.frames else {})


USUAL = FrameOptions()

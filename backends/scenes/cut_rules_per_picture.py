"""Find cuts in one pass over the pictures: one watcher per detector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scenedetect.common import FrameTimecode, Timecode
from scenedetect.detectors import (
    AdaptiveDetector,
    ContentDetector,
    HashDetector,
    HistogramDetector,
    ThresholdDetector,
)

from backends.protocols import Picture, PtsTable
from backends.scenes.detector_state import engine_state, set_engine_state
from backends.scenes.dissolves import Thumbs, dissolves
from backends.scenes.fades_and_short_scenes import Trace, in_turn, joined, spaced, sudden, true_fades
from backends.scenes.flashes import without_flashes
from backends.scenes.frame_scores import with_quick_scores
from backends.video.low_resolution_pictures import Small
from backends.video_and_word_types import VideoFacts

Params = Mapping[str, Any]
State = dict[str, npt.NDArray[Any]]
"""State of a watcher: plain arrays by name."""

MIN_SCENE_S = 0.6
"""Default of PySceneDetect's command line, in seconds so that it does not depend on the frame rate."""

_ENGINES: Mapping[str, Any] = {
    "adaptive": AdaptiveDetector,
    "content": ContentDetector,
    "vript": AdaptiveDetector,
    "threshold": ThresholdDetector,
    "hash": HashDetector,
    "histogram": HistogramDetector,
}
_OURS = frozenset(("min_scene_s", "min_scene_frames", "fade_threshold", "fade_max_deviation"))
"""Parameters of our rules, which PySceneDetect's detectors do not accept."""


class Watcher(Protocol):
    """Receives every picture once, in order."""

    def add(self, index: int, small: Small) -> None:
        """Add the pictures of frame `index` of the table."""
        ...

    def cuts(self) -> list[int]:
        """Return the first frames of scenes, ascending, after the last picture."""
        ...

    def new_state(self) -> State:
        """Return the changes since the last call, from which a new watcher can resume."""
        ...

    def resume(self, parts: Sequence[State], last: int, picture: Picture) -> None:
        """Load another watcher's state from its parts, in order. `last` is the last frame it received."""
        ...


class Clock:
    """Converts between indices of the PTS table and PySceneDetect's timecodes, which begin at 0."""

    def __init__(self, table: PtsTable, facts: VideoFacts) -> None:
        self._pts = table.pts - table.pts[0]
        self._base = Fraction(table.time_base)
        self._rate = Fraction(facts.fps_avg or 25.0).limit_denominator(100_000)
        self._seconds = self._pts * float(self._base)
        self.variable = facts.vfr

    def at(self, index: int) -> FrameTimecode:
        return FrameTimecode(Timecode(int(self._pts[index]), self._base), fps=self._rate)

    def index(self, timecode: FrameTimecode) -> int:
        """Return the frame whose start is nearest to `timecode`."""
        return int(np.abs(self._seconds - timecode.seconds).argmin())


class Plain:
    """An unmodified detector of PySceneDetect."""

    def __init__(self, name: str, params: Params, clock: Clock, shortest_s: float | None = None) -> None:
        own = {key: value for key, value in params.items() if key not in _OURS}
        least = shortest_s
        if least is None:
            # At a variable frame rate, a number of frames is not a duration.
            usual = MIN_SCENE_S if clock.variable else int(params["min_scene_frames"])
            least = float(params["min_scene_s"]) or usual
        engine = _ENGINES[name](min_scene_len=least, **own)
        self._engine = with_quick_scores(engine) if isinstance(engine, ContentDetector) else engine
        self._clock = clock
        self._found: set[int] = set()

    def add(self, index: int, small: Small) -> None:
        for cut in self._engine.process_frame(self._clock.at(index), small.picture):
            self._found.add(self._clock.index(cut))

    def cuts(self) -> list[int]:
        return sorted(self._found)

    def new_state(self) -> State:
        state = engine_state(self._engine, self._clock.index)
        return {"engine": np.array(state), "cuts": np.array(self.cuts(), np.int64)}

    def resume(self, parts: Sequence[State], last: int, picture: Picture) -> None:
        # The last picture restores the engine's copy of it; the rest of the state is set explicitly.
        self._engine.process_frame(self._clock.at(last), picture)
        set_engine_state(self._engine, str(parts[-1]["engine"]), self._clock.at)
        self._found = set(parts[-1]["cuts"].tolist())


class Default:
    """Adaptive cuts without photo flashes, plus dissolves and fades through black.

    The adaptive rule and its thresholds are PySceneDetect's. It uses brightness only, which saves
    the conversion to HSV.
    """

    def __init__(self, params: Params, table: PtsTable) -> None:
        self._params = params
        self._table = table
        self._trace = Trace()
        self._thumbs = Thumbs()

    def add(self, index: int, small: Small) -> None:
        self._trace.add(index, small.picture)
        self._thumbs.add(index, small.picture)

    def new_state(self) -> State:
        return {**self._trace.new_state(), "thumbs": self._thumbs.new_state()}

    def resume(self, parts: Sequence[State], last: int, picture: Picture) -> None:  # noqa: ARG002 - the protocol has it
        self._trace.resume(parts, picture)
        self._thumbs.resume(self._trace.frames, [part["thumbs"] for part in parts])

    def cuts(self) -> list[int]:
        if not self._trace.frames:
            return []
        seconds, params = self._table.seconds, self._params
        shortest = float(params["min_scene_s"])
        hard = self._sudden()
        fades = true_fades(self._trace, seconds, params["fade_threshold"], params["fade_max_deviation"], hard)
        mixed = dissolves(
            self._thumbs,
            seconds,
            difference=params["dissolve_difference"],
            likeness=params["dissolve_likeness"],
            rest=params["dissolve_rest"],
        )
        apart = joined([one.cut for one in mixed], fades, seconds, shortest)
        slow = sorted([*fades, *(one for one in mixed if one.cut in apart)], key=lambda one: one.cut)
        # Flashes are removed first: the minimum scene length could otherwise remove a cut after one.
        cuts = without_flashes(hard, self._thumbs, seconds, same=params["flash_same"])
        return joined(spaced(cuts, self._trace.change, seconds, shortest), slow, seconds, shortest)

    def _sudden(self) -> list[int]:
        keys = ("adaptive_threshold", "min_content_val", "window_width")
        return sudden(self._trace, *(self._params[key] for key in keys))


class Vript:
    """Adaptive cuts and fades; of two cuts that are too close, the first is kept."""

    def __init__(self, params: Params, clock: Clock, table: PtsTable) -> None:
        # The minimum scene length applies to cuts and fades together.
        self._plain = Plain("vript", params, clock, 0.0)
        self._params = params
        self._table = table
        self._trace = Trace()

    def add(self, index: int, small: Small) -> None:
        self._trace.add(index, small.picture)
        self._plain.add(index, small)

    def new_state(self) -> State:
        return {**self._trace.new_state(), **self._plain.new_state()}

    def resume(self, parts: Sequence[State], last: int, picture: Picture) -> None:
        self._trace.resume(parts, picture)
        self._plain.resume(parts, last, picture)

    def cuts(self) -> list[int]:
        seconds, params = self._table.seconds, self._params
        hard = self._plain.cuts()
        fades = true_fades(self._trace, seconds, params["fade_threshold"], params["fade_max_deviation"], hard)
        return in_turn(joined(hard, fades, seconds, MIN_SCENE_S), seconds, float(params["min_scene_s"]))


def engine_version() -> str:
    """Return name and version of the installed PySceneDetect."""
    for package in ("scenedetect-headless", "scenedetect"):
        try:
            return f"scenedetect {version(package)}"
        except PackageNotFoundError:
            continue
    return "scenedetect"

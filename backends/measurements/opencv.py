"""Measure scenes with OpenCV, without model weights."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import cv2

from backends.errors import MediaError
from backends.measurements.brightness_and_colour import brightness, palette, sharpness
from backends.measurements.camera_motion_labels import camera_motion
from backends.measurements.clear_frames import clear_frames
from backends.measurements.main_colours import main_colours
from backends.measurements.motion_of_two_frames import pair_motion
from backends.measurements.moving_object import moving_object
from backends.measurements.sampling import collect, plan
from backends.measurements.shot_scale import shot_scale
from backends.protocols import FrameReader, Measured, Picture


class OpencvMeasurer:
    """Measures camera motion, moving object, shot scale, brightness, palette, sharpness and clear frames.

    Values are plain JSON; equal frames give equal values. The cost is bounded:
    at most about 95 frames of a scene are sampled.
    """

    name = f"opencv-{cv2.__version__}"

    def measure(self, reader: FrameReader, start: int, end: int) -> Sequence[Measured]:
        """Return one `Measured` per kind for frames [start, end).

        Raises ValueError for an empty range, MediaError if none of it decodes.
        """
        if not 0 <= start < end <= len(reader.table.pts):
            raise ValueError(f"frames [{start}, {end}) are not in a video of {len(reader.table.pts)} frames")
        bursts = collect(reader, plan(reader.table.seconds, start, end))
        if not bursts:
            raise MediaError(
                f"frames {start} to {end - 1} cannot be decoded; check the file or skip this scene"
            )
        motions = [[pair_motion(before, after) for before, after in pairwise(burst)] for burst in bursts]
        height, width = bursts[0][0].grey.shape
        moving = moving_object(bursts, motions)
        return (
            Measured("camera_motion", camera_motion(motions, height / width, sum(map(len, bursts)))),
            Measured("shot_scale", shot_scale(bursts, moving)),
            Measured("brightness", brightness(bursts)),
            Measured("palette", palette(bursts)),
            Measured("sharpness", sharpness(bursts)),
            Measured("moving_object", moving),
            Measured("clear_frames", clear_frames(bursts)),
        )

    def colours(self, picture: Picture) -> list[dict[str, Any]]:
        """Return the main colours of one picture: `{name, hex, share}`, largest first."""
        return [colour.value() for colour in main_colours(picture)]

"""Convert pictures into a video with one frame per second: frame `n` is shown at second `n`.

For datasets with frames instead of videos, and for clips whose frames are numbered by second.
A second without a picture repeats the previous one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import av
import cv2
import numpy as np

from backends.atomic_files import whole
from backends.errors import MediaError
from backends.protocols import Picture
from backends.video.pyav_reader import PyavReader

CRF = "18"
"""x264 quality without visible blocks."""
MOST_SECONDS = 6 * 3600


def film_of_pictures(pictures: Mapping[int, Path], out: Path) -> None:
    """Write a video of `pictures`, files by second. Raises MediaError for an unreadable picture."""
    last = max(pictures)
    if last > MOST_SECONDS:
        raise MediaError(
            f"{pictures[last].name}: second {last} exceeds the limit of {MOST_SECONDS // 3600} hours"
        )
    _write(_held(pictures, last), out)


def film_by_second(video: Path, out: Path) -> None:
    """Write a video with one frame per second of `video`, at `int(second * fps)` as in the released code.

    Raises MediaError.
    """
    with_reader = PyavReader(video)
    try:
        facts = with_reader.facts
        count = max(1, int(facts.duration_s))
        wanted = [min(facts.frames - 1, int(second * facts.fps_avg)) for second in range(count)]
        _write((picture for _, picture in with_reader.frames(dict.fromkeys(wanted))), out)
    finally:
        with_reader.close()


def _held(pictures: Mapping[int, Path], last: int) -> Iterator[Picture]:
    shown = _load(pictures[min(pictures)])
    for second in range(last + 1):
        if second in pictures:
            shown = _load(pictures[second])
        yield shown


def _load(path: Path) -> Picture:
    """Read a picture from bytes, because OpenCV cannot open every file name."""
    try:
        found = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    except (OSError, cv2.error) as error:
        raise MediaError(f"{path.name}: cannot be read ({error})") from error
    if found is None:
        raise MediaError(f"{path.name}: not a readable picture; use PNG or JPEG files")
    return np.ascontiguousarray(found[..., ::-1])


def _write(pictures: Iterator[Picture], out: Path) -> None:
    """Write H.264 in MP4; all pictures are scaled to the size of the first, with even sides."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with whole(out) as part, av.open(str(part), "w", format="mp4") as container:
        stream = None
        for picture in pictures:
            if stream is None:
                stream = container.add_stream("libx264", rate=1, options={"crf": CRF})
                stream.width, stream.height = (
                    max(2, side - side % 2) for side in (picture.shape[1], picture.shape[0])
                )
                stream.pix_fmt, stream.codec_context.gop_size = "yuv420p", 1
            shown = cv2.resize(picture, (stream.width, stream.height), interpolation=cv2.INTER_AREA)
            for packet in stream.encode(av.VideoFrame.from_ndarray(shown, format="rgb24")):
                container.mux(packet)
        for packet in stream.encode() if stream else ():
            container.mux(packet)

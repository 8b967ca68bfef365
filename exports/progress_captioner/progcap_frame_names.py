"""Frame names in ProgressCaptioner's public files: `frame{second:03d}.png` in a folder per clip.

The number is the index at one frame per second, that is, seconds from the start of the clip. A folder
`{id}_st{start}_dur{length}` is the part of a longer video that begins at `start` seconds.
Source: the released `prepare_data.py` (index = int(seconds * fps)) and data files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from annotation.records.ids import Json, record_id
from annotation.records.videos import Frame, Video
from annotation.store.store import Store
from annotation.systems.progress_captioner.requests import MODE_WORDS

_NUMBERED = re.compile(r"(?P<second>\d{1,6}(?:\.\d{1,3})?)\.[A-Za-z]{3,4}$")
_STRETCH = re.compile(r"(?P<id>.+)_st(?P<start>\d+(?:\.\d+)?)_dur(?P<length>\d+(?:\.\d+)?)")

_CODES = (("/", "%2F"), ("\\", "%5C"), ("%", "%25"))
"""Titles become folder names: characters that end a name are encoded."""


@dataclass(frozen=True, slots=True)
class Clip:
    """Location of a record's frames."""

    folder: str
    """Name of the last folder, the dataset's name of the clip."""
    source: str
    """The video that contains the clip; the clip's own name if the folder does not name one."""
    start_s: float
    """Start of the clip in that video."""
    seconds: tuple[float, ...]
    """Time of each frame, from the start of the clip."""


def clip_of(image_files: Json) -> Clip | str:
    """Return the clip, or the reason in one line if there is none."""
    if not isinstance(image_files, list) or not image_files:
        return "image_files is not a list of files"
    if not all(isinstance(name, str) for name in image_files):
        return "image_files contains something other than file names"
    paths = [PurePosixPath(name.replace("\\", "/")) for name in image_files]
    folders = {path.parent.name for path in paths}
    if len(folders) != 1 or not paths[0].parent.name:
        return "the images are not all in one folder; the folder names the video"
    numbers = [_NUMBERED.search(path.name) for path in paths]
    if not all(numbers):
        return f"{paths[numbers.index(None)].name!r} has no number; the number gives the frame's second"
    folder = folders.pop()
    for plain, code in _CODES:
        folder = folder.replace(code, plain)
    stretch = _STRETCH.fullmatch(folder)
    seconds = tuple(float(number["second"]) for number in numbers if number)
    if not stretch:
        return Clip(folder, folder, 0.0, seconds)
    return Clip(folder, stretch["id"], float(stretch["start"]), seconds)


def frames_of(video: Video, clip: Clip, store: Store | None = None) -> list[Frame]:
    """Return the frames of the clip, by the video's frame rate, or by second if it has no file.

    Frames that the store already has are reused.
    """
    made = _frames_of(video, clip)
    numbers = sorted({frame.index for frame in made})
    known = {f.index: f for f in store.find(Frame, video_id=video.id, index=numbers)} if store else {}
    return [known.get(frame.index, frame) for frame in made]


def _frames_of(video: Video, clip: Clip) -> list[Frame]:
    """Create the frames. If the video extends beyond the clip, the clip is a part of it."""
    facts = video.facts
    if facts is None:
        return [_frame(video, int(second), int(second)) for second in clip.seconds]
    offset = clip.start_s if facts.duration_s >= clip.start_s + max(clip.seconds) and clip.start_s else 0.0
    if video.title == clip.folder:
        offset = 0.0
    num, den = (int(part) for part in facts.time_base.split("/"))
    found = []
    for second in clip.seconds:
        index = min(facts.frames - 1, int((second + offset) * facts.fps_avg))
        found.append(_frame(video, index, facts.start_pts + round((second + offset) * den / num)))
    return found


def _frame(video: Video, index: int, pts: int) -> Frame:
    return Frame(id=record_id("frm", video.id, index), video_id=video.id, index=index, pts=pts)


def second_of(video: Video, frame: Frame) -> float:
    """Return seconds from the start of the video's presentation."""
    if video.facts is None:
        return float(frame.pts)
    num, den = (int(part) for part in video.facts.time_base.split("/"))
    return max(0.0, (frame.pts - video.facts.start_pts) * num / den)


def image_names(folder: str, seconds: Sequence[float]) -> list[str]:
    """Return `folder/frame012.png`, with a fraction if two frames fall into one second."""
    for plain, code in reversed(_CODES):
        folder = folder.replace(plain, code)
    whole = [int(second) for second in seconds]
    return [
        f"{folder}/frame{n:03d}.png" if whole.count(n) == 1 else f"{folder}/frame{second:07.3f}.png"
        for n, second in zip(whole, seconds, strict=True)
    ]


def query(n: int, action: str, mode: str) -> str:
    """Return the captioning query of the released code; `mode` is a, b or c."""
    depicting = f" depicting {action}" if action else ""
    dots = "...\n" if n > 2 else ""
    return (
        f"These are {n} frames extracted from a video sequence{depicting}, provide a description for each "
        "frame.\nRequirement: (1) Ensure each frame's description is specific to the corresponding frame, "
        "not referencing to other frames; (2) The description should focus on the specific action being "
        f"performed, capturing the {MODE_WORDS[mode]} and progression of the action. There is no need to "
        "comment on other elements, such as the background or unrelated objects.\n"
        "Reply with the following format:\n"
        f"<Frame 1>: Your description\n{dots}<Frame {n}>: Your description\n"
    )


def mode_of(text: Json) -> str:
    """Return the description mode of a query; empty for other texts."""
    if not isinstance(text, str):
        return ""
    # "action" is part of the other two, so the longest match wins.
    found = [mode for mode in "abc" if f"capturing the {MODE_WORDS[mode]} and progression" in text]
    return found[0] if found else ""


def response(captions: Sequence[str]) -> str:
    """Format captions like a model's reply."""
    return "\n".join(f"<Frame {n}>: {caption}" for n, caption in enumerate(captions, 1))

"""Scenes of a video without a file: the times come from a dataset.

Cuts are always stored as frames. If a dataset provides a script but no file, its scenes use a nominal time
base of one frame per millisecond, which the note of the scene list records. When the file is found,
`settle` moves the scenes to its real frames. Keys, texts and the id of the list do not change.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlalchemy import update

from annotation.records.videos import Scene, SceneList
from annotation.store import changed_videos
from annotation.store import tables as t
from annotation.store.store import Store
from backends.protocols import PtsTable

FRAMES_PER_S = 1000
NOMINAL = "nominal frames"
"""Note of a list whose times are known and whose frames are milliseconds."""
UNTIMED = "order only"
"""Note of a list without times: only the order and the number of scenes are known."""
SPREAD = "order only, spread evenly over the file"
"""Note of such a list after the file is found."""


def is_nominal(scenes: SceneList | None) -> bool:
    """Whether the frames of these scenes are nominal instead of frames of a file."""
    return scenes is not None and scenes.note in (NOMINAL, UNTIMED)


def settle(store: Store, video_id: str, table: PtsTable, clips: Sequence[int] | None = None) -> bool:
    """Move the nominal scenes of a video to the frames of its file. Returns False if there are none.

    `clips` holds the first frame of each clip if the file was joined from clips: scene n is clip n.
    """
    lists = [one for one in store.find(SceneList, video_id=video_id) if is_nominal(one)]
    for one in lists:
        _settle(store, one, table, clips)
    return bool(lists)


def _settle(store: Store, scene_list: SceneList, table: PtsTable, clips: Sequence[int] | None) -> None:
    scenes = store.find(Scene, scene_list_id=scene_list.id, order_by=["index"])
    by_clip = bool(clips) and len(clips or ()) >= len(scenes)
    untimed = scene_list.note == UNTIMED and not by_clip
    frames = len(table.pts)
    if clips and by_clip:
        starts = list(clips[: len(scenes)])
    elif untimed:
        starts = _even(len(scenes), frames)
    else:
        starts = nearest_frames([s.start_s for s in scenes], table)
    rows = _rows(scenes, starts, table)
    with store.writing() as conn:
        for scene, row in zip(scenes, rows, strict=True):
            conn.execute(update(t.scene).where(t.scene.c.id == scene.id).values(**row))
        note = SPREAD if untimed else ""
        conn.execute(update(t.scene_list).where(t.scene_list.c.id == scene_list.id).values(note=note))
        changed_videos.touch(conn, [scene_list.video_id])


def _rows(scenes: Sequence[Scene], starts: Sequence[int], table: PtsTable) -> list[dict[str, float | int]]:
    """Return the columns of each scene on real frames. Scenes without a frame share the last one."""
    frames, seconds = len(table.pts), table.seconds
    step = int(table.pts[-1] - table.pts[-2]) if frames > 1 else 1
    pts = [*(int(table.pts[at]) for at in starts), int(table.pts[-1]) + step]
    times = [*(max(0.0, float(seconds[at])) for at in starts), float(table.end_s)]
    edges = [*starts, frames]
    return [
        {
            "start_frame": edges[n],
            "end_frame": edges[n + 1],
            "start_pts": pts[n],
            "end_pts": pts[n + 1],
            "start_s": times[n],
            "end_s": times[n + 1],
        }
        for n in range(len(scenes))
    ]


def nearest_frames(starts_s: Sequence[float], table: PtsTable) -> list[int]:
    """Return the frame nearest to each start. The first is 0, and each scene keeps at least one frame."""
    seconds = np.asarray(table.seconds, dtype=float)
    middles = (seconds[1:] + seconds[:-1]) / 2
    found = [int(at) for at in np.searchsorted(middles, np.asarray(starts_s, dtype=float))]
    return _ascending(found, len(seconds))


def _even(count: int, frames: int) -> list[int]:
    return _ascending([at * frames // max(1, count) for at in range(count)], frames)


def _ascending(starts: list[int], frames: int) -> list[int]:
    """Return the starts strictly ascending from 0. If there are too few frames, the last one repeats."""
    count = len(starts)
    for n in range(count):
        least = starts[n - 1] + 1 if n else 0
        starts[n] = 0 if n == 0 else min(max(starts[n], least), max(0, frames - (count - n)))
    return [min(start, max(0, frames - 1)) for start in starts]

"""Endpoints for videos: list, facts of the file, scenes, speech, text on screen, script, captions."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from annotation.records.system_facts import require_kind
from annotation.records.videos import Alias, Dataset, Video
from annotation.stages.measurement_stage import measured
from annotation.stages.newest_screen_texts import screen_texts
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.systems.progress_captioner.keyframe_budget import BUDGET, LEAST, MOST
from annotation.texts.whose_texts import read_whose
from backends.errors import UsageError
from exports.generic.text_rows import text_rows
from ui.api.files_of_programs import picture_file
from ui.api.gradio_api import Asker
from ui.lib.view_parts import scene_json, screen_line_json, speech_json
from ui.pages.keyframes import routes as keyframes_routes
from ui.pages.library.video_list import LibraryRequest, library_json
from ui.pages.library.wire_types import LibrarySort
from ui.pages.script.view import captions_json, script_json

MOST_VIDEOS = 500
MOST_FRAMES = 24
"""In one response."""
Offset = Annotated[int, Field(ge=0, le=1 << 53)]


def videos(
    asker: Asker,
    evaluation: str = "",
    search: str = "",
    sort: LibrarySort = "need",
    offset: Offset = 0,
    limit: Annotated[int, Field(ge=1, le=MOST_VIDEOS)] = MOST_VIDEOS,
) -> list[dict[str, Any]]:
    """Lists the videos of the workspace, by default those that need review first.

    Args:
        evaluation: name or id of the evaluation for the scores; empty: the one that the pages open by default
        search: words in title, category, discipline or id, or the video's name in a dataset
        sort: need (a stage failed, then mean), mean or aspect (lowest first), title or newest
        offset: the first row, counted from 0
        limit: number of rows, at most 500

    Returns:
        Per video: id, title, category, the state of each stage, and for the evaluation the counts of
        verdicts, their `mean`, `aspects` with the mean of each, and `worst`, the lowest of these; each mean
        is over `n` readable verdicts of `of`. `findings` of the script are null until they are counted.
    """
    chosen = "" if asker.sight.blind else asker.evaluation(evaluation)
    wanted = LibraryRequest(chosen, search, sort, offset=offset, limit=limit, blind=asker.sight.blind)
    found = library_json(
        asker.store, wanted, asker.parts.media.has_copy, asker.texts, asker.parts.jobs.list()
    )
    return [dict(row) for row in found["videos"]]


def video(asker: Asker, video: str) -> dict[str, Any]:
    """Returns the facts of one video: its file, its names in datasets, its category.

    Args:
        video: id of the video, as in /videos

    Returns:
        id, title, category, discipline, action, `names` by dataset, and `facts` of the file as printed by
        `probe` (frames, duration_s, width, height, fps_avg, codec, audio ...); null if there is no file.
    """
    found = asker.store.get(Video, video)
    datasets = {one.id: one.name for one in asker.store.find(Dataset)}
    names = asker.store.find(Alias, video_id=found.id)
    return {
        "id": found.id,
        "title": found.title,
        "category": found.category,
        "discipline": found.discipline,
        "action": found.action,
        "names": {datasets.get(one.dataset_id, one.dataset_id): one.alias for one in names},
        "facts": asdict(found.facts) if found.facts and found.path else None,
    }


def scenes(asker: Asker, video: str) -> dict[str, Any]:
    """Lists the current scenes of a video, with the measurements of each.

    Args:
        video: id of the video, as in /videos

    Returns:
        `detector` (name, params, version; empty if a person made the cuts) and `scenes`: key, index, frames
        [start, end), start_s and end_s in seconds, and measurements such as camera_motion and shot_scale.
    """
    store, found = asker.store, asker.store.get(Video, video)
    cuts, measurements = store.scene_list(found.id), measured(store, found.id)
    rows = [scene_json(scene, measurements.get(scene.key, {})) for scene in current_scenes(store, found.id)]
    return {"video": found.id, "detector": dict(cuts.detector) if cuts else {}, "scenes": rows}


def frames(
    asker: Asker,
    video: str,
    frames: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1, max_length=MOST_FRAMES)],
) -> list[dict[str, Any]]:
    """Returns frames of a video as JPEGs, for example the first frames of scenes, or keyframes.

    Args:
        video: id of the video, as in /videos
        frames: their indexes, counted from 0; at most 24

    Returns:
        Per frame: its index, at_s in seconds, and `picture`, which gradio_client downloads as a file.
    """
    found = asker.store.get(Video, video)
    seconds = asker.parts.media.table(found).seconds
    if max(frames) >= len(seconds):
        raise UsageError(
            f"frames: frame {max(frames)} not found; {found.title} has frames 0 to {len(seconds) - 1}"
        )
    return [
        {"frame": n, "at_s": float(seconds[n]), "picture": picture_file(asker.base, found.id, n)}
        for n in frames
    ]


def transcript(asker: Asker, video: str) -> dict[str, Any]:
    """Returns the speech of a video, line by line, with people's corrections.

    Args:
        video: id of the video, as in /videos

    Returns:
        `heard` (whether speech recognition has run), language, model, `segments` with start_s, end_s, `text`
        and `words` (word, start, end, probability), and the `gaps` that voice detection skipped, in seconds.
    """
    return dict(speech_json(asker.store, asker.store.get(Video, video).id))


def text_on_screen(asker: Asker, video: str) -> list[dict[str, Any]]:
    """Returns the text that was read in the pictures of a video, each line with the frames that show it.

    Args:
        video: id of the video, as in /videos

    Returns:
        Per line: text, score (0 to 1), start_s and end_s in seconds, first and last frame, and the frame
        with the best reading.
    """
    found = screen_texts(asker.store, asker.store.get(Video, video).id)
    return [dict(screen_line_json(text)) for text in found]


def script(asker: Asker, video: str) -> dict[str, Any]:
    """Returns a video as a script: shot type, camera movement, content and title per scene, by every author.

    Args:
        video: id of the video, as in /videos

    Returns:
        The data of the Script page: `player` (facts, scenes, speech, text on screen), `script` by scene key
        and field, `claims` (whether the text about the camera matches the measurement), `captions` and
        `cuts`.
    """
    parts = asker.parts
    return dict(script_json(parts.store, parts.media, video, parts.jobs.list()))


def captions(asker: Asker, video: str) -> dict[str, Any]:
    """Returns the five captions of a video by every author: references, people, models, the baseline.

    Args:
        video: id of the video, as in /videos

    Returns:
        By kind (vdc:camera, vdc:short, vdc:background, vdc:main_object, vdc:detailed) a list of texts:
        value, the machine's value, author, model, state, stale, and `subject` and `revision` for /correct.
    """
    return dict(captions_json(asker.store, asker.store.get(Video, video).id))


def texts(asker: Asker, video: str = "", kind: str = "", whose: str = "") -> list[dict[str, Any]]:
    """Lists the texts of all kinds that count now, each with its writer.

    Args:
        video: id of a video; empty: all
        kind: a kind of text, such as vdc:camera, script:content or carebench:spatial; empty: all
        whose: counting (what counts now), references (of datasets and people), or a person's name

    Returns:
        Per text: video_id, kind, about (video, scene, frame ...), scene (its number, none for other
        subjects), subject_id, text, writer, written_by (person, dataset or run), standing (approved, own,
        reference, prediction, waiting or machine), baseline, text_id.
    """
    store = asker.store
    videos = [store.get(Video, video).id] if video else None
    if kind:
        require_kind(kind)
    chosen = read_whose(store, whose)
    seen = partial(asker.texts.shown, store)
    return list(text_rows(store, [kind] if kind else None, chosen, video_ids=videos, seen=seen))


def keyframes(
    asker: Asker, video: str, budget: Annotated[int, Field(ge=LEAST, le=MOST)] = BUDGET
) -> dict[str, Any]:
    """Returns the keyframes of a video: by progression, uniform, by clusters, and as chosen by people.

    Args:
        video: id of the video, as in /videos
        budget: number of frames of the uniform and the clustered rows, 2 to 24

    Returns:
        `frames` with their captions, `pairs` (whether the action progressed between neighbours), and `rows`:
        method, frames, why each frame was kept or dropped, redundancy, and agreement with your own row.
    """
    found = keyframes_routes.page(
        video, asker.parts, asker.person, asker.sight, player=False, author="", looks="", budget=budget
    )
    return dict(found)

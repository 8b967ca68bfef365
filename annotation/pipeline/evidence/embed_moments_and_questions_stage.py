"""The stage that embeds a frame of every moment, and the questions of a video, in one vector space.

It needs an image-text model such as CLIP, which finds the moments that look like a question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.pipeline.evidence.frame_of_moment import FrameChoice
from annotation.pipeline.evidence.moments_from_store import PICTURES, known_of
from annotation.pipeline.evidence.question_frames import look_at
from annotation.pipeline.evidence.question_vector_files import Asked, QuestionVectors
from annotation.records.captions_to_verdicts import Question
from annotation.records.ids import Json, record_id
from annotation.records.videos import Measurement, Video
from annotation.stages.media_library import path_of
from annotation.stages.stage_context import Context, make_run
from annotation.stages.stage_spec import StageSpec
from annotation.systems.progress_captioner.imported_frame_embeddings import pack
from backends.errors import BackendUnavailable
from backends.protocols import JointEmbeddings

WIDTH = 448
"""Width of a picture in pixels. Image-text models use 224 to 448."""
AT_ONCE = 8
"""Number of pictures or texts between checks whether the run was stopped."""


def run_picture_vectors(context: Context, video: Video) -> None:
    """Embed frames and questions without vectors. Raises BackendUnavailable without an image-text model."""
    engine = context.engines.embedder()
    if engine.baseline:
        raise BackendUnavailable(
            "picture_vectors needs a model for pictures and texts; give --embedder "
            "http://host:port/v1#model, or a name or folder of sentence-transformers such as clip-ViT-B-32; "
            "or `embedder` in settings.toml"
        )
    path_of(video)  # raises MediaError if the file is missing
    _embed_questions(context, engine, video)
    run = context.start_run(
        make_run("picture_vectors", backend=engine.backend, model=engine.model, endpoint=engine.endpoint)
    )
    about = record_id("msr", run.id, video.id, PICTURES)
    frames = _frames(context, video)
    wanted: Mapping[str, Json] = {"engine": engine.key, "file": video.sha256, "frames": frames}
    known = context.store.find(Measurement, id=about)
    if not frames or (known and all(known[0].value[name] == wanted[name] for name in wanted)):
        return
    rows = np.array(list(_embedded(context, engine, video, frames)))
    measured = Measurement(
        id=about,
        video_id=video.id,
        run_id=run.id,
        subject_type="video",
        subject_id=video.id,
        kind=PICTURES,
        value={**pack(engine.model, rows), **wanted},
    )
    context.store.put(measured)  # replaces vectors of other cuts or of another file


def _embed_questions(context: Context, engine: JointEmbeddings, video: Video) -> None:
    vectors = QuestionVectors(context.media.folder, engine.key)
    missing = [asked for asked in _questions(context, video) if not vectors.has(asked)]
    for start in range(0, len(missing), AT_ONCE):
        context.progress(video, "picture_vectors", start, len(missing))
        vectors.embed(engine, missing[start : start + AT_ONCE])


def _questions(context: Context, video: Video) -> list[Asked]:
    """Return the current texts of questions and reference answers, without duplicates."""
    ids = [question.id for question in context.store.find(Question, video_id=video.id)]
    texts, references = (context.store.currents("question", ids, name) for name in ("text", "reference"))
    return list(dict.fromkeys((str(texts[key].value), str(references[key].value)) for key in ids))


def _frames(context: Context, video: Video) -> list[int]:
    """Return a clear frame of every moment that has one."""
    known = known_of(context.store, video)
    choice = FrameChoice(known, look_at(context.store, context.media, video))
    found = (choice.of(moment, None) for moment in known.moments)
    return sorted({seen.frame for seen in found if seen})


def _embedded(
    context: Context, engine: JointEmbeddings, video: Video, frames: Sequence[int]
) -> Iterator[NDArray[Any]]:
    for start in range(0, len(frames), AT_ONCE):
        context.progress(video, "picture_vectors", start, len(frames))
        some = frames[start : start + AT_ONCE]
        pictures = context.media.frames(video, some, WIDTH, context.engines.reader)
        yield from engine.videos([[picture] for picture in pictures]).rows


PICTURE_VECTORS = StageSpec(
    "picture_vectors",
    "frames that look like a question, by an image-text model",
    run_picture_vectors,
    engines=("embedder",),
    apart=True,
    optional=True,
    when="on_demand",
)

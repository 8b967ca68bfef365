"""Jobs, exports, and removing videos."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_args

from fastapi import APIRouter, Depends
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask

from annotation.intake.remote_videos import forget as forget_fetched
from annotation.people.hidden_texts import AspectSight
from annotation.people.permissions import require
from annotation.people.who_labels_blind import Sight
from annotation.pipeline import rejudge_questions
from annotation.pipeline.stage_registry import chosen_stages, stage_settings
from annotation.records.captions_to_verdicts import Question
from annotation.records.decisions import Person
from annotation.records.errors import NotAllowed
from annotation.records.videos import Video
from annotation.stages.run_speech_options import speech_options
from annotation.stages.stage_spec import StageSpec
from annotation.store.benchmark_of_evaluation import evaluations_of, plain_evaluations
from annotation.store.store import Store
from annotation.systems.progress_captioner.studies import require_names
from annotation.texts.writers import people_who_wrote
from backends.errors import UsageError
from exports.catalogue import format_registry as formats
from exports.catalogue.export_preview import Row, preview
from exports.files.format_types import Format, Group, Wanted
from ui.api.api_wire_types import (
    ExportChoices,
    ExportFormat,
    ExportPreview,
    JudgedAgain,
    LoadingNow,
    PreviewCell,
    PreviewRow,
    UploadLimit,
    VideoRemoved,
)
from ui.lib.shared_wire_types import JobEstimate
from ui.pages.library.video_list import job_json
from ui.pages.library.wire_types import JobFacts
from ui.pages.verdicts.wire_types import EvaluationName
from ui.requests.dependencies import Parts, PartsOf, SightOf, TextSightOf, Who
from ui.requests.model_spending import CapBody, estimate_of

router = APIRouter(prefix="/api")


class JobBody(CapBody):
    videos: list[str]
    stages: list[str] = Field([])
    choices: dict[str, str] = Field(default_factory=dict)
    """Settings of stages by name (`StageChoice`)."""
    speech: str = ""
    """Size of the Whisper model; empty: the workspace's setting."""
    language: str = ""
    """Spoken language; empty: the workspace's setting, `auto`: detected."""


class RerunBody(BaseModel):
    evaluation: str
    video: str = ""
    kind: str = ""
    question: str = ""


@router.get("/jobs")
def jobs(parts: PartsOf, _who: Who) -> list[JobFacts]:
    return [job_json(job) for job in parts.jobs.list()]


@router.get("/loading")
def loading(parts: PartsOf, _who: Who) -> LoadingNow:
    """The model that is being started and that requests of pages wait for, if any."""
    return {"loading": parts.waits.loading}


@router.post("/jobs")
def start(body: JobBody, parts: PartsOf, who: Who) -> JobFacts:
    """Run the pipeline over some videos in the background."""
    require(who, "run")
    return job_json(parts.jobs.start(*_work(parts, body), body.cap))


@router.post("/jobs/estimate")
def estimated(body: JobBody, parts: PartsOf, who: Who) -> JobEstimate:
    """Estimate the model calls of a job. Writes nothing and calls no model."""
    require(who, "run")
    videos, stages, options = _work(parts, body)
    with parts.model_context(options=options) as context:
        return estimate_of(context, videos, stages)


def _work(parts: Parts, body: JobBody) -> tuple[list[Video], list[StageSpec], list[object]]:
    """Raises NotFound, UsageError."""
    videos = [parts.store.get(Video, video_id) for video_id in body.videos]
    if not videos:
        raise UsageError("choose at least one video")
    options = [*stage_settings(body.choices), speech_options(body.speech, body.language)]
    return videos, chosen_stages(body.stages), options


@router.post("/jobs/{job_id}/stop")
def stop(job_id: str, parts: PartsOf, who: Who) -> JobFacts:
    require(who, "run")
    job = parts.jobs.stop(job_id)
    if job is None:
        raise UsageError("this job has already ended")
    return job_json(job)


@router.post("/rerun")
def rerun(body: RerunBody, parts: PartsOf, who: Who) -> JudgedAgain:
    """Extract and judge again: one question, one aspect of a video, or a whole video."""
    require(who, "run")
    questions = (
        [parts.store.get(Question, body.question)]
        if body.question
        else rejudge_questions.questions_of(parts.store, body.evaluation, video_id=body.video, kind=body.kind)
    )
    with parts.model_context(again=True) as context:
        done = rejudge_questions.rerun(context, who, body.evaluation, questions)
    return {"evaluation": done.evaluation_id, "verdicts": list(done.verdicts), "failed": done.failed}


@router.get("/limits")
def limits(parts: PartsOf, _who: Who) -> UploadLimit:
    """Largest upload in bytes, so that a page can check it before sending."""
    return {"upload": parts.workspace.limits.upload}


@router.delete("/videos/{video_id}")
def remove(video_id: str, parts: PartsOf, who: Who) -> VideoRemoved:
    """Remove a video with all its records and pictures, and the file if it was downloaded from a URL.

    A local file that was added by path is kept.
    """
    require(who, "remove")
    video = parts.store.get(Video, video_id)
    require_idle(parts, video)
    parts.store.remove_video(video.id)
    parts.media.forget(video)
    forget_fetched(parts.workspace, video)
    return {"removed": video.id, "title": video.title}


def require_idle(parts: Parts, video: Video) -> None:
    """Raises UsageError while a job works on the video."""
    if any(not job.finished and video.id in {v.id for v in job.videos} for job in parts.jobs.list()):
        raise UsageError(f"a job is running on {video.title}; stop it first")


@router.get("/formats")
def format_list(parts: PartsOf, _who: Who) -> ExportChoices:
    """The export formats, and the people whose texts can be exported."""
    people = people_who_wrote(parts.store)
    return {
        "formats": known_formats(parts.store),
        "people": [{"id": one.id, "name": one.name} for one in people],
    }


def known_formats(store: Store) -> list[ExportFormat]:
    """The formats that can be written, and the evaluations that each can hold."""
    order = get_args(Group)
    return [
        {
            "name": f.name,
            "group": f.group,
            "what": f.what,
            "cannot_hold": f.cannot_hold,
            "evaluation": f.evaluation,
            "evaluations": _evaluations(store, f),
            "benchmark": bool(f.benchmarks),
            "texts": f.texts is not None,
        }
        for f in sorted(formats.FORMATS.values(), key=lambda f: order.index(f.group))
        if f.writer
    ]


def _evaluations(store: Store, known: Format) -> list[EvaluationName]:
    if known.evaluation == "none":
        return []
    found = evaluations_of(store, *known.benchmarks) if known.benchmarks else plain_evaluations(store)[::-1]
    return [{"id": e.id, "name": e.name, "baseline": e.baseline} for e in found]


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person wants to export."""

    name: str
    """Name of the format."""
    evaluation: str = ""
    """Id or name of an evaluation; empty: none."""
    values: str = "current"
    whose: str = ""
    """Whose texts: `counting`, `references`, or a person's name or id; empty: what counts now."""


@router.get("/export/{name}/preview")
def previewed(
    parts: PartsOf, who: Who, seen: SightOf, texts: TextSightOf, choice: Annotated[Choice, Depends()]
) -> ExportPreview:
    """What the file would hold: the number of texts or records, by video and by author."""
    return preview_export(parts, who, seen, texts, choice)


@router.get("/export/{name}")
def export(
    parts: PartsOf, who: Who, seen: SightOf, texts: TextSightOf, choice: Annotated[Choice, Depends()]
) -> FileResponse:
    """Download one format: the file itself, or a zip if there are several files."""
    folder = Path(tempfile.mkdtemp(prefix="export-"))
    cleanup = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    try:
        whole = write_export(parts, who, seen, texts, folder, choice)
    except Exception:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(whole, filename=whole.name, background=cleanup)


def preview_export(
    parts: Parts, who: Person, seen: Sight, texts: AspectSight, choice: Choice
) -> ExportPreview:
    """Raises NotAllowed, UsageError, NotFound as `write_export` does for the same choice."""
    found = _may_export(parts, who, seen, texts, choice)
    held = preview(found, _wanted(parts, choice))
    rows: list[PreviewRow] = [{"video": row.video, "cells": _cells(row)} for row in held.rows[:SHOWN_ROWS]]
    return {
        "says": list(held.says),
        "fields": list(held.fields),
        "totals": dict(held.totals),
        "rows": rows,
        "more": len(held.rows) - len(rows),
    }


SHOWN_ROWS = 200
"""Rows of a preview; the others are only counted."""


def _cells(row: Row) -> dict[str, PreviewCell]:
    return {field: {"count": cell.count, "by": list(cell.by)} for field, cell in row.cells.items()}


def write_export(
    parts: Parts, who: Person, seen: Sight, texts: AspectSight, folder: Path, choice: Choice
) -> Path:
    """Write the export into `folder`, as a zip if the format has several files.

    Raises NotAllowed, UsageError, NotFound.
    """
    found = _may_export(parts, who, seen, texts, choice)
    name = choice.name
    out = folder / f"{name}{found.suffix}"
    files = formats.write_wanted(_wanted(parts, choice), found, out)
    return files[0] if len(files) == 1 else _zip(files, out, folder / f"{name}.zip")


def _wanted(parts: Parts, choice: Choice) -> Wanted:
    return formats.wanted(
        parts.store,
        choice.name,
        evaluation_id=choice.evaluation or None,
        values=choice.values,
        whose=choice.whose,
        media=parts.media,
    )


def _may_export(parts: Parts, who: Person, seen: Sight, texts: AspectSight, choice: Choice) -> Format:
    """The chosen format. Raises NotAllowed, UsageError."""
    require(who, "export")
    seen.require_open()
    require_names(parts.store, who)
    found = formats.FORMATS.get(choice.name)
    if found is None:
        raise UsageError(f"unknown format {choice.name!r}; choose from {', '.join(formats.FORMATS)}")
    if not found.without_hidden_texts and texts.hides_any(parts.store):
        raise NotAllowed(
            f"{choice.name} would contain texts that other annotators are still writing; ask an expert to "
            "export it, or wait until all annotators are done"
        )
    return found


def _zip(files: list[Path], root: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, Path(root.name) / file.relative_to(root))
    return target

"""Fills a workspace with the sample: the clip, its references, and a hand-written evaluation."""

from __future__ import annotations

from pathlib import Path
from threading import Event

from annotation.intake.add_video import add_video
from annotation.pipeline.backfill_and_second_judge import plan_fill
from annotation.pipeline.evaluation_pass_runner import work_all
from annotation.pipeline.stage_registry import USUAL
from annotation.pipeline.stage_runner import new_context, run_video
from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.stage_context import Engines, Reporter
from annotation.store import tables as t
from annotation.store.import_log import ImportLog
from annotation.workspace.workspace import Workspace
from backends.errors import UsageError
from exports.catalogue import format_registry as formats

SAMPLE = Path(__file__).resolve().parent.parent / "sample"
TITLE = "A paper boat's day"
FILES = (
    "vdc_captions.jsonl",
    "vdc_qa",
    "metadata.json",
    "evaluation",
    "annotators.jsonl",
    "recalls.json",
    "vript_hard",
    "vript_hard/ERO_example.csv",
    "vript_hard/RR_video_example_multiplechoice.csv",
    "vript_hard/RR_clip_example_multiplechoice.csv",
    "vript_hard/HAL_example.csv",
)
RECORDED = "recorded.jsonl"
"""Answers and verdicts of a real model on the same captions; `python -m sample.record` makes it."""
JUDGED = "hand-written"
"""Name of the evaluation that CapST judges too. Its captions contain typical mistakes of models."""


def import_sample(workspace: Workspace, log: ImportLog | None = None) -> Video:
    """Add the sample's clip and import its files. Existing records are unchanged.

    `log` records what is new. Raises UsageError if the installation has no sample.
    """
    clip = SAMPLE / "clip.mp4"
    if not clip.is_file():
        raise UsageError(f"{clip} is missing; the sample needs a full checkout of the project")
    with workspace.importing():
        known = {one.id for one in workspace.store.find(Video)}
        video = add_video(workspace.store, workspace.media, clip, title=TITLE)
        if log and video.id not in known:
            with workspace.store.writing() as conn:
                log.added(conn, t.video, [video.id])
        for name in (*FILES, RECORDED):
            formats.commit(workspace.store, formats.read(SAMPLE / name, workspace.store), log)
    return video


def fill_sample(workspace: Workspace, engines: Engines, report: Reporter, stop: Event) -> Video:
    """Import the sample and run every stage. Raises UsageError."""
    video = import_sample(workspace)
    media = MediaLibrary(workspace.media)
    try:
        context = new_context(workspace, engines, media, report, stop)
        run_video(context, workspace.store.get(Video, video.id), USUAL)
        judged = workspace.store.find(Evaluation, name=JUDGED)
        if judged:
            fresh = new_context(workspace, engines, media, report, stop)
            list(work_all(fresh, plan_fill(workspace.store, judged[0].id, ("elements", "capst"))))
    finally:
        media.close()
    return video

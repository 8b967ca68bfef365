"""All endpoints, in the order in which programs see them."""

from __future__ import annotations

from ui.api.endpoints.files import add_video, export, export_preview, formats, import_files
from ui.api.endpoints.runs import progress, run, runs, stop
from ui.api.endpoints.scoring import compare, evaluations, label_next, scores
from ui.api.endpoints.verdicts import (
    check_split,
    correct,
    dismiss,
    evidence,
    question,
    set_error_source,
    verdicts,
)
from ui.api.endpoints.videos import (
    captions,
    frames,
    keyframes,
    scenes,
    script,
    text_on_screen,
    texts,
    transcript,
    video,
    videos,
)
from ui.api.gradio_api import Endpoint

READING: tuple[Endpoint, ...] = (
    videos,
    video,
    scenes,
    frames,
    transcript,
    text_on_screen,
    script,
    captions,
    texts,
    keyframes,
    evaluations,
    verdicts,
    question,
    evidence,
    scores,
    compare,
    label_next,
    check_split,
    runs,
    progress,
    formats,
)
WRITING: tuple[Endpoint, ...] = (
    correct,
    set_error_source,
    dismiss,
    add_video,
    import_files,
    run,
    stop,
    export_preview,
    export,
)
"""Endpoints that change or export data. Each call is logged in the audit log."""

"""Lines of speech: split, merge, move, restore. Each route returns all current lines."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field

from annotation.editing import speech_line_decisions
from annotation.editing.speech_line_decisions import SeenLine
from annotation.people.permissions import require
from annotation.pipeline.stage_registry import stages_named
from annotation.records.videos import Video
from annotation.stages.run_speech_options import speech_options
from backends.speech.whisper_sizes import SIZES, is_here, languages
from ui.lib.shared_wire_types import Speech
from ui.lib.view_parts import speech_json
from ui.pages.library.video_list import job_json
from ui.pages.library.wire_types import JobFacts
from ui.pages.script.wire_types import SpeechChoices, SpeechSize
from ui.requests.dependencies import PartsOf, Revision, Who

router = APIRouter(prefix="/api/speech")


class LineBody(BaseModel):
    """A line as the page shows it."""

    segment: str
    piece: int = Field(ge=0)
    revisions: tuple[Revision, Revision]
    """Revisions of the segment's text and of its pieces."""

    def seen(self) -> SeenLine:
        return SeenLine(self.segment, self.piece, *self.revisions)


class SplitBody(BaseModel):
    line: LineBody
    caret: int = Field(ge=0)
    """Characters (code points) before the cut."""
    at_s: float | None = None
    """Position of the player in seconds; used if it is inside the line."""


class MergeBody(BaseModel):
    line: LineBody
    following: LineBody


class MoveBody(BaseModel):
    line: LineBody
    start_s: float = Field(allow_inf_nan=False)
    end_s: float = Field(allow_inf_nan=False)


class RestoreBody(BaseModel):
    line: LineBody


class HearBody(BaseModel):
    language: str = Field(min_length=1)
    """A code, or `auto` to detect it."""
    size: str = ""
    """Size of the Whisper model; empty: the workspace's setting."""


@router.post("/{video_id}/split")
def split(video_id: str, body: SplitBody, parts: PartsOf, who: Who) -> Speech:
    speech_line_decisions.split_line(parts.store, who, video_id, body.line.seen(), body.caret, body.at_s)
    return speech_json(parts.store, video_id)


@router.post("/{video_id}/merge")
def merge(video_id: str, body: MergeBody, parts: PartsOf, who: Who) -> Speech:
    speech_line_decisions.merge_lines(parts.store, who, video_id, body.line.seen(), body.following.seen())
    return speech_json(parts.store, video_id)


@router.post("/{video_id}/move")
def move(video_id: str, body: MoveBody, parts: PartsOf, who: Who) -> Speech:
    speech_line_decisions.move_line(parts.store, who, video_id, body.line.seen(), body.start_s, body.end_s)
    return speech_json(parts.store, video_id)


@router.post("/{video_id}/restore")
def restore(video_id: str, body: RestoreBody, parts: PartsOf, who: Who) -> Speech:
    """Restore the transcribed words of this line, and of those that exchanged words with it."""
    speech_line_decisions.restore_line(parts.store, who, video_id, body.line.seen())
    return speech_json(parts.store, video_id)


@router.post("/{video_id}/hear")
def recognise_again(video_id: str, body: HearBody, parts: PartsOf, who: Who) -> JobFacts:
    """Transcribe a video again in this language, which later runs use too.

    Earlier lines are kept, with corrections.
    """
    require(who, "run")
    options = speech_options(body.size, body.language)
    return job_json(parts.jobs.start([parts.store.get(Video, video_id)], stages_named(["speech"]), [options]))


@router.get("/choices")
def choices(_parts: PartsOf, _who: Who) -> SpeechChoices:
    """Sizes of Whisper with the cost of each, and languages."""
    sizes: list[SpeechSize] = [
        {
            "name": size.name,
            "download_mb": size.download_mb,
            "memory_gb": size.memory_gb,
            "times_base": size.times_base,
            "here": is_here(size.name),
        }
        for size in SIZES
    ]
    return {"sizes": sizes, "languages": list(languages())}


@router.get("/{video_id}")
def lines(video_id: str, parts: PartsOf, _who: Who) -> Speech:
    """All lines that count now."""
    return speech_json(parts.store, video_id)

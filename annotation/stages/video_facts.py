"""Texts that models write, and what they are told of a video."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from annotation.records.allowed_values import ResultState, SubjectType, TextKind
from annotation.records.runs import Run
from annotation.records.speech_of_scene import voice_over
from annotation.records.texts import Text
from annotation.records.videos import Video
from annotation.stages.measurement_stage import measured
from annotation.stages.model_calls import Called
from annotation.stages.model_items import failed_id
from annotation.stages.newest_screen_texts import screen_texts, sure_words
from annotation.stages.probe_scenes_speech import current_scenes, facts_of
from annotation.stages.stage_context import Context
from annotation.store.speech_lines import SpeechState, lines_of, speech_states

FAILED: tuple[ResultState, str, str] = ("failed", "", "")
"""State, value and reason of a text whose request failed."""
DOUBTED = -0.8
"""Mean log probability of a segment's tokens below which the speech model is unsure of it.

Whisper itself gives a segment up below -1.0."""


def new_text(
    record: str,
    called: Called,
    run: Run,
    video: Video,
    kind: TextKind,
    subject: tuple[SubjectType, str],
    reading: tuple[ResultState, str, str],
    **more: Any,
) -> Text:
    """The text that a reply gives: `reading` is (state, value, reason)."""
    state, value, reason = reading if called.reply else ("failed", "", called.failure)
    if called.fewer:
        more["frames"], reason = called.frames, "; ".join(filter(None, (reason, called.fewer)))
    return Text(
        id=record if called.reply else failed_id(record),
        video_id=video.id,
        kind=kind,
        subject_type=subject[0],
        subject_id=subject[1],
        value=value,
        created_at=time.time(),
        state=state,
        reason=reason,
        run_id=run.id,
        call_id=called.call_id,
        baseline=run.baseline,
        **more,
    )


def video_facts(context: Context, video: Video) -> dict[str, Any]:
    """What the baseline knows of a video: its scenes, what was measured, heard and read in them."""
    states = speech_states(context.store, video.id)
    lines = [line for line in lines_of(states) if line.text.strip()]
    doubted = _doubted(states)
    speech = [line.timed for line in lines]
    unsure = [line.timed for line in lines if line.segment_id in doubted]
    written = screen_texts(context.store, video.id)
    found = measured(context.store, video.id)
    return {
        "title": video.title,
        "duration_s": facts_of(video).duration_s,
        "scenes": [
            {
                "index": s.index,
                "start_s": s.start_s,
                "end_s": s.end_s,
                "voice_over": voice_over(speech, s.start_s, s.end_s),
                "voice_doubted": bool(voice_over(unsure, s.start_s, s.end_s)),
                "measurements": found.get(s.key, {}),
                "on_screen": sure_words(written, s.start_s, s.end_s),
            }
            for s in current_scenes(context.store, video.id)
        ],
    }


def _doubted(states: Sequence[SpeechState]) -> set[str]:
    """Segments that the speech model was unsure of and that nobody put right."""
    return {
        state.segment.id
        for state in states
        if state.segment.avg_logprob < DOUBTED and not state.text.corrected
    }

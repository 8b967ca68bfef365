"""The facts about a video that the baseline uses: scenes, measurements, speech and text on screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.records.speech_of_scene import voice_over
from annotation.records.videos import Video
from annotation.stages.measurement_stage import measured
from annotation.stages.newest_screen_texts import screen_texts, sure_words
from annotation.stages.probe_scenes_speech import current_scenes, facts_of
from annotation.stages.stage_context import Context
from annotation.store.current_speech import SpeechState, lines_of, speech_states

DOUBTED = -0.8
"""Mean log probability of a segment's tokens below which the speech model's result is uncertain.

Whisper itself discards a segment below -1.0.
"""


def video_facts(context: Context, video: Video) -> dict[str, Any]:
    """Return the facts about a video for the baseline: scenes, measurements, speech and text on screen."""
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
    """Return uncertain segments of the speech model that no person has corrected."""
    return {
        state.segment.id
        for state in states
        if state.segment.avg_logprob < DOUBTED and not state.text.corrected
    }

"""Reads the lines of text on screen of a video from its newest run."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.records.runs import Run
from annotation.records.videos import Measurement, ScreenText
from annotation.store.store import Store

FRAMES_READ = "text_frames"
"""Kind of the measurement that lists the frames read for text."""

MOST_CHARACTERS = 4000
"""Maximum characters of text on screen in a prompt. It fits a long lecture, and limits subtitles."""
MOST_IN_SCENE = 800
"""The same for a prompt about one scene."""
SURE = 0.9
"""Minimum score of a line that the baseline quotes. Other models see the picture and can spot misread text.
"""


def newest_text_run(store: Store, video_id: str) -> str | None:
    """Return the newest text run, even if it found nothing; None if no run has read the video."""
    looked = {m.run_id for m in store.find(Measurement, video_id=video_id, kind=FRAMES_READ)}
    looked |= {text.run_id for text in store.find(ScreenText, video_id=video_id)}
    runs = store.find(Run, id=sorted(looked), order_by=["created_at", "id"])
    return runs[-1].id if runs else None


def screen_texts(store: Store, video_id: str) -> list[ScreenText]:
    """Return every line with its box and the first and last frame that show it, in order of time."""
    run = newest_text_run(store, video_id)
    if run is None:
        return []
    return store.find(ScreenText, video_id=video_id, run_id=run, order_by=["first_frame", "index"])


def words_shown(texts: Sequence[ScreenText], most: int = MOST_CHARACTERS) -> str:
    """Format the lines for a prompt: each once, one per row, whole lines up to `most` characters."""
    kept: list[str] = []
    for line in dict.fromkeys(text.text for text in texts):
        if sum(map(len, kept)) + len(line) > most:
            break
        kept.append(line)
    return "\n".join(kept)


def sure_words(texts: Sequence[ScreenText], start_s: float, end_s: float) -> str:
    """Return `words_shown` for [start_s, end_s), with only the lines that have a high score."""
    return words_shown([t for t in shown_between(texts, start_s, end_s) if t.score >= SURE], MOST_IN_SCENE)


def shown_between(texts: Sequence[ScreenText], start_s: float, end_s: float) -> list[ScreenText]:
    """Return the lines visible at some time in [start_s, end_s)."""
    return [text for text in texts if text.start_s < end_s and start_s < text.end_s]

"""The lines of text on screen of a video, as the newest reading found them."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.records.runs import Run
from annotation.records.videos import Measurement, ScreenText
from annotation.store.store import Store

FRAMES_READ = "text_frames"
"""Kind of the measurement that says which frames were looked at for text."""

MOST_CHARACTERS = 4000
"""Of text on screen in a prompt: as much as a long lecture has; subtitles fill no model's window."""
MOST_IN_SCENE = 800
"""Of it where a prompt is about one scene."""
SURE = 0.9
"""Least score of a line that the baseline quotes: a model sees the picture beside what was misread."""


def newest_text_run(store: Store, video_id: str) -> str | None:
    """The run of the newest reading, also when it found nothing; None while nobody looked."""
    looked = {m.run_id for m in store.find(Measurement, video_id=video_id, kind=FRAMES_READ)}
    looked |= {text.run_id for text in store.find(ScreenText, video_id=video_id)}
    runs = store.find(Run, id=sorted(looked), order_by=["created_at", "id"])
    return runs[-1].id if runs else None


def screen_texts(store: Store, video_id: str) -> list[ScreenText]:
    """Every line with its box and the first and last frame in which it was seen, in the order of time."""
    run = newest_text_run(store, video_id)
    if run is None:
        return []
    return store.find(ScreenText, video_id=video_id, run_id=run, order_by=["first_frame", "index"])


def words_shown(texts: Sequence[ScreenText], most: int = MOST_CHARACTERS) -> str:
    """The lines for a prompt, each once, a row each; at most so many characters, whole lines."""
    kept: list[str] = []
    for line in dict.fromkeys(text.text for text in texts):
        if sum(map(len, kept)) + len(line) > most:
            break
        kept.append(line)
    return "\n".join(kept)


def sure_words(texts: Sequence[ScreenText], start_s: float, end_s: float) -> str:
    """As `words_shown` of [start_s, end_s), of the lines that the engine is sure of."""
    return words_shown([t for t in shown_between(texts, start_s, end_s) if t.score >= SURE], MOST_IN_SCENE)


def shown_between(texts: Sequence[ScreenText], start_s: float, end_s: float) -> list[ScreenText]:
    """The lines that are seen at some time in [start_s, end_s)."""
    return [text for text in texts if text.start_s < end_s and start_s < text.end_s]

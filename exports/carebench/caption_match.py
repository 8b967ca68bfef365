"""Matches captions without a video name to videos, by their text.

CaReBench's evaluation code writes no file names and converts captions to lower case.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from annotation.records.captions_to_verdicts import Text
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.systems.carebench.current_elements import REFERENCE


@dataclass(frozen=True, slots=True)
class Match:
    """A reference caption of the store that matches the caption."""

    text: Text
    read: str
    """The text that matched: the current one, or the dataset's."""


class CaptionMatcher:
    """Finds reference captions by text, ignoring case, quotation marks and spaces."""

    def __init__(self, store: Store | None) -> None:
        self._known: defaultdict[str, dict[str, Match]] = defaultdict(dict)
        self.titles: dict[str, str] = {}
        if store is None:
            return
        self.titles = {video.id: video.title for video in store.find(Video)}
        texts = store.find(Text, kind=REFERENCE, run_id=None, order_by=["created_at", "id"])
        for text, now in store.not_superseded(texts):
            # The current value comes last and wins. The machine's value of a person's text is empty.
            for value in (str(now.machine), str(now.value)):
                if value:
                    self._known[plain_caption(value)][text.video_id] = Match(text, value)

    @property
    def empty(self) -> bool:
        """Whether there are no reference captions."""
        return not self._known

    def find(self, caption: str) -> list[Match]:
        """Return one match per video. Several matches need a person's decision."""
        return list(self._known.get(plain_caption(caption), {}).values())


def plain_caption(text: str) -> str:
    """Return lower case with single spaces, and `'` for `"`, as the evaluation code passes captions on."""
    return " ".join(text.lower().replace('"', "'").split())

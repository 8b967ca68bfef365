"""Which video a caption without a name belongs to: matched by its words.

The evaluation code of CaReBench writes no file names, and lower-cases captions before it writes them.
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
    """A reference caption of the store that reads like the one that was looked for."""

    text: Text
    read: str
    """The value that it was matched by: what it reads now, or what its dataset says."""


class CaptionMatcher:
    """Finds reference captions by their words, case, quotation marks and spaces aside."""

    def __init__(self, store: Store | None) -> None:
        self._known: defaultdict[str, dict[str, Match]] = defaultdict(dict)
        self.titles: dict[str, str] = {}
        if store is None:
            return
        self.titles = {video.id: video.title for video in store.find(Video)}
        texts = store.find(Text, kind=REFERENCE, run_id=None, order_by=["created_at", "id"])
        for text, now in store.not_superseded(texts):
            # What it reads now comes last, and counts. The machine's value of a person's text is empty.
            for value in (str(now.machine), str(now.value)):
                if value:
                    self._known[plain_caption(value)][text.video_id] = Match(text, value)

    @property
    def empty(self) -> bool:
        """Whether there is no reference caption to match with."""
        return not self._known

    def find(self, caption: str) -> list[Match]:
        """One per video; more than one is for a person to sort out."""
        return list(self._known.get(plain_caption(caption), {}).values())


def plain_caption(text: str) -> str:
    """Lower case, single spaces, and `'` for `"`, as the evaluation code gives captions to its extractor."""
    return " ".join(text.lower().replace('"', "'").split())

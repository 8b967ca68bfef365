"""What comes back of a workspace through a format, out and in again: measured by tests, said to people.

Formats that are only read or only written are not here, nor those that are read into a workspace that has
their subject already (patches, ratings, labels), nor those of files without a workspace's records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class Held:
    """Nouns of a workspace with commas between them, as `export --list` and docs/formats.md name them."""

    whole: str
    """All of it comes back."""
    partly: str = ""
    """Some of it does: of the format's own subject, or in its own terms."""

    def words(self) -> str:
        parts = [self.whole, self.partly and f"in part {self.partly}", "nothing else"]
        return "; ".join(part for part in parts if part) if self.whole != EVERYTHING else EVERYTHING


HELD: Mapping[str, Held] = {
    "dailies-jsonl": Held(EVERYTHING),
    "loveu": Held(
        "captions of models, captions that failed, categories of questions, answers, verdicts, "
        "replies of judges, people",
        "names of videos, questions, evaluations, models of runs, corrections",
    ),
    "lmms-eval": Held(
        "captions of models, categories of questions, answers, verdicts, replies of judges",
        "names of videos, reference captions of VDC, questions, evaluations, models of runs",
    ),
    "vlmevalkit": Held(
        "captions of models, categories of questions, answers, verdicts, replies of judges",
        "names of videos, questions, evaluations, models of runs",
    ),
    "video-mmlu": Held(
        "disciplines of videos, reference notes",
        "names of videos, questions",
    ),
    "vdc-qa": Held(
        "",
        "names of videos, questions, categories of questions",
    ),
    "vdc-captions": Held(
        "reference captions of VDC",
        "names of videos",
    ),
    "carebench": Held(
        "categories of videos, captions of CaReBench, elements of captions",
        "names of videos",
    ),
    "carebench-config": Held(
        "categories of videos, captions of CaReBench, elements of captions",
        "names of videos",
    ),
    "vript": Held(
        "titles of scenes, shot types and camera movements, descriptions of scenes, times of scenes",
        "names of videos, speech",
    ),
    "vript-captions": Held(
        "titles of scenes, shot types and camera movements, descriptions of scenes",
        "names of videos",
    ),
    "vript-meta": Held(
        "",
        "names of videos",
    ),
    "vriptor": Held(
        "descriptions of scenes, times of scenes",
        "names of videos, titles of scenes, speech",
    ),
    "vriptor-script": Held("titles of scenes, descriptions of scenes, times of scenes"),
    "vript-hard": Held(
        "items of Vript-Hard",
        "names of videos",
    ),
    "vript-predictions": Held(
        "items of Vript-Hard, replies to Vript-Hard",
        "names of videos",
    ),
    "framecap-sft": Held(
        "",
        "names of videos, captions of frames, models of runs",
    ),
    "framecap-dpo": Held(
        "captions of frames",
        "names of videos, models of runs",
    ),
    "framecap-labels": Held(
        "people, labels of frames",
        "names of videos",
    ),
    "progcap": Held(
        "captions of frames",
        "names of videos, models of runs, keyframes and sequences of frames, requests to models",
    ),
    "dream-infos": Held(
        "names of videos, captions of CaReBench, elements of captions, verdicts on elements",
        "models of runs",
    ),
    "capst-description": Held(
        "names of videos, captions of CaReBench",
        "models of runs, elements of captions",
    ),
}
"""By format."""


def held_words(name: str) -> str:
    """In a line; empty where nothing is measured."""
    return HELD[name].words() if name in HELD else ""

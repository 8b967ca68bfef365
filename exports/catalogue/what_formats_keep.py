"""What survives an export and import in each format. Tests measure it; the docs and `export --list` print it.

Not listed: formats that are read-only or write-only, formats read into a workspace that already has their
subject (patches, ratings, labels), and formats of files without the records of a workspace. `Format.fields`
lists the kinds of text that a format has fields for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

EVERYTHING = ("everything",)


@dataclass(frozen=True, slots=True)
class Keeps:
    """What one format keeps, in the nouns that `export --list` and docs/formats.md print."""

    whole: tuple[str, ...]
    """Kept completely."""
    partly: tuple[str, ...] = ()
    """Kept in part: only for the format's own subject, or in its own terms."""
    writer: bool = False
    """Whether the file names the person who wrote the text."""
    several: Literal["first", "all"] = "first"
    """Whether the text that counts or all texts of a field are kept."""
    decimals: int | None = None
    """Decimals of times in seconds; None if there are no times or all digits are kept."""
    text: Literal["unchanged", "stripped", "lower case"] = "unchanged"
    """Changes to texts: `stripped` of surrounding white space, or lower case."""

    def words(self) -> str:
        """Return the description in one line."""
        if self.whole == EVERYTHING:
            return "everything"
        parts = [", ".join(self.whole), self.partly and f"in part {', '.join(self.partly)}", "nothing else"]
        parts += [f"times to {10**-self.decimals:g} s"] if self.decimals else []
        parts += [f"texts {self.text}"] if self.text != "unchanged" else []
        return "; ".join(part for part in parts if part)


KEPT: Mapping[str, Keeps] = {
    "dailies-jsonl": Keeps(EVERYTHING, writer=True, several="all"),
    "loveu": Keeps(
        (
            "captions of models",
            "captions that failed",
            "categories of questions",
            "answers",
            "verdicts",
            "replies of judges",
            "people",
        ),
        ("names of videos", "questions", "evaluations", "models of runs", "corrections"),
        writer=True,
    ),
    "lmms-eval": Keeps(
        ("captions of models", "categories of questions", "answers", "verdicts", "replies of judges"),
        ("names of videos", "reference captions of VDC", "questions", "evaluations", "models of runs"),
    ),
    "vlmevalkit": Keeps(
        ("captions of models", "categories of questions", "answers", "verdicts", "replies of judges"),
        ("names of videos", "questions", "evaluations", "models of runs"),
    ),
    "video-mmlu": Keeps(("disciplines of videos", "reference notes"), ("names of videos", "questions")),
    "vdc-qa": Keeps((), ("names of videos", "questions", "categories of questions")),
    "vdc-captions": Keeps(("reference captions of VDC",), ("names of videos",)),
    "carebench": Keeps(
        ("categories of videos", "captions of CaReBench", "elements of captions"), ("names of videos",)
    ),
    "carebench-config": Keeps(
        ("categories of videos", "captions of CaReBench", "elements of captions"), ("names of videos",)
    ),
    "vript": Keeps(
        ("titles of scenes", "shot types and camera movements", "descriptions of scenes", "times of scenes"),
        ("names of videos", "speech"),
        decimals=6,
        text="stripped",
    ),
    "vript-captions": Keeps(
        ("titles of scenes", "shot types and camera movements", "descriptions of scenes"),
        ("names of videos",),
        text="stripped",
    ),
    "vript-meta": Keeps((), ("names of videos",)),
    "vriptor": Keeps(
        ("descriptions of scenes", "times of scenes"),
        ("names of videos", "titles of scenes", "speech"),
        decimals=1,
        text="stripped",
    ),
    "vriptor-script": Keeps(
        ("titles of scenes", "descriptions of scenes", "times of scenes"), decimals=1, text="stripped"
    ),
    "vript-hard": Keeps(("items of Vript-Hard",), ("names of videos",)),
    "vript-predictions": Keeps(("items of Vript-Hard", "replies to Vript-Hard"), ("names of videos",)),
    "framecap-sft": Keeps((), ("names of videos", "captions of frames", "models of runs")),
    "framecap-dpo": Keeps(("captions of frames",), ("names of videos", "models of runs")),
    "framecap-labels": Keeps(("people", "labels of frames"), ("names of videos",), writer=True),
    "progcap": Keeps(
        ("captions of frames",),
        ("names of videos", "models of runs", "keyframes and sequences of frames", "requests to models"),
    ),
    "dream-infos": Keeps(
        ("names of videos", "captions of CaReBench", "elements of captions", "verdicts on elements"),
        ("models of runs",),
        text="lower case",
    ),
    "capst-description": Keeps(
        ("names of videos", "captions of CaReBench"), ("models of runs", "elements of captions")
    ),
}
"""By format."""


def kept_words(name: str) -> str:
    """Return the description in one line; empty if the format is not measured."""
    return KEPT[name].words() if name in KEPT else ""

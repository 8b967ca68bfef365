"""One line of a `loveu` log, and what can be read from it alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from annotation.records import Json, TextKind
from annotation.video_mmlu import is_mmlu

Key = tuple[str, str, Json]
"""Video id, aspect, and the question's index (its words, where there is no index)."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that names a video and an aspect."""

    where: str
    value: Mapping[str, Json]
    video_id: str
    dataset_id: str
    aspect: str

    @property
    def kind(self) -> TextKind:
        return cast(TextKind, self.aspect if is_mmlu(self.aspect) else f"vdc:{self.aspect}")

    @property
    def key(self) -> Key:
        index = self.value.get("index")
        return self.video_id, self.aspect, index if isinstance(index, int) else self.text("question")

    def text(self, name: str) -> str:
        value = self.value.get(name)
        return value if isinstance(value, str) else ""

    def machine(self, name: str) -> str:
        """The machine's value: beside the corrected one, where the line marks a correction."""
        beside = f"machine_{name}"
        return self.text(beside if self.corrected and beside in self.value else name)

    @property
    def corrected(self) -> bool:
        return self.value.get("corrected") is True


def without_marks(line: Line) -> Line:
    """The line as if it stood in answers.jsonl: its marks are about the verdict."""
    kept = ("video_id", "aspect", "index", "question", "answer", "pred_answer", "category")
    value = {key: line.value[key] for key in kept if key in line.value}
    return Line(line.where, value, line.video_id, line.dataset_id, line.aspect)


def score_of(value: Json) -> float | None:
    """A number from 0 to 5; anything else is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 5 else None

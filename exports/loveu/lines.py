"""One line of a `loveu` log and the values that it contains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.records.allowed_values import TextKind
from annotation.records.ids import Json
from annotation.systems.video_mmlu.kinds import is_mmlu
from exports.files.read_text_and_json import text_at
from exports.logs.aspect_verdicts import SUBJECT

Key = tuple[str, str, Json]
"""Video id, aspect, and the question's index (its text if there is no index)."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line with a video and an aspect."""

    where: str
    value: Mapping[str, Json]
    video_id: str
    dataset_id: str
    aspect: str

    @property
    def kind(self) -> TextKind:
        return self.aspect if is_mmlu(self.aspect) else f"vdc:{self.aspect}"

    @property
    def key(self) -> Key:
        index = self.value.get("index")
        return self.video_id, self.aspect, index if isinstance(index, int) else self.text("question")

    def text(self, name: str) -> str:
        return text_at(self.value, name)

    def machine(self, name: str) -> str:
        """Return the machine's value, which is a separate field in a corrected line."""
        beside = f"machine_{name}"
        return self.text(beside if self.corrected and beside in self.value else name)

    @property
    def of_aspect(self) -> bool:
        """Whether the line is about a whole video and aspect rather than a question."""
        return self.value.get("of") == SUBJECT

    @property
    def is_mean(self) -> bool:
        return self.of_aspect and "accuracy" in self.value

    @property
    def corrected(self) -> bool:
        """Whether a person corrected or confirmed the machine's value."""
        return self.value.get("corrected") is True or self.value.get("confirmed") is True


def extra_of(line: Line) -> dict[str, Json]:
    """Return additional values of a verdict on a video and aspect: accuracy and questions, or the answer."""
    accuracy = line.value.get("machine_accuracy" if line.corrected else "accuracy")
    found = {"accuracy": accuracy, "questions": line.value.get("questions")} if line.is_mean else {}
    answer = line.text("pred_answer")
    return {key: v for key, v in found.items() if v is not None} | ({"answer": answer} if answer else {})


def without_marks(line: Line) -> Line:
    """Return the line without correction marks, as in answers.jsonl; the marks concern the verdict."""
    kept = ("video_id", "aspect", "index", "question", "answer", "pred_answer", "category")
    value = {key: line.value[key] for key in kept if key in line.value}
    return Line(line.where, value, line.video_id, line.dataset_id, line.aspect)

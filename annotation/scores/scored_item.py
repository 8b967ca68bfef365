"""What is scored: one verdict on one question, with what it may be grouped and filtered by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotation.records.allowed_values import ResultState


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One verdict. A log that holds no more than a video's mean per aspect gives one item for that."""

    video: str
    aspect: str
    state: ResultState
    accuracy: float | None = None
    """1 for yes, 0 for no; a mean where a log holds no more. None unless `state` is `done`."""
    score: float | None = None
    """0 to 5 as the judge wrote it; None unless `state` is `done`."""
    raw: str | None = None
    """The judge's reply, untouched: the peers' own rules read it again. None where none was kept."""
    human_accuracy: float | None = None
    human_score: float | None = None
    """What a person put in the verdict's place; never in that of a mean."""
    given_blind: tuple[float | None, float | None] | None = None
    """Accuracy and score of the label that counts if every label that was given blind stands as it was given;
    None if no label was given blind."""
    question: str = ""
    """Id of the question."""
    verdict: str = ""
    """Id of the verdict."""
    category: str = ""
    source: str = ""
    """Where the video comes from (`ego4d`, `panda`)."""
    discipline: str = ""
    """Of the video, as its file spells it (Video-MMLU)."""
    exact: float | None = None
    """1 where the answer is the reference but for case and spaces, else 0 (Video-MMLU, answers from the
    video). None where there is no answer, or nothing of the kind is asked."""
    caption_words: int | None = None
    suspect: bool = False
    """Whether a check or a person says that the question cannot be answered fairly."""
    excluded: bool = False
    """Whether a person took the question out of the count; such a question is suspect too."""
    repeats: tuple[tuple[float, float | None], ...] = ()
    """Accuracy and score of each readable verdict that the judge gave on this answer under one condition;
    empty where it was judged once."""
    is_mean: bool = False
    """Whether a log holds only this mean over the video's questions: people judge questions, and not it."""
    weight_of: int = 1
    """Questions behind the item: more than one where a log holds only a mean."""

    @property
    def label_accuracy(self) -> float | None:
        """What people say where the judge is compared with them: a blind label as it was given, else the
        opinion that counts."""
        return self.given_blind[0] if self.given_blind else self.human_accuracy

    @property
    def label_score(self) -> float | None:
        return self.given_blind[1] if self.given_blind else self.human_score


@dataclass(slots=True)
class Counted:
    """What a policy makes of the items: a value or a reason for each."""

    accuracy: list[float | None] = field(default_factory=list)
    score: list[float | None] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    """Why the item is not counted, in a word or two; empty where it is."""

    def add(self, accuracy: float, score: float | None) -> None:
        """`score` is None where a rule leaves the item out of the mean of scores alone."""
        self.accuracy.append(accuracy)
        self.score.append(score)
        self.dropped.append("")

    def drop(self, why: str) -> None:
        self.accuracy.append(None)
        self.score.append(None)
        self.dropped.append(why)

    def drop_where(self, positions: Sequence[int], why: str) -> None:
        """Take back what was counted."""
        for position in positions:
            if not self.dropped[position]:
                self.accuracy[position] = self.score[position] = None
                self.dropped[position] = why

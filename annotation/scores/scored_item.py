"""The item that is scored: one verdict on one question, with the fields for grouping and filtering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotation.records.allowed_values import ResultState


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One verdict. A log that contains only a video's mean per aspect gives one item per mean."""

    video: str
    aspect: str
    state: ResultState
    accuracy: float | None = None
    """1 for yes, 0 for no; a mean if a log contains only that. None unless `state` is `done`."""
    score: float | None = None
    """0 to 5 as the judge wrote it; None unless `state` is `done`."""
    raw: str | None = None
    """The judge's unchanged reply, which the peers' rules read again. None if it was not kept."""
    human_accuracy: float | None = None
    human_score: float | None = None
    """The values of a person's verdict. Means cannot be corrected."""
    given_blind: tuple[float | None, float | None] | None = None
    """Accuracy and score of the label that would count if blind labels had not been changed; None if no label
    was given blind."""
    question: str = ""
    """Id of the question."""
    verdict: str = ""
    """Id of the verdict."""
    category: str = ""
    source: str = ""
    """The source of the video (`ego4d`, `panda`)."""
    discipline: str = ""
    """The discipline of the video, as spelled in its file (Video-MMLU)."""
    exact: float | None = None
    """1 if the answer equals the reference except for case and spaces, else 0 (Video-MMLU, answers from the
    video). None if there is no answer or if it does not apply."""
    caption_words: int | None = None
    suspect: bool = False
    """Whether a check or a person marks the question as not fairly answerable."""
    excluded: bool = False
    """Whether a person excluded the question. Excluded questions are also suspect."""
    repeats: tuple[tuple[float, float | None], ...] = ()
    """Accuracy and score of all readable verdicts of the judge on this answer under the same conditions;
    empty if it was judged once."""
    is_mean: bool = False
    """Whether this is a mean over a video's questions from a log. People do not label means."""
    weight_of: int = 1
    """Number of questions that the item represents: more than one for a mean from a log."""

    @property
    def label_accuracy(self) -> float | None:
        """People's accuracy for comparison with the judge: the original blind label, else the opinion that
        counts."""
        return self.given_blind[0] if self.given_blind else self.human_accuracy

    @property
    def label_score(self) -> float | None:
        return self.given_blind[1] if self.given_blind else self.human_score


@dataclass(slots=True)
class Counted:
    """The result of a policy: a value or a reason for each item."""

    accuracy: list[float | None] = field(default_factory=list)
    score: list[float | None] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    """Short reason why the item is not counted; empty if it is counted."""

    def add(self, accuracy: float, score: float | None) -> None:
        """Count an item. `score` is None if a rule leaves it out of the mean of scores only."""
        self.accuracy.append(accuracy)
        self.score.append(score)
        self.dropped.append("")

    def drop(self, why: str) -> None:
        self.accuracy.append(None)
        self.score.append(None)
        self.dropped.append(why)

    def drop_where(self, positions: Sequence[int], why: str) -> None:
        """Remove the values of items that were counted."""
        for position in positions:
            if not self.dropped[position]:
                self.accuracy[position] = self.score[position] = None
                self.dropped[position] = why

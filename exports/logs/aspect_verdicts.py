"""A log's value for a whole video and aspect rather than a question: a mean, or one verdict.

lmms-eval keeps the mean over a video's questions (`llmms_eval_score`, `llmms_eval_acc`), VLMEvalKit one
verdict of its judge without its question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Correction
from annotation.records.ids import Json
from annotation.store.store import Current
from annotation.texts.which_text_counts import Values
from exports.files.evaluations_and_corrections import pick

SUBJECT: Literal["video_aspect"] = "video_aspect"
"""The `subject_type` of such a verdict."""


@dataclass(frozen=True, slots=True)
class AspectVerdict:
    """A verdict on a video and aspect, with a person's correction."""

    verdict: Verdict
    now: Current
    correction: Correction | None

    @property
    def place(self) -> tuple[str, str]:
        """Video id and kind."""
        return self.verdict.video_id, str(self.verdict.kind)

    @property
    def aspect(self) -> str:
        return self.place[1].removeprefix("vdc:")

    @property
    def is_mean(self) -> bool:
        return self.verdict.is_mean

    @property
    def questions(self) -> int | None:
        """Number of questions behind a mean; None if the log does not state it."""
        found = self.verdict.extra.get("questions")
        return found if isinstance(found, int) else None

    @property
    def answer(self) -> str:
        """The single answer that VLMEvalKit keeps with its verdict."""
        return str(self.verdict.extra.get("answer", ""))

    def state(self, values: Values) -> str:
        return self.now.state if values == "current" else self.verdict.state

    def label(self, values: Values) -> str:
        """ "yes" or "no"; empty for a mean and for an unreadable reply."""
        return str(pick(self.now, values)["label"])

    def score(self, values: Values) -> float | None:
        """0 to 5."""
        found = pick(self.now, values)["score"]
        return None if found is None else float(found)

    def accuracy(self, values: Values) -> float | None:
        """0 to 1: the log's accuracy for a mean, else 1 for "yes" and 0 for "no"."""
        label = self.label(values)
        if label in ("yes", "no"):
            return float(label == "yes")
        found = self.verdict.extra.get("accuracy")
        return float(found) if isinstance(found, int | float) else None


def aspect_verdicts(
    live: Iterable[Verdict], now: Mapping[str, Current], corrections: Mapping[tuple[str, str], Correction]
) -> tuple[AspectVerdict, ...]:
    """Return the evaluation's verdicts on a video and aspect, ordered by video and kind."""
    found = (
        AspectVerdict(one, now[one.id], corrections.get((one.id, "verdict")))
        for one in live
        if one.subject_type == SUBJECT
    )
    return tuple(sorted(found, key=lambda one: one.place))


def json_of(one: AspectVerdict, values: Values) -> dict[str, Json]:
    """Return the verdict for our files, and for an additional field of other tools' files."""
    verdict = one.verdict
    found: dict[str, Json] = {"of": SUBJECT, "state": one.state(values), "score": one.score(values)}
    if one.is_mean:
        found |= {"accuracy": one.accuracy(values), "questions": one.questions}
    else:
        found |= {"raw": verdict.raw, "pred_answer": one.answer}
    found |= {"pred": one.label(values)} if one.label(values) or not one.is_mean else {}
    return found | ({"reason": verdict.reason} if verdict.reason else {})

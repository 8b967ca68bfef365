"""What probably made an answer fail, with the reason in words: a person confirms it or says otherwise.

Pure rules over words, in this order: the question cannot be answered fairly (a check or the ceiling says
so); the extracted answer is the reference after normalising (judge); the reference stands in the caption and
was not extracted (extraction); the caption says nothing about it, or a part alone (caption omits it); a short
answer stands in a caption that has nothing of the reference (caption is wrong). Nothing is proposed where
words do not decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.records.allowed_values import ErrorSourceKind
from annotation.systems.vdc.supporting_spans import says_nothing, supporting_span
from backends.text.sentences import Clause, clauses
from backends.text.words import content, keys

FOUND = 0.75
"""Share of the reference's words that one clause must hold to say what the reference says."""
MORE_WORDS = 4
"""By which an answer may be longer than the reference that it holds, and still be the same answer."""
ONE_MORE = 1
"""The same where the reference is one word; and what an answer may lack of it without being wrong."""
SHORT_ANSWER = 3
"""Words that an answer may have beside those of its question, to be held against the reference."""
QUOTED = 80
"""Characters of a clause in a reason."""
_NEGATIONS = frozenset(("not", "no", "never", "without", "none", "neither"))
_COLOURS = keys(
    "black white grey gray red orange brown beige yellow olive green teal blue purple pink golden silver"
)
"""A second colour is another answer."""
_PLAIN_WORDS = "video scene caption describe color type kind main happen doing thing image show shown clip"
_PLAIN = keys(_PLAIN_WORDS)
"""Words of questions that do not say what is asked about."""
_IMPRESSION_WORDS = (
    "atmosphere mood posture expression emotion feeling effect impression indicate suggest convey "
    "significance aspect level attention setting environment experience"
)
_IMPRESSIONS = keys(_IMPRESSION_WORDS)
"""Words of questions with many right answers: that others than the reference are wrong, words do not tell."""
_OPEN = frozenset(("why", "who", "when"))
"""They ask for what can be said in several ways: a reason, a role ("a builder", "the worker"), a moment."""
_HEDGES = frozenset(("presumably", "possibly", "probably", "perhaps", "likely", "maybe"))
"""Words of a reference that is a guess itself."""
BEGINNING = 4
"""Letters that words of one family begin with: "wood" and "wooden"."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A question that was answered wrong, as the judge says."""

    question: str
    reference: str
    answer: str
    caption: str | None
    """None where the log holds none, or the answer was taken from the video."""
    findings: Sequence[str] = ()
    """What speaks against the question, in words."""


@dataclass(frozen=True, slots=True)
class Proposal:
    kind: ErrorSourceKind
    reason: str


def propose(failed: Failed) -> Proposal | None:
    """The probable error source; None where the rules cannot tell."""
    if failed.findings:
        return Proposal("question", failed.findings[0])
    if same := _same_answer(failed):
        return Proposal("judge", same)
    if failed.caption is None or not keys(failed.reference):
        return None
    if clause := _says_reference(failed):
        return Proposal("extraction", f"the caption says “{_short(clause.text)}”, which was not extracted")
    return _of_caption(failed, failed.caption)


def _same_answer(failed: Failed) -> str:
    """Why the two say the same; empty where they may not."""
    wanted, said = keys(failed.reference.replace(":", " ")), keys(failed.answer.replace(":", " "))
    if not wanted or not wanted <= said or _negated(failed.reference) != _negated(failed.answer):
        return ""
    more = said - wanted
    if any(key.isdecimal() for key in more):  # "two boats" is not "a boat"
        return ""
    if not more:
        return "the extracted answer is the reference, but for wording"
    # "An orange suit" where the question is what colour the suit is; one word may be said more closely.
    more -= keys(failed.question)
    if len(more) <= (MORE_WORDS if len(wanted) > 1 else ONE_MORE) and not more & _COLOURS:
        return "the extracted answer holds every word of the reference"
    return ""


def _negated(text: str) -> bool:
    return bool({token.text.casefold() for token in content(text)} & _NEGATIONS)


def _says_reference(failed: Failed) -> Clause | None:
    """The clause that says what the reference says, about what the question asks."""
    wanted, asked = keys(failed.reference), keys(failed.question) - _PLAIN
    best: tuple[float, int, Clause] | None = None
    for clause in clauses(failed.caption or ""):
        held = keys(clause.text)
        share, about = len(wanted & held) / len(wanted), len((asked - wanted) & held)
        # One word alone may stand there for something else: the clause must be about the same thing.
        if (
            share >= FOUND
            and not _counts_otherwise(failed, held)
            and (about or len(wanted & held) > 2 or keys(failed.answer) & held)
            and _negated(clause.text) == _negated(failed.reference)
        ):
            best = max(best or (0.0, 0, clause), (share, about, clause), key=lambda one: one[:2])
    return best[2] if best else None


def _counts_otherwise(failed: Failed, held: set[str]) -> bool:
    """Whether the clause has the number that the answer has and the reference has not."""
    more = keys(failed.answer) - keys(failed.reference)
    return any(key.isdecimal() and key in held for key in more)


def _of_caption(failed: Failed, caption: str) -> Proposal | None:
    """The caption is at fault: it says something else, or nothing."""
    if not failed.answer.strip() or says_nothing(failed.answer):
        told = [token.text for token in content(failed.reference) if token.key in keys(caption)]
        if told and len(told) < len(keys(failed.reference)):
            return Proposal(
                "caption_omits", f"of the reference only “{_short(' '.join(told))}” is in the caption"
            )
        return Proposal("caption_omits", f"“{_short(failed.reference)}” is not in the caption")
    span = supporting_span(caption, failed.question, failed.answer)
    if span is None or _is_open(failed):
        return None
    if keys(failed.answer) < keys(failed.reference):
        if len(keys(failed.reference) - keys(failed.answer)) <= ONE_MORE:
            return None  # "red paper" for "red folded paper": a strict judge, or something that is left out
        return Proposal("caption_omits", f"of the reference the caption says “{_short(failed.answer)}” alone")
    if not _is_short(failed) or _in_part(failed, caption):
        return None
    words = caption[span[0] : span[1]]
    return Proposal(
        "caption_wrong", f"the caption says “{_short(words)}”, the reference “{_short(failed.reference)}”"
    )


def _is_short(failed: Failed) -> bool:
    """Whether the answer names one thing beside what the question names.

    A sentence that is not the reference may be a rewording of it, or be about something else.
    """
    return 0 < len(keys(failed.answer) - keys(failed.question) - _PLAIN) <= SHORT_ANSWER


def _in_part(failed: Failed, caption: str) -> bool:
    """Whether the answer or the caption has a word of the reference's families that the question has not.

    Then a strict judge, or something that was not extracted, is as probable. Another number or colour is
    another answer all the same.
    """
    more = keys(failed.answer) - keys(failed.reference)
    if any(key.isdecimal() for key in more) or more & _COLOURS:
        return False
    wanted = _families(failed.reference) - _families(failed.question)
    return bool(wanted & (_families(failed.answer) | _families(caption)))


def _is_open(failed: Failed) -> bool:
    """Whether an answer in other words than the reference may be as right.

    Questions for impressions, reasons, roles and times; references that are manners or guesses.
    """
    words = [token.text.casefold() for token in content(failed.reference)]
    manner = len(words) == 1 and words[0].endswith("ly")
    asked = failed.question.casefold().split()
    return (
        manner
        or not _OPEN.isdisjoint(asked)
        or not _HEDGES.isdisjoint(words)
        or bool(keys(failed.question) & _IMPRESSIONS)
    )


def _families(text: str) -> set[str]:
    return {token.key[:BEGINNING] for token in content(text) if len(token.key) >= BEGINNING}


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= QUOTED else f"{plain[: QUOTED - 1].rstrip()}…"

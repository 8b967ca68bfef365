"""Proposed error source of a failed answer, with a reason in words, for a person to confirm or reject.

Pure rules over words, in this order: the question is invalid by a check or by the ceiling (question); the
extracted answer equals the reference after normalising (judge); the reference is in the caption but was not
extracted (extraction); the caption omits it or has only a part (caption omits it); a short answer is found
in a caption that contains nothing of the reference (caption is wrong). If the words do not decide, there
is no proposal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.records.allowed_values import ErrorSourceKind
from annotation.systems.vdc.supporting_spans import says_nothing, supporting_span
from backends.text.sentences import Clause, clauses
from backends.text.words import content, keys

FOUND = 0.75
"""Share of the reference's words that a clause must contain to express the reference."""
MORE_WORDS = 4
"""Maximum number of extra words in an answer that contains the reference and still equals it."""
ONE_MORE = 1
"""The same for one-word references; also the number of words an answer may omit and still be right."""
SHORT_ANSWER = 3
"""Maximum number of words outside its question in an answer that is compared with the reference."""
QUOTED = 80
"""Maximum length of a clause in a reason, in characters."""
_NEGATIONS = frozenset(("not", "no", "never", "without", "none", "neither"))
_COLOURS = keys(
    "black white grey gray red orange brown beige yellow olive green teal blue purple pink golden silver"
)
"""A second colour makes a different answer."""
_PLAIN_WORDS = "video scene caption describe color type kind main happen doing thing image show shown clip"
_PLAIN = keys(_PLAIN_WORDS)
"""Question words that do not name the subject of the question."""
_IMPRESSION_WORDS = (
    "atmosphere mood posture expression emotion feeling effect impression indicate suggest convey "
    "significance aspect level attention setting environment experience"
)
_IMPRESSIONS = keys(_IMPRESSION_WORDS)
"""Words of questions with many right answers: word comparison cannot show that other answers are wrong."""
_OPEN = frozenset(("why", "who", "when"))
"""They ask for something with several wordings: a reason, a role ("a builder", "the worker"), a moment."""
_HEDGES = frozenset(("presumably", "possibly", "probably", "perhaps", "likely", "maybe"))
"""Words of a reference that is itself a guess."""
BEGINNING = 4
"""Number of initial letters that words of one family share: "wood" and "wooden"."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A question whose answer the judge marked wrong."""

    question: str
    reference: str
    answer: str
    caption: str | None
    """None if the log holds no caption, or the answer was taken from the video."""
    findings: Sequence[str] = ()
    """Reasons why the question is invalid, in words."""


@dataclass(frozen=True, slots=True)
class Proposal:
    kind: ErrorSourceKind
    reason: str


def propose(failed: Failed) -> Proposal | None:
    """The probable error source; None if the rules do not decide."""
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
    """Reason why the two have the same meaning; empty if they may differ."""
    wanted, given = keys(failed.reference.replace(":", " ")), keys(failed.answer.replace(":", " "))
    if not wanted or not wanted <= given or _negated(failed.reference) != _negated(failed.answer):
        return ""
    more = given - wanted
    if any(key.isdecimal() for key in more):  # "two boats" is not "a boat"
        return ""
    if not more:
        return "the extracted answer has the same meaning as the reference"
    # "An orange suit" answers what colour the suit is; a single word may be qualified.
    more -= keys(failed.question)
    if len(more) <= (MORE_WORDS if len(wanted) > 1 else ONE_MORE) and not more & _COLOURS:
        return "the extracted answer contains every word of the reference"
    return ""


def _negated(text: str) -> bool:
    return bool({token.text.casefold() for token in content(text)} & _NEGATIONS)


def _says_reference(failed: Failed) -> Clause | None:
    """The clause that contains the reference and is about the subject of the question."""
    wanted, asked = keys(failed.reference), keys(failed.question) - _PLAIN
    best: tuple[float, int, Clause] | None = None
    for clause in clauses(failed.caption or ""):
        held = keys(clause.text)
        share, about = len(wanted & held) / len(wanted), len((asked - wanted) & held)
        # A single word may refer to something else: the clause must be about the same subject.
        if (
            share >= FOUND
            and not _counts_otherwise(failed, held)
            and (about or len(wanted & held) > 2 or keys(failed.answer) & held)
            and _negated(clause.text) == _negated(failed.reference)
        ):
            best = max(best or (0.0, 0, clause), (share, about, clause), key=lambda one: one[:2])
    return best[2] if best else None


def _counts_otherwise(failed: Failed, held: set[str]) -> bool:
    """Whether the clause contains the answer's number and not the reference's."""
    more = keys(failed.answer) - keys(failed.reference)
    return any(key.isdecimal() and key in held for key in more)


def _of_caption(failed: Failed, caption: str) -> Proposal | None:
    """Propose the caption as the source: it contradicts the reference, or omits it."""
    if not failed.answer.strip() or says_nothing(failed.answer):
        present = [token.text for token in content(failed.reference) if token.key in keys(caption)]
        if present and len(present) < len(keys(failed.reference)):
            return Proposal(
                "caption_omits", f"of the reference only “{_short(' '.join(present))}” is in the caption"
            )
        return Proposal("caption_omits", f"“{_short(failed.reference)}” is not in the caption")
    span = supporting_span(caption, failed.question, failed.answer)
    if span is None or _is_open(failed):
        return None
    if keys(failed.answer) < keys(failed.reference):
        if len(keys(failed.reference) - keys(failed.answer)) <= ONE_MORE:
            return None  # "red paper" for "red folded paper": a strict judge, or an omission
        return Proposal("caption_omits", f"of the reference the caption says “{_short(failed.answer)}” alone")
    if not _is_short(failed) or _in_part(failed, caption):
        return None
    words = caption[span[0] : span[1]]
    return Proposal(
        "caption_wrong", f"the caption says “{_short(words)}”, the reference “{_short(failed.reference)}”"
    )


def _is_short(failed: Failed) -> bool:
    """Whether the answer names only one thing that the question does not name.

    A sentence that differs from the reference may reword it, or be about something else.
    """
    return 0 < len(keys(failed.answer) - keys(failed.question) - _PLAIN) <= SHORT_ANSWER


def _in_part(failed: Failed, caption: str) -> bool:
    """Whether the answer or the caption shares a word family with the reference, outside the question.

    Then a strict judge, or a failed extraction, is equally probable. A different number or colour
    is still a different answer.
    """
    more = keys(failed.answer) - keys(failed.reference)
    if any(key.isdecimal() for key in more) or more & _COLOURS:
        return False
    wanted = _families(failed.reference) - _families(failed.question)
    return bool(wanted & (_families(failed.answer) | _families(caption)))


def _is_open(failed: Failed) -> bool:
    """Whether an answer in other words than the reference may be right too.

    Applies to questions about impressions, reasons, roles and times, and to references that are guesses.
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

"""Checks question sets for defects that make a verdict meaningless, whatever the caption says.

Pure functions: they take questions and return findings. Each check documents its rule; docs/lint.md lists the
rules with their counts on VDC's published questions, which were not reviewed when they were created.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

Check = Literal[
    "comma_split",
    "question_mark_in_answer",
    "placeholder",
    "unknown_answer",
    "duplicate_question",
    "stray_quote",
    "empty",
    "not_in_reference",
    "ceiling",
]
CHECKS: tuple[Check, ...] = get_args(Check)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question of a set, as in its file."""

    video: str
    aspect: str
    question: str
    answer: str
    category: str = ""
    group: str = ""
    """Shared by the questions of one list. A video on two lines of a file has two lists."""
    id: str = ""
    """The id of the record if the question is in a workspace."""
    ceiling: str | None = None
    """The answer extracted from the question's reference caption, if the judge rejected it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect:
    """A defect in one field of one question."""

    check: Check
    asked: Asked
    field: Literal["question", "answer", "category"]
    why: str


_COMMA_SPLIT = re.compile(r"\?\s*,")
_QUOTES = ("'", '"')

PLACEHOLDERS = frozenset(
    (
        "object",
        "objects",
        "reason",
        "action",
        "actions",
        "location",
        "method",
        "time",
        "emotion",
        "effect",
        "person",
        "description",
        "atmosphere",
        "purpose",
        "subject",
        "event",
        "character",
        "outcome",
        "result",
        "technique",
        "relationship",
        "characteristic",
        "mood",
        "attribute",
        "condition",
        "feature",
        "environment",
        "state",
        "manner",
        "interaction",
        "organization",
        "position",
    )
)
"""Labels by which the generating model was asked to sort questions, and which it returned as answers."""

_UNKNOWN = re.compile(
    r"(?:it (?:is|was) |this is |information |the answer is )?"
    r"(?:not|un|in)(?: |-)?(?:specified|mentioned|known|stated|provided|given|described|clear|determined|"
    r"certain|available|applicable|indicated|explicitly \w+|directly \w+|clearly \w+)"
    r"(?: (?:in|by|from|within|here)\b(?:(?! but |,).)*)?"
    r"|none(?: (?:is |are )?(?:specified|mentioned|stated|given|visible))?|n/?a|nil|null"
    r"|no (?:answer|information|mention)(?: (?:is |was )?(?:given|provided|available))?|cannot be determined"
)

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SMALL_WORDS = """
    a an and are as at be been being but by can could did do does for from had has have he her his how i if
    in into is it its may might no not of on or our she should so some such than that the their them then
    there these they this those through to too up very was we were what when where which while who why will
    with would yes you your also both each more most other over same under within without about across
"""
_SMALL = frozenset(_SMALL_WORDS.split())
REFERENCE_SHARE = 0.34
"""Minimum share of an answer's content words that must occur in the reference caption."""


def lint(
    questions: Iterable[Asked], references: Mapping[tuple[str, str], str] | None = None
) -> Iterator[Defect]:
    """Yield every defect, in the order of the questions. A question may have several.

    `references` maps (video, aspect) to the reference caption from which the questions were made;
    `not_in_reference` checks only questions that have one.
    """
    known = references or {}
    asked_before: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for asked in questions:
        for check in _CHECKS_OF_ONE:
            yield from check(asked)
        place = (asked.group or asked.video, asked.video, asked.aspect)
        yield from _duplicate(asked, asked_before[place])
        yield from _not_in_reference(asked, known.get((asked.video, asked.aspect), ""))


def counts(defects: Iterable[Defect]) -> dict[str, dict[str, int]]:
    """Return `{check: {aspect: n}}`, including checks without findings."""
    found: dict[str, Counter[str]] = {check: Counter() for check in CHECKS}
    for defect in defects:
        found[defect.check][defect.asked.aspect] += 1
    return {check: dict(sorted(each.items())) for check, each in found.items()}


# --- one question at a time -----------------------------------------------------------


def _comma_split(asked: Asked) -> Iterator[Defect]:
    """Find questions cut at a comma, with the rest and its question mark at the start of the answer."""
    if _COMMA_SPLIT.search(asked.answer):
        yield Defect(
            check="comma_split",
            asked=asked,
            field="answer",
            why="the answer begins with the rest of a question that was cut at a comma",
        )


def _question_mark(asked: Asked) -> Iterator[Defect]:
    if "?" in asked.answer:
        yield Defect(
            check="question_mark_in_answer",
            asked=asked,
            field="answer",
            why="the answer contains a question mark",
        )


def _placeholder(asked: Asked) -> Iterator[Defect]:
    """Find answers that are only a label of the question's kind: "Where ...? - location"."""
    answer, category = _plain(asked.answer), _plain(asked.category)
    if answer and (answer in PLACEHOLDERS or answer == category):
        why = "is the question's own category" if answer == category else "is a kind of answer, not an answer"
        yield Defect(check="placeholder", asked=asked, field="answer", why=f"{asked.answer!r} {why}")


def _unknown(asked: Asked) -> Iterator[Defect]:
    """Find reference answers such as "not mentioned", which no caption can contain."""
    if _UNKNOWN.fullmatch(_plain(asked.answer)):
        yield Defect(
            check="unknown_answer",
            asked=asked,
            field="answer",
            why=f"{asked.answer!r} states that the reference does not give the answer",
        )


def _stray_quote(asked: Asked) -> Iterator[Defect]:
    """Find quotation marks left over from parsing the list of questions."""
    if asked.category.endswith(_QUOTES):
        yield Defect(
            check="stray_quote",
            asked=asked,
            field="category",
            why=f"the category {asked.category!r} ends in a quotation mark",
        )
    if asked.answer.startswith(_QUOTES) or asked.answer.endswith(_QUOTES):
        yield Defect(
            check="stray_quote",
            asked=asked,
            field="answer",
            why="the answer begins or ends with a quotation mark",
        )


def _empty(asked: Asked) -> Iterator[Defect]:
    for name, value in (("question", asked.question), ("answer", asked.answer)):
        if not value.strip():
            yield Defect(
                check="empty",
                asked=asked,
                field="question" if name == "question" else "answer",
                why=f"no {name}"
                if asked.question.strip() or asked.answer.strip()
                else "no question and no answer",
            )
            return


def _ceiling(asked: Asked) -> Iterator[Defect]:
    """Find questions whose own reference caption does not lead to a correct answer."""
    if asked.ceiling is not None:
        given = repr(asked.ceiling) if asked.ceiling.strip() else "no answer"
        yield Defect(
            check="ceiling",
            asked=asked,
            field="answer",
            why=f"from its own reference caption the answer is {given}, and the verdict is no",
        )


_CHECKS_OF_ONE: Sequence[Callable[[Asked], Iterator[Defect]]] = (
    _comma_split,
    _question_mark,
    _placeholder,
    _unknown,
    _stray_quote,
    _empty,
    _ceiling,
)


# --- with the others, and with the reference ------------------------------------------


def _duplicate(asked: Asked, before: set[str]) -> Iterator[Defect]:
    if asked.question in before:
        yield Defect(
            check="duplicate_question",
            asked=asked,
            field="question",
            why="the same question is earlier in this list",
        )
    before.add(asked.question)


def _not_in_reference(asked: Asked, reference: str) -> Iterator[Defect]:
    """Find answers with fewer than a third of their content words, stemmed, in the reference."""
    if not reference:
        return
    wanted = _stems(asked.answer)
    if not wanted:
        return
    have = _stems_of_reference(reference)
    found = sum(stem in have for stem in wanted)
    if found / len(wanted) < REFERENCE_SHARE:
        yield Defect(
            check="not_in_reference",
            asked=asked,
            field="answer",
            why=f"{found} of {len(wanted)} content words of the answer are in the reference caption",
        )


@lru_cache(maxsize=256)
def _stems_of_reference(reference: str) -> frozenset[str]:
    """Return the stems of a reference. Cached, because twenty questions share one reference."""
    return frozenset(_stems(reference))


def _stems(text: str) -> set[str]:
    words = {word.lower() for word in _WORD.findall(text)} - _SMALL
    return {_stem(word) for word in words}


def _stem(word: str) -> str:
    """Remove inflections roughly, enough to match "walks" with "walking"."""
    for ending in ("ingly", "edly", "ing", "ied", "ies", "ed", "es", "ly", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _plain(text: str) -> str:
    return text.strip().strip("'\".").strip().lower()

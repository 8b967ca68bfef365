"""Readers of replies other than verdicts: scripts, questions, frame captions, letters.

Each returns a state, the content, and a one-line reason if the reply cannot be read. They never
raise and never guess: ambiguous replies are `unparsed`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from annotation.records.allowed_values import ResultState
from annotation.records.ids import Json
from annotation.replies.echoes_and_refusals import REPEATED, is_placeholder, refusal, repeats_prompt
from annotation.replies.loose_json import ReplyObject, Scan, find_objects, scan, strip_reasoning

__all__ = [
    "FrameReply",
    "LetterReply",
    "ListReply",
    "QaItem",
    "find_objects",
    "read_frame_captions",
    "read_json_reply",
    "read_letter",
    "read_list_reply",
]

_CUT_OFF = "the reply was cut off"
_COLON = r"(?:\*\*)?\s*[:：](?:\*\*(?=\s))?"
_frame_mark = re.compile(
    rf"(?:\*\*)?<\s*frame\s*(\d{{1,6}})\s*>{_COLON}"
    rf"|^[ \t]*(?:\*\*)?<\s*frame\s*(\d{{1,6}})\s*>(?:{_COLON}|\*\*)?",
    re.I | re.M,
)
_plain_frame_mark = re.compile(rf"^[ \t#-]*(?:\*\*)?frame\s*(\d{{1,6}}){_COLON}", re.I | re.M)
# `Answer: A man ...` does not name an option; `A is correct` does.
_NO_ARTICLE = r"(?!\s+(?!(?:is|because|since|as|and|or)\b)[a-z])"
_LETTER = r"[(\[\"'*\s]*(?P<letter>[A-Z])(?![\w'’])[)\]\"'*]*" + _NO_ARTICLE
_stated_letter = re.compile(
    r"\b(?i:answer|option|choice|letter)s?[\"'*]*(?:\s+(?i:is)\b|\s*[:=])?"
    + _LETTER
    + r"(?P<more>\s*(?:,|/|&|or\b|and\b)\s*\(?[A-Z]\b)?"
)
_leading_letter = re.compile(r"^[ \t>#-]*(?:\((?P<inside>[A-Z])\)|(?P<bare>[A-Z])(?:[).:]|\s*$))", re.M)
_boxed_letter = re.compile(r"\\boxed\{\s*(?:\\text\{)?\(?(?P<letter>[A-Z])\)?\}")


@dataclass(frozen=True, slots=True)
class QaItem:
    """One question of an extraction reply."""

    question: str
    answer: str
    category: str
    """Empty if the reply has none."""


@dataclass(frozen=True, slots=True)
class ListReply:
    """The questions of a reply, and the problems with the rest of it."""

    state: ResultState
    """`done` if there is at least one item, else `unparsed`."""
    items: tuple[QaItem, ...]
    problems: tuple[str, ...]
    """One line for each invalid object, for a reply that was cut off, and for items over the limit."""
    reason: str


@dataclass(frozen=True, slots=True)
class FrameReply:
    """Captions of frames 1 to n, in order."""

    state: ResultState
    captions: tuple[str, ...]
    """n captions if done, else empty."""
    reason: str


@dataclass(frozen=True, slots=True)
class LetterReply:
    """The chosen option."""

    state: ResultState
    letter: str
    reason: str


# --- dictionaries -----------------------------------------------------------------------


def own_objects(found: Scan, prompt: str) -> tuple[list[ReplyObject], str]:
    """Return the dictionaries of a reply that do not repeat the prompt, and a reason if there are none.

    There are none if all repeat the prompt, or if the reply declines to answer.
    """
    places = zip(found.objects, found.spans, strict=True)
    own = [one for one, span in places if not repeats_prompt(found.text, *span, prompt)]
    if found.objects and not own:
        return [], f"the answer {REPEATED}"
    if own and (words := refusal(found.rest, prompt)):
        return [], f"the reply declines to answer: '{words}'"
    return own, ""


def read_json_reply(
    text: str, keys: Sequence[str], finish_reason: str = "stop", prompt: str = ""
) -> tuple[ResultState, dict[str, str], str]:
    """Read one dictionary with a text for each of `keys` (the Vript script reply).

    Returns state, texts by key (empty unless done), reason. Keys are case-insensitive; other keys are
    ignored. Replies with two different dictionaries, or with one that only repeats the `prompt`, are
    `unparsed`.
    """
    found = scan(text)
    own, no_answer = own_objects(found, prompt)
    stated = [o for o in own if any(o.values_of(key) for key in keys)]
    if not stated:
        cut = found.cut_off or finish_reason == "length"
        return "unparsed", {}, no_answer or _why_none(text, cut, bool(found.broken))
    texts: list[dict[str, str]] = []
    for one in stated:
        read, why = _texts_of(one, keys)
        if why:
            return "unparsed", {}, why
        if read not in texts:
            texts.append(read)
    if len(texts) > 1:
        return "unparsed", {}, "the reply contains different dictionaries"
    return "done", texts[0], ""


def _why_none(text: str, cut: bool, broken: bool) -> str:
    if not text.strip():
        return "the reply is empty"
    if cut:
        return f"{_CUT_OFF} before the dictionary was complete"
    return "the dictionary cannot be read" if broken else "there is no dictionary in the reply"


def _texts_of(found: ReplyObject, keys: Sequence[str]) -> tuple[dict[str, str], str]:
    """Return the texts by key, and the reason if they cannot be read."""
    read: dict[str, str] = {}
    for key in keys:
        values = found.values_of(key)
        if not values:
            return {}, f"the key '{key}' is missing"
        if any(value != values[0] for value in values):
            return {}, f"the key '{key}' has different values"
        if not isinstance(values[0], str):
            return {}, f"'{key}' is not a text"
        if not values[0].strip() or is_placeholder(values[0]):
            return {}, f"'{key}' is empty"
        read[key] = values[0].strip()
    return read, ""


# --- lists of questions -----------------------------------------------------------------


def read_list_reply(text: str, finish_reason: str = "stop", limit: int = 100, prompt: str = "") -> ListReply:
    """Read a list of `{question, answer, category}` (VDC: questions from a reference caption).

    Accepts a JSON or Python list, one object per line, or a list under one key. Items are independent:
    valid items are kept even if others are malformed or cut off, and the problems are reported.
    """
    found = scan(text, descend=True)
    items: list[QaItem] = []
    own, no_answer = own_objects(found, prompt)
    problems: list[str] = [no_answer] if no_answer else []
    for number, one in enumerate(_flat(own), start=1):
        item, why = _qa_item(one)
        if item is None:
            problems.append(f"object {number}: {why}")
        else:
            items.append(item)
    cut = found.cut_off or finish_reason == "length"
    if cut:
        problems.append(f"{_CUT_OFF} after {len(items)} questions")
    else:
        problems += [f"cannot be read: {snippet}" for snippet in found.broken]
    if len(items) > limit:
        problems.append(f"{len(items) - limit} questions beyond the limit of {limit} were left out")
    if not items:
        return ListReply("unparsed", (), tuple(problems), problems[0] if problems else _no_list(text))
    return ListReply("done", tuple(items[:limit]), tuple(problems), "")


def _no_list(text: str) -> str:
    return "there is no list of questions in the reply" if text.strip() else "the reply is empty"


def _flat(objects: Sequence[ReplyObject]) -> list[ReplyObject]:
    """Return the objects with a question or answer, also from wrappers like `{"questions": [...]}`."""
    flat: list[ReplyObject] = []
    for one in objects:
        inside = [item for value in one.values() for item in _objects_in(value)]
        asks = one.values_of("question") or one.values_of("answer")
        flat += [one] if asks or not inside else _flat(inside)
    return flat


def _objects_in(value: Json) -> list[ReplyObject]:
    if isinstance(value, ReplyObject):
        return [value]
    return [item for item in value if isinstance(item, ReplyObject)] if isinstance(value, list) else []


def _qa_item(found: ReplyObject) -> tuple[QaItem | None, str]:
    fields: dict[str, str] = {}
    for key in ("question", "answer", "category"):
        values = found.values_of(key)
        if len(values) > 1 and any(value != values[0] for value in values):
            return None, f"{key} is given twice"
        text = _as_text(values[0]) if values else ""
        text = "" if text and is_placeholder(text) else text
        if text is None:
            return None, f"{key} is not a text"
        if not text and key != "category":
            return None, f"{key} is {'empty' if values else 'missing'}"
        fields[key] = text
    return QaItem(**fields), ""


def _as_text(value: Json) -> str | None:
    """Return texts and numbers as text (`"answer": 2`); empty for None, and None for other values."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value).strip()


# --- frame captions ---------------------------------------------------------------------


def read_frame_captions(text: str, n: int, finish_reason: str = "stop") -> FrameReply:
    """Read `<Frame 1>: ... <Frame n>: ...` (ProgressCaptioner, caption generation prompt).

    Every number from 1 to `n` must occur once. `<Frame 2>` without a colon within a sentence is part of
    the sentence; `>` and `*` in captions are kept. Text before the first mark is ignored.
    """
    text = strip_reasoning(text)
    marks = list(_frame_mark.finditer(text)) or list(_plain_frame_mark.finditer(text))
    if not marks:
        return FrameReply(
            "unparsed",
            (),
            "there are no frame captions in the reply" if text.strip() else "the reply is empty",
        )
    if finish_reason == "length":
        return FrameReply("unparsed", (), f"{_CUT_OFF} in the caption of frame {_number_of(marks[-1])}")
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    captions: dict[int, str] = {}
    for mark, end in zip(marks, ends, strict=True):
        number = _number_of(mark)
        if number in captions:
            return FrameReply("unparsed", (), f"frame {number} has two captions")
        captions[number] = text[mark.end() : end].strip()
    why = _frames_amiss(captions, n)
    return (
        FrameReply("unparsed", (), why)
        if why
        else FrameReply("done", tuple(captions[i] for i in range(1, n + 1)), "")
    )


def _number_of(mark: re.Match[str]) -> int:
    return int(mark[mark.lastindex or 1])


def _frames_amiss(captions: dict[int, str], n: int) -> str:
    missing = [number for number in range(1, n + 1) if number not in captions]
    surplus = [number for number in captions if not 1 <= number <= n]
    if missing:
        return f"{len(missing)} of {n} frames have no caption, first frame {missing[0]}"
    if surplus:
        return f"there is a caption for frame {surplus[0]}, but only {n} frames were given"
    empty = [
        number
        for number, caption in captions.items()
        if caption.strip("*.").lower() in ("", "your description")
    ]
    return f"the caption of frame {empty[0]} is empty" if empty else ""


# --- letters ----------------------------------------------------------------------------


def read_letter(
    text: str, allowed: Collection[str], finish_reason: str = "stop", prompt: str = ""
) -> LetterReply:
    """Read the option that a reply chooses (progression, caption matching, Vript-RR).

    Reads `B`, `(B)`, `B. No action progression`, `The answer is B`, `{"answer": "B"}`,
    `Best option: (B) ...`. Replies with two different letters, with a letter that was not offered, or with
    one that only repeats the `prompt` are `unparsed`.
    """
    plain = strip_reasoning(text).replace("*", "").strip()
    if not plain:
        return LetterReply("unparsed", "", "the reply is empty")
    choices = _choices(plain)
    letters = {c for c, at in choices if not repeats_prompt(plain, at, at + 1, prompt, after=False)}
    if not letters:
        cut = finish_reason == "length"
        why = f"{_CUT_OFF} before a choice" if cut else "there is no choice in the reply"
        return LetterReply("unparsed", "", f"the choice {REPEATED}" if choices else why)
    if words := refusal(plain, prompt):
        return LetterReply("unparsed", "", f"the reply declines to choose: '{words}'")
    if len(letters) > 1:
        return LetterReply("unparsed", "", f"the reply chooses {' and '.join(sorted(letters))}")
    letter = letters.pop()
    if letter not in allowed:
        return LetterReply("unparsed", "", f"{letter} is not one of {', '.join(sorted(allowed))}")
    return LetterReply("done", letter, "")


def _choices(plain: str) -> set[tuple[str, int]]:
    """Return every letter that the reply states as its choice, with its position."""
    alone = plain.strip(" \t\n`\"'()[].:")
    if len(alone) == 1 and alone.isascii() and alone.isalpha():
        return {(alone.upper(), plain.index(alone))}
    choices: set[tuple[str, int]] = set()
    for match in _stated_letter.finditer(plain):
        choices.add((match["letter"], match.start("letter")))
        for more in re.finditer(r"[A-Z]", match["more"] or ""):
            choices.add((more.group(), match.start("more") + more.start()))
    choices |= {(match["letter"], match.start("letter")) for match in _boxed_letter.finditer(plain)}
    for match in _leading_letter.finditer(plain):
        name = "inside" if match["inside"] else "bare"
        choices.add((match[name], match.start(name)))
    return choices

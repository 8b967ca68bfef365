"""Vript-Hard: parse replies to its three tasks. Pure functions of a reply.

Source: Vript (NeurIPS 2024), section 5 and appendix E, and its released scorers. RR takes the first
letter in brackets; ERO takes the first three of `Scene (X)`, and if there are fewer, the first
three capital letters of the whole reply. The second rule finds an order in almost any sentence.
Its result is kept, since the published figures depend on it, and flagged if it is not an order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from annotation.records.allowed_values import ResultState
from annotation.records.ids import Json
from annotation.replies.loose_json import scan
from annotation.replies.reply_readers import own_objects

Kind = Literal["vript:hal", "vript:rr", "vript:rr_open", "vript:ero"]
HardTask = Literal["hal", "rr", "ero"]
"""Captions compared with words of a reference, questions, order of scenes."""

TASKS: Mapping[HardTask, str] = {
    "hal": "words of a caption against two references",
    "rr": "a question about one scene of a long video",
    "ero": "the order of three scenes",
}
SCENES = ("A", "B", "C")
PLACES = ("15 %", "40 %", "60 %", "85 %")
"""Positions of the four scenes of RR in a video (section 5.2)."""
SETTING_WORDS: Mapping[str, str] = {"whole": "whole video", "scene": "scene alone"}
"""The model's input with a question of RR (section 5.2)."""
NONE = "none"
"""Label by which a person marks a reply as naming no answer."""

_scene = re.compile(r"Scene \(([A-Z])\)")
_capital = re.compile(r"[A-Z]")
_option = re.compile(r"\(([A-Z])\)")
_number = re.compile(r"(\d+)\D*$")


@dataclass(frozen=True, slots=True)
class OrderReading:
    """An order of scenes as the published rule parses it."""

    state: ResultState
    """`unparsed` if there are fewer than three letters."""
    order: str
    """Three letters; fewer, or none, if unparsed."""
    rule: Literal["scene", "capital"]
    """The rule that produced the order."""
    spans: tuple[tuple[int, int], ...]
    """Places of the letters in the reply."""

    @property
    def permutation(self) -> bool:
        return is_permutation(self.order)


@dataclass(frozen=True, slots=True)
class OptionReading:
    """An option as the published rule parses it: the first letter in brackets."""

    state: ResultState
    letter: str
    span: tuple[int, int] | None
    others: tuple[str, ...]
    """Later letters in brackets that differ, in order."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A judge's rating of an open-ended answer."""

    state: ResultState
    label: str
    """`yes`, `no`, or empty."""
    reason: str = ""
    """The reason if the state is not `done`; else the judge's explanation."""


def is_permutation(order: str) -> bool:
    """Whether each of the three scenes occurs exactly once."""
    return sorted(order) == list(SCENES)


def read_order(reply: str) -> OrderReading:
    """The first three `Scene (X)`, else the first three capital letters."""
    found = list(_scene.finditer(reply))[:3]
    spans = [(m.start(1), m.end(1)) for m in found]
    rule: Literal["scene", "capital"] = "scene"
    if len(found) < len(SCENES):
        capitals = list(_capital.finditer(reply))[:3]
        if capitals or not found:
            rule, spans = "capital", [(m.start(), m.end()) for m in capitals]
    order = "".join(reply[start:end] for start, end in spans)
    return OrderReading("done" if len(order) == len(SCENES) else "unparsed", order, rule, tuple(spans))


def order_flag(order: str) -> str:
    """One-line description of what is wrong with an order; empty if it is valid."""
    if not order or order == NONE or is_permutation(order):
        return ""
    if len(order) < len(SCENES):
        return f"only {len(order)} of three letters"
    strange = sorted(set(order) - set(SCENES))
    if strange:
        what = "is not a scene" if len(strange) == 1 else "are not scenes"
        return f"{_listed(strange)} {what}: letters of other words"
    twice = next(letter for letter in order if order.count(letter) > 1)
    return f"scene {twice} occurs {order.count(twice)} times: not an order of three scenes"


def _listed(letters: Sequence[str]) -> str:
    return " and ".join([", ".join(letters[:-1]), letters[-1]] if len(letters) > 1 else letters)


def answer_order(answer: Json) -> str:
    """The right order as three letters, from `CAB`, `(C)(A)(B)` or a list of letters; else empty."""
    words = "".join(str(part) for part in answer) if isinstance(answer, list) else str(answer or "")
    order = "".join(_capital.findall(words))
    return order if is_permutation(order) else ""


def read_option(reply: str) -> OptionReading:
    """The first `(X)`; `unparsed` if there is none."""
    found = list(_option.finditer(reply))
    if not found:
        return OptionReading("unparsed", "", None, ())
    letters = [m.group(1) for m in found]
    others = tuple(dict.fromkeys(letter for letter in letters if letter != letters[0]))
    return OptionReading("done", letters[0], found[0].span(), others)


def answer_letter(choices: Sequence[Json], answer: Json) -> str:
    """The letter of the right option: `answer` is its text, or `(A) its text`. Empty if nothing matches."""
    words = str(answer or "").strip()
    if words in choices:
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[choices.index(words)]
    marked = _option.match(words)
    return marked.group(1) if marked else ""


def options_text(choices: Sequence[Json]) -> str:
    """Options as shown in the prompt: `(A) text`, one per line."""
    return "\n".join(f"({letter}) {choice}" for letter, choice in zip("ABCDEFGHIJ", choices, strict=False))


def read_rating(reply: str, prompt: str = "") -> Rating:
    """Parse `{"rating": True}` in JSON or Python syntax, or a mix. Different ratings are `unparsed`, and so
    is a reply that only repeats the `prompt`."""
    own, no_answer = own_objects(scan(reply), prompt)
    if no_answer:
        return Rating("unparsed", "", no_answer)
    values = [value for found in own for value in found.values_of("rating")]
    labels = {label for value in values if (label := _rating_label(value))}
    if len(labels) == 1:
        return Rating("done", labels.pop(), reply.split("{", 1)[0].strip())
    return Rating("unparsed", "", "two ratings that differ" if labels else "no readable rating")


def _rating_label(value: Json) -> str:
    words = {"true": "yes", "false": "no", "yes": "yes", "no": "no", "1": "yes", "0": "no"}
    return words.get(str(value).strip().lower(), "")


def reading(kind: str, reply: str) -> tuple[ResultState, str, str]:
    """State, label and reason by the released rule; open answers and captions need a judge."""
    if kind == "vript:rr":
        option = read_option(reply)
        return option.state, option.letter, "" if option.letter else "no letter in brackets"
    if kind == "vript:ero":
        order = read_order(reply)
        return order.state, order.order if order.state == "done" else "", order_flag(order.order)
    return "missing", "", ""


def scene_number(clip_id: str) -> int:
    """The number at the end of a clip's id, `52` of `abc-Scene-052`; -1 if there is none."""
    found = _number.search(clip_id)
    return int(found.group(1)) if found else -1


def places_of(clip_ids: Sequence[str]) -> dict[str, str]:
    """Positions of a video's four clips, by the order of their numbers; empty for other counts."""
    ordered = sorted(set(clip_ids), key=scene_number)
    if len(ordered) != len(PLACES) or any(scene_number(clip) < 0 for clip in ordered):
        return {}
    return dict(zip(ordered, PLACES, strict=True))

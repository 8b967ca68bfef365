"""Vript-Hard: how replies to its three tasks are read. Pure functions of a reply.

Source: Vript (NeurIPS 2024), section 5 and appendix E, and its released scorers. RR takes the first
letter in brackets; ERO takes the first three of `Scene (X)`, and where there are fewer, the first
three capital letters of the whole reply. That second rule reads an order out of almost any sentence:
what it gives is kept, since the published figures rest on it, and flagged where it is no order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from annotation.records.allowed_values import HardTask, ResultState
from annotation.records.ids import Json
from annotation.replies.loose_json import scan
from annotation.replies.reply_readers import own_objects

Kind = Literal["vript:hal", "vript:rr", "vript:rr_open", "vript:ero"]
TASKS: Mapping[HardTask, str] = {
    "hal": "words of a caption against two references",
    "rr": "a question about one scene of a long video",
    "ero": "the order of three scenes",
}
SCENES = ("A", "B", "C")
PLACES = ("15 %", "40 %", "60 %", "85 %")
"""Where in a video the four scenes of RR lie (section 5.2)."""
SETTING_WORDS: Mapping[str, str] = {"whole": "whole video", "scene": "scene alone"}
"""What a model is given with a question of RR (section 5.2)."""
NONE = "none"
"""A person's word that a reply names no answer."""

_scene = re.compile(r"Scene \(([A-Z])\)")
_capital = re.compile(r"[A-Z]")
_option = re.compile(r"\(([A-Z])\)")
_number = re.compile(r"(\d+)\D*$")


@dataclass(frozen=True, slots=True)
class OrderReading:
    """An order of scenes as the published rule reads it."""

    state: ResultState
    """`unparsed` with fewer than three letters."""
    order: str
    """Three letters; fewer, or none, when unparsed."""
    rule: Literal["scene", "capital"]
    """Which of the two rules gave it."""
    spans: tuple[tuple[int, int], ...]
    """Where the letters stand in the reply."""

    @property
    def permutation(self) -> bool:
        return is_permutation(self.order)


@dataclass(frozen=True, slots=True)
class OptionReading:
    """An option as the published rule reads it: the first letter in brackets."""

    state: ResultState
    letter: str
    span: tuple[int, int] | None
    others: tuple[str, ...]
    """Other letters in brackets that come later, in order."""


@dataclass(frozen=True, slots=True)
class Rating:
    """What a judge of an open-ended answer said."""

    state: ResultState
    label: str
    """`yes`, `no`, or empty."""
    reason: str = ""
    """Why it is not `done`; else the judge's explanation."""


def is_permutation(order: str) -> bool:
    """Whether each of the three scenes stands in it once."""
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
    """What is wrong with an order, in a line; empty when it is one."""
    if not order or order == NONE or is_permutation(order):
        return ""
    if len(order) < len(SCENES):
        return f"only {len(order)} of three letters"
    strange = sorted(set(order) - set(SCENES))
    if strange:
        return f"{_listed(strange)} {'is' if len(strange) == 1 else 'are'} no scene: letters of other words"
    twice = next(letter for letter in order if order.count(letter) > 1)
    return f"scene {twice} stands in it {order.count(twice)} times: no order of three scenes"


def _listed(letters: Sequence[str]) -> str:
    return " and ".join([", ".join(letters[:-1]), letters[-1]] if len(letters) > 1 else letters)


def answer_order(answer: Json) -> str:
    """The right order as three letters, from `CAB`, `(C)(A)(B)` or a list of letters; else empty."""
    words = "".join(str(part) for part in answer) if isinstance(answer, list) else str(answer or "")
    order = "".join(_capital.findall(words))
    return order if is_permutation(order) else ""


def read_option(reply: str) -> OptionReading:
    """The first `(X)`; `unparsed` when there is none."""
    found = list(_option.finditer(reply))
    if not found:
        return OptionReading("unparsed", "", None, ())
    letters = [m.group(1) for m in found]
    others = tuple(dict.fromkeys(letter for letter in letters if letter != letters[0]))
    return OptionReading("done", letters[0], found[0].span(), others)


def answer_letter(choices: Sequence[Json], answer: Json) -> str:
    """The letter of the right option: `answer` is its text, or `(A) its text`. Empty when it is none."""
    words = str(answer or "").strip()
    if words in choices:
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[choices.index(words)]
    marked = _option.match(words)
    return marked.group(1) if marked else ""


def options_text(choices: Sequence[Json]) -> str:
    """As the prompt shows them: `(A) text`, one per line."""
    return "\n".join(f"({letter}) {choice}" for letter, choice in zip("ABCDEFGHIJ", choices, strict=False))


def read_rating(reply: str, prompt: str = "") -> Rating:
    """`{"rating": True}` in JSON, Python or what lies between; two that differ are `unparsed`, and so is one
    that only repeats the `prompt`."""
    own, no_answer = own_objects(scan(reply), prompt)
    if no_answer:
        return Rating("unparsed", "", no_answer)
    values = [value for found in own for value in found.values_of("rating")]
    labels = {label for value in values if (label := _rating_label(value))}
    if len(labels) == 1:
        return Rating("done", labels.pop(), reply.split("{", 1)[0].strip())
    return Rating("unparsed", "", "two ratings that differ" if labels else "no rating that can be read")


def _rating_label(value: Json) -> str:
    words = {"true": "yes", "false": "no", "yes": "yes", "no": "no", "1": "yes", "0": "no"}
    return words.get(str(value).strip().lower(), "")


def reading(kind: str, reply: str) -> tuple[ResultState, str, str]:
    """State, label and reason by the released rule; open answers and captions wait for a judge."""
    if kind == "vript:rr":
        option = read_option(reply)
        return option.state, option.letter, "" if option.letter else "no letter in brackets"
    if kind == "vript:ero":
        order = read_order(reply)
        return order.state, order.order if order.state == "done" else "", order_flag(order.order)
    return "missing", "", ""


def scene_number(clip_id: str) -> int:
    """The number that a clip's id ends with, `52` of `abc-Scene-052`; -1 when there is none."""
    found = _number.search(clip_id)
    return int(found.group(1)) if found else -1


def places_of(clip_ids: Sequence[str]) -> dict[str, str]:
    """Where each of a video's four clips lies, by the order of their numbers; nothing for other counts."""
    ordered = sorted(set(clip_ids), key=scene_number)
    if len(ordered) != len(PLACES) or any(scene_number(clip) < 0 for clip in ordered):
        return {}
    return dict(zip(ordered, PLACES, strict=True))

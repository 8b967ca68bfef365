"""CapST: events and objects of a caption, and verdicts of another description on each of them.

Source: CaReBench (ICLR 2026), "CapST: Evaluating Objects and Events with Precision and Recall". The paper
describes its three prompts without printing them; these are ours (`annotation/prompts/capst_*.txt`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from annotation.prompts.prompt_files import Prompts
from annotation.records.allowed_values import ResultState
from annotation.records.ids import Json
from annotation.replies.echoes_and_refusals import is_placeholder, refusal
from annotation.replies.loose_json import ReplyObject, scan, strip_reasoning
from annotation.replies.reply_readers import own_objects
from backends.digest import digest
from backends.protocols import ChatReply, ChatRequest

ElementKind = Literal["event", "object"]
KINDS: tuple[ElementKind, ...] = ("event", "object")
Label = Literal["entailment", "neutral", "contradiction"]
LABELS: tuple[Label, ...] = get_args(Label)
SYSTEM = "capst"
MOST = 10
"""Maximum number of elements of one kind per caption."""
PROMPTS: Mapping[ElementKind, str] = {"event": "capst_events", "object": "capst_objects"}
ENTAILMENT_PROMPT = "capst_entailment"
EXTRACT_TOKENS = 512
ENTAILMENT_TOKENS = 2048
_FORMS: Mapping[str, Label] = {
    "entailment": "entailment",
    "entailed": "entailment",
    "entails": "entailment",
    "entail": "entailment",
    "neutral": "neutral",
    "contradiction": "contradiction",
    "contradicted": "contradiction",
    "contradicts": "contradiction",
    "contradictory": "contradiction",
}
_LABEL_KEYS = ("relationship", "relation", "label", "verdict")
_REASON_KEYS = ("reason", "reasoning", "why")
_WORD_KEYS = ("event", "object", "element", "statement", "text")


@dataclass(frozen=True, slots=True)
class ElementsReading:
    """Parsed elements of a caption. An empty list is `done` too: the caption contains none."""

    state: ResultState
    elements: tuple[str, ...]
    problems: tuple[str, ...] = ()
    """Entries left out of the list, one per line."""
    reason: str = ""
    """Reason why the state is not `done`."""


@dataclass(frozen=True, slots=True)
class EntailmentReading:
    """The judge's label of one element."""

    state: ResultState
    label: Label | Literal[""]
    reason: str
    """The judge's reason, or why there is no label."""


def extract_request(prompts: Prompts, kind: ElementKind, caption: str) -> ChatRequest:
    """The request for the elements of one kind."""
    prompt, key = prompts[PROMPTS[kind]], f"{kind}s"
    items = {"type": "array", "items": {"type": "string"}, "maxItems": MOST}
    return ChatRequest(
        stage=f"capst:{key}",
        system=prompt.system,
        user=prompt.parts({"caption": caption}),
        facts={"caption": caption},
        schema={
            "type": "object",
            "properties": {key: items},
            "required": [key],
            "additionalProperties": False,
        },
        max_tokens=EXTRACT_TOKENS,
        prefix=digest("capst", caption),
    )


def entailment_request(prompts: Prompts, elements: Sequence[str], description: str) -> ChatRequest:
    """The request to judge each of the elements by the description."""
    prompt = prompts[ENTAILMENT_PROMPT]
    statements = "\n".join(f"{number}. {' '.join(one.split())}" for number, one in enumerate(elements, 1))
    entry = {
        "type": "object",
        "properties": {
            "number": {"type": "integer"},
            "relationship": {"enum": list(LABELS)},
            "reason": {"type": "string"},
        },
        "required": ["number", "relationship", "reason"],
        "additionalProperties": False,
    }
    return ChatRequest(
        stage="capst:entailment",
        system=prompt.system,
        user=prompt.parts({"description": description, "statements": statements}),
        facts={"description": description, "elements": list(elements)},
        schema={
            "type": "object",
            "properties": {"verdicts": {"type": "array", "items": entry}},
            "required": ["verdicts"],
            "additionalProperties": False,
        },
        max_tokens=ENTAILMENT_TOKENS,
        prefix=digest("capst", description),
    )


# --- lists of elements ------------------------------------------------------------------


def read_elements(reply: ChatReply, kind: ElementKind) -> ElementsReading:
    """At most MOST elements, in order, without duplicates, from `{"events": [...]}` or a bare list.

    Several different lists, and a list that was cut off, are `unparsed`.
    """
    text = strip_reasoning(reply.text)
    found = scan(text)
    own, no_answer = own_objects(found, reply.prompt)
    lists = _lists_of(own, kind) or ([] if no_answer else _bare_list(text, kind))
    if not lists:
        cut = found.cut_off or reply.finish_reason == "length"
        why = "the reply was cut off before the list was complete" if cut else "the reply has no list"
        return ElementsReading(
            "unparsed", (), (), no_answer or (why if text.strip() else "the reply is empty")
        )
    if any(one != lists[0] for one in lists):
        return ElementsReading("unparsed", (), (), "the reply has different lists")
    return _cleaned(lists[0])


def _lists_of(objects: Sequence[ReplyObject], kind: ElementKind) -> list[list[Json]]:
    """Lists under the key of the kind; else those under the only key that holds a list."""
    named = [v for one in objects for v in one.values_of(f"{kind}s") if isinstance(v, list)]
    if named:
        return named
    held = [[v for v in one.values() if isinstance(v, list)] for one in objects]
    return [lists[0] for lists in held if len(lists) == 1]


def _bare_list(text: str, kind: ElementKind) -> list[list[Json]]:
    """Wrap a bare list as the value of a key, so that one parser reads both."""
    start, end = text.find("["), text.rfind("]")
    if not 0 <= start < end or refusal(text[:start] + text[end + 1 :]):
        return []
    return _lists_of(scan(f'{{"{kind}s": {text[start : end + 1]}}}').objects, kind)


def _cleaned(items: Sequence[Json]) -> ElementsReading:
    kept: dict[str, str] = {}
    problems: list[str] = []
    for number, item in enumerate(items, 1):
        words = " ".join(_words_of(item).split())
        if not words or is_placeholder(words):
            problems.append(f"entry {number} is not a text")
        elif words.casefold() in kept:
            problems.append(f"entry {number} is a duplicate")
        else:
            kept[words.casefold()] = words
    if len(kept) > MOST:
        problems.append(f"{len(kept) - MOST} beyond the limit of {MOST} were left out")
    if items and not kept:
        return ElementsReading("unparsed", (), tuple(problems), "the list has no readable entry")
    return ElementsReading("done", tuple(kept.values())[:MOST], tuple(problems))


def _words_of(item: Json) -> str:
    if isinstance(item, ReplyObject):
        found = [v for key in _WORD_KEYS for v in item.values_of(key) if isinstance(v, str)]
        return found[0] if found else ""
    return item if isinstance(item, str) else ""


# --- verdicts on elements -----------------------------------------------------------------


def read_entailment(reply: ChatReply, elements: Sequence[str]) -> list[EntailmentReading]:
    """One reading per element, in their order.

    A verdict is assigned to the element with its number, else to the element whose words it repeats, else, if
    there are as many verdicts as elements, to the element at its place. Verdicts are independent: a verdict
    that is missing, contradictory or without a known label does not affect the others.
    """
    found = scan(strip_reasoning(reply.text), descend=True)
    own, no_answer = own_objects(found, reply.prompt)
    entries = [e for one in own for e in _entries(one) if not _is_example(e)]
    places = _places(entries, elements)
    if not entries:
        cut = found.cut_off or reply.finish_reason == "length"
        why = "the reply was cut off before a verdict" if cut else "the reply has no verdict"
        why = no_answer or why
        return [
            EntailmentReading("unparsed", "", why if reply.text.strip() else "the reply is empty")
            for _ in elements
        ]
    return [
        _reading_of([e for e, at in zip(entries, places, strict=True) if at == index])
        for index in range(len(elements))
    ]


def _entries(value: Json) -> list[ReplyObject]:
    """The dictionaries with a label, at any depth."""
    if isinstance(value, list):
        return [entry for item in value for entry in _entries(item)]
    if not isinstance(value, ReplyObject):
        return []
    if any(value.values_of(key) and isinstance(value.values_of(key)[0], str) for key in _LABEL_KEYS):
        return [value]
    return [entry for inner in value.values() for entry in _entries(inner)]


def _is_example(entry: ReplyObject) -> bool:
    """Whether it is the example in the prompt, with dots in place of the reason."""
    return is_placeholder(_first_text(entry, _REASON_KEYS))


def _places(entries: Sequence[ReplyObject], elements: Sequence[str]) -> list[int | None]:
    by_words = {_plain(words): index for index, words in enumerate(elements)}
    places: list[int | None] = []
    for position, entry in enumerate(entries):
        number = _number(entry)
        words = by_words.get(_plain(_words_of(entry)))
        if number is not None:
            places.append(number - 1 if 0 < number <= len(elements) else None)
        elif words is not None or len(entries) != len(elements):
            places.append(words)
        else:
            places.append(position)
    return places


def _number(entry: ReplyObject) -> int | None:
    for key in ("number", "id", "index"):
        for value in entry.values_of(key):
            if isinstance(value, int) and not isinstance(value, bool):
                return value
            if isinstance(value, str) and value.strip().isdecimal():
                return int(value)
    return None


def _plain(words: str) -> str:
    return re.sub(r"\W+", " ", words.casefold()).strip()


def _reading_of(entries: Sequence[ReplyObject]) -> EntailmentReading:
    if not entries:
        return EntailmentReading("unparsed", "", "the reply has no verdict on this element")
    labels = {read_label(_first_text(entry, _LABEL_KEYS)) for entry in entries}
    if len(labels) > 1:
        return EntailmentReading("unparsed", "", "the reply has different verdicts on this element")
    label = labels.pop()
    if not label:
        given = _first_text(entries[0], _LABEL_KEYS)[:40]
        return EntailmentReading("unparsed", "", f"{given!r} is not one of {', '.join(LABELS)}")
    return EntailmentReading("done", label, _first_text(entries[0], _REASON_KEYS))


def _first_text(entry: ReplyObject, keys: Sequence[str]) -> str:
    found = [value for key in keys for value in entry.values_of(key) if isinstance(value, str)]
    return found[0].strip() if found else ""


def read_label(words: Any) -> Label | Literal[""]:
    """`Entailment.` is `entailment`; empty if the words are not a label."""
    return _FORMS.get(re.sub(r"\W", "", str(words)).lower(), "")

"""A split proposed clause by clause, each with its reason, for a person to accept, edit or reject.

Pure functions: clauses to a request, and a reply to a proposal for each clause.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.prompts.prompt_files import Prompts
from annotation.records.allowed_values import ResultState
from annotation.records.ids import Json
from annotation.replies.echoes_and_refusals import is_placeholder
from annotation.replies.loose_json import ReplyObject, scan
from annotation.replies.reply_readers import own_objects
from backends.digest import digest
from backends.protocols import ChatReply, ChatRequest

PROMPT = "carebench_split_clauses"
TOKENS_PER_CLAUSE = 120
LEAST_TOKENS = 512
_SIDES = ("spatial", "temporal")
_ITEM = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, **{name: {"type": "string"} for name in (*_SIDES, "reason")}},
    "required": ["n", *_SIDES, "reason"],
    "additionalProperties": False,
}
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"clauses": {"type": "array", "items": _ITEM}},
    "required": ["clauses"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Proposed:
    """The proposal for one clause."""

    index: int
    """Index of the clause, from 0."""
    spatial: str
    """The part of it for the spatial text; empty for none."""
    temporal: str
    reason: str


@dataclass(frozen=True, slots=True)
class ProposalReading:
    """A parsed reply. Clauses missing from it are not in `clauses`."""

    state: ResultState
    clauses: tuple[Proposed, ...]
    reason: str = ""


def proposal_request(prompts: Prompts, clauses: Sequence[str]) -> ChatRequest:
    """The request for a split of these clauses."""
    lines = "\n".join(f"{n}. {' '.join(text.split())}" for n, text in enumerate(clauses, 1))
    prompt = prompts[PROMPT]
    return ChatRequest(
        stage="split:clauses",
        system=prompt.system,
        user=prompt.parts({"clauses": lines}),
        facts={"clauses": list(clauses)},
        schema=_SCHEMA,
        max_tokens=max(LEAST_TOKENS, TOKENS_PER_CLAUSE * len(clauses)),
        prefix=digest("split:clauses", list(clauses)),
    )


def read_proposal(reply: ChatReply, count: int) -> ProposalReading:
    """The proposal for each of `count` clauses, in order.

    Items are independent: an item that is malformed, or has no number from 1 to `count`, is dropped;
    if two items for one clause differ, both are dropped. `unparsed` if none is left.
    """
    found = scan(reply.text, descend=True)
    own, no_answer = own_objects(found, reply.prompt)
    items = [item for one in own for item in _items(one)]
    read: dict[int, Proposed | None] = {}
    for item in items:
        proposed = _proposed(item, count)
        if proposed is None:
            continue
        before = read.get(proposed.index, proposed)
        same = before is not None and (before.spatial, before.temporal) == (
            proposed.spatial,
            proposed.temporal,
        )
        read[proposed.index] = proposed if same else None
    kept = tuple(read[index] for index in sorted(read))
    clauses = tuple(one for one in kept if one is not None)
    if clauses:
        return ProposalReading("done", clauses)
    cut = found.cut_off or reply.finish_reason == "length"
    why = "ends before a clause was complete" if cut else "has no proposal for any clause"
    return ProposalReading("unparsed", (), no_answer or f"the reply {why}")


def _items(value: Json) -> list[ReplyObject]:
    """Every dictionary with a number, at any depth."""
    if isinstance(value, list):
        return [item for one in value for item in _items(one)]
    if not isinstance(value, ReplyObject):
        return []
    if value.values_of("n"):
        return [value]
    return [item for one in value.values() for item in _items(one)]


def _proposed(item: ReplyObject, count: int) -> Proposed | None:
    number = item.values_of("n")[-1]
    if isinstance(number, str) and number.strip().isdecimal():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= count:
        return None
    texts = {name: item.values_of(name)[-1:] for name in (*_SIDES, "reason")}
    if any(value and not isinstance(value[0], str) and value[0] is not None for value in texts.values()):
        return None
    if not texts["spatial"] and not texts["temporal"]:
        return None
    spatial, temporal, reason = (_plain(value[0] if value else "") for value in texts.values())
    return Proposed(number - 1, spatial, temporal, reason)


def _plain(value: Json) -> str:
    text = str(value or "").strip()
    return "" if is_placeholder(text) or text.rstrip(".").lower() in ("none", "null", "n/a", "-") else text

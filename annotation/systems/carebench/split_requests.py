"""CaReBench: the spatial/temporal split of a full caption, and its alignment by clause.

Source: CaReBench (ICLR 2026), annotation stages I and II: four aspects in 150 to 300
words, then a spatial description without actions and a temporal one without static detail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.prompts.prompt_files import Prompts
from annotation.records.allowed_values import ResultState
from annotation.replies.reply_readers import read_json_reply
from backends.digest import digest
from backends.protocols import ChatReply, ChatRequest
from backends.text.sentences import Clause
from backends.text.words import keys

SPLIT_PROMPT = "carebench_split"
WORD_RANGE = (150, 300)
"""Number of words of a full caption."""
SPLIT_TOKENS = 1024

MIN_SHARE = 0.34
"""Share of a part's content words that a sentence of the full caption must contain to be its source."""


def _schema(names: Sequence[str]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": list(names),
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class SplitReading:
    """The two parsed descriptions."""

    state: ResultState
    spatial: str
    temporal: str
    reason: str = ""


def split_request(prompts: Prompts, full: str) -> ChatRequest:
    """The request to split a full caption in two."""
    prompt = prompts[SPLIT_PROMPT]
    return ChatRequest(
        stage="split",
        system=prompt.system,
        user=prompt.parts({"full": full}),
        facts={"full": full},
        schema=_schema(("spatial", "temporal")),
        max_tokens=SPLIT_TOKENS,
        prefix=digest("split", full),
    )


def read_split(reply: ChatReply) -> SplitReading:
    """The two descriptions. One side may be `None.` (a still scene has no action), not both."""
    state, values, reason = read_json_reply(
        reply.text, ("spatial", "temporal"), reply.finish_reason, reply.prompt
    )
    spatial, temporal = (_or_empty(values.get(side, "")) for side in ("spatial", "temporal"))
    if state == "done" and not (spatial or temporal):
        return SplitReading("unparsed", "", "", "both descriptions are empty")
    return SplitReading(state, spatial, temporal, reason)


def align(full: Sequence[Clause], part: Sequence[Clause]) -> list[tuple[int, int]]:
    """Pairs (index in `full`, index in `part`) of sentences with the same content, by `part` index.

    Each sentence of the part is aligned with the sentence of the full caption that contains
    most of its content words; ties go to the one nearest to the source of the previous
    sentence. A sentence without a source (invented) has no pair; a full sentence may have
    several pairs or, if it was left out, none.
    """
    sources = [keys(clause.text) for clause in full]
    pairs: list[tuple[int, int]] = []
    last = 0
    for index, clause in enumerate(part):
        best = _source(keys(clause.text), sources, last)
        if best is not None:
            pairs.append((best, index))
            last = best
    return pairs


def _source(wanted: set[str], sources: Sequence[set[str]], last: int) -> int | None:
    if not wanted or not sources:
        return None
    shares = [len(wanted & source) / len(wanted) for source in sources]
    best = max(range(len(sources)), key=lambda i: (shares[i], -abs(i - last), -i))
    return best if shares[best] >= MIN_SHARE else None


def _or_empty(text: str) -> str:
    return "" if text.strip().rstrip(".").lower() == "none" else text.strip()

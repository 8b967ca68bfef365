"""Split a caption into spatial and temporal parts by rules: clauses with an action are temporal.

The text is not rewritten: every clause of the full caption is in one of the two parts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from backends.chat.baseline_rules.word_sets import PLACES, SEQUENCE
from backends.text.common_words import COLOURS, MOTIONS
from backends.text.sentences import Clause, clauses, sentences
from backends.text.words import Token, tokens

_DETERMINERS = """a an the this that these those his her its their my our your of no each every some
    any two three four"""
_NOT_A_VERB_AFTER = frozenset(_DETERMINERS.split()) | COLOURS
_JOINING = re.compile(r"^(?:and|but|while|then|as|where|whereas|,|;)\s+", re.IGNORECASE)
_ADJUNCT = re.compile(
    rf"(?:{'|'.join(sorted(PLACES))}|from|to|with|during|throughout|for|of)\b", re.IGNORECASE
)
_OVERVIEW = re.compile(r"^(?:this|the) (?:video|clip|footage)\b", re.IGNORECASE)


def split(full: str) -> tuple[str, str]:
    """Return (spatial, temporal). A first sentence that summarises the video is temporal."""
    spatial: list[str] = []
    temporal: list[str] = []
    for number, sentence in enumerate(sentences(full)):
        parts = [part for part in clauses(full) if sentence.start <= part.start < sentence.end]
        if number == 0 and _OVERVIEW.match(sentence.text):
            temporal.append(_closed(sentence.text))
            continue
        for moving, group in groupby(_whole(full, parts), key=lambda part: tells_action(part.text)):
            (temporal if moving else spatial).append(_piece(full, list(group)))
    return " ".join(spatial), " ".join(temporal)


def split_clauses(clauses: Sequence[str]) -> list[dict[str, str | int]]:
    """Return the part of each clause on either side, with the reason; numbers start at 1."""
    return [_by_rule(number, text.strip()) for number, text in enumerate(clauses, 1)]


def _by_rule(number: int, text: str) -> dict[str, str | int]:
    words = _closed(_JOINING.sub("", text))
    spatial, temporal, reason = words, "", "tells no action"
    if number == 1 and _OVERVIEW.match(text):
        spatial, temporal, reason = "", words, "sums the video up"
    elif tells_action(text):
        spatial, temporal = "", words
        reason = f"“{_action_word(text)}” tells an action"
    return {"n": number, "spatial": spatial, "temporal": temporal, "reason": reason}


def _action_word(text: str) -> str:
    row = tokens(text)
    return next(row[i].text for i in range(len(row)) if _is_action(row, i))


def tells_action(text: str) -> bool:
    """Return whether a clause contains a verb of motion or a word of sequence."""
    row = tokens(text)
    return any(_is_action(row, i) for i in range(len(row)))


def _is_action(row: Sequence[Token], i: int) -> bool:
    word = row[i].text.lower()
    if word in SEQUENCE:
        return True
    before = row[i - 1].text.lower() if i else ""
    noun = before in _NOT_A_VERB_AFTER and not word.endswith("ing")
    return row[i].key in MOTIONS and not noun


def _whole(full: str, parts: list[Clause]) -> list[Clause]:
    """Return the clauses; adjuncts of time or place ("in the park, ...") are joined to their neighbour."""
    joined: list[Clause] = []
    waiting: Clause | None = None
    for part in parts:
        if _ADJUNCT.match(part.text) and not tells_action(part.text):
            if joined:
                joined[-1] = _from_to(full, joined[-1], part)
            else:
                waiting = part if waiting is None else _from_to(full, waiting, part)
            continue
        joined.append(part if waiting is None else _from_to(full, waiting, part))
        waiting = None
    return joined or ([waiting] if waiting else [])


def _from_to(full: str, first: Clause, last: Clause) -> Clause:
    return Clause(first.start, last.end, full[first.start : last.end])


def _piece(full: str, group: list[Clause]) -> str:
    """Turn neighbouring clauses of one sentence into a sentence."""
    return _closed(_JOINING.sub("", full[group[0].start : group[-1].end]))


def _closed(text: str) -> str:
    text = text.strip(" ,;:")
    if not text:
        return ""
    end = "" if text[-1] in '.!?…。！？"”’»' else "。" if ord(text[-1]) > 0x3000 else "."
    return text[0].upper() + text[1:] + end

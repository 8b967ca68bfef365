"""The command `read-replies`: shows how raw replies are parsed, by kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from annotation.records.errors import FormatError
from annotation.replies.verdict_reply import read_verdict
from annotation.systems.carebench import capst_requests
from annotation.systems.progress_captioner import requests as progress_captioner
from annotation.systems.vript import script_requests, vriptor_script
from annotation.systems.vript.hard_replies import order_flag, read_option, read_order, read_rating
from backends.errors import UsageError
from backends.protocols import ChatReply


def read_reply(kind: str, row: Any) -> dict[str, Any]:
    """Parse a line `{"reply", "finish_reason"?, "prompt"?, "n"? (frames or captions)}`.

    Raises UsageError for an unknown kind, FormatError for a line without a reply.
    """
    known_kind(kind)
    if not isinstance(row, dict) or not isinstance(row.get("reply"), str):
        raise FormatError('every line is an object with a text under "reply"')
    reply = ChatReply(
        row["reply"], str(row.get("finish_reason", "stop")), 0.0, prompt=str(row.get("prompt", ""))
    )
    return KINDS[kind](reply, row)


def known_kind(kind: str) -> None:
    """Raise UsageError for an unknown kind."""
    if kind not in KINDS:
        raise UsageError(f"no kind {kind!r}; choose from {', '.join(KINDS)}")


def _script(reply: ChatReply, _row: Mapping[str, Any]) -> dict[str, Any]:
    """Parse four fields of one scene, or Vriptor's text with a heading per scene."""
    found = asdict(script_requests.read_script(reply))
    script = vriptor_script.read_script_text(reply.text)
    if found["state"] != "unparsed" or not script.scenes:
        return found
    return {
        "state": "done",
        "fields": {},
        "reason": "; ".join(script.problems),
        "scenes": [asdict(scene) for scene in script.scenes],
    }


def _frames(reply: ChatReply, row: Mapping[str, Any]) -> dict[str, Any]:
    return progress_captioner.read_frame_captions_reply(reply, _count(row))._asdict()


def _matching(reply: ChatReply, row: Mapping[str, Any]) -> dict[str, Any]:
    return progress_captioner.read_matching(reply, _count(row))._asdict()


def _capst(reply: ChatReply, row: Mapping[str, Any]) -> dict[str, Any]:
    """Parse verdicts on `"elements"` if present; else the list of events (or `"kind": "object"`)."""
    elements = row.get("elements")
    if elements is None:
        return asdict(
            capst_requests.read_elements(reply, "object" if row.get("kind") == "object" else "event")
        )
    if not isinstance(elements, list) or not all(isinstance(one, str) for one in elements):
        raise FormatError('"elements" is the list of texts that the verdicts are on')
    return {"verdicts": [asdict(one) for one in capst_requests.read_entailment(reply, elements)]}


def _order(reply: ChatReply, _row: Mapping[str, Any]) -> dict[str, Any]:
    read = read_order(reply.text)
    return asdict(read) | {"permutation": read.permutation, "flag": order_flag(read.order)}


def _answer(reply: ChatReply, row: Mapping[str, Any]) -> dict[str, Any]:
    """Parse a multiple-choice option; with `"open": true` a judge's rating of an open answer."""
    return asdict(read_rating(reply.text, reply.prompt) if row.get("open") else read_option(reply.text))


def _count(row: Mapping[str, Any]) -> int:
    n = row.get("n")
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise FormatError('lines of this kind need "n", the number of frames or captions')
    return n


KINDS: Mapping[str, Callable[[ChatReply, Mapping[str, Any]], dict[str, Any]]] = {
    "vdc": lambda reply, _row: asdict(read_verdict(reply.text, reply.finish_reason, reply.prompt)),
    "script": _script,
    "frames": _frames,
    "progression": lambda reply, _row: progress_captioner.read_progression(reply)._asdict(),
    "change": lambda reply, _row: progress_captioner.read_change(reply)._asdict(),
    "matching": _matching,
    "capst": _capst,
    "rr": _answer,
    "ero": _order,
}

"""`read-replies`: how raw replies are read, by kind. For people who wonder what became of a reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from annotation import progress_captioner, vript
from annotation.errors import FormatError, UsageError
from annotation.verdict_reply import read_verdict
from backends.protocols import ChatReply


def read_reply(kind: str, row: Any) -> dict[str, Any]:
    """What one line `{"reply": ..., "finish_reason"?: ..., "n"?: frames or captions}` is read as.

    Raises UsageError for an unknown kind, FormatError for a line without a reply.
    """
    if kind not in KINDS:
        raise UsageError(f"no kind {kind!r}; choose from {', '.join(KINDS)}")
    if not isinstance(row, dict) or not isinstance(row.get("reply"), str):
        raise FormatError('every line is an object with a text under "reply"')
    reply = ChatReply(row["reply"], str(row.get("finish_reason", "stop")), 0.0)
    return KINDS[kind](reply, row)


def _frames(reply: ChatReply, row: Mapping[str, Any]) -> dict[str, Any]:
    return progress_captioner.read_frame_captions_reply(reply, _count(row))._asdict()


def _matching(reply: ChatReply, row: Mapping[str, Any]) -> dict[str, Any]:
    return progress_captioner.read_matching(reply, _count(row))._asdict()


def _count(row: Mapping[str, Any]) -> int:
    n = row.get("n")
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise FormatError('lines of this kind need "n", the number of frames or captions')
    return n


KINDS: Mapping[str, Callable[[ChatReply, Mapping[str, Any]], dict[str, Any]]] = {
    "vdc": lambda reply, _row: asdict(read_verdict(reply.text, reply.finish_reason)),
    "script": lambda reply, _row: asdict(vript.read_script(reply)),
    "frames": _frames,
    "progression": lambda reply, _row: progress_captioner.read_progression(reply)._asdict(),
    "matching": _matching,
}

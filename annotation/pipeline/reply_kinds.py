"""The command `read-replies`: shows how raw replies are parsed, by kind."""

from __future__ import annotations

from typing import Any

from annotation.pipeline.system_list import SYSTEMS
from annotation.records.errors import FormatError
from backends.errors import UsageError
from backends.protocols import ChatReply

KINDS = {kind: read for system in SYSTEMS for kind, read in system.reply_kinds.items()}


def read_reply(kind: str, row: Any) -> dict[str, Any]:
    """Parse a line `{"reply", "finish_reason"?, "prompt"?, ...}`; some kinds need more (`SystemSpec`).

    Raises UsageError for an unknown kind, FormatError for an incomplete line.
    """
    known_kind(kind)
    if not isinstance(row, dict) or not isinstance(row.get("reply"), str):
        raise FormatError('every line must be an object with a string under "reply"')
    reply = ChatReply(
        row["reply"], str(row.get("finish_reason", "stop")), 0.0, prompt=str(row.get("prompt", ""))
    )
    return KINDS[kind](reply, row)


def known_kind(kind: str) -> None:
    """Raise UsageError for an unknown kind."""
    if kind not in KINDS:
        raise UsageError(f"unknown kind {kind!r}; choose from {', '.join(KINDS)}")

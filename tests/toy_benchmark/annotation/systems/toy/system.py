"""The toy benchmark as a system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.systems.toy.stages import read_caption, run_captions, run_verdicts

from annotation.stages.stage_spec import StageSpec
from annotation.stages.system_spec import SystemSpec
from backends.protocols import ChatReply

CAPTIONS = StageSpec(
    "toy_captions",
    "a toy caption",
    run_captions,
    engines=("captioner",),
    pictures=("captioner",),
    when="on_demand",
)
VERDICTS = StageSpec(
    "toy_verdicts",
    "a verdict on each toy event",
    run_verdicts,
    needs=("toy_captions",),
    apart=True,
    when="on_demand",
)


def _read(reply: ChatReply, _row: Mapping[str, Any]) -> dict[str, Any]:
    return dict(zip(("state", "text", "reason"), read_caption(reply), strict=True))


SYSTEM = SystemSpec(name="toy", label="Toy", stages=(CAPTIONS, VERDICTS), reply_kinds={"toy": _read})

"""Vript, Vriptor and Vript-Hard as a system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from annotation.stages.stage_spec import StageChoice, StageSpec
from annotation.stages.system_spec import SystemSpec
from annotation.systems.vript import script_requests, vriptor_script
from annotation.systems.vript.hard_replies import order_flag, read_option, read_order, read_rating
from annotation.systems.vript.hard_stages import run_hard
from annotation.systems.vript.rr_settings import rr_options
from annotation.systems.vript.script_stage import run_script
from backends.protocols import ChatReply

SCRIPT = StageSpec(
    "script",
    "a script for every scene",
    run_script,
    doing="writing the script",
    engines=("captioner",),
    pictures=("captioner",),
)
HARD = StageSpec(
    "vript_hard",
    "HAL, RR and ERO of Vript-Hard, answered by the captioner",
    run_hard,
    engines=("captioner", "judge"),
    pictures=("captioner",),
    when="on_demand",
    choice=StageChoice(
        "rr-setting",
        "Questions of Vript-RR with",
        {"whole": "the whole video", "scene": "the scene alone", "both": "both, one after the other"},
        rr_options,
    ),
)


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


def _order(reply: ChatReply, _row: Mapping[str, Any]) -> dict[str, Any]:
    read = read_order(reply.text)
    return asdict(read) | {"permutation": read.permutation, "flag": order_flag(read.order)}


def _answer(reply: ChatReply, row: Mapping[str, Any]) -> dict[str, Any]:
    """Parse a multiple-choice option; with `"open": true` a judge's rating of an open answer."""
    return asdict(read_rating(reply.text, reply.prompt) if row.get("open") else read_option(reply.text))


SYSTEM = SystemSpec(
    name="vript",
    label="Vript",
    stages=(SCRIPT, HARD),
    reply_kinds={"script": _script, "rr": _answer, "ero": _order},
)

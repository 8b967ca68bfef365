"""Vript and Vript-Hard as a system: its stages."""

from __future__ import annotations

from annotation.stages.stage_spec import StageChoice, StageSpec
from annotation.systems.vript.hard_stages import run_hard
from annotation.systems.vript.rr_settings import rr_options
from annotation.systems.vript.script_stage import run_script

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
    "HAL, RR and ERO of Vript-Hard, put to the captioner",
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

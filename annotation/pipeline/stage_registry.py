"""All stages, in the order in which they run. Those of a system are listed in its `system.py`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import get_args

from annotation.pipeline.evidence import embed_moments_and_questions_stage
from annotation.pipeline.question_chains import shared
from annotation.pipeline.system_list import SYSTEMS
from annotation.records.allowed_values import Stage
from annotation.stages import measurement_stage, ocr_stage, probe_scenes_speech
from annotation.stages.stage_spec import StageSpec, When, names_of
from backends.errors import UsageError

BEFORE: tuple[StageSpec, ...] = (
    probe_scenes_speech.PROBE,
    probe_scenes_speech.SCENES,
    probe_scenes_speech.SPEECH,
    measurement_stage.MEASUREMENTS,
    ocr_stage.TEXT,
)
"""Stages that run before those of systems."""
AFTER: tuple[StageSpec, ...] = (embed_moments_and_questions_stage.PICTURE_VECTORS,)
"""Stages that run after those of systems."""

_OF_SYSTEMS = (shared(spec) for system in SYSTEMS for spec in system.stages)
STAGES: tuple[StageSpec, ...] = tuple(
    sorted((*BEFORE, *_OF_SYSTEMS, *AFTER), key=lambda spec: get_args(When).index(spec.when))
)
"""In the order in which they run: first those of every run."""

USUAL = tuple(spec for spec in STAGES if spec.when != "on_demand")
"""Stages that run if no names are given."""

SHOWN_ONCE_RUN = frozenset(names_of(spec for spec in STAGES if spec.when != "usual"))
"""Shown as missing or skipped only if they are named."""


def is_usual(stages: Sequence[Stage]) -> bool:
    """Return whether these are the stages that run if no names are given."""
    return tuple(stages) == names_of(USUAL)


def stages_named(names: Collection[Stage]) -> list[StageSpec]:
    """Return the named stages in the order in which they run. Raises UsageError for an unknown name."""
    wanted, known = set(names), names_of(STAGES)
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"stage {', '.join(unknown)} not found; choose from {', '.join(known)}")
    return [spec for spec in STAGES if spec.name in wanted]


def stage_settings(chosen: Mapping[str, str]) -> list[object]:
    """Return the options of a run for the choices of all stages, given the chosen values by name.

    Choices that are not given have their default. Raises UsageError for an unknown name or value.
    """
    choices = {spec.choice.name: spec.choice for spec in STAGES if spec.choice}
    if unknown := [name for name in chosen if name not in choices]:
        raise UsageError(
            f"option {', '.join(unknown)} not found in any stage; choose from {', '.join(choices)}"
        )
    return [choice.settings(chosen.get(name, next(iter(choice.options)))) for name, choice in choices.items()]


def chosen_stages(names: Sequence[str] | None) -> list[StageSpec]:
    """Return the stages to run, with those they need, in order. Default: the usual ones.

    Raises UsageError for an unknown name.
    """
    if not names:
        return list(USUAL)
    needed = {need for spec in stages_named(names) for need in spec.needs}
    return stages_named({*names, *needed})

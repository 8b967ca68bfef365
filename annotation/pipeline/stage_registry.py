"""The stages of all systems, in the order in which they run: a system's stages are registered here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from annotation.pipeline import systems_of_video
from annotation.pipeline.evidence.embed_moments_and_questions_stage import run_picture_vectors
from annotation.records.allowed_values import Stage
from annotation.stages import measurement_stage, ocr_stage, probe_scenes_speech
from annotation.stages.plan import StageFunction
from annotation.systems.carebench import capst_stages, split_stage
from annotation.systems.progress_captioner import caption_judging_stages, caption_stage, keyframe_stage
from annotation.systems.vript import hard_stages, script_stage
from backends.errors import UsageError

STAGES: Mapping[Stage, StageFunction] = {
    "probe": probe_scenes_speech.run_probe,
    "scenes": probe_scenes_speech.run_scenes,
    "speech": probe_scenes_speech.run_speech,
    "measurements": measurement_stage.run_measurements,
    "text": ocr_stage.run_text,
    "script": script_stage.run_script,
    "captions": systems_of_video.run_captions,
    "questions": systems_of_video.run_questions,
    "answers": systems_of_video.run_answers,
    "verdicts": systems_of_video.run_verdicts,
    "split": split_stage.run_split,
    "frames": caption_stage.run_frames,
    "keyframes": keyframe_stage.run_keyframes,
    "elements": capst_stages.run_elements,
    "capst": capst_stages.run_capst,
}
"""In the order in which they run."""

ASKED_FOR: Mapping[Stage, StageFunction] = {
    "changes": caption_judging_stages.run_changes,
    "matching": caption_judging_stages.run_matching,
    "vript_hard": hard_stages.run_hard,
    "picture_vectors": run_picture_vectors,
}
"""Run only when they are named: what few need, or what needs a model that most have not."""

WHERE_IT_APPLIES: tuple[Stage, ...] = ("elements", "capst", *ASKED_FOR)
"""Not shown as missing or skipped unless named: they work on CaReBench references, or only when named."""

NEEDS: Mapping[Stage, tuple[Stage, ...]] = {
    "answers": ("captions", "questions"),
    "verdicts": ("captions", "questions", "answers"),
    "keyframes": ("frames",),
    "changes": ("frames",),
    "matching": ("frames",),
    "elements": ("captions",),
    "capst": ("captions", "elements"),
}
"""Runs whose identity a stage needs; they are run too (from what is there, mostly for nothing)."""

APART: frozenset[Stage] = frozenset(("probe", "scenes", "speech", "measurements", "text", "picture_vectors"))
"""Stages that need no model of the chat kind; they keep the processor and the memory busy by themselves."""


OPTIONAL: frozenset[Stage] = frozenset(("speech", "text", "picture_vectors"))
"""Stages without whose engine the others go on."""


def is_usual(stages: Sequence[Stage]) -> bool:
    """Whether these are the stages that run if none are named."""
    return list(stages) == list(STAGES)


def chosen_stages(names: Sequence[str] | None) -> list[Stage]:
    """The stages to run, with those they need, in order.

    Raises UsageError for names that are no stage.
    """
    if not names:
        return list(STAGES)
    known = {**STAGES, **ASKED_FOR}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"no stage {', '.join(unknown)}; choose from {', '.join(known)}")
    wanted = set(names) | {need for name in names for need in NEEDS.get(cast(Stage, name), ())}
    return [stage for stage in known if stage in wanted]

"""VDC as a system: its stages."""

from __future__ import annotations

from annotation.stages.stage_spec import StageSpec
from annotation.systems.vdc.caption_stage import run_captions
from annotation.systems.vdc.scoring_stages import run_answers, run_questions, run_verdicts

CAPTIONS = StageSpec(
    "captions",
    "the five captions",
    run_captions,
    doing="writing the five captions",
    engines=("captioner",),
    pictures=("captioner",),
)
QUESTIONS = StageSpec("questions", "questions from the reference", run_questions, engines=("writer",))
ANSWERS = StageSpec(
    "answers",
    "answers taken from the captions",
    run_answers,
    engines=("extractor",),
    needs=("captions", "questions"),
)
VERDICTS = StageSpec(
    "verdicts",
    "a judge for every answer",
    run_verdicts,
    engines=("judge",),
    needs=("captions", "questions", "answers"),
)

"""A stage that is added to a copy of the program: a new file, and two lines in the list of stages."""

from __future__ import annotations

from tests.program_copy import ProgramCopy

LABEL = "how many frames there are"
DOING = "counting frames"
STAGES = "annotation/pipeline/stage_registry.py"
MODULE = f'''"""The stage that counts frames."""

from __future__ import annotations

from annotation.records.ids import record_id
from annotation.records.videos import Measurement, Video
from annotation.stages.probe_scenes_speech import facts_of
from annotation.stages.stage_context import Context, make_run
from annotation.stages.stage_spec import StageSpec


def run_toy(context: Context, video: Video) -> None:
    """One measurement of the video."""
    run = context.start_run(make_run("toy", backend="toy", model="toy"))
    context.store.put(
        Measurement(
            id=record_id("msr", run.id, video.id),
            video_id=video.id,
            run_id=run.id,
            subject_type="video",
            subject_id=video.id,
            kind="toy",
            value={{"count": facts_of(video).frames}},
        )
    )


TOY = StageSpec("toy", "{LABEL}", run_toy, doing="{DOING}", needs=("probe",), apart=True)
'''


def add_toy_stage(program: ProgramCopy) -> None:
    """As "Adding things" of docs/development.md says."""
    program.add("annotation/stages/toy_stage.py", MODULE)
    program.insert(STAGES, "from annotation.stages.stage_spec", "from annotation.stages import toy_stage")
    program.insert(STAGES, ')\n"""Stages that run before', "    toy_stage.TOY,")

"""`run`: runs the pipeline on videos."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from backends.errors import UsageError
from ui.commands import frame_captions as frame_flags
from ui.commands.late_help import command_with_help
from ui.commands.options import (
    DEFAULT_WORKSPACE,
    AgainOption,
    ChatOption,
    DatabaseOption,
    DetectorOption,
    EmbedderOption,
    EstimateOption,
    JsonOption,
    LanguageOption,
    MostCallsOption,
    MostCostOption,
    OcrOption,
    PresetOption,
    ReaderOption,
    SpeechOption,
    WorkspaceOption,
    cap_of,
    open_or_make_workspace,
    show,
    some_path,
    some_place,
    workspace_or_passing,
)
from ui.commands.terminal_output import stoppable

CaptionPromptsOption = Annotated[
    str | None,
    typer.Option(help="Prompts of the five captions: fixed (default) or pool (sampled from VDC's pool)."),
]
RrSettingOption = Annotated[
    str,
    typer.Option(
        help="Stage vript_hard: what is shown with a question of Vript-RR: whole (the whole video), scene "
        "(only its scene), or both."
    ),
]


def _help(declared: Mapping[str, str]) -> dict[str, str]:
    """Return the help of --stages: all stages, and those that run only on demand."""
    from annotation.pipeline.stage_registry import STAGES
    from annotation.stages.stage_spec import names_of

    *others, last = names_of(spec for spec in STAGES if spec.when == "on_demand")
    return {
        "stages": f"{declared['stages']}: {', '.join(names_of(STAGES))}; default: all except "
        f"{', '.join(others)} and {last}, which run only if named."
    }


def add_to(cli: typer.Typer) -> None:
    """Register the command."""
    cli.command(cls=command_with_help(_help))(run)


def run(
    videos: Annotated[
        list[str] | None, typer.Argument(help="Video files, URLs, or folders of them.", parser=some_place)
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    stages: Annotated[str | None, typer.Option(help="Stages, separated by commas")] = None,
    reference: Annotated[
        list[Path] | None,
        typer.Option(help="Captions or questions to import first; may be repeated.", parser=some_path),
    ] = None,
    captioner: ChatOption = None,
    writer: ChatOption = None,
    extractor: ChatOption = None,
    judge: ChatOption = None,
    speech: SpeechOption = None,
    language: LanguageOption = None,
    ocr: OcrOption = None,
    embedder: EmbedderOption = None,
    detector: DetectorOption = None,
    preset: PresetOption = None,
    reader: ReaderOption = None,
    caption_prompts: CaptionPromptsOption = None,
    frames_per_call: frame_flags.FramesPerCallOption = 2,
    fps: frame_flags.FpsOption = None,
    frames: frame_flags.FramesOption = None,
    frame_context: frame_flags.FrameContextOption = "before",
    desc_mode: frame_flags.DescModeOption = "c",
    match: frame_flags.MatchOption = "all",
    rr_setting: RrSettingOption = "whole",
    again: AgainOption = False,
    processes: Annotated[
        int, typer.Option(min=1, help="Number of videos processed at a time by stages without a model.")
    ] = 1,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Ray cluster for these stages: ray://HOST:10001, HOST:6379, or auto. Needs PostgreSQL."
        ),
    ] = None,
    most_calls: MostCallsOption = None,
    most_cost: MostCostOption = None,
    estimate: EstimateOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run the pipeline on videos. An interrupted run resumes where it stopped."""
    from annotation.pipeline.engines import choose, make_engines
    from annotation.pipeline.stage_registry import chosen_stages
    from annotation.systems.vript.rr_settings import rr_options
    from ui.commands.run_stages import Apart, estimate_files, run_files, show_estimate

    if not videos:
        raise UsageError(
            "give at least one video; for answers and verdicts of a log use run-evaluation NAME, for "
            "existing frame captions judge-captions MODEL"
        )
    names = stages.split(",") if stages else []
    wanted = chosen_stages(names)
    frame_options = frame_flags.frame_options(frames_per_call, fps, frames, frame_context, desc_mode, match)
    options = (frame_options, rr_options(rr_setting))
    flags = {
        "captioner": captioner,
        "writer": writer,
        "extractor": extractor,
        "judge": judge,
        "speech": speech,
        "language": language,
        "ocr": ocr,
        "embedder": embedder,
        "detector": preset or detector,
        "reader": reader,
        "caption_prompts": caption_prompts,
    }
    if estimate:
        with workspace_or_passing(workspace, database) as space:
            engines = make_engines(choose(space.settings, **flags), space)
            show_estimate(
                estimate_files(space, engines, videos, reference or [], wanted, again=again, options=options),
                as_json,
            )
        return
    space = open_or_make_workspace(workspace, database)
    choice = choose(space.settings, **flags)
    apart = Apart.of(choice, wanted, space.store.url, processes, cluster)
    with stoppable() as stop:
        outcome = run_files(
            space,
            make_engines(choice, space),
            videos,
            reference or [],
            wanted,
            stop,
            again=again,
            apart=apart,
            options=options,
            cap=cap_of(most_calls, most_cost),
            named=names,
        )
    show(outcome.summaries, as_json, outcome.lines)
    raise typer.Exit(outcome.exit_code)

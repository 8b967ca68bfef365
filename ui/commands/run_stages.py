"""The work of `run`, `run-evaluation`, `judge-captions` and `ceiling`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from annotation.intake.add_video import add_video
from annotation.intake.remote_videos import add_remote, looks_remote, urls_in
from annotation.intake.video_files import video_files
from annotation.pipeline.counts_of_video import video_summary
from annotation.pipeline.distributed.ray_cluster import Cluster, check_choice, connect
from annotation.pipeline.distributed.video_worker import Job, Spread
from annotation.pipeline.distributed.worker_processes import Pool
from annotation.pipeline.engines import EngineChoice
from annotation.pipeline.estimate import Estimate, estimate, estimate_json, estimate_lines, rolled_back
from annotation.pipeline.evaluation_pass_runner import plan_summary, work_all
from annotation.pipeline.job_progress import PROBLEMS, JobProgress, job_of_command
from annotation.pipeline.stage_registry import SHOWN_ONCE_RUN, is_usual
from annotation.pipeline.stage_runner import VideoResult, new_context, run_videos
from annotation.records.allowed_values import Stage
from annotation.records.captions_to_verdicts import Question, Text
from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.single_file import scenes_of_file
from annotation.stages.spending import NOTHING, Cap, Spending, Took, took_words
from annotation.stages.stage_context import Context, Engines
from annotation.stages.stage_results import StageResults
from annotation.stages.stage_spec import Plan, StageSpec, names_of
from annotation.stages.start_models import make_ready
from annotation.workspace.workspace import Workspace
from backends.errors import MediaError, Stopped, UsageError
from backends.protocols import Loading
from exports.catalogue import format_registry as formats
from ui.commands.options import show
from ui.commands.terminal_output import Bars, say

if TYPE_CHECKING:
    from backends.remote.url_rules import RemoteUrl

AGAIN_HINT = "unreadable replies are kept; --again repeats their requests"


@dataclass(slots=True)
class Outcome:
    """Result of one command."""

    summaries: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    stages: dict[str, dict[Stage, StageResults]] = field(default_factory=dict)
    """Results of the stages, by video id."""
    named: Collection[Stage] = ()
    """Stages that the user named: it is a problem if one of them is skipped."""
    stopped: bool = False
    took: Took = NOTHING
    currency: str = ""

    @property
    def model_calls(self) -> int:
        """Number of calls that were sent, without those read from the cache."""
        return self.took.calls

    def spent(self, spending: Spending) -> None:
        """Record calls, tokens and time of a pass."""
        self.took, self.currency = spending.taken, spending.prices.currency

    def add(self, result: VideoResult) -> None:
        """Add the result of one video."""
        self.problems += result.problems
        self.stages.setdefault(result.video.id, {}).update(result.stages)
        for stage, found in result.stages.items():
            if found.state in PROBLEMS and not found.error:  # an error is in `result.problems`
                self.problems.append(f"{result.video.title}: {stage}: {found.words}")
            elif found.state == "skipped" and stage in self.named:
                self.problems.append(f"{result.video.title}: {stage}: skipped: {found.words}")

    @property
    def exit_code(self) -> int:
        """0 done, 1 with problems, 130 stopped."""
        return 130 if self.stopped else 1 if self.problems else 0

    def lines(self) -> list[str]:
        """One line of text per video."""
        rows = [line for summary in self.summaries for line in _lines(summary)]
        unparsed = any(found["unparsed"] for one in self.summaries for found in one["stages"].values())
        return [*rows, *([AGAIN_HINT] if unparsed else []), self.took_line]

    @property
    def took_line(self) -> str:
        return took_words(self.took, self.currency, "new model call")


@dataclass(frozen=True, slots=True)
class Apart:
    """How stages without a model are distributed over processes, or over the nodes of a cluster."""

    choice: EngineChoice
    processes: int = 1
    cluster: Any = None
    """Connection returned by `annotation.pipeline.distributed.ray_cluster.connect`."""

    @classmethod
    def of(
        cls,
        choice: EngineChoice,
        stages: Sequence[StageSpec],
        database: str,
        processes: int,
        address: str | None,
    ) -> Apart | None:
        """Return None if videos are processed one after the other. Raises UsageError, BackendUnavailable."""
        if address:
            check_choice(address, database, processes)
            return cls(choice, cluster=connect(address)) if any(spec.apart for spec in stages) else None
        return cls(choice, processes) if processes > 1 else None


def run_files(
    workspace: Workspace,
    engines: Engines,
    paths: Sequence[Path | str],
    references: Sequence[Path],
    stages: Sequence[StageSpec],
    stop: Event,
    *,
    again: bool = False,
    apart: Apart | None = None,
    options: Sequence[object] = (),
    cap: Cap | None = None,
    named: Collection[Stage] = (),
) -> Outcome:
    """Run all stages on all files. Unreadable files are reported; the others are processed.

    `named` are the stages that the user named. With `apart`, the stages without a model run first, for
    several videos at once.
    """
    outcome, wanted = Outcome(named=named), names_of(stages)
    videos = everything = _add_all(workspace, paths, outcome, stop)
    for reference in references:
        _import(workspace, reference)
    with _working(workspace, engines, videos, stages, outcome, stop, again, options, cap) as (context, far):
        if videos:
            make_ready(context, stages)
        if apart:
            videos, stages = _run_apart(context, videos, stages, apart, outcome, far)
        for result in run_videos(context, videos, stages):
            outcome.add(result)
            far.ended(result.video)
    outcome.summaries = [
        video_summary(workspace.store, video)
        | {"stages": _stages_json(outcome.stages.get(video.id, {}), wanted)}
        for video in everything
    ]
    return outcome


def _stages_json(found: Mapping[Stage, StageResults], wanted: Sequence[Stage]) -> dict[str, Any]:
    """Return the stages of a video in the order in which they ran.

    Skipped stages that do not apply to most videos are left out unless named.
    """
    silent = SHOWN_ONCE_RUN if is_usual(wanted) else ()
    return {
        stage: found[stage].as_json()
        for stage in wanted
        if stage in found and not (stage in silent and found[stage].state == "skipped")
    }


def run_plan(
    workspace: Workspace,
    engines: Engines,
    plan: Plan,
    stop: Event,
    *,
    again: bool = False,
    options: Sequence[object] = (),
    cap: Cap | None = None,
) -> Outcome:
    """Run a plan. The summary describes the evaluation that contains the results."""
    outcome = Outcome()
    evaluation: Evaluation | None = None
    about = (plan.videos, plan.stages, outcome, stop, again, options, cap, plan)
    with _working(workspace, engines, *about) as (context, far):
        make_ready(context, plan.stages)
        for result, found in work_all(context, plan):
            evaluation = found or evaluation
            far.job.evaluation_id = evaluation.id if evaluation else ""
            outcome.add(result)
            far.ended(result.video)
    if evaluation:
        outcome.summaries = [plan_summary(workspace.store, evaluation, plan)]
    return outcome


@contextmanager
def _working(
    workspace: Workspace,
    engines: Engines,
    videos: Sequence[Video],
    stages: Sequence[StageSpec],
    outcome: Outcome,
    stop: Event,
    again: bool,
    options: Sequence[object],
    cap: Cap | None,
    plan: Plan | None = None,
) -> Iterator[tuple[Context, JobProgress]]:
    """Run a pass with progress bars, shown on the pages as a job. Records its calls and time."""
    with (
        closing(MediaLibrary(workspace.media)) as media,
        Bars(len(videos)) as bars,
        _stop_kept(outcome),
        job_of_command(workspace, videos, stages, stop, plan) as far,
    ):

        def report(video: Video, stage: Stage, state: str, done: int, total: int, message: str) -> None:
            for one in (bars, far.report):
                one(video, stage, state, done, total, message)

        def tell(loading: Loading) -> None:
            bars.tell(loading)
            far.show_loading(loading)

        context = new_context(
            workspace, engines, media, report, stop, again=again, options=options, tell=tell, cap=cap
        )
        try:
            yield context, far
        finally:
            far.spent(context.caller.spending)
            outcome.spent(context.caller.spending)


@contextmanager
def _stop_kept(outcome: Outcome) -> Iterator[None]:
    """End a pass without an error if the person stops it."""
    try:
        yield
    except Stopped as stopped:
        outcome.stopped = True
        say(str(stopped))


def estimate_files(
    workspace: Workspace,
    engines: Engines,
    paths: Sequence[Path | str],
    references: Sequence[Path],
    stages: Sequence[StageSpec],
    *,
    again: bool = False,
    options: Sequence[object] = (),
) -> Estimate:
    """Estimate the model calls of `run_files`. Writes nothing. Raises UsageError for URLs."""
    if urls := [str(path) for path in paths if looks_remote(str(path))]:
        raise UsageError(f"{urls[0]}: cannot estimate a URL; fetch it first: run {urls[0]} --stages probe")
    outcome = Outcome()
    with closing(MediaLibrary(workspace.media)) as media, rolled_back(workspace.store):
        videos = _add_all(workspace, paths, outcome, Event())
        for reference in references:
            _import(workspace, reference)
        context = new_context(workspace, engines, media, lambda *_: None, again=again, options=options)
        found = estimate(context, videos, stages)
    found.notes += outcome.problems
    return found


def estimate_plan(
    workspace: Workspace,
    engines: Engines,
    plan: Plan,
    *,
    again: bool = False,
    options: Sequence[object] = (),
) -> Estimate:
    """Estimate the model calls of `run_plan`."""
    with closing(MediaLibrary(workspace.media)) as media:
        context = new_context(workspace, engines, media, lambda *_: None, again=again, options=options)
        return estimate(context, plan.videos, plan.stages)


def show_estimate(found: Estimate, as_json: bool) -> None:
    """Print an estimate."""
    show(estimate_json(found), as_json, lambda: estimate_lines(found))


def _run_apart(
    context: Context,
    videos: Sequence[Video],
    stages: Sequence[StageSpec],
    apart: Apart,
    outcome: Outcome,
    far: JobProgress,
) -> tuple[list[Video], list[StageSpec]]:
    """Run the stages without a model in other processes; return the remaining videos and stages."""
    now = names_of(spec for spec in stages if spec.apart)
    if not now:
        return list(videos), list(stages)
    job = Job(context.workspace.path, context.store.url, apart.choice, now)
    lost: set[str] = set()
    about = (job, context.store, context.report, context.stop)
    spread: Spread = Cluster(apart.cluster, *about) if apart.cluster else Pool(*about)
    left = [spec for spec in stages if not spec.apart]
    for result in spread.run(videos, 0 if apart.cluster else apart.processes):
        outcome.add(result)
        lost |= {result.video.id} if result.lost else set()
        far.ended(result.video, last=result.lost or not left)
    return ([video for video in videos if video.id not in lost] if left else []), left


def _add_all(workspace: Workspace, paths: Iterable[Path | str], outcome: Outcome, stop: Event) -> list[Video]:
    """Add files, URLs and folders of them as videos. Raises MediaError and UsageError if there are none."""
    videos: dict[str, Video] = {}
    for path in paths:
        for add in _adders(workspace, path, stop):
            try:
                video = add()
            except MediaError as error:
                outcome.problems.append(str(error))
                say(f"error: {error}")
                continue
            videos[video.id] = video
    return list(videos.values())


def _adders(workspace: Workspace, path: Path | str, stop: Event) -> list[Callable[[], Video]]:
    """Return functions that each add one video of a path or URL."""
    if looks_remote(str(path)):
        return [partial(_fetch, workspace, url, stop) for url in urls_in(workspace, str(path))]
    return [partial(add_video, workspace.store, workspace.media, file) for file in video_files(Path(path))]


def _fetch(workspace: Workspace, url: RemoteUrl, stop: Event) -> Video:
    with fetch_bar(stop) as report:
        return add_remote(workspace, url, lambda done, total: report(url.name, done, total))


@contextmanager
def fetch_bar(stop: Event) -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar for downloads; yields a function (name, bytes done, bytes in total)."""
    with Bars() as bars:

        def report(name: str, done: int, total: int) -> None:
            bars(Video(id=name, title=name, created_at=0.0), "fetch", "running", done, total, "")
            if stop.is_set():
                raise Stopped("stopped; finished downloads are kept, and the next run continues from there")

        yield report


def _import(workspace: Workspace, path: Path) -> None:
    with workspace.importing():
        batch = formats.read(path, workspace.store)
        formats.commit(workspace.store, batch)
    for problem in batch.problems:
        say(f"{problem.where}: {problem.what}")
    about = {record.video_id for kind in (Question, Text) for record in batch.records.of_kind(kind)}
    videos = workspace.store.find(Video, id=list(about)) if about else []
    if videos and not any(video.path for video in videos):
        first = min(video.title for video in videos)
        more = f" and {len(videos) - 1} more" if len(videos) > 1 else ""
        say(
            f"{path.name}: this file is about {first!r}{more}, which has no video file. A reference is "
            "matched to the video whose file has its name; if another video is the same one, type: "
            f'python app.py join VIDEO "{first}"'
        )


def _lines(summary: dict[str, Any]) -> Iterator[str]:
    """The counts of a video, then each stage that is not done, with the reason."""
    yield _line(summary)
    for stage, found in summary["stages"].items():
        if found["state"] != "done":
            words = f"skipped: {found['why']}" if found["state"] == "skipped" else found["why"]
            yield f"  {stage}: {words}"


def _line(summary: dict[str, Any]) -> str:
    def counts(values: dict[str, int]) -> str:
        return ", ".join(f"{n} {name}" for name, n in sorted(values.items())) or "none"

    return (
        f"{summary['title']}: {summary['scenes']} scenes, {summary['segments']} speech segments, "
        f"{summary['text_lines']} lines of text; "
        f"captions {counts(summary['captions'])}; {summary['questions']} questions; "
        f"answers {counts(summary['answers'])}; verdicts {counts(summary['verdicts'])}"
    )


# --- scenes of a file, without a workspace ---------------------------------------------


def find_scenes(path: Path, detector: str, stop: Event) -> dict[str, Any]:
    """Run `scenes_of_file` with a progress bar. Raises Stopped if the person stops it."""
    video = Video(id="file", title=path.name, created_at=0.0)
    with Bars() as bars:

        def report(done: int, total: int) -> None:
            bars(video, "scenes", "running", done, total, "")
            if stop.is_set():
                raise Stopped("stopped; finished work is kept, and the next run continues from there")

        return scenes_of_file(path, detector, report)

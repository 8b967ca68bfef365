"""`python app.py run`: files in, counts out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from annotation.errors import MediaError, Stopped
from annotation.pipeline.context import Engines
from annotation.pipeline.footage import add_video, video_files
from annotation.pipeline.media import MediaLibrary
from annotation.pipeline.runner import new_context, run_video
from annotation.records import Stage, Video
from annotation.summary import video_summary
from annotation.workspace import Workspace
from exports import formats
from ui.console import Bars, say


@dataclass(slots=True)
class Outcome:
    """What one command did."""

    summaries: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    stopped: bool = False
    model_calls: int = 0

    def lines(self) -> list[str]:
        """One line per video, for people."""
        rows = [_line(summary) for summary in self.summaries]
        return [*rows, f"{self.model_calls} new model calls"]


def run_files(
    workspace: Workspace,
    engines: Engines,
    paths: Sequence[Path],
    references: Sequence[Path],
    stages: Sequence[Stage],
    stop: Event,
    *,
    again: bool = False,
) -> Outcome:
    """All stages over all files. Unreadable files are reported, the others go on."""
    outcome = Outcome()
    videos = _add_all(workspace, paths, outcome)
    for reference in references:
        _import(workspace, reference)
    media = MediaLibrary(workspace.media)
    with Bars() as bars:
        context = new_context(workspace, engines, media, bars, stop, again=again)
        try:
            for video in videos:
                result = run_video(context, workspace.store.get(Video, video.id), stages)
                outcome.problems += result.problems
                if result.failed_items:
                    outcome.problems.append(f"{video.title}: {result.failed_items} requests failed")
        except Stopped as stopped:
            outcome.stopped = True
            say(str(stopped))
        finally:
            media.close()
    outcome.model_calls = context.caller.fresh_calls
    outcome.summaries = [video_summary(workspace.store, video) for video in videos]
    return outcome


def _add_all(workspace: Workspace, paths: Iterable[Path], outcome: Outcome) -> list[Video]:
    videos: dict[str, Video] = {}
    for path in paths:
        for file in video_files(path):
            try:
                video = add_video(workspace.store, workspace.media, file)
            except MediaError as error:
                outcome.problems.append(str(error))
                say(f"error: {error}")
                continue
            videos[video.id] = video
    return list(videos.values())


def _import(workspace: Workspace, path: Path) -> None:
    batch = formats.read(path, workspace.store)
    formats.commit(workspace.store, batch)
    for problem in batch.problems:
        say(f"{problem.where}: {problem.what}")


def _line(summary: dict[str, Any]) -> str:
    def counts(values: dict[str, int]) -> str:
        return ", ".join(f"{n} {name}" for name, n in sorted(values.items())) or "none"

    return (
        f"{summary['title']}: {summary['scenes']} scenes, {summary['segments']} speech segments; "
        f"captions {counts(summary['captions'])}; {summary['questions']} questions; "
        f"answers {counts(summary['answers'])}; verdicts {counts(summary['verdicts'])}"
    )

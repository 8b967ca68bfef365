"""The sample's hand-written evaluation, judged anew by a server: 43 items, no video file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from annotation.pipeline.backfill_and_second_judge import plan_fill
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.pipeline.evaluation_pass_runner import work_all
from annotation.pipeline.stage_runner import new_context
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.runs import Evaluation, Run
from annotation.stages.media_library import MediaLibrary
from annotation.workspace.workspace import Workspace
from backends.chat.openai_chat import OpenAiChat
from backends.chat.retries import Retries
from exports.catalogue import format_registry as formats
from exports.sample import JUDGED, SAMPLE

ITEMS = 43
QUICK = Retries(tries=3, first_wait_s=0.01, longest_wait_s=0.05, total_s=20)
TIMEOUT_S = 1.5


@dataclass(frozen=True)
class Judged:
    """What came of one run of the judge."""

    verdicts: tuple[Verdict, ...]
    problems: tuple[str, ...]

    @property
    def states(self) -> Counter[str]:
        return Counter(str(verdict.state) for verdict in self.verdicts)

    @property
    def scores(self) -> int:
        return sum(verdict.score is not None for verdict in self.verdicts)


def sample_workspace(folder: Path, database: str | None = None) -> Workspace:
    """A workspace that holds the evaluation, its questions and its answers."""
    workspace = Workspace(folder, database)
    for name in ("vdc_captions.jsonl", "vdc_qa", "evaluation"):
        formats.commit(workspace.store, formats.read(SAMPLE / name, workspace.store))
    return workspace


def judge_sample(workspace: Workspace, spec: str, stop: Event | None = None) -> Judged:
    """Every verdict that the judge behind `spec` gives, by the pipeline itself."""
    store = workspace.store
    (evaluation,) = store.find(Evaluation, name=JUDGED)
    judge = OpenAiChat(spec, timeout_s=TIMEOUT_S, retries=QUICK)
    engines = replace(make_engines(EngineChoice(speech="none", ocr="none"), workspace), judge=judge)
    media = MediaLibrary(workspace.media)
    try:
        context = new_context(workspace, engines, media, lambda *_: None, stop)
        results = [result for result, _ in work_all(context, plan_fill(store, evaluation.id, ["verdicts"]))]
    finally:
        media.close()
        judge.close()
    run = next(run for run in store.find(Run, stage="verdicts") if run.backend == spec)
    problems = tuple(problem for result in results for problem in result.problems)
    return Judged(tuple(store.find(Verdict, run_id=run.id)), problems)

"""Records a model's work on the sample: answers out of its hand-written captions, and verdicts on them.

    python -m sample.record --judge llama:FILE.gguf --name NAME [--workspace NEW]

Writes `recorded.jsonl` in Dailies' own form: every request, raw reply, prompt hash and version. With
`--workspace` a recording that was stopped goes on, and changed labels cost no call. Verdicts of the sample's
authors (`recorded_labels.jsonl`) are laid over those of the model wherever it gives the same answer to the
same question.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotation.intake.add_video import add_video
from annotation.pipeline.backfill_and_second_judge import plan_fill
from annotation.pipeline.engines import choose, make_engines
from annotation.records.captions_to_verdicts import Answer, Question, Verdict
from annotation.records.decisions import Correction, Person
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, EvaluationRun, ModelCall, Run
from annotation.records.videos import Alias, Dataset, Video
from annotation.store.evaluation_by_name import find_evaluation
from annotation.store.rows import to_row
from annotation.workspace.workspace import Workspace
from exports.catalogue import format_registry as formats
from exports.generic.dailies_jsonl import VERSION
from exports.sample import JUDGED, RECORDED, SAMPLE, TITLE
from ui.commands.run_stages import run_plan
from ui.commands.terminal_output import say, stoppable

LABELS = "recorded_labels.jsonl"
AUTHORS = "sample authors"
NOTE = (
    "Answers and verdicts of {model}, recorded with its raw replies; the captions are the hand-written ones. "
    "It shows how a small judge errs: it is no score of a captioner, and compares with no published VDCscore."
)


@dataclass(frozen=True, slots=True)
class Label:
    """What the authors of the sample say of one answer."""

    question: str
    answer: str
    pred: str
    score: float
    reason: str


def main() -> None:
    """Fills, asks, writes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--judge", required=True, help="the engine, as `run --judge` takes it")
    parser.add_argument("--name", required=True, help="what the evaluation is to be called")
    parser.add_argument("--workspace", type=Path, help="where the work is kept; default: thrown away")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(options.workspace or Path(folder))
        try:
            evaluation = ask(workspace, options.judge)
            records = recorded(workspace, evaluation, options.name)
        finally:
            workspace.close()
    write(records, SAMPLE / RECORDED)


def ask(workspace: Workspace, spec: str) -> Evaluation:
    """The evaluation beside the hand-written one. Raises SystemExit where the engine did not finish."""
    store = workspace.store
    add_video(store, workspace.media, SAMPLE / "clip.mp4", title=TITLE)
    for name in ("vdc_captions.jsonl", "vdc_qa", "evaluation"):
        formats.commit(store, formats.read(SAMPLE / name, store))
    choice = choose({}, extractor=spec, judge=spec, speech="none", ocr="none")
    plan = plan_fill(store, find_evaluation(store, JUDGED), ["answers", "verdicts"])
    started = time.monotonic()
    with stoppable() as stop:
        outcome = run_plan(workspace, make_engines(choice, workspace), plan, stop)
    if outcome.exit_code:
        raise SystemExit(outcome.exit_code)
    say(f"{outcome.model_calls} calls in {time.monotonic() - started:.0f} s")
    return next(one for one in store.find(Evaluation) if one.name != JUDGED)


def recorded(workspace: Workspace, evaluation: Evaluation, name: str) -> list[Record]:
    """What the model did, without what the sample's other files bring."""
    store = workspace.store
    links = store.find(EvaluationRun, evaluation_id=evaluation.id)
    runs = store.find(Run, id=[link.run_id for link in links if link.role in ("answers", "verdicts")])
    ids = [run.id for run in runs]
    answers, verdicts = store.find(Answer, run_id=ids), store.find(Verdict, run_id=ids)
    calls = store.find(ModelCall, id=[one.call_id for one in (*answers, *verdicts) if one.call_id])
    people, (base,) = store.find(Person, name=AUTHORS), store.find(Evaluation, name=JUDGED)
    note = NOTE.format(model=runs[-1].model)
    questions = {question.id: question for question in store.find(Question)}
    return [
        *(replace(video, path=None) for video in store.find(Video)),
        *store.find(Dataset),
        *store.find(Alias),
        *people,
        *(replace(run, backend=_without_path(run.backend)) for run in runs),
        *(replace(call, backend=_without_path(call.backend)) for call in calls),
        *answers,
        *verdicts,
        # Pages open with the newest evaluation: that is to be the hand-written one, which shows every state.
        replace(evaluation, name=name, note=note, created_at=base.created_at - 1),
        *links,
        *corrections(answers, verdicts, questions, people[0], labels()),
    ]


def _without_path(spec: str) -> str:
    """`llama:/home/me/x.gguf` as `llama:x.gguf`: where files lie is private."""
    kind, colon, rest = spec.partition(":")
    return f"{kind}{colon}{Path(rest).name}" if kind in ("llama", "vllm") else spec


def labels() -> list[Label]:
    """The authors' verdicts on answers of the model."""
    lines = (SAMPLE / LABELS).read_text(encoding="utf-8").splitlines()
    return [Label(**json.loads(line)) for line in lines]


def corrections(
    answers: Iterable[Answer],
    verdicts: Iterable[Verdict],
    questions: dict[str, Question],
    author: Person,
    given: Iterable[Label],
) -> list[Correction]:
    """The authors' verdicts laid over the model's, where question and answer are the same."""
    of_answer = {verdict.subject_id: verdict for verdict in verdicts}
    known = {(questions[a.question_id].text, a.value): of_answer[a.id] for a in answers if a.id in of_answer}
    found = [(label, known.get((label.question, label.answer))) for label in given]
    return [
        Correction(
            id=record_id("cor", verdict.id, label.pred, label.score),
            subject_type="verdict",
            subject_id=verdict.id,
            field="verdict",
            value={"label": label.pred, "score": label.score},
            cleared=False,
            revision=1,
            person_id=author.id,
            reason=label.reason,
            created_at=verdict.created_at,
        )
        for label, verdict in found
        if verdict is not None
    ]


def write(records: Sequence[Record], path: Path) -> None:
    """Dailies' own form; an unchanged record gives the same line."""
    counts: dict[str, int] = {}
    for record in records:
        counts[type(record).__name__] = counts.get(type(record).__name__, 0) + 1
    rows = [{"record": type(record).__name__, **to_row(record)} for record in records]
    lines = [{"format": "dailies", "version": VERSION, "records": counts}, *rows]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    say(f"{path}: {', '.join(f'{n} {name}' for name, n in counts.items())}")


if __name__ == "__main__":
    main()

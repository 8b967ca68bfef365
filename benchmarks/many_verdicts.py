"""A workspace with made verdicts on real questions: what the pages and the scorer do with many.

    python -m benchmarks.many_verdicts --questions FOLDER --workspace NEW     # VDCscore_qa, five files
        [--database postgresql://...]

Prints a Markdown table: import, every filter and sort over HTTP, first paint of the pages in Chromium,
sizes, and the server's memory. The verdicts are drawn; the questions are the published ones. The exit
status is 1 when a limit is not kept.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from annotation.records.captions_to_verdicts import Answer, Question, Verdict
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from benchmarks.many_served import Line, measure, table
from exports.catalogue import format_registry as formats

RAW = "{{'pred': '{label}', 'score': {score}}}"
CHUNK = 20_000


def fill(
    space: Workspace, questions: Path, *, evaluations: int = 1, videos: int | None = None
) -> dict[str, float]:
    """Import the questions and give each an answer and a verdict. Returns seconds per step."""
    seconds: dict[str, float] = {}
    begin = time.monotonic()
    batch = formats.read(questions, space.store)
    formats.commit(space.store, batch)
    seconds["import of the questions"] = time.monotonic() - begin
    asked = [record for record in batch.records if isinstance(record, Question)]
    if videos is not None:
        chosen = sorted({q.video_id for q in asked})[:videos]
        asked = [q for q in asked if q.video_id in set(chosen)]
    for number in range(evaluations):
        begin = time.monotonic()
        records = verdicts(asked, number)
        for start in range(0, len(records), CHUNK):
            space.store.add(records[start : start + CHUNK])
        seconds[f"writing evaluation {number + 1}"] = time.monotonic() - begin
    return seconds


def verdicts(asked: list[Question], seed: int) -> list[Record]:
    """Runs, answers and verdicts of one made evaluation."""
    draw = random.Random(seed)
    now = time.time()
    runs = {
        role: Run(
            id=record_id("run", "made", role, seed),
            stage=role,
            backend="import:made",
            model=f"made judge {seed + 1}" if role == "verdicts" else "made",
            created_at=now,
        )
        for role in ("answers", "verdicts")
    }
    evaluation = Evaluation(
        id=record_id("evl", "made", seed), name=f"made verdicts {seed + 1}", created_at=now + seed
    )
    records: list[Record] = [*runs.values(), evaluation]
    records += [
        EvaluationRun(
            id=record_id("evr", evaluation.id, role),
            evaluation_id=evaluation.id,
            role=role,  # type: ignore[arg-type]
            run_id=run.id,
        )
        for role, run in runs.items()
    ]
    skill = {video: draw.betavariate(3, 4) for video in sorted({q.video_id for q in asked})}
    for question in asked:
        answer = Answer(
            id=record_id("ans", "made", seed, question.id),
            video_id=question.video_id,
            question_id=question.id,
            run_id=runs["answers"].id,
            source="imported",
            value="a made answer",
            created_at=now,
        )
        records += [answer, _verdict(draw, runs["verdicts"].id, answer, skill[question.video_id], now)]
    return records


def _verdict(draw: random.Random, run_id: str, answer: Answer, skill: float, now: float) -> Verdict:
    yes = draw.random() < skill
    label, score = ("yes", draw.choice([3, 4, 4, 5, 4.8])) if yes else ("no", draw.choice([0, 0, 1, 2]))
    state = draw.choices(["done", "unparsed", "failed"], [0.985, 0.01, 0.005])[0]
    raw = {"done": RAW.format(label=label, score=score), "unparsed": "I would say it depends.", "failed": ""}
    return Verdict(
        id=record_id("jdg", run_id, answer.id),
        video_id=answer.video_id,
        run_id=run_id,
        subject_type="answer",
        subject_id=answer.id,
        value_type="yes_no_score",
        created_at=now,
        state=state,  # type: ignore[arg-type]
        label=label if state == "done" else "",
        score=score if state == "done" else None,
        raw=raw[state],
        reason="" if state == "done" else "made so",
    )


def spread_corrections(store: Store, person_id: str, share: float, seed: int = 0) -> int:
    """A person corrects or confirms some verdicts of every evaluation; returns how many."""
    draw = random.Random(seed)
    done = [j for j in store.find(Verdict, state="done") if draw.random() < share]
    for verdict in done:
        keeps = draw.random() < 0.82
        label = verdict.label if keeps else {"yes": "no", "no": "yes"}[verdict.label]
        score = verdict.score if keeps else {"yes": 4, "no": 1}[label]
        store.correct(
            "verdict",
            verdict.id,
            "verdict",
            {"label": label, "score": score},
            person_id=person_id,
            base_revision=0,
        )
    return len(done)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--database")
    parser.add_argument("--videos", type=int)
    parser.add_argument("--evaluations", type=int, default=2)
    parser.add_argument("--corrections", type=float, default=0.0)
    parser.add_argument(
        "--fill-only", action="store_true", help="make the workspace and measure nothing else"
    )
    given = parser.parse_args()
    lines = _filled(given)
    if not given.fill_only:
        lines += measure(given.workspace, given.database)
    print(table(lines))
    return int(any(line.kept is False for line in lines))


def _filled(given: argparse.Namespace) -> list[Line]:
    """A workspace that is there already is measured as it is."""
    space = Workspace(given.workspace, given.database)
    if space.store.find(Evaluation):
        space.close()
        return []
    steps = fill(space, given.questions, evaluations=given.evaluations, videos=given.videos)
    lines = [Line(step, f"{took:.1f} s", "", None) for step, took in steps.items()]
    if given.corrections:
        n = spread_corrections(space.store, space.owner().id, given.corrections)
        lines.append(Line("corrections", str(n), "", None))
    space.close()
    return lines


if __name__ == "__main__":
    sys.exit(main())

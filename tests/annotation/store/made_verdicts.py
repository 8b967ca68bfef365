"""A small workspace with two evaluations of the same questions."""

from __future__ import annotations

import random

from annotation.records.captions_to_verdicts import Answer, Question, Verdict
from annotation.records.decisions import ErrorSource, Person
from annotation.records.ids import new_id
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Video
from annotation.store.store import Store

KINDS = ("vdc:camera", "vdc:short")
VIDEOS, EACH = 7, 6
PERSON = Person(id="per-1", name="annotator", role="annotator", created_at=1.0)


def world(seed: int = 0) -> list[Record]:
    """Two evaluations over the same questions; the second lacks some."""
    draw = random.Random(seed)
    records: list[Record] = [PERSON]
    for name in ("a", "b"):
        run = Run(id=f"run-{name}", stage="verdicts", backend="import:x", model=name, created_at=1.0)
        evaluation = Evaluation(id=f"evl-{name}", name=name, created_at=1.0)
        records += [
            run,
            evaluation,
            EvaluationRun(id=f"evr-{name}", evaluation_id=evaluation.id, role="verdicts", run_id=run.id),
        ]
    for v in range(VIDEOS):
        source = {"video_source": ("ego4d", "pexels")[v % 2]}
        # Two videos of one name, and names that sort otherwise than ids.
        records.append(Video(id=f"vid-{v}", title=f"film {(VIDEOS - v) // 2}", created_at=1.0, extra=source))
        for kind in KINDS:
            records += [r for n in range(EACH) for r in _one(draw, v, kind, n)]
    return records


def _one(draw: random.Random, v: int, kind: str, n: int) -> list[Record]:
    key = f"{v}-{kind[-1]}-{n}"
    question = Question(
        id=f"qst-{key}",
        video_id=f"vid-{v}",
        kind=kind,
        index=n,
        text=f"What is Number {n % 4}?",
        reference=f"a {'RED' if n % 2 else 'blue'} thing",
        category=("colour", "count")[n % 2],
        created_at=1.0,
    )
    found: list[Record] = [question]
    for name in ("a", "b"):
        if name == "b" and draw.random() < 0.3:
            continue
        answer = Answer(
            id=f"ans-{name}-{key}",
            video_id=question.video_id,
            question_id=question.id,
            run_id=f"run-{name}",
            source="imported",
            value="x",
            created_at=1.0,
        )
        found += [answer, verdict(draw, answer, f"jdg-{name}-{draw.randrange(10**6)}-{key}")]
    return found


def verdict(draw: random.Random, answer: Answer, verdict_id: str) -> Verdict:
    state = draw.choice(["done", "done", "done", "unparsed", "failed"])
    label = draw.choice(["yes", "no"]) if state == "done" else ""
    return Verdict(
        id=verdict_id,
        video_id=answer.video_id,
        run_id=answer.run_id,
        subject_type="answer",
        subject_id=answer.id,
        value_type="yes_no_score",
        created_at=float(draw.randrange(5)),
        state=state,
        label=label,
        score=draw.choice([0, 1, 2, 2.5, 3, 4.8]) if label else None,
    )


def set_error_source(store: Store, verdict_id: str, kind: str) -> None:
    video = store.get(Verdict, verdict_id).video_id
    store.set_error_source(
        ErrorSource(
            id=new_id("blm"),
            video_id=video,
            verdict_id=verdict_id,
            person_id=PERSON.id,
            kind=kind,
            created_at=2.0,
        )
    )

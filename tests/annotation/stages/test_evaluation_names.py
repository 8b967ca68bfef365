"""What evaluations of the pipeline are called, and what is added where two would be alike."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from annotation.records.runs import Run
from annotation.stages.link_evaluation import default_name, link_evaluation
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace

NOON = datetime(2026, 11, 25, 12, 30, 5, tzinfo=UTC).timestamp()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    space = Workspace(tmp_path / "w")
    yield space.store
    space.close()


def run(store: Store, stage: str, model: str, seed: int = 0, created_at: float = NOON) -> Run:
    made = Run(
        id=f"run-{stage}-{model}-{seed}",
        stage=stage,  # type: ignore[arg-type]
        backend=model,
        model=model,
        seed=seed,
        created_at=created_at,
    )
    store.add([made])
    return made


def chain(store: Store) -> list[Run]:
    return [run(store, stage, "m") for stage in ("captions", "questions", "verdicts")]


def test_model_benchmark_day_and_judge(store: Store) -> None:
    captions, own, other = (
        run(store, *of) for of in (("captions", "m"), ("verdicts", "m"), ("verdicts", "j"))
    )
    assert default_name("VDC", captions, own) == "m, VDC 2026-11-25"
    assert default_name("VDC", captions, other) == "m, VDC 2026-11-25, judged by j"
    assert default_name("CapST", None, other) == "imported captions, CapST 2026-11-25, judged by j"


def test_names_that_are_taken_say_whose_questions_then_when(store: Store) -> None:
    captions, questions, verdicts = (
        run(store, stage, "m") for stage in ("captions", "questions", "verdicts")
    )

    def name(*more: Run) -> str:
        runs = [("captions", captions), *(("questions", q) for q in more), ("verdicts", verdicts)]
        return link_evaluation(store, runs, "m, VDC 2026-11-25").name  # type: ignore[arg-type]

    assert name() == "m, VDC 2026-11-25"
    assert name(questions) == "m, VDC 2026-11-25 (questions by m)"
    assert name(run(store, "questions", "m", 1)) == "m, VDC 2026-11-25 (12:30 UTC)"
    assert name(run(store, "questions", "m", 2)) == "m, VDC 2026-11-25 (12:30:05 UTC)"
    last = name(run(store, "questions", "m", 3))
    assert last.startswith("m, VDC 2026-11-25 (") and len(last) == len("m, VDC 2026-11-25 (3041)")


def test_questions_of_the_reference_are_named(store: Store) -> None:
    captions, questions, verdicts = (
        run(store, stage, "m") for stage in ("captions", "questions", "verdicts")
    )
    link_evaluation(store, [("captions", captions), ("questions", questions), ("verdicts", verdicts)], "m")
    beside = link_evaluation(store, [("captions", captions), ("verdicts", verdicts)], "m")
    assert beside.name == "m (questions of the reference)"

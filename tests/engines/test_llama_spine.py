"""From one clip to a judge held to account, with a real model on llama.cpp, as typed.

SmolLM2-135M is no judge: what it says counts for nothing here, only that all of it is kept, read and counted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from annotation.editing.edits import Edit, apply_edit
from annotation.records.captions_to_verdicts import Answer, Verdict
from annotation.records.runs import Evaluation, EvaluationRun, ModelCall
from annotation.scores.held_back_half import is_held_back
from annotation.workspace.workspace import Workspace
from tests.engines.small_gguf import ROOT, small_gguf

pytestmark = [pytest.mark.engines, pytest.mark.timeout(900)]

OPTIONS = "context=2048&threads=1"
REFERENCES = ("vdc_captions", "vdc_qa/camera", "vdc_qa/short")

UNREADABLE = (0, 1)
"""Exit codes of a run where some replies of so small a model may be unreadable."""
COPIES = """=== system ===
You copy JSON.
=== user ===
Copy this JSON and nothing else: {"pred": "yes", "score": 4} ({reference}: {answer}, {question})
"""
"""A judge's prompt that so small a model obeys; to the protocol's it gives no verdict."""
ASKS = """=== system ===
You reply with one word and one number.
=== user ===
{question} Does "{answer}" mean "{reference}"? Say Yes, 4 or No, 1.
"""


class Desk:
    """Commands in one workspace, with the model."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        (folder / "prompts").mkdir(parents=True)
        (folder / "prompts" / "vdc_verdict.txt").write_text(COPIES)
        self.model = small_gguf().stem
        self.engine = f"llama:{small_gguf()}?{OPTIONS}"
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "HF_HUB_OFFLINE": "1"}

    def __call__(self, *words: object, codes: Sequence[int] = (0,)) -> tuple[Any, str]:
        """What it printed as JSON, and what it said meanwhile. `codes`: the exit codes that are fine."""
        command = [sys.executable, "app.py", *map(str, words), "--workspace", str(self.folder), "--json"]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False, timeout=600
        )
        assert done.returncode in codes, done.stderr
        return json.loads(done.stdout), done.stderr


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "workspace", tmp_path / "cache")


def test_from_a_clip_to_kappa_per_version_of_the_judges_prompt(desk: Desk, tmp_path: Path) -> None:
    name = run_the_clip(desk)
    judge_twice(desk, name)
    space = Workspace(desk.folder)
    try:
        labels = label(space, name)
    finally:
        space.close()
    look_at_scores(desk, name, sum(labels.values()))
    try_a_prompt(desk, name, labels, tmp_path / "strict.txt")


def run_the_clip(desk: Desk) -> str:
    """Real answers and verdicts with progress. The evaluation's name."""
    words: list[object] = ["run", "sample/clip.mp4", "--speech", "none", "--judge", desk.engine]
    for reference in REFERENCES:
        words += ["--reference", f"sample/{reference}.jsonl"]
    (summary,), told = desk(*words, "--stages", "captions,questions,answers,verdicts", codes=UNREADABLE)
    assert "loading weights" in told and "clip: " in told and "%)" in told, told
    space = Workspace(desk.folder)
    try:
        calls = space.store.find(ModelCall, model=desk.model)
        assert len(calls) == 2 * summary["questions"], "an answer and a verdict each"
        assert all(call.reply.strip() for call in calls)
        (evaluation,) = space.store.find(Evaluation)
    finally:
        space.close()
    assert sum(summary["verdicts"].values()) == summary["questions"] > 10
    assert evaluation.name.startswith("baseline, VDC 20")
    assert evaluation.name.endswith(f", judged by {desk.model}")
    return evaluation.name


def judge_twice(desk: Desk, name: str) -> None:
    desk("run-evaluation", name, "--judge", desk.engine, "--repeats", 2, codes=UNREADABLE)
    (found,), _ = scores(desk, name)
    assert (found["repeats"]["most"], found["repeats"]["seeds"]) == (2, [0, 1])
    assert 0 <= found["repeats"]["consistency"]["value"] <= 1


def scores(desk: Desk, name: str) -> tuple[Any, str]:
    found, told = desk("score", "vdc", "--evaluation", name)
    return (found if isinstance(found, list) else [found]), told


def label(space: Workspace, name: str) -> dict[str, int]:
    """The owner judges every answer, yes and no by turns in either half. Labels by half."""
    (evaluation,) = space.store.find(Evaluation, name=name)
    (judged,) = space.store.find(EvaluationRun, evaluation_id=evaluation.id, role="verdicts")
    question_of = {answer.id: answer.question_id for answer in space.store.find(Answer)}
    verdicts = space.store.find(Verdict, run_id=judged.run_id)
    counts = {"work": 0, "held_back": 0}
    for verdict in sorted(verdicts, key=lambda v: question_of[v.subject_id]):
        half = "held_back" if is_held_back(question_of[verdict.subject_id]) else "work"
        yes = counts[half] % 2 == 0
        counts[half] += 1
        value = {"label": "yes" if yes else "no", "score": 4.0 if yes else 1.0}
        apply_edit(space.store, space.owner(), Edit("verdict", verdict.id, "verdict", value, 0))
    assert all(counts.values())
    return counts


def look_at_scores(desk: Desk, name: str, labels: int) -> None:
    """How the judge agrees with people, and which difference their labels could show."""
    (found,), _ = scores(desk, name)
    assert 0 < found["agreement"]["n"] <= labels
    assert found["people"]["accuracy"]["labelled"] == found["agreement"]["n"]
    assert found["people"]["accuracy"]["estimate"]["value"] is not None


def try_a_prompt(desk: Desk, name: str, labels: dict[str, int], file: Path) -> None:
    """Only the labelled verdicts are judged again; kappa per version on the half that was held back."""
    file.write_text(ASKS)
    desk("prompt", "add", "vdc_verdict", "strict", file)
    for words in (("usual", name), ("strict", name), ("strict", name, "--held-back")):
        found, _ = desk("prompt", "try", "vdc_verdict", *words, "--judge", desk.engine, codes=UNREADABLE)
    assert found["labels"] == labels and [look["label"] for look in found["looks"]] == ["strict"]
    for row in (found["usual"], *found["versions"]):
        figures = {figure["half"]: figure for figure in row["figures"]}
        assert figures.keys() == labels.keys()
        for half, figure in figures.items():
            assert (figure["of"], figure["asked"]) == (labels[half], labels[half])
            assert 0 <= figure["n"] <= labels[half] and "value" in figure["kappa"]
    assert all(figure["n"] > 0 for figure in found["usual"]["figures"]), "read, and compared with people"

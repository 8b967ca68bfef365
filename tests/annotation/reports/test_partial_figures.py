"""What is not finished is labelled partial in the figure itself: causes, scores and comparisons."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from typer.testing import CliRunner

from annotation.records.runs import Evaluation, EvaluationRun, RunVideo
from annotation.records.videos import Video
from annotation.reports.evaluation_report import comparison, comparison_lines, report
from annotation.reports.paper_tables import score_tables
from annotation.reports.points_by_cause import points_by_cause
from annotation.reports.several_evaluations_report import side_by_side
from annotation.store.benchmark_of_evaluation import evaluations_of
from annotation.workspace.workspace import Workspace
from app import cli
from benchmarks.many_verdicts import fill
from exports.catalogue import format_registry as formats
from tests.databases import new_workspace

ANSWERS = ("a cat", "unknown", "a dog on the lawn", "two boats", "blue")


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """Two evaluations of six videos with ten questions each."""
    folder = tmp_path / "qa"
    folder.mkdir()
    for aspect in ("camera", "short"):
        questions = [{"question": f"What is {i}?", "answer": answer} for i, answer in enumerate(ANSWERS)]
        rows = [{f"video-{n}": questions} for n in range(6)]
        (folder / f"{aspect}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    made = new_workspace(tmp_path / "workspace")
    fill(made, folder, evaluations=2)
    yield made
    made.close()


def test_what_is_not_read_is_no_cause(space: Workspace) -> None:
    """Each look reads one video more: no sum is larger than in the end, and all add up alike."""
    (evaluation, *_) = space.store.find(Evaluation)
    looks = [points_by_cause(space.store, evaluation.id, "aspect", 0) for _ in range(8)]
    whole = looks[-1]
    assert [look.waiting for look in looks] == [5, 4, 3, 2, 1, 0, 0, 0]
    final = {(row.group, row.cause, row.basis): row for row in whole.rows}
    assert not any(row.partial for row in whole.rows) and not any(row.cause == "unread" for row in whole.rows)
    for look in looks[:5]:
        for row in look.rows:
            if row.cause == "unread":
                continue
            assert row.accuracy <= final[row.group, row.cause, row.basis].accuracy + 1e-9, row
            exact = row.cause == "passed" or row.basis == "confirmed"
            assert row.partial != exact, row
        for group in ("", *look.groups):
            short = [sum(r.accuracy for r in one.rows if r.group == group) for one in (look, whole)]
            assert short[0] == pytest.approx(short[1])
        assert sum(row.n for row in look.rows if row.cause == "unread" and not row.group) > 0


def unfinish(space: Workspace, evaluation: Evaluation, state: str) -> None:
    (link,) = space.store.find(EvaluationRun, evaluation_id=evaluation.id, role="verdicts")
    video = space.store.find(Video, order_by=["id"])[0]
    row = RunVideo(id="rv-1", run_id=link.run_id, video_id=video.id, stage="verdicts", state="running")
    space.store.put(replace(row, state=state))  # type: ignore[arg-type]


@pytest.mark.parametrize("state", get_args(get_type_hints(RunVideo)["state"]))
def test_scores_of_an_unfinished_evaluation_are_partial(space: Workspace, state: str) -> None:
    one, other = space.store.find(Evaluation, order_by=["created_at"])
    unfinish(space, one, state)
    partial = state in ("queued", "running", "stopped", "failed")
    found = report(space.store, one.id)
    assert found["unfinished"] == partial and {row["partial"] for row in found["rows"]} == {partial}
    assert {row["partial"] for row in report(space.store, other.id)["rows"]} == {False}
    compared = comparison(space.store, one.id, other.id)
    assert {row["partial"] for row in compared["rows"]} == {partial}
    assert ("partial: a run of A" in "\n".join(comparison_lines(compared))) == partial
    cells = [cell for table in score_tables({"system": "vdc"} | found) for row in table.rows for cell in row]
    assert any(cell.endswith(", partial") for cell in cells) == partial
    beside = side_by_side(space.store, [one.id, other.id], "parsed")["rows"]
    assert beside[0]["figures"]["score_macro"][""]["partial"] == partial


def test_score_prints_that_it_is_partial(space: Workspace) -> None:
    one, _other = space.store.find(Evaluation, order_by=["created_at"])
    unfinish(space, one, "running")

    def printed(*arguments: str) -> str:
        asked = ["score", "vdc", "--evaluation", one.id, "--workspace", str(space.path), *arguments]
        result = CliRunner().invoke(cli, asked)
        assert result.exit_code == 0, result.output
        return result.stdout

    lines = printed("--policy", "parsed").splitlines()
    assert lines[1].startswith("partial: a run of this evaluation is not finished for 1 video")
    assert all(", partial" in line for line in lines if " questions, " in line)
    assert all(row["partial"] for row in json.loads(printed("--json"))["rows"])
    assert ", partial" in printed("--by", "error-source")


def test_a_report_is_marked_by_its_evaluation_and_not_by_a_name(space: Workspace, tmp_path: Path) -> None:
    """A report on recalls has the name of their model, which need not be its evaluation's."""
    file = tmp_path / "leaderboard.json"
    file.write_text(json.dumps([{"model": "CaRe 7B", "spatial": 90.83, "temporal": 77.35}]))
    one, *_ = space.store.find(Evaluation, order_by=["created_at"])
    space.store.put(replace(one, name="CaRe 7B"))
    unfinish(space, one, "running")
    formats.commit(space.store, formats.read(file, space.store))
    (kept,) = evaluations_of(space.store, "rebias")

    def partial(*files: str) -> set[bool]:
        asked = ["score", "rebias", *files, "--json", "--workspace", str(space.path)]
        result = CliRunner().invoke(cli, asked)
        assert result.exit_code == 0, result.output
        return {row["partial"] for row in json.loads(result.stdout)["rows"]}

    assert partial(str(file)) == partial() == {False}
    unfinish(space, one, "done")
    unfinish(space, kept, "running")
    assert partial(str(file)) == {False} and partial() == {True}

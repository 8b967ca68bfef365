"""Tables for a paper: the figures of `score` and `compare`, with what has to be said beside them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.version import VERSION
from annotation.reports.methods import ROLES, models_with_prompts
from annotation.reports.paper_tables import STYLES, Table, _latex, _markdown
from tests.app_process import run_app as run
from tests.exports.world import filled_store


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    filled_store(tmp_path).close()
    return tmp_path


def score(workspace: Path, *more: str) -> str:
    done = run("score", "vdc", "--workspace", str(workspace), *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_figures_are_those_of_the_report(workspace: Path) -> None:
    rows = json.loads(score(workspace, "--policy", "parsed", "--json"))["rows"]
    markdown = score(workspace, "--policy", "parsed", "--table", "markdown")
    latex = score(workspace, "--policy", "parsed", "--table", "latex")
    assert any(row["value"] is not None for row in rows)
    for row in rows:
        assert f"{row['n']} of {row['of']}" in markdown
        assert f"{row['n']} of {row['of']}" in latex
        if row["value"] is not None:
            assert f" {row['value']:.3f}" in markdown
            assert f" {row['value']:.3f}" in latex


@pytest.mark.parametrize("style", STYLES)
def test_a_methods_line_names_judge_prompts_policy_and_version(workspace: Path, style: str) -> None:
    last = score(workspace, "--policy", "parsed", "--table", style).splitlines()[-1]
    assert "judged by" in last
    assert "prompt " in last
    assert "policy parsed: readable verdicts only" in last
    assert f"Dailies {VERSION}." in last


def test_prompts_are_those_of_the_runs(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    (evaluation,) = store.find(Evaluation, name="first try")
    found = {model.role: model for model in models_with_prompts(store, evaluation.id)}
    assert list(found) == [role for role in ROLES if role in found]
    (link,) = store.find(EvaluationRun, evaluation_id=evaluation.id, role="verdicts")
    judge = store.get(Run, link.run_id)
    assert (found["verdicts"].name, found["verdicts"].prompt_hash) == (judge.model, judge.prompt_hash)
    store.close()


def test_what_models_are_called_cannot_break_the_table() -> None:
    table = Table("a_b & 50 % | $x$ \\ {", ("aspect", "n"), (("x|y", "1_000 & ~^"), ("<b>", "#")), "parsed")
    latex = "\n".join(_latex(table))
    assert r"a\_b \& 50 \% | \$x\$ \textbackslash{} \{" in latex
    assert r"1\_000 \& \textasciitilde{}\textasciicircum{} \\" in latex
    rows = (("[1cm] pull", "1"), ("*", "2"), ("form\x0cfeed", "3"))
    sharp = "\n".join(_latex(Table("line\u2028end", ("category", "n"), rows, "parsed")))
    assert "\n{}[1cm] pull &" in sharp and "\n{}* &" in sharp and "form feed" in sharp and "line end" in sharp
    assert latex.count(r"\begin{") == latex.count(r"\end{") == 2
    rows = [line for line in _markdown(table) if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {3}


def test_the_two_kinds_of_output_are_not_mixed(workspace: Path) -> None:
    for more, why in (
        (("--table", "html"), "unknown table 'html'"),
        (("--table", "latex", "--json"), "give one"),
    ):
        done = run("score", "vdc", "--workspace", str(workspace), *more)
        assert done.returncode == 2
        assert why in done.stderr
        assert "Traceback" not in done.stderr

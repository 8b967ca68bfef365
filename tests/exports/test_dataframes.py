"""DataFrames of a workspace, and the notebook that shows them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pandas.api.types import is_bool_dtype, is_float_dtype

from annotation.records.errors import NotFound
from backends.errors import UsageError
from exports import dataframe_columns as columns
from exports.dataframes import captions, labels, scores, verdicts
from exports.files.format_types import Wanted
from exports.generic.verdict_rows import ALL, verdict_rows
from tests.exports.world import filled_store
from tests.judged_sample import sample_workspace

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notebook") / "workspace"
    sample_workspace(folder).close()
    return folder


def test_every_column_is_described() -> None:
    assert tuple(columns.VERDICTS) == ALL


def test_each_has_the_columns_that_are_described(workspace: Path) -> None:
    assert list(verdicts(workspace)) == list(columns.VERDICTS)
    assert list(captions(workspace)) == list(columns.CAPTIONS)
    assert list(labels(workspace)) == list(columns.LABELS)
    assert list(scores(workspace, by=("aspect", "category"))) == ["aspect", "category", *columns.SCORES]


def test_verdicts_are_those_of_the_files(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    rows = list(verdict_rows(Wanted(store, None, "current")))
    store.close()
    found = verdicts(tmp_path)
    assert len(found) == len(rows)
    assert list(found["verdict_id"].fillna("none")) == [row["verdict_id"] or "none" for row in rows]
    assert is_float_dtype(found["score"])
    assert is_bool_dtype(found["corrected"])
    assert found["score"].isna().sum() == sum(row["score"] is None for row in rows)


def test_scores_do_not_count_what_cannot_be_read(workspace: Path) -> None:
    whole = scores(workspace, policies=["parsed"]).query("aspect == '' and metric == 'accuracy_micro'")
    rows = verdicts(workspace)
    assert whole["n"].item() == (rows["machine_state"] == "done").sum()
    assert whole["of"].item() == len(rows)


def test_labels_are_everybodys_and_one_counts(tmp_path: Path) -> None:
    filled_store(tmp_path).close()
    found = labels(tmp_path)
    assert set(found.query("counts")["verdict_id"]) == {"jdg-1", "jdg-2"}
    both = found.query("verdict_id == 'jdg-1'").iloc[0]
    assert (both["label"], both["score"], both["judge_label"], both["error_source"]) == (
        "yes",
        5,
        "no",
        "judge",
    )
    assert str(found["labelled_at"].dt.tz) == "UTC"


@pytest.mark.parametrize(
    ("where", "what", "error"),
    [
        ("nowhere", None, UsageError),
        ("https://dailies.example.org", None, UsageError),
        (None, "no such evaluation", NotFound),
    ],
)
def test_what_is_not_there_is_said_and_not_made(
    workspace: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: str | None,
    what: str | None,
    error: type[Exception],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error) as raised:
        verdicts(where or workspace, what)
    assert "\n" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_the_notebook_runs(workspace: Path) -> None:
    """Its code cells one after the other, as a notebook runs them; Jupyter itself is not needed for that."""
    book = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))
    code = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    done = subprocess.run(
        [sys.executable, "-c", "\n\n".join(code)],
        cwd=workspace.parent,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    assert "main_object" in done.stdout
    assert all(not cell.get("outputs") for cell in book["cells"])

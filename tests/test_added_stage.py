"""A stage is declared once: a new file and a line in the list make it run, and name it in help and pages."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.backends.clips import textured, write_clip
from tests.program_copy import ProgramCopy, fetched
from tests.toy_stage import LABEL, STAGES, add_toy_stage


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> ProgramCopy:
    made = ProgramCopy(tmp_path_factory.mktemp("added") / "program")
    add_toy_stage(made)
    return made


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clip(tmp_path_factory.mktemp("clip") / "boat.mp4", [textured(n) for n in range(8)])


def test_one_file_is_edited(program: ProgramCopy) -> None:
    assert program.edited() == [STAGES]


def test_commands_run_it_and_name_it(program: ProgramCopy, clip: Path, tmp_path: Path) -> None:
    out = program.app("run", clip, "--stages", "toy", "--workspace", tmp_path / "w", "--json")
    found = json.loads(out)[0]["stages"]
    assert {name: state["state"] for name, state in found.items()} == {"probe": "done", "toy": "done"}
    assert "text, toy, script, captions" in " ".join(program.app("run", "--help").split())
    records = tmp_path / "all.jsonl"
    program.app("export", "dailies-jsonl", records, "--workspace", tmp_path / "w")
    assert '"count": 8' in records.read_text(encoding="utf-8")
    program.app("import", records, "--workspace", tmp_path / "other")


def test_the_server_offers_it_and_runs_it(program: ProgramCopy, clip: Path, tmp_path: Path) -> None:
    program.app("run", clip, "--stages", "probe", "--workspace", tmp_path / "w")
    with program.served("--workspace", tmp_path / "w") as url:
        library = fetched(f"{url}/api/library")
        names = [stage["name"] for stage in library["stages"]]
        assert names[4:7] == ["text", "toy", "script"]
        assert library["stages"][5] == {
            "name": "toy",
            "label": LABEL,
            "needs": ["probe"],
            "usual": True,
            "choice": None,
        }
        [video] = library["videos"]
        assert [s["state"] for s in video["stages"] if s["stage"] == "toy"] == ["none"]
        job = fetched(f"{url}/api/jobs", {"videos": [video["id"]], "stages": ["toy"]})
        assert job["stages"] == ["probe", "toy"]
        end = time.monotonic() + 120
        while fetched(f"{url}/api/jobs")[0]["state"] != "done":
            assert time.monotonic() < end, fetched(f"{url}/api/jobs")
            time.sleep(0.2)
        [video] = fetched(f"{url}/api/library")["videos"]
        assert [s["state"] for s in video["stages"] if s["stage"] == "toy"] == ["done"]

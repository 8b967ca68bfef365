"""Findings in scripts of a workspace: shown, dismissed, counted, and gone when the text is put right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.editing import dismissed_findings
from annotation.editing import edits as services
from annotation.editing.edits import Edit
from annotation.records.allowed_values import SCRIPT_FIELDS
from annotation.records.captions_to_verdicts import Text
from annotation.reports.lint_report import lines, report, workspace_report
from annotation.reports.script_findings import add_scripts
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.systems.vript.current_scripts import open_counts, script_findings
from exports.catalogue.lint_files import file_report
from tests.bench import Bench
from ui.pages.library.video_list import LibraryRequest, library_json
from ui.pages.script.view import script_findings_json


@pytest.fixture
def wrong(bench: Bench) -> Text:
    """The first scene's content, made to tell of frames."""
    scene = current_scenes(bench.store, bench.video.id)[0]
    [text] = bench.store.find(Text, subject_id=scene.key, kind="script:content")
    write(bench, text, "In the first frame a wall. Then the frames get brighter.", 0)
    return text


def write(bench: Bench, text: Text, value: str, base: int) -> None:
    services.apply_edit(bench.store, bench.workspace.owner(), Edit("text", text.id, "value", value, base))


def test_a_finding_is_shown_dismissed_and_counted(bench: Bench, wrong: Text) -> None:
    store = bench.store
    found = [
        one for one in script_findings(store, [bench.video.id])[bench.video.id] if one.aspect == "content"
    ]
    assert [one.found.text for one in found] == ["In the first frame", "the frames"]
    before = open_counts(store, [bench.video.id])[bench.video.id]
    dismissed_findings.dismiss(store, bench.workspace.owner(), found[0].found, "the clip has one frame")
    assert open_counts(store, [bench.video.id])[bench.video.id] == before - 1
    data = script_findings_json(store, bench.video.id)
    rows = [row for row in data[found[0].key] if row["aspect"] == "content"]
    assert [row["dismissal"] and row["dismissal"]["reason"] for row in rows] == [
        "the clip has one frame",
        None,
    ]
    [row] = library_json(store, LibraryRequest(""))["videos"]
    assert row["findings"] == before - 1
    report = workspace_report(store)
    assert report["counts"]["frame_wording"] == {"content": 1} and "too_long" in report["counts"]
    [line] = [f for f in report["findings"] if f["check"] == "frame_wording"]
    assert (line["aspect"], line["scene"], line["text"]) == ("content", 1, "the frames")


def test_a_text_that_is_put_right_has_no_finding(bench: Bench, wrong: Text) -> None:
    before = open_counts(bench.store, [bench.video.id])[bench.video.id]
    write(bench, wrong, "A wall that gets brighter.", 1)
    assert open_counts(bench.store, [bench.video.id])[bench.video.id] == before - 2
    [row] = library_json(bench.store, LibraryRequest(""))["videos"]
    assert row["findings"] == before - 2


def test_files_of_scripts_are_checked_without_a_workspace(tmp_path: Path) -> None:
    caption = {name: "Each frame shows a boat." for name in SCRIPT_FIELDS}
    rows = [{"clip_id": f"x-Scene-{n:03d}", "caption": caption} for n in (1, 2)]
    path = tmp_path / "captions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = file_report([path])
    assert found["counts"]["frame_wording"] == {name: 2 for name in sorted(SCRIPT_FIELDS)}
    assert {(f["video"], f["scene"], f["text"]) for f in found["findings"]} == {
        ("x", n, "Each frame") for n in (1, 2)
    }
    assert any("scene 1" in line for line in lines(found))


def test_checks_that_only_a_format_knows_are_counted() -> None:
    row = {
        "check": "of_toys",
        "aspect": "toy",
        "video": "a",
        "question": "",
        "why": "",
        "scene": 1,
        "text": "",
    }
    found = add_scripts(report((), {}), [row, row])
    assert found["counts"]["of_toys"] == {"toy": 2} and found["findings"] == [row, row]

"""A stage is done if its results are; otherwise rows, jobs, summary and exit code say what is missing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation.editing.edits import Edit, apply_edit
from annotation.pipeline.background_jobs import Jobs
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.pipeline.stage_registry import USUAL, chosen_stages
from annotation.pipeline.stage_runner import run_video
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from annotation.records.runs import RunVideo
from annotation.stages.stage_results import StageResults
from tests.annotation.pipeline.test_pipeline import model
from tests.app_process import AppProcess
from tests.bench import Bench
from tests.chat_server import Behaviour, ChatServer, Seen, cut_off, has_images, mentions, scripted
from ui.pages.library.video_list import LibraryRequest, job_json, library_json

WAIT_S = 120.0
PLAIN = ("--speech", "none", "--ocr", "none")


def script_is_cut_off() -> Behaviour:
    """Scripts, frame captions and two of the five captions end in the middle."""
    usual: Any = model()
    return scripted(
        (mentions("scene_title"), cut_off('{"shot_type": "wi')),
        (mentions("<Frame 1>"), cut_off("<Frame")),
        (lambda seen: has_images(seen) and _detailed_or_camera(seen), cut_off("")),
        (lambda _seen: True, usual),
    )


def _detailed_or_camera(seen: Seen) -> bool:
    return "in detail" in seen.user.lower() or "detailed" in seen.user.lower()


def app(*arguments: object) -> tuple[int, str, str]:
    process = AppProcess(*arguments)
    out, err = process.communicate(timeout=240)
    assert "Traceback" not in err
    return int(process.returncode or 0), out, err


def states(bench: Bench) -> dict[str, str]:
    [row] = library_json(bench.store, LibraryRequest(""))["videos"]
    return {stage["stage"]: stage["state"] for stage in row["stages"]}


def test_what_was_cut_off_is_counted_in_summary_rows_and_exit_code(clip: Path, tmp_path: Path) -> None:
    with ChatServer(script_is_cut_off()) as server:
        given = (clip, "-w", tmp_path / "w", *PLAIN, "--captioner", server.spec, "--judge", server.spec)
        code, out, _ = app("run", *given, "--json")
        assert code == 1
        stages = json.loads(out)[0]["stages"]
        assert (stages["script"]["state"], stages["script"]["unparsed"]) == ("unparsed", 2)
        assert stages["script"]["why"].startswith("2 of 2 unparsed (the reply was cut off")
        assert stages["frames"]["state"] == "unparsed" and stages["frames"]["done"] == 0
        assert stages["questions"]["state"] == "skipped" and "no reference" in stages["questions"]["why"]
        assert (stages["answers"]["why"], stages["verdicts"]["why"]) == (
            "no questions",
            "no answers to judge",
        )
        assert stages["keyframes"]["state"] == "skipped"
        assert stages["scenes"] == {
            "state": "done", "done": 0, "unparsed": 0, "failed": 0, "missing": 0, "why": ""
        }  # fmt: skip
        assert "elements" not in stages and stages["speech"]["why"] == "turned off"
        asked = len(server.seen)
        code, out, err = app("run", *given)
        assert (
            code == 1 and "  script: 2 of 2 unparsed" in out and "  questions: skipped: no reference" in out
        )
        assert "script: 2 of 2 unparsed" in err and "--again repeats their requests" in out
        assert len(server.seen) == asked, "what could not be read is not asked again by itself"


def test_a_named_stage_that_was_skipped_is_a_problem(clip: Path, tmp_path: Path) -> None:
    code, out, _ = app("run", clip, "-w", tmp_path / "w", "--stages", "split")
    assert code == 1 and "  split: skipped: no full caption" in out


def test_a_stage_that_ended_early_is_listed_with_its_error(clip: Path, tmp_path: Path) -> None:
    given = (clip, "-w", tmp_path / "w", "--stages", "probe,speech,vript_hard", "--speech", "nope")
    code, out, err = app("run", *given, "--json")
    stages = json.loads(out)[0]["stages"]
    assert code == 1 and list(stages) == ["probe", "speech", "vript_hard"]
    assert [found["state"] for found in stages.values()] == ["done", "failed", "failed"]
    assert "no speech model 'nope'" in stages["speech"]["why"] and err.count("no speech model 'nope'") == 1
    code, out, _ = app("run", *given)
    assert code == 1 and "\n  speech: no speech model 'nope'; use " in out and "\n  vript_hard: " in out


def test_a_stage_is_done_once_a_later_reply_or_a_person_gives_its_results(bench: Bench) -> None:
    names = chosen_stages(["probe", "scenes", "script", "split"])
    with ChatServer(script_is_cut_off()) as server:
        engines = bench.engines(captioner=server.spec, judge=server.spec)
        first = run_video(bench.context(engines), bench.video, names)
        assert first.stages["split"].state == "skipped" and "no full caption" in first.stages["split"].words
        assert (states(bench)["script"], states(bench)["split"]) == ("unparsed", "skipped")
        bench.store.add([Person(id="per-1", name="Ada", role="annotator", created_at=1.0)])
        keys = sorted({text.subject_id for text in bench.store.find(Text)})
        title = bench.store.find(Text, kind="script:scene_title", subject_id=keys[0])[0]
        by_hand = Edit("text", title.id, "value", "A wall", 0)
        apply_edit(bench.store, bench.store.get(Person, "per-1"), by_hand)
        second = run_video(bench.context(engines), bench.video, names)
        assert (second.stages["script"].count("done"), second.stages["script"].count("unparsed")) == (1, 1)
        server.behaviour = model()
        again = run_video(bench.context(engines, again=True), bench.video, names)
        assert again.stages["script"].state == "done"
        asked = len(server.seen)
        last = run_video(bench.context(engines), bench.video, names)
        assert last.stages["script"].state == "done" and states(bench)["script"] == "done"
        assert len(server.seen) == asked


def test_questions_that_cannot_be_read_are_not_done(bench: Bench) -> None:
    usual: Any = model()
    no_list = scripted((mentions("You write questions"), lambda _: "I cannot."), (lambda _: True, usual))
    with ChatServer(no_list) as server:
        result, _ = bench.run(captioner=server.spec, judge=server.spec)
    assert result.stages["questions"].count("unparsed") == 5
    assert states(bench)["questions"] == "unparsed" and states(bench)["verdicts"] == "skipped"


def test_what_was_skipped_shows_its_earlier_results(bench: Bench) -> None:
    bench.run("probe", "scenes", "text", ocr="rapidocr")
    assert states(bench)["text"] == "done"
    bench.run("text", ocr="none")
    assert states(bench)["text"] == "done"
    assert {row.state for row in bench.store.find(RunVideo, stage="text")} == {"done", "skipped"}


def test_a_job_names_what_is_unparsed_and_what_was_skipped(bench: Bench) -> None:
    with ChatServer(script_is_cut_off()) as server:
        choice = EngineChoice(captioner=server.spec, judge=server.spec, speech="none", ocr="none")
        jobs = Jobs(bench.workspace, bench.media, lambda: make_engines(choice, bench.workspace))
        job = jobs.start([bench.video], USUAL)
        wait_for(lambda: job.finished)
        jobs.close()
    shown = job_json(job)
    assert shown["state"] == "failed"
    assert any("script: 2 of 2 unparsed" in problem for problem in job.problems)
    [note] = shown["notes"]
    assert note.startswith("skipped: speech (turned off)") and "verdicts (no answers to judge)" in note
    assert "questions (no reference captions and no readable script to ask about)" in note
    assert "elements" not in note and "capst" not in note


def wait_for(true: Callable[[], Any]) -> Any:
    until = time.monotonic() + WAIT_S
    while not (found := true()):
        assert time.monotonic() < until
        time.sleep(0.05)
    return found


@pytest.mark.parametrize(
    ("counts", "state", "words"),
    [
        ({("done", ""): 3}, "done", ""),
        ({("done", ""): 3, ("missing", "no caption"): 1}, "missing", "1 of 4 missing (no caption)"),
        (
            {("unparsed", "cut off"): 2, ("failed", "503"): 1, ("done", ""): 1},
            "failed",
            "1 of 4 failed (503); the next run tries again; 2 of 4 unparsed (cut off)",
        ),
    ],
)
def test_states_and_words(counts: Any, state: str, words: str) -> None:
    results = StageResults(counts)
    assert (results.state, results.words) == (state, words)


def test_results_add_up() -> None:
    idle = StageResults(skipped="no notes")
    some = StageResults({("done", ""): 2})
    assert (idle + some).state == "done" and (idle + some).skipped == ""
    assert (idle + idle).state == "skipped" and (StageResults() + StageResults()).state == "done"


def test_a_long_reason_keeps_its_next_step() -> None:
    step = "start the server with a longer context (vLLM: max_model_len)"
    why = f"http://127.0.0.1:8000/v1: {'m' * 200} refused the request (400): too long; {step}"
    words = StageResults({("failed", why): 1}).words
    assert words.startswith("1 of 1 failed (http://127.0.0.1:8000/v1: m")
    assert words.endswith(f"m…; {step}); the next run tries again")

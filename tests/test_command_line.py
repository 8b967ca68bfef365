"""`python app.py` as a person types it: output, exit codes, one-line errors, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from annotation.pipeline.stage_registry import STAGES
from annotation.workspace.workspace import Workspace
from app import cli
from tests.app_process import AppProcess
from tests.bench import clip
from tests.chat_server import ChatServer, normal, slow
from tests.exports.video_mmlu.mmlu_files import mmlu_log
from tests.file_server import FileServer
from ui.commands.options import some_path
from ui.commands.prompts import prompt_cli

__all__ = ["clip"]
ROOT = Path(__file__).resolve().parents[1]
CAPTIONS = ROOT / "sample" / "vdc_captions.jsonl"


def start(*arguments: object) -> AppProcess:
    return AppProcess(*arguments, environment={**os.environ, "COLUMNS": "80"})


def app(*arguments: object, code: int = 0) -> tuple[str, str]:
    process = start(*arguments)
    out, err = process.communicate(timeout=240)
    assert process.returncode == code, err
    assert "Traceback" not in err
    return out, err


def app_json(*arguments: object) -> Any:
    return json.loads(app(*arguments, "--json")[0])


def test_help_names_every_command() -> None:
    command = [sys.executable, "app.py", "--help"]  # in a process that has imported nothing
    out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for command in (
        "serve",
        "probe",
        "scenes",
        "run",
        "import",
        "export",
        "lint",
        "score",
        "compare",
        "ceiling",
        "read-replies",
        "check-split",
        "doctor",
        "models",
        "backup",
        "restore",
        "copy-database",
    ):
        assert command in out


def test_help_says_which_stages_are_run_by_default() -> None:
    *others, last = [spec.name for spec in STAGES if spec.when == "on_demand"]
    for command, words in (
        (
            "run",
            f"{', '.join(spec.name for spec in STAGES)}; default: all except {', '.join(others)} and {last}",
        ),
        ("run-evaluation", "default: verdicts, and answers that are missing"),
        ("judge-captions", "default: keyframes"),
    ):
        assert words in " ".join(app(command, "--help")[0].split())


def test_probe_and_scenes_print_facts(clip: Path) -> None:
    facts = app_json("probe", clip)
    assert (facts["frames"], facts["width"], facts["vfr"], facts["browser_playable"]) == (
        100,
        160,
        False,
        True,
    )
    found = app_json("scenes", clip)
    assert set(found) == {"video", "detector", "scenes"}
    assert set(found["detector"]) == {"name", "params", "version"}
    assert [(s["start_frame"], s["end_frame"]) for s in found["scenes"]] == [(0, 50), (50, 100)]
    assert "scene   2" in app("scenes", clip)[0]


def test_run_export_import_and_back(clip: Path, tmp_path: Path) -> None:
    space = ("--workspace", tmp_path / "one")
    done = app_json("run", clip, *space, "--speech", "none", "--stages", "captions")
    assert done[0]["captions"]["vdc"] == 5
    files = app_json("export", "dailies-jsonl", tmp_path / "all.jsonl", *space)
    assert files == [str(tmp_path / "all.jsonl")]
    read = app_json("import", tmp_path / "all.jsonl", "--workspace", tmp_path / "two")
    assert read["format"] == "dailies-jsonl" and read["problems"] == []
    assert read["records"]["Text"] == 5
    again = app_json("import", tmp_path / "all.jsonl", "--workspace", tmp_path / "two")
    assert sum(again["records"].values()) == 0


def test_export_names_its_formats() -> None:
    rows = app_json("export", "--list")
    assert all(row["what"] and row["cannot_hold"] for row in rows)


def test_a_closed_stdout_is_no_error() -> None:
    for more in ((), ("--json",)):
        command = [sys.executable, "app.py", "export", "--list", *more]
        done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *command], cwd=ROOT, stderr=subprocess.PIPE)
        assert (done.returncode, done.stderr) == (0, b"")


def test_read_replies_shows_how_each_is_read(tmp_path: Path) -> None:
    lines = ["{'pred': 'yes', 'score': 4.8}", "{'pred': 'yes', 'score': 9}"]
    file = tmp_path / "replies.jsonl"
    file.write_text("".join(json.dumps({"reply": line}) + "\n" for line in lines))
    good, bad = json.loads(app("read-replies", "vdc", file)[0])
    assert (good["state"], good["pred"], good["score"]) == ("done", "yes", 4.8)
    assert (bad["state"], bad["score"]) == ("unparsed", None) and "9" in bad["reason"]
    assert app_json("read-replies", "vdc", file) == [good, bad]


def test_check_split_gives_one_result_per_line(tmp_path: Path) -> None:
    good = {"full": "This video shows a man. He runs.", "spatial": "A man runs.", "temporal": "He runs."}
    file = tmp_path / "splits.jsonl"
    file.write_text(json.dumps(good) + "\n\n" + json.dumps(good | {"spatial": "", "temporal": ""}) + "\n")
    first, second = [json.loads(line) for line in app("check-split", file)[0].splitlines()]
    found = {(f["check"], f["side"], f["text"]): f for f in first["findings"]}
    action = found["action_in_spatial", "spatial", "runs"]
    assert (action["start"], action["end"]) == (6, 10) and "action" in action["why"]
    assert set(action) == {"check", "side", "start", "end", "text", "why"}
    assert [f["check"] for f in second["findings"]] == ["length"]
    assert json.loads(app("check-split", file, "--json")[0]) == [first, second]
    file.write_text(json.dumps(good) + '\n{"full": "x"}\n')
    out, err = app("check-split", file, code=1)
    assert "line 2: missing text spatial, temporal" in err
    assert json.loads(out.splitlines()[1]) == {"error": "line 2: missing text spatial, temporal"}


def test_score_and_compare(tmp_path: Path) -> None:
    """The sample's evaluation, from its files and from a workspace; and against itself, corrected."""
    of_files = app_json("score", "vdc", ROOT / "sample" / "evaluation")
    assert of_files["system"] == "vdc"
    rows = {(r["group"].get("aspect"), r["policy"], r["metric"]): r for r in of_files["rows"]}
    camera = rows["camera", "parsed", "accuracy_macro"]
    assert (camera["n"], camera["of"], camera["dropped"]) == (7, 8, {"failed": 1})
    assert camera["value"] == pytest.approx(5 / 7)
    assert rows[None, "failures_as_wrong", "accuracy_micro"]["of"] == 43
    app("import", ROOT / "sample" / "evaluation", "-w", tmp_path / "w")
    of_workspace = app_json("score", "vdc", "-w", tmp_path / "w", "--policy", "parsed,aurora")
    assert [r for r in of_files["rows"] if r["policy"] in ("parsed", "aurora")] == of_workspace["rows"]
    assert "unparsed" in app("score", "vdc", "-w", tmp_path / "w")[0]
    assert app_json("score", "vdc", "-w", tmp_path / "w", "--by", "category,aspect", "--no-suspects")["rows"]
    name = of_files["evaluation"]
    for wrong in (
        ("score", "tea"),
        ("score", "vdc", "--policy", "mine"),
        ("score", "vdc", "--by", "colour"),
        ("compare", name, name),
        ("compare", name, "another"),
        ("score", "vdc", "-w", tmp_path),
    ):
        _, problem = app(*wrong, *(() if "-w" in wrong else ("-w", tmp_path / "w")), code=2)
        assert problem.startswith("error: ")
        assert problem.count("\n") == 1


def test_score_video_mmlu(tmp_path: Path) -> None:
    """A log from its files; and a workspace that has none says what to do."""
    found = app_json("score", "video-mmlu", mmlu_log(tmp_path / "log"))
    assert (found["system"], found["benchmark"]) == ("video-mmlu", "video-mmlu")
    rows = {
        (r["group"]["task"], r["group"].get("discipline"), r["policy"], r["metric"]): r for r in found["rows"]
    }
    assert rows["final", None, "parsed", "accuracy_macro"]["value"] == 0.5
    assert rows["caption", "Physics", "video-mmlu", "score_micro"]["value"] == 3
    assert found["published"][0]["model"] == "SilVR"
    Workspace(tmp_path / "w").close()
    _, problem = app("score", "video-mmlu", "-w", tmp_path / "w", code=2)
    assert problem.startswith("error: no evaluation of video-mmlu found; create one with")


def test_lint_checks_files_and_workspaces(tmp_path: Path) -> None:
    file = tmp_path / "camera.jsonl"
    rows = [
        {"question": "Where", "answer": "at sea?, unknown", "category": ""},
        {"question": "Where?", "answer": "not specified", "category": ""},
    ]
    file.write_text(json.dumps({"clip": rows}) + "\n")
    of_file = app_json("lint", file)
    assert of_file["counts"]["comma_split"] == {"camera": 1}
    assert [f["check"] for f in of_file["findings"]] == [
        "comma_split",
        "question_mark_in_answer",
        "unknown_answer",
    ]
    app("import", file, "-w", tmp_path / "w")
    of_workspace = app_json("lint", "-w", tmp_path / "w")
    assert of_workspace["counts"] == of_file["counts"]
    assert all(f["id"].startswith("qst-") for f in of_workspace["findings"])
    assert "comma_split" in app("lint", file)[0]
    app("lint", CAPTIONS, code=2)


def test_a_log_is_filled_and_its_references_are_scored(tmp_path: Path) -> None:
    space = ("-w", tmp_path / "w")
    app("import", ROOT / "sample" / "evaluation", *space)
    app("import", CAPTIONS, *space)
    [name] = {row["evaluation"] for row in [app_json("score", "vdc", *space)]}
    filled = app_json("run-evaluation", name, "--stages", "verdicts", *space)
    assert filled["evaluation"] != name
    assert sum(filled["verdicts"].values()) == sum(filled["answers"].values()) == 43
    again = app_json("run-evaluation", name, "--stages", "verdicts", *space)
    assert (again["id"], again["model_calls"]) == (filled["id"], 0)
    ceiling = app_json("ceiling", *space)
    assert ceiling["evaluation"] == "ceiling, judged by baseline"
    assert sum(ceiling["verdicts"].values()) > 0
    for arguments, message in (
        (("run", *space), "run-evaluation NAME"),
        (("run-evaluation", name, "--stages", "scenes", *space), "choose from questions"),
        (("run-evaluation", name, "--speech", "base", *space), "--speech"),
        (("ceiling", "no such video", *space), "video no such video not found"),
    ):
        assert message in app(*arguments, code=2)[1]


def test_a_reference_of_a_video_that_has_no_file_is_told(tmp_path: Path, clip: Path) -> None:
    given = ("--reference", ROOT / "sample" / "vdc_qa", "--stages", "probe", "-w", tmp_path / "w")
    for _ in range(2):
        _, told = app("run", clip, *given)
        assert "vdc_qa: this file is about 'paper-boat', which has no video file" in told
    app("join", clip.stem, "paper-boat", "-w", tmp_path / "w")
    assert "which has no video file" not in app("run", clip, *given)[1]


def test_a_pass_is_estimated_and_stops_at_its_cap(tmp_path: Path) -> None:
    space = ("-w", tmp_path / "w")
    app("import", ROOT / "sample" / "evaluation", *space)
    [name] = {row["evaluation"] for row in [app_json("score", "vdc", *space)]}
    with ChatServer(normal("{'pred': 'yes', 'score': 4}")) as server:
        judged = ("run-evaluation", name, "--stages", "verdicts", "--judge", server.spec, *space)
        told = app_json(*judged, "--estimate")
        asked = [seen for seen in server.seen if "messages" in seen.body]
        assert (told["calls"], told["kept"], told["seconds"], asked) == (43, 0, None, [])
        assert "about 43 calls" in app(*judged, "--estimate")[0]
        _, problem = app(*judged, "--most-cost", "1", code=2)
        assert "no price is set" in problem
        _, why = app(*judged, "--most-calls", "5", code=130)
        assert "the cap of 5 calls is reached" in why and "5 new model calls" in why
        assert app_json(*judged, "--estimate")["calls"] == 38
        done = app_json(*judged)
    assert (done["model_calls"], done["took"]["calls"]) == (38, 38) and done["took"]["prompt_tokens"] > 0


def test_models_names_what_can_be_run_here() -> None:
    found = app_json("models")
    assert found["machine"]["memory_gb"] > 0
    assert {engine["engine"] for engine in found["engines"]} == {"llama.cpp", "vLLM"}
    assert all(model["commands"].keys() == set(model["roles"]) for model in found["models"])


def test_doctor_says_what_to_type(tmp_path: Path) -> None:
    Workspace(tmp_path).close()
    rows = app_json("doctor", "--workspace", tmp_path, "--judge", "http://127.0.0.1:9/v1#m")
    judge = next(row for row in rows if row["what"] == "judge")
    assert not judge["ok"] and "vllm serve" in judge["found"]
    assert next(row for row in rows if row["what"] == "captioner")["ok"]


def test_videos_by_url(clip: Path, tmp_path: Path) -> None:
    """From a web server into the workspace, and what `doctor` says of it."""
    space = tmp_path / "w"
    space.mkdir()
    with FileServer({"/clips/harbour.mp4": clip.read_bytes()}) as server:
        (space / "settings.toml").write_text(server.settings_text("/clips/"))
        url = server.url("/clips/harbour.mp4")
        out, err = app("run", f"{url}?sig=hushhush", "--stages", "scenes", "-w", space)
        assert out.startswith("harbour: 2 scenes") and "hushhush" not in out + err
        app("run", f"{url}?sig=hushhush", "--stages", "scenes", "-w", space)
        assert len(server.seen) == 1
        rows = {row["what"]: row for row in app_json("doctor", "-w", space)}
        assert rows["remote places"]["found"] == server.url("/clips/")
        assert not rows["remote gs://"]["ok"] and "type: pip install" in rows["remote gs://"]["found"]
        _, problem = app("run", server.url("/clips/none.mp4?sig=hushhush"), "-w", space, code=1)
        assert "no such file (404)" in problem and "hushhush" not in problem
        (tmp_path / "urls.txt").write_text(f"market\t{url}\n")
        (tmp_path / "a.jsonl").write_text('{"video_id": "market", "short_caption": "a market"}\n')
        taken = app("import", tmp_path / "a.jsonl", "--videos", tmp_path / "urls.txt", "-w", space)[0]
        assert "market" in taken


@pytest.mark.parametrize("url", ["file:///etc/passwd", "https://elsewhere.example/a.mp4?sig=hushhush"])
def test_a_url_that_is_not_allowed_is_one_line(tmp_path: Path, url: str) -> None:
    for arguments in (("run", url), ("import", "--videos", url)):
        _, problem = app(*arguments, "-w", tmp_path / "w", code=2)
        assert "hushhush" not in problem and problem.count("\n") == 1 and problem.startswith("error: ")


NO_WORKSPACE = ("probe", "scenes", "read-replies", "check-split", "frobnicate", "scor")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("probe", "nothing.mp4"), "nothing.mp4"),
        (("probe", str(CAPTIONS)), "vdc_captions"),
        (("run", "nothing.mp4"), "no such file"),
        (("run", "sample", "--captioner", "magic"), "magic"),
        (("run", "sample", "--stages", "dance"), "dance"),
        (("scenes", "sample/clip.mp4", "--detector", "eyes"), "eyes"),
        (("import", "README.md"), "README.md"),
        (("export", "papyrus", "out"), "papyrus"),
        (("read-replies", "tea", "README.md"), "unknown kind 'tea'"),
        (("read-replies", "vdc", "README.md"), "README.md"),
        (("check-split", "README.md"), "README.md"),
        (("serve", "--host", "0.0.0.0"), "--auth"),
        (("serve", "--port", "99999"), "'--port': Input should be less than or equal to 65535"),
        (("serve", "--port", "-1"), "'--port': Input should be greater than or equal to 1"),
        *((("serve", f"--{flag}", "zz"), "'zz'") for flag in ("detector", "reader", "ocr", "speech")),
        (("score",), "give a benchmark; choose from vdc, video-mmlu"),
        (("prompt", "add", "vdc_verdict", "x", "MISSING"), "MISSING: No such file or directory"),
        (("frobnicate",), "unknown command 'frobnicate'; choose from serve, probe"),
        (("scor",), "Did you mean 'score'"),
        (("run", "sample", "--judge", "http://127.0.0.1:9/v1#m"), "vllm serve"),
    ],
)
def test_a_persons_mistake_is_one_line_and_code_2(
    arguments: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    Workspace(tmp_path).close()
    space = () if arguments[0] in NO_WORKSPACE else ("-w", str(tmp_path))
    _, err = app(*arguments, *space, code=2)
    lines = [line for line in err.splitlines() if line.strip()]
    assert len(lines) == 1 and words in lines[0], err


def test_an_empty_path_is_not_the_current_folder() -> None:
    for arguments in (("serve", "-w", ""), ("backup", ""), ("import", "-w", "x", ""), ("run", "")):
        _, err = app(*arguments, code=2)
        assert len(err.splitlines()) == 1 and "empty path; give a file or folder" in err, err


def test_every_path_is_read_with_what_refuses_an_empty_one() -> None:
    commands = [*cli.registered_commands, *prompt_cli.registered_commands]
    read = {}
    for command in commands:
        for name, hint in get_type_hints(command.callback, include_extras=True).items():
            if "pathlib." in str(hint):
                read[command.callback.__name__, name] = hint.__metadata__[0].parser
    assert len(read) > 30 and set(read.values()) == {some_path}


def test_one_unreadable_video_does_not_stop_the_others(clip: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.mp4"
    bad.write_text("no video")
    out, err = app("run", bad, clip, "-w", tmp_path / "w", "--stages", "scenes", "--json", code=1)
    assert [row["scenes"] for row in json.loads(out)] == [2]
    assert "bad.mp4" in err


def test_ctrl_c_leaves_a_state_to_go_on_from(clip: Path, tmp_path: Path) -> None:
    options = ("run", clip, "-w", tmp_path, "--speech", "none", "--stages", "captions")
    with ChatServer(slow(0.6, normal("A texture."))) as server:
        process = start(*options, "--captioner", server.spec)
        while len(server.seen) < 2:
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=240)
        assert process.returncode == 130 and "Traceback" not in err
        kept = len(server.seen)
        server.behaviour = normal("A texture.")
        done = app_json(*options, "--captioner", server.spec)
        assert done[0]["captions"]["vdc"] == 5
        assert kept + (5 - kept) == len(server.seen) == 5


def test_flags_come_from_the_environment_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Workspace(tmp_path / "here").close()
    monkeypatch.setenv("DAILIES_WORKSPACE", str(tmp_path / "here"))
    monkeypatch.setenv("DAILIES_SERVE_HOST", "0.0.0.0")  # is refused
    assert "add --accounts" in app("serve", code=2)[1]
    app("backup", tmp_path / "kept.tar")
    monkeypatch.delenv("DAILIES_WORKSPACE")
    found = app_json("restore", tmp_path / "kept.tar", "--workspace", tmp_path / "again")
    assert found["workspace"] == str(tmp_path / "again")

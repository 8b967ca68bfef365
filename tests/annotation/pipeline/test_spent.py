"""What a pass asks of models: counted before, capped meanwhile, kept with its runs afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from annotation.intake.files_of_one_person import PASSING, remove_left_folders
from annotation.pipeline.estimate import Estimate, estimate, estimate_json, estimate_lines
from annotation.pipeline.stage_registry import chosen_stages, stages_named
from annotation.pipeline.stage_runner import new_context, run_video
from annotation.prompts.prompt_files import package_files
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.runs import ModelCall, Run
from annotation.records.videos import Video
from annotation.stages.spending import Cap, Took
from annotation.stages.stage_context import Context
from annotation.stages.stage_spec import StageSpec
from annotation.systems.progress_captioner.frame_differences import frame_looks
from annotation.workspace.workspace import Workspace
from backends.errors import Stopped, UsageError
from tests.annotation.pipeline.test_pipeline import model
from tests.bench import Bench
from tests.chat_server import ChatServer, slow
from tests.whole_store import tables

VDC = chosen_stages(["captions", "questions", "answers", "verdicts"])


def by_stage(found: Estimate) -> dict[str, tuple[int, int]]:
    return {one.stage: (one.calls, one.kept) for one in found.lines}


def priced(workspace: Workspace, name: str, input_: float = 2.0, output: float = 10.0) -> None:
    with (workspace.path / "settings.toml").open("a") as file:
        file.write(f'[prices]\ncurrency = "USD"\n"{name}" = {{ input = {input_}, output = {output} }}\n')


def capped(bench: Bench, cap: Cap, **specs: str) -> Context:
    return new_context(bench.workspace, bench.engines(**specs), bench.media, lambda *_: None, cap=cap)


def test_an_estimate_writes_nothing_and_asks_nobody(bench: Bench) -> None:
    bench.run("scenes", "script")
    before = tables(bench.store)
    with ChatServer(model()) as server:
        at = bench.context(bench.engines(captioner=server.spec, judge=server.spec))
        found = estimate(at, [bench.video], VDC)
        assert server.seen == [] or all("messages" not in seen.body for seen in server.seen)
    assert tables(bench.store) == before
    # Five captions; questions of the aspects with a text, 20 each; an answer and a verdict for each question.
    asked = by_stage(found)
    assert asked["captions"] == (5, 0) and asked["questions"][0] > 0
    assert asked["answers"] == asked["verdicts"] == (20 * asked["questions"][0], 0)
    captions = found.lines[0]
    assert captions.pictures == 5 * 16 and captions.seconds is None and captions.cost is None
    assert "too few stored replies" in " ".join(found.notes)


def test_an_estimate_leaves_no_grey_pictures_behind(bench: Bench) -> None:
    """How frames look is kept beside the video, for the run that follows."""
    bench.run("scenes", "script")
    folder = bench.media.folder_of(bench.video)
    before = sorted(file.name for file in folder.iterdir())
    estimate(bench.context(bench.engines()), [bench.video], chosen_stages(["frames", "keyframes"]))
    assert sorted(file.name for file in folder.iterdir()) == before
    assert frame_looks(bench.media, bench.video, [0])[0][-1] == 0, "the picture has edges"


def test_what_an_estimate_keeps_meanwhile_is_removed_with_what_killed_processes_left(bench: Bench) -> None:
    """As what an import unpacks: `test_what_a_killed_import_unpacked_goes_at_the_next_start` kills one."""
    rooms: list[Path] = []

    def look(context: Context, video: Video) -> int:
        rooms.append(context.media.folder_of(video))
        remove_left_folders(bench.workspace)
        assert rooms[0].is_dir(), "it is at work"
        return 0

    estimate(bench.context(bench.engines()), [bench.video], [StageSpec("script", "a script", look)])
    [room] = rooms
    assert room.parent.parent.name.startswith(PASSING) and room.is_relative_to(bench.workspace.path)
    assert not list(bench.workspace.path.glob(f"{PASSING}*"))


def asking(count: int) -> Any:
    """A server whose every list of questions asks something else, and whose judge takes a while."""

    def behave(seen: Any) -> Any:
        if "You write questions" in seen.system + seen.user:
            pairs = [
                {"question": f"What is it, {seen.number}.{n}?", "answer": "A texture", "category": "object"}
                for n in range(count)
            ]
            return json.dumps({"questions": pairs})
        return slow(0.02, model())(seen)  # type: ignore[arg-type]

    return behave


def test_what_was_asked_is_found_and_the_rest_has_a_time_and_a_cost(bench: Bench) -> None:
    with ChatServer(asking(2)) as server:
        bench.run(captioner=server.spec, judge=server.spec)
        verdicts = bench.store.count(Verdict, subject_type="answer")
        assert verdicts == 10
        priced(bench.workspace, server.spec)
        space = Workspace(bench.workspace.path, bench.store.url)  # as the next command opens it
        engines = bench.engines(captioner=server.spec, judge=server.spec)
        at = new_context(space, engines, bench.media, lambda *_: None)
        there = estimate(at, [bench.video], VDC)
        assert {calls for calls, _ in by_stage(there).values()} <= {0}
        assert "no requests to send" in " ".join(estimate_lines(there))
        # Another prompt: every verdict anew, by the speed and the tokens of those before.
        (space.path / "prompts").mkdir()
        text = package_files()["vdc_verdict"].read_text()
        (space.path / "prompts" / "vdc_verdict.txt").write_text(text.replace("Please", "Now please"))
        space.__dict__.pop("prompts")
        found = estimate(new_context(space, engines, bench.media, lambda *_: None), [bench.video], VDC)
        seen = [call for call in bench.store.find(ModelCall) if call.request["stage"] == "verdict"]
        space.close()
    line = next(one for one in found.lines if one.calls)
    assert (line.stage, line.calls) == ("verdicts", verdicts)
    assert line.completion_tokens == verdicts * round(
        sum(call.usage["completion_tokens"] for call in seen) / len(seen)
    )
    # At least one of ten replies of 20 ms was under way: no more than all of them one after the other.
    assert line.seconds and 0.02 < line.seconds <= sum(call.seconds for call in seen) + 0.01
    cost = (line.prompt_tokens * 2 + line.completion_tokens * 10) / 1e6
    told = estimate_json(found)
    assert (told["calls"], told["currency"], told["cost"]) == (10, "USD", pytest.approx(cost))


def test_a_cap_stops_with_what_is_done_and_the_next_run_goes_on(bench: Bench) -> None:
    bench.run("scenes", "script")
    with ChatServer(asking(2)) as server:
        at = capped(bench, Cap(calls=12), captioner=server.spec, judge=server.spec)
        with pytest.raises(Stopped, match="the cap of 12 calls is reached; finished work is kept"):
            run_video(at, bench.video, VDC)
        kept = bench.store.count(ModelCall, backend=server.spec)
        assert kept == len(server.seen) == 12
        on = bench.context(bench.engines(captioner=server.spec, judge=server.spec))
        run_video(on, bench.video, VDC)
        whole = bench.store.count(ModelCall, backend=server.spec)
        assert whole > 12 and on.caller.spending.taken.calls == whole - 12


def test_what_a_run_took_is_kept_with_it_over_passes(bench: Bench) -> None:
    with ChatServer(model()) as server:
        priced(bench.workspace, server.spec)
        at = capped(bench, Cap(calls=3), captioner=server.spec, judge=server.spec)
        with pytest.raises(Stopped):
            run_video(at, bench.video, VDC)
        bench.run("captions", captioner=server.spec, judge=server.spec)
        seen = bench.store.find(ModelCall)
    run = next(run for run in bench.store.find(Run, stage="captions"))
    took = Took.read(run.took)
    assert took.calls == len(seen) == 5 and took.seconds > 0
    tokens = [sum(call.usage[f"{side}_tokens"] for call in seen) for side in ("prompt", "completion")]
    assert [took.prompt_tokens, took.completion_tokens] == tokens
    assert took.cost == pytest.approx((tokens[0] * 2 + tokens[1] * 10) / 1e6)
    assert bench.store.find(Run, stage="probe") == [] or not bench.store.find(Run, stage="probe")[0].took


def test_a_cost_without_a_price_is_refused_before_anything_is_asked(bench: Bench) -> None:
    from annotation.stages.start_models import make_ready

    with ChatServer(model()) as server:
        at = capped(bench, Cap(cost=1.0), captioner=server.spec)
        with pytest.raises(UsageError, match="no price is set"):
            make_ready(at, VDC)
        make_ready(at, stages_named(["verdicts"]))  # the baseline's, which costs nothing


def test_many_videos_are_estimated_from_some(bench: Bench) -> None:
    with ChatServer(model()) as server:
        at = bench.context(bench.engines(captioner=server.spec))
        found = estimate(at, [bench.video] * 40, chosen_stages(["captions"]), most=4)
    assert by_stage(found) == {"captions": (200, 0)}
    assert "scaled from 4 of 40 videos" in found.notes and "two shots" not in found.notes[0]


def test_a_video_without_cuts_is_counted_as_scenes_of_five_seconds(bench: Bench) -> None:
    with ChatServer(model()) as server:
        at = bench.context(bench.engines(captioner=server.spec))
        found = estimate(at, [bench.video], chosen_stages(["script"]))
    assert by_stage(found) == {"script": (1, 0)}  # four seconds
    assert "scenes of" in found.notes[0]
    assert bench.store.scene_list(bench.video.id) is None


def test_stopping_by_hand_says_so(bench: Bench) -> None:
    stop = Event()
    stop.set()
    with pytest.raises(Stopped, match=r"^stopped; finished work"):
        bench.context(bench.engines(), stop).caller.raise_if_stopped()
